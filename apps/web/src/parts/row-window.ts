import { html, nothing, type TemplateResult, type PropertyDeclarations } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { Part } from "../app/app-element.ts";

/** Drawn beyond what is seen, so that scrolling never shows a gap. */
const MARGIN_ROWS = 12;

/**
 * A long list of rows of one height, of which only those in sight are drawn: ten thousand
 * cost what thirty do. Arrow keys, Home and End walk it; the row that was walked to has the
 * focus. `more` fires when its end comes near.
 */
export class RowWindow<T = unknown> extends Part {
  static override properties: PropertyDeclarations = {
    rows: { attribute: false },
    rowHeight: { type: Number },
    row: { attribute: false },
    isHeading: { attribute: false },
    label: { type: String },
    from: { state: true },
    shown: { state: true },
  };
  declare rows: readonly T[];
  declare rowHeight: number;
  /** Draws the inside of one row. */
  declare row: (item: T, index: number) => TemplateResult;
  /** A row that only names those below it: the keys pass it by. */
  declare isHeading: (item: T) => boolean;
  declare label: string;
  declare from: number;
  declare shown: number;
  #watch: ResizeObserver | undefined;
  #focus: number | undefined;

  constructor() {
    super();
    this.rows = [];
    this.rowHeight = 44;
    this.row = () => html``;
    this.isHeading = () => false;
    this.label = "";
    this.from = 0;
    this.shown = 40;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#watch = new ResizeObserver(() => this.#look());
    this.#watch.observe(this);
    this.addEventListener("scroll", this.#look, { passive: true });
    this.addEventListener("keydown", this.#pressed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#watch?.disconnect();
    this.removeEventListener("scroll", this.#look);
    this.removeEventListener("keydown", this.#pressed);
  }

  protected override render(): unknown {
    const first = Math.max(0, this.from - MARGIN_ROWS);
    const rows = this.rows.slice(first, this.from + this.shown + MARGIN_ROWS);
    this.style.setProperty("--rows-before", String(first));
    this.style.setProperty("--rows-all", String(this.rows.length));
    this.style.setProperty("--row-height", `${this.rowHeight}px`);
    return html`<div class="row-window-all" role="list" aria-label=${this.label || nothing}>
      <div class="row-window-shown">
        ${repeat(
          rows,
          // By place, so that a row that is scrolled stays the element it was, with its focus.
          (_, i) => first + i,
          (item, i) =>
            html`<div
              class="row"
              role="listitem"
              tabindex=${first + i === (this.#focus ?? this.#nextRow(0, 1)) ? 0 : -1}
              data-index=${first + i}
              aria-setsize=${this.rows.length}
              aria-posinset=${first + i + 1}
            >
              ${this.row(item, first + i)}
            </div>`,
        )}
      </div>
    </div>`;
  }

  readonly #look = (): void => {
    const from = Math.floor(this.scrollTop / this.rowHeight);
    this.from = Math.max(0, Math.min(from, Math.max(0, this.rows.length - 1)));
    this.shown = Math.ceil(this.clientHeight / this.rowHeight) || 40;
    if (this.from + this.shown + MARGIN_ROWS >= this.rows.length) {
      this.dispatchEvent(new CustomEvent("more", { bubbles: false }));
    }
  };

  readonly #pressed = (event: KeyboardEvent): void => {
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(".row") : null;
    if (!row || event.target !== row) return;
    const at = Number(row.dataset["index"]);
    const page = Math.max(1, this.shown - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.rows.length - 1,
    };
    const wanted = steps[event.key];
    const main = row.querySelector<HTMLElement>("a, button, input");
    if (event.key === "Enter" || (event.key === " " && main instanceof HTMLInputElement)) {
      event.preventDefault();
      main?.click();
    }
    if (wanted === undefined) return;
    event.preventDefault();
    const to = this.#nextRow(Math.min(Math.max(0, wanted), this.rows.length - 1), wanted < at ? -1 : 1);
    if (to >= 0) void this.#walkTo(to);
  };

  /** The nearest that is no heading, from here on in one direction, else in the other; less than 0 where there is none. */
  #nextRow(from: number, step: 1 | -1): number {
    const isRow = (item: T) => !this.isHeading(item);
    const after = this.rows.findIndex((item, i) => i >= from && isRow(item));
    const before = this.rows.findLastIndex((item, i) => i <= from && isRow(item));
    const [wanted, other] = step === 1 ? [after, before] : [before, after];
    return wanted >= 0 ? wanted : other;
  }

  async #walkTo(index: number): Promise<void> {
    this.#focus = index;
    const top = index * this.rowHeight;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + this.rowHeight > this.scrollTop + this.clientHeight)
      this.scrollTop = top + this.rowHeight - this.clientHeight;
    this.#look();
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector<HTMLElement>(`.row[data-index="${index}"]`)?.focus({ preventScroll: true });
  }
}

customElements.define("elwood-row-window", RowWindow);
