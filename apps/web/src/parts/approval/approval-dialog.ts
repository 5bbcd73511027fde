import { isRecord } from "@elwood/core/base/is-record";
import type { Card } from "@elwood/core/card/card";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { AppElement } from "../../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { onUndone, undoCall } from "../calls/undo-call.ts";
import "../calls/call-card.ts";
import "../calls/calls.css";
import { dateText, untilText } from "../format.ts";
import { icon } from "../icon.ts";
import { timeAgo } from "../small.ts";
import type { ApprovalActions, Edited } from "./approval-actions.ts";
import { editFields } from "./approval-forms.ts";
import { bodyView, CARD_ICONS, detailsView, effectsView, fieldsView } from "./card-view.ts";
import { fieldsOf, inputOf, outcomeLine, riskOf, type Field } from "./decision.ts";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/parts.ts";
import { fillIn } from "../../words/fill.ts";
import "./approval-actions.ts";
import "./approval.css";

const COUNTDOWN_EVERY_MS = 20_000;
/** So long after the last letter what was written is looked at. */
const LOOK_AFTER_MS = 150;
/** What expires later than this is no reason to hurry; when it does stands in the details. */
const SOON_MS = 24 * 3_600_000;

/**
 * Something that waits for the owner: what would happen, once and whole, why it asks, and
 * what decides it. It never takes the focus by itself. Once it is decided, wherever that
 * was, it is one line that says what became of it, and can no longer be pressed.
 */
export class ApprovalDialog extends AppElement {
  static override properties: PropertyDeclarations = {
    approval: { attribute: false },
    alone: { type: Boolean },
    open: { state: true },
    fields: { state: true },
    edited: { state: true },
  };
  declare approval: WireApproval;
  /** Shown apart from its conversation. */
  declare alone: boolean;
  /** Its details are shown. */
  declare open: boolean;
  /** The input as it is being edited. */
  declare fields: readonly Field[] | undefined;
  /** What that would do. */
  declare edited: Edited | undefined;
  #lastSeen!: Card;
  #lookTimer: number | undefined;
  #looks = 0;
  #held = false;

  constructor() {
    super();
    this.alone = false;
    this.open = false;
    this.fields = undefined;
    this.edited = undefined;
  }

