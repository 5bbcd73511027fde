import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { AppElement } from "../../app/app-element.ts";
import { countText } from "../../parts/format.ts";
import { icon, type IconName } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import type { Watched } from "@elwood/sdk/store";
import { modelName } from "./model-choice.ts";
import type { ChatState } from "./chat-state.ts";
import type { Entry } from "@elwood/sdk/view-state/outbox";
import { say } from "../../words/en/chat.ts";
import { fill, fillIn } from "../../words/fill.ts";

/** More than a line holds; a message may be a book. */
const SHOWN_CHARS = 300;

/**
 * Messages that wait for the answer that is being written, in the order in which they will go.
 * They can be changed, taken out, and put in another order: by buttons, Alt and an arrow, or
 * by dragging.
 */
export class QueuedList extends AppElement {
  static override properties: PropertyDeclarations = {
    chat: { attribute: false },
    onDone: { attribute: false },
    dragged: { state: true },
  };
  declare chat: ChatState;
  /** A message left the list; the box takes the focus. */
  declare onDone: () => void;
  declare dragged: string | undefined;
  #count = 0;

  get entries(): readonly Entry[] {
    return this.chat.open.value.queued.value;
  }

  protected override watches(): readonly Watched[] {
    return [this.chat.open, this.chat.changed, this.chat.models.changed];
  }

  /** The row that came last is seen to have come. */
  protected override updated(): void {
    const { length } = this.entries;
    if (length > this.#count) this.querySelector("li:last-child")?.scrollIntoView({ block: "nearest" });
    this.#count = length;
  }

  protected override render(): unknown {
    return html`${this.entries.some(({ paused }) => paused) ? this.#paused() : nothing}
      <ol
        class="queued"
        aria-label=${say.messagesThatWait}
        @pointermove=${this.#dragOver}
        @pointerup=${this.#drop}
        @pointercancel=${this.#drop}
      >
        ${repeat(
          this.entries,
          ({ key }) => key,
          (entry, at) => this.#row(entry, at),
        )}
      </ol>`;
  }

  /** A stop leaves what was queued to its writer. */
  #paused(): TemplateResult {
    const count = this.entries.filter(({ paused }) => paused).length;
    return html`<div class="queued-paused" role="group" aria-label=${say.pausedMessages}>
      ${icon("pause", 16)}<span
        >${fillIn(say.pausedNotSent, countText(count, say.message2, say.messages))}</span
      >
      <button type="button" @click=${this.#resume}>${say.resume}</button>
      <button type="button" class="quiet" @click=${this.#discard}>${say.discard}</button>
    </div>`;
  }

  readonly #resume = (): void => {
    this.chat.resume();
    this.app.announce(say.theMessagesGoOn);
    this.onDone();
  };

  readonly #discard = (): void => {
    const { outbox, open } = this.chat;
    const gone = outbox.discard(open.value.sessionKey);
    this.app.toasts.show(fill(say.discarded, countText(gone.length, say.message2, say.messages)), {
      action: { label: say.undo, run: () => outbox.restore(gone) },
    });
    this.onDone();
  };

  #row(entry: Entry, at: number): TemplateResult {
    const { key, sessionKey, model } = entry;
    // It keeps the model that it was written for.
    const { models, open } = this.chat;
    const other = model === models.of(sessionKey) ? undefined : (model ?? models.usual(open.value));
    const last = this.entries.length - 1;
    return html`<li
      class="queued-row"
      data-key=${key}
      ?data-dragged=${this.dragged === key}
      @keydown=${(event: KeyboardEvent) => this.#pressed(event, entry)}
    >
      <span class="queued-grip" @pointerdown=${(event: PointerEvent) => this.#take(event, key)}
        >${icon(last === 0 ? "clock" : "grip", 16)}</span
      >
      <span class="queued-text">${textOf(entry)}</span>
      ${other === undefined ? nothing : html`<span class="hint queued-model">${modelName(other)}</span>`}
      ${at === 0 && !entry.paused ? html`<span class="hint queued-hint">${say.queued2}</span>` : nothing}
      ${
        last === 0
          ? nothing
          : html`${this.#button("higher", say.sendThisMessageEarlier, at === 0, () => this.#move(entry, -1))}
            ${this.#button("down", say.sendThisMessageLater, at === last, () => this.#move(entry, 1))}`
      }
      ${this.#button("pencil", say.editThisMessage, false, () => this.#takeBack(entry, true))}
      ${this.#button("close", say.removeThisMessage, false, () => this.#takeBack(entry, false))}
    </li>`;
  }

  #button(name: IconName, label: string, off: boolean, act: () => void): TemplateResult {
    return html`<button
      type="button"
      class="icon-button"
      aria-label=${label}
      aria-disabled=${off ? "true" : nothing}
      title=${label}
      @click=${act}
    >
      ${icon(name, 16)}
    </button>`;
  }

  #pressed(event: KeyboardEvent, entry: Entry): void {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    this.#move(entry, event.key === "ArrowUp" ? -1 : 1);
  }

  #move(entry: Entry, by: -1 | 1): void {
    const label = document.activeElement?.getAttribute("aria-label");
    const moved = this.chat.outbox.move(entry, by);
    const place = fill(say.placeOf, this.entries.indexOf(entry) + 1, this.entries.length);
    this.app.announce(moved ? fill(say.movedTo, place) : fill(say.staysAt, place));
    if (moved && label) void this.#focusAgain(entry, label);
  }

  /** What is moved in the document loses the focus. */
  async #focusAgain({ key }: Entry, label: string): Promise<void> {
    await this.updateComplete;
    const row = this.querySelector(`[data-key="${key}"]`);
    row?.querySelector<HTMLElement>(`[aria-label="${label}"]`)?.focus();
  }

  #takeBack(entry: Entry, edit: boolean): void {
    if (!this.chat.outbox.takeBack(entry)) {
      this.app.announce(say.tooLateTheMessageIsOn);
      return;
    }
    if (edit) this.chat.drafts.giveBack(entry.sessionKey, entry);
    const left = this.entries.length;
    this.app.announce(
      `${edit ? say.backInTheBox : say.removed} ${countText(left, say.messageWaits, say.messagesWait)}.`,
    );
    this.onDone();
  }

  /** The list holds on to the pointer: the row itself may be moved under it. */
  #take(event: PointerEvent, key: string): void {
    if (this.entries.length < 2 || event.button !== 0) return;
    event.preventDefault();
    this.querySelector("ol")?.setPointerCapture(event.pointerId);
    this.dragged = key;
  }

  readonly #dragOver = (event: PointerEvent): void => {
    if (this.dragged === undefined) return;
    const at = this.entries.findIndex(({ key }) => key === this.dragged);
    const rows = [...this.querySelectorAll("li")].map((row) => row.getBoundingClientRect());
    const over = rows.findIndex(({ top, bottom }) => event.clientY >= top && event.clientY <= bottom);
    const entry = this.entries[at];
    if (entry && over >= 0 && over !== at) this.#move(entry, over < at ? -1 : 1);
  };

  readonly #drop = (): void => {
    this.dragged = undefined;
  };
}

function textOf({ text, files }: Entry): string {
  return text === "" ? countText(files.length, say.file, say.files2) : spokenText(text.slice(0, SHOWN_CHARS));
}

customElements.define("elwood-queued-list", QueuedList);
