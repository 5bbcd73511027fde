/** @import { EventData } from "@elwood/core/protocol/events" */
/** @import { WireApproval } from "@elwood/core/protocol/approval-shapes" */
/** @import { Conversation } from "./conversation.js" */
/** @import { GatewayLink } from "./gateway-link.js" */
import { ApprovalCard } from "./approval-card.js";
import { build, byId } from "./dom.js";
import { RequestError } from "./gateway-link.js";

const LISTED_MAX = 100;
const KEPT_MAX = 200;

/**
 * Everything that waits for the owner, in all sessions: a card for each, shown where its
 * call stands, and a short list on top of the page that leads there.
 *
 * W1 What the gateway says wins: the list is fetched anew after every break.
 * W2 A card flips when it was decided elsewhere, and says where.
 */
export class WaitingRoom {
  #section = byId("waiting", HTMLElement);
  #list = byId("waiting-list", HTMLUListElement);
  /** @type {Map<string, ApprovalCard>} */
  #cards = new Map();
  /** @type {string | undefined} the card to go to once it is on the page */
  #wanted;
  mayDecide = false;

  /**
   * @param {GatewayLink} link
   * @param {{ open: (sessionKey: string) => void, changed: () => void, announce: (text: string) => void }} listener
   */
  constructor(link, listener) {
    this.link = link;
    this.listener = listener;
    this.#show();
  }

  /** Fetches what waits now, and what became of the rest (W1). */
  async refresh() {
    try {
      const { approvals } = await this.link.request("approvals.list", {
        status: "pending",
        limit: LISTED_MAX,
      });
      const waiting = new Set(approvals.map(({ approvalId }) => approvalId));
      for (const approval of approvals) this.#add(approval);
      const gone = [...this.#cards.values()].filter(
        (card) => card.isPending && !waiting.has(card.approval.approvalId),
      );
      for (const card of gone) await this.#fetch(card.approval.approvalId);
      this.#show();
    } catch (error) {
      onlyLost(error);
    }
  }

  /**
   * @param {string} event
   * @param {unknown} data
   * @returns {boolean} whether the push was about something that waits
   */
  push(event, data) {
    // The name of the push says what its data are.
    switch (event) {
      case "exec.approval_request":
        void this.#fetch(/** @type {EventData<"exec.approval_request">} */ (data).approvalId);
        return true;
      case "owner.question":
        void this.#fetch(/** @type {EventData<"owner.question">} */ (data).questionId);
        return true;
      case "exec.approval_resolved":
        void this.#fetch(/** @type {EventData<"exec.approval_resolved">} */ (data).approvalId);
        return true;
      default:
        return false;
    }
  }

  /**
   * Puts every card of the session where its call stands.
   *
   * @param {Conversation} conversation
   */
  attachTo(conversation) {
    for (const card of this.#cards.values()) {
      if (card.approval.sessionKey !== conversation.sessionKey) continue;
      const placed = conversation.place(card.approval.runId, card.element);
      if (this.#wanted !== card.approval.approvalId || !placed) continue;
      this.#wanted = undefined;
      card.element.scrollIntoView({ block: "nearest" });
      card.element.focus({ preventScroll: true });
    }
  }

  /** @param {string} approvalId */
  async #fetch(approvalId) {
    try {
      const { approval } = await this.link.request("approvals.get", { approvalId });
      this.#add(approval);
      this.#show();
    } catch (error) {
      onlyLost(error);
    }
  }

  /** @param {WireApproval} approval */
  #add(approval) {
    const { approvalId, decided } = approval;
    const known = this.#cards.get(approvalId);
    if (known) {
      if (known.isPending && decided.status !== "pending") known.decided(decided);
      return;
    }
    // Decided before this page heard of it: there is nothing to show.
    if (decided.status !== "pending") return;
    for (const card of this.#cards.values()) card.guard();
    this.#cards.set(approvalId, new ApprovalCard(approval, this.mayDecide, this.#actions()));
    this.#forgetOld();
    const what = approval.kind === "approval" ? "Approval needed" : "A question for you";
    this.listener.announce(`${what}: ${approval.summary}`);
  }

  #forgetOld() {
    for (const [approvalId, card] of this.#cards) {
      if (this.#cards.size <= KEPT_MAX) return;
      if (!card.isPending) this.#cards.delete(approvalId);
    }
  }

  #actions() {
    const { link } = this;
    return {
      allow: async (/** @type {string} */ approvalId, /** @type {string | undefined} */ confirm) =>
        (await link.request("exec.approve", confirm === undefined ? { approvalId } : { approvalId, confirm }))
          .decided,
      deny: async (/** @type {string} */ approvalId, /** @type {string | undefined} */ reason) =>
        (await link.request("exec.deny", reason === undefined ? { approvalId } : { approvalId, reason }))
          .decided,
      answer: async (/** @type {string} */ questionId, /** @type {string} */ answer) =>
        (await link.request("owner.answer", { questionId, answer })).decided,
    };
  }

  #show() {
    const pending = [...this.#cards.values()].filter((card) => card.isPending);
    this.#section.hidden = pending.length === 0;
    this.#list.replaceChildren(...pending.map((card) => this.#row(card.approval)));
    document.title = pending.length === 0 ? "Elwood" : `(${pending.length}) Elwood`;
    this.listener.changed();
  }

  /** @param {WireApproval} approval */
  #row({ approvalId, sessionKey, summary, toolName }) {
    const button = build("button", { type: "button", class: "waiting-row" }, [
      build("span", { class: "waiting-summary" }, [summary]),
      build("span", { class: "hint" }, [toolName]),
    ]);
    button.addEventListener("click", () => {
      this.#wanted = approvalId;
      this.listener.open(sessionKey);
    });
    return build("li", {}, [button]);
  }
}

/**
 * A lost connection mends itself, and everything is fetched again then.
 *
 * @param {unknown} error
 */
function onlyLost(error) {
  if (!(error instanceof RequestError)) throw error;
}
