import { noSuchTool } from "@elwood/core/tool/tool-words";
import type { ActivityItem, SessionActivityItem } from "@elwood/core/tool/activity";
import type { Approval } from "@elwood/core/policy/approval";
import { FailureError } from "@elwood/core/base/failure";
import type { ToolSpec } from "@elwood/core/model/model";
import type { Verdict } from "@elwood/core/policy/policy";
import type { Decider, NewReceipt } from "@elwood/core/receipts/receipt";
import type { RuleOfTwo } from "@elwood/core/policy/rule-of-two";
import type { Run } from "@elwood/core/message/session";
import type {
  Agent,
  CallSubject,
  ClosedRun,
  Person,
  Recalled,
  HandoverFact,
  RecallFact,
  ReplyFact,
  RunFact,
  RunRecorder,
  ToolCall,
  ToolCallContext,
  ToolHost,
  ToolOutcome,
  SessionActivityQuery,
} from "../ports/ports.ts";
import type { CheckedProgram } from "../ports/program-runner.ts";
import { errorOutcome, toToolOutcome } from "./call-outcome.ts";
import { asksAsApproved, makePreview, matchesApproval, withApprovedInput } from "./approvals.ts";
import { CallTransitions } from "./call-transitions.ts";
import { dropSecrets, CallExecution } from "./call-execution.ts";
import type { CallRow, OfferedTools, RegisteredTool, ToolSnapshot, Vault } from "../ports/gate-ports.ts";
import type { GateDeps } from "./gate-deps.ts";
import { mustWrite } from "./must-write.ts";
import { isMadeInRehearsal, jobOf, planCall } from "./planned-call.ts";
import { outerCallId, PROGRAM_TOOL } from "./program-tools.ts";
import { ASKED_TOO_OFTEN, planVerdict, ProgramCalls } from "./program-calls.ts";
import {
  isBegun,
  openRuns,
  recordedEnding,
  recordedRecall,
  recordRecall,
  recordReply,
  runReceipt,
} from "./run-record.ts";
import { runActivity, sessionActivity } from "./run-activity.ts";
import { Undo } from "./undo.ts";
import { ReceiptFactory, stopperOf } from "./receipt-factory.ts";
import { whoStopped } from "../run/stop-cause.ts";

/**
 * The gate: the only way to cause a side effect.
 *
 *   validate input → decide → (preview, ask, wait) → re-check → `started`, durable → handler
 *   → validate output → redact → receipt of the outcome
 *
 * T1 `call` is idempotent by call id: repeated, it resumes from the stored row and never runs twice.
 * T2 Nothing runs before `started` is durable. If it cannot be written, the call does not happen.
 * T3 After `started`, only the handler's own answer means success or failure; everything else is unknown.
 * T4 What was approved is what runs: the digest over tool, contract, input, preview and rule is computed
 *    again right before the start, and a difference asks for a new approval.
 * T5 Risk comes from the contract alone. Receipts name who or what actually decided.
 * T6 In the rehearsal of a job nothing is made but reads; every other call is listed with its preview.
 */
export class Gate implements ToolHost, RunRecorder {
  readonly #deps: GateDeps;
  readonly #transitions: CallTransitions;
  readonly #execution: CallExecution;
  readonly #programs: ProgramCalls;
  readonly #admission: CallAdmission;
  readonly #undo: Undo;
  readonly #receiptFactory: ReceiptFactory;
  /** First receipts of runs that have begun and whose first write is still to come, by their id. */
  readonly #begun = new Map<string, NewReceipt>();
  /** The pinned tools of active runs: a reload does not change them, and an agent can call only these. */
  readonly #offered = new Map<string, OfferedTools>();
  /** Tools that a run has loaded itself since its last step. */
  readonly #toolsToRefresh = new Map<string, Set<string>>();

  constructor(given: GateDeps) {
    const toolSnapshot = (runId?: string) =>
      (runId === undefined ? undefined : this.#offered.get(runId)?.toolSnapshot) ?? given.toolSnapshot();
    const deps: GateDeps = { ...given, toolSnapshot };
    this.#deps = deps;
    const receiptFactory = new ReceiptFactory(deps.sha256, deps.salt);
    this.#receiptFactory = receiptFactory;
    this.#execution = new CallExecution(deps, receiptFactory);
    this.#programs = new ProgramCalls(deps, receiptFactory, this.#execution, this);
    this.#undo = new Undo(deps, receiptFactory, this.#execution);
    this.#transitions = new CallTransitions(deps, receiptFactory, this.#begun, (...call) =>
      this.#execution.began(...call),
    );
    this.#admission = new CallAdmission(deps, this.#transitions, this.#programs);
  }

