import { createHash } from "node:crypto";
import type { Verdict } from "@elwood/core/policy/policy";
import { PROGRAM_LIMITS } from "@elwood/core/tool/program";
import { err, ok } from "@elwood/core/base/result";
import { ownToolKind, WORST_LABELS, type Risk } from "@elwood/core/tool/tool";
import { Approvals } from "@elwood/runtime/gate/approvals";
import { Gate } from "@elwood/runtime/gate/gate";
import type { Ledger, RegisteredTool, ToolSnapshot, Vault } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Ids, ToolCallContext, ToolOutcome } from "@elwood/runtime/ports/ports";
import type { ProgramJournal } from "@elwood/runtime/ports/program-journal";
import type { Sandbox } from "@elwood/runtime/ports/sandbox";
import { PROGRAM_TOOL } from "@elwood/runtime/gate/program-tools";
import { Programs } from "@elwood/runtime/programs/programs";
import { memoryLedger } from "./memory-ledger.ts";
import { memoryPrograms } from "./memory-programs.ts";
import { memoryStores } from "./memory-stores.ts";
import { memoryVault } from "./memory-vault.ts";
import { FixedIds } from "./fixed-ids.ts";

export const TENANT = "default";
const NOTHING = () => undefined;
const LOG = { error: NOTHING, warn: NOTHING, info: NOTHING, debug: NOTHING };
export const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

/** What a call of a test tool did, counted outside of every process. */
export interface Effect {
  readonly toolId: string;
  readonly input: unknown;
  readonly key: string;
}

/** What outlives a process: the stores, and the world that tools act on. */
export interface World {
  readonly ledger: Ledger;
  readonly journal: ProgramJournal;
  readonly vault: Vault;
  readonly effects: Effect[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** Decides when a call of a tool answers; at once unless told. */
  gate: (toolId: string, input: unknown) => Promise<void>;
  /** What the policy says. */
  verdict: (toolId: string, input: unknown) => Verdict;
}

export const ALLOW: Verdict = { decision: "allow", rule: "owner.allow", layer: 6, reason: "may" };
export const ASK: Verdict = { decision: "ask", rule: "mode.strict", layer: 5, reason: "writes ask" };

export function makeWorld(clock: Clock): World {
  return {
    ledger: memoryLedger({ clock }),
    journal: memoryPrograms(),
    vault: memoryVault(),
    effects: [],
    clock,
    ids: new FixedIds(),
    gate: async () => undefined,
    verdict: () => ALLOW,
  };
}

export interface Process {
  readonly gate: Gate;
  readonly approvals: Approvals;
  /** Runs a program of plain JavaScript as the call `callId`. */
  run(callId: string, source: string, controller?: AbortController): Promise<ToolOutcome>;
  readonly lines: string[];
}

/** One process over a world: everything that a crash takes away. `stores` are its own ways to the world. */
export function makeProcess(world: World, sandbox: Sandbox, stores: Partial<World> = {}): Process {
  const gate: World["gate"] = (toolId, input) => world.gate(toolId, input);
  const parts = { ...world, gate, ...stores };
  const { ledger, journal, vault, clock, ids } = parts;
  const approvals = new Approvals({ ledger, clock, ids, log: LOG });
  const toolSnapshot = snapshotOf([
    testTool(parts, "notes.note.read", "read"),
    testTool(parts, "notes.note.save", "write"),
    testTool(parts, "notes.note.erase", "destructive"),
    programEntry(),
  ]);
  const redact = (text: string) => text.replace(/secret-\d+/g, "[redacted]");
  const { blobs } = memoryStores();
  const verdictFor = async (_tenant: string, { contract }: RegisteredTool, input: unknown) =>
    contract.id === PROGRAM_TOOL ? ALLOW : world.verdict(contract.id, input);
  const programs = new Programs({
    sandbox,
    journal,
    blobs,
    clock,
    log: LOG,
    sha256,
    limits: PROGRAM_LIMITS,
    timeZone: "UTC",
    vault,
    redact,
    verdictFor,
    seed: () => "seed",
    find: () => ({ ok: true, value: { tools: [] } }),
    check: async (source) =>
      source.startsWith("//bad")
        ? err("line 1: this is bad")
        : ok({ javascript: source, sourceHash: sha256(source), declarationsHash: "d" }),
  });
  const host = new Gate({
    ledger,
    approvals,
    clock,
    ids,
    log: LOG,
    blobs,
    vault,
    sha256,
    salt: () => "salt",
    redact,
    toolSnapshot: () => toolSnapshot,
    toolsOf: () => ({ toolSnapshot, specs: [] }),
    verdictFor,
    approver: true,
    approvalMs: 60_000,
    programs,
  });
  const lines: string[] = [];
  const context = (controller: AbortController): ToolCallContext => ({
    tenant: TENANT,
    sessionId: "ses",
    runId: "run",
    surface: "test",
    signal: controller.signal,
    progress: (line) => void lines.push(line),
    entered: NOTHING,
    started: NOTHING,
    waiting: NOTHING,
  });
  return {
    gate: host,
    approvals,
    lines,
    run: (callId, source, controller = new AbortController()) =>
      host.call({ callId, toolId: PROGRAM_TOOL, input: { source } }, context(controller)),
  };
}

function snapshotOf(tools: readonly RegisteredTool[]): ToolSnapshot {
  return { get: (id) => tools.find(({ contract }) => contract.id === id), list: () => tools };
}

function testTool(world: World, id: string, risk: Risk): RegisteredTool {
  return {
    ...bare(id, risk),
    async handle(input, { idempotencyKey }) {
      await world.gate(id, input);
      world.effects.push({ toolId: id, input, key: idempotencyKey });
      const fails = typeof input === "object" && input !== null && "fail" in input;
      if (fails) return err({ code: "no", message: "It did not work.", retryable: false });
      const number = world.effects.length;
      return ok({ value: { saved: input, number, id: `note ${number}` } });
    },
  };
}

function programEntry(): RegisteredTool {
  return {
    ...bare(PROGRAM_TOOL, "read"),
    handle: async () => err({ code: "internal", message: "never", retryable: false }),
  };
}

function bare(id: string, risk: Risk): Omit<RegisteredTool, "handle"> {
  return {
    contract: {
      id,
      description: "",
      risk,
      labels: WORST_LABELS,
      requiresApproval: false,
      idempotent: false,
      canPreview: false,
      canUndo: false,
      canReconcile: false,
      timeoutMs: 30_000,
      input: {},
      output: {
        type: "object",
        properties: { number: { type: "number" }, id: { type: "string" } },
        required: ["number", "id"],
      },
    },
    source: "built-in",
    kind: ownToolKind(id),
    contractHash: `hash-of-${id}`,
    parseInput: (input) =>
      typeof input === "object" && input !== null && "bad" in input ? err("bad is not allowed") : ok(input),
    parseOutput: (value) => ok(value),
    facts: async () => [],
    target: () => undefined,
  };
}
