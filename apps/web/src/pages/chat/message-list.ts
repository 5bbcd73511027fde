import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { repeat } from "lit/directives/repeat.js";
import { AppElement } from "../../app/app-element.ts";
import { isTyping } from "../../app/commands.ts";
import type { ChatState } from "./chat-state.ts";
import type { TurnActions } from "./message-item.ts";
import { turnActions } from "./turn-actions.ts";
import type { Turn } from "@elwood/sdk/view-state/turn";
import {
  afterChange,
  around,
  goalOf,
  REMOVED_PER_FRAME,
  newest,
  nextWindow,
  type Goal,
  type Reader,
  type TurnWindow,
} from "./turn-window.ts";
import { say } from "../../words/en/chat.ts";
import { fillIn } from "../../words/fill.ts";
import "./message-item.ts";

/**
 * The turns of a conversation, the newest last. Of a long one a part is drawn, around what
 * is read: two thousand messages cost what a hundred do. It grows a little in each frame as
 * the reader comes near its end. What is being read stays where it is: `LogScroll` sees to that.
 */
export class MessageList extends AppElement {
  static override properties: PropertyDeclarations = {
    turns: { attribute: false },
    damaged: { type: Number },
    chat: { attribute: false },
    conversation: { attribute: false },
    drawn: { state: true },
  };
  declare turns: readonly Turn[];
  declare damaged: number;
  /** Where its turns can be acted on. */
  declare chat: ChatState | undefined;
  /** Changes when another session is opened. */
  declare conversation: unknown;
  declare drawn: TurnWindow;
  #goal: Goal | undefined;
  #working = false;
  #log: HTMLElement | undefined;
  /** The very same object each time: another one would draw every turn anew. */
  #actions: TurnActions | undefined;

  constructor() {
    super();
    this.turns = [];
    this.damaged = 0;
    this.drawn = newest(0);
  }

  /** Whether its end is the end of the conversation. */
  get endsAtNewest(): boolean {
    return this.drawn.to === this.turns.length;
  }

  /** Draws the newest turns instead of those that are. */
  async showNewest(): Promise<void> {
    this.#show(newest(this.turns.length));
    await this.updateComplete;
  }

  /** Puts the turn of a run in view, with the focus; false where there is none. */
  async reveal(runId: string): Promise<boolean> {
    const item = await this.bring(runId);
    if (!item) return false;
    item.tabIndex = -1;
    item.focus({ preventScroll: true });
    return true;
  }

  /** Draws the turn of a run, where it is not drawn, and puts it in view. */
  async bring(runId: string): Promise<HTMLElement | undefined> {
    const index = this.turns.findIndex((turn) => turn.runId === runId);
    const turn = this.turns[index];
    if (!turn) return undefined;
    if (index < this.drawn.from || index >= this.drawn.to) this.#show(around(index, this.turns.length));
    await this.updateComplete;
    const item = this.#items().find((each) => each.turn === turn);
    item?.scrollIntoView({ block: "start" });
    return item;
  }

  protected override entered(): readonly (() => void)[] {
    const log = this.closest<HTMLElement>(".log");
    if (!log) return [];
    this.#log = log;
    const look = () => void this.#work();
    const pressed = (event: KeyboardEvent) => void this.#pressed(event, log);
    log.addEventListener("scroll", look, { passive: true });
    log.addEventListener("keydown", pressed);
    return [() => log.removeEventListener("scroll", look), () => log.removeEventListener("keydown", pressed)];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (changed.has("chat")) this.#actions = this.chat && turnActions(this.chat);
    const count = this.turns.length;
    const before = changed.get("turns") as MessageList["turns"] | undefined;
    if (changed.has("conversation")) this.#show(newest(count));
    else if (before) {
      // Earlier ones may have come to be known: those that are drawn are the same still.
      const moved = before[0] ? Math.max(0, this.turns.indexOf(before[0])) : 0;
      const { from, to } = this.drawn;
      this.drawn = afterChange({ from: from + moved, to: to + moved }, before.length + moved, count);
    }
  }

  protected override updated(): void {
    void this.#work();
  }

  protected override render(): unknown {
    const { from, to } = this.drawn;
    let position = 0;
    for (const turn of this.turns.slice(0, from)) position += turn.articles;
    const turns = html`<div class="turns">
      ${
        this.damaged === 0
          ? nothing
          : html`<p class="line warn" data-from="gateway">
              <span class="line-from">${say.gateway}</span
              >${fillIn(say.damagedPartSOfThisTranscript, this.damaged)}
            </p>`
      }
      ${this.#more("earlier", from)}
      ${repeat(
        this.turns.slice(from, to),
        (turn) => turn,
        (turn) => {
          const before = position;
          position += turn.articles;
          return html`<elwood-message-item
            class="turn"
            .app=${this.app}
            .turn=${turn}
            .position=${before}
            .actions=${this.#actions}
          ></elwood-message-item>`;
        },
      )}
      ${this.#more("later", this.turns.length - to)}
    </div>`;
    return keyed(this.conversation, turns);
  }

  #more(way: Goal["way"], count: number): TemplateResult | typeof nothing {
    if (count === 0) return nothing;
    return html`<button type="button" class="show-more" @click=${() => this.#ask(way)}>
      ${fillIn(say.showMessages, way, count.toLocaleString())}
    </button>`;
  }

  #ask(way: Goal["way"]): void {
    this.#goal = goalOf(way, this.drawn, this.turns.length);
    void this.#work();
  }

  /** Home leads to where the conversation begins, not the part of it that is drawn. */
  async #pressed(event: KeyboardEvent, log: HTMLElement): Promise<void> {
    if (event.key !== "Home" || event.shiftKey || isTyping(event) || this.drawn.from === 0) return;
    event.preventDefault();
    // What has the focus may not be drawn any more.
    log.focus({ preventScroll: true });
    this.#show(around(0, this.turns.length));
    await this.updateComplete;
    log.scrollTop = 0;
  }

  #show(window: TurnWindow): void {
    this.#goal = undefined;
    this.drawn = window;
  }

  /** Draws and lets go, a little in each frame, until there is enough around the reader. */
  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    await frame();
    for (let next = this.#next(); next && this.isConnected; next = this.#next()) {
      this.drawn = next;
      await frame();
    }
    this.#goal = undefined;
    this.#working = false;
  }

  #next(): TurnWindow | undefined {
    return nextWindow(this.drawn, this.turns.length, this.#reader(), this.#goal);
  }

  #reader(): Reader | undefined {
    const log = this.#log;
    if (!log || log.clientHeight === 0) return undefined;
    const { scrollTop, scrollHeight, clientHeight } = log;
    const items = this.#items();
    const uses = {
      start: items.slice(0, REMOVED_PER_FRAME).some(isInUse),
      end: items.slice(-REMOVED_PER_FRAME).some(isInUse),
    };
    return { above: scrollTop / clientHeight, below: (scrollHeight - scrollTop) / clientHeight - 1, uses };
  }

  #items(): (HTMLElement & { readonly turn?: Turn })[] {
    return [...this.querySelectorAll<HTMLElement>("elwood-message-item")];
  }
}

/** Somebody writes in it, or has the focus there. */
function isInUse(item: HTMLElement): boolean {
  return item.matches(":focus-within") || item.querySelector(".edit-message") !== null;
}

function frame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

customElements.define("elwood-message-list", MessageList);
