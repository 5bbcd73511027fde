import type { Message } from "@elwood/core/message/message";
import type { Session, SessionSettings } from "@elwood/core/message/session";

/** A run of another session, with the messages that are copied. */
export interface CopiedRun {
  readonly runId: string;
  readonly messages: readonly Message[];
}

export interface NewFork {
  readonly id: string;
  readonly from: Pick<Session, "id" | "agentId"> & SessionSettings;
  /** The run up to which it was copied, or before which it was cut. */
  readonly atRun: string;
  readonly title: string;
  readonly titledBy: Session["titledBy"];
  readonly runs: readonly CopiedRun[];
  readonly at: number;
}

/**
 * Copies of sessions.
 *
 * F1 `begin` is durable before the copy's file is written, `finish` after: a crash in between
 *    leaves no session, and a note by which `abandoned` finds the file.
 * F2 `finish` makes the session, its searchable text and the owner's words at once, or nothing.
 */
export interface ForkStore {
  begin(tenant: string, sessionId: string, at: number): Promise<void>;
  finish(tenant: string, fork: NewFork): Promise<Session>;
  /** Copies that were begun before a moment and never finished. */
  abandoned(tenant: string, before: number): Promise<readonly string[]>;
  /** Their file is gone. */
  forget(tenant: string, sessionId: string): Promise<void>;
}
