import { deedOf, headingOf } from "@elwood/core/tool/tool-words";
import {
  type Approval,
  type ApprovalCard,
  type ApprovalDecision,
  approvalDigest,
  EDITED_INPUT,
  type Grant,
  type GrantScope,
} from "@elwood/core/policy/approval";
import { fail } from "@elwood/core/base/failure";
import type {
  Decider,
  NewReceipt,
  NewReceiptOf,
  ReceiptPayloads,
  ReceiptType,
  Sha256,
} from "@elwood/core/receipts/receipt";
import type { Clock, Ids, Log, Person, ToolCallContext } from "../ports/ports.ts";
import { errorOutcome } from "./call-outcome.ts";
import type { Body, CallRow, Ledger, LedgerChange, RegisteredTool } from "../ports/gate-ports.ts";
import { stopMark } from "./receipt-factory.ts";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { LIMITS } from "@elwood/core/base/limits";
import { remembered } from "@elwood/core/base/remembered";
import { highestRisk, type Plan, PLAN_WORD, type PlanItem, shownChars } from "@elwood/core/tool/plan";
import { MODE_LAYER, offersLonger, type Verdict } from "@elwood/core/policy/policy";
import { suggestedLabel, type ToolClaims } from "@elwood/core/tool/tool-label";
import type { Redactor } from "@elwood/core/base/redact";
import { CARD_CHARS_MAX, showLine } from "@elwood/core/base/show";
import type { RunJob } from "@elwood/core/schedule/job-binding";
import type { Preview } from "@elwood/core/tool/tool";
import { TimedOut, withinTime, withTimeout } from "../async/deadline.ts";
import {
  criticalArguments,
  hostMatchOf,
  type GrantConstraint,
  type GrantKey,
} from "@elwood/core/policy/grant";

export interface ApprovalsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export type ApprovalEvent =
  | { readonly kind: "requested"; readonly tenant: string; readonly approval: Approval }
  | { readonly kind: "resolved"; readonly tenant: string; readonly approval: Approval };

export interface Answer {
  readonly decision: ApprovalDecision | "deny";
  readonly note?: string;
  /** What will run instead; checked before it comes here. */
  readonly edited?: EditedInput;
  /** The grant that a window or always decision makes. */
  readonly grant?: Grant;
  /** What it covers, for the receipt to commit to. */
  readonly grantBounds?: Body;
}

export interface EditedInput {
  /** Its secrets sealed. */
  readonly input: unknown;
  /** What the call is about now. */
  readonly target?: string;
  /** What the approval's receipt commits to: the input, in this body, and the target. */
  readonly commits: { readonly inputCommit: string; readonly targetCommit?: string };
  readonly body: Body;
}

type Decided = { readonly approval: Approval; readonly won: boolean };

/** A decision that is being written. */
interface Deciding {
  readonly before: Approval;
  /** As it will stand, once its call may go on although the decision is not on disk yet. */
  applied?: Approval;
  /** Resolves once everybody was told of it, or it could not be stored. */
  readonly told: Promise<void>;
}

/**
 * Approvals are rows. This class decides them, lets calls wait for them, and ends them
 * when their time is over.
 *
 * A1 The first answer wins: the ledger refuses a second, and whoever gives one is told the first.
 * A2 The decision, its receipt and the call's next state are one write.
 * A3 Waiting is only a wait for a row to change; a restart loses nothing but the wait.
 * A4 Expired is not denied: the receipt says that time was over, and nobody decided.
 */
