import type { Verdict } from "@elwood/core/policy/policy";
import type { Clock, ToolOutcome } from "@elwood/runtime/ports/ports";
import type { Sandbox } from "@elwood/runtime/ports/sandbox";
import { ManualClock, nextEventLoopTurn } from "./manual-clock.ts";
import { ProgramLife, RUN, TIME_MS } from "./program-life.ts";
import { ALLOW, makeProcess, makeWorld, TENANT, type World } from "./program-world.ts";
import { ledgerProblems } from "./world-count.ts";

/** A sandbox that can tell when nothing moves in it, and can lose what it runs. */
export interface WatchedSandbox extends Sandbox {
  readonly busy: boolean;
  lose(): void;
}

export interface ProgramTrial {
  /** JavaScript. */
  readonly source: string;
  readonly sandbox: (clock: Clock) => WatchedSandbox;
  readonly verdict?: (toolId: string, input: unknown) => Verdict;
  /** Which of the things that may happen next does: a call that is under way answers, the owner decides, time passes. */
  choose?(options: readonly string[]): number;
  /** Asked at each write (counted from 0) of all processes, in order. */
  fate?(write: number, moment: "before" | "after"): "fine" | "fail" | "die";
  /** Asked whenever nothing moves any more, counted from 0. */
  blow?(step: number): "none" | "die" | "shutdown" | "stop" | "lose";
}

export interface ProgramTrialResult {
  readonly problems: readonly string[];
  /** What was changed in the world, sorted. */
  readonly world: readonly string[];
  readonly outcome: ToolOutcome | undefined;
  /** Of all processes. */
  readonly writes: readonly string[];
  readonly steps: number;
  readonly unknown: number;
  readonly deaths: number;
  readonly story: readonly string[];
}

const STEPS_MAX = 400;
const TURNS_MAX = 2_000;

/** One program, whatever befalls it, until it has an end; then its world is counted. */
export async function tryProgram(trial: ProgramTrial): Promise<ProgramTrialResult> {
  return new Trial(trial).run();
}

class Trial {
  readonly #trial: ProgramTrial;
  readonly #clock = new ManualClock();
  readonly #world: World;
  readonly #writes: string[] = [];
  readonly #story: string[] = [];
  #moves = 0;
  #steps = 0;
  #deaths = 0;

  constructor(trial: ProgramTrial) {
    this.#trial = trial;
    this.#world = makeWorld(this.#clock);
    this.#world.verdict = trial.verdict ?? (() => ALLOW);
  }

  async run(): Promise<ProgramTrialResult> {
    let outcome: ToolOutcome | undefined;
    for (let ended = false; !ended && this.#steps < STEPS_MAX;) {
      const life = new ProgramLife(this.#trial, this.#world, this.#clock, (write) => this.#strike(write));
      await this.#live(life);
      if (life.dead) this.#deaths += 1;
      outcome = life.outcome;
      ended = life.ended;
      life.bury();
    }
    // What a full disk kept from being removed is removed at the next start.
    const failed = this.#story.some((each) => each.startsWith("fail "));
    if (failed) {
      const { gate } = makeProcess(this.#world, this.#trial.sandbox(this.#clock));
      await gate.closeOrphanedCalls(TENANT, new Set());
    }
    const { problems, unknown } = await this.#count();
    if (this.#steps >= STEPS_MAX) problems.push("it did not come to an end");
    return {
      problems,
      unknown,
      outcome,
      world: this.#effects()
        .map(({ toolId, input }) => `${toolId} ${JSON.stringify(input)}`)
        .toSorted(),
      writes: this.#writes,
      steps: this.#steps,
      deaths: this.#deaths,
      story: this.#story,
    };
  }

  async #live(life: ProgramLife): Promise<void> {
    life.begin();
    while (!life.over && this.#steps < STEPS_MAX) {
      await this.#quiet(life);
      if (life.over) return;
      const blow = this.#trial.blow?.(this.#steps) ?? "none";
      this.#steps += 1;
      if (blow === "none") await this.#act(life);
      else {
        this.#story.push(blow);
        life.take(blow);
      }
    }
  }

  /** Until nothing moves any more. */
  async #quiet(life: ProgramLife): Promise<void> {
    for (let still = 0, turns = 0; still < 3 && turns < TURNS_MAX; turns++) {
      const before = this.#moves + life.moves;
      await nextEventLoopTurn();
      still = before === this.#moves + life.moves && !life.busy ? still + 1 : 0;
    }
  }

  async #act(life: ProgramLife): Promise<void> {
    const pending = await this.#world.ledger.approvals(TENANT, { status: "pending", limit: 50 });
    const asks = pending.filter(({ card }) => card.kind === "approval");
    const options = [
      ...life.handlers.map(({ label }) => label),
      ...asks.map(({ toolId, card }) => `answer ${toolId} ${JSON.stringify(card.input)}`),
      ...(life.sleeping > 0 ? ["time"] : []),
    ];
    if (options.length === 0) options.push("time");
    const at = this.#trial.choose?.(options) ?? 0;
    this.#story.push(options[at]!);
    if (options[at] === "time") await this.#clock.advance(TIME_MS);
    else if (at < life.handlers.length) life.handlers.splice(at, 1)[0]!.release();
    else life.answer(asks[at - life.handlers.length]!.id);
  }

  /** A write begins; what becomes of it before and after it is done. */
  #strike(write: string): (moment: "before" | "after") => "fine" | "fail" | "die" {
    const nth = this.#writes.push(write) - 1;
    return (moment) => {
      this.#moves += 1;
      const fate = this.#trial.fate?.(nth, moment) ?? "fine";
      if (fate !== "fine") this.#story.push(`${fate} ${moment} ${write}`);
      return fate;
    };
  }

  #effects() {
    const { effects } = this.#world;
    const acted = effects.filter(({ toolId }) => toolId !== "notes.note.read");
    // What failed says that it did nothing.
    return acted.filter(({ input }) => !JSON.stringify(input).includes('"fail"'));
  }

  async #count(): Promise<{ problems: string[]; unknown: number }> {
    const { ledger, journal, vault } = this.#world;
    const effects = this.#effects().map((each) => ({ ...each, callId: each.key.replace(/^elwood-/, "") }));
    const counted = { tenant: TENANT, ledger, effects, idempotent: new Set<string>() };
    const { problems, calls } = await ledgerProblems(counted, [RUN]);
    const unknown = calls.filter(({ state }) => state === "unknown");
    const pending = await ledger.approvals(TENANT, { status: "pending", limit: 50 });
    for (const { callId } of unknown)
      if (pending.filter((each) => each.callId === callId && each.card.kind === "settle").length !== 1)
        problems.push(`the owner is not asked once about ${callId}, which is unknown`);
    for (const callId of await journal.held(TENANT)) problems.push(`the journal of ${callId} is still there`);
    for (const callId of await vault.held(TENANT)) problems.push(`the vault still holds ${callId}`);
    return { problems, unknown: unknown.length };
  }
}
