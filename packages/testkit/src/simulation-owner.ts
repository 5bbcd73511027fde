import type { Approval } from "@elwood/core/policy/approval";
import { FailureError } from "@elwood/core/base/failure";
import type { Person } from "@elwood/runtime/ports/ports";
import { fixedId } from "./fixed-ids.ts";
import { fromOwner } from "./principals.ts";
import { TENANT, type SimulatedProcess, type SimulatedWorld } from "./simulation-process.ts";

export const SESSIONS = 3;
const MESSAGES_MAX = 6;

/** The owner, at every surface at once: sends, decides, decides again, stops, takes back. Waits for nothing. */
export class SimulatedOwner {
  /** Runs whose acceptance was told. */
  readonly runs: string[] = [];
  readonly #heard: { id: string; status: Approval["status"]; note: string | undefined }[] = [];
  readonly #world: SimulatedWorld;
  readonly #process: () => SimulatedProcess;
  #messages = 0;

  constructor(world: SimulatedWorld, process: () => SimulatedProcess) {
    this.#world = world;
    this.#process = process;
  }

  send(): void {
    if (this.#messages >= MESSAGES_MAX) return;
    const n = (this.#messages += 1);
    const sessionId = fixedId("session", 1 + Math.floor(this.#world.chance() * SESSIONS));
    this.#world.story.push(`message ${n} to ${sessionId.slice(-1)}`);
    const { engine } = this.#process();
    this.#try("send", async () => {
      const parts = [{ kind: "text" as const, text: `do ${n}`, origin: "owner" as const }];
      const { run } = await engine.submit({ ...fromOwner(TENANT), sessionId, parts, surface: "web" });
      this.runs.push(run.id);
      engine.start(TENANT, run);
    });
  }

  async answerOne(): Promise<void> {
    const pending = await this.#world.ledger.approvals(TENANT, { status: "pending", limit: 50 });
    if (pending.length > 0) this.decide(this.#pick(pending));
  }

  /** From whichever surface; now and then from two at once. */
  decide(approval: Approval): void {
    const times = this.#world.chance() < 0.2 ? 2 : 1;
    for (let i = 0; i < times; i++) {
      const luck = this.#world.chance();
      const person: Person = { id: "owner", surface: this.#pick(["web", "cli", "telegram"]) };
      const { approvalService } = this.#process();
      const { id, card } = approval;
      if (card.kind !== "approval") {
        const answer = card.options ? this.#truth(approval) : "Tuesday";
        this.#hear(`answer ${id}`, () => approvalService.reply(TENANT, id, person, answer));
      } else if (luck < 0.25)
        this.#hear(`deny ${id}`, () => approvalService.deny(TENANT, id, person, "not now"));
      else if (luck < 0.4) {
        const input = { edited: Math.floor(luck * 1_000_000), key: "secret-7" };
        this.#hear(`edit ${id}`, () =>
          approvalService.allow(TENANT, id, person, { decision: "once", input }),
        );
      } else {
        const decision = luck > 0.9 && card.decisions.includes("window") ? "window" : "once";
        const window = { minutes: 15, scope: "tool" as const };
        this.#hear(`${decision} ${id}`, () =>
          approvalService.allow(TENANT, id, person, { decision, window }),
        );
      }
    }
  }

  /** The owner looks, and says what became of a call in doubt. */
  #truth({ callId }: Approval): string {
    return this.#world.effects.some((effect) => effect.callId === callId) ? "happened" : "did-not-happen";
  }

  /** A late, repeated or invented answer. */
  async answerAgain(): Promise<void> {
    const person = { id: "owner", surface: "late" };
    const { approvalService } = this.#process();
    const all = await this.#world.ledger.approvals(TENANT, { limit: 100 });
    const decided = all.filter((each) => each.status !== "pending" && each.card.kind === "approval");
    if (decided.length === 0) {
      const stranger = fixedId("approval", 900_000);
      this.#hear(
        "approve a stranger",
        () => approvalService.allow(TENANT, stranger, person, { decision: "once" }),
        true,
      );
      return;
    }
    const { id } = this.#pick(decided);
    const late = this.#world.chance() < 0.5;
    this.#hear(`again ${id}`, () =>
      late
        ? approvalService.allow(TENANT, id, person, { decision: "once" })
        : approvalService.deny(TENANT, id, person, undefined),
    );
  }

  async abort(): Promise<void> {
    const runs = await this.#world.stores.runs.unfinished(TENANT);
    if (runs.length === 0) return;
    const { id } = this.#pick(runs);
    const { engine } = this.#process();
    this.#world.story.push(`abort ${id}`);
    this.#try("abort", () => engine.abort(TENANT, id, { id: "owner", surface: "web" }));
  }

  async undo(): Promise<void> {
    const calls = (
      await Promise.all(this.runs.map((id) => this.#world.ledger.callsOfRun(TENANT, id)))
    ).flat();
    const done = calls.filter(
      (call) => call.toolId === "sim.undo.do" && call.state === "succeeded" && !call.undoes,
    );
    if (done.length === 0) return;
    const { callId, runId, sessionId } = this.#pick(done);
    const { gate } = this.#process();
    const context = {
      tenant: TENANT,
      sessionId,
      runId,
      surface: "cli",
      signal: new AbortController().signal,
      entered: () => undefined,
      progress: () => undefined,
      started: () => undefined,
      waiting: () => undefined,
    };
    this.#world.story.push(`undo ${callId}`);
    for (let i = this.#world.chance() < 0.3 ? 2 : 1; i > 0; i--)
      this.#try("undo", () => gate.undo(TENANT, callId, context, { id: "owner", surface: "cli" }));
  }

  async revoke(): Promise<void> {
    const grants = await this.#world.ledger.grants(TENANT, { live: true, at: this.#world.clock.now() });
    if (grants.length === 0) return;
    const { id } = this.#pick(grants);
    const { approvalService } = this.#process();
    this.#world.story.push(`revoke ${id}`);
    this.#try("revoke", () => approvalService.revoke(TENANT, id, { id: "owner", surface: "web" }));
  }

  #hear(what: string, ask: () => Promise<Approval>, mustFail = false): void {
    this.#world.story.push(what);
    this.#try(what, async () => {
      const { id, status, note } = await ask();
      this.#heard.push({ id, status, note });
      if (mustFail) this.#world.problems.push(`W4 ${what} was accepted`);
    });
  }

  /** What a client asks for may be refused, in words; anything else thrown is a fault of ours. */
  #try(what: string, ask: () => Promise<unknown>): void {
    ask().catch((error: unknown) => {
      if (!(error instanceof FailureError)) this.#world.problems.push(`${what} threw ${String(error)}`);
    });
  }

  /** What was told of a decision holds for ever. */
  async brokenWords(): Promise<string[]> {
    const broken: string[] = [];
    for (const { id, status, note } of this.#heard) {
      const now = await this.#world.ledger.approval(TENANT, id);
      if (now?.status !== status || now.note !== note)
        broken.push(`W4 ${id} was told to be ${status} (${note}), and is ${now?.status} (${now?.note})`);
    }
    return broken;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#world.chance() * from.length)]!;
  }
}
