import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { AppElement } from "../../app/app-element.ts";
import type { Allowing, Decided } from "../../app/waiting-room.ts";
import { RequestError } from "../../gateway/link.ts";
import { textIn } from "../form-text.ts";
import { isRecord } from "../input-view.ts";
import { answerForm, editForm, longerForm, noteForm, wordField } from "./approval-forms.ts";
import { fieldsOf, inputOf, isEditable, MISFIRE_MS, needsCare, OWN_WORD, type Field } from "./decision.ts";
import "./hold-button.ts";

type Mode = "buttons" | "longer" | "edit" | "note";
type Scope = NonNullable<WireApproval["scopes"]>[number]["scope"];

/**
 * The part of a card that decides.
 *
 * A1 A press in the first moment after it came under the finger was not meant for it.
 * A2 What destroys something is allowed by a held button or a typed word, never by a press.
 * A3 While an answer is on its way nothing can be pressed again; a failure says
 *    that nothing was decided, or that nobody knows yet.
 */
export class ApprovalActions extends AppElement {
  static override properties: PropertyDeclarations = {
    approval: { attribute: false },
    mode: { state: true },
    said: { state: true },
    busy: { state: true },
    fields: { state: true },
  };
  declare approval: WireApproval;
  declare mode: Mode;
  declare said: string;
  declare busy: boolean;
  declare fields: readonly Field[];
  /** Not before it is drawn. */
  #armedAt = Infinity;

  constructor() {
    super();
    this.mode = "buttons";
    this.said = "";
    this.busy = false;
    this.fields = [];
  }

  protected override entered(): readonly (() => void)[] {
    this.arm();
    const unsaid = () => {
      this.said = "";
    };
    return [this.app.link.onReady(unsaid)];
  }

  /** From now on it is a moment until a press counts. */
  arm(): void {
    this.#armedAt = performance.now() + MISFIRE_MS;
  }

