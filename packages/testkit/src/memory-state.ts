import type { LapUsage } from "@elwood/core/model/price";
import type { Message } from "@elwood/core/message/message";
import type { TreeRun } from "@elwood/core/message/run-tree";
import type { Run, Session } from "@elwood/core/message/session";

/** What the in-memory stores share. Lists are in the order in which things came in. */
export interface MemoryState {
  readonly sessions: Map<string, Session>;
  /** Sessions by the outside key that they are bound to. */
  readonly chats: Map<string, string>;
  runs: MemoryRun[];
  said: Said[];
  /** By session; those without versions have none. */
  readonly trees: Map<string, readonly TreeRun[]>;
  readonly usage: { tenant: string; lap: LapUsage }[];
}

export interface MemoryRun {
  readonly tenant: string;
  readonly seq: number;
  readonly idempotencyKey: string | undefined;
  readonly requestHash: string;
  run: Run;
  readonly steps: Message[];
  partial: string;
  offset: number;
  costUsd: number;
  lapsUnpriced: number;
}

export interface Said {
  readonly tenant: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly ts: number;
  readonly role: "user" | "assistant";
  readonly text: string;
}

export function memoryState(): MemoryState {
  return { sessions: new Map(), chats: new Map(), runs: [], said: [], trees: new Map(), usage: [] };
}

/** Neither part can hold a blank, so two pairs never share a key. */
export function keyOf(tenant: string, id: string): string {
  return `${tenant} ${id}`;
}

/** As it would come back from a database: what is undefined is gone, and nobody else holds a part of it. */
export function copied<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
