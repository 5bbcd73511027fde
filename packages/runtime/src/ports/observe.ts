import type { Block, Message, Usage } from "@elwood/core/message/message";
import type { Handover, ModelRef } from "@elwood/core/model/model";

/** A request to a model that has ended. */
export interface ModelFact {
  readonly kind: "model";
  readonly tenant: string;
  /** The run or the execution that it belongs to. */
  readonly runId: string;
  readonly operation: "chat" | "embed";
  readonly asked: ModelRef;
  readonly answered: ModelRef;
  readonly profile?: string;
  readonly startedAt: number;
  /** When the first of its text came; absent where none did. */
  readonly firstTextAt?: number;
  readonly endedAt: number;
  readonly outcome: "done" | "failed" | "cancelled";
  /** The code of the failure. */
  readonly reason?: string;
  readonly stopReason?: string;
  readonly usage?: Usage;
  readonly maxOutputTokens?: number;
  /** What was asked and answered; only for those who may see it. */
  readonly messages?: readonly Message[];
  readonly blocks?: readonly Block[];
}

/** A request failed and is sent again, the same way or another. */
export interface RetryFact {
  readonly kind: "retry";
  readonly tenant: string;
  readonly runId: string;
  readonly model: ModelRef;
  readonly reason: string;
  readonly attempt: number;
  readonly delayMs: number;
  readonly handover?: Handover;
}

export interface CallFact {
  readonly kind: "call";
  readonly tenant: string;
  readonly runId: string;
  readonly callId: string;
  readonly toolId: string;
  readonly outcome: "succeeded" | "failed" | "unknown" | "denied" | "expired" | "refused";
  /** Absent where it never started. */
  readonly startedAt?: number;
  readonly endedAt: number;
  /** Who decided, where it was denied. */
  readonly by?: string;
}

export interface RunFact {
  readonly kind: "run";
  readonly tenant: string;
  readonly runId: string;
  readonly sessionId: string;
  readonly surface: string;
  readonly status: string;
  readonly startedAt?: number;
  readonly endedAt: number;
}

export type Observed = ModelFact | RetryFact | CallFact | RunFact;

/** Told of what happened; nothing that runs depends on it, and it never throws. */
export type Observe = (fact: Observed) => void;
