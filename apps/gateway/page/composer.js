import { byId, say } from "./dom.js";
import { read, write } from "./tab-storage.js";

/**
 * The message box. Text in it is never lost: it is kept per session across reloads, and
 * leaves only when the outbox has it.
 */
export class Composer {
  #form = byId("composer", HTMLFormElement);
  #box = byId("message", HTMLTextAreaElement);
  #send = byId("send", HTMLButtonElement);
  #stop = byId("stop", HTMLButtonElement);
  #alert = byId("composer-alert", HTMLParagraphElement);
  #draftName = "";
  charsMax = Infinity;

  /**
   * @param {AbortSignal} signal
   * @param {object} listener
   * @param {(text: string) => string | undefined} listener.send  answers why the text was not taken, if it was not
   * @param {() => void} listener.stop
   */
  constructor(signal, listener) {
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#submit(listener.send);
    };
    const stop = () => {
      listener.stop();
      this.#box.focus();
    };
    this.#form.addEventListener("submit", submit, { signal });
    this.#box.addEventListener("keydown", (event) => this.#key(event), { signal });
    this.#box.addEventListener("input", () => this.#textChanged(), { signal });
    this.#stop.addEventListener("click", stop, { signal });
  }

  /**
   * Shows the draft of a session.
   *
   * @param {string} sessionKey
   */
  open(sessionKey) {
    this.#draftName = draftName(sessionKey);
    say(this.#alert, undefined);
    this.#setText(read(this.#draftName) ?? "");
  }

  /**
   * The session got its real name; the draft follows it.
   *
   * @param {string} sessionKey
   */
  rename(sessionKey) {
    write(this.#draftName, undefined);
    this.#draftName = draftName(sessionKey);
    this.#textChanged();
  }

  /**
   * Puts text back that could not be sent, before whatever was typed in that session since.
   *
   * @param {string} sessionKey
   * @param {string} text
   * @param {string} why
   */
  giveBack(sessionKey, text, why) {
    const name = draftName(sessionKey);
    const isOpen = name === this.#draftName;
    const since = isOpen ? this.#box.value : (read(name) ?? "");
    const whole = since === "" ? text : `${text}\n\n${since}`;
    if (isOpen) this.#setText(whole);
    else write(name, whole);
    this.tell(`Not sent: ${why}${isOpen ? "" : " The text waits in the box of its session."}`);
  }

  /** @param {string} problem */
  tell(problem) {
    say(this.#alert, problem);
  }

  focus() {
    this.#box.focus();
  }

  /** @param {string} text */
  suggest(text) {
    this.#setText(text);
    this.#box.focus();
  }

  /** @param {"idle" | "running" | "stopping"} state */
  showRun(state) {
    this.#stop.hidden = state === "idle";
    this.#stop.disabled = state === "stopping";
    this.#stop.textContent = state === "stopping" ? "Stopping…" : "Stop";
  }

  /** @param {(text: string) => string | undefined} send */
  #submit(send) {
    const text = this.#box.value;
    if (text.trim() === "") return;
    const refusal = text.length > this.charsMax ? this.#tooLong(text.length) : send(text);
    say(this.#alert, refusal);
    if (refusal === undefined) this.#setText("");
    this.#box.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // Enter that ends a composed character belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  /** @param {number} chars */
  #tooLong(chars) {
    const over = (chars - this.charsMax).toLocaleString();
    return `The message is ${over} characters too long. Nothing was sent; shorten it or send it in parts.`;
  }

  /** @param {string} text */
  #setText(text) {
    this.#box.value = text;
    this.#textChanged();
  }

  #textChanged() {
    this.#send.disabled = this.#box.value.trim() === "";
    write(this.#draftName, this.#box.value);
  }
}

/** @param {string} sessionKey */
function draftName(sessionKey) {
  return `draft.${sessionKey}`;
}
