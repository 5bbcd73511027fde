/** @import { EventData } from "@elwood/core/protocol/events" */
/** @import { Snapshot, WireMessage } from "@elwood/core/protocol/shapes" */
import { CallLines } from "./call-lines.js";
import { build, countText, moneyText, timeElement } from "./dom.js";
import { articleView, evidenceLine, gatewayLine, messageView, replyParts, textView } from "./message-view.js";

/** @typedef {EventData<"chat.final">} Final */
/** @typedef {EventData<"chat.error">} Failed */

/**
 * One message of the owner's and everything that came of it, as a part of the page.
 *
 * T1 `seq` never falls: a push that the snapshot already held is not shown twice.
 * T2 Once settled, a turn does not change any more.
 */
export class Turn {
  element = build("div", { class: "turn" });
  /** @type {string | undefined} known once the gateway took the message */
  runId;
  /** @type {"waiting" | "live" | "settled"} */
  state = "settled";
  /** The owner pressed Stop; said again after a reconnect, for this run only. */
  stopAsked = false;
  /** Something came for it since this was last looked at. */
  stirred = false;
  #seq = 0;
  #text = document.createTextNode("");
  /** @type {HTMLElement | undefined} the reply being written */
  #reply;
  #status = build("p", { class: "reply-status hint" });
  #calls = new CallLines();
  /** Tool calls were made, so there is something to be said about what was done. */
  #acted = false;

  /**
   * The owner's message, before the gateway has it.
   *
   * @param {string} text
   */
  static ofOwner(text) {
    const turn = new Turn();
    turn.state = "waiting";
    turn.element.append(articleView("You", [textView(text)], Date.now()), turn.#status);
    turn.#status.textContent = "Sending…";
    return turn;
  }

  /**
   * A turn as the gateway keeps it.
   *
   * @param {string} runId
   * @param {readonly WireMessage[]} messages
   * @param {boolean} unfinished
   */
  static ofMessages(runId, messages, unfinished) {
    const turn = new Turn();
    turn.runId = runId;
    turn.#showMessages(messages);
    if (unfinished) turn.live(runId);
    return turn;
  }

  /** @param {string} runId */
  live(runId) {
    this.runId = runId;
    this.state = "live";
    this.stirred = true;
    this.#text = document.createTextNode("");
    const text = build("div", { class: "text" }, [this.#text]);
    this.#reply = articleView("Elwood", [text, this.#status]);
    this.#reply.classList.add("writing");
    this.element.append(this.#reply);
    this.#status.textContent = "Waiting for the answer…";
  }

  /** The connection is gone; what stands here stays. */
  pause() {
    if (this.state === "waiting") this.#status.textContent = "Sent as soon as the connection is back.";
    if (this.state === "live") this.#status.textContent = "Picked up as soon as the connection is back.";
  }

  /**
   * @param {string} event
   * @param {unknown} data
   */
  push(event, data) {
    // `event` names the shape of `data`; the conversation hands on nothing but pushes of a run.
    const { seq } = /** @type {{ seq: number }} */ (data);
    if (this.state !== "live" || seq <= this.#seq) return;
    this.#seq = seq;
    this.stirred = true;
    switch (event) {
      case "run.queued":
        this.#status.textContent = "Waits for the message before it…";
        return;
      case "run.started":
        return this.#started(/** @type {EventData<"run.started">} */ (data));
      case "chat.thinking":
        this.#status.textContent = "Thinking…";
        return;
      case "chat.delta":
        return this.#delta(/** @type {EventData<"chat.delta">} */ (data));
      case "chat.notice":
        this.#line(gatewayLine(/** @type {EventData<"chat.notice">} */ (data).message, "warn"));
        return;
      case "tool.started":
        return this.#call(/** @type {EventData<"tool.started">} */ (data), "running");
      case "tool.progress": {
        const progress = /** @type {EventData<"tool.progress">} */ (data);
        return this.#call(progress, progress.message);
      }
      case "tool.finished": {
        const finished = /** @type {EventData<"tool.finished">} */ (data);
        return this.#call(finished, finished.status);
      }
      case "chat.final":
        return this.#final(/** @type {Final} */ (data));
      case "chat.error":
        return this.#failed(/** @type {Failed} */ (data));
    }
  }

  /**
   * Where the run stands, as the gateway sees it now.
   *
   * @param {Snapshot} snapshot
   * @param {readonly WireMessage[]} messages of this turn, for a run that ended out of sight
   */
  catchUp(snapshot, messages) {
    if (this.state !== "live") return;
    this.#seq = Math.max(this.#seq, snapshot.seq);
    this.stirred = true;
    const ended = snapshot.status === "done" || snapshot.status === "failed" || snapshot.status === "aborted";
    // What a snapshot holds under these names is the push that ended the run.
    if (snapshot.final) this.#final(/** @type {Final} */ (snapshot.final));
    else if (snapshot.error) this.#failed(/** @type {Failed} */ (snapshot.error));
    else if (ended) this.settleFrom(messages);
    else {
      for (const call of snapshot.calls) this.#call(call, call.status);
      this.#text.data = snapshot.text;
      const waits = snapshot.status === "waiting" ? "Waiting for you…" : "Waiting for the answer…";
      this.#status.textContent = snapshot.text === "" || snapshot.status === "waiting" ? waits : "Writing…";
    }
  }

  /**
   * The run has ended, and this is what is kept of it.
   *
   * @param {readonly WireMessage[]} messages
   */
  settleFrom(messages) {
    this.#showMessages(messages);
    this.state = "settled";
  }

  /**
   * Puts something of the gateway's into this turn, where the answer is being written.
   *
   * @param {HTMLElement} element
   */
  attach(element) {
    if (this.element.contains(element)) return;
    if (!this.#reply?.isConnected || this.state !== "live") {
      this.element.append(element);
      return;
    }
    this.#line(element);
    this.#status.textContent = "Waiting for you…";
  }

  /** True where calls were made and the evidence for them is not on the page. */
  get lacksEvidence() {
    return this.#acted && this.state === "settled" && !this.element.querySelector(".evidence");
  }

  /** @param {string} evidence */
  showEvidence(evidence) {
    if (this.lacksEvidence) this.element.append(evidenceLine(evidence));
  }

  /**
   * @param {{ callId: string, tool: string }} call
   * @param {string} words
   */
  #call({ callId, tool }, words) {
    if (!this.#calls.element.isConnected) this.#line(this.#calls.element);
    this.#calls.show(callId, tool, words);
    this.#status.textContent = "Working…";
  }

  /** @param {readonly WireMessage[]} messages */
  #showMessages(messages) {
    this.#acted = messages.some(({ blocks }) => blocks.some((block) => block.type === "tool_use"));
    this.element.replaceChildren(...messages.map(messageView).filter((view) => view !== undefined));
  }

  /** @param {EventData<"run.started">} data */
  #started({ attempt }) {
    this.#status.textContent = "Waiting for the answer…";
    if (attempt > 1)
      this.#line(
        gatewayLine("Elwood was stopped in the middle of this answer and took it up again.", "info"),
      );
  }

  /** @param {EventData<"chat.delta">} data */
  #delta({ text, reset }) {
    if (reset) this.#text.data = text;
    else this.#text.appendData(text);
    this.#status.textContent = "Writing…";
  }

  /**
   * What was streamed is replaced by the reply.
   *
   * @param {string} text
   */
  #said(text) {
    this.#text.data = text;
    this.#text.parentElement?.replaceChildren(...(text === "" ? [this.#text] : replyParts(text)));
  }

