import { showLine, showText } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { commitment } from "@elwood/core/receipts/receipt";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { dateText } from "../../parts/format.ts";
import { copyButton, idLabel, loadedView, pageHead } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { typeWords } from "./receipt-words.ts";
import { sha256 } from "./sha256.ts";

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
        heading: "Receipt",
        view: (found) => this.#view(found),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view({ receipt, bodies }: Found): TemplateResult {
    const { seq, type, ts, actor, surface, runId, callId, hash, prevHash, payload } = receipt;
    return html`${pageHead(
        `Receipt #${seq}`,
        `${typeWords(type)} (${type})`,
        html`<a class="button" href="/receipts">All receipts</a>
          <button type="button" @click=${() => void this.#prove()}>Prove that it is in the log</button>`,
      )}
      ${
        this.proof === undefined
          ? nothing
          : html`<section class="card" aria-label="Proof">
              <p>
                This proves the receipt to anybody who holds a checkpoint of the log.
                ${copyButton(this.proof, "Copy the proof")}
              </p>
              <pre class="code receipt-json" tabindex="0" aria-label="Proof">${this.proof}</pre>
            </section>`
      }
      <dl class="facts card">
        ${fact("when", dateText(ts))} ${fact("who", showLine(`${actor}, ${surface}`))}
        ${fact(
          "run",
          runId === "" ? "none" : html`<a href="/runs/${encodeURIComponent(runId)}">${runId}</a>`,
        )}
        ${callId === undefined ? nothing : fact("call", idLabel(callId))}
        ${fact("hash", html`<code>${hash}</code>`)}
        ${fact("hash of the one before", html`<code>${prevHash}</code>`)}
      </dl>
      <section class="receipt-part">
        <h2>What it says</h2>
        <pre class="code receipt-json" tabindex="0" aria-label="Payload">${shown(payload)}</pre>
      </section>
      ${bodies.map((body) => bodyView(body))}`;
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
  return html`<section class="receipt-part">
    <h2>Content behind ${commit.slice(0, 16)}…</h2>
    <p class=${fits ? "hint" : "line bad"}>
      ${
        fits
          ? "Recomputed here: it is what was recorded. It can be erased without breaking the log."
          : "Recomputed here: this is NOT what was recorded."
      }
    </p>
    <pre class="code receipt-json" tabindex="0" aria-label="Content">${shown(value)}</pre>
  </section>`;
}

customElements.define("elwood-receipt-view", ReceiptView);
