import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { dateText, durationText } from "../../parts/format.ts";
import { loadedView } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { withTexts, type Row } from "../receipts/by-call.ts";
import { toldReceipt } from "../receipts/receipt-words.ts";
import { say } from "../../words/en/runs.ts";
import { fillIn } from "../../words/fill.ts";
import "../../parts/row-window.ts";

type Event = Row;

const PAGE_EVENTS = 200;
const EVENTS_MAX = 1_000;

/** What was put on record of a run, one thing after another, from its beginning. */
export class RunEvents extends AppElement {
  static override properties: PropertyDeclarations = {
    runId: { attribute: false },
    start: { attribute: false },
    stamp: { attribute: false },
  };
  declare runId: string;
  /** When the run was asked for; each event is told by how long after that it came. */
  declare start: number;
  /** Another one means that there may be more by now. */
  declare stamp: number;
  readonly #loader = new Loader(this, () => this.#fetch());

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (changed.has("stamp") || changed.has("runId")) void this.#loader.load();
  }

  protected override render(): unknown {
    return loadedView(this.#loader.now, {
      isEmpty: ({ events }) => events.length === 0,
      empty: { icon: "receipt", title: say.nothingIsOnRecordYet },
      view: ({ events, cut }) =>
        html`${
            cut
              ? html`<p class="hint">
                  ${fillIn(say.theLastAreShown, EVENTS_MAX.toLocaleString(), html`<a href="/receipts?run=${encodeURIComponent(this.runId)}">${say.allOfThem}</a>`)}
                </p>`
              : nothing
          }<elwood-row-window
            class="event-list"
            label=${say.events}
            .rows=${events}
            .rowHeight=${44}
            .row=${(event: Event) => this.#row(event)}
          ></elwood-row-window>`,
      retry: () => void this.#loader.load(),
    });
  }

  #row(event: Event): TemplateResult {
    const { id, ts } = event;
    const { words, state, tone, details } = toldReceipt(event, event);
    return html`<a class="event-row" href="/receipts/${encodeURIComponent(id)}" title=${details}>
      <time class="number hint" datetime=${new Date(ts).toISOString()} title=${dateText(ts)}
        >+${durationText(Math.max(0, ts - this.start))}</time
      >
      <span class="event-about">${words}</span>
      <span class="event-type" data-tone=${tone}>${state}</span>
    </a>`;
  }

  async #fetch(): Promise<{ readonly events: readonly Event[]; readonly cut: boolean }> {
    const events: Event[] = [];
    let before: number | undefined;
    do {
      const { receipts, targets, next } = await this.app.link.call("receipts.list", {
        runId: this.runId,
        limit: PAGE_EVENTS,
        ...(before === undefined ? {} : { before }),
      });
      events.push(...withTexts(receipts, targets));
      before = next;
    } while (before !== undefined && events.length < EVENTS_MAX);
    return { events: events.toReversed(), cut: before !== undefined };
  }
}

customElements.define("elwood-run-events", RunEvents);
