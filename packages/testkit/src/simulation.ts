import { loadGrounding } from "@elwood/runtime/run/check-reply";
import { isEnded } from "@elwood/core/message/session";
import { fixedId, seededRandom } from "./fixed-ids.ts";
import { nextEventLoopTurn } from "./manual-clock.ts";
import { mixed } from "./simulation-model.ts";
import { SESSIONS, SimulatedOwner } from "./simulation-owner.ts";
import {
  APPROVAL_MS,
  simulatedWorld,
  SimulatedProcess,
  TENANT,
  type SimulatedWorld,
} from "./simulation-process.ts";
import { IDEMPOTENT } from "./simulation-tools.ts";
import { worldProblems } from "./world-count.ts";

export interface SimulationResult {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly crashes: number;
  readonly faults: number;
  readonly effects: number;
  readonly calls: number;
  /** What was done, in order; the story of a failure. */
  readonly story: readonly string[];
}

const STEPS = 60;
const STOP_SECONDS_MAX = 15;
const DRAIN_ROUNDS_MAX = 400;

/**
 * One schedule, drawn from the seed alone: people approve, deny, edit, answer twice, stop
 * runs and take things back; time passes; the disk fails; the process dies at its writes
 * and starts again. In the end everything is let run out, and the world is counted.
 */
export async function simulate(seed: number): Promise<SimulationResult> {
  await loadAhead();
  return new Simulation(seed).run();
}

/** Loading a file takes as many turns as it takes: done before, the schedule alone decides what happens when. */
export async function loadAhead(): Promise<void> {
  await Promise.all([
    loadGrounding(),
    import("@elwood/runtime/run/attempt-run"),
    import("@elwood/core/request/read-request"),
  ]);
}

class Simulation {
  readonly #owner: SimulatedOwner;
  readonly #world: SimulatedWorld;
  readonly #chance: () => number;
  readonly #danger: number;
  #process: SimulatedProcess;
  #calm = false;
  #crashes = 0;
  #faults = 0;

