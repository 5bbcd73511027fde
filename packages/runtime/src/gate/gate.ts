import type { ActivityItem, SessionActivityItem } from "@elwood/core/tool/activity";
import type { Approval } from "@elwood/core/policy/approval";
import { FailureError } from "@elwood/core/base/failure";
import type { ToolSpec } from "@elwood/core/model/model";
import type { NewReceipt } from "@elwood/core/receipts/receipt";
import type { RuleOfTwo } from "@elwood/core/policy/rule-of-two";
import type { Run } from "@elwood/core/message/session";
import type {
  Agent,
  ClosedRun,
  Person,
  Recalled,
  RecallFact,
  ReplyFact,
  RunFact,
  ToolCall,
  ToolCallContext,
  RunRecorder,
  ToolHost,
  ToolOutcome,
} from "../ports/ports.ts";
import { outcomeOf, toldOf } from "./call-outcome.ts";
import { asApproved, isAsApproved, look } from "./asking.ts";
import { CallBook, stopperOf } from "./call-book.ts";
import { CallFacts } from "./call-facts.ts";
import { closeProgram, closeRun, contextOf, RUN_OVER } from "./close-run.ts";
import { dropSecrets } from "./drop-secrets.ts";
import type { GateDeps, OfferedTools } from "./gate-deps.ts";
import { Entrance, isStopping, openSealed } from "./entrance.ts";
import { GIVEN_UP, NO_SUCH_SECRET } from "./gate-words.ts";
import { mustWrite } from "./must-write.ts";
import type { CallRow } from "./ports.ts";
import { outerCallId, PROGRAM_TOOL } from "../programs/program-tools.ts";
import { ProgramCalls } from "./program-calls.ts";
import { openRuns, runReceipt } from "./open-runs.ts";
import { recordedRecall, recordRecall } from "./recall-record.ts";
import { recordedEnding, recordReply } from "./reply-record.ts";
import { runActivity, sessionActivity } from "./run-activity.ts";
import { Runner } from "./runner.ts";
import { Undo } from "./undo.ts";

/**
 * The gate: the only door to a side effect.
 *
 *   validate input → decide → (preview, ask, wait) → re-check → `started`, durable → handler
 *   → validate output → redact → receipt of the outcome
 *
 * T1 A call is known by its id. Asked again, it goes on from its row; it is never made twice.
 * T2 Nothing runs before `started` is durable. If it cannot be written, the call does not happen.
 * T3 After `started` only the handler's own answer is success or failure; all else is unknown.
 * T4 What was approved is what runs: the digest over tool, contract, input, what the preview
 *    showed and the rule that asked is computed again at the door, and a difference asks anew.
 * T5 Risk comes from the contract alone. Who decided is recorded as what it was.
 */
export class Gate implements ToolHost, RunRecorder {
  readonly #deps: GateDeps;
  readonly #book: CallBook;
  readonly #runner: Runner;
  readonly #programs: ProgramCalls;
  readonly #entrance: Entrance;
  readonly #undo: Undo;
  readonly #facts: CallFacts;
  /** Runs that have begun and made no call yet, by their id. */
  readonly #begun = new Map<string, NewReceipt>();
  /** The tools of runs in flight: a reload changes nothing for them, and what an agent was not given it cannot call. */
  readonly #offered = new Map<string, OfferedTools>();
  /** Tools that a run had loaded itself since its last step. */
  readonly #takenUp = new Map<string, Set<string>>();

