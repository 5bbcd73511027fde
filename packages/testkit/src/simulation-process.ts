import { createHash } from "node:crypto";
import { findGrant } from "@elwood/core/policy/grant";
import { failure, FailureError } from "@elwood/core/base/failure";
import { RUN_LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { ok } from "@elwood/core/base/result";
import { Engine } from "@elwood/runtime/run/engine";
import { ApprovalService } from "@elwood/runtime/gate/approval-service";
import { Approvals } from "@elwood/runtime/gate/approvals";
import { Gate } from "@elwood/runtime/gate/gate";
import type { Ledger, RegisteredTool, Vault } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Stores } from "@elwood/runtime/ports/ports";
import { withWritePoints } from "@elwood/runtime/ports/write-points";
import { FixedIds } from "./fixed-ids.ts";
import { ManualClock } from "./manual-clock.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { memoryLog } from "./memory-log.ts";
import { memoryStores } from "./memory-stores.ts";
import { memoryVault } from "./memory-vault.ts";
import { simulatedAnswer } from "./simulation-model.ts";
import { IDEMPOTENT, SECRET, simulatedTools } from "./simulation-tools.ts";
import type { Effect } from "./world-count.ts";

export const TENANT = "default";
export const APPROVAL_MS = 600_000;

/** What outlives every process: disk, clock, the world outside. */
export interface SimulatedWorld {
  readonly seed: number;
  readonly chance: () => number;
  readonly clock: ManualClock;
  readonly ids: FixedIds;
  readonly stores: Stores;
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly effects: Effect[];
  readonly problems: string[];
  /** What happened, in order. */
  readonly story: string[];
  version: number;
  /** What the model says; drawn from the seed unless told. */
  readonly answer?: (request: ModelRequest) => AsyncIterable<ModelEvent>;
  /** Asked at every write: what goes wrong there. */
  fate(write: string, moment: "before" | "after"): "fine" | "fail" | "die";
}

type WorldOptions = Pick<SimulatedWorld, "fate"> &
  Partial<Pick<SimulatedWorld, "seed" | "chance" | "answer">>;

export function simulatedWorld(options: WorldOptions): SimulatedWorld {
  const clock = new ManualClock();
  const ids = new FixedIds();
  return {
    seed: 0,
    // Handlers take no time, and a preview always shows the same.
    chance: () => 0.49,
    clock,
    ids,
    stores: memoryStores(),
    ledger: memoryLedger({ clock, ids }),
    vault: memoryVault(),
    effects: [],
    problems: [],
    story: [],
    version: 0,
    ...options,
  };
}

/**
 * One life of a gateway: engine, gate and approvals over stores that outlive it. When it
 * dies, everything it was doing stops where it stands: no promise of it ever settles.
 */