export class Approvals {
  readonly #deps: ApprovalsDeps;
  readonly #waiters = new Waiters<Approval>();
  readonly #listeners = new Set<(event: ApprovalEvent) => void>();
  /** Wakes the sweep of a tenant, by tenant. */
  readonly #sweeping = new Map<string, AbortController>();
  /** What was asked or decided last; mostly this is what somebody looks for next. Nothing while a decision is written. */
  #fresh: { readonly tenant: string; readonly approval: Approval } | undefined;
  /** Approvals whose decision is being written; whoever waits for one is woken afterwards, whatever came of it. */
  readonly #deciding = new Map<string, Deciding>();

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
  }

  onEvent(listener: (event: ApprovalEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The row was written; whoever can decide is told. */
  requested(tenant: string, approval: Approval): void {
    this.#fresh = { tenant, approval };
    this.#emit({ kind: "requested", tenant, approval });
    this.#sweeping.get(tenant)?.abort();
  }

  /** As it stands; what is decided at this very moment may still be shown as pending (A1). */
  async find(tenant: string, approvalId: string): Promise<Approval | undefined> {
    const fresh = this.#fresh;
    if (fresh?.approval.id === approvalId && fresh.tenant === tenant) return fresh.approval;
    const approval = await this.#deps.ledger.approval(tenant, approvalId);
    return approval && this.asTold(approval);
  }

  /** As everybody may know it: what is decided at this very moment stands as it was until the decision is on disk. */
  asTold(approval: Approval): Approval {
    return this.#deciding.get(approval.id)?.before ?? approval;
  }

  /** Resolves when the approval is no longer pending, or the signal fires. */
  async wait(tenant: string, approvalId: string, signal: AbortSignal): Promise<Approval | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      // Heard before the row is read: a change in between is not missed.
      const { changed, leave } = this.#waiters.join(approvalId, signal);
      try {
        const deciding = this.#deciding.get(approvalId);
        if (deciding?.applied) return deciding.applied;
        // What is being decided at this moment is told in a moment.
        if (!deciding) {
          const approval = await this.find(tenant, approvalId);
          if (!approval) fail("NOT_FOUND", `There is no approval ${approvalId}.`);
          if (approval.status !== "pending") return approval;
        }
        const decided = await changed;
        if (decided) return decided;
      } finally {
        leave();
      }
    }
  }

  /**
   * A person's answer to an approval, by its id or as it was just read: where another answer
   * came since, the ledger knows (A1). The approval as it stands afterwards, and whether this
   * answer made it so.
   */
  async answer(tenant: string, asked: string | Approval, person: Person, answer: Answer): Promise<Decided> {
    const { clock } = this.#deps;
    const approval = typeof asked === "string" ? await this.#known(tenant, asked) : asked;
    if (approval.status !== "pending") return { approval, won: false };
    const approvalId = approval.id;
    const at = clock.now();
    if (approval.expiresAt <= at) return this.#tooLate(tenant, approval);
    const decidedBy: Decider = { kind: "owner", id: person.id, surface: person.surface };
    const allowed = answer.decision !== "deny";
    const changes: LedgerChange[] = [
      {
        kind: "approval.decide",
        approvalId,
        status: allowed ? "approved" : "denied",
        decidedBy,
        at,
        ...(answer.decision === "deny" ? {} : { decision: answer.decision }),
        ...(answer.note === undefined ? {} : { note: answer.note }),
        ...(answer.edited === undefined ? {} : { editedInput: answer.edited.input }),
        ...(answer.grant ? { grantId: answer.grant.id } : {}),
      },
      callChangeFor(approval, allowed, at, answer),
      ...(answer.edited ? [{ kind: "body.put" as const, body: answer.edited.body }] : []),
      ...(answer.grant ? [{ kind: "grant.new" as const, grant: answer.grant }] : []),
      ...(answer.grantBounds ? [{ kind: "body.put" as const, body: answer.grantBounds }] : []),
    ];
    const about = decisionFacts(approval, decidedBy);
    const note = answer.note === undefined ? {} : { note: answer.note };
    const receipts: NewReceipt[] = [
      answer.decision === "deny"
        ? this.#receipt(approval, "tool.call.denied", decidedBy, { ...about, ...note })
        : this.#receipt(approval, "tool.call.approved", decidedBy, {
            ...about,
            decision: answer.decision,
            ...note,
            ...(answer.edited === undefined ? {} : { edited: true, ...answer.edited.commits }),
          }),
      ...(answer.grant
        ? [
            this.#receipt(approval, "grant.created", decidedBy, {
              ...about,
              grantId: answer.grant.id,
              words: answer.grant.words,
              ...(answer.grantBounds ? { boundsCommit: answer.grantBounds.commit } : {}),
            }),
          ]
        : []),
    ];
    const decided = await this.#decide(tenant, approval, receipts, changes, { goesOn: allowed });
    return decided.won ? decided : { approval: await this.#known(tenant, approvalId), won: false };
  }

  async #known(tenant: string, approvalId: string): Promise<Approval> {
    await this.told(approvalId);
    const approval = await this.#deps.ledger.approval(tenant, approvalId);
    return approval ?? fail("NOT_FOUND", `There is no approval ${approvalId}. Nothing was decided.`);
  }

  /** The owner answers a question of the model's, or says what became of a call in doubt. Kept as the approval's note. */
  async reply(tenant: string, questionId: string, person: Person, text: string): Promise<Decided> {
    const { clock } = this.#deps;
    const question = await this.find(tenant, questionId);
    if (!question || question.card.kind === "approval")
      fail("NOT_FOUND", `There is no question ${questionId}. Nothing was answered.`);
    if (question.status !== "pending") return { approval: question, won: false };
    const at = clock.now();
    if (question.expiresAt <= at) return this.#tooLate(tenant, question);
    const decidedBy: Decider = { kind: "owner", id: person.id, surface: person.surface };
    const decide: LedgerChange = {
      kind: "approval.decide",
      approvalId: questionId,
      status: "approved",
      decidedBy,
      at,
      note: text,
    };
    const receipts =
      question.card.kind === "settle"
        ? [
            this.#receipt(question, "tool.call.settled", decidedBy, {
              ...decisionFacts(question, decidedBy),
              by: "owner",
              outcome: text,
            }),
          ]
        : [];
    return this.#decide(tenant, question, receipts, [decide]);
  }

  /** The run that asked is over: nobody needs to decide any more. Says who or what ended it, not that a person denied. */
  async withdraw(tenant: string, approvalId: string, decidedBy: Decider, note: string): Promise<void> {
    const { ledger, clock } = this.#deps;
    const approval = await ledger.approval(tenant, approvalId);
    if (approval?.status !== "pending") return;
    const at = clock.now();
    const outcome = errorOutcome("denied", `${note} This call was not made.`);
    const callId = approval.callId;
    const move: LedgerChange = { kind: "call.move", callId, from: ["asked"], to: "denied", at, outcome };
    const asksForCall = approval.card.kind === "approval";
    await this.#decide(
      tenant,
      approval,
      asksForCall
        ? [
            this.#receipt(approval, "tool.call.denied", decidedBy, {
              ...decisionFacts(approval, decidedBy),
              note,
              ...stopMark(decidedBy),
            }),
          ]
        : [],
      [
        { kind: "approval.decide", approvalId, status: "denied", decidedBy, at, note },
        ...(asksForCall ? [move] : []),
      ],
    );
  }

  /** Time was over before the answer came, even if the sweep has not been by yet. */
  async #tooLate(tenant: string, approval: Approval): Promise<Decided> {
    await this.expire(tenant, approval);
    return { approval: (await this.#deps.ledger.approval(tenant, approval.id)) ?? approval, won: false };
  }

  /** A4 */
  async expire(tenant: string, approval: Approval): Promise<void> {
    const at = this.#deps.clock.now();
    const decidedBy: Decider = { kind: "expiry" };
    const changes: LedgerChange[] = [
      { kind: "approval.decide", approvalId: approval.id, status: "expired", decidedBy, at },
    ];
    const asksForCall = approval.card.kind === "approval";
    if (asksForCall) {
      changes.push({
        kind: "call.move",
        callId: approval.callId,
        from: ["asked"],
        to: "expired",
        at,
        outcome: errorOutcome(
          "expired",
          "Nobody decided in time, so this call was not made. The owner did not deny it.",
        ),
      });
    }
    const receipts = asksForCall
      ? [this.#receipt(approval, "tool.call.expired", decidedBy, decisionFacts(approval, decidedBy))]
      : [];
    await this.#decide(tenant, approval, receipts, changes);
  }

  /** Ends what is overdue, now and whenever something becomes so, until the signal fires. Driven by rows, not by timers of requests. */
  async sweep(tenant: string, stopped: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    while (!stopped.aborted) {
      const wake = new AbortController();
      this.#sweeping.set(tenant, wake);
      const woken = AbortSignal.any([stopped, wake.signal]);
      try {
        await clock.sleep(await this.#expireOverdue(tenant), woken);
      } catch (error) {
        // A disk that is full now may not be so later; what is overdue stays overdue.
        log.error("approvals could not be looked through; it is tried again", { error });
        await clock.sleep(SWEEP_RETRY_MS, woken);
      }
    }
    this.#sweeping.delete(tenant);
  }

  /** How long until the next one is due. */
  async #expireOverdue(tenant: string): Promise<number> {
    const { ledger, clock, log } = this.#deps;
    for (const approval of await ledger.overdue(tenant, clock.now())) {
      await this.expire(tenant, approval);
      log.info("an approval expired", { approval: approval.id, tool: approval.toolId });
    }
    const next = await ledger.nextExpiry(tenant);
    if (next === undefined) return SWEEP_MS_MAX;
    return Math.min(SWEEP_MS_MAX, Math.max(SWEEP_MS_MIN, next - clock.now()));
  }

  /**
   * One write. Whoever waits looks again even where it failed: a disk may have taken it and say otherwise. A call that
   * was allowed and `goesOn` writes again before it does anything, so it is woken without waiting for the disk; whoever
   * decided, and everybody else, is told after that.
   */
  async #decide(
    tenant: string,
    approval: Approval,
    receipts: readonly NewReceipt[],
    changes: readonly LedgerChange[],
    { goesOn = false }: { readonly goesOn?: boolean } = {},
  ): Promise<Decided> {
    const { ledger } = this.#deps;
    // Before the write: whoever looks from now on looks at the row, or is woken by what follows.
    this.#fresh = undefined;
    const telling = Promise.withResolvers<void>();
    const deciding: Deciding = { before: approval, told: telling.promise };
    const isFirst = !this.#deciding.has(approval.id);
    if (isFirst) this.#deciding.set(approval.id, deciding);
    let decided: Approval | undefined;
    const applied = () => {
      decided = changes.reduce(applyDecision, approval);
      deciding.applied = decided;
      this.#waiters.wake(approval.id, decided);
    };
    try {
      const { ok: won } = await ledger.write(tenant, { receipts, changes, ...(goesOn && { applied }) });
      if (!won) {
        // Where another answer was first, it is told once that is on disk.
        if (!isFirst) await this.told(approval.id);
        return { approval: (await ledger.approval(tenant, approval.id)) ?? approval, won };
      }
      decided ??= changes.reduce(applyDecision, approval);
      this.#fresh = { tenant, approval: decided };
      this.#emit({ kind: "resolved", tenant, approval: decided });
      return { approval: decided, won };
    } finally {
      if (isFirst) this.#deciding.delete(approval.id);
      this.#waiters.wake(approval.id, decided);
      telling.resolve();
    }
  }

  /**
   * Resolves once a decision is told that is being written, or could not be stored, or the signal fires. A call that went
   * on ahead of its decision begins behind it for everybody who follows both.
   */
  async told(approvalId: string | undefined, signal?: AbortSignal): Promise<void> {
    const deciding = approvalId === undefined ? undefined : this.#deciding.get(approvalId);
    if (!deciding) return;
    await (signal ? unlessAborted(deciding.told, signal) : deciding.told);
  }

  #emit(event: ApprovalEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #receipt<T extends ReceiptType>(
    approval: Approval,
    type: T,
    decidedBy: Decider,
    payload: ReceiptPayloads[T],
  ): NewReceiptOf<T> {
    const owner = decidedBy.kind === "owner" ? decidedBy : undefined;
    return {
      type,
      runId: approval.runId,
      callId: approval.callId,
      actor: owner?.id ?? "gateway",
      surface: owner?.surface ?? "gateway",
      payload,
    };
  }
}

