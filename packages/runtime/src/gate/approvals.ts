import type { Approval, ApprovalDecision, Grant } from "@elwood/core/policy/approval";
import { fail } from "@elwood/core/base/failure";
import type {
  Decider,
  NewReceipt,
  NewReceiptOf,
  ReceiptPayloads,
  ReceiptType,
} from "@elwood/core/receipts/receipt";
import type { Clock, Ids, Log, Person } from "../ports/ports.ts";
import { stopMark } from "./call-transitions.ts";
import { applyDecision, callChangeFor, errorOutcome } from "./call-outcome.ts";
import type { Ledger, LedgerChange } from "./ports.ts";
import { Waiters } from "./waiters.ts";

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
  /** The sealed input that will run instead; checked by the gate before it comes here. */
  readonly editedInput?: unknown;
  /** The grant that a window or always decision makes. */
  readonly grant?: Grant;
}

type Decided = { readonly approval: Approval; readonly won: boolean };

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
  /** What was asked last, as long as nothing was decided since; mostly this is what somebody asks for next. */
  #fresh: { readonly tenant: string; readonly approval: Approval } | undefined;

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
    return this.#deps.ledger.approval(tenant, approvalId);
  }

  /** Resolves when the approval is no longer pending, or the signal fires. */
  async wait(tenant: string, approvalId: string, signal: AbortSignal): Promise<Approval | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      // Heard before the row is read: a change in between is not missed.
      const { changed, leave } = this.#waiters.join(approvalId, signal);
      try {
        const approval = await this.find(tenant, approvalId);
        if (!approval) fail("NOT_FOUND", `There is no approval ${approvalId}.`);
        if (approval.status !== "pending") return approval;
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
        ...(answer.editedInput === undefined ? {} : { editedInput: answer.editedInput }),
        ...(answer.grant ? { grantId: answer.grant.id } : {}),
      },
      callChangeFor(approval, allowed, at, answer),
      ...(answer.grant ? [{ kind: "grant.new" as const, grant: answer.grant }] : []),
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
            ...(answer.editedInput === undefined ? {} : { edited: true }),
          }),
      ...(answer.grant
        ? [
            this.#receipt(approval, "grant.created", decidedBy, {
              ...about,
              grantId: answer.grant.id,
              words: answer.grant.words,
            }),
          ]
        : []),
    ];
    const decided = await this.#decide(tenant, approval, receipts, changes);
    return decided.won ? decided : { approval: await this.#known(tenant, approvalId), won: false };
  }

  async #known(tenant: string, approvalId: string): Promise<Approval> {
    const approval = await this.#deps.ledger.approval(tenant, approvalId);
    return approval ?? fail("NOT_FOUND", `There is no approval ${approvalId}. Nothing was decided.`);
  }

  /** The owner answers a question of the model's, or says what became of a call in doubt. Kept as the approval's note. */
  async reply(tenant: string, questionId: string, person: Person, text: string): Promise<Decided> {
    const { ledger, clock } = this.#deps;
    const question = await ledger.approval(tenant, questionId);
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

  /** One write. Whoever waits looks again even where it failed: a disk may have taken it and say otherwise. */
  async #decide(
    tenant: string,
    approval: Approval,
    receipts: readonly NewReceipt[],
    changes: readonly LedgerChange[],
  ): Promise<Decided> {
    const { ledger } = this.#deps;
    // Before the write: whoever looks from now on looks at the row, or is woken by what follows.
    this.#fresh = undefined;
    let decided: Approval | undefined;
    try {
      const { ok: won } = await ledger.write(tenant, { receipts, changes });
      if (!won) return { approval: (await ledger.approval(tenant, approval.id)) ?? approval, won };
      decided = changes.reduce(applyDecision, approval);
      this.#emit({ kind: "resolved", tenant, approval: decided });
      return { approval: decided, won };
    } finally {
      this.#waiters.wake(approval.id, decided);
    }
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

const SWEEP_MS_MAX = 10 * 60_000;
const SWEEP_MS_MIN = 1;
const SWEEP_RETRY_MS = 5_000;
