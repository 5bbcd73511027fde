/** @import { GatewayLink } from "./gateway-link.js" */
/** @import { LogScroll } from "./log-scroll.js" */
/** @import { Entry } from "./outbox.js" */
/** @import { MethodResult } from "@elwood/core/protocol/results" */
/** @import { WireMessage } from "@elwood/core/protocol/shapes" */
import { build, byId } from "./dom.js";
import { RequestError } from "./gateway-link.js";
import { gatewayLine } from "./message-view.js";
import { isOwnName } from "./outbox.js";
import { Turn } from "./turn.js";

/** @typedef {MethodResult<"sessions.get">} SessionView */

/** Older turns than these keep what was said of their calls in the transcript itself. */
const EVIDENCE_MAX = 30;

/**
 * The open session: its turns on the page, kept in step with the gateway.
 *
 * C1 What the gateway says always wins: a session is fetched anew after every break, and
 *    every unfinished run is resumed from where it stands.
 * C2 A turn that has ended stays as it is, so that reading and selecting are not disturbed.
 * C3 An answer for a session that is no longer open changes nothing.
 */
export class Conversation {
  sessionKey;
  #turns = build("div", { id: "turns", class: "turns" });
  #title = byId("chat-title", HTMLHeadingElement);
  #empty = byId("empty", HTMLDivElement);
  /** @type {Map<string, Turn>} by run */
  #byRun = new Map();
  /** @type {Map<string, Turn>} by the key of a message on its way */
  #byEntry = new Map();
  #syncing = false;
  #syncAgain = false;
  #announcedWriting = false;