/** What every receipt of a decision says. */
function decisionFacts({ toolId, id: approvalId, digest }: Approval, decidedBy: Decider) {
  return { toolId, approvalId, digest, decidedBy };
}

/** The ledger change that a person's decision makes to its call. */
function callChangeFor(approval: Approval, allowed: boolean, at: number, answer: Answer): LedgerChange {
  const move = { kind: "call.move" as const, callId: approval.callId, from: ["asked" as const], at };
  if (allowed) {
    const { edited } = answer;
    return {
      ...move,
      to: "approved",
      ...(edited === undefined ? {} : { executedInput: edited.input }),
      ...(edited?.target === undefined ? {} : { target: edited.target }),
    };
  }
  const note = answer.note === undefined || answer.note === "" ? "" : ` Their note: ${answer.note}`;
  return {
    ...move,
    to: "denied",
    outcome: errorOutcome("denied", `Denied by the owner; nothing was done.${note}${planOf(approval)}`),
  };
}

const PLAN_LINES_MAX = 20;

/** What a program would have done, so that a part of it can be done without looking again. */
function planOf({ card }: Approval): string {
  const items = card.plan ?? [];
  if (items.length === 0) return "";
  const lines = items.slice(0, PLAN_LINES_MAX).map(({ summary }, i) => `${i + 1}. ${showLine(summary)}`);
  const more = items.length > lines.length ? [`… and ${items.length - lines.length} more`] : [];
  return `\nIt would have been:\n${[...lines, ...more].join("\n")}`;
}

