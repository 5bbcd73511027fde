import type { Approval } from "@elwood/core/policy/approval";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import {
  shownChars,
  planSentence,
  dryRunGapsSentence,
  type Plan,
  type PlanItem,
  type PlannedCall,
} from "@elwood/core/tool/plan";
import type { Verdict } from "@elwood/core/policy/policy";
import type { CallNote } from "@elwood/core/receipts/receipt";
import { CARD_CHARS_MAX } from "@elwood/core/base/show";
import { programNames } from "@elwood/core/tool/tool-names";
import { PLAN_ITEMS_MIN, DRY_RUN_MARK, programToolIds } from "./program-tools.ts";
import type { CheckedProgram, DryRunResult, ProgramCallPort } from "../ports/program-runner.ts";
import type { ToolCallContext, ToolHost, ToolOutcome } from "../ports/ports.ts";
import { approvalDigestOf, makePreview } from "./approvals.ts";
import type { CallRow, RegisteredTool, ToolSnapshot } from "../ports/gate-ports.ts";
import type { GateDeps } from "./gate-deps.ts";
import type { CallExecution } from "./call-execution.ts";
import { type ReceiptFactory, originOf } from "./receipt-factory.ts";

export function planVerdict({ unseen }: Plan): Verdict {
  const more = dryRunGapsSentence(unseen);
  return {
    decision: "ask",
    rule: "ask.plan",
    layer: 3,
    reason: `The program would make several calls that ask. They are listed, so that you can decide about all at once; a call that is not as listed asks for itself.${more === undefined ? "" : ` ${more}`}`,
  };
}

export const ASKED_TOO_OFTEN =
  "The program has asked the owner too often already. This call was not made; end the program, and say what is left to do.";

const ASKS_MAX = 20;
const REPAIRS_MAX = 5;
const RUNS_REMEMBERED = 1_000;

/**
 * Calls that run programs. A program is checked before its start is recorded, its calls pass the same
 * gate, and after a restart it resumes from its journal, so only single calls can have an unknown outcome.
 */
export class ProgramCalls {
  readonly #deps: GateDeps;
  readonly #receiptFactory: ReceiptFactory;
  readonly #execution: CallExecution;
  readonly #callPort: ProgramCallPort;
  /** Programs with mistakes, by run. */
  readonly #repairs = new Map<string, number>();

  constructor(
    deps: GateDeps,
    receiptFactory: ReceiptFactory,
    execution: CallExecution,
    gate: Pick<ToolHost, "call" | "storeSecrets">,
  ) {
    this.#deps = deps;
    this.#receiptFactory = receiptFactory;
    this.#execution = execution;
    this.#callPort = programCallPort(deps, gate);
  }

  /** The problem that the model must fix first, or fields for the program's receipt; empty for other calls. */
  async vet(
    tool: RegisteredTool,
    input: unknown,
    runId: string,
  ): Promise<{
    readonly problem?: string;
    readonly note?: CallNote;
    readonly checked?: CheckedProgram;
  }> {
    const { programs, toolSnapshot } = this.#deps;
    if (tool.kind !== "program" || !programs) return {};
    const mistakes = this.#repairs.get(runId) ?? 0;
    if (mistakes >= REPAIRS_MAX) return { problem: TOO_MANY_MISTAKES };
    // Checked by the tool's own schema.
    const { source } = input as { source: string };
    const checked = await programs.check(source, toolSnapshot(runId));
    if (!checked.ok) {
      this.#remember(runId, mistakes + 1);
      return { problem: checked.error };
    }
    const { sourceHash, declarationsHash } = checked.value;
    return { note: { sourceHash, declarationsHash }, checked: checked.value };
  }

