import { questionWords } from "@elwood/core/card/question-words";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { ToolLabel } from "@elwood/core/tool/tool-label";
import type { MethodResult } from "@elwood/core/protocol/results";
import { type GatewayClient, type Push, RequestError } from "../client.ts";
import { Store } from "../store.ts";

export type Decided = MethodResult<"exec.approve">["decided"];

/** How an approval is allowed. */
export interface AllowOptions {
  readonly decision?: "once" | "window" | "always";
  readonly window?: { readonly minutes?: number; readonly scope?: "call" | "similar" | "tool" };
  /** What runs instead of what was asked for. */
  readonly input?: unknown;
  /** The word that was typed, where one must be. */
  readonly confirm?: string;
  /** What the owner says that the tool does, from then on. */
  readonly label?: ToolLabel;
}

const KEPT_MAX = 200;
/** So many of what waits are asked for at once. */
const PENDING_MAX = 200;
/** So many decisions of a session are shown again when it is opened. */
const RECALLED_MAX = 100;
/** A call that was allowed is asked about after this, then after twice as long, so many times. */
const FOLLOW_MS = 300;
const FOLLOW_TRIES = 9;

type ApprovalsLink = Pick<GatewayClient, "call" | "onReady" | "onPush">;

/**
 * Approvals and questions as this tab knows them: everything that waits, and what was
 * decided while it looked on. Cards in the conversation, the queue and the count in the
 * title all draw from here, so that one answer, given anywhere, flips them all.
 *
 * W1 A decision is final: an answer of the gateway's that was on its way when it fell
 *    does not bring the question back.
 */
export class PendingApprovals {
  /** Pending ones oldest first, then those decided lately. */
  readonly all = new Store<readonly WireApproval[]>([]);
  /** Somebody asked for what waits by a key or a chip: the first card that is shown gets the focus. */
  focusFirst = false;
  readonly #link: ApprovalsLink;
  readonly #announce: (text: string) => void;
  readonly #followed = new Set<string>();
  #moreWait = false;

  constructor(link: ApprovalsLink, announce: (text: string) => void) {
    this.#link = link;
    this.#announce = announce;
    link.onReady(() => {
      void this.refresh();
    });
    link.onPush((push) => this.#pushed(push));
  }

  get pending(): readonly WireApproval[] {
    return this.all.value.filter((each) => each.decided.status === "pending");
  }

  /** What must be answered before its call goes on; a call in doubt has ended, and its run went on. */
  get holding(): readonly WireApproval[] {
    return this.pending.filter((each) => each.kind !== "settle");
  }

  /** In the order in which they were asked. */
  ofRun(runId: string): readonly WireApproval[] {
    return this.all.value
      .filter((each) => each.runId === runId)
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async refresh(): Promise<void> {
    try {
      const { approvals } = await this.#link.call("approvals.list", {
        status: "pending",
        limit: PENDING_MAX,
      });
      const still = new Set(approvals.map((each) => each.approvalId));
      // The oldest come first: of a full list nothing is known of those that came after its last.
      const full = approvals.length >= PENDING_MAX;
      const until = full ? (approvals.at(-1)?.createdAt ?? 0) : Infinity;
      this.#moreWait = full;
      // One that waits no longer was decided while this tab looked away.
      const gone = this.pending.filter((each) => !still.has(each.approvalId) && each.createdAt < until);
      this.#merge(approvals);
      for (const each of gone) await this.fetch(each.approvalId);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
    }
  }

  /** One approval as it stands, also one that this tab has never seen. */
  async fetch(approvalId: string): Promise<WireApproval> {
    const { approval } = await this.#link.call("approvals.get", { approvalId });
    this.#merge([approval]);
    this.#fillUp();
    return approval;
  }

  async allow(approvalId: string, how: AllowOptions): Promise<Decided> {
    return this.#decided(approvalId, await this.#link.call("exec.approve", { approvalId, ...how }));
  }