  /** @param {Final} final */
  #final(final) {
    this.#said(final.text);
    if (final.aborted)
      this.#line(gatewayLine("You stopped this answer. What had been written by then is kept.", "info"));
    if (final.note) this.#line(gatewayLine(final.note, "warn"));
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = final.usage;
    const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
    const facts = [final.demo ? "demo model" : final.model];
    if (tokens > 0) facts.push(countText(tokens, "token"));
    if (final.costUsd !== undefined && !final.demo) facts.push(`${moneyText(final.costUsd)} estimated`);
    const { untrustedInput, privateData, sideEffect } = final.ruleOfTwo ?? {};
    if (untrustedInput && privateData && sideEffect)
      facts.push("read what others wrote, saw private things and acted");
    this.#line(evidenceLine(final.evidence, facts));
    this.#settle(final.aborted === true);
  }

  /** @param {Failed} error */
  #failed(error) {
    this.#said(error.text);
    this.#line(gatewayLine(error.message, "bad"));
    this.#line(evidenceLine(error.evidence));
    this.#settle(true);
  }

  /** @param {boolean} cutShort */
  #settle(cutShort) {
    this.state = "settled";
    this.#status.remove();
    this.#reply?.classList.remove("writing");
    this.#reply?.querySelector(".message-head")?.append(timeElement(Date.now()));
    this.#reply?.classList.toggle("cut-short", cutShort);
    if (this.#text.data !== "" || !this.#reply) return;
    // The model said nothing: what stands here is the gateway's alone.
    this.#reply.replaceWith(...this.#reply.querySelectorAll("[data-from]"));
  }

  /** @param {HTMLElement} line */
  #line(line) {
    this.#reply?.append(line);
    if (this.#status.isConnected) this.#reply?.append(this.#status);
  }
}
