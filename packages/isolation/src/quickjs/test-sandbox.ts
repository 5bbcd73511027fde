import { PROGRAM_LIMITS, type CallResult, type ProgramLimits } from "@elwood/core/tool/program";
import type { Log } from "@elwood/runtime/ports/ports";
import type {
  ConsoleLine,
  ProgramCall,
  ProgramControls,
  ProgramEnding,
  ProgramHost,
  Sandbox,
} from "@elwood/runtime/ports/sandbox";

export const STARTED_AT = Date.UTC(2026, 10, 15, 9, 0, 0);
export const TOOL_IDS = ["files.file.read", "files.file.write", "mail.message.send", "mail.draft.send"];

export const quietLog: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

export interface TrialOptions {
  readonly limits?: Partial<ProgramLimits>;
  readonly toolIds?: readonly string[];
  readonly seed?: string;
  readonly timeZone?: string;
  readonly signal?: AbortSignal;
  /** What a call is answered with at once; undefined leaves it open. */
  readonly answer?: ((call: ProgramCall) => CallResult | undefined) | undefined;
}

/** A program under way, with all that its host heard. */
export class Trial implements ProgramHost {
  readonly calls: ProgramCall[] = [];
  readonly lines: ConsoleLine[] = [];
  readonly ending: Promise<ProgramEnding>;
  readonly #answer: (call: ProgramCall) => CallResult | undefined;
  readonly #watchers = new Set<() => void>();
  controls!: ProgramControls;

  constructor(sandbox: Sandbox, source: string, options: TrialOptions = {}) {
    this.#answer = options.answer ?? ((call) => ({ ok: true, value: { n: call.index } }));
    const {
      toolIds = TOOL_IDS,
      seed = "seed",
      timeZone = "UTC",
      signal = new AbortController().signal,
    } = options;
    const limits = { ...PROGRAM_LIMITS, ...options.limits };
    this.ending = sandbox.run(
      { source, toolIds, startedAt: STARTED_AT, timeZone, seed, limits },
      this,
      signal,
    );
  }

  begin(controls: ProgramControls): void {
    this.controls = controls;
  }

  call(call: ProgramCall): void {
    this.calls.push(call);
    const result = this.#answer(call);
    if (result !== undefined) this.settle(call.index, result);
    for (const watcher of this.#watchers) watcher();
  }

  line(line: ConsoleLine): void {
    this.lines.push(line);
  }

  /** Each call takes a second of the program's time. */
  settle(index: number, result: CallResult = { ok: true, value: { n: index } }): boolean {
    return this.controls.settle(index, result, STARTED_AT + 1_000 * (index + 1));
  }

  /** Resolves once so many calls were made. */
  async untilCalls(count: number): Promise<void> {
    while (this.calls.length < count) {
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
      this.#watchers.clear();
    }
  }

  /** What it returned; a failure is thrown, so that a test shows it. */
  async value(): Promise<unknown> {
    const { outcome } = await this.ending;
    if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
    return outcome.value;
  }

  /** The word it failed with, or "returned". */
  async code(): Promise<string> {
    const { outcome } = await this.ending;
    return outcome.ok ? "returned" : outcome.error.code;
  }
}