export class SimulatedProcess {
  readonly engine: Engine;
  readonly gate: Gate;
  readonly approvals: Approvals;
  readonly approvalService: ApprovalService;
  readonly died: Promise<void>;
  readonly #world: SimulatedWorld;
  readonly #die: () => void;
  readonly #sweeping = new AbortController();
  #dead = false;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
    const log = memoryLog();
    const parts = { ...world.stores, ledger: world.ledger, vault: world.vault };
    const { ledger, vault, ...stores } = withWritePoints(parts, {
      read: (act) => this.#alive(act),
      write: async (name, act) => {
        await this.#strike(name, "before");
        const value = await this.#alive(act);
        await this.#strike(name, "after");
        return value;
      },
    });
    const clock: Clock = {
      now: () => world.clock.now(),
      sleep: (ms, signal) => this.#alive(() => world.clock.sleep(ms, signal)),
    };
    const { ids } = world;
    const redact = (text: string) => text.replace(SECRET, "[redacted]");
    const simulated = simulatedTools({
      chance: world.chance,
      sleep: (ms, signal) => clock.sleep(ms, signal),
      effect: (toolId, input, context) => this.#effect(toolId, input, context),
      happened: (key) => world.effects.some((effect) => effect.key === key),
      version: () => String(world.version),
      begin: (callId) => this.#begin(callId),
    });
    const tools = new Map(simulated.map((each) => [each.tool.contract.id, each]));
    const toolSnapshot = () => ({
      get: (id: string) => tools.get(id)?.tool,
      list: () => simulated.map(({ tool }) => tool),
    });
    const verdictFor = async (tenant: string, tool: RegisteredTool, input: unknown, sessionId: string) => {
      const at = clock.now();
      const verdict = tools.get(tool.contract.id)!.verdict;
      if (verdict.layer !== 5) return verdict;
      const call = { contract: tool.contract, contractHash: tool.contractHash, input, sessionId };
      const grant = findGrant(await ledger.grants(tenant, { live: true, at }), call, at);
      return grant
        ? { decision: "allow" as const, rule: "grant", layer: 6, reason: "granted", grantId: grant.id }
        : verdict;
    };
    this.approvals = new Approvals({ ledger, clock, ids, log });
    this.approvalService = new ApprovalService({
      approvals: this.approvals,
      ledger,
      toolSnapshot,
      vault,
      verdictFor,
      ids,
      clock,
      redact,
      sha256: (data) => createHash("sha256").update(data).digest("hex"),
      salt: () => "salt",
    });
    this.gate = new Gate({
      ledger,
      vault,
      approvals: this.approvals,
      blobs: stores.blobs,
      clock,
      ids,
      log,
      sha256: (data) => createHash("sha256").update(data).digest("hex"),
      salt: () => "salt",
      redact,
      toolSnapshot,
      toolsOf: () => ({ toolSnapshot: toolSnapshot(), specs: [] }),
      verdictFor,
      approver: true,
      approvalMs: APPROVAL_MS,
    });
    const toolIds = [...tools.keys()];
    this.engine = new Engine({
      stores,
      clock,
      ids,
      log,
      tools: this.gate,
      recorder: this.gate,
      hash: (text) => text,
      limits: RUN_LIMITS,
      prices: [],
      localTime: new LocalTime("UTC"),
      redact,
      agents: {
        list: async () => [],
        load: async (id) => ({ id, name: id, description: "", soul: "", instructions: "", toolNotes: "" }),
      },
      models: {
        resolve: async () =>
          ok({
            ref: { provider: "sim", model: "m" },
            demo: false,
            maxOutputTokens: 1_000,
            provider: {
              id: "sim",
              chat: world.answer ?? ((request) => simulatedAnswer(request, world.seed, toolIds)),
            },
          }),
      },
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** As a gateway starts. */
  async start(): Promise<void> {
    await Promise.race([this.#recover(), this.died]);
  }

  kill(): void {
    this.#dead = true;
    // Node keeps signals made of others, and all they lead to, until they fire.
    this.#sweeping.abort();
    this.#die();
  }

  async #recover(): Promise<void> {
    await this.engine.recover(TENANT);
    void this.approvals.sweep(TENANT, this.#sweeping.signal);
  }

  /** A dead process hears nothing, and does nothing more. */
  async #alive<T>(act: () => Promise<T>): Promise<T> {
    if (this.#dead) return never();
    try {
      const value = await act();
      return this.#dead ? await never() : value;
    } catch (error) {
      if (this.#dead) return never();
      throw error;
    }
  }

  async #strike(write: string, moment: "before" | "after"): Promise<void> {
    if (this.#dead) return never();
    const fate = this.#world.fate(write, moment);
    if (fate === "fail") throw new FailureError(failure("STORAGE_FULL", `The disk is full (${write}).`));
    if (fate === "fine") return;
    this.kill();
    return never();
  }

  async #begin(callId: string): Promise<void> {
    const { ledger, problems, version } = this.#world;
    const row = await ledger.call(TENANT, callId);
    const approval = row?.approvalId ? await ledger.approval(TENANT, row.approvalId) : undefined;
    const before = approval?.editedInput === undefined ? approval?.card.preview?.before : undefined;
    if (before !== undefined && before !== String(version))
      problems.push(`W4 ${callId} ran on ${version}, but the owner was shown ${before}`);
  }

  async #effect(
    toolId: string,
    input: unknown,
    context: { callId: string; idempotencyKey: string },
  ): Promise<void> {
    if (this.#dead) return never();
    const { effects, problems, ledger } = this.#world;
    const { callId, idempotencyKey: key } = context;
    effects.push({ callId, toolId, key, input });
    const row = await ledger.call(TENANT, callId);
    // A handler that does not heed its signal may act after its call was given up as unknown.
    if (row?.state !== "started" && row?.state !== "unknown" && !IDEMPOTENT.has(toolId))
      problems.push(`W1 ${callId} acted while it was ${row?.state}`);
  }
}

/** A promise of its own each time: one that all waited for would keep every dead process in memory. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
