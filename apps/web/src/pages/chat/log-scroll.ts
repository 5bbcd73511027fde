import type { ReactiveController, ReactiveControllerHost } from "lit";

const BOTTOM_PX = 48;

/** Keeps the newest text in view as long as the reader is there, and never pulls them back to it. */
export class LogScroll implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #log: HTMLElement | undefined;
  #watch: ResizeObserver | undefined;
  #atBottom = true;
  /** Where the newest text was last put in view. */
  #placedAt = 0;
  /** Something new is below what is seen. */
  isBehind = false;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#watch?.disconnect();
    this.#log?.removeEventListener("scroll", this.#look);
    this.#log = undefined;
  }

  /** The element that scrolls, and what grows inside it; called with each drawing. */
  attach(log: HTMLElement | null, content: HTMLElement | null): void {
    if (!log || !content || log === this.#log) return;
    this.hostDisconnected();
    this.#log = log;
    log.addEventListener("scroll", this.#look, { passive: true });
    // Told once a frame, when everything is laid out. The keyboard of a phone, or a longer
    // message box, takes room away from the log as well.
    this.#watch = new ResizeObserver(() => this.#changed());
    this.#watch.observe(log);
    this.#watch.observe(content);
  }

  #changed(): void {
    const log = this.#log;
    if (!log) return;
    // The browser tells of scrolling a frame late; text that comes in between must not undo it.
    if (log.scrollTop < this.#placedAt - 1 && !this.#isNearBottom(log)) this.#atBottom = false;
    if (this.#atBottom) this.toNewest();
    else if (!this.#isNearBottom(log)) this.#setBehind(true);
  }

  toNewest(): void {
    const log = this.#log;
    this.#atBottom = true;
    this.#setBehind(false);
    if (!log) return;
    log.scrollTop = log.scrollHeight;
    this.#placedAt = log.scrollTop;
  }

  readonly #look = (): void => {
    if (!this.#log) return;
    if (this.#isNearBottom(this.#log)) {
      this.#atBottom = true;
      this.#setBehind(false);
    }
    // Text that came since it was put there is no scrolling of the reader's.
    else if (this.#log.scrollTop < this.#placedAt - 1) this.#atBottom = false;
  };

  #isNearBottom({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
    return scrollHeight - scrollTop - clientHeight < BOTTOM_PX;
  }

  #setBehind(isBehind: boolean): void {
    if (isBehind === this.isBehind) return;
    this.isBehind = isBehind;
    this.#host.requestUpdate();
  }
}
