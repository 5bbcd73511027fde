import type { Verdict } from "@elwood/core/policy/policy";
import { err, ok, type Result } from "@elwood/core/base/result";
import { ownToolKind, WORST_LABELS, type Risk, type ToolResult } from "@elwood/core/tool/tool";
import { FixedIds } from "./fixed-ids.ts";
import { firstPending } from "./first-pending.ts";
import { ManualClock } from "./manual-clock.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { memoryStores } from "./memory-stores.ts";
import { createHash } from "node:crypto";
import type { ToolCallContext, ToolOutcome } from "@elwood/runtime/ports/ports";
import { ApprovalService } from "@elwood/runtime/gate/approval-service";
import { Approvals } from "@elwood/runtime/gate/approvals";
import { Gate } from "@elwood/runtime/gate/gate";
import { withRefreshedTools } from "@elwood/runtime/gate/refresh-tools";
import type {
  HandlerContext,
  Ledger,
  LedgerChange,
  RegisteredTool,
  Vault,
} from "@elwood/runtime/ports/gate-ports";

export const T = "default";
export const OWNER = { id: "owner", surface: "web" };

export type Handle = (
  input: unknown,
  context: HandlerContext,
) => Promise<Result<ToolResult, { code: string; message: string; retryable: boolean }>>;

export function tool(
  id: string,
  risk: Risk,
  handle: Handle,
  more: Partial<RegisteredTool> & { idempotent?: boolean } = {},
): RegisteredTool {
  const { idempotent = false, ...rest } = more;
  return {
    contract: {
      id,
      description: "",
      risk,
      labels: WORST_LABELS,
      requiresApproval: false,
      idempotent,
      canPreview: false,
      canUndo: false,
      canReconcile: false,
      timeoutMs: 30_000,
      input: {},
      output: {},
    },
    kind: ownToolKind(id),
    contractHash: `hash-of-${id}`,
    parseInput: (input) =>
      typeof input === "object" && input !== null && "bad" in input ? err("bad is not allowed") : ok(input),
    parseOutput: (value) => ok(value),
    facts: async () => [],
    target: () => "it",
    handle,
    ...rest,
  };
}

export interface Rig {
  readonly gate: Gate;
  readonly ledger: Ledger;
  readonly approvals: Approvals;
  readonly approvalService: ApprovalService;
  readonly clock: ManualClock;
  readonly tools: Map<string, RegisteredTool>;
  readonly effects: unknown[];
  verdict: Verdict;
  context: (controller?: AbortController) => ToolCallContext;
  call: (id: string, toolId: string, input?: unknown, controller?: AbortController) => Promise<ToolOutcome>;
  types: () => Promise<string[]>;
  pending: () => Promise<string>;
}

/** The same ledger, but units with a change of which `refuses` says so are refused (G2). */
export function refusingLedger(ledger: Ledger, refuses: (change: LedgerChange) => boolean): Ledger {
  return {
    ...ledger,
    async write(tenant, unit) {
      const refused = unit.changes.find(refuses);
      return refused ? err({ refused: refused.kind }) : ledger.write(tenant, unit);
    },
  };
}

const OPEN_VAULT: Vault = {
  storeSecrets: async (_tenant, _callId, input) => input,
  open: async (_tenant, _callId, input) => input,
  drop: async () => undefined,
  held: async () => [],
};

export const ALLOW: Verdict = { decision: "allow", rule: "read", layer: 7, reason: "reads" };
export const ASK: Verdict = { decision: "ask", rule: "mode.strict", layer: 5, reason: "writes ask" };

/** A gate over stores in memory and a clock that stands still, for tests of single promises. */
export async function rig(
  options: {
    verdict?: Verdict;
    approver?: boolean;
    ledger?: Ledger;
    effects?: unknown[];
    vault?: Vault;
  } = {},
): Promise<Rig> {
  const clock = new ManualClock();
  const ids = new FixedIds();
  const ledger = options.ledger ?? memoryLedger({ clock });
  const log = { error() {}, warn() {}, info() {}, debug() {} };
  const approvals = new Approvals({ ledger, clock, ids, log });
  const effects = options.effects ?? [];
  const tools = new Map<string, RegisteredTool>();
  const add = (t: RegisteredTool) => tools.set(t.contract.id, t);
  const act: Handle = async (input) => {
    effects.push(input);
    return ok({ value: { done: true } });
  };
  add(tool("test.thing.read", "read", act));
  add(tool("test.thing.write", "write", act));
  const toolSnapshot = () => ({ get: (id: string) => tools.get(id), list: () => [...tools.values()] });
  const verdictFor = async () => r.verdict;
  const redact = (text: string) => text.replaceAll("hunter2hunter2", "[redacted]");
  const vault = options.vault ?? OPEN_VAULT;
  const r: Rig = {
    ledger,
    approvals,
    approvalService: new ApprovalService({
      approvals,
      ledger,
      toolSnapshot,
      vault,
      verdictFor,
      redact,
      ids,
      clock,
      sha256: (data) => createHash("sha256").update(data).digest("hex"),
      salt: () => "salt",
    }),
    clock,
    tools,
    effects,
    verdict: options.verdict ?? ALLOW,
    gate: new Gate({
      ledger,
      approvals,
      clock,
      ids,
      log,
      blobs: memoryStores().blobs,
      vault,
      sha256: (data) => createHash("sha256").update(data).digest("hex"),
      salt: () => "salt",
      redact,
      toolSnapshot,
      toolsOf: (agent, _tenant, run) => {
        const now = new Map([...tools].filter(([id]) => !agent.tools || agent.tools.includes(id)));
        const offered = run ? withRefreshedTools(run, now) : now;
        const specs = [...offered.keys()].map((toolId) => ({ toolId, description: "", inputSchema: {} }));
        return { toolSnapshot: { get: (id) => offered.get(id), list: () => [...offered.values()] }, specs };
      },
      verdictFor,
      approver: options.approver ?? true,
      approvalMs: 60_000,
    }),
    context: (controller = new AbortController()) => ({
      tenant: T,
      sessionId: "s",
      runId: "run",
      surface: "test",
      signal: controller.signal,
      progress: () => undefined,
      entered: () => undefined,
      started: () => undefined,
      waiting: () => undefined,
    }),
    call: (callId, toolId, input = {}, controller) =>
      r.gate.call({ callId, toolId, input }, r.context(controller)),
    types: async () =>
      (await ledger.receipts(T, { limit: 100 }))
        .map((receipt) => receipt.type)
        .toReversed()
        .filter((t) => t !== "run.started"),
    pending: () => firstPending(ledger, T),
  };
  return r;
}