  /** A key of the card; answers whether it meant something. */
  key(key: string): boolean {
    if (!this.app.link.may("approve") || this.approval.kind !== "approval") return false;
    const { showable } = this.approval;
    if (key === "a" && showable) this.#press(() => this.#allowPressed());
    else if (key === "s" && showable && this.#longer) this.#press(() => this.#open("longer"));
    else if (key === "e" && isEditable(this.approval)) this.#press(() => this.#openEdit());
    else if (key === "d") this.#press(() => void this.#deny());
    else if (key === "n") this.#press(() => this.#open("note"));
    else if (key === "escape" && this.mode !== "buttons") this.#open("buttons");
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
    const back = () => this.#open("buttons");
    if (this.mode === "longer")
      return longerForm(approval, { submit: this.#submit((form) => this.#allowLonger(form)), back });
    if (this.mode === "note")
      return noteForm(approval, { submit: this.#submit((form) => this.#deny(form)), back });
    if (this.mode === "edit") {
      const edited = (index: number, text: string) => {
        this.fields = this.fields.map((field, k) => (k === index ? { ...field, text } : field));
      };
      return editForm(approval, this.fields, edited, {
        submit: this.#submit(() => this.#allowEdited()),
        back,
      });
    }
    return this.#buttons();
  }

  #standing(): string {
    if (!this.app.link.may("approve")) return "This login may not decide. Answer from one that may.";
    if (!this.approval.showable)
      return "This is too long to be shown whole, so it cannot be allowed. It can be denied.";
    return "";
  }

  get #longer(): boolean {
    const { decisions, scopes } = this.approval;
    if (needsCare(this.approval)) return false;
    return (scopes?.length ?? 0) > 0 && decisions.some((each) => each === "window" || each === "always");
  }

  #buttons(): TemplateResult {
    const { showable } = this.approval;
    const word =
      showable && needsCare(this.approval)
        ? wordField(this.approval, "or", () => this.#press(() => this.#allowPressed()))
        : nothing;
    // A word that must be typed comes before the button; one that only may, after it.
    const must = this.approval.confirm !== undefined;
    return html`${must ? word : nothing}
      <div class="approval-buttons">
        ${showable ? this.#allowButton() : nothing}
        ${
          showable && this.#longer
            ? html`<button type="button" aria-keyshortcuts="S" @click=${this.#on(() => this.#open("longer"))}>
                Allow for longer…
              </button>`
            : nothing
        }
        ${
          isEditable(this.approval)
            ? html`<button type="button" aria-keyshortcuts="E" @click=${this.#on(() => this.#openEdit())}>
                Edit, then allow…
              </button>`
            : nothing
        }
        <span class="approval-gap"></span>
        <button type="button" aria-keyshortcuts="D" @click=${this.#on(() => void this.#deny())}>Deny</button>
        <button type="button" aria-keyshortcuts="N" @click=${this.#on(() => this.#open("note"))}>
          Deny with a note…
        </button>
      </div>
      ${must ? nothing : word}`;
  }

  #allowButton(): TemplateResult {
    if (!needsCare(this.approval) || this.approval.confirm !== undefined) {
      return html`<button
        type="button"
        class="primary"
        aria-keyshortcuts="A"
        @click=${this.#on(() => this.#allowPressed())}
      >
        Allow once
      </button>`;
    }
    return html`<elwood-hold-button
      .words=${"Hold to allow once"}
      .ready=${() => !this.#tooSoon}
      @held=${() => void this.#allow({})}
      @short=${this.#on(() => this.#allowPressed())}
    ></elwood-hold-button>`;
  }

  /** A press where holding is asked for only shows how; where a word is, it is compared. */
  #allowPressed(): void {
    if (!needsCare(this.approval)) {
      void this.#allow({});
      return;
    }
    const { confirm } = this.approval;
    const word = confirm ?? OWN_WORD;
    if (this.#typed === word) {
      void this.#allow(confirm === undefined ? {} : { confirm });
      return;
    }
    this.said =
      confirm === undefined
        ? `It destroys something. Hold the button, or type “${word}”.`
        : `It destroys something. Type “${word}” first.`;
    this.querySelector<HTMLInputElement>(".approval-word input")?.focus();
  }

  get #typed(): string | undefined {
    return this.querySelector<HTMLInputElement>(".approval-word input")?.value.trim();
  }

  async #allowLonger(form: HTMLFormElement): Promise<void> {
    const minutes = textIn(new FormData(form), "minutes");
    // The form offers nothing else.
    const scope = textIn(new FormData(form), "scope") as Scope;
    const window = minutes === "always" ? { scope } : { scope, minutes: Number(minutes) };
    await this.#allow({ decision: minutes === "always" ? "always" : "window", window });
  }

  async #allowEdited(): Promise<void> {
    const made = inputOf(this.fields);
    const { confirm } = this.approval;
    if ("problem" in made) this.said = made.problem;
    else if (needsCare(this.approval) && this.#typed !== (confirm ?? OWN_WORD))
      this.said = `It destroys something. Type “${confirm ?? OWN_WORD}” first.`;
    else await this.#allow({ input: made.input, ...(confirm === undefined ? {} : { confirm }) });
  }

  async #allow(how: Allowing): Promise<void> {
    const { approvalId } = this.approval;
    await this.#decide(() => this.app.waiting.allow(approvalId, how));
  }

  async #deny(form?: HTMLFormElement): Promise<void> {
    const note = form ? textIn(new FormData(form), "note") : "";
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
      // Where the connection broke, the answer may have arrived; then the card flips at the next one.
      this.said =
        error.reason === "LOST"
          ? "The connection broke. If your answer arrived, this card says so once it is back; if not, answer again."
          : `Nothing was decided here. ${error.message}`;
    } finally {
      this.busy = false;
    }
  }

  #openEdit(): void {
    const { details } = this.approval;
    this.fields = isRecord(details) ? fieldsOf(details) : [];
    this.#open("edit");
  }

  #open(mode: Mode): void {
    this.mode = mode;
    this.said = "";
    void this.#focusFirst();
  }

  async #focusFirst(): Promise<void> {
    await this.updateComplete;
    const wanted = this.mode === "buttons" ? "button" : "textarea, input:checked, select";
    this.querySelector<HTMLElement>(wanted)?.focus();
    this.querySelector("form")?.scrollIntoView({ block: "nearest" });
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

customElements.define("elwood-approval-actions", ApprovalActions);
