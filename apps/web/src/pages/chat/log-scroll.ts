import type { ReactiveController, ReactiveControllerHost } from "lit";
import { isTyping } from "../../app/commands.ts";

const BOTTOM_PX = 48;
const AT_END_PX = 2;
/** What a reader scrolls with, and for how long it is their doing that the log moves. */
const SCROLLED_BY = ["wheel", "touchmove", "keydown"] as const;
const SCROLLING_MS = 300;
/** Inside these is nothing to hold on to: lines of text. */
const LINES = "p, pre, textarea, svg";

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
  /** How far the log was scrolled, and how high it was, when that was last looked at, or set. */
  #seenAt = 0;
  #seenHeight = 0;
  #scrolledAt = -Infinity;
  /** What stands at the upper edge, and how far the log was scrolled. */
  #held: { readonly marks: readonly Mark[]; readonly scrolled: number } | undefined;
  /** The newest is below what is seen. */
  isBehind = false;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#watch?.disconnect();
    this.#log?.removeEventListener("scroll", this.#look);
    for (const each of SCROLLED_BY) this.#log?.removeEventListener(each, this.#scrolled);
    this.#log = undefined;
  }

  /** The element that scrolls, and what grows inside it; called with each drawing. */
  attach(log: HTMLElement | null, content: LogContent | null): void {
    if (!log || !content || log === this.#log) return;
    this.hostDisconnected();
    this.#log = log;
    this.#content = content;
    log.addEventListener("scroll", this.#look, { passive: true });
    for (const each of SCROLLED_BY) log.addEventListener(each, this.#scrolled, { passive: true });
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
    if (this.#isLeaving(log)) this.#atBottom = false;
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
      this.#seenAt = 0;
      void this.#content.showNewest?.().then(() => this.#changed());
      return;
    }
    log.scrollTop = log.scrollHeight;
    this.#see(log);
  }

  /** The reader goes elsewhere. */
  leave(): void {
    this.#atBottom = false;
    this.#held = undefined;
  }

  readonly #scrolled = (event: Event): void => {
    this.#scrolledAt = performance.now();
    const isEnd = event instanceof KeyboardEvent && event.key === "End" && !event.shiftKey;
    // The end of what is drawn may not be the end.
    if (!isEnd || this.#content?.endsAtNewest !== false || isTyping(event)) return;
    this.#log?.focus({ preventScroll: true });
    this.toNewest();
  };

  readonly #look = (): void => {
    const log = this.#log;
    if (!log) return;
    if (this.#isLeaving(log)) this.#atBottom = false;
    // Coming down, it is enough to be near; else nothing but the end itself counts.
    else if (this.#isNearBottom(log, log.scrollTop > this.#seenAt ? BOTTOM_PX : AT_END_PX)) {
      this.#atBottom = true;
    }
    this.#setBehind(!this.#atBottom && !this.#isNearBottom(log));
    this.#see(log);
    this.#hold(log);
  };

  #see({ scrollTop, clientHeight }: HTMLElement): void {
    this.#seenAt = scrollTop;
    this.#seenHeight = clientHeight;
  }

  /**
   * The reader scrolls up. However slowly: whoever drags the log with a finger must not be
   * pulled back at each new line. The browser itself scrolls up too, where text became
   * shorter or a message left the box to the log; then something new may follow at once.
   */
  #isLeaving(log: HTMLElement): boolean {
    const isReader = performance.now() - this.#scrolledAt < SCROLLING_MS;
    const byItself = isReader ? 0 : Math.max(0, log.clientHeight - this.#seenHeight);
    if (log.scrollTop >= this.#seenAt - byItself - 1) return false;
    return !this.#isNearBottom(log, isReader ? AT_END_PX : BOTTOM_PX);
  }

  #hold(log: HTMLElement): void {
    this.#held = { marks: marksAt(log), scrolled: log.scrollTop };
  }

  /** Something was drawn, or went, above what is read: the log is scrolled by as much. */
  #putBack(log: HTMLElement): void {
    const mark = this.#held?.marks.find(({ element }) => element.isConnected && element.checkVisibility());
    if (this.#held && mark) {
      const moved = beginning(mark.element, log) - mark.begins;
      // Where the log became shorter, the browser has already scrolled it as little as it must.
      const isCut = this.#held.scrolled > log.scrollHeight - log.clientHeight;
      if (Math.abs(moved) >= 1) log.scrollTop = (isCut ? this.#held.scrolled : log.scrollTop) + moved;
    }
    this.#see(log);
    this.#hold(log);
  }

  #isNearBottom({ scrollHeight, scrollTop, clientHeight }: HTMLElement, px = BOTTOM_PX): boolean {
    return scrollHeight - scrollTop - clientHeight < px && this.#content?.endsAtNewest !== false;
  }

  #setBehind(isBehind: boolean): void {
    if (isBehind === this.isBehind) return;
    this.isBehind = isBehind;
    this.#host.requestUpdate();
  }
}

/** Something in the log, and where in it that begins. */
interface Mark {
  readonly element: Element;
  readonly begins: number;
}

/**
 * What stands at the upper edge: the smallest thing first, the turn that it is part of last.
 * A turn may be many screens long, and grow above what is read of it.
 */
function marksAt(log: HTMLElement): Mark[] {
  const edge = log.getBoundingClientRect().top;
  const turns = log.getElementsByClassName("turn");
  let first = 0;
  for (let after = turns.length; first < after;) {
    const middle = (first + after) >> 1;
    if (turns[middle]!.getBoundingClientRect().bottom > edge) after = middle;
    else first = middle + 1;
  }
  const marks: Mark[] = [];
  for (let element = turns[first]; element; element = firstBelow(edge, element)) {
    marks.unshift({ element, begins: beginning(element, log) });
    if (element.getBoundingClientRect().top >= edge || element.matches(LINES)) break;
  }
  return marks;
}

function firstBelow(edge: number, { children }: Element): Element | undefined {
  for (const child of children) {
    const { bottom, height } = child.getBoundingClientRect();
    if (height > 0 && bottom > edge) return child;
  }
  return undefined;
}

/** How far from the beginning of the log. */
function beginning(element: Element, log: HTMLElement): number {
  return element.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop;
}
