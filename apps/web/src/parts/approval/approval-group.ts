import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { AppElement } from "../../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { icon } from "../icon.ts";
import { undecidedText } from "./approval-actions.ts";
import { conversationLink, walkCards } from "./approval-dialog.ts";
import { bodyView, CARD_ICONS, detailsView, effectsView, fieldsView } from "./card-view.ts";
import { groupTitle } from "./alike.ts";
import { MISFIRE_MS } from "./decision.ts";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";
import "./approval.css";

/** So many lines are read at a glance; more are folded, and count as seen once they were opened. */
const GLANCE_LINES = 8;

/**
 * Several calls of one kind that wait together, as one card: which of them are allowed is
 * chosen in it.
 *
 * G1 What was not on the screen is not chosen: a long change counts only once it was opened.
 * G2 Each is decided by itself, so that the first answer wins for each of them.
 */
export class ApprovalGroup extends AppElement {
  static override properties: PropertyDeclarations = {
    approvals: { attribute: false },
    alone: { type: Boolean },
    chosen: { state: true },
    opened: { state: true },
    said: { state: true },
    busy: { state: true },
    open: { state: true },
  };
  declare approvals: readonly WireApproval[];
  declare alone: boolean;
  /** What the owner chose, or chose not, by its id. */
  declare chosen: ReadonlyMap<string, boolean>;
  declare opened: ReadonlySet<string>;
  declare said: string;
  declare busy: boolean;
  declare open: boolean;
  #armedAt = Infinity;
  #known = "";
  #held = false;

  constructor() {
    super();
    this.approvals = [];
    this.alone = false;
    this.chosen = new Map();
    this.opened = new Set();
    this.said = "";
    this.busy = false;
    this.open = false;
  }

