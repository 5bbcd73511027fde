import { showText } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { commitment } from "@elwood/core/receipts/receipt";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { dateText, deciderName } from "../../parts/format.ts";
import { copyButton, idLabel, loadedView, pageHead } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { toldReceipt } from "./receipt-words.ts";
import { sha256 } from "./sha256.ts";
import { say } from "../../words/en/receipts.ts";
import { fill } from "../../words/fill.ts";
import { surfaceText } from "../../words/states.ts";

type Found = MethodResult<"receipts.get">;

/** One receipt, whole: what it says, what it hangs on, and the content behind its commitments, each recomputed here. */
export class ReceiptView extends AppElement {
  static override properties: PropertyDeclarations = {
    receiptId: { attribute: false },
    proof: { state: true },
  };
  declare receiptId: string;
  declare proof: string | undefined;
  #asked: string | undefined;
  readonly #loader = new Loader<Found>(this, () =>
    this.app.link.call("receipts.get", { receiptId: this.receiptId }),
  );

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#asked !== undefined && this.#asked !== this.receiptId) {
      this.proof = undefined;
      this.#loader.clear();
      void this.#loader.load();
    }
    this.#asked = this.receiptId;
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "receipt", title: "" },
        heading: say.receipt,
        view: (found) => this.#view(found),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view({ receipt, bodies }: Found): TemplateResult {
    const { seq, type, ts, actor, surface, runId, callId, hash, prevHash, payload } = receipt;
    const { words, state } = toldReceipt(receipt);
    return html`${pageHead(
        words,
        state === "" ? fill(say.receipt2, seq) : fill(say.about, fill(say.receipt2, seq), state),
        html`<a class="button" href="/receipts">${say.allReceipts}</a>
          <button type="button" @click=${() => void this.#prove()}>${say.proveThatItIsInThe}</button>`,
      )}
      ${
        this.proof === undefined
          ? nothing
          : html`<section class="card" aria-label=${say.proof}>
              <p>${say.thisProvesTheReceiptToAnybody} ${copyButton(this.proof, say.copyTheProof)}</p>
              <pre class="code receipt-json" tabindex="0" aria-label=${say.proof}>${this.proof}</pre>
            </section>`
      }
      <dl class="facts card">
        ${fact(say.when, dateText(ts))} ${fact(say.who, `${deciderName(actor)}, ${surfaceText(surface)}`)}
        ${
          runId === ""
            ? nothing
            : fact(say.run, html`<a href="/runs/${encodeURIComponent(runId)}">${say.openTheRun}</a>`)
        }
      </dl>
      ${bodies.map((body) => bodyView(body))}
      <details class="receipt-part raw">
        <summary>${say.details}</summary>
        <dl class="facts">
          ${fact(say.kind, html`<code>${type}</code>`)}
          ${runId === "" ? nothing : fact(say.run, idLabel(runId))}
          ${callId === undefined ? nothing : fact(say.call2, idLabel(callId))}
          ${fact(say.hash, html`<code>${hash}</code>`)}
          ${fact(say.hashOfTheOneBefore, html`<code>${prevHash}</code>`)}
        </dl>
        <pre class="code receipt-json" tabindex="0" aria-label=${say.payload}>${shown(payload)}</pre>
      </details>`;
  }

  async #prove(): Promise<void> {
    const proof = await this.app.attempt(() =>
      this.app.link.call("receipts.prove", { receiptId: this.receiptId }),
    );
    if (proof) this.proof = JSON.stringify(proof, undefined, 2);
  }
}

function fact(name: string, value: unknown): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** What stands there was written by anybody: what hides or turns text is written out. */
function shown(value: unknown): string {
  return showText(typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? ""));
}

function bodyView({ commit, salt, value }: Found["bodies"][number]): TemplateResult {
  const fits = commitment(salt, value, sha256) === commit;
  // What was written for people stands open.
  return html`<details class="receipt-part raw" ?open=${typeof value === "string" || !fits}>
    <summary title=${commit}>${say.contentBehind}</summary>
    <p class=${fits ? "hint" : "line bad"}>
      ${fits ? say.recomputedHereItIsWhatWas : say.recomputedHereThisIsNotWhat}
    </p>
    <pre class="code receipt-json" tabindex="0" aria-label=${say.content}>${shown(value)}</pre>
  </details>`;
}

customElements.define("elwood-receipt-view", ReceiptView);
