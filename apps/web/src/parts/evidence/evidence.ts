import { headLine } from "@elwood/core/receipts/checkpoint";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { ruleOfTwoWords } from "@elwood/core/policy/rule-of-two-words";
import { AppElement } from "../../app/app-element.ts";
import { onUndone } from "../calls/undo-call.ts";
import { icon } from "../icon.ts";
import { callBadge, loadedView, timeAgo } from "../small.ts";
import { Loader } from "../../state/loader.ts";
import {
  approvalWords,
  countsText,
  ordered,
  readsText,
  stateOf,
  type ActivityItem,
  whatWords,
} from "./evidence-order.ts";
import { say } from "../../words/en/parts.ts";
import { fillIn } from "../../words/fill.ts";
import "../recalled/recalled.ts";
import "./evidence.css";

/**
 * What the gateway has on record of a reply: its own line, and behind it each call with its
 * receipt. Nothing here comes from the model.
 */
export class Evidence extends AppElement {
  static override properties: PropertyDeclarations = {
    runId: { attribute: false },
    line: { attribute: false },
    facts: { attribute: false },
    open: { attribute: false },
  };
  declare runId: string;
  /** The evidence as the gateway wrote it, at most three lines. */
  declare line: string;
  /** Model, tokens, cost: small words at its end. */
  declare facts: readonly string[];
  /** Whether what lies behind the line is shown. */
  declare open: boolean;
  readonly #loader = new Loader<MethodResult<"runs.activity">>(this, () =>
    this.app.link.call("runs.activity", { runId: this.runId }),
  );

  constructor() {
    super();
    this.facts = [];
    this.open = false;
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => this.open && void this.#loader.load()),
      onUndone(this.app, ({ runId }) => this.open && runId === this.runId && this.#loader.load()),
    ];
  }

  protected override render(): unknown {
    return html`<details
      class="evidence"
      data-from="gateway"
      ?open=${this.open}
      @toggle=${(event: Event) => this.#toggled(event)}
    >
      <summary>
        ${icon("receipt", 16)}
        <span class="evidence-line">${this.line === "" ? say.nothingWasChanged : this.line}</span>
        ${
          this.facts.length === 0
            ? nothing
            : html`<span class="evidence-facts">${this.facts.join(" · ")}</span>`
        }
      </summary>
      ${
        this.open
          ? loadedView(this.#loader.now, {
              isEmpty: () => false,
              empty: { icon: "receipt", title: "" },
              view: (found) => this.#inside(found),
              retry: () => void this.#loader.load(),
            })
          : nothing
      }
    </details>`;
  }

  #inside({ activity, sentences, ruleOfTwo, log }: MethodResult<"runs.activity">): TemplateResult {
    const { notDone, changes, reads, undos } = ordered(activity);
    const together = ruleOfTwo && ruleOfTwoWords(ruleOfTwo);
    return html`<div class="evidence-inside">
      ${
        activity.length === 0
          ? html`<p class="hint">${say.noToolRanForThisReply}</p>`
          : html`<p class="evidence-counts">${countsText(activity)}</p>`
      }
      ${sentences.map((sentence) => html`<p class="line warn">${sentence}</p>`)}
      ${list([...notDone, ...changes])}
      ${
        reads.length === 0
          ? nothing
          : html`<details class="evidence-reads" ?open=${notDone.length + changes.length === 0}>
              <summary>${readsText(reads)}</summary>
              ${list(reads)}
            </details>`
      }
      ${list(undos)}
      <elwood-recalled .app=${this.app} .runId=${this.runId}></elwood-recalled>
      ${together === undefined ? nothing : html`<p class="hint">${together}</p>`}
      <p class="evidence-links">
        <a href="/runs/${encodeURIComponent(this.runId)}">${say.timelineOfThisRun}</a>
        <a href="/receipts?run=${encodeURIComponent(this.runId)}">${say.itsReceipts}</a>
        <a href="/receipts?verify=1">${say.verifyTheLog}</a>
      </p>
      <details class="raw">
        <summary>${say.details}</summary>
        <p class="hint">${fillIn(say.theLogStandsAt, html`<code>${headLine(log.size, log.root)}</code>`)}</p>
      </details>
    </div>`;
  }

  #toggled(event: Event): void {
    const details = event.currentTarget;
    if (!(details instanceof HTMLDetailsElement) || details.open === this.open) return;
    this.open = details.open;
    if (this.open) void this.#loader.load();
  }
}

function list(items: readonly ActivityItem[]): unknown {
  if (items.length === 0) return nothing;
  return html`<ul class="evidence-list">
    ${items.map(
      (item) =>
        html`<li>
          ${callBadge(stateOf(item), item.exitCode)}
          <span class="evidence-what" title=${item.toolId}>${whatWords(item)}</span>
          <span class="hint">${approvalWords(item)}</span>
          ${timeAgo(item.when)}
          <a href="/receipts/${encodeURIComponent(item.receiptRef)}">${say.receipt}</a>
        </li>`,
    )}
  </ul>`;
}

customElements.define("elwood-evidence", Evidence);