  /** How it would read with another input; nothing is decided by that. */
  async preview(approvalId: string, input: unknown): Promise<WireApproval["card"]> {
    return (await this.#link.call("approvals.preview", { approvalId, input })).card;
  }

  async deny(approvalId: string, reason?: string): Promise<Decided> {
    const params = { approvalId, ...(reason === undefined ? {} : { reason }) };
    return this.#decided(approvalId, await this.#link.call("exec.deny", params));
  }

  async answer(questionId: string, answer: string): Promise<Decided> {
    return this.#decided(questionId, await this.#link.call("owner.answer", { questionId, answer }));
  }

  /** The same, and whether it was this answer that counted: somebody may have been faster. */
  async answered(questionId: string, answer: string): Promise<boolean> {
    const told = await this.#link.call("owner.answer", { questionId, answer });
    this.#decided(questionId, told);
    return told.ok;
  }

  #decided(approvalId: string, { decided }: { decided: Decided }): Decided {
    this.all.update((all) =>
      all.map((each) => (each.approvalId === approvalId ? { ...each, decided } : each)),
    );
    this.#fillUp();
    return decided;
  }

  /** More wait than one list holds: as these are decided, the next are asked for. */
  #fillUp(): void {
    if (!this.#moreWait || this.pending.length > PENDING_MAX / 2) return;
    this.#moreWait = false;
    void this.refresh();
  }

  #pushed({ event, data }: Push): void {
    if (event === "exec.approval_request") {
      this.#announce(`Approval needed. ${data.card.title}`);
      void this.#fetchQuietly(data.approvalId);
    } else if (event === "owner.question") {
      this.#announce(data.kind === "question" ? questionWords(data.question) : data.question);
      void this.#fetchQuietly(data.questionId);
    } else if (event === "exec.approval_resolved") void this.#fetchQuietly(data.approvalId);
    else if (event === "tool.finished" || event === "call.undone")
      this.#stirred((each) => each.callId === data.callId);
    else if (event === "session.changed")
      this.#stirred((each) => each.sessionKey === data.sessionKey && isUnderWay(each));
  }

  /** What became of these is asked about again. */
  #stirred(which: (approval: WireApproval) => boolean): void {
    for (const each of this.all.value)
      if (each.decided.status === "approved" && which(each)) this.again(each);
  }

  /** Asks about one again: its call has come further, or was taken back. */
  again({ approvalId }: Pick<WireApproval, "approvalId">): void {
    void this.#fetchQuietly(approvalId);
  }

  /** What was decided in a session before this tab looked, so that it reads as it did then. */
  async recall(sessionKey: string): Promise<void> {
    try {
      const { approvals } = await this.#link.call("approvals.list", { sessionKey, limit: RECALLED_MAX });
      this.#merge(approvals);
    } catch (error) {
      // The next connection asks again.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  /** A call that was allowed and has not ended: nobody tells a tab that does not follow its run when it does. */
  async #followUp(approvalId: string): Promise<void> {
    if (this.#followed.has(approvalId)) return;
    this.#followed.add(approvalId);
    for (let wait = FOLLOW_MS, tries = 0; tries < FOLLOW_TRIES; wait *= 2, tries++) {
      await new Promise((done) => setTimeout(done, wait));
      const known = this.all.value.find((each) => each.approvalId === approvalId);
      if (!known || !isUnderWay(known)) break;
      await this.#fetchQuietly(approvalId);
    }
    this.#followed.delete(approvalId);
  }

  async #fetchQuietly(approvalId: string): Promise<void> {
    try {
      await this.fetch(approvalId);
    } catch (error) {
      // The next connection refreshes everything that waits.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  #merge(fresh: readonly WireApproval[]): void {
    const byId = new Map(this.all.value.map((each) => [each.approvalId, each]));
    for (const each of fresh) if (!isStale(each, byId.get(each.approvalId))) byId.set(each.approvalId, each);
    const ordered = [...byId.values()].toSorted((a, b) => a.createdAt - b.createdAt);
    const pending = ordered.filter((each) => each.decided.status === "pending");
    const decided = ordered.filter((each) => each.decided.status !== "pending").slice(-KEPT_MAX);
    this.all.set([...pending, ...decided]);
    for (const each of fresh) if (isUnderWay(each)) void this.#followUp(each.approvalId);
  }
}

/** It was allowed, and what became of it is not known yet. */
function isUnderWay({ kind, decided, call }: WireApproval): boolean {
  return (
    kind === "approval" && decided.status === "approved" && (call === undefined || call.status === "pending")
  );
}

function isStale(fresh: WireApproval, known: WireApproval | undefined): boolean {
  return fresh.decided.status === "pending" && known !== undefined && known.decided.status !== "pending";
}