  async ready(): Promise<void> {
    await this.#deps.wakeTools?.();
  }

  specs(agent: Agent, runId: string, tenant: string): readonly ToolSpec[] {
    const known = this.#offered.get(runId);
    const toRefresh = this.#toolsToRefresh.get(runId);
    this.#toolsToRefresh.delete(runId);
    if (known !== undefined && toRefresh === undefined) return known.specs;
    const run = known && { pinnedTools: known.toolSnapshot, toRefresh: toRefresh ?? new Set<string>() };
    const offered = this.#deps.toolsOf(agent, tenant, run);
    this.#offered.set(runId, offered);
    return offered.specs;
  }

  /** A call of the run has loaded these tools: its next step gets their current version. */
  refreshToolsForRun(runId: string, toolIds: readonly string[]): void {
    if (!this.#offered.has(runId)) return;
    this.#toolsToRefresh.set(runId, new Set([...(this.#toolsToRefresh.get(runId) ?? []), ...toolIds]));
  }

  storeSecrets(tenant: string, callId: string, input: unknown): Promise<unknown> {
    return this.#deps.vault.storeSecrets(tenant, callId, input);
  }

  async activity(tenant: string, runId: string): Promise<readonly ActivityItem[]> {
    if (this.#isNotOnRecord(runId)) return [];
    return runActivity(this.#deps.ledger, tenant, runId, this.#deps.sha256);
  }

  sessionActivity(
    tenant: string,
    sessionId: string,
    query: SessionActivityQuery,
  ): Promise<readonly SessionActivityItem[]> {
    return sessionActivity(this.#deps.ledger, tenant, sessionId, query, this.#deps.sha256);
  }

  async ruleOfTwo(tenant: string, run: Pick<Run, "id" | "sessionId">): Promise<RuleOfTwo | undefined> {
    return this.#deps.ruleOfTwo?.(tenant, run);
  }

  async noteRun(tenant: string, fact: RunFact): Promise<void> {
    const receipt = runReceipt(fact);
    if (fact.what !== "finished") {
      this.#begun.set(fact.runId, receipt);
      return;
    }
    this.#offered.delete(fact.runId);
    this.#toolsToRefresh.delete(fact.runId);
    // A run without calls did nothing that needs proof, so it leaves no receipt of its own.
    const hasNone = this.#isNotOnRecord(fact.runId);
    const madeNone = this.#begun.delete(fact.runId);
    if (hasNone || (madeNone && !(await isBegun(this.#deps.ledger, tenant, fact.runId)))) return;
    // Should a power cut take it, the next start writes it.
    const unit = { receipts: [receipt], changes: [], mayWaitForDisk: true };
    await mustWrite(this.#deps.ledger, tenant, `run ${fact.runId}`, unit);
  }

  /** A run that began in this process and has done nothing yet that needs proof. One that was resumed may have. */
  #isNotOnRecord(runId: string): boolean {
    return this.#begun.get(runId)?.type === "run.started";
  }

  openRuns(tenant: string): Promise<readonly string[]> {
    return openRuns(this.#deps.ledger, tenant);
  }

  head(tenant: string): { readonly size: number; readonly root: string } | undefined {
    return this.#deps.head?.(tenant);
  }

  async noteReply(tenant: string, fact: ReplyFact): Promise<void> {
    const first = this.#begun.get(fact.runId);
    await recordReply(this.#deps, this.#receiptFactory, tenant, fact, first);
    this.#begun.delete(fact.runId);
  }

  recordedEnding(tenant: string, runId: string): Promise<unknown> {
    return recordedEnding(this.#deps.ledger, tenant, runId);
  }

  async noteRecall(tenant: string, fact: RecallFact): Promise<void> {
    await recordRecall(this.#deps, this.#receiptFactory, tenant, fact);
  }

  async noteHandover(tenant: string, { runId, surface, handover }: HandoverFact): Promise<void> {
    await this.#noteBegun(tenant, runId);
    await mustWrite(this.#deps.ledger, tenant, `run ${runId}`, {
      receipts: [
        { type: "auth.profile.rotated", runId, actor: "gateway", surface, payload: { ...handover } },
      ],
      changes: [],
    });
  }

  recordedRecall(tenant: string, runId: string): Promise<Recalled | undefined> {
    return recordedRecall(this.#deps.ledger, tenant, runId);
  }

  /** Writes the run's first receipt before what comes next. A new call brings it along instead. */
  async #noteBegun(tenant: string, runId: string): Promise<void> {
    const receipt = this.#begun.get(runId);
    if (!receipt) return;
    this.#begun.delete(runId);
    await mustWrite(this.#deps.ledger, tenant, `run ${runId}`, { receipts: [receipt], changes: [] });
  }

  async call(call: ToolCall, context: ToolCallContext): Promise<ToolOutcome> {
    if (isStopping(context.signal)) return DEFERRED;
    try {
      const { ledger } = this.#deps;
      // T1: most calls are new, and their first write is refused if they are not.
      const isNew = ledger.isUnheardOf?.(context.tenant, call.callId) === true;
      const known = isNew ? undefined : await ledger.call(context.tenant, call.callId);
      if (known) await this.#noteBegun(context.tenant, context.runId);
      const row = known ?? (await this.#admission.admitCall(call, context));
      if (!row) return DEFERRED;
      context.entered();
      const outcome = await this.#advanceCall(row, context);
      if (row.toolId === PROGRAM_TOOL && outcome.status !== "deferred")
        await closeProgram(
          this.#deps,
          { transitions: this.#transitions, execution: this.#execution },
          row.callId,
          context,
        );
      return outcome;
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      // T2: what cannot be recorded does not happen.
      this.#deps.log.error("a call could not be recorded", {
        call: call.callId,
        tool: call.toolId,
        reason: error.failure.reason,
      });
      throw error;
    }
  }

  subjectOf({ toolId, input }: Pick<ToolCall, "toolId" | "input">, runId: string): CallSubject | undefined {
    const contract = this.#deps.toolSnapshot(runId).get(toolId)?.contract;
    if (!contract || typeof input !== "object" || input === null) return undefined;
    const { critical } = contract.labels;
    const names = Object.entries(input).flatMap(([name, value]) =>
      critical.includes(name) && typeof value === "string" ? [value] : [],
    );
    if (names.length === 0) return undefined;
    return { area: toolId.split(".")[0] ?? toolId, onlyReads: contract.risk === "read", names };
  }

  /** Undoes a finished call, as a new call with its own receipts. */
  undo(tenant: string, callId: string, context: ToolCallContext, by: Person): Promise<ToolOutcome> {
    return this.#undo.make(tenant, callId, context, by);
  }

  /** Throws in words where a call cannot be undone; nothing is done. */
  mustBeUndoable(tenant: string, callId: string): Promise<void> {
    return this.#undo.check(tenant, callId);
  }

  closeRun(tenant: string, run: ClosedRun): Promise<ReadonlyMap<string, ToolOutcome>> {
    return closeRun(this.#deps, { transitions: this.#transitions, execution: this.#execution }, tenant, run);
  }

  async closeOrphanedCalls(tenant: string, open: ReadonlySet<string>): Promise<void> {
    // Secrets of a call that was never journaled, or has ended: nobody needs them any more.
    for (const callId of await this.#deps.vault.held(tenant))
      if (!open.has(outerCallId(callId))) await dropSecrets(this.#deps, tenant, callId);
    await this.#deps.programs?.sweep(tenant, open);
    // The outcome of an interrupted undo is unknown like that of any other call, but it belongs to no run.
    for (const row of await this.#deps.ledger.startedUndos(tenant)) {
      const context = contextOf(tenant, { runId: row.runId, sessionId: row.sessionId, surface: "gateway" });
      await this.#execution.close(row, context, { kind: "policy", rule: "run.over" });
    }
  }

  /** T1: advances a call from its current state to its outcome. */
  async #advanceCall(first: CallRow, context: ToolCallContext): Promise<ToolOutcome> {
    const { ledger, approvals } = this.#deps;
    const { tenant, signal } = context;
    let row = first;
    /** Once decided, an approval never changes. */
    let approval: Approval | undefined;
    for (let step = 0; step < STEPS_MAX; step++) {
      if (row.outcome && row.state !== "started") {
        // It will not run again, so its secrets can go.
        await dropSecrets(this.#deps, tenant, row.callId);
        return toToolOutcome(row, row.outcome);
      }
      if (row.state === "asked") {
        approval = await this.#waitFor(row, context);
        if (!approval && signal.reason === "shutdown") return DEFERRED;
        if (!approval) await approvals.withdraw(tenant, row.approvalId ?? "", stopperOf(context), RUN_OVER);
        if (approval?.status === "approved") {
          if (isStopping(signal)) return DEFERRED;
          // Of an edited call more than the input has changed.
          row =
            (approval.editedInput === undefined ? undefined : await ledger.call(tenant, row.callId)) ??
            withApprovedInput(row, approval);
          continue;
        }
      } else if (row.state === "approved") {
        if (approval?.id !== row.approvalId) approval = await ledger.approval(tenant, row.approvalId ?? "");
        const again = await this.#recheck(row, context, approval);
        if (again) row = again;
        else if (isStopping(signal)) return DEFERRED;
        else if (signal.aborted) await this.#transitions.voided(row, context, RUN_OVER, stopperOf(context));
        else {
          const started = await this.#transitions.start(row, context, approval);
          if (started) {
            row = started;
            continue;
          }
        }
      } else if (row.state === "started") {
        const runs = row.toolId === PROGRAM_TOOL ? this.#programs : this.#execution;
        const outcome = await runs.run(row, context);
        return outcome ?? DEFERRED;
      }
      row = (await ledger.call(tenant, row.callId)) ?? row;
      if (isStopping(signal) && row.state !== "started") return DEFERRED;
    }
    if (row.state === "asked")
      await approvals.withdraw(
        tenant,
        row.approvalId ?? "",
        { kind: "policy", rule: "gate.asked-too-often" },
        GIVEN_UP,
      );
    return errorOutcome("loop", "This call was asked about too often and was given up. It was not made.");
  }

  /** Returns undefined if the run or the gateway was stopped before a decision. */
  async #waitFor(row: CallRow, context: ToolCallContext): Promise<Approval | undefined> {
    context.waiting(true);
    try {
      return await this.#deps.approvals.wait(context.tenant, row.approvalId ?? "", context.signal);
    } finally {
      context.waiting(false);
    }
  }

  /** T4: returns undefined if the approved call is what would run now, else the row of the new approval request. */
  async #recheck(
    row: CallRow,
    context: ToolCallContext,
    approval: Approval | undefined,
  ): Promise<CallRow | undefined> {
    const { toolSnapshot, verdictFor } = this.#deps;
    const { tenant, sessionId } = context;
    const tool = toolSnapshot(row.runId).get(row.toolId);
    if (!approval || !tool) return this.#transitions.voided(row, context, "The tool is no longer there.");
    const opened = await restoreSecrets(this.#deps.vault, tenant, row.callId, row.executedInput);
    if (opened === undefined) return this.#transitions.voided(row, context, NO_SUCH_SECRET);
    const parsed = tool.parseInput(opened.input);
    if (!parsed.ok)
      return this.#transitions.voided(row, context, `The input is no longer valid: ${parsed.error}`);
    const verdict = await verdictFor(tenant, tool, parsed.value, sessionId, {
      approved: true,
      runId: row.runId,
      callId: row.callId,
      ...jobOf(context),
    });
    if (verdict.decision === "deny") return this.#transitions.voided(row, context, verdict.reason);
    if (tool.contractHash !== row.contractHash)
      return this.#transitions.voided(row, context, "The tool has changed since it was asked about.");
    const { signal } = context;
    const preview = await makePreview(
      tool,
      parsed.value,
      { signal, sessionId, approved: true },
      this.#deps.clock,
    );
    // A preview that was interrupted by a stop proves nothing.
    if (context.signal.aborted) return undefined;
    if (preview.problem !== undefined) return this.#transitions.voided(row, context, preview.problem);
    const asApproved =
      matchesApproval(this.#deps.sha256, row, approval, tool, preview.preview) &&
      asksAsApproved(verdict, approval, row.toolId, this.#deps.redact);
    if (asApproved) return undefined;
    return this.#transitions.askAgain(row, context, tool, verdict, preview.preview);
  }
}

const DEFERRED: ToolOutcome = { status: "deferred", text: "" };
const STEPS_MAX = 20;

/** Admits a new call: validates, decides, and writes its first durable row. */
class CallAdmission {
  readonly #deps: GateDeps;
  readonly #transitions: CallTransitions;
  readonly #programs: ProgramCalls;

  constructor(deps: GateDeps, transitions: CallTransitions, programs: ProgramCalls) {
    this.#deps = deps;
    this.#transitions = transitions;
    this.#programs = programs;
  }

  /** Returns undefined if the gateway is stopping; then nothing was written. */
  async admitCall(asked: ToolCall, given: ToolCallContext): Promise<CallRow | undefined> {
    const { vault, toolSnapshot, verdictFor, approver } = this.#deps;
    const { tenant, sessionId, runId } = given;
    const transitions = this.#transitions;
    const tool = toolSnapshot(runId).get(asked.toolId);
    if (!tool)
      return transitions.refuse(asked, given, undefined, unknownTool(asked.toolId, toolSnapshot(runId)));
    // A tool may be called by another name that it has; what is recorded is the tool.
    const call = { ...asked, toolId: tool.contract.id };
    const opened = await restoreSecrets(vault, tenant, call.callId, call.input);
    if (opened === undefined) return transitions.refuse(call, given, tool, NO_SUCH_SECRET);
    const parsed = tool.parseInput(opened.input);
    if (!parsed.ok) return transitions.refuse(call, given, tool, `${parsed.error}\nNothing was done.`);
    const vetted = await this.#programs.vet(tool, parsed.value, runId);
    if (vetted.problem !== undefined) return transitions.refuse(call, given, tool, vetted.problem);
    const context = { ...given, note: { ...given.note, ...vetted.note } };
    const input = await vault.storeSecrets(tenant, call.callId, parsed.value);
    const row = transitions.row(call, context, tool, input, await tool.target(parsed.value));
    for (let tries = 0; tries < ADMISSION_TRIES_MAX; tries++) {
      if (isStopping(context.signal)) return undefined;
      if (context.signal.aborted) return transitions.deny(row, context, stopperOf(context), RUN_OVER);
      const decided = await verdictFor(tenant, tool, parsed.value, sessionId, {
        runId,
        callId: row.callId,
        ...jobOf(context),
      });
      // T6
      if (context.job?.rehearsal && decided.decision !== "deny" && !isMadeInRehearsal(tool, decided)) {
        const listed = await this.#listed(row, context, tool, parsed.value, decided, vetted.checked);
        if (listed) return listed;
        continue;
      }
      const plan =
        approver && decided.decision === "allow" && vetted.checked
          ? await this.#programs.plan(vetted.checked, row, context)
          : undefined;
      // A dry run that was interrupted by a stop proves nothing.
      if (vetted.checked && context.signal.aborted) continue;
      const verdict = plan ? planVerdict(plan) : decided;
      if (verdict.decision === "deny")
        return transitions.deny(row, context, { kind: "policy", rule: verdict.rule }, verdict.reason);
      if (verdict.decision === "ask") {
        if (!approver) return transitions.deny(row, context, { kind: "none" }, NO_APPROVER);
        const planned = await this.#programs.planned(row, context, tool, parsed.value, verdict);
        if (planned) return transitions.approvedByPlan(row, context, planned);
        if (await this.#programs.askedTooOften(row, context))
          return transitions.deny(row, context, { kind: "policy", rule: "program.asks" }, ASKED_TOO_OFTEN);
        const asked = await transitions.ask(row, context, tool, parsed.value, verdict, plan);
        if (asked) return asked;
        continue;
      }
      const allowed = await transitions.allow(row, context, verdict);
      // The grant was revoked or used up in the meantime: decide again without it.
      if (allowed) return allowed;
    }
    return transitions.deny(
      row,
      context,
      { kind: "policy", rule: "gate.grant-gone" },
      "The permission it relied on was gone again and again.",
    );
  }

  /** A call of a rehearsal is listed with its preview, a program with the calls that it would make. Undefined if the run was stopped meanwhile. */
  async #listed(
    row: CallRow,
    context: ToolCallContext,
    tool: RegisteredTool,
    input: unknown,
    verdict: Verdict,
    program: CheckedProgram | undefined,
  ): Promise<CallRow | undefined> {
    if (program) {
      const seen = await this.#programs.rehearse(program, row, context);
      return seen && this.#transitions.listed(row, context, seen.calls, seen.gaps);
    }
    const planned = await planCall(this.#deps, tool, { input, shown: row.executedInput }, verdict, context);
    if (context.signal.aborted) return undefined;
    if (planned.problem !== undefined)
      return this.#transitions.refuseAtPreview(row, context, planned.problem);
    return this.#transitions.listed(row, context, [planned.call]);
  }
}

const ADMISSION_TRIES_MAX = 20;
const NO_APPROVER = "This call needs the owner's approval, and no approver is configured.";

function isStopping(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason === "shutdown";
}

/** Returns undefined if the input names a secret that is not stored for this call. */
async function restoreSecrets(
  vault: Vault,
  tenant: string,
  callId: string,
  sealed: unknown,
): Promise<{ input: unknown } | undefined> {
  try {
    return { input: await vault.open(tenant, callId, sealed) };
  } catch (error) {
    if (error instanceof FailureError && error.failure.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** Messages to the model about calls that could not start. */
const NO_SUCH_SECRET =
  "It names a secret that is not there for this call. Nothing was done. Ask the owner for it.";
const GIVEN_UP = "It was asked about too often.";

function unknownTool(toolId: string, toolSnapshot: ToolSnapshot): string {
  const known = toolSnapshot.list().map((t) => t.contract.id);
  const area = known.filter((id) => id.split(".")[0] === toolId.split(".")[0]);
  const shown = (area.length > 0 ? area : known).slice(0, 20).join(", ");
  return `${noSuchTool(toolId)} Nothing was done. ${shown === "" ? "There are no tools." : `There are: ${shown}.`}`;
}

interface Parts {
  readonly transitions: CallTransitions;
  readonly execution: CallExecution;
}

/**
 * Cleans up after a run: withdraws open questions and ends calls that are still `started`. Returns how
 * each call of the run ended.
 */
export async function closeRun(
  deps: GateDeps,
  parts: Parts,
  tenant: string,
  run: ClosedRun,
): Promise<ReadonlyMap<string, ToolOutcome>> {
  const context = contextOf(tenant, run);
  const decidedBy: Decider =
    run.by === "gateway" ? { kind: "policy", rule: "run.over" } : { kind: "owner", ...run.by };
  const outcomes = new Map<string, ToolOutcome>();
  for (const found of await deps.ledger.callsOfRun(tenant, run.runId)) {
    // An undo belongs to the owner, not to the run whose call it undoes.
    if (found.undoes !== undefined) continue;
    const outcome = await closeCall(deps, parts, found, context, decidedBy, RUN_OVER);
    if (outcome) outcomes.set(found.callId, outcome);
    if (found.toolId === PROGRAM_TOOL) await deps.programs?.drop(tenant, found.callId);
  }
  return outcomes;
}

/**
 * Cleans up after a program: its journal, and calls that it did not repeat because it took another
 * path or its dry run was interrupted.
 */
async function closeProgram(
  deps: GateDeps,
  parts: Parts,
  callId: string,
  context: ToolCallContext,
): Promise<void> {
  const { tenant, runId, signal } = context;
  const decidedBy: Decider = whoStopped(signal.reason)
    ? stopperOf(context)
    : { kind: "policy", rule: "program.over" };
  for (const row of await deps.ledger.callsOfRun(tenant, runId)) {
    if (!row.callId.startsWith(`${callId}.`) || row.undoes !== undefined || row.outcome) continue;
    await closeCall(deps, parts, row, context, decidedBy, PROGRAM_OVER);
  }
  await deps.programs?.drop(tenant, callId);
}

async function closeCall(
  deps: GateDeps,
  { transitions, execution }: Parts,
  found: CallRow,
  context: ToolCallContext,
  decidedBy: Decider,
  why: string,
): Promise<ToolOutcome | undefined> {
  const { ledger, approvals } = deps;
  const { tenant } = context;
  let row = found;
  // A pending approval may be granted concurrently; then the approved call is closed too.
  for (let step = 0; step < CLOSE_STEPS_MAX; step++) {
    if (row.state === "asked") await approvals.withdraw(tenant, row.approvalId ?? "", decidedBy, why);
    else if (row.state === "approved") await transitions.voided(row, context, why, decidedBy);
    else if (row.state === "started") await execution.close(row, context, decidedBy);
    else {
      await dropSecrets(deps, tenant, row.callId);
      break;
    }
    row = (await ledger.call(tenant, row.callId)) ?? row;
  }
  return row.outcome && toToolOutcome(row, row.outcome);
}

const CLOSE_STEPS_MAX = 4;
const RUN_OVER = "The run ended before this was done.";
const PROGRAM_OVER = "The program ended before this was done.";

/** A context for a call without listeners. */
function contextOf(tenant: string, run: Omit<ClosedRun, "by">): ToolCallContext {
  const nothing = () => undefined;
  return {
    tenant,
    sessionId: run.sessionId,
    runId: run.runId,
    surface: run.surface,
    signal: new AbortController().signal,
    entered: nothing,
    progress: nothing,
    started: nothing,
    waiting: nothing,
  };
}
