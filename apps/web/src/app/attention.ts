import { html, nothing, type TemplateResult } from "lit";
import type { AttentionItem } from "@elwood/core/protocol/owner-shapes";
import { icon, type IconName } from "../parts/icon.ts";
import type { Watched } from "@elwood/sdk/store";
import { AppElement } from "./app-element.ts";
import { gatewayText } from "../words/gateway.ts";
import { say } from "../words/en/app.ts";
import { fillIn } from "../words/fill.ts";

const TONES = { error: "bad", warning: "warn", info: "info" } as const;
const ICONS = { error: "warning", warning: "pause", info: "dot" } as const satisfies Record<
  AttentionItem["severity"],
  IconName
>;
const LISTED_MAX = 20;

/**
 * One quiet line about what wants the owner, wherever they are on the page: the most urgent
 * thing with the way to it, and how many more there are.
 */
export class Attention extends AppElement {
  protected override watches(): readonly Watched[] {
    const { waiting, status, router, attention } = this.app;
    return [waiting.all, status, router.route, attention.items, attention.dismissed, attention.runShown];
  }

  protected override render(): unknown {
    return html`${this.#readOnly()}${this.#line()}`;
  }

  /** Nothing that is asked for would be done: that stands above all, whole, until it is over. */
  #readOnly(): TemplateResult | typeof nothing {
    const told = this.app.attention.items.value?.find(({ kind }) => kind === "storage");
    if (!told) return nothing;
    return html`<div class="read-only" role="alert" data-tone="bad">
      ${icon("warning", 18)}<span>${told.text}</span>
    </div>`;
  }

  #line(): TemplateResult | typeof nothing {
    const items = this.#items();
    const [first, ...rest] = items;
    const demo = this.#demo();
    if (!first && demo === nothing) return nothing;
    if (!first)
      return html`<div class="attention" role="region" aria-label=${say.aboutThisModel}>${demo}</div>`;
    return html`<div class="attention" role="region" aria-label=${say.whatWantsYou}>
      ${this.#chip(first)} ${rest.length === 0 ? nothing : this.#more(rest)} ${demo}
    </div>`;
  }

  /** What is shown on this very page need not be said again. */
  #items(): readonly AttentionItem[] {
    const { page, path } = this.app.router.route.value;
    const told = this.app.attention.items.value ?? this.#guessed();
    return told.filter(({ id, kind, action }) => {
      const { dismissed, runShown } = this.app.attention;
      if (kind === "storage") return false;
      if (dismissed.value.has(id) || action?.route === path || id === runShown.value) return false;
      // The tour has its cards in the middle of the screen.
      const hasCards = page.id === "approvals" || page.id === "welcome";
      return !hasCards || (kind !== "approval" && kind !== "question");
    });
  }

  /** From what this tab knows itself, where the gateway is too old to tell. */
  #guessed(): readonly AttentionItem[] {
    const problem = this.app.status.value?.modelProblem;
    const waiting = this.app.waiting.pending.map(({ approvalId, kind, card }): AttentionItem => ({
      id: approvalId,
      kind: kind === "approval" ? "approval" : "question",
      severity: "warning",
      text: card.title,
      action: { label: kind === "approval" ? say.decide : say.answer, route: `/approvals/${approvalId}` },
    }));
    if (problem === undefined) return waiting;
    const action = { label: say.modelsKeys, route: "/connections" };
    return [{ id: "model", kind: "model", severity: "error", text: problem, action }, ...waiting];
  }

  #chip(item: AttentionItem): TemplateResult {
    const { text, severity, kind, action, id } = item;
    const waits = kind === "approval" || kind === "question";
    return html`<div class="chip" data-tone=${TONES[severity]} data-kind=${kind}>
      ${icon(ICONS[severity], 16)}
      <span class="chip-text" title=${gatewayText(text)}
        >${waits ? html`<strong>${say.waitingForYou}</strong> ` : nothing}${gatewayText(text)}</span
      >
      ${
        action
          ? html`<a href=${action.route} @click=${() => this.#followed(waits)}
              >${gatewayText(action.label)}</a
            >`
          : nothing
      }
      ${waits ? nothing : this.#dismiss(id)}
    </div>`;
  }

  #more(rest: readonly AttentionItem[]): TemplateResult {
    const left = rest.length - LISTED_MAX;
    return html`<button type="button" class="chip-more" popovertarget="attention-more">
        ${fillIn(say.more, rest.length)}
      </button>
      <div id="attention-more" class="attention-more" popover @click=${closeOnLink}>
        ${rest.slice(0, LISTED_MAX).map((item) => this.#chip(item))}
        ${left > 0 ? html`<p class="hint">${fillIn(say.andMore, left)}</p>` : nothing}
      </div>`;
  }

  #demo(): TemplateResult | typeof nothing {
    if (!this.app.status.value?.demo || this.app.attention.dismissed.value.has("demo")) return nothing;
    return html`<div class="chip demo-chip" data-tone="info">
      ${icon("spark", 16)}
      <span class="chip-text"
        ><strong>${say.demoModel}<span class="demo-what">${say.scriptedAnswers}</span></strong
        ><span class="demo-more"> ${say.realToolsRealReceiptsNothingLeaves}</span></span
      >
      <a href="/connections">${say.connectAModel}</a> ${this.#dismiss("demo")}
    </div>`;
  }

  #dismiss(id: string): TemplateResult {
    return html`<button
      type="button"
      class="icon-button chip-close"
      aria-label=${say.dismiss}
      title=${say.dismiss}
      @click=${() => this.app.attention.dismiss(id)}
    >
      ${icon("close", 14)}
    </button>`;
  }

  #followed(waits: boolean): void {
    if (waits) this.app.waiting.focusFirst = true;
  }
}

function closeOnLink(event: Event): void {
  const { target, currentTarget } = event;
  if (target instanceof HTMLAnchorElement && currentTarget instanceof HTMLElement)
    currentTarget.hidePopover();
}

customElements.define("elwood-attention", Attention);
