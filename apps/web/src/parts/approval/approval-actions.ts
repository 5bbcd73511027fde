import type { Card } from "@elwood/core/card/card";
import { html, nothing, render, type PropertyDeclarations, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { AppElement } from "../../app/app-element.ts";
import type { AllowOptions, Decided } from "@elwood/sdk/view-state/pending-approvals";
import { RequestError } from "@elwood/sdk/client";
import { textIn } from "../form-text.ts";
import { icon } from "../icon.ts";
import { makeMenu } from "../menu.ts";
import { answerForm, wordField } from "./approval-forms.ts";
import { isEditable, MISFIRE_MS, needsCare, wordOf } from "./decision.ts";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";
import "./hold-button.ts";

/** What the owner made of the input so far, while they edit it: what it would do, why it cannot run, or not known yet. */
export type Edited =
  | { readonly input: Record<string, unknown>; readonly card: Card }
  | { readonly problem: string }
  | { readonly looking: true };

const NOTE_CHARS_MAX = 2_000;

/**
 * The part of a card that decides: allow, edit, deny.
 *
 * A1 A press in the first moment after it came under the finger was not meant for it.
 * A2 What destroys something is allowed by a held button or a typed word, never by a press.
 * A3 While an answer is on its way nothing can be pressed again; a failure says
 *    that nothing was decided, or that nobody knows yet.
 * A4 What is allowed while it is edited is what stands there; where that is no input, nothing is decided.
 */
export class ApprovalActions extends AppElement {
  static override properties: PropertyDeclarations = {
    approval: { attribute: false },
    edited: { attribute: false },
    said: { state: true },
    busy: { state: true },
    askWord: { state: true },
  };
  declare approval: WireApproval;
  /** Set while the input is edited; told by `edit` that it begins, by `back` that it ends. */
  declare edited: Edited | undefined;
  declare said: string;
  declare busy: boolean;
  declare askWord: boolean;
  /** Not before it is drawn. */
  #armedAt = Infinity;

  constructor() {
    super();
    this.edited = undefined;
    this.said = "";
    this.busy = false;
    this.askWord = false;
  }

  protected override entered(): readonly (() => void)[] {
    this.arm();
    const unsaid = () => {
      this.said = "";
    };
    return [this.app.link.onReady(unsaid)];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    // What was said of an input that is written on is no longer about it.
    if (changed.has("edited")) this.said = "";
  }

  /** From now on it is a moment until a press counts. */
  arm(): void {
    this.#armedAt = performance.now() + MISFIRE_MS;
  }

  /** A key of the card; answers whether it meant something. */
  key(key: string): boolean {
    if (!this.app.link.may("approve")) return false;
    if (this.approval.kind !== "approval") {
      const option = /^[1-9]$/.test(key) ? this.approval.options?.[Number(key) - 1] : undefined;
      if (option !== undefined) this.#press(() => void this.#answer(option));
      return option !== undefined;
    }
    const { showable } = this.approval;
    if (key === "a" && showable) this.#press(() => this.#allowPressed());
    else if (key === "s" && this.#longer) this.#press(() => this.#openScopes());
    else if (key === "e" && isEditable(this.approval) && !this.edited) this.#press(() => this.#tell("edit"));
    else if (key === "d") this.#press(() => void this.#deny());
    else if (key === "n") this.querySelector<HTMLInputElement>(".deny-form input")?.focus();
    else if (key === "escape" && this.edited) this.#tell("back");
    else return false;
    return true;
  }

  protected override render(): unknown {
    return html`<p class="approval-said" role="status">${this.said || this.#standing()}</p>
      <div class="approval-actions" aria-disabled=${this.busy ? "true" : nothing}>${this.#inside()}</div>`;
  }

  #inside(): unknown {
    if (!this.app.link.may("approve")) return nothing;
    const { approval } = this;
    if (approval.kind !== "approval") {
      return answerForm(
        approval,
        (option) => this.#press(() => void this.#answer(option)),
        this.#submit((form) => this.#answerWritten(form)),
      );
    }
    const { confirm } = approval;
    const showable = this.#card.whole;
    const word = showable && (confirm !== undefined || (this.askWord && this.#care));
    return html`${word ? wordField(approval, () => this.#press(() => this.#allowPressed())) : nothing}
      <div class="approval-buttons">
        ${showable ? this.#allowButton() : nothing} ${this.#editButton()} ${this.#denyForm()}
      </div>`;
  }

  #standing(): string {
    if (!this.app.link.may("approve")) return say.thisLoginMayNotDecideAnswer;
    if (!this.#card.whole) return say.thisIsTooLongToBe;
    return this.#hindrance ?? "";
  }

  /** Why what is edited cannot be allowed as it stands. */
  get #hindrance(): string | undefined {
    if (!this.edited || "card" in this.edited) return undefined;
    return "problem" in this.edited ? this.edited.problem : say.lookingAtWhatThisWouldDo;
  }

  /** What would run now: as it was asked for, or as it is edited. */
  get #card(): Card {
    return this.edited && "card" in this.edited ? this.edited.card : this.approval.card;
  }

  get #care(): boolean {
    return needsCare({ ...this.approval, card: this.#card });
  }

  get #longer(): boolean {
    return !this.edited && (!this.#care || this.#labels) && this.approval.card.allow.length > 1;
  }

  /** Its tool can be labelled: said by choosing it from the menu, which is as deliberate as holding a button. */
  get #labels(): boolean {
    return this.approval.labels !== undefined && this.approval.confirm === undefined;
  }

  #allowButton(): TemplateResult {
    if (this.#care && this.approval.confirm === undefined) {
      return html`<elwood-hold-button
          .words=${say.holdToAllow}
          .ready=${() => !this.#tooSoon && this.#hindrance === undefined}
          @held=${() => void this.#allow({})}
          @short=${this.#on(() => this.#allowPressed())}
        ></elwood-hold-button>
        ${
          this.#longer
            ? html`<button
                type="button"
                class="allow-more"
                aria-haspopup="menu"
                aria-keyshortcuts="S"
                @click=${this.#on(() => this.#openScopes())}
              >
                ${say.whatDoesItDo}${icon("down", 16)}
              </button>`
            : nothing
        }`;
    }
    const words = this.edited ? say.allowAsEdited : say.allow;
    return html`<span class="allow-split">
      <button
        type="button"
        class=${this.#care ? "danger" : "primary"}
        aria-keyshortcuts="A"
        @click=${this.#on(() => this.#allowPressed())}
      >
        ${words}<kbd aria-hidden="true">A</kbd>
      </button>
      ${
        this.#longer
          ? html`<button
              type="button"
              class="primary allow-more"
              aria-label=${say.moreWaysToAllow}
              aria-haspopup="menu"
              aria-keyshortcuts="S"
              @click=${this.#on(() => this.#openScopes())}
            >
              ${icon("down", 16)}
            </button>`
          : nothing
      }
    </span>`;
  }

  #editButton(): unknown {
    if (!isEditable(this.approval)) return nothing;
    return this.edited
      ? html`<button type="button" aria-keyshortcuts="Escape" @click=${() => this.#tell("back")}>
          ${say.stopEditing}
        </button>`
      : html`<button type="button" aria-keyshortcuts="E" @click=${this.#on(() => this.#tell("edit"))}>
          ${say.edit}<kbd aria-hidden="true">E</kbd>
        </button>`;
  }

  /** Always open: saying why costs no more than saying no. */
  #denyForm(): TemplateResult {
    return html`<form class="deny-form" @submit=${this.#submit(() => this.#deny())}>
      <input
        type="text"
        name="note"
        aria-label=${say.denyAndTellElwoodWhy}
        placeholder=${say.denyAndTellElwoodWhy2}
        autocomplete="off"
        maxlength=${NOTE_CHARS_MAX}
      />
      <button type="submit" aria-keyshortcuts="D">${say.deny}<kbd aria-hidden="true">D</kbd></button>
    </form>`;
  }

  #openScopes(): void {
    const button = this.querySelector<HTMLElement>(".allow-more");
    if (!button) return;
    const menu = makeMenu(button, "menu", say.waysToAllow);
    menu.element.classList.add("allow-menu");
    render(
      html`${this.#ways().map(
        ({ decision, scope, minutes, label, words, hint }) =>
          html`<button
            type="button"
            role="menuitem"
            @click=${() => {
              menu.close();
              const window =
                scope === undefined
                  ? {}
                  : { window: { scope, ...(minutes === undefined ? {} : { minutes }) } };
              this.#press(() => void this.#allow({ decision, ...window, ...(label && { label }) }));
            }}
          >
            <span>${gatewayText(words)}</span>${" "}<span class="hint">${gatewayText(hint)}</span>
          </button>`,
      )}`,
      menu.element,
    );
    menu.place();
    menu.element.querySelector("button")?.focus();
  }

  /** Where the button has to be held, allowing it once is not among the ways that a click chooses. */
  #ways(): Card["allow"] {
    const { allow } = this.approval.card;
    return this.#care ? allow.filter(({ label }) => label !== undefined) : allow;
  }

  /** A press where holding is asked for only shows how; where a word is, it is compared. */
  #allowPressed(): void {
    if (!this.#care) {
      void this.#allow({});
      return;
    }
    const { confirm } = this.approval;
    const word = wordOf(this.approval);
    if (this.querySelector<HTMLInputElement>(".approval-word input")?.value.trim() === word) {
      void this.#allow(confirm === undefined ? {} : { confirm });
      return;
    }
    this.askWord = true;
    this.said = confirm === undefined ? fill(say.holdTheButtonOrType, word) : fill(say.typeFirst, word);
    void this.updateComplete.then(() =>
      this.querySelector<HTMLInputElement>(".approval-word input")?.focus({ preventScroll: true }),
    );
  }

  async #allow(how: AllowOptions): Promise<void> {
    const { approvalId } = this.approval;
    if (this.#hindrance !== undefined) {
      this.said = this.#hindrance;
      return;
    }
    const input = this.edited && "input" in this.edited ? { input: this.edited.input } : {};
    await this.#decide(() => this.app.waiting.allow(approvalId, { ...how, ...input }));
  }

  /** With the note that stands beside the button, if there is one. */
  async #deny(): Promise<void> {
    const note = this.querySelector<HTMLInputElement>(".deny-form input")?.value.trim() ?? "";
    const { approvalId } = this.approval;
    await this.#decide(() => this.app.waiting.deny(approvalId, note === "" ? undefined : note));
  }

  async #answer(words: string): Promise<void> {
    const { approvalId } = this.approval;
    await this.#decide(() => this.app.waiting.answer(approvalId, words));
  }

  async #answerWritten(form: HTMLFormElement): Promise<void> {
    const words = textIn(new FormData(form), "answer");
    if (words === "") form.querySelector("textarea")?.focus();
    else await this.#answer(words);
  }

  async #decide(decide: () => Promise<Decided>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      await decide();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.said = undecidedText(error);
    } finally {
      this.busy = false;
    }
  }

  #tell(what: "edit" | "back"): void {
    this.askWord = false;
    this.dispatchEvent(new CustomEvent(what, { bubbles: true }));
  }

  get #tooSoon(): boolean {
    return this.busy || performance.now() < this.#armedAt;
  }

  #press(act: () => void): void {
    if (!this.#tooSoon) act();
  }

  #on(act: () => void): () => void {
    return () => this.#press(act);
  }

  #submit(act: (form: HTMLFormElement) => Promise<void>): (event: Event) => void {
    return (event) => {
      event.preventDefault();
      const form = event.currentTarget;
      if (form instanceof HTMLFormElement) this.#press(() => void act(form));
    };
  }
}

/** Where the connection broke, the answer may have arrived; then the card flips at the next one. */
export function undecidedText(error: RequestError): string {
  return error.lost ? say.theConnectionBrokeIfYourAnswer : fill(say.nothingWasDecidedHere, error.message);
}

customElements.define("elwood-approval-actions", ApprovalActions);