/** The approval as it is once the ledger has applied the change. */
function applyDecision(approval: Approval, change: LedgerChange): Approval {
  if (change.kind !== "approval.decide" || change.approvalId !== approval.id) return approval;
  const { status, decidedBy, at: decidedAt, decision, note, editedInput, grantId } = change;
  return {
    ...approval,
    status,
    decidedBy,
    decidedAt,
    ...(decision === undefined ? {} : { decision }),
    ...(note === undefined ? {} : { note }),
    ...(editedInput === undefined ? {} : { editedInput }),
    ...(grantId === undefined ? {} : { grantId }),
  };
}

const SWEEP_MS_MAX = 10 * 60_000;
const SWEEP_MS_MIN = 1;
const SWEEP_RETRY_MS = 5_000;

/**
 * Those who wait for a row to change. Waking is a hint to look again, and the row alone is the
 * truth; whoever has just written the row for the last time may hand it over.
 */
class Waiters<Row> {
  readonly #waiting = new Map<string, Set<(row?: Row) => void>>();

  /** `changed` resolves at the next wake of this row, or when the signal fires. Call `leave` whatever happens. */
  join(
    rowId: string,
    signal: AbortSignal,
  ): { readonly changed: Promise<Row | undefined>; readonly leave: () => void } {
    const { promise, resolve } = Promise.withResolvers<Row | undefined>();
    const wake = (row?: Row) => resolve(row);
    const aborted = () => resolve(undefined);
    const waiters = this.#waiting.get(rowId) ?? new Set();
    this.#waiting.set(rowId, waiters.add(wake));
    signal.addEventListener("abort", aborted, { once: true });
    const leave = () => {
      signal.removeEventListener("abort", aborted);
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiting.delete(rowId);
    };
    return { changed: promise, leave };
  }

