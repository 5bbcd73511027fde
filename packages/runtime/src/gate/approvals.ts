import type { Approval, ApprovalDecision, Grant } from "@elwood/core/approval";
import { fail } from "@elwood/core/failure";
import type { Decider, NewReceipt } from "@elwood/core/receipt";
import type { Clock, Ids, Log } from "../ports.ts";
import type { CallOutcome, Ledger, LedgerChange } from "./ports.ts";

export interface ApprovalsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export type ApprovalEvent =
  | { readonly kind: "requested"; readonly tenant: string; readonly approval: Approval }
  | { readonly kind: "resolved"; readonly tenant: string; readonly approval: Approval };

/** Who answers, and from where; put together by the gateway from an authenticated connection, never from a message. */
export interface Person {
  readonly id: string;
  readonly surface: string;
}

export interface Answer {
  readonly decision: ApprovalDecision | "deny";
  readonly note?: string;
  /** The sealed input that will run instead; checked by the gate before it comes here. */
  readonly editedInput?: unknown;
  /** The grant that a window or always decision makes. */
  readonly grant?: Grant;
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
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<(event: ApprovalEvent) => void>();
  #sweeping: AbortController | undefined;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
  }

  onEvent(listener: (event: ApprovalEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The row was written; whoever can decide is told. */
  requested(tenant: string, approval: Approval): void {
    this.#emit({ kind: "requested", tenant, approval });
    this.#sweeping?.abort();
  }

  /** Resolves when the approval is no longer pending, or the signal fires. */
  async wait(tenant: string, approvalId: string, signal: AbortSignal): Promise<Approval | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      const changed = this.#changed(approvalId, signal);
      const approval = await this.#deps.ledger.approval(tenant, approvalId);
      if (!approval) fail("NOT_FOUND", `There is no approval ${approvalId}.`);
      if (approval.status !== "pending") return approval;
      await changed;
    }
  }

  /** A person's answer. The approval as it stands afterwards, and whether this answer made it so. */
  async answer(
    tenant: string,
    approvalId: string,
    person: Person,
    answer: Answer,
  ): Promise<{ approval: Approval; won: boolean }> {
    const { ledger, clock } = this.#deps;
    const approval = await ledger.approval(tenant, approvalId);
    if (!approval) fail("NOT_FOUND", `There is no approval ${approvalId}. Nothing was decided.`);
    if (approval.status !== "pending") return { approval, won: false };
    const at = clock.now();
    if (approval.expiresAt <= at) {
      await this.expire(tenant, approval);
      return { approval: (await ledger.approval(tenant, approvalId)) ?? approval, won: false };
    }
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
      callAfter(approval, allowed, at, answer),
      ...(answer.grant ? [{ kind: "grant.new" as const, grant: answer.grant }] : []),
    ];
    const receipts: NewReceipt[] = [
      this.#receipt(approval, allowed ? "tool.call.approved" : "tool.call.denied", decidedBy, {
        ...(answer.decision === "deny" ? {} : { decision: answer.decision }),
        ...(answer.note === undefined ? {} : { note: answer.note }),
        ...(answer.editedInput === undefined ? {} : { edited: true }),
      }),
      ...(answer.grant
        ? [
            this.#receipt(approval, "grant.created", decidedBy, {
              grantId: answer.grant.id,
              words: answer.grant.words,
            }),
          ]
        : []),
    ];
    const written = await ledger.write(tenant, { receipts, changes });
    const now = (await ledger.approval(tenant, approvalId)) ?? approval;
    if (written.ok) this.#resolved(tenant, now);
    return { approval: now, won: written.ok };
  }

  /** The owner answers a question of the model's, or says what became of a call in doubt. Kept as the approval's note. */
  async reply(
    tenant: string,
    questionId: string,
    person: Person,
    text: string,
  ): Promise<{ approval: Approval; won: boolean }> {
    const { ledger, clock } = this.#deps;
    const question = await ledger.approval(tenant, questionId);
    if (!question || question.card.kind === "approval")
      fail("NOT_FOUND", `There is no question ${questionId}. Nothing was answered.`);
    if (question.status !== "pending") return { approval: question, won: false };
    const decidedBy: Decider = { kind: "owner", id: person.id, surface: person.surface };
    const at = clock.now();
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
        ? [this.#receipt(question, "tool.call.settled", decidedBy, { by: "owner", outcome: text })]
        : [];
    const written = await ledger.write(tenant, { receipts, changes: [decide] });
    const now = (await ledger.approval(tenant, questionId)) ?? question;
    if (written.ok) this.#resolved(tenant, now);
    return { approval: now, won: written.ok };
  }

  /** The run that asked was stopped: nobody needs to decide any more. */
  async withdraw(tenant: string, approvalId: string, person: Person): Promise<void> {
    await this.answer(tenant, approvalId, person, { decision: "deny", note: "The run was stopped." });
  }

  /** A4 */
  async expire(tenant: string, approval: Approval): Promise<void> {
    const { ledger, clock } = this.#deps;
    const at = clock.now();
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
        outcome: outcomeOf(
          "expired",
          "Nobody decided in time, so this call was not made. The owner did not deny it.",
        ),
      });
    }
    const receipts = asksForCall ? [this.#receipt(approval, "tool.call.expired", decidedBy, {})] : [];
    const written = await ledger.write(tenant, { receipts, changes });
    if (!written.ok) return;
    this.#resolved(tenant, (await ledger.approval(tenant, approval.id)) ?? approval);
  }

  /** Ends what is overdue, now and whenever something becomes so, until the signal fires. Driven by rows, not by timers of requests. */
  async sweep(tenant: string, stopped: AbortSignal): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    while (!stopped.aborted) {
      for (const approval of await ledger.overdue(tenant, clock.now())) {
        await this.expire(tenant, approval);
        log.info("an approval expired", { approval: approval.id, tool: approval.toolId });
      }
      this.#sweeping = new AbortController();
      const next = await ledger.nextExpiry(tenant);
      const wait = Math.min(
        SWEEP_MS_MAX,
        next === undefined ? SWEEP_MS_MAX : Math.max(1, next - clock.now()),
      );
      await clock.sleep(wait, AbortSignal.any([stopped, this.#sweeping.signal]));
    }
  }

  #changed(approvalId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(approvalId) ?? new Set();
      this.#waiting.set(approvalId, waiters);
      const done = () => {
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(approvalId);
        signal.removeEventListener("abort", done);
        resolve();
      };
      waiters.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  #resolved(tenant: string, approval: Approval): void {
    for (const wake of [...(this.#waiting.get(approval.id) ?? [])]) wake();
    this.#emit({ kind: "resolved", tenant, approval });
  }

  #emit(event: ApprovalEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #receipt(
    approval: Approval,
    type: NewReceipt["type"],
    decidedBy: Decider,
    more: Record<string, unknown>,
  ): NewReceipt {
    const owner = decidedBy.kind === "owner" ? decidedBy : undefined;
    return {
      type,
      runId: approval.runId,
      callId: approval.callId,
      actor: owner?.id ?? "gateway",
      surface: owner?.surface ?? "gateway",
      payload: {
        toolId: approval.toolId,
        approvalId: approval.id,
        digest: approval.digest,
        decidedBy,
        ...more,
      },
    };
  }
}

const SWEEP_MS_MAX = 10 * 60_000;

function callAfter(approval: Approval, allowed: boolean, at: number, answer: Answer): LedgerChange {
  const move = { kind: "call.move" as const, callId: approval.callId, from: ["asked" as const], at };
  if (allowed) {
    return {
      ...move,
      to: "approved",
      ...(answer.editedInput === undefined ? {} : { executedInput: answer.editedInput }),
    };
  }
  const note = answer.note === undefined ? "" : ` They say: ${answer.note}`;
  return {
    ...move,
    to: "denied",
    outcome: outcomeOf("denied", `The owner denied this call. It was not made.${note}`),
  };
}

export function outcomeOf(code: string, text: string): CallOutcome {
  return { status: "error", text, code };
}
