import type { Result } from "@elwood/core/base/result";
import type { NewReceiptOf } from "@elwood/core/receipts/receipt";
import type { DryRunGaps, DryRunSeed, PlannedCall } from "@elwood/core/tool/plan";
import type { CallRow, Ending, ToolSnapshot } from "./gate-ports.ts";
import type { ToolCallContext } from "./ports.ts";

/** Programs, as the gate uses them; everything is asynchronous, so that they can be loaded with the first program. */
export interface ProgramRunner {
  /** Checks a program against the tools it may use; the error is for the model. Nothing runs. */
  check(source: string, toolSnapshot: ToolSnapshot): Promise<Result<CheckedProgram, string>>;
  /** Returns undefined if Elwood is stopping; the program resumes from its journal at the next start. */
  run(
    row: CallRow,
    toolSnapshot: ToolSnapshot,
    context: ToolCallContext,
    callPort: ProgramCallPort,
    /** How far its dry run got, if the owner allowed the plan. */
    seen?: DryRunSeed,
  ): Promise<ProgramEnd | undefined>;
  /** Runs a program to see what it would ask for; only reads that need no approval are made. */
  dryRun(
    checked: CheckedProgram,
    callId: string,
    toolSnapshot: ToolSnapshot,
    context: ToolCallContext,
    callPort: ProgramCallPort,
    readsBefore: number,
  ): Promise<DryRunResult>;
  /** Called once a program's end is recorded. What cannot be removed now is removed at the next start. */
  drop(tenant: string, callId: string): Promise<void>;
  /** After a start: drops the journals of programs that nobody will resume. */
  sweep(tenant: string, open: ReadonlySet<string>): Promise<void>;
}

/** A program that may run: types checked and stripped. */
export interface CheckedProgram {
  readonly javascript: string;
  readonly sourceHash: string;
  /** Of the declarations it was checked against. */
  readonly declarationsHash: string;
}

/** How a program ended, and the receipts to write with that. */
export interface ProgramEnd {
  readonly ending: Ending;
  readonly receipts: readonly Pick<NewReceiptOf<"run.diverged">, "type" | "payload">[];
}

export interface DryRunResult {
  /** The calls the program would ask about, as far as the dry run got; in the rehearsal of a job, also those it would make unasked. */
  readonly items: readonly PlannedCall[];
  readonly seen: DryRunSeed;
  readonly unseen: DryRunGaps;
}

/** Makes a call through the gate and returns its row, or undefined if Elwood is stopping. */
export interface ProgramCallPort {
  make(
    call: { readonly callId: string; readonly toolId: string; readonly input: unknown },
    context: ToolCallContext,
  ): Promise<CallRow | undefined>;
}