  wake(rowId: string, row?: Row): void {
    for (const wake of this.#waiting.get(rowId) ?? []) wake(row);
  }
}

interface ApprovalRequestDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly approvalMs: number;
  readonly redact: Redactor;
}

/** Who asks, as the run was begun. */
type Asker = Pick<ToolCallContext, "surface" | "asker">;

function askerOf({ surface, asker }: Asker): Pick<ApprovalCard, "surface" | "asker"> {
  return { surface, ...(asker === undefined ? {} : { asker }) };
}

/** Creates the approval that asks whether a call may run. */
export function newApproval(
  deps: ApprovalRequestDeps & Asker & { readonly job?: RunJob },
  row: CallRow,
  tool: RegisteredTool,
  verdict: Verdict,
  preview: Preview | undefined,
  scopes: readonly GrantScope[],
  plan?: Plan,
): Approval {
  const digest = approvalDigestOf(deps.sha256, tool, row.executedInput, preview, verdict.rule);
  // The preview was made from the input with secrets; the card is stored and shown.
  const shown = preview && withoutSecrets(preview, deps.redact);
  const why = { ...verdict, reason: deps.redact(verdict.reason) };
  const card = makeCard(tool, row.executedInput, why, shown, row.target, scopes, plan);
  const { job } = deps;
  return pending(deps, row, digest, { ...card, ...askerOf(deps), ...(job ? { job } : {}) });
}

/** Redacts a preview, which was made from the input with its secrets. */
export function withoutSecrets(preview: Preview, redact: Redactor): Preview {
  const { sentence, before, after, subject, base, ...rest } = preview;
  return {
    ...rest,
    sentence: redact(sentence),
    ...(before === undefined ? {} : { before: redact(before) }),
    ...(after === undefined ? {} : { after: redact(after) }),
    ...(subject === undefined ? {} : { subject: redact(subject) }),
    ...(base === undefined ? {} : { base: redact(base) }),
  };
}

/** Creates the approval that asks the owner a question; the answer is the call's result. */
export function newQuestion(
  deps: ApprovalRequestDeps,
  row: CallRow,
  tool: RegisteredTool,
  asker: Asker,
): Approval {
  // Checked by the tool's own schema before the call was recorded.
  const { question, options } = row.executedInput as { question: string; options?: string[] };
  return pending(deps, row, "", {
    ...askerOf(asker),
    kind: "question",
    toolId: row.toolId,
    summary: showLine(question),
    input: row.executedInput,
    risk: tool.contract.risk,
    rule: "owner.question",
    reason: "The assistant asks you something.",
    sources: [],
    ...(options ? { options } : {}),
    decisions: [],
    showable: true,
  });
}

