import { SANDBOX_LIMITS, type SandboxLimits } from "@elwood/core/tool/program";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { ProgramEnding, ProgramHost, Sandbox, SandboxProgram } from "@elwood/runtime/ports/sandbox";
import { readChildCode, type ChildCode } from "./child-code.ts";
import { processUsage, type ProcessUsage } from "./process-usage.ts";
import { ProgramRun } from "./program-run.ts";
import { SandboxProcess } from "./sandbox-process.ts";

export interface SandboxOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<SandboxLimits>;
  /** What a process has computed, if the system is not to be asked: for tests. */
  readonly usage?: (pid: number) => ProcessUsage | undefined;
  /** What runs in the processes, if it is not ours: for tests. */
  readonly entry?: URL;
}

/**
 * Processes for programs: started on first use, shared when all are busy, gone after a
 * minute without work, replaced when they break. A program goes to a process of its own
 * as long as there may be another one, so that one which computes holds up no other.
 */
export class SandboxPool implements Sandbox {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: SandboxLimits;
  readonly #usage: (pid: number) => ProcessUsage | undefined;
  readonly #entry: URL | undefined;
  readonly #processes = new Set<SandboxProcess>();
  readonly #runs = new Set<ProgramRun>();
  readonly #closed = new AbortController();
  #code: ChildCode | undefined;
  /** Processes that broke in a row, with no program between that came to its own end. */
  #broken = 0;

  constructor({ clock, log, limits, usage, entry }: SandboxOptions) {
    this.#usage = usage ?? processUsage;
    this.#clock = clock;
    this.#log = log;
    this.#entry = entry;
    this.#limits = { ...SANDBOX_LIMITS, ...limits };
  }

  /** Ids of the processes there are now, for whoever measures or looks after them. */
  get pids(): number[] {
    return [...this.#processes].flatMap(({ pid }) => pid ?? []);
  }

  async run(program: SandboxProgram, host: ProgramHost, signal: AbortSignal): Promise<ProgramEnding> {
    const run = new ProgramRun(program, host, signal, this.#clock);
    this.#runs.add(run);
    const { sourceBytes } = program.limits;
    if (this.#closed.signal.aborted) unavailable(run, "The gateway is stopping.");
    else if (Buffer.byteLength(program.source) > sourceBytes) {
      run.fail("program.source_limit", `The program is longer than ${sourceBytes} bytes. Nothing ran.`);
    } else void this.#place(run);
    try {
      const ending = await run.ending;
      if (ending.outcome.ok || !ending.outcome.error.rerun) this.#broken = 0;
      return ending;
    } finally {
      this.#runs.delete(run);
    }
  }

  close(): Promise<void> {
    this.#closed.abort();
    for (const run of this.#runs) {
      run.fail("program.stopped", "The gateway is stopping. Calls that were made stand; no other was made.", {
        rerun: true,
      });
    }
    for (const each of this.#processes) each.kill("the gateway is stopping", "gateway");
    return Promise.resolve();
  }

  async #place(run: ProgramRun): Promise<void> {
    for (let attempt = 1; attempt <= this.#limits.startAttempts; attempt++) {
      const known = this.#choose();
      if (known === "full") {
        unavailable(run, "As many programs run as may run at once.");
        return;
      }
      if (known === undefined) await this.#clock.sleep(this.#backoffMs(), run.over);
      if (run.over.aborted) return;
      const process = known ?? this.#chooseOrStart();
      if (process !== undefined && process !== "full" && (await process.admit(run))) return;
    }
    unavailable(run, "No process could be started for it.");
  }

  #chooseOrStart(): SandboxProcess | "full" | undefined {
    try {
      return this.#choose("start");
    } catch (error) {
      this.#broken++;
      this.#log.error("no sandbox process can be started", { error });
      return undefined;
    }
  }

  /** A process with room; undefined where one should be started first. */
  #choose(start?: "start"): SandboxProcess | "full" | undefined {
    const { processes, programsPerProcess } = this.#limits;
    const there = [...this.#processes].toSorted((a, b) => a.load - b.load);
    const [least] = there;
    if (least?.load === 0) return least;
    if (there.length < processes) return start ? this.#start() : undefined;
    return least !== undefined && least.load < programsPerProcess ? least : "full";
  }

  #start(): SandboxProcess {
    const process = new SandboxProcess({
      clock: this.#clock,
      limits: this.#limits,
      usage: this.#usage,
      code: (this.#code ??= readChildCode(this.#entry)),
      onGone: ({ why, by }) => {
        this.#processes.delete(process);
        if (by === "gateway") return;
        if (by === "itself") this.#broken++;
        this.#log.warn("a sandbox process is gone", { why, pid: process.pid, inARow: this.#broken });
      },
    });
    this.#processes.add(process);
    return process;
  }

  #backoffMs(): number {
    const { backoffMs, backoffMaxMs } = this.#limits;
    return this.#broken < 2 ? 0 : Math.min(backoffMs * 2 ** (this.#broken - 2), backoffMaxMs);
  }
}

function unavailable(run: ProgramRun, why: string): void {
  run.fail("program.unavailable", `The program was not begun. ${why}`, { rerun: true });
}
