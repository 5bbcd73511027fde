import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { Span, Timeline } from "@elwood/core/protocol/call-shapes";
import { callWord } from "@elwood/core/base/state-words";
import { Part } from "../../app/app-element.ts";
import { countText, durationText } from "../../parts/format.ts";
import { icon, type IconName } from "../../parts/icon.ts";
import { vars } from "../../parts/vars.ts";
import { isFailure, waterfall, type Bar } from "./waterfall.ts";
import { spanText } from "./span-words.ts";
import { stateText } from "../../words/states.ts";
import { say } from "../../words/en/runs.ts";
import { fill, fillIn } from "../../words/fill.ts";

const ICONS: Readonly<Record<Span["kind"], IconName>> = {
  queue: "clock",
  model: "spark",
  tool: "tools",
  approval: "pause",
  retry: "refresh",
  compaction: "book",
  undo: "undo",
};

/** A waterfall: one line for each piece of the run's time. The arrow keys walk it. */
export class TimelineView extends Part {
  static override properties: PropertyDeclarations = {
    timeline: { attribute: false },
    chosen: { attribute: false },
    failuresOnly: { state: true },
    toScale: { state: true },
  };
  declare timeline: Timeline;
  declare chosen: Span | undefined;
  declare failuresOnly: boolean;
  declare toScale: boolean;

  constructor() {
    super();
    this.failuresOnly = false;
    this.toScale = false;
  }

  protected override render(): unknown {
    const { bars, totalMs, cutMs, ticks } = waterfall(this.timeline, !this.toScale);
    const shown = this.failuresOnly
      ? bars.filter(({ span, retries }) => isFailure(span) || retries.length > 0)
      : bars;
    const { leftOut } = this.timeline;
    return html`<section class="timeline" aria-label=${say.timeline}>
      <div class="timeline-head">
        <strong>${durationText(totalMs)}</strong>
        ${cutMs > 0 ? html`<span class="hint">${fillIn(say.ofWaitingNotDrawn, durationText(cutMs))}</span>` : nothing}
        <label class="timeline-choice"
          ><input
            type="checkbox"
            .checked=${this.failuresOnly}
            @change=${(event: Event) => {
              this.failuresOnly = isChecked(event);
            }}
          />${say.failuresOnly}</label
        >
        <label class="timeline-choice"
          ><input
            type="checkbox"
            .checked=${this.toScale}
            @change=${(event: Event) => {
              this.toScale = isChecked(event);
            }}
          />${say.toScale}</label
        >
      </div>
      ${leftOut === undefined ? nothing : html`<p class="hint">${fillIn(say.earlierPiecesAreLeftOut, leftOut)}</p>`}
      ${
        shown.length === 0
          ? html`<p class="hint">${this.failuresOnly ? say.nothingFailed : say.nothingIsOnRecord}</p>`
          : html`<ol class="timeline-rows" @keydown=${(event: KeyboardEvent) => this.#walk(event)}>
              ${shown.map((bar, i) => this.#row(bar, i))}
            </ol>`
      }
      <div class="timeline-ticks" aria-hidden="true">
        ${ticks.map(({ ms }) => html`<span>${durationText(ms)}</span>`)}
      </div>
    </section>`;
  }

  #row(bar: Bar, index: number): TemplateResult {
    const { span, left, width, ms, depth, retries } = bar;
    const state = span.exitCode === undefined ? span.status : callWord("succeeded", span.exitCode).word;
    const chosen = this.chosen && sameSpan(this.chosen, span);
    const place = vars({ "--from": `${left}%`, "--wide": `${width}%` });
    return html`<li data-depth=${depth}>
      <button
        type="button"
        class="timeline-row"
        aria-pressed=${chosen ? "true" : "false"}
        tabindex=${chosen || (!this.chosen && index === 0) ? 0 : -1}
        @click=${() => this.dispatchEvent(new CustomEvent("choose", { detail: span }))}
      >
        <span class="timeline-label"
          >${icon(ICONS[span.kind], 14)}<span title=${span.label}>${spanText(span)}</span
          ><span class="unseen"
            >,
            ${durationText(ms)}${state === undefined ? "" : `, ${stateText(state)}`}${retries.length === 0 ? "" : fill(say.triedAgain2, countText(retries.length, say.time, say.times))}</span
          ></span
        >
        <span class="timeline-track" aria-hidden="true" ${place}>
          <span
            class="timeline-bar"
            data-kind=${span.kind}
            data-failed=${isFailure(span) ? (span.exitCode === undefined ? "" : "code") : nothing}
            data-open=${span.end === undefined ? "" : nothing}
          ></span>
          ${retries.map((each) => html`<span class="timeline-tick" ${vars({ "--from": `${each}%` })}></span>`)}
        </span>
        <span class="timeline-ms" aria-hidden="true">${durationText(ms)}</span>
      </button>
    </li>`;
  }

  #walk(event: KeyboardEvent): void {
    const rows = [...this.querySelectorAll<HTMLElement>(".timeline-row")];
    const here = rows.findIndex((row) => row === document.activeElement);
    const last = rows.length - 1;
    const wanted = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: last }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    const next = rows[Math.min(Math.max(0, wanted), last)];
    next?.focus();
    next?.click();
  }
}

export function sameSpan(a: Span, b: Span): boolean {
  return a.kind === b.kind && a.start === b.start && a.callId === b.callId && a.lap === b.lap;
}

function isChecked(event: Event): boolean {
  return event.target instanceof HTMLInputElement && event.target.checked;
}

customElements.define("elwood-timeline-view", TimelineView);