  /**
   * @param {string} sessionKey
   * @param {LogScroll} scroll
   * @param {{ announce: (text: string) => void, tell: (problem: string) => void, changed: () => void }} listener
   */
  constructor(sessionKey, scroll, listener) {
    this.sessionKey = sessionKey;
    this.scroll = scroll;
    this.listener = listener;
    byId("turns", HTMLDivElement).replaceWith(this.#turns);
    this.#title.textContent = isOwnName(sessionKey) ? "New session" : "Loading…";
    this.#empty.hidden = !isOwnName(sessionKey);
    this.scroll.toNewest();
  }

  /** Until another conversation takes its place (C3). */
  get isOpen() {
    return this.#turns.isConnected;
  }

  /** The run that Stop is about: the oldest that has not ended. */
  get unfinishedTurn() {
    return [...this.#byRun.values()].find((turn) => turn.state === "live");
  }

  /** @param {Entry} entry */
  addWaiting(entry) {
    const turn = Turn.ofOwner(entry.text);
    this.#byEntry.set(entry.key, turn);
    this.#turns.append(turn.element);
    this.scroll.toNewest();
    this.#changed();
  }

  /**
   * @param {Entry} entry
   * @param {string} runId
   */
  accepted(entry, runId) {
    const turn = this.#byEntry.get(entry.key);
    this.#byEntry.delete(entry.key);
    if (!turn || this.#byRun.has(runId)) {
      turn?.element.remove();
      return;
    }
    turn.live(runId);
    this.#byRun.set(runId, turn);
    this.#changed();
  }

  /** @param {Entry} entry */
  refused(entry) {
    this.#byEntry.get(entry.key)?.element.remove();
    this.#byEntry.delete(entry.key);
    this.#changed();
  }

  /**
   * @param {string} event
   * @param {unknown} data
   */
  push(event, data) {
    const runId = isOfRun(data) ? data.runId : undefined;
    const turn = runId === undefined ? undefined : this.#byRun.get(runId);
    if (turn?.state !== "live") return;
    turn.push(event, data);
    if (event === "chat.delta" && !this.#announcedWriting) {
      this.#announcedWriting = true;
      this.listener.announce("Elwood is writing.");
    }
    if (event === "chat.final" || event === "chat.error") {
      this.#announcedWriting = false;
      this.listener.announce(event === "chat.final" ? "Reply ready." : "The reply failed.");
    }
    this.#changed();
  }

  /**
   * Puts something of the gateway's where a run stands, or last where the run is not shown.
   *
   * @param {string} runId
   * @param {HTMLElement} element
   * @returns {boolean} whether the run is shown
   */
  place(runId, element) {
    const turn = this.#byRun.get(runId);
    const there = element.isConnected;
    if (turn) turn.attach(element);
    else if (!this.#turns.contains(element)) this.#turns.append(element);
    if (!there) this.scroll.contentChanged();
    return turn !== undefined;
  }

  /** The connection broke. */
  pause() {
    for (const turn of [...this.#byRun.values(), ...this.#byEntry.values()]) turn.pause();
  }

  /**
   * Fetches the session and brings the page in step with it (C1). Calls that come while
   * one is under way are joined into one more.
   *
   * @param {GatewayLink} link
   */
  async sync(link) {
    if (isOwnName(this.sessionKey)) return;
    this.#syncAgain = true;
    if (this.#syncing) return;
    this.#syncing = true;
    try {
      while (this.#syncAgain) {
        this.#syncAgain = false;
        await this.#syncOnce(link);
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!this.isOpen) return;
      // LOST is taken up at the next connection.
      if (error.reason === "NOT_FOUND") this.#isGone(error.message);
      else if (error.reason !== "LOST") this.listener.tell(error.message);
    } finally {
      this.#syncing = false;
    }
  }

  /**
   * Asks again about runs that have been silent since the last time.
   *
   * @param {GatewayLink} link
   */
  async resumeSilent(link) {
    const live = [...this.#byRun.values()].filter((turn) => turn.state === "live");
    const silent = live.some((turn) => !turn.stirred);
    for (const turn of live) turn.stirred = false;
    if (silent) await this.sync(link);
  }

  /** @param {GatewayLink} link */
  async #syncOnce(link) {
    const view = await link.request("sessions.get", { sessionKey: this.sessionKey });
    if (!this.isOpen) return;
    const byRun = Map.groupBy(view.messages, (message) => message.runId);
    const unfinished = new Set(view.runs.map((run) => run.runId));
    this.#title.textContent = view.session.title;
    this.#place(byRun, unfinished);
    this.#showDamage(view);
    this.#changed();
    for (const [runId, turn] of this.#byRun) {
      if (turn.state === "live" && this.isOpen) await this.#resume(link, runId, turn, byRun.get(runId) ?? []);
    }
    const bare = [...this.#byRun].filter(([, turn]) => turn.lacksEvidence).slice(-EVIDENCE_MAX);
    for (const [runId, turn] of bare) {
      if (this.isOpen) turn.showEvidence((await link.request("runs.activity", { runId })).evidence);
    }
  }

  /**
   * @param {GatewayLink} link
   * @param {string} runId
   * @param {Turn} turn
   * @param {readonly WireMessage[]} messages
   */
  async #resume(link, runId, turn, messages) {
    const { snapshot } = await link.request("chat.resume", { runId });
    turn.catchUp(snapshot, messages);
    if (turn.stopAsked && turn.state === "live") await link.request("chat.abort", { runId });
    this.#changed();
  }

  /**
   * Puts every turn where it belongs, and those that are still on their way last.
   *
   * @param {ReadonlyMap<string, readonly WireMessage[]>} byRun
   * @param {ReadonlySet<string>} unfinished
   */
  #place(byRun, unfinished) {
    let next = this.#turns.firstElementChild;
    for (const [runId, messages] of byRun) {
      const turn = this.#byRun.get(runId) ?? Turn.ofMessages(runId, messages, unfinished.has(runId));
      this.#byRun.set(runId, turn);
      if (turn.element === next) next = next.nextElementSibling;
      else this.#turns.insertBefore(turn.element, next);
    }
    let position = 0;
    for (const article of this.#turns.querySelectorAll("article")) {
      position += 1;
      article.setAttribute("aria-label", `${article.dataset["author"] ?? ""}, message ${position}`);
    }
  }

  /** @param {SessionView} view */
  #showDamage({ damage }) {
    this.#turns.querySelector(".damage")?.remove();
    if (damage.length === 0) return;
    const text = `${damage.length} damaged part(s) of this transcript could not be read; everything else is shown.`;
    const line = gatewayLine(text, "warn");
    line.classList.add("damage");
    this.#turns.prepend(line);
  }

  /** @param {string} message */
  #isGone(message) {
    this.#turns.replaceChildren(gatewayLine(message, "bad"));
    this.#byRun.clear();
    this.#changed();
  }

  #changed() {
    if (!this.isOpen) return;
    this.#empty.hidden = this.#turns.childElementCount > 0 || !isOwnName(this.sessionKey);
    this.scroll.contentChanged();
    this.listener.changed();
  }
}

/**
 * @param {unknown} data
 * @returns {data is { runId: string }}
 */
function isOfRun(data) {
  return typeof data === "object" && data !== null && "runId" in data && typeof data.runId === "string";
}
