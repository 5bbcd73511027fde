import type { CallResult, ProgramError, ProgramLimits } from "@elwood/core/tool/program";
import type { Result } from "@elwood/core/base/result";

/**
 * Runs programs that a model wrote, each on an engine of its own that holds nothing of the
 * host.
 *
 * B1 A program's doings are a function of its source, tools, start and seed, and of the
 *    settlements in their order: time passes only with them (`at`), chance comes from the
 *    seed, and between two of them the program runs until it can do no more. The same
 *    settlements in the same order make the same calls with the same inputs.
 * B2 `call` is heard in order of issue, `index` counting from 0. At most
 *    `limits.concurrentCalls` are open; further ones are held back and come as others
 *    settle, which is a function of the settlements too.
 * B3 Once the signal is raised, a limit is reached or the process is gone, no call and no
 *    line of that program reaches the host any more. A program cannot notice, catch or
 *    outlive it: nothing is thrown into it, it is simply not continued.
 * B4 A program is over when it has returned (or thrown) and none of its tool calls is
 *    open. So the loser of a race is waited for, and what it leads to still happens;
 *    sleeps keep nothing alive.
 * B5 `run` never rejects for what a program did. It rejects only if the host itself throws.
 */
export interface Sandbox {
  run(program: SandboxProgram, host: ProgramHost, signal: AbortSignal): Promise<ProgramEnding>;
  /** Ends all that runs (`program.stopped`) and all processes. Later runs are `program.unavailable`. */
  close(): Promise<void>;
}

export interface SandboxProgram {
  /** JavaScript, types already stripped: the body of an async function; `return` gives the result. */
  readonly source: string;
  /** What exists under `tools`, by the names in core/tool/tool-names.ts. */
  readonly toolIds: readonly string[];
  /** Where the program's clock stands at first, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Whose wall clock `Date` and `now` show, IANA. */
  readonly timeZone: string;
  /** Any text; the same text gives the same `Math.random`. */
  readonly seed: string;
  readonly limits: ProgramLimits;
}

export interface ProgramCall {
  /** Order of issue, from 0. */
  readonly index: number;
  readonly what: ProgramRequest;
}

export type ProgramRequest =
  | { readonly kind: "tool"; readonly toolId: string; readonly input: unknown }
  /** `sleep(ms)`: to be settled once that much time has passed. */
  | { readonly kind: "sleep"; readonly ms: number }
  /** `tools.search(query)` and `tools.describe(name)`: to be settled with a CallResult, as a tool's call is. */
  | { readonly kind: "search" | "describe"; readonly input: unknown };

/** The program's surroundings. None of these may wait: they note what is asked, and settle it through `controls` later, or at once. */
export interface ProgramHost {
  /** Once, before anything runs. */
  begin(controls: ProgramControls): void;
  call(call: ProgramCall): void;
  /** A line of `console`. On a re-execution the lines come again, with the same numbers. */
  line(line: ConsoleLine): void;
}

export interface ConsoleLine {
  /** From 0. */
  readonly number: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly text: string;
}

export interface ProgramControls {
  /**
   * Ends an open call. Time in the program moves on to `at` (never back). Settlements are
   * worked off one by one in the order of these calls. A sleep is settled with any
   * success. False, and without effect, if the call is not open or the program is over.
   */
  settle(index: number, result: CallResult, at: number): boolean;
  /** A person is waited for; while any hold stands, wall time does. Answers the release, which works once. */
  hold(): () => void;
}

export interface ProgramEnding {
  /** What the program returned (undefined where it returned nothing), as plain data, or why it did not. */
  readonly outcome: Result<unknown, ProgramError>;
  /** Calls that were handed to the host and not settled. They may still be under way there. */
  readonly open: readonly number[];
  /** How many tool calls were not yet settled when the program had returned. */
  readonly detached: number;
  readonly spent: {
    readonly cpuMs: number;
    readonly calls: number;
    readonly lines: number;
    readonly linesDropped: number;
  };
}