  protected override entered(): readonly (() => void)[] {
    const timer = window.setInterval(() => this.requestUpdate(), COUNTDOWN_EVERY_MS);
    this.addEventListener("keydown", this.#pressed);
    return [
      () => clearInterval(timer),
      () => clearTimeout(this.#lookTimer),
      () => this.removeEventListener("keydown", this.#pressed),
      onUndone(
        this.app,
        ({ callId }) => callId === this.approval.callId && this.app.waiting.again(this.approval),
      ),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    this.#held = this.contains(document.activeElement);
    if (changed.has("approval") && this.approval.decided.status !== "pending") this.#endEdit();
  }

  protected override updated(): void {
    // The button that had the focus is gone; the reader stays where they were.
    if (this.#held && !this.contains(document.activeElement))
      this.querySelector<HTMLElement>(".approval")?.focus({ preventScroll: true });
  }

  protected override render(): unknown {
    return this.approval.decided.status === "pending" ? this.#waiting() : this.#decided();
  }

  #waiting(): TemplateResult {
    const { approval } = this;
    const { approvalId, kind } = approval;
    const { edited } = this;
    if (edited && "card" in edited) this.#lastSeen = edited.card;
    // Until it is known what was written would do, what stood before is shown, as something that is over.
    const card = edited ? this.#lastSeen : approval.card;
    return html`<section
      class="approval"
      role="group"
      tabindex="-1"
      aria-labelledby="approval-${approvalId}"
      data-from="gateway"
      data-risk=${kind === "approval" ? riskOf({ ...approval, card }) : nothing}
    >
      <header class="approval-head">
        <span class="approval-kind">${icon(CARD_ICONS[card.icon], 18)}</span>
        <div class="approval-name">
          ${this.#title(gatewayText(card.title))}
          ${card.note === undefined || kind === "question" ? nothing : html`<p class="hint">${gatewayText(card.note)}</p>`}
          ${this.alone ? conversationLink(approval) : nothing}
        </div>
        ${this.#detailsButton()}
      </header>
      ${this.fields ? editFields(approval, this.fields, (index, text) => this.#type(index, text)) : nothing}
      ${
        edited && "problem" in edited
          ? nothing
          : html`<div class="approval-body" aria-busy=${edited && "looking" in edited ? "true" : nothing}>
              ${bodyView(card.body)} ${fieldsView(this.fields ? [] : card.fields)}
              ${effectsView(card.effects)}
            </div>`
      }
      ${this.open ? detailsView(card) : nothing}
      <div class="approval-foot">
        ${this.#why(card)}
        <elwood-approval-actions
          .app=${this.app}
          .approval=${approval}
          .edited=${edited}
          @edit=${() => this.#edit()}
          @back=${() => this.#back()}
        ></elwood-approval-actions>
      </div>
    </section>`;
  }

  #title(title: string): TemplateResult {
    const id = `approval-${this.approval.approvalId}`;
    return this.alone
      ? html`<h2 id=${id} class="card-title">${title}</h2>`
      : html`<h3 id=${id} class="card-title">${title}</h3>`;
  }

  #why({ why }: Card): unknown {
    const { expiresAt } = this.approval;
    const now = this.app.link.now();
    const soon = expiresAt - now < SOON_MS;
    if (why === "" && !soon) return nothing;
    return html`<p class="approval-why hint">
      ${gatewayText(why)}
      <button type="button" class="link" @click=${() => (this.open = !this.open)}>${say.why}</button>
      ${soon ? html`<span title=${dateText(expiresAt)}>${fillIn(say.expires2, untilText(expiresAt, now))}</span>` : nothing}
    </p>`;
  }

  /** One line for what became of it, the same whenever it is read. */
  #decided(): TemplateResult {
    const { approval } = this;
    const { glyph: _, icon: name, tone, words, how, canUndo } = outcomeLine(approval);
    const { approvalId, decided, card } = approval;
    return html`<section
      class="approval decided"
      role="group"
      tabindex="-1"
      aria-labelledby="approval-${approvalId}"
      data-from="gateway"
      data-outcome=${decided.status}
    >
      <div class="approval-line">
        <p class="approval-outcome" role="status">
          <span class="outcome-mark" data-tone=${tone}>${icon(name, 16)}</span>
          <span
            ><span id="approval-${approvalId}" class="outcome-words">${words}</span
            >${how === "" ? nothing : html`<span class="outcome-how"> · ${how}</span>`}</span
          >
        </p>
        ${this.alone && decided.at !== undefined ? timeAgo(decided.at) : nothing}
        ${this.alone ? conversationLink(approval) : nothing}
        ${
          canUndo && this.app.link.may("approve")
            ? html`<button type="button" class="link outcome-undo" @click=${() => void this.#undo()}>
                ${say.undo}
              </button>`
            : nothing
        }
        ${this.#detailsButton()}
      </div>
      ${
        this.open || this.alone
          ? html`${bodyView(card.body)} ${fieldsView(card.fields)} ${effectsView(card.effects)}`
          : nothing
      }
      ${this.open ? html`${detailsView(card)}${this.#call()}` : nothing}
    </section>`;
  }

  /** The call itself, with what it answered. */
  #call(): unknown {
    const { callId, toolName: tool, call, decided } = this.approval;
    const { status = decided.status, undoneAt, exitCode } = call ?? {};
    const shown = { callId, tool, status: undoneAt === undefined ? status : "undone", exitCode };
    return html`<elwood-call-card
      class="approval-call"
      .app=${this.app}
      .call=${shown}
      .open=${true}
    ></elwood-call-card>`;
  }

  #detailsButton(): TemplateResult {
    return html`<button
      type="button"
      class="quiet approval-more"
      aria-expanded=${this.open ? "true" : "false"}
      @click=${() => (this.open = !this.open)}
    >
      <span>${say.details}</span>${icon(this.open ? "higher" : "down", 14)}
    </button>`;
  }

  async #undo(): Promise<void> {
    if (await undoCall(this.app, this.approval.callId)) this.app.waiting.again(this.approval);
  }

  #edit(): void {
    const { details, card } = this.approval;
    if (!isRecord(details)) return;
    this.fields = fieldsOf(details);
    this.edited = { input: details, card };
    void this.updateComplete.then(() => this.querySelector("textarea")?.focus());
  }

  #back(): void {
    this.#endEdit();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".approval")?.focus());
  }

  #endEdit(): void {
    clearTimeout(this.#lookTimer);
    this.#looks += 1;
    this.fields = undefined;
    this.edited = undefined;
  }

  #type(index: number, text: string): void {
    const fields = this.fields?.map((field, k) => (k === index ? { ...field, text } : field));
    if (!fields) return;
    this.fields = fields;
    clearTimeout(this.#lookTimer);
    const made = inputOf(fields);
    const look = ++this.#looks;
    if ("problem" in made) {
      this.edited = made;
      return;
    }
    this.edited = { looking: true };
    this.#lookTimer = window.setTimeout(() => void this.#look(made.input, look), LOOK_AFTER_MS);
  }

  /** The gateway says what would run; an answer to what was written before is of no use. */
  async #look(input: Record<string, unknown>, look: number): Promise<void> {
    const seen = await this.app.waiting.preview(this.approval.approvalId, input).then(
      (card): Edited => ({ input, card }),
      (error: unknown): Edited => {
        if (!(error instanceof RequestError)) throw error;
        return {
          problem: error.lost ? say.theConnectionBrokeNothingWas : error.message,
        };
      },
    );
    if (look === this.#looks) this.edited = seen;
  }

  /** Keys of the card while it, or one of its buttons, has the focus. */
  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const from = event.target;
    const key = event.key.toLowerCase();
    const typing = from instanceof HTMLElement && from.matches("input, textarea, select");
    if (typing && (key !== "escape" || event.isComposing)) return;
    if (key === "j" || key === "k") walkCards(this, key === "j" ? 1 : -1);
    else if (typing && !this.fields) this.querySelector<HTMLElement>(".approval")?.focus();
    else {
      const actions = this.querySelector<ApprovalActions>("elwood-approval-actions");
      if (!actions?.key(key)) return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  /** It came under the finger just now: what is pressed in the next moment was meant for what stood there before. */
  rearm(): void {
    this.querySelector<ApprovalActions>("elwood-approval-actions")?.arm();
  }
}

/** Apart from its conversation a card says which one it belongs to. */
export function conversationLink({ card, sessionTitle }: WireApproval): unknown {
  const path = card.details.links[0]?.path;
  if (path === undefined || sessionTitle === undefined) return nothing;
  return html`<p class="hint approval-from">${fillIn(say.in, html`<a href=${path}>${sessionTitle}</a>`)}</p>`;
}

/** From one card to the next, or back. */
export function walkCards(from: Element, by: number): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".approval")];
  const here = cards.findIndex((card) => from.contains(card));
  const next = cards[(here + by + cards.length) % cards.length];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Gives the focus to the first card, or row, in there; answers whether there is one. */
export function focusFirstCard(within: ParentNode): boolean {
  const first = within.querySelector<HTMLElement>(
    ".queue-row, elwood-approval-dialog, elwood-approval-group",
  );
  if (first instanceof AppElement)
    void first.updateComplete.then(() => first.querySelector<HTMLElement>(".approval")?.focus());
  else first?.focus();
  return first !== null;
}

customElements.define("elwood-approval-dialog", ApprovalDialog);