  constructor(given: GateDeps) {
    const table = (runId?: string) =>
      (runId === undefined ? undefined : this.#offered.get(runId)?.table) ?? given.table();
    const deps: GateDeps = { ...given, table };
    this.#deps = deps;
    const facts = new CallFacts(deps.sha256, deps.salt);
    this.#facts = facts;
    this.#runner = new Runner(deps, facts);
    this.#programs = new ProgramCalls(deps, facts, this.#runner, this);
    this.#undo = new Undo(deps, facts, this.#runner);
    this.#book = new CallBook(deps, facts, (...call) => this.#runner.began(...call));
    this.#entrance = new Entrance(deps, this.#book, this.#programs);
  }

  specs(agent: Agent, runId: string): readonly ToolSpec[] {
    const known = this.#offered.get(runId);
    const takesUp = this.#takenUp.get(runId);
    this.#takenUp.delete(runId);
    if (known !== undefined && takesUp === undefined) return known.specs;
    const run = known && { holds: known.table, takesUp: takesUp ?? new Set<string>() };
    const offered = this.#deps.toolsOf(agent, run);
    this.#offered.set(runId, offered);
    return offered.specs;
  }

  /** The run had these loaded by a call of its own: from its next step on it has them as they are then. */
  takeUp(runId: string, toolIds: readonly string[]): void {
    if (!this.#offered.has(runId)) return;
    this.#takenUp.set(runId, new Set([...(this.#takenUp.get(runId) ?? []), ...toolIds]));
  }

  seal(tenant: string, callId: string, input: unknown): Promise<unknown> {
    return this.#deps.vault.seal(tenant, callId, input);
  }

  activity(tenant: string, runId: string): Promise<readonly ActivityItem[]> {
    return runActivity(this.#deps.ledger, tenant, runId, this.#deps.sha256);
  }

  sessionActivity(
    tenant: string,
    sessionId: string,
    query: { readonly runId: string; readonly limit?: number },
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
    this.#takenUp.delete(fact.runId);
    // A run that made no call did nothing that needs proof, and leaves no receipt.
    const madeNone = this.#begun.delete(fact.runId);
    if (madeNone && (await this.#deps.ledger.receipts(tenant, { runId: fact.runId, limit: 1 })).length === 0)
      return;
    await mustWrite(this.#deps.ledger, tenant, `run ${fact.runId}`, { receipts: [receipt], changes: [] });
  }

  openRuns(tenant: string): Promise<readonly string[]> {
    return openRuns(this.#deps.ledger, tenant);
  }

  head(tenant: string): { readonly size: number; readonly root: string } | undefined {
    return this.#deps.head?.(tenant);
  }

  async noteReply(tenant: string, fact: ReplyFact): Promise<void> {
    const first = this.#begun.get(fact.runId);
    await recordReply(this.#deps, this.#facts, tenant, fact, first);
    this.#begun.delete(fact.runId);
  }

  recordedEnding(tenant: string, runId: string): Promise<unknown> {
    return recordedEnding(this.#deps.ledger, tenant, runId);
  }

  async noteRecall(tenant: string, fact: RecallFact): Promise<void> {
    await recordRecall(this.#deps, this.#facts, tenant, fact, this.#begun.get(fact.runId));
    this.#begun.delete(fact.runId);
  }

  recordedRecall(tenant: string, runId: string): Promise<Recalled | undefined> {
    return recordedRecall(this.#deps.ledger, tenant, runId);
  }

  /** The run's first receipt stands before those of its first call. */
  async #noteBegun(tenant: string, runId: string): Promise<void> {
    const receipt = this.#begun.get(runId);
    if (!receipt) return;
    this.#begun.delete(runId);
    await mustWrite(this.#deps.ledger, tenant, `run ${runId}`, { receipts: [receipt], changes: [] });
  }

  async call(call: ToolCall, context: ToolCallContext): Promise<ToolOutcome> {
    if (isStopping(context.signal)) return LEFT;
    try {
      await this.#noteBegun(context.tenant, context.runId);
      const row =
        (await this.#deps.ledger.call(context.tenant, call.callId)) ??
        (await this.#entrance.enter(call, context));
      if (!row) return LEFT;
      context.entered();
      const outcome = await this.#goOn(row, context);
      if (row.toolId === PROGRAM_TOOL && outcome.status !== "left")
        await closeProgram(this.#deps, { book: this.#book, runner: this.#runner }, row.callId, context);
      return outcome;
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      // T2: what cannot be written down does not happen.
      this.#deps.log.error("a call could not be recorded", {
        call: call.callId,
        tool: call.toolId,
        reason: error.failure.reason,
      });
      throw error;
    }
  }

  /** Takes the effect of an ended call back, as a call of its own with receipts of its own. */
  undo(tenant: string, callId: string, context: ToolCallContext, by: Person): Promise<ToolOutcome> {
    return this.#undo.make(tenant, callId, context, by);
  }

  closeRun(tenant: string, run: ClosedRun): Promise<ReadonlyMap<string, ToolOutcome>> {
    return closeRun(this.#deps, { book: this.#book, runner: this.#runner }, tenant, run);
  }

  async settleLeft(tenant: string, open: ReadonlySet<string>): Promise<void> {
    // Sealed for a call that was never journaled, or that ended: nobody will ask for it.
    for (const callId of await this.#deps.vault.held(tenant))
      if (!open.has(outerCallId(callId))) await dropSecrets(this.#deps, tenant, callId);
    await this.#deps.programs?.sweep(tenant, open);
    // What was being taken back is in doubt like any other call, but belongs to no run.
    for (const row of await this.#deps.ledger.startedUndos(tenant)) {
      const context = contextOf(tenant, { runId: row.runId, sessionId: row.sessionId, surface: "gateway" });
      await this.#runner.close(row, context, { kind: "policy", rule: "run.over" });
    }
  }

  /** T1: from wherever the row stands to its outcome. */
  async #goOn(first: CallRow, context: ToolCallContext): Promise<ToolOutcome> {
    const { ledger, approvals } = this.#deps;
    const { tenant, signal } = context;
    let row = first;
    /** As it was decided; that never changes any more. */
    let approval: Approval | undefined;
    for (let step = 0; step < STEPS_MAX; step++) {
      if (row.outcome && row.state !== "started") {
        // It will never run any more, so its secrets need not be kept.
        await dropSecrets(this.#deps, tenant, row.callId);
        return toldOf(row, row.outcome);
      }
      if (row.state === "asked") {
        approval = await this.#waitFor(row, context);
        if (!approval && signal.reason === "shutdown") return LEFT;
        if (!approval) await approvals.withdraw(tenant, row.approvalId ?? "", stopperOf(context), RUN_OVER);
        if (approval?.status === "approved") {
          if (isStopping(signal)) return LEFT;
          row = asApproved(row, approval);
          continue;
        }
      } else if (row.state === "approved") {
        if (approval?.id !== row.approvalId) approval = await ledger.approval(tenant, row.approvalId ?? "");
        const again = await this.#recheck(row, context, approval);
        if (again) row = again;
        else if (isStopping(signal)) return LEFT;
        else if (signal.aborted) await this.#book.voided(row, context, RUN_OVER, stopperOf(context));
        else {
          const started = await this.#book.start(row, context, approval);
          if (started) {
            row = started;
            continue;
          }
        }
      } else if (row.state === "started") {
        const runs = row.toolId === PROGRAM_TOOL ? this.#programs : this.#runner;
        const outcome = await runs.run(row, context);
        return outcome ?? LEFT;
      }
      row = (await ledger.call(tenant, row.callId)) ?? row;
      if (isStopping(signal) && row.state !== "started") return LEFT;
    }
    if (row.state === "asked")
      await approvals.withdraw(
        tenant,
        row.approvalId ?? "",
        { kind: "policy", rule: "gate.asked-too-often" },
        GIVEN_UP,
      );
    return outcomeOf("loop", "This call was asked about too often and was given up. It was not made.");
  }

  /** undefined where the run was stopped, or the gateway is stopping, before anybody decided. */
  async #waitFor(row: CallRow, context: ToolCallContext): Promise<Approval | undefined> {
    context.waiting(true);
    try {
      return await this.#deps.approvals.wait(context.tenant, row.approvalId ?? "", context.signal);
    } finally {
      context.waiting(false);
    }
  }

  /** T4: undefined where what was approved is what would run; else the row that asks anew. */
  async #recheck(
    row: CallRow,
    context: ToolCallContext,
    approval: Approval | undefined,
  ): Promise<CallRow | undefined> {
    const { table, verdictFor } = this.#deps;
    const { tenant, sessionId } = context;
    const tool = table(row.runId).get(row.toolId);
    if (!approval || !tool) return this.#book.voided(row, context, "The tool is no longer there.");
    const opened = await openSealed(this.#deps.vault, tenant, row.callId, row.executedInput);
    if (opened === undefined) return this.#book.voided(row, context, NO_SUCH_SECRET);
    const parsed = tool.parseInput(opened.input);
    if (!parsed.ok) return this.#book.voided(row, context, `The input is no longer valid: ${parsed.error}`);
    const verdict = await verdictFor(tenant, tool, parsed.value, sessionId, { approved: true });
    if (verdict.decision === "deny") return this.#book.voided(row, context, verdict.reason);
    if (tool.contractHash !== row.contractHash)
      return this.#book.voided(row, context, "The tool has changed since it was asked about.");
    const preview = await look(tool, parsed.value, context, this.#deps.clock);
    // A stop in the middle of looking says nothing about what was looked at.
    if (context.signal.aborted) return undefined;
    if (preview.problem !== undefined) return this.#book.voided(row, context, preview.problem);
    if (isAsApproved(this.#deps.sha256, row, approval, tool, preview.preview)) return undefined;
    return this.#book.askAgain(row, context, tool, verdict, preview.preview);
  }
}

const LEFT: ToolOutcome = { status: "left", text: "" };
const STEPS_MAX = 20;
