import type { FailureReason } from "@elwood/core/base/failure";
import type { Usage } from "@elwood/core/message/message";
import type { StopReason } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import type { Gate } from "./answers.ts";
import type { ManualClock } from "./manual-clock.ts";

/** A piece of an answer, in words that every provider's wire format can say in its own way. */
export type Said =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly tool: string; readonly input?: unknown; readonly json?: string }
  | { readonly image: Uint8Array }
  | { readonly wait: Gate }
  | { readonly unknownEvent: true };

/** How an answer ends, if not well. Those from `cut` on can come after some words. */
export type ContractFault =
  | Extract<
      FailureReason,
      | "AUTH"
      | "BILLING"
      | "RATE_LIMITED"
      | "OVERLOADED"
      | "CONTEXT_FULL"
      | "MODEL_UNKNOWN"
      | "BAD_REQUEST"
      | "REFUSED"
      | "UPSTREAM_ERROR"
    >
  | "cut"
  | "overloaded-after-200"
  | "bad-json"
  | "silence";

export interface ContractAnswer {
  readonly say?: readonly Said[];
  readonly stop?: StopReason;
  readonly usage?: Usage;
  readonly fault?: ContractFault;
  readonly retryAfterMs?: number;
}

/** One provider, and the hand on the other side of its wire. */
export interface ProviderHarness {
  readonly provider: ModelProvider;
  /** Answers for the next tries, in order. */
  will(...answers: ContractAnswer[]): void;
  /** Tries that reached the other side. */
  tries(): number;
  /** Resolves when so many have. */
  untilTries(count: number): Promise<void>;
  /** The provider hung up before its last try was answered whole. */
  abandoned(): boolean;
  /** All that went over the wire with the last try. */
  sent(): string;
  /** Throws where a try was malformed or unexpected, or an answer was not fetched. */
  assertDone(): void;
  close(): Promise<void>;
}

export type MakeHarness = (clock: ManualClock) => Promise<ProviderHarness>;

/** Fault texts of the other side must hold this; no message for people may. */
export const RAW_TEXT = "raw-words-of-the-provider";
/** What stands for signed or encrypted thinking: only the provider that made it may see it again, unchanged. */
export const OPAQUE_BYTES = "opaque-bytes-of-the-provider";
/** The key of the harness must end like this. */
export const CONTRACT_KEY = "sk-contract-0123456789abcdef-wxyz";

/** Opens a harness that is closed after the test; a clock on which pauses pass by themselves unless told. */
export type StartHarness = (clock?: ManualClock) => Promise<ProviderHarness>;

/** States one promise: a test, or a test skipped with its reason. */
export type StatePromise = (title: string, body: () => Promise<void>) => void;