  constructor(seed: number) {
    this.#chance = seededRandom(mixed(seed, "schedule"));
    for (let i = 0; i < 5; i++) this.#chance();
    this.#danger = this.#chance() * 0.05;
    this.#world = simulatedWorld({
      seed,
      chance: this.#chance,
      fate: (write, moment) => this.#fate(write, moment),
    });
    this.#process = new SimulatedProcess(this.#world);
    this.#owner = new SimulatedOwner(this.#world, () => this.#process);
  }

  async run(): Promise<SimulationResult> {
    const { stores, clock } = this.#world;
    for (let i = 1; i <= SESSIONS; i++) {
      const session = {
        id: fixedId("session", i),
        agentId: "assistant",
        title: "New session",
        at: clock.now(),
      };
      await stores.sessions.create(TENANT, session);
    }
    await this.#process.start();
    for (let step = 0; step < STEPS; step++) {
      await this.#act();
      await nextEventLoopTurn();
      if (this.#process.dead) await this.#restart("after a crash");
    }
    this.#calm = true;
    await this.#drain();
    // A quiet start finds nothing to do, and leaves nothing behind that a start should clear away.
    this.#process.kill();
    await this.#restart("once more");
    const result = await this.#result();
    this.#process.kill();
    return result;
  }

  #fate(write: string, moment: "before" | "after"): "fine" | "fail" | "die" {
    if (this.#calm || this.#chance() >= this.#danger) return "fine";
    const fate = this.#chance() < 0.4 ? "fail" : "die";
    this.#tell(`${fate} ${moment} ${write}`);
    if (fate === "fail") this.#faults += 1;
    return fate;
  }

  async #act(): Promise<void> {
    const luck = this.#chance();
    if (luck < 0.2) return this.#owner.send();
    if (luck < 0.5) return this.#owner.answerOne();
    if (luck < 0.56) return this.#owner.answerAgain();
    if (luck < 0.74) return this.#pass(this.#pick([1, 1_000, 3_000, 31_000, 33_000]));
    if (luck < 0.77) return this.#pass(APPROVAL_MS + 1);
    if (luck < 0.82) return this.#owner.abort();
    if (luck < 0.85) return this.#owner.undo();
    if (luck < 0.88) return this.#owner.revoke();
    if (luck < 0.92) return void (this.#world.version += 1);
    if (luck < 0.96) return this.#stop();
    this.#tell("killed");
    this.#process.kill();
  }

  async #pass(ms: number): Promise<void> {
    this.#tell(`${ms} ms pass`);
    await this.#world.clock.advance(ms);
  }

  /** As Ctrl-C does. */
  async #stop(): Promise<void> {
    this.#tell("stopped");
    const process = this.#process;
    void process.engine.stop().finally(() => process.kill());
    for (let i = 0; i < STOP_SECONDS_MAX && !process.dead; i++) await this.#world.clock.advance(1_000);
    process.kill();
  }

  async #restart(why: string): Promise<void> {
    for (let i = 0; this.#process.dead; i++) {
      this.#crashes += 1;
      this.#tell(`started ${why}`);
      this.#process = new SimulatedProcess(this.#world);
      await this.#process.start();
      await nextEventLoopTurn();
      if (i > 50) this.#calm = true;
    }
  }

  /** Nothing goes wrong any more: everything that waits is answered, and every run must end. */
  async #drain(): Promise<void> {
    this.#process.kill();
    await this.#restart("for the last time");
    const { stores, ledger } = this.#world;
    for (let round = 0; round < DRAIN_ROUNDS_MAX; round++) {
      const pending = await ledger.approvals(TENANT, { status: "pending", limit: 50 });
      for (const approval of pending) {
        const run = await stores.runs.get(TENANT, approval.runId);
        if (run && isEnded(run.status) && approval.card.kind !== "settle")
          this.#world.problems.push(`W4 ${approval.id} waits although ${run.id} has ended`);
        this.#owner.decide(approval);
      }
      await this.#world.clock.advance(1_000);
      await nextEventLoopTurn();
      const idle = this.#process.engine.runsActive === 0 && this.#process.engine.runsQueued === 0;
      if (idle && pending.length === 0 && (await stores.runs.unfinished(TENANT)).length === 0) return;
    }
    for (const run of await stores.runs.unfinished(TENANT)) {
      const calls = await ledger.callsOfRun(TENANT, run.id);
      this.#world.problems.push(
        `stuck: ${run.id} is ${run.status}; ${calls.map((c) => `${c.callId} ${c.toolId} ${c.state}`).join(", ")}`,
      );
    }
  }

  async #result(): Promise<SimulationResult> {
    const { seed, effects, problems, stores, ledger } = this.#world;
    const counted = await worldProblems({
      tenant: TENANT,
      stores,
      ledger,
      effects,
      idempotent: IDEMPOTENT,
    });
    const changed = await this.#owner.brokenWords();
    const known = new Set((await stores.runs.list(TENANT, { limit: 200 })).runs.map((run) => run.id));
    const lost = this.#owner.runs
      .filter((id) => !known.has(id))
      .map((id) => `W6 the accepted run ${id} is gone`);
    const kept = (await this.#world.vault.held(TENANT)).map(
      (callId) => `the vault still holds a secret of ${callId}`,
    );
    const calls = (await Promise.all([...known].map((id) => ledger.callsOfRun(TENANT, id)))).flat().length;
    return {
      seed,
      problems: [...problems, ...counted, ...changed, ...lost, ...kept],
      crashes: this.#crashes,
      faults: this.#faults,
      effects: effects.length,
      calls,
      story: this.#world.story,
    };
  }

  #tell(what: string): void {
    this.#world.story.push(what);
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#chance() * from.length)]!;
  }
}
