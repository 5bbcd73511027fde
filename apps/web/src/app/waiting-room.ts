import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { type GatewayLink, type Push, RequestError } from "../gateway/link.ts";
import { Store } from "../state/store.ts";

export type Decided = MethodResult<"exec.approve">["decided"];

/** How an approval is allowed. */
export interface Allowing {
  readonly decision?: "once" | "window" | "always";
  readonly window?: { readonly minutes?: number; readonly scope?: "call" | "similar" | "tool" };
  /** What runs instead of what was asked for. */
  readonly input?: unknown;
  /** The word that was typed, where one must be. */
  readonly confirm?: string;
}

const KEPT_MAX = 200;

type RoomLink = Pick<GatewayLink, "request" | "onReady" | "onPush">;

/**
 * Approvals and questions as this tab knows them: everything that waits, and what was
 * decided while it looked on. Cards in the conversation, the queue and the count in the
 * title all draw from here, so that one answer, given anywhere, flips them all.
 *
 * W1 A decision is final: an answer of the gateway's that was on its way when it fell
 *    does not bring the question back.
 */
export class WaitingRoom {
  /** Pending ones oldest first, then those decided lately. */
  readonly all = new Store<readonly WireApproval[]>([]);
  /** Somebody asked for what waits by a key or a chip: the first card that is shown gets the focus. */
  focusFirst = false;
  readonly #link: RoomLink;
  readonly #announce: (text: string) => void;

  constructor(link: RoomLink, announce: (text: string) => void) {
    this.#link = link;
    this.#announce = announce;
    link.onReady(() => void this.refresh());
    link.onPush((push) => this.#pushed(push));
  }

  get pending(): readonly WireApproval[] {
    return this.all.value.filter((each) => each.decided.status === "pending");
  }

  /** What must be answered before its call goes on; a call in doubt has ended, and its run went on. */
  get holding(): readonly WireApproval[] {
    return this.pending.filter((each) => each.kind !== "settle");
  }

  ofRun(runId: string): readonly WireApproval[] {
    return this.all.value.filter((each) => each.runId === runId);
  }

  async refresh(): Promise<void> {
    try {
      const { approvals } = await this.#link.request("approvals.list", { status: "pending" });
      const still = new Set(approvals.map((each) => each.approvalId));
      // One that waits no longer was decided while this tab looked away.
      const gone = this.pending.filter((each) => !still.has(each.approvalId));
      this.#merge(approvals);
      for (const each of gone) await this.fetch(each.approvalId);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
    }
  }

  /** One approval as it stands, also one that this tab has never seen. */
  async fetch(approvalId: string): Promise<WireApproval> {
    const { approval } = await this.#link.request("approvals.get", { approvalId });
    this.#merge([approval]);
    return approval;
  }

  async allow(approvalId: string, how: Allowing): Promise<Decided> {
    return this.#decided(approvalId, await this.#link.request("exec.approve", { approvalId, ...how }));
  }

  async deny(approvalId: string, reason?: string): Promise<Decided> {
    const params = { approvalId, ...(reason === undefined ? {} : { reason }) };
    return this.#decided(approvalId, await this.#link.request("exec.deny", params));
  }

  async answer(questionId: string, answer: string): Promise<Decided> {
    return this.#decided(questionId, await this.#link.request("owner.answer", { questionId, answer }));
  }

  #decided(approvalId: string, { decided }: { decided: Decided }): Decided {
    this.all.update((all) =>
      all.map((each) => (each.approvalId === approvalId ? { ...each, decided } : each)),
    );
    return decided;
  }

  #pushed({ event, data }: Push): void {
    if (event === "exec.approval_request") {
      this.#announce(`Approval needed: ${data.summary}`);
      void this.#fetchQuietly(data.approvalId);
    } else if (event === "owner.question") {
      this.#announce(`A question for you: ${data.question}`);
      void this.#fetchQuietly(data.questionId);
    } else if (event === "exec.approval_resolved") void this.#fetchQuietly(data.approvalId);
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
  }
}

function isStale(fresh: WireApproval, known: WireApproval | undefined): boolean {
  return fresh.decided.status === "pending" && known !== undefined && known.decided.status !== "pending";
}