  /** What a program would do, where that is more than one question; undefined: its calls ask for themselves, if at all. */
  async plan(checked: CheckedProgram, row: CallRow, context: ToolCallContext): Promise<Plan | undefined> {
    const tools = this.#deps.toolSnapshot(context.runId);
    if (!mayAct(checked.javascript, tools)) return undefined;
    const looked = await this.#dryRun(checked, row, context);
    if (looked === undefined) return undefined;
    const { seen } = looked;
    const items = looked.items.map(asPlanItem);
    // A card must be shown in full to be allowed: calls that do not fit ask separately.
    const room = CARD_CHARS_MAX - JSON.stringify(row.executedInput).length - WORDS_CHARS;
    const listed = fitting(items, room);
    if (listed.length < PLAN_ITEMS_MIN) return undefined;
    const after = listed.map(lineOf).join("\n");
    const unlisted = (looked.unseen.unlisted ?? 0) + items.length - listed.length;
    const unseen = { ...looked.unseen, ...(unlisted > 0 && { unlisted }) };
    return { items: listed, seen, unseen, preview: { sentence: planSentence(listed), after } };
  }

  /** What a program would do in the rehearsal of a job, and what could not be known; undefined where Elwood is stopping. */
  async rehearse(
    checked: CheckedProgram,
    row: CallRow,
    context: ToolCallContext,
  ): Promise<{ readonly calls: readonly PlannedCall[]; readonly gaps: string | undefined } | undefined> {
    const looked = await this.#dryRun(checked, row, context);
    if (looked === undefined) return undefined;
    const calls = looked.items.map((item) => ({ ...item, reason: this.#deps.redact(item.reason) }));
    return { calls, gaps: dryRunGapsSentence(looked.unseen) };
  }

  async #dryRun(
    checked: CheckedProgram,
    { callId }: CallRow,
    context: ToolCallContext,
  ): Promise<DryRunResult | undefined> {
    const { programs, toolSnapshot, ledger } = this.#deps;
    if (!programs) return undefined;
    const calls = await ledger.callsOfRun(context.tenant, context.runId);
    const before = calls.filter((each) => each.callId.startsWith(`${callId}${DRY_RUN_MARK}`)).length;
    const tools = toolSnapshot(context.runId);
    const looked = await programs.dryRun(checked, callId, tools, context, this.#callPort, before);
    return context.signal.aborted ? undefined : looked;
  }

  /** The allowed plan of the program that makes this call, where this very call is the next on its list: all before it were made. */
  async planned(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    input: unknown,
    { rule }: Verdict,
  ): Promise<Approval | undefined> {
    const { ledger, sha256, clock } = this.#deps;
    const parent = context.note?.parent;
    if (parent === undefined) return undefined;
    const program = await ledger.call(context.tenant, parent);
    if (program?.approvalId === undefined) return undefined;
    const approval = await ledger.approval(context.tenant, program.approvalId);
    if (approval?.status !== "approved" || approval.editedInput !== undefined) return undefined;
    const previewed = await makePreview(tool, input, context, clock);
    if (previewed.problem !== undefined) return undefined;
    const digest = approvalDigestOf(sha256, tool, row.executedInput, previewed.preview, rule);
    const { plan = [] } = approval.card;
    if (!plan.some((item) => item.digest === digest)) return undefined;
    const calls = await ledger.callsOfRun(context.tenant, row.runId);
    return nextOf(
      plan,
      calls.filter((call) => isMadeBy(parent, call)),
    )?.digest === digest
      ? approval
      : undefined;
  }

  async askedTooOften(row: CallRow, context: ToolCallContext): Promise<boolean> {
    const parent = context.note?.parent;
    if (parent === undefined) return false;
    const calls = await this.#deps.ledger.callsOfRun(context.tenant, row.runId);
    const plan = calls.find(({ callId }) => callId === parent)?.approvalId;
    const asked = calls.filter(
      ({ callId, approvalId }) =>
        callId.startsWith(`${parent}.`) && approvalId !== undefined && approvalId !== plan,
    );
    return asked.length >= ASKS_MAX;
  }

  /** undefined where Elwood is stopping. */
  async run(row: CallRow, context: ToolCallContext): Promise<ToolOutcome | undefined> {
    const { programs, toolSnapshot, ledger } = this.#deps;
    const tool = toolSnapshot(row.runId).get(row.toolId);
    if (!programs || !tool) {
      const message = "Programs are switched off by now. Nothing further of this one was run.";
      return this.#execution.end(row, context, tool, {
        kind: "failed",
        code: "program.unavailable",
        message,
      });
    }
    await this.#deps.approvals.told(row.approvalId, context.signal);
    context.started();
    const approval =
      row.approvalId === undefined ? undefined : await ledger.approval(context.tenant, row.approvalId);
    // An edited program is another one than was seen.
    const seen = approval?.editedInput === undefined ? approval?.card.seen : undefined;
    const ended = await programs.run(row, toolSnapshot(row.runId), context, this.#callPort, seen);
    if (!ended) return undefined;
    const receipts = ended.receipts.map(({ type, payload }) =>
      this.#receiptFactory.receipt(type, originOf(context), row.callId, payload),
    );
    return this.#execution.end(row, context, tool, ended.ending, receipts);
  }

  #remember(runId: string, mistakes: number): void {
    const [oldest] = this.#repairs.keys();
    if (this.#repairs.size >= RUNS_REMEMBERED && oldest !== undefined) this.#repairs.delete(oldest);
    this.#repairs.set(runId, mistakes);
  }
}

/** A call of the program itself, not of its dry run, that was let through. */
function isMadeBy(program: string, { callId, state }: CallRow): boolean {
  return (
    callId.startsWith(`${program}.`) && !callId.startsWith(`${program}${DRY_RUN_MARK}`) && MADE.has(state)
  );
}

const MADE: ReadonlySet<CallRow["state"]> = new Set([
  "approved",
  "started",
  "succeeded",
  "failed",
  "unknown",
]);

/** The first call of a plan that was not made yet. Inputs are compared like in the digest, independent of key order. */
function nextOf(plan: readonly PlanItem[], made: readonly CallRow[]): PlanItem | undefined {
  const left = made.map(({ toolId, executedInput }) => `${toolId} ${canonicalJson(executedInput)}`);
  return plan.find(({ toolId, input }) => {
    const at = left.indexOf(`${toolId} ${canonicalJson(input)}`);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** As a card lists it. */
function asPlanItem(call: PlannedCall): PlanItem {
  const { contractHash: _hash, reason: _reason, unasked: _unasked, always: _always, ...item } = call;
  return item;
}

/** Space for the rest of the card. */
const WORDS_CHARS = 2_000;

function lineOf({ summary }: PlanItem, index: number): string {
  return `${index + 1}. ${summary}`;
}

function fitting(items: readonly PlanItem[], room: number): readonly PlanItem[] {
  let left = room;
  const over = items.findIndex((item) => {
    left -= shownChars(item);
    return left < 0;
  });
  return over < 0 ? items : items.slice(0, over);
}

const TOO_MANY_MISTAKES = `${REPAIRS_MAX} programs of this run had mistakes, and no further one is looked at in it. Nothing of them ran. Call single tools instead, or tell the owner.`;

/** Whether a program names a tool that does more than read here. One that hides the name asks call by call. */
function mayAct(javascript: string, toolSnapshot: ToolSnapshot): boolean {
  const acting = toolSnapshot
    .list()
    .filter(({ contract }) => contract.risk !== "read")
    .map(({ contract }) => contract.id);
  const names = programNames(programToolIds(toolSnapshot)).filter(({ toolId }) => acting.includes(toolId));
  return names.some(({ path }) => javascript.includes(path.join(".")));
}

/** How programs make calls: secrets are stored first, then the call passes the gate; a known call resumes. */
export function programCallPort(
  { ledger }: Pick<GateDeps, "ledger">,
  gate: Pick<ToolHost, "call" | "storeSecrets">,
): ProgramCallPort {
  return {
    async make(call, context) {
      const { tenant } = context;
      const known = await ledger.call(tenant, call.callId);
      const input = known ? known.requestedInput : await gate.storeSecrets(tenant, call.callId, call.input);
      const outcome = await gate.call({ ...call, input }, context);
      return outcome.status === "deferred" ? undefined : ledger.call(tenant, call.callId);
    },
  };
}
