import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { AppElement } from "../../app/app-element.ts";
import { icon } from "../icon.ts";
import { groupWords, type ShownCall } from "./call-words.ts";
import "./call-card.ts";
import "./calls.css";

const LAST_ALONE_MAX = 1;

/** The calls of a run, folded into one line that says what they did; a program's calls lie inside it. */
export class CallGroup extends AppElement {
  static override properties: PropertyDeclarations = {
    calls: { attribute: false },
    open: { type: Boolean },
  };
  declare calls: readonly ShownCall[];
  declare open: boolean;

  constructor() {
    super();
    this.calls = [];
    this.open = false;
  }

  protected override render(): unknown {
    const own = this.calls.filter((call) => call.parent === undefined);
    if (own.length === 0) return nothing;
    const first = own[0];
    if (own.length <= LAST_ALONE_MAX && first)
      return html`<div class="call-group">${this.#card(first)}</div>`;
    const live = own.findLast((call) => call.status === "running" || call.status === "started");
    return html`<details class="call-group" ?open=${this.open}>
      <summary>
        ${icon("right", 16)}<span>${groupWords(this.calls)}</span>
        ${live?.message === undefined ? nothing : html`<span class="call-progress">${live.message}</span>`}
      </summary>
      <div class="call-list">
        ${repeat(
          own,
          (call) => call.callId,
          (call) => this.#card(call),
        )}
      </div>
    </details>`;
  }

  #card(call: ShownCall): TemplateResult {
    return html`<elwood-call-card
      .app=${this.app}
      .call=${call}
      .made=${this.calls.filter((each) => each.parent === call.callId)}
    ></elwood-call-card>`;
  }
}

customElements.define("elwood-call-group", CallGroup);