/** Creates the question that a tool asks in the middle of its call. Its answer goes to the tool, and is no word of the owner's to the assistant. */
export function newToolQuestion(
  deps: ApprovalRequestDeps,
  row: CallRow,
  question: string,
  options: readonly string[],
): Approval {
  return pending(deps, row, "", {
    kind: "question",
    toolId: row.toolId,
    summary: showLine(question),
    input: { question, ...(options.length > 0 ? { options } : {}) },
    risk: row.risk,
    rule: "tool.question",
    reason: "A tool asks you something. Your answer goes to it.",
    sources: [],
    ...(options.length > 0 ? { options } : {}),
    decisions: [],
    showable: true,
  });
}

/** What the model must know about the approval: an edited input, and the owner's note. */
export function ownerRemarks(approval: Approval | undefined): string | undefined {
  if (approval?.card.kind !== "approval") return undefined;
  const { editedInput, note } = approval;
  const words = [
    ...(editedInput === undefined ? [] : [`${EDITED_INPUT} It ran with ${JSON.stringify(editedInput)}.`]),
    ...(note === undefined ? [] : [`The owner says: ${note}`]),
  ];
  return words.length === 0 ? undefined : words.join(" ");
}

/** Creates the approval that asks the owner whether a call without an answer took effect. */
export function newOutcomeQuestion(deps: ApprovalRequestDeps, row: CallRow, reason: string): Approval {
  const target = row.target === undefined ? undefined : showLine(row.target);
  // What a call of an MCP server's tool is about has the tool's name already.
  const about = target === undefined || row.toolId.startsWith("mcp-") ? target : `${row.toolId} → ${target}`;
  return pending(deps, row, "", {
    kind: "settle",
    toolId: row.toolId,
    summary: `Did this happen? ${row.undoes === undefined ? "" : "undo of "}${about ?? row.toolId}`,
    input: row.executedInput,
    risk: row.risk,
    rule: "gate.in-doubt",
    reason,
    sources: [],
    options: ["happened", "did-not-happen"],
    decisions: [],
    showable: true,
  });
}

function pending(deps: ApprovalRequestDeps, row: CallRow, digest: string, card: ApprovalCard): Approval {
  const createdAt = deps.clock.now();
  return {
    id: deps.ids.next("approval"),
    callId: row.callId,
    runId: row.runId,
    sessionId: row.sessionId,
    toolId: row.toolId,
    digest,
    card,
    status: "pending",
    createdAt,
    expiresAt: createdAt + deps.approvalMs,
  };
}

/** Rules are few, and each asks again and again. */
const ruleHashes = new WeakMap<Sha256, (rule: string) => string>();

function ruleHashOf(rule: string, sha256: Sha256): string {
  const known = ruleHashes.get(sha256) ?? remembered((text) => sha256(text));
  ruleHashes.set(sha256, known);
  return known(rule);
}

export function approvalDigestOf(
  sha256: Sha256,
  tool: RegisteredTool,
  input: unknown,
  preview: Preview | undefined,
  rule: string,
): string {
  return approvalDigest(
    {
      toolId: tool.contract.id,
      contractHash: tool.contractHash,
      input,
      beforeHash: preview?.before === undefined ? "" : sha256(preview.before),
      ruleHash: ruleHashOf(rule, sha256),
    },
    sha256,
  );
}

/** The row after the approval, which was written in the same unit. */
export function withApprovedInput(row: CallRow, { editedInput }: Approval): CallRow {
  return { ...row, state: "approved", ...(editedInput === undefined ? {} : { executedInput: editedInput }) };
}

/** Whether the call that would run now is the one the owner approved. */
export function matchesApproval(
  sha256: Sha256,
  row: CallRow,
  approval: Approval,
  tool: RegisteredTool,
  preview: Preview | undefined,
): boolean {
  if (tool.contractHash !== row.contractHash) return false;
  if (approval.editedInput !== undefined) {
    // The owner wrote this input, so there is no preview to compare with.
    return canonicalJson(approval.editedInput) === canonicalJson(row.executedInput);
  }
  const { plan, rule } = approval.card;
  // A call of a program whose plan was allowed: one of those that were listed.
  const item = plan?.find(({ toolId }) => toolId === row.toolId);
  if (plan && item) {
    const digest = (asked: string) => approvalDigestOf(sha256, tool, row.executedInput, preview, asked);
    return plan.some((each) => each.toolId === row.toolId && each.digest === digest(each.rule));
  }
  return approvalDigestOf(sha256, tool, row.executedInput, preview, rule) === approval.digest;
}

