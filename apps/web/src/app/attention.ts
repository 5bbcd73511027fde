import { html, nothing } from "lit";
import { icon } from "../parts/icon.ts";
import type { Watched } from "../state/store.ts";
import { AppElement } from "./app-element.ts";

/** What wants the owner, wherever they are on the page: each chip says what, and leads to where it is mended. */
export class Attention extends AppElement {
  protected override watches(): readonly Watched[] {
    return [this.app.waiting.all, this.app.status, this.app.router.route];
  }

  protected override render(): unknown {
    const chips = [...this.#waiting(), ...this.#model()];
    return chips.length === 0 ? nothing : html`<div class="attention">${chips}</div>`;
  }

  #waiting(): unknown[] {
    const { pending } = this.app.waiting;
    const first = pending[0];
    if (!first || this.app.router.route.value.page.id === "approvals") return [];
    const words = pending.length === 1 ? first.summary : `${pending.length} things wait for you`;
    return [
      html`<a
        class="chip"
        data-tone="warn"
        href=${pending.length === 1 ? `/c/${first.sessionKey}` : "/approvals"}
      >
        ${icon("pause", 16)}<span><strong>Waiting for you:</strong> ${words}</span>
      </a>`,
    ];
  }

  #model(): unknown[] {
    const status = this.app.status.value;
    if (status?.modelProblem !== undefined)
      return [
        html`<span class="chip" data-tone="bad"
          >${icon("warning", 16)}<span>${status.modelProblem}</span></span
        >`,
      ];
    if (!status?.demo) return [];
    return [
      html`<span class="chip" data-tone="info">
        ${icon("spark", 16)}
        <span
          ><strong>Demo model: scripted answers.</strong> Real tools, real receipts, nothing leaves this
          machine.</span
        >
      </span>`,
    ];
  }
}

customElements.define("elwood-attention", Attention);
