/** @import { GatewayLink } from "./gateway-link.js" */
/** @import { WireSession } from "@elwood/core/protocol/shapes" */
import { build, byId, say, timeElement } from "./dom.js";
import { RequestError } from "./gateway-link.js";

const PAGE_SIZE = 30;
const SHOWN_MAX = 300;

/** The recent sessions, newest first. */
export class SessionList {
  #list = byId("sessions-list", HTMLUListElement);
  #note = byId("sessions-note", HTMLParagraphElement);
  #more = byId("sessions-more", HTMLButtonElement);
  #wanted = PAGE_SIZE;
  #open = "";
  #loading = false;
  #again = false;

  /**
   * @param {GatewayLink} link
   * @param {AbortSignal} signal
   * @param {(sessionKey: string) => void} onOpen
   */
  constructor(link, signal, onOpen) {
    this.link = link;
    this.onOpen = onOpen;
    this.#list.replaceChildren();
    this.#more.addEventListener("click", () => this.#showMore(), { signal });
    say(this.#note, "Loading…");
  }

  /** @param {string} sessionKey */
  markOpen(sessionKey) {
    this.#open = sessionKey;
    for (const button of this.#list.querySelectorAll("button")) mark(button, sessionKey);
  }

  /** Fetches the list; calls that come while it is under way are joined into one more. */
  async refresh() {
    this.#again = true;
    if (this.#loading) return;
    this.#loading = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#fetch();
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.reason !== "LOST") say(this.#note, `The sessions could not be listed. ${error.message}`);
    } finally {
      this.#loading = false;
    }
  }

  #showMore() {
    this.#wanted = Math.min(this.#wanted + PAGE_SIZE, SHOWN_MAX);
    void this.refresh();
  }

  async #fetch() {
    /** @type {WireSession[]} */
    const sessions = [];
    /** @type {string | undefined} */
    let before;
    do {
      const limit = Math.min(this.#wanted - sessions.length, PAGE_SIZE);
      const page = await this.link.request(
        "sessions.list",
        before === undefined ? { limit } : { limit, before },
      );
      sessions.push(...page.sessions);
      before = page.next;
    } while (before !== undefined && sessions.length < this.#wanted);
    this.#show(sessions);
    this.#more.hidden = before === undefined || this.#wanted >= SHOWN_MAX;
  }

  /** @param {readonly WireSession[]} sessions */
  #show(sessions) {
    const { activeElement } = document;
    const focused = activeElement instanceof HTMLButtonElement ? activeElement.dataset["session"] : undefined;
    this.#list.replaceChildren(...sessions.map((session) => this.#row(session)));
    say(this.#note, sessions.length === 0 ? "No sessions yet. The first message starts one." : undefined);
    // The rows are new; the reader's place among them is not.
    for (const button of this.#list.querySelectorAll("button")) {
      if (focused !== undefined && button.dataset["session"] === focused) button.focus();
    }
  }

  /** @param {WireSession} session */
  #row(session) {
    const button = build("button", { type: "button", class: "session", "data-session": session.sessionKey }, [
      build("span", { class: "session-title" }, [
        session.pinned ? `Pinned: ${session.title}` : session.title,
      ]),
      build("span", { class: "session-preview" }, [
        session.preview === "" ? "No messages yet" : session.preview,
      ]),
      timeElement(session.updatedAt),
    ]);
    mark(button, this.#open);
    button.addEventListener("click", () => this.onOpen(session.sessionKey));
    return build("li", {}, [button]);
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} open
 */
function mark(button, open) {
  if (button.dataset["session"] === open) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
}
