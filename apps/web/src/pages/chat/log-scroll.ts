import type { ReactiveController, ReactiveControllerHost } from "lit";

const BOTTOM_PX = 48;

/** What grows inside the log. Of a long conversation only a part may be there. */
export interface LogContent extends HTMLElement {
  /** Missing until the code of the list has come; there is nothing to be seen before. */
  readonly endsAtNewest?: boolean;
  showNewest?(): Promise<unknown>;
}

/**
 * Keeps the newest text in view as long as the reader is there, and never pulls them back
 * to it: whatever is drawn above or below, what they read stays where it is.
 */
export class LogScroll implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #log: HTMLElement | undefined;
  #content: LogContent | undefined;
  #watch: ResizeObserver | undefined;
  #atBottom = true;
  /** Where the newest text was last put in view. */
  #placedAt = 0;
  /** The turn at the upper edge, where in the log it begins, and how far the log was scrolled. */
  #held: { readonly turn: Element; readonly begins: number; readonly scrolled: number } | undefined;
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
  attach(log: HTMLElement | null, content: LogContent | null): void {
    if (!log || !content || log === this.#log) return;
    this.hostDisconnected();
    this.#log = log;
    this.#content = content;
    log.addEventListener("scroll", this.#look, { passive: true });
    // Told once a frame, when everything is laid out and nothing painted yet. The keyboard
    // of a phone, or a longer message box, takes room away from the log as well.
    this.#watch = new ResizeObserver(() => this.#changed());
    this.#watch.observe(log);
    this.#watch.observe(content);
  }

  #changed(): void {
    const log = this.#log;
    if (!log) return;
    // The browser tells of scrolling a frame late; text that comes in between must not undo it.
    if (log.scrollTop < this.#placedAt - 1 && !this.#isNearBottom(log)) this.#atBottom = false;
    if (this.#atBottom) return this.toNewest();
    this.#putBack(log);
    if (!this.#isNearBottom(log)) this.#setBehind(true);
  }

  toNewest(): void {
    const log = this.#log;
    this.#atBottom = true;
    this.#held = undefined;
    this.#setBehind(false);
    if (!log) return;
    if (this.#content?.endsAtNewest === false) {
      this.#placedAt = 0;
      void this.#content.showNewest?.().then(() => this.#changed());
      return;
    }
    log.scrollTop = log.scrollHeight;
    this.#placedAt = log.scrollTop;
  }

  /** The reader goes elsewhere. */
  leave(): void {
    this.#atBottom = false;
    this.#held = undefined;
  }

  readonly #look = (): void => {
    const log = this.#log;
    if (!log) return;
    if (this.#isNearBottom(log)) {
      this.#atBottom = true;
      this.#setBehind(false);
    }
    // Text that came since it was put there is no scrolling of the reader's.
    else if (log.scrollTop < this.#placedAt - 1) this.#atBottom = false;
    this.#hold(log);
  };

  #hold(log: HTMLElement): void {
    const edge = log.getBoundingClientRect().top;
    const turns = log.getElementsByClassName("turn");
    let first = 0;
    for (let after = turns.length; first < after;) {
      const middle = (first + after) >> 1;
      if (turns[middle]!.getBoundingClientRect().bottom > edge) after = middle;
      else first = middle + 1;
    }
    const turn = turns[first];
    this.#held = turn && { turn, begins: beginning(turn, log), scrolled: log.scrollTop };
  }

  /** Something was drawn, or went, above what is read: the log is scrolled by as much. */
  #putBack(log: HTMLElement): void {
    if (!this.#held?.turn.isConnected) return this.#hold(log);
    const { turn, begins, scrolled } = this.#held;
    const moved = beginning(turn, log) - begins;
    // Where the log became shorter, the browser has already scrolled it as little as it must.
    const isCut = scrolled > log.scrollHeight - log.clientHeight;
    if (Math.abs(moved) >= 1) log.scrollTop = (isCut ? scrolled : log.scrollTop) + moved;
    this.#held = { turn, begins: beginning(turn, log), scrolled: log.scrollTop };
  }

  #isNearBottom({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
    return scrollHeight - scrollTop - clientHeight < BOTTOM_PX && this.#content?.endsAtNewest !== false;
  }

  #setBehind(isBehind: boolean): void {
    if (isBehind === this.isBehind) return;
    this.isBehind = isBehind;
    this.#host.requestUpdate();
  }
}

/** How far from the beginning of the log. */
function beginning(turn: Element, log: HTMLElement): number {
  return turn.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop;
}
