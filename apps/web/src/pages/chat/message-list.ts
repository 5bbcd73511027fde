import { html, nothing, type PropertyDeclarations } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { repeat } from "lit/directives/repeat.js";
import { AppElement } from "../../app/app-element.ts";
import type { TurnActions } from "./message-item.ts";
import type { Turn } from "./turn.ts";
import "./message-item.ts";

/** About a hundred messages; older ones are drawn when they are asked for. */
const TURNS_SHOWN = 50;
const TURNS_AT_ONCE = 10;

/** The turns of a conversation, the newest last. */
export class MessageList extends AppElement {
  static override properties: PropertyDeclarations = {
    turns: { attribute: false },
    damaged: { type: Number },
    actions: { attribute: false },
    conversation: { attribute: false },
    shown: { state: true },
  };
  declare turns: readonly Turn[];
  declare damaged: number;
  declare actions: TurnActions | undefined;
  /** Changes when another session is opened. */
  declare conversation: unknown;
  declare shown: number;
  #growing = false;

  constructor() {
    super();
    this.turns = [];
    this.damaged = 0;
    this.shown = TURNS_AT_ONCE;
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (changed.has("conversation")) this.shown = TURNS_AT_ONCE;
  }

  protected override updated(): void {
    // What is seen at once is there at once; what lies above it follows.
    if (this.shown < Math.min(TURNS_SHOWN, this.turns.length)) void this.#grow(TURNS_SHOWN);
  }

  protected override render(): unknown {
    const from = Math.max(0, this.turns.length - this.shown);
    let position = 0;
    for (const turn of this.turns.slice(0, from)) position += turn.articles;
    const turns = html`<div class="turns">
      ${
        this.damaged === 0
          ? nothing
          : html`<p class="line warn" data-from="gateway">
              <span class="line-from">Gateway</span>${this.damaged} damaged part(s) of this transcript could
              not be read; everything else is shown.
            </p>`
      }
      ${
        from === 0
          ? nothing
          : html`<button type="button" class="show-earlier" @click=${() => void this.#showEarlier()}>
              Show earlier messages (${from.toLocaleString()})
            </button>`
      }
      ${repeat(
        this.turns.slice(from),
        (turn) => turn,
        (turn) => {
          const before = position;
          position += turn.articles;
          return html`<elwood-message-item
            class="turn"
            .app=${this.app}
            .turn=${turn}
            .position=${before}
            .actions=${this.actions}
          ></elwood-message-item>`;
        },
      )}
    </div>`;
    // What `repeat` takes out leaves a marker behind; those of one conversation go with it.
    return keyed(this.conversation, turns);
  }

  async #showEarlier(): Promise<void> {
    const first = this.querySelector<HTMLElement>("elwood-message-item");
    await this.#grow(this.shown + TURNS_SHOWN);
    first?.scrollIntoView({ block: "nearest" });
  }

  /** Older turns come in above, a few in each frame, and what is being read stays where it is. */
  async #grow(wanted: number): Promise<void> {
    if (this.#growing) return;
    this.#growing = true;
    const { conversation } = this;
    while (this.shown < Math.min(wanted, this.turns.length) && conversation === this.conversation) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const anchor = this.querySelector<HTMLElement>("elwood-message-item");
      const log = this.closest<HTMLElement>(".log");
      const top = anchor?.getBoundingClientRect().top ?? 0;
      const step = this.shown < TURNS_SHOWN ? STEP : STEP_OF_MANY;
      this.shown = Math.min(this.shown + step, wanted);
      await this.updateComplete;
      await Promise.all([...this.querySelectorAll("elwood-message-item")].slice(0, step).map(settled));
      if (log && anchor) log.scrollTop += anchor.getBoundingClientRect().top - top;
    }
    if (this.shown > MANY) await this.#putToRest();
    this.#growing = false;
  }

  /**
   * Old turns that are out of sight cost nothing from here on. Their height is known by now,
   * so nothing jumps when they come back into view.
   */
  async #putToRest(): Promise<void> {
    const awake = [...this.querySelectorAll<HTMLElement>("elwood-message-item:not(.at-rest)")];
    const items = awake.slice(0, -TURNS_SHOWN);
    for (let at = 0; at < items.length; at += STEP) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const some = items.slice(at, at + STEP);
      const heights = some.map((item) => item.getBoundingClientRect().height);
      for (const [i, item] of some.entries()) {
        item.style.setProperty("--turn-height", `${heights[i]}px`);
        item.classList.add("at-rest");
      }
    }
  }
}

/** Drawn in one frame: more while a session opens, when nothing moves yet, than under a reader's eyes. */
const STEP = 8;
const STEP_OF_MANY = 1;
const MANY = 100;

async function settled(element: Element): Promise<void> {
  if ("updateComplete" in element) await element.updateComplete;
}

customElements.define("elwood-message-list", MessageList);
