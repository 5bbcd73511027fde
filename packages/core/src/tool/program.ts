/**
 * How far one program may go. Every one of these is enforced outside the program: what it
 * catches, overwrites or loops around changes nothing.
 */
export interface ProgramLimits {
  /** Time in which the program itself computes; waiting for calls is not counted. */
  readonly cpuMs: number;
  /** From start to end, without the time in which a person is waited for. */
  readonly wallMs: number;
  readonly memoryBytes: number;
  /** Calls in all, sleeps and searches among them. */
  readonly calls: number;
  /** Calls under way at once. More may be made; they are begun as others end. */
  readonly concurrentCalls: number;
  /** One call's input as JSON. */
  readonly argumentBytes: number;
  /** How deep objects and lists of one input may be nested. */
  readonly argumentDepth: number;
  /** One call's result as JSON. */
  readonly resultBytes: number;
  /** What the program returns, as JSON. */
  readonly outputBytes: number;
  /** Lines beyond these are dropped, and their number is told; longer ones are cut. */
  readonly consoleLines: number;
  readonly consoleLineChars: number;
  readonly sourceBytes: number;
}

export const PROGRAM_LIMITS: ProgramLimits = {
  cpuMs: 5_000,
  wallMs: 10 * 60_000,
  memoryBytes: 64 * 1024 * 1024,
  calls: 256,
  concurrentCalls: 32,
  argumentBytes: 1024 * 1024,
  argumentDepth: 64,
  resultBytes: 4 * 1024 * 1024,
  outputBytes: 1024 * 1024,
  consoleLines: 200,
  consoleLineChars: 2_000,
  sourceBytes: 256 * 1024,
};

/** The processes that programs run in. */
export const SANDBOX_LIMITS = {
  processes: 2,
  programsPerProcess: 16,
  /** A process without programs leaves after this. */
  idleMs: 60_000,
  startMs: 15_000,
  /** Tries to have a process for a program. */
  startAttempts: 3,
  /** After a second process in a row broke, the next one waits this long, then twice as long, and so on. */
  backoffMs: 250,
  backoffMaxMs: 30_000,
  /** On top of the program's own CPU time: then a process that does not answer is killed. */
  graceMs: 5_000,
  /** On top of that, as long as it did not compute that much only because the machine had no processor for it. */
  starvedMs: 60_000,
  /** One message of a process to the gateway, above what a program's limits allow it to hold. */
  frameHeadBytes: 64 * 1024,
} as const;

export type SandboxLimits = { readonly [K in keyof typeof SANDBOX_LIMITS]: number };

/** Why a program did not return. Closed, and stable: receipts and the model see these words. */
export const PROGRAM_ERRORS = [
  // of its own making
  "program.syntax",
  "program.threw",
  /** Something that nobody awaited failed. */
  "program.unhandled_rejection",
  /** It waits for something that nothing can bring about any more. */
  "program.stuck",
  /** What it returned is no JSON. */
  "program.bad_output",
  // limits
  "program.cpu_limit",
  "program.wall_limit",
  "program.memory_limit",
  "program.stack_limit",
  "program.calls_limit",
  "program.argument_limit",
  "program.result_limit",
  "program.output_limit",
  "program.source_limit",
  /** It drove its engine into a fault. The engine is dropped; nothing outside it was reached. */
  "program.engine_fault",
  /** It went around `tools` and asked for a call that does not exist. */
  "program.forged_call",
  // what happened around it
  /** The signal was raised: the owner stopped it, or it was paused. */
  "program.stopped",
  /** It computed without a break for so long that its process was ended. */
  "program.unresponsive",
  /** Its process ended under it. */
  "program.lost",
  /** No process could be had for it; nothing ran. */
  "program.unavailable",
] as const;

export type ProgramErrorCode = (typeof PROGRAM_ERRORS)[number];

export interface ProgramError {
  readonly code: ProgramErrorCode;
  /** For a person, and for the model. Never a path or a stack of the gateway's. */
  readonly message: string;
  /** Where in the source, counted from 1, if it is known. */
  readonly line?: number;
  readonly column?: number;
  /** The program did nothing to cause this; running it again from its journal may succeed. */
  readonly rerun: boolean;
}

/** What a call gives the program: plain data, made anew inside the sandbox. */
export type CallResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: CallError };

export interface CallError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly status: "failed" | "denied" | "expired" | "unknown" | "invalid";
}