  protected override entered(): readonly (() => void)[] {
    this.rearm();
    this.addEventListener("keydown", this.#pressed);
    return [() => this.removeEventListener("keydown", this.#pressed)];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    this.#held = this.contains(document.activeElement);
    // One more, or one less, came under the finger.
    const known = this.approvals.map(({ approvalId }) => approvalId).join(" ");
    if (this.#known !== "" && this.#known !== known) this.rearm();
    this.#known = known;
  }

  protected override updated(): void {
    if (this.#held && !this.contains(document.activeElement))
      this.querySelector<HTMLElement>(".approval")?.focus({ preventScroll: true });
  }

  rearm(): void {
    this.#armedAt = performance.now() + MISFIRE_MS;
  }

  protected override render(): unknown {
    const [first] = this.approvals;
    if (!first) return nothing;
    const title = gatewayText(groupTitle(this.approvals));
    const id = `group-${first.approvalId}`;
    const chosen = this.#choice();
    return html`<section
      class="approval"
      role="group"
      tabindex="-1"
      aria-labelledby=${id}
      data-from="gateway"
      data-risk=${first.risk}
    >
      <header class="approval-head">
        <span class="approval-kind">${icon(CARD_ICONS[first.card.icon], 18)}</span>
        <div class="approval-name">
          ${this.alone ? html`<h2 id=${id} class="card-title">${title}</h2>` : html`<h3 id=${id} class="card-title">${title}</h3>`}
          ${this.alone ? conversationLink(first) : nothing}
        </div>
        <button
          type="button"
          class="quiet approval-more"
          aria-expanded=${this.open ? "true" : "false"}
          @click=${() => (this.open = !this.open)}
        >
          <span>${say.details}</span>${icon(this.open ? "higher" : "down", 14)}
        </button>
      </header>
      <ul class="group-list">
        ${repeat(
          this.approvals,
          ({ approvalId }) => approvalId,
          (each) => this.#row(each),
        )}
      </ul>
      <div class="approval-foot">
        <p class="approval-why hint">${gatewayText(first.card.why)}</p>
        <p class="approval-said" role="status">
          ${this.said || (this.app.link.may("approve") ? "" : say.thisLoginMayNotDecideAnswer)}
        </p>
        ${
          this.app.link.may("approve")
            ? html`<div class="approval-buttons" aria-disabled=${this.busy ? "true" : nothing}>
                <button
                  type="button"
                  class="primary"
                  aria-keyshortcuts="A"
                  ?disabled=${chosen.length === 0}
                  @click=${() => this.#press(() => void this.#decide(chosen, true))}
                >
                  ${chosen.length === this.approvals.length ? fill(say.allowAll, chosen.length) : fill(say.allowChosen, chosen.length)}<kbd
                    aria-hidden="true"
                    >A</kbd
                  >
                </button>
                <form
                  class="deny-form"
                  @submit=${(event: Event) => {
                    event.preventDefault();
                    this.#press(() => void this.#decide(this.approvals, false));
                  }}
                >
                  <input
                    type="text"
                    name="note"
                    aria-label=${say.denyAllAndTellElwoodWhy}
                    placeholder=${say.denyAllAndTellElwoodWhy2}
                    autocomplete="off"
                    maxlength="2000"
                  />
                  <button type="submit" aria-keyshortcuts="D">
                    ${say.denyAll}<kbd aria-hidden="true">D</kbd>
                  </button>
                </form>
              </div>`
            : nothing
        }
      </div>
    </section>`;
  }

  #row(approval: WireApproval): TemplateResult {
    const { approvalId, card } = approval;
    const seen = this.#isSeen(approval);
    const counts =
      card.body.kind === "diff"
        ? html`<span class="diff-counts"
            >${card.body.added > 0 ? html`<span class="diff-come">+${card.body.added}</span>` : nothing}
            ${card.body.removed > 0 ? html`<span class="diff-gone">−${card.body.removed}</span>` : nothing}</span
          >`
        : nothing;
    return html`<li>
      <label class="choice">
        <input
          type="checkbox"
          .checked=${this.#isChosen(approval)}
          ?disabled=${!seen}
          @change=${(event: Event) => {
            if (event.target instanceof HTMLInputElement)
              this.chosen = new Map(this.chosen).set(approvalId, event.target.checked);
          }}
        />
        <span class="group-title">${gatewayText(card.title)}</span> ${counts}
      </label>
      ${
        seen
          ? html`${bodyView(card.body)} ${fieldsView(card.fields)} ${effectsView(card.effects)}`
          : html`<button
              type="button"
              class="link group-show"
              @click=${() => (this.opened = new Set(this.opened).add(approvalId))}
            >
              ${say.showWhatChangesToChooseIt}
            </button>`
      }
      ${this.open ? detailsView(card) : nothing}
    </li>`;
  }

  #isSeen({ approvalId, card }: WireApproval): boolean {
    const lines = card.body.kind === "diff" ? card.body.lines.length : 1;
    return lines <= GLANCE_LINES || this.opened.has(approvalId);
  }

  #isChosen(approval: WireApproval): boolean {
    return this.#isSeen(approval) && (this.chosen.get(approval.approvalId) ?? true);
  }

  #choice(): readonly WireApproval[] {
    return this.approvals.filter((each) => this.#isChosen(each));
  }

  async #decide(which: readonly WireApproval[], allow: boolean): Promise<void> {
    if (this.busy || which.length === 0) return;
    const note = this.querySelector<HTMLInputElement>(".deny-form input")?.value.trim() ?? "";
    const { waiting } = this.app;
    this.busy = true;
    this.said = "";
    try {
      for (const { approvalId } of which)
        await (allow
          ? waiting.allow(approvalId, {})
          : waiting.deny(approvalId, note === "" ? undefined : note));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.said = undecidedText(error);
    } finally {
      this.busy = false;
    }
  }

  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const from = event.target;
    if (from instanceof HTMLElement && from.matches("input, textarea, select")) return;
    if (key === "j" || key === "k") walkCards(this, key === "j" ? 1 : -1);
    else if (!this.app.link.may("approve")) return;
    else if (key === "a") this.#press(() => void this.#decide(this.#choice(), true));
    else if (key === "d") this.#press(() => void this.#decide(this.approvals, false));
    else if (key === "n") this.querySelector<HTMLInputElement>(".deny-form input")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  #press(act: () => void): void {
    if (!this.busy && performance.now() >= this.#armedAt) act();
  }
}

customElements.define("elwood-approval-group", ApprovalGroup);
