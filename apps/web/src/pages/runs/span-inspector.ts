import { onUndone, undoCall } from "../../parts/calls/undo-call.ts";
import { html, nothing, type PropertyDeclarations } from "lit";
import type { WireCall } from "@elwood/core/protocol/call-shapes";
import type { Span } from "@elwood/core/protocol/call-shapes";
import { CALL_STATE_WORDS, RUN_WORDS } from "@elwood/core/base/state-words";
import { AppElement } from "../../app/app-element.ts";
import { callDetails } from "../../parts/calls/call-details.ts";
import { dateText, durationText } from "../../parts/format.ts";
import { callBadge, loadedView, stateBadge } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { retriesOf } from "./waterfall.ts";
import { spanText } from "./span-words.ts";
import { say } from "../../words/en/runs.ts";
import "../../parts/blob-view.ts";
import "../../parts/calls/calls.css";

/** Spans tell how they ended in the word for people, or, where it is the model's, in the run's state. */
const SPAN_WORDS = {
  ...RUN_WORDS,
  ...Object.fromEntries(Object.values(CALL_STATE_WORDS).map((each) => [each.word, each])),
};

/** What lies behind one piece of the timeline: for a call everything, for the model its figures. */
export class SpanInspector extends AppElement {
  static override properties: PropertyDeclarations = {
    span: { attribute: false },
    spans: { attribute: false },
  };
  declare span: Span | undefined;
  declare spans: readonly Span[];
  #callId: string | undefined;
  readonly #loader = new Loader<WireCall>(this, async () => {
    const { call } = await this.app.link.call("calls.get", { callId: this.#callId ?? "" });
    return call;
  });

  protected override entered(): readonly (() => void)[] {
    return [onUndone(this.app, ({ callId }) => callId === this.#callId && this.#loader.load())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const callId = this.span?.callId;
    if (callId === this.#callId) return;
    this.#callId = callId;
    this.#loader.clear();
    if (callId !== undefined) void this.#loader.load();
  }

  protected override render(): unknown {
    const { span } = this;
    if (!span) {
      return html`<aside class="inspector" aria-label=${say.details}>
        <p class="hint">${say.chooseAPieceOfTheTimeline}</p>
      </aside>`;
    }
    const facts: readonly (readonly [string, unknown])[] = [
      [say.began, dateText(span.start)],
      [say.took, span.end === undefined ? say.goesOn : durationText(span.end - span.start)],
      [say.model, span.model],
      [say.tokens2, span.tokens?.toLocaleString()],
      [say.said2, span.detail],
      ...retriesOf(span, this.spans).map(
        ({ start, detail = "" }) => [say.triedAgain, `${dateText(start)} ${detail}`] as const,
      ),
      [say.note2, span.derived ? say.itsBeginningWasNotRecordedIt : undefined],
    ];
    return html`<aside class="inspector" aria-label=${say.details}>
      <h2 title=${span.label}>${spanText(span)}</h2>
      ${span.status === undefined ? nothing : html`<p>${span.exitCode === undefined ? stateBadge(SPAN_WORDS, span.status) : callBadge("succeeded", span.exitCode)}</p>`}
      <dl class="facts">
        ${facts
          .filter(([, value]) => value !== undefined)
          .map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd>${value}</dd>
              </div>`,
          )}
      </dl>
      ${
        span.callId === undefined
          ? nothing
          : loadedView(this.#loader.now, {
              isEmpty: () => false,
              empty: { icon: "tools", title: "" },
              view: (call) => callDetails(this.app, call, () => void this.#undo(call)),
              retry: () => void this.#loader.load(),
            })
      }
    </aside>`;
  }

  async #undo({ callId }: WireCall): Promise<void> {
    if (await undoCall(this.app, callId)) await this.#loader.load();
  }
}

customElements.define("elwood-span-inspector", SpanInspector);