/**
 * Whether what asks now is what the owner was asked for. The mode's question stands for itself:
 * the owner has said yes to the call. What asks for another reason than then, such as a file
 * that became one of an agent's, is asked about again; that one of several reasons is gone, since
 * the tool was labelled, is none.
 */
export function asksAsApproved(
  now: Verdict,
  { card, editedInput }: Approval,
  toolId: string,
  redact: Redactor,
): boolean {
  // An edited input is the owner's own, and was decided by what they wrote.
  if (now.decision !== "ask" || now.layer === MODE_LAYER || editedInput !== undefined) return true;
  const listed = card.plan?.filter((item) => item.toolId === toolId) ?? [];
  if (listed.length > 0) return listed.some(({ rule }) => rule === now.rule);
  return card.rule === now.rule && (now.rule === "owner.ask" || card.reason.includes(redact(now.reason)));
}

export type PreviewResult =
  | { readonly preview: Preview | undefined; readonly problem?: undefined }
  | { readonly problem: string };

/**
 * A failing preview means that the input cannot work: the model gets the problem, and nobody is asked.
 * Until the owner has allowed the call (`approved`), nothing leaves this machine to show it.
 */
export async function makePreview(
  tool: RegisteredTool,
  input: unknown,
  {
    signal,
    sessionId,
    approved,
  }: { readonly signal: AbortSignal; readonly sessionId: string; readonly approved?: boolean },
  clock: Pick<Clock, "sleep">,
): Promise<PreviewResult> {
  if (!tool.preview) return { preview: undefined };
  const preview = tool.preview.bind(tool);
  try {
    const about = { session: sessionId, ...(approved === true && { approved }) };
    return {
      preview: await withTimeout(clock, LIMITS.toolPreviewMs, (told) => preview(input, told, about), signal),
    };
  } catch (error) {
    if (error instanceof TimedOut)
      return {
        problem: `${tool.contract.id} could not show what this call would change (${error.message}), so nobody can decide about it. Nothing was done.`,
      };
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** What the owner decides by: the whole call, and why they are asked. */
function makeCard(
  tool: RegisteredTool,
  input: unknown,
  verdict: Verdict,
  preview: Preview | undefined,
  target: string | undefined,
  scopes: readonly GrantScope[],
  plan?: Plan,
): ApprovalCard {
  const { contract } = tool;
  // Cards of Elwood's own tools are worded by their ids; another tool is known by what it says it does.
  const isOwn = tool.source === undefined || tool.source === "built-in";
  // What is claimed of a tool of somebody else begins with its name and whose it is.
  const about = target === undefined || tool.claims ? "" : `${isOwn ? " " : ": "}${showLine(target)}`;
  const named = isOwn ? contract.id : (tool.claims?.heading ?? headingOf(contract));
  const summary = showLine(preview?.sentence ?? `${named}${about}`);
  // A plan's own preview only repeats its calls.
  const size = plan
    ? JSON.stringify(input).length + plan.items.reduce((sum, item) => sum + shownChars(item), 0)
    : JSON.stringify({ input, preview }).length;
  return {
    kind: "approval",
    toolId: contract.id,
    summary,
    input,
    risk: highestRisk([contract.risk, ...(plan?.items ?? []).map(({ risk }) => risk)]),
    ...(preview ? { preview } : {}),
    rule: verdict.rule,
    reason: verdict.reason,
    sources: verdict.sources ?? [],
    decisions: scopes.length > 0 ? ["once", "window", "always"] : ["once"],
    ...(scopes.length > 0 ? { scopes } : {}),
    ...(plan ? { plan: plan.items, seen: plan.seen, ...confirming(plan.items) } : {}),
    ...(tool.claims && tool.label === undefined ? { labels: labelsFor(tool.claims) } : {}),
    showable: size <= CARD_CHARS_MAX,
  };
}

/** The one that the tool's server suggests comes first; it is chosen by the owner all the same. */
function labelsFor(claims: ToolClaims): ApprovalCard["labels"] {
  const suggested = suggestedLabel(claims);
  const { says } = claims;
  return { ...(suggested !== undefined && { suggested }), ...(says !== undefined && { says }) };
}

/** A plan that destroys something is allowed by a typed word, not by a click. */
function confirming(plan: readonly PlanItem[]): { readonly confirm?: string } {
  return plan.some(({ risk }) => risk === "destructive") ? { confirm: PLAN_WORD } : {};
}

/** What a standing permission would be bound to. */
export interface GrantBinding extends GrantScope {
  readonly match?: Readonly<Record<string, unknown>>;
}

/**
 * What the owner could allow for longer than once, narrowest first. Nothing where that would
 * not keep the question from being asked again: something about the call itself asked it.
 */
export async function grantScopes(
  tool: RegisteredTool,
  input: unknown,
  verdict: Verdict,
  clock: Pick<Clock, "sleep">,
): Promise<readonly GrantBinding[]> {
  const { contract } = tool;
  if (contract.risk === "destructive" || !offersLonger(verdict)) return [];
  if (tool.grantKeys) return narrowest(await grantKeysOf(tool, input, clock));
  const match = criticalArguments(contract, input);
  const does = doesWords(contract.id);
  const call: GrantBinding = {
    scope: "call",
    match,
    words: `${does} with ${matchInWords(match)}`,
  };
  // What sends data out is granted to named destinations only.
  if (contract.labels.egress !== "none") return [call];
  return [call, { scope: "tool", words: `${does} with any input` }];
}

/** What a permission for a job would be bound to. */
export interface ConstraintBinding {
  readonly constraint: GrantConstraint;
  readonly match: Readonly<Record<string, unknown>>;
  readonly words: string;
}

/**
 * What the owner can bind a permission for a job to, narrowest first: this very thing, the folder it
 * lies in, or the host it goes to. Never a tool as a whole. Nothing where the call would ask anyway.
 */
export async function constraintsOf(
  tool: RegisteredTool,
  input: unknown,
  verdict: Verdict,
  clock: Pick<Clock, "sleep">,
): Promise<readonly ConstraintBinding[]> {
  const scopes = await grantScopes(tool, input, verdict, clock);
  const bindings: ConstraintBinding[] = [];
  for (const { scope, match, words } of scopes) {
    if (match === undefined) continue;
    if (scope === "call") bindings.push({ constraint: "exact", match, words });
    else if (isFolderMatch(match)) bindings.push({ constraint: "folder", match, words });
  }
  if (scopes.length === 0) return bindings;
  const host = hostMatchOf({ contract: tool.contract, input, ...(tool.grantKeys ? { keys: [] } : {}) });
  if (host !== undefined) {
    const { hosts, rest } = host;
    const others = Object.keys(rest).length === 0 ? "" : `, with ${matchInWords(rest)}`;
    const words = `${doesWords(tool.contract.id)} anywhere on ${[...new Set(Object.values(hosts))].join(", ")}${others}`;
    bindings.push({ constraint: "host", match: { ...host }, words });
  }
  return bindings;
}

/** As soon as the signal fires, too. A run may wait for many decisions, and its signal is to forget each. */
async function unlessAborted(told: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const over = Promise.withResolvers<void>();
  const leave = () => over.resolve();
  signal.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([told, over.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** As the file tools name what lies in a folder. */
function isFolderMatch(match: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(match).join() === "folder";
}

const doesWords = remembered((toolId: string): string => {
  const { todo } = deedOf(toolId);
  return `${todo.charAt(0).toLowerCase()}${todo.slice(1)}`;
});

/** The values that a permission would be bound to, by their names: "key plumber". All of them are on the card. */
function matchInWords(match: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(match).map(
    ([name, value]) => `${name} ${showLine(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  if (words.length === 0) return "these very arguments";
  const text = words.join(", ");
  return text.length > MATCH_CHARS_MAX ? `${text.slice(0, MATCH_CHARS_MAX - 1).toWellFormed()}…` : text;
}

const MATCH_CHARS_MAX = 160;

/** Of several keys of one kind the first is offered; the others only recognise what was granted before. */
function narrowest(keys: readonly GrantKey[]): readonly GrantKey[] {
  return keys.filter(({ scope }, i) => keys.findIndex((each) => each.scope === scope) === i);
}

/** None where the tool does not say so in time: then nothing covers the call, and it is asked about. */
export async function grantKeysOf(
  tool: RegisteredTool,
  input: unknown,
  clock: Pick<Clock, "sleep">,
): Promise<readonly GrantKey[]> {
  try {
    return await withinTime(clock, LIMITS.toolFactsMs, async () => (await tool.grantKeys?.(input)) ?? []);
  } catch (error) {
    if (error instanceof TimedOut) return [];
    throw error;
  }
}
