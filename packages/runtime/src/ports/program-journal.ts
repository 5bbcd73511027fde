import type { CallResult } from "@elwood/core/tool/program";

/** A program as it began; what a re-execution starts from. */
export interface ProgramStart {
  /** The call that the program is. */
  readonly callId: string;
  readonly runId: string;
  readonly startedAt: number;
  /** For its chance, and for the hashes of what it asks for. */
  readonly seed: string;
  /** Types stripped, secrets as vault handles: an upgrade of Elwood in the middle changes nothing for it. */
  readonly javascript: string;
  readonly toolIds: readonly string[];
  readonly sourceHash: string;
  readonly declarationsHash: string;
}

/** Something the program asked for. */
export interface ProgramStep {
  /** Order of issue, from 0. */
  readonly index: number;
  readonly kind: "tool" | "sleep" | "search" | "describe";
  /** Over what was asked for, as it was asked for. */
  readonly requestHash: string;
  readonly at: number;
  /** How it was answered: `order` counts the answers from 0. */
  readonly settled?: { readonly order: number; readonly at: number; readonly result: CallResult };
}

/**
 * What a program asked for, and in which order it was answered. Calls themselves live in the
 * ledger; this is what it takes to run the program again and meet the same history.
 *
 * P1 What a promise wrote survives a pulled plug when it resolves.
 * P2 `begin` writes once; asked again it answers what was written then, with all steps.
 * P3 A step is intended once and settled once; a second try fails with CONFLICT.
 * P4 `order` has no gaps and no doubles.
 */
export interface ProgramJournal {
  begin(
    tenant: string,
    start: ProgramStart,
  ): Promise<{ readonly start: ProgramStart; readonly steps: readonly ProgramStep[] }>;
  find(
    tenant: string,
    callId: string,
  ): Promise<{ readonly start: ProgramStart; readonly steps: readonly ProgramStep[] } | undefined>;
  intend(tenant: string, callId: string, step: Omit<ProgramStep, "settled">): Promise<void>;
  settle(
    tenant: string,
    callId: string,
    settled: {
      readonly index: number;
      readonly order: number;
      readonly at: number;
      readonly result: CallResult;
    },
  ): Promise<void>;
  /** The program has ended: nothing of it is needed any more. */
  drop(tenant: string, callId: string): Promise<void>;
  /** Programs that are kept here, by their call. */
  held(tenant: string): Promise<readonly string[]>;
}
