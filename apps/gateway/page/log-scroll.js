import { byId } from "./dom.js";

const BOTTOM_PX = 48;

/** Keeps the newest text in view as long as the reader is there, and never pulls them back to it. */
export class LogScroll {
  #log = byId("log", HTMLDivElement);
  #jump = byId("jump", HTMLButtonElement);
  #atBottom = true;
  /** Where the newest text was last put in view. */
  #placedAt = 0;

  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.#log.addEventListener("scroll", () => this.#look(), { signal });
    this.#jump.addEventListener("click", () => this.#jumped(), { signal });
    // The keyboard of a phone, or a longer message box, takes room away from the log.
    const watch = new ResizeObserver(() => this.#atBottom && this.toNewest());
    watch.observe(this.#log);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  contentChanged() {
    const { scrollTop } = this.#log;
    // The browser tells of scrolling a frame late; text that comes in between must not undo it.
    if (scrollTop < this.#placedAt - 1 && !this.#isNearBottom()) this.#atBottom = false;
    if (this.#atBottom) this.toNewest();
    else this.#jump.hidden = false;
  }

  toNewest() {
    this.#atBottom = true;
    this.#jump.hidden = true;
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#placedAt = this.#log.scrollTop;
  }

  #isNearBottom() {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    return scrollHeight - scrollTop - clientHeight < BOTTOM_PX;
  }

  #look() {
    this.#atBottom = this.#isNearBottom();
    if (this.#atBottom) this.#jump.hidden = true;
  }

  #jumped() {
    this.toNewest();
    this.#log.focus({ preventScroll: true });
  }
}
