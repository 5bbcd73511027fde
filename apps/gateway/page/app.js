/** @import { Hello } from "@elwood/core/protocol/frames" */
/** @import { EventData } from "@elwood/core/protocol/events" */
/** @import { Entry } from "./outbox.js" */
import { Composer } from "./composer.js";
import { ConnectionPill } from "./connection-pill.js";
import { Conversation } from "./conversation.js";
import { build, byId, refreshTimes } from "./dom.js";
import { GatewayLink, RequestError } from "./gateway-link.js";
import { LogScroll } from "./log-scroll.js";
import { newOwnName, Outbox } from "./outbox.js";
import { SessionList } from "./session-list.js";
import { StatusPanel } from "./status-panel.js";
import { read, write } from "./tab-storage.js";
import { showView } from "./views.js";
import { WaitingRoom } from "./waiting-room.js";

const LOOK_EVERY_MS = 10_000;
const SUGGESTIONS = ["What can you do?", "Write 'milk' to shopping.txt", "How do I connect a real model?"];

/**
 * Everything that a logged-in tab does, from one token to its end. Each part knows its
 * piece of the page; only this one knows the parts.
 */
export class App {
  #announcer = byId("announcer", HTMLParagraphElement);
  #suggestions = byId("suggestions", HTMLDivElement);
  #ended = new AbortController();
  #wasLost = false;
  #link;
  #pill;
  #status = new StatusPanel();
  #scroll = new LogScroll(this.#ended.signal);
  #sessions;
  #waiting;
  #composer = new Composer(this.#ended.signal, {
    send: (text) => this.#send(text),
    stop: () => this.#stop(),
  });
  #outbox = new Outbox({
    created: (own, sessionKey) => this.#created(own, sessionKey),
    accepted: (entry, runId) => this.#conversation.accepted(entry, runId),
    refused: (entry, message) => this.#refused(entry, message),
  });
  /** @type {Conversation} */
  #conversation;

  /**
   * @param {string} token
   * @param {{ ready: () => void, lost: () => void, refused: (why: RequestError) => void }} listener
   */
  constructor(token, listener) {
    this.#link = new GatewayLink(token, {
      ready: (hello) => {
        listener.ready();
        void this.#ready(hello);
      },
      lost: () => {
        listener.lost();
        this.#lost();
      },
      push: (event, data) => this.#push(event, data),
      refused: listener.refused,
    });
    const { signal } = this.#ended;
    this.#suggestions.replaceChildren();
    this.#pill = new ConnectionPill(signal, () => this.#link.retryNow());
    this.#sessions = new SessionList(this.#link, signal, (sessionKey) => this.#open(sessionKey));
    this.#waiting = new WaitingRoom(this.#link, {
      open: (sessionKey) => this.#goTo(sessionKey),
      changed: () => this.#waiting?.attachTo(this.#conversation),
      announce: (text) => this.#announce(text),
    });
    this.#conversation = this.#open(read("open") ?? newOwnName());
    byId("new-session", HTMLButtonElement).addEventListener("click", () => this.#openNew(), { signal });
    this.#link.start();
    this.#keepLooking();
  }

  close() {
    this.#ended.abort();
    this.#link.close();
  }

  /** @param {Hello} hello */
  async #ready(hello) {
    this.#pill.ready(hello);
    if (this.#wasLost) this.#announce("Connected again.");
    this.#wasLost = false;
    this.#waiting.mayDecide = hello.scopes.includes("approve");
    this.#composer.charsMax = hello.limits["messageCharsMax"] ?? Infinity;
    // Messages first: what they begin is then part of the session that is fetched.
    await this.#outbox.flush(this.#link);
    await Promise.all([
      this.#conversation.sync(this.#link),
      this.#sessions.refresh(),
      this.#waiting.refresh(),
      this.#look(),
    ]);
  }

  #lost() {
    this.#pill.lost();
    if (!this.#wasLost) this.#announce("The connection broke. Trying again.");
    this.#wasLost = true;
    this.#conversation.pause();
  }

  /**
   * @param {string} event
   * @param {unknown} data
   */
  #push(event, data) {
    if (this.#waiting.push(event, data)) return;
    if (event !== "session.changed") {
      this.#conversation.push(event, data);
      if (event === "chat.final" || event === "chat.error") void this.#look();
      return;
    }
    // The name of the push says what its data are.
    const { sessionKey } = /** @type {EventData<"session.changed">} */ (data);
    void this.#sessions.refresh();
    if (sessionKey === this.#conversation.sessionKey) void this.#conversation.sync(this.#link);
  }

  /**
   * Shows a session, without leaving it where it is shown already.
   *
   * @param {string} sessionKey
   */
  #goTo(sessionKey) {
    if (sessionKey !== this.#conversation.sessionKey) this.#open(sessionKey);
    showView("chat");
    this.#waiting.attachTo(this.#conversation);
  }

  #openNew() {
    this.#open(newOwnName());
    this.#composer.focus();
  }

  /** @param {string} sessionKey */
  #open(sessionKey) {
    const conversation = new Conversation(sessionKey, this.#scroll, {
      announce: (text) => this.#announce(text),
      tell: (problem) => this.#composer.tell(problem),
      changed: () => this.#showRun(conversation),
    });
    this.#conversation = conversation;
    for (const entry of this.#outbox.entries) {
      if (entry.sessionKey === sessionKey) conversation.addWaiting(entry);
    }
    this.#composer.open(sessionKey);
    this.#sessions.markOpen(sessionKey);
    this.#showRun(conversation);
    write("open", sessionKey);
    showView("chat");
    if (this.#link.ready) void conversation.sync(this.#link);
    return conversation;
  }

  /**
   * @param {string} own
   * @param {string} sessionKey
   */
  #created(own, sessionKey) {
    if (this.#conversation.sessionKey !== own) return;
    this.#conversation.sessionKey = sessionKey;
    this.#composer.rename(sessionKey);
    this.#sessions.markOpen(sessionKey);
    write("open", sessionKey);
  }

  /**
   * @param {string} text
   * @returns {string | undefined} why it was not taken
   */
  #send(text) {
    const entry = this.#outbox.add(this.#conversation.sessionKey, text);
    if (typeof entry === "string") return entry;
    this.#conversation.addWaiting(entry);
    if (this.#link.ready) void this.#outbox.flush(this.#link);
    else this.#conversation.pause();
    return undefined;
  }

  /**
   * @param {Entry} entry
   * @param {string} message
   */
  #refused(entry, message) {
    this.#conversation.refused(entry);
    this.#composer.giveBack(entry.sessionKey, entry.text, message);
  }

  #stop() {
    const turn = this.#conversation.unfinishedTurn;
    if (turn?.runId === undefined) return;
    turn.stopAsked = true;
    this.#showRun(this.#conversation);
    // Where the connection is gone, the stop is said again when the run is resumed.
    this.#link.request("chat.abort", { runId: turn.runId }).catch((error) => this.#onlyLost(error));
  }

  /** @param {Conversation} conversation */
  #showRun(conversation) {
    const turn = conversation.unfinishedTurn;
    this.#composer.showRun(turn === undefined ? "idle" : turn.stopAsked ? "stopping" : "running");
    this.#waiting.attachTo(conversation);
  }

  /** Asks how the gateway is, and about runs that went silent. */
  async #look() {
    refreshTimes(document);
    if (!this.#link.ready) return;
    try {
      const status = await this.#link.request("gateway.status", {});
      this.#status.show(status);
      this.#showSuggestions(status.demo);
    } catch (error) {
      this.#onlyLost(error);
    }
  }

  #keepLooking() {
    const { signal } = this.#ended;
    const timer = setInterval(() => {
      if (document.hidden) return;
      void this.#look();
      void this.#conversation.resumeSilent(this.#link);
    }, LOOK_EVERY_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
    // Whoever comes back to the tab should not wait for the next try.
    const back = () => {
      if (document.hidden) return;
      this.#link.retryNow();
      void this.#look();
    };
    document.addEventListener("visibilitychange", back, { signal });
    addEventListener("online", back, { signal });
  }

  /**
   * Said aloud by a screen reader, when it has time.
   *
   * @param {string} text
   */
  #announce(text) {
    this.#announcer.textContent = text;
  }

  /** @param {boolean} demo */
  #showSuggestions(demo) {
    if (demo === this.#suggestions.childElementCount > 0) return;
    const buttons = SUGGESTIONS.map((text) => {
      const button = build("button", { type: "button" }, [text]);
      button.addEventListener("click", () => this.#composer.suggest(text));
      return button;
    });
    this.#suggestions.replaceChildren(...(demo ? buttons : []));
  }

  /**
   * A lost connection shows in its own place and mends itself; other refusals are told.
   *
   * @param {unknown} error
   */
  #onlyLost(error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.reason !== "LOST") this.#composer.tell(error.message);
  }
}
