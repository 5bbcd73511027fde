import { html, nothing, type PropertyDeclarations } from "lit";
import { Part } from "../../app/app-element.ts";
import { HOLD_MS } from "./decision.ts";

/**
 * A button that means yes only while it is held, by a finger, a mouse or a key. It says
 * `held` once it was held long enough, and `short` when it was let go, or pressed, before.
 *
 * H1 Whatever takes the finger away ends the holding: letting go, leaving, losing the focus.
 */
export class HoldButton extends Part {
  static override properties: PropertyDeclarations = {
    words: { attribute: false },
    ready: { attribute: false },
    holding: { state: true },
  };
  declare words: string;
  /** Whether holding may begin now. */
  declare ready: () => boolean;
  declare holding: boolean;
  #timer: number | undefined;

  constructor() {
    super();
    this.words = "";
    this.ready = () => true;
    this.holding = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#ends();
  }

  protected override render(): unknown {
    return html`<button
      type="button"
      class="danger hold"
      aria-keyshortcuts="A"
      data-holding=${this.holding ? "" : nothing}
      @pointerdown=${(event: PointerEvent) => event.button === 0 && this.#begins()}
      @pointerup=${() => this.#ends()}
      @pointerleave=${() => this.#ends()}
      @pointercancel=${() => this.#ends()}
      @blur=${() => this.#ends()}
      @keydown=${(event: KeyboardEvent) => this.#keyDown(event)}
      @keyup=${(event: KeyboardEvent) => this.#keyUp(event)}
      @click=${() => this.dispatchEvent(new CustomEvent("short"))}
    >
      ${this.words}<kbd aria-hidden="true">A</kbd>
    </button>`;
  }

  #begins(): void {
    if (!this.ready()) return;
    clearTimeout(this.#timer);
    this.holding = true;
    this.#timer = window.setTimeout(() => {
      this.holding = false;
      this.dispatchEvent(new CustomEvent("held"));
    }, HOLD_MS);
  }

  #ends(): void {
    clearTimeout(this.#timer);
    this.holding = false;
  }

  /** Enter would press the button as soon as it goes down, before anybody could have held it. */
  #keyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (!event.repeat) this.#begins();
  }

  #keyUp(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const short = this.holding;
    this.#ends();
    if (short) this.dispatchEvent(new CustomEvent("short"));
  }
}

customElements.define("elwood-hold-button", HoldButton);
