import { html, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { isComposing } from "../../app/commands.ts";
import { icon } from "../../parts/icon.ts";
import type { ChatState } from "./chat-state.ts";
import { folded, turnsWith } from "./find-words.ts";
import type { MessageList } from "./message-list.ts";
import type { Turn } from "@elwood/sdk/view-state/turn";
import type { Watched } from "@elwood/sdk/store";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

const MARK = "found";
/** What a turn holds is marked up to so often. */
const MARKS_MAX = 500;
const LOOK_AFTER_MS = 150;
/** What a turn draws late (parts that are loaded, long answers) is waited for so long. */
const FRAMES_MAX = 30;
const FRAMES_BEFORE_OPENING = 5;

/**
 * Finds words in the conversation that is open: in all of it, also where it is not drawn or lies
 * folded, which the browser's own search does not see.
 */
export class FindBar extends AppElement {
  static override properties: PropertyDeclarations = {
    chat: { attribute: false },
    onClose: { attribute: false },
    query: { state: true },
    found: { state: true },
    at: { state: true },
  };
  declare chat: ChatState;
  declare onClose: () => void;
  declare query: string;
  declare found: readonly Turn[];
  /** Which of those is shown, from 0. */
  declare at: number;
  #timer: number | undefined;

  constructor() {
    super();
    this.query = "";
    this.found = [];
    this.at = 0;
  }

  protected override watches(): readonly Watched[] {
    return [this.chat.open];
  }

  protected override entered(): readonly (() => void)[] {
    void this.updateComplete.then(() => this.focusInput());
    return [
      // Another conversation is searched anew.
      this.chat.open.subscribe(() => this.#look(this.query)),
      () => clearTimeout(this.#timer),
      () => CSS.highlights?.delete(MARK),
    ];
  }

  focusInput(): void {
    this.querySelector("input")?.select();
  }

  protected override render(): unknown {
    const { found, at, query } = this;
    const count = found.length === 0 ? say.nothingFound : fill(say.of, at + 1, found.length);
    return html`<div class="find-bar" role="search" @keydown=${this.#pressed}>
      <input
        type="search"
        aria-label=${say.findInThisConversation}
        placeholder=${say.findInThisConversation}
        autocomplete="off"
        .value=${query}
        @input=${this.#typed}
      />
      <span class="hint" role="status">${query === "" ? "" : count}</span>
      ${this.#step(-1, "higher", say.earlierMessageWithTheseWords)}
      ${this.#step(1, "down", say.laterMessageWithTheseWords)}
      <button
        type="button"
        class="icon-button"
        aria-label=${say.close}
        title=${say.close}
        @click=${() => this.onClose()}
      >
        ${icon("close", 16)}
      </button>
    </div>`;
  }

  #step(by: number, name: "higher" | "down", label: string): unknown {
    return html`<button
      type="button"
      class="icon-button"
      aria-label=${label}
      title=${label}
      ?disabled=${this.found.length === 0}
      @click=${() => void this.#go(by)}
    >
      ${icon(name, 16)}
    </button>`;
  }

  readonly #typed = ({ target }: Event): void => {
    const query = target instanceof HTMLInputElement ? target.value : "";
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#look(query), LOOK_AFTER_MS);
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === "Escape") {
      // Elsewhere the key stops the answer.
      event.preventDefault();
      event.stopPropagation();
      this.onClose();
    }
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      // What was typed since it was last looked for comes first.
      if (folded(event.target.value) === folded(this.query)) void this.#go(event.shiftKey ? 1 : -1);
      else this.#look(event.target.value);
    }
  };

  /** The newest comes first: that is where the reader is. */
  #look(query: string): void {
    clearTimeout(this.#timer);
    this.query = query;
    this.found = turnsWith(this.chat.open.value.turns.value, query);
    this.at = Math.max(0, this.found.length - 1);
    void this.#show();
  }

  async #go(by: number): Promise<void> {
    const { length } = this.found;
    if (length === 0) return;
    this.at = (this.at + by + length) % length;
    await this.#show();
  }

  async #show(): Promise<void> {
    CSS.highlights?.delete(MARK);
    const turn = this.found[this.at];
    if (turn?.runId === undefined) return;
    const list = this.closest(".chat")?.querySelector<MessageList>("elwood-message-list");
    const item = await list?.bring(turn.runId);
    if (!item) return;
    const words = folded(this.query);
    for (let frame = 0; frame < FRAMES_MAX && this.found[this.at] === turn && this.isConnected; frame++) {
      const ranges = rangesOf(item, words);
      if (ranges.length > 0) {
        mark(ranges);
        return;
      }
      // What is folded may be drawn only once it is opened.
      if (frame === FRAMES_BEFORE_OPENING)
        for (const fold of item.querySelectorAll("details")) fold.open = true;
      await new Promise(requestAnimationFrame);
    }
  }
}

/** Where the words stand in an element, folds included; those that hold some are opened. */
function rangesOf(item: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MARKS_MAX; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? "";
    for (
      let at = text.indexOf(words);
      at >= 0 && ranges.length < MARKS_MAX;
      at = text.indexOf(words, at + words.length)
    ) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
      for (
        let fold = node.parentElement?.closest("details");
        fold;
        fold = fold.parentElement?.closest("details")
      )
        fold.open = true;
    }
  }
  return ranges;
}

function mark(ranges: readonly Range[]): void {
  // Browsers that cannot mark without changing the page still lead there.
  if (CSS.highlights) CSS.highlights.set(MARK, new Highlight(...ranges));
  const place = ranges[0]?.startContainer.parentElement;
  place?.scrollIntoView({ block: "center" });
}

customElements.define("elwood-find-bar", FindBar);
