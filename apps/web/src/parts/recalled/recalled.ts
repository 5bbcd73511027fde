import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { Loader } from "../../state/loader.ts";
import { placeHref, placeWords } from "../forget/forget-words.ts";
import { countText } from "../format.ts";
import { spokenText } from "../markdown/spoken-text.ts";
import { timeAgo } from "../small.ts";
import { say } from "../../words/en/parts.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "./recalled.css";

type Recalled = MethodResult<"memory.recalled">;
type Item = Recalled["items"][number];

const WHOSE: Readonly<Record<string, string>> = {
  get owner() {
    return say.yourWords;
  },
  get agent() {
    return say.elwoodsWords;
  },
  get untrusted() {
    return say.fromOthers;
  },
};

/** Why it knew something: what of memory was put before a run, where it stands, and what can be done about it. */
export class RecalledList extends AppElement {
  static override properties: PropertyDeclarations = { runId: { attribute: false } };
  declare runId: string;
  readonly #loader = new Loader<Recalled>(this, () =>
    this.app.link.call("memory.recalled", { runId: this.runId }),
  );

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => this.app.link.has("memory.recalled") && void this.#loader.load())];
  }

  protected override render(): unknown {
    const items = this.#loader.value?.items ?? [];
    if (items.length === 0) return nothing;
    return html`<details class="recalled">
      <summary>
        ${fillIn(say.whyItKnewThisFromMemory, countText(items.length, say.thing, say.things))}
      </summary>
      <ul>
        ${items.map((item) => this.#item(item))}
      </ul>
    </details>`;
  }

  #item(item: Item): TemplateResult {
    const href = placeHref(item.source, item.sessionKey);
    const name = placeWords(item.source, item.line);
    const may = this.app.link.may("approve");
    const gone = item.text === undefined;
    return html`<li>
      <p class="recalled-text">${spokenText(item.text ?? say.itIsNotThereAnyMore)}</p>
      <p class="recalled-facts">
        ${href === undefined ? name : html`<a href=${href}>${name}</a>`}
        <span>${WHOSE[item.origin] ?? item.origin}</span>
        ${timeAgo(item.ts)} ${item.never ? html`<span class="badge">${say.neverUsed}</span>` : nothing}
      </p>
      ${
        may && !gone
          ? html`<p class="recalled-actions">
              <button
                type="button"
                class="quiet"
                aria-label=${fill(say.forget, name)}
                @click=${() => void this.#forget(item)}
              >
                ${say.forget2}
              </button>
              <button
                type="button"
                class="quiet"
                aria-label="${item.never ? say.useAgain : say.neverUse}: ${name}"
                @click=${() => void this.#never(item)}
              >
                ${item.never ? say.useAgain : say.neverUse}
              </button>
            </p>`
          : nothing
      }
    </li>`;
  }

  async #forget({ source, line }: Item): Promise<void> {
    const { forgetDialog } = await import("../forget/forget-dialog.ts");
    const done = await forgetDialog(this.app, fill(say.forget3, placeWords(source, line)), {
      place: { source, line },
    });
    if (done) await this.#loader.load();
  }

  async #never({ source, line, never }: Item): Promise<void> {
    const set = await this.app.attempt(() =>
      this.app.link.call("memory.never", { source, line, never: !never }),
    );
    if (!set) return;
    this.app.toasts.show(never ? say.itMayBeRecalledAgain : say.itIsNeverRecalledByItself);
    await this.#loader.load();
  }
}

customElements.define("elwood-recalled", RecalledList);
