import { failure, FailureError } from "@elwood/core/base/failure";
import type { Clock, ToolOutcome } from "@elwood/runtime/ports/ports";
import { withWritePoints } from "@elwood/runtime/ports/write-points";
import type { ManualClock } from "./manual-clock.ts";
import type { ProgramTrial, WatchedSandbox } from "./program-trial.ts";
import { makeProcess, TENANT, type Process, type World } from "./program-world.ts";

export const CALL = "call_a";
export const RUN = "run";
/** How much time passes at once. */
export const TIME_MS = 2_000;
const OWNER = { id: "owner", surface: "web" };

interface Handler {
  readonly label: string;
  readonly release: () => void;
}

/** One process. When it dies, nothing that it waits for ever comes. */
export class ProgramLife {
  readonly handlers: Handler[] = [];
  readonly #trial: ProgramTrial;
  readonly #controller = new AbortController();
  readonly #sandbox: WatchedSandbox;
  readonly #process: Process;
  outcome: ToolOutcome | undefined;
  sleeping = 0;
  moves = 0;
  dead = false;
  ended = false;
  #settled = false;

  constructor(
    trial: ProgramTrial,
    world: World,
    clock: ManualClock,
    begun: (write: string) => (moment: "before" | "after") => "fine" | "fail" | "die",
  ) {
    this.#trial = trial;
    const mine: Clock = { now: () => clock.now(), sleep: (ms, signal) => this.#sleep(clock, ms, signal) };
    this.#sandbox = trial.sandbox(mine);
    const strike = async (write: string, fate: "fine" | "fail" | "die"): Promise<void> => {
      if (fate === "fail") throw new FailureError(failure("STORAGE_FULL", `The disk is full (${write}).`));
      if (fate === "die") this.dead = true;
      if (this.dead) await never();
    };
    const { ledger, journal: programs, vault } = world;
    const parts = withWritePoints(
      { ledger, programs, vault },
      {
        read: (act) => this.#alive(act),
        write: async (name, act) => {
          if (this.dead) return never();
          const fate = begun(name);
          await strike(name, fate("before"));
          const value = await this.#alive(act);
          await strike(name, fate("after"));
          return value;
        },
      },
    );
    this.#process = makeProcess(world, this.#sandbox, {
      ledger: parts.ledger,
      journal: parts.programs,
      vault: parts.vault,
      clock: mine,
      gate: (toolId, input) => this.#handle(`${toolId} ${JSON.stringify(input)}`),
    });
  }

  get busy(): boolean {
    return !this.dead && this.#sandbox.busy;
  }

  get over(): boolean {
    return this.dead || this.#settled;
  }

  /** As a gateway starts, and takes the run up. */
  begin(): void {
    void this.#live().finally(() => (this.#settled = true));
  }

  async #live(): Promise<void> {
    const { gate } = this.#process;
    try {
      await gate.closeOrphanedCalls(TENANT, new Set([CALL])).catch((error: unknown) => {
        if (!(error instanceof FailureError)) throw error;
      });
      this.outcome = await this.#process.run(CALL, this.#trial.source, this.#controller);
      if (this.outcome.status === "deferred") return;
      if (this.#controller.signal.aborted) await this.#close();
    } catch (error) {
      // As the engine does: what cannot be stored ends the run, and the run's end closes its calls.
      if (!(error instanceof FailureError)) throw error;
      await this.#close();
    }
    this.ended = true;
  }

  async #close(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        const run = { runId: RUN, sessionId: "ses", surface: "test" };
        await this.#process.gate.closeRun(TENANT, { ...run, by: "gateway" });
        await this.#process.gate.closeOrphanedCalls(TENANT, new Set());
        return;
      } catch (error) {
        if (!(error instanceof FailureError) || tries > 10) throw error;
      }
    }
  }

  take(blow: "die" | "shutdown" | "stop" | "lose"): void {
    if (blow === "die") this.dead = true;
    else if (blow === "lose") this.#sandbox.lose();
    else if (blow === "shutdown") this.#controller.abort("shutdown");
    else this.#controller.abort({ stoppedBy: OWNER });
    // A handler that is told to stop may answer first.
    if (blow === "shutdown" || blow === "stop") for (const each of this.handlers.splice(0)) each.release();
  }

  answer(approvalId: string): void {
    this.#process.approvals
      .answer(TENANT, approvalId, OWNER, { decision: "once" })
      .catch((error: unknown) => {
        if (!(error instanceof FailureError)) throw error;
      });
  }

  /** Frees what it holds; nothing of that is heard. */
  bury(): void {
    this.dead = true;
    void this.#sandbox.close();
    this.#controller.abort("buried");
  }

  async #handle(label: string): Promise<void> {
    if (this.dead) return never();
    this.moves += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.handlers.push({ label, release: resolve });
    await promise;
    return this.dead ? never() : undefined;
  }

  async #sleep(clock: ManualClock, ms: number, signal?: AbortSignal): Promise<void> {
    const short = ms <= TIME_MS ? 1 : 0;
    this.sleeping += short;
    this.moves += 1;
    await clock.sleep(ms, signal);
    this.sleeping -= short;
    this.moves += 1;
    return this.dead ? never() : undefined;
  }

  async #alive<T>(act: () => Promise<T>): Promise<T> {
    if (this.dead) return never();
    this.moves += 1;
    const value = await act();
    return this.dead ? never() : value;
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
