import { showText } from "@elwood/core/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { RISK_WORDS } from "@elwood/core/state-words";
import { AppElement } from "../../app/app-element.ts";
import { conversationPath } from "../../app/paths.ts";
import { diffView } from "../diff-view.ts";
import { dateText, middleText, nowThere, untilText } from "../format.ts";
import { icon } from "../icon.ts";
import { inputView } from "../input-view.ts";
import { idLabel, stateBadge, timeAgo } from "../small.ts";
import { outcomeText, riskOf } from "./decision.ts";
import type { ApprovalActions } from "./approval-actions.ts";
import "./approval-actions.ts";
import "./approval.css";

const COUNTDOWN_EVERY_MS = 20_000;

/**
 * Something that waits for the owner: all that would run, open and whole, why it asks, and
 * what decides it. It never takes the focus by itself. Once it is decided, wherever that
 * was, it says by whom, and can no longer be pressed.
 */
export class ApprovalDialog extends AppElement {
  static override properties: PropertyDeclarations = {
    approval: { attribute: false },
    alone: { type: Boolean },
  };
  declare approval: WireApproval;
  /** Shown apart from its conversation: says where it came from. */
  declare alone: boolean;
  #held = false;

  constructor() {
    super();
    this.alone = false;
  }

  protected override entered(): readonly (() => void)[] {
    const timer = window.setInterval(() => this.requestUpdate(), COUNTDOWN_EVERY_MS);
    this.addEventListener("keydown", this.#pressed);
    return [() => clearInterval(timer), () => this.removeEventListener("keydown", this.#pressed)];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    this.#held = this.contains(document.activeElement);
  }

  protected override updated(): void {
    // The button that had the focus is gone; the reader stays where they were.
    if (this.#held && !this.contains(document.activeElement))
      this.querySelector<HTMLElement>(".approval")?.focus({ preventScroll: true });
  }

  protected override render(): unknown {
    const { approval } = this;
    const { approvalId, decided, kind, summary } = approval;
    const pending = decided.status === "pending";
    return html`<section
      class="card approval"
      role="group"
      tabindex="-1"
      aria-labelledby="approval-${approvalId}"
      data-from="gateway"
      data-outcome=${pending ? nothing : decided.status}
      data-risk=${kind === "approval" ? riskOf(approval) : nothing}
    >
      <header class="approval-head">
        <span class="approval-kind">${icon(kind === "approval" ? "shield" : "question", 18)}</span>
        ${
          this.alone
            ? html`<h2 id="approval-${approvalId}" class="card-title">${summary}</h2>`
            : html`<h3 id="approval-${approvalId}" class="card-title">${summary}</h3>`
        }
        ${
          kind === "approval"
            ? stateBadge(RISK_WORDS, riskOf(approval))
            : html`<span class="badge">a question for you</span>`
        }
      </header>
      ${this.#facts()}
      ${
        pending
          ? html`<elwood-approval-actions .app=${this.app} .approval=${approval}></elwood-approval-actions>`
          : html`<p class="approval-outcome" role="status">
              ${outcomeText(approval)} ${timeAgo(decided.at ?? nowThere())}
              ${
                decided.note !== undefined && kind === "approval"
                  ? html`<span class="approval-note">Note: ${showText(decided.note)}</span>`
                  : nothing
              }
            </p>`
      }
    </section>`;
  }

  #facts(): unknown {
    const { kind, toolName, details, preview, plan, sources, showable, editedInput } = this.approval;
    if (kind === "question") return this.#asked();
    const whole = showable;
    return html`${this.#asked()} ${plan ? planView(plan, whole) : inputView(toolName, details, whole)}
    ${
      editedInput === undefined
        ? nothing
        : html`<p class="hint">What ran instead, as edited:</p>
            ${inputView(toolName, editedInput, whole)}`
    }
    ${preview && !plan ? changeView(preview, whole) : nothing}
    ${
      sources.length === 0
        ? nothing
        : html`<p class="approval-sources">
            ${icon("eye", 16)}<span>Read before: ${sources.map(shortIds).join(", ")}</span>
          </p>`
    }
    ${this.#why()}`;
  }

  #asked(): TemplateResult {
    const { toolName, surface, expiresAt, decided, runId, sessionKey, approvalId } = this.approval;
    const waits =
      decided.status === "pending"
        ? html`<span title=${dateText(expiresAt)}>expires ${untilText(expiresAt, this.app.link.now())}</span>`
        : nothing;
    return html`<p class="approval-asked hint">
      <code>${toolName}</code>
      ${surface === undefined ? nothing : html`<span>asked on ${surface}</span>`}
      ${this.alone ? html`<a href=${conversationPath(sessionKey, runId)}>conversation</a>` : nothing}
      <a href="/runs/${encodeURIComponent(runId)}">run</a>
      <a href="/receipts?run=${encodeURIComponent(runId)}">receipts</a>
      ${waits} ${idLabel(approvalId)}
    </p>`;
  }

  #why(): TemplateResult {
    const { reason, rule } = this.approval;
    return html`<p class="approval-why">${reason} <span class="hint">Rule: ${rule}</span></p>`;
  }

  /** Keys of the card while it, or one of its buttons, has the focus. */
  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const from = event.target;
    const key = event.key.toLowerCase();
    const typing = from instanceof HTMLElement && from.matches("input, textarea, select");
    if (typing && (key !== "escape" || event.isComposing)) return;
    if (key === "j" || key === "k") this.#walk(key === "j" ? 1 : -1);
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

  #walk(by: number): void {
    const cards = [...document.querySelectorAll<HTMLElement>(".approval")];
    const here = cards.findIndex((card) => this.contains(card));
    const next = cards[(here + by + cards.length) % cards.length];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }
}

/** What was read is named with an id; enough of it to recognise. */
function shortIds(source: string): string {
  return source.replace(/\b(?:call|run)_\w+/g, (id) => middleText(id));
}

/** Gives the focus to the first card, or row, in there; answers whether there is one. */
export function focusFirstCard(within: ParentNode): boolean {
  const first = within.querySelector<HTMLElement>(".queue-row, elwood-approval-dialog");
  if (first instanceof ApprovalDialog)
    void first.updateComplete.then(() => first.querySelector<HTMLElement>(".approval")?.focus());
  else first?.focus();
  return first !== null;
}

type Preview = NonNullable<WireApproval["preview"]>;

/** What would be different afterwards, where the tool can tell. */
export function changeView({ before, after, subject }: Preview, whole: boolean): unknown {
  if (!whole || (before === undefined && after === undefined)) return nothing;
  return diffView(before ?? "", after ?? "", subject);
}

/** Each call of a plan in its order, whole. */
function planView(plan: NonNullable<WireApproval["plan"]>, whole: boolean): TemplateResult {
  return html`<ol class="approval-plan" aria-label="What it would do">
    ${plan.map(
      ({ summary, toolId, risk, input, preview }) =>
        html`<li>
          <p class="approval-step">${summary} ${stateBadge(RISK_WORDS, risk)}</p>
          <p class="hint"><code>${toolId}</code></p>
          ${inputView(toolId, input, whole)} ${preview ? changeView(preview, whole) : nothing}
        </li>`,
    )}
  </ol>`;
}

customElements.define("elwood-approval-dialog", ApprovalDialog);
