import { html, nothing, type TemplateResult } from "lit";
import type { WireMemoryStatus } from "@elwood/core/protocol/memory-shapes";
import { AppElement } from "../../app/app-element.ts";
import { bytesText, countText, moneyText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";

/** How the index does: what it holds, whether it is behind, what went wrong last, and what meaning costs. */
export class MemoryStatusView extends AppElement {
  readonly #loader = new Loader<WireMemoryStatus>(this, () => this.app.link.call("memory.status", {}));

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  protected override render(): unknown {
    return html`<section aria-labelledby="index-title">
      <h2 id="index-title">Index</h2>
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "pulse", title: "" },
        view: (status) => this.#view(status),
        retry: () => void this.#loader.load(),
      })}
    </section>`;
  }

  #view(status: WireMemoryStatus): TemplateResult {
    const { enabled, lastError, forgetting, vectors } = status;
    if (!enabled)
      return html`<p class="line warn">
        Memory is turned off, or its index cannot be opened. Notes are files, and stay.
      </p>`;
    return html`${lastError === undefined ? nothing : html`<p class="line bad">Last error: ${lastError}</p>`}
      ${
        forgetting === 0
          ? nothing
          : html`<p class="line warn">
              ${countText(forgetting, "thing")} still to be forgotten, once a run that holds it is over.
            </p>`
      }
      <dl class="memory-facts">
        <div>
          <dt>State</dt>
          <dd>${stateText(status)}</dd>
        </div>
        <div>
          <dt>Holds</dt>
          <dd>
            ${countText(status.turns, "turn")} of ${countText(status.conversations, "conversation")} and
            ${countText(status.notes, "note")}
          </dd>
        </div>
        <div>
          <dt>Size</dt>
          <dd>${bytesText(status.bytes)}</dd>
        </div>
        ${
          status.skipped === 0
            ? nothing
            : html`<div>
                <dt>Left out</dt>
                <dd>${countText(status.skipped, "line")} that hold no message</dd>
              </div>`
        }
        <div>
          <dt>Checked</dt>
          <dd>${status.lastSyncAt === undefined ? "not yet" : timeAgo(status.lastSyncAt)}</dd>
        </div>
        <div>
          <dt>By meaning</dt>
          <dd>${vectors ? `${vectors.model}, ${vectors.state}` : "off; searched by words"}</dd>
        </div>
        ${
          vectors?.estimate
            ? html`<div>
                <dt>To send</dt>
                <dd>
                  about ${countText(vectors.estimate.tokens, "token")}, ${moneyText(vectors.estimate.usd)}
                </dd>
              </div>`
            : nothing
        }
        ${
          vectors?.spent
            ? html`<div>
                <dt>Spent</dt>
                <dd>
                  ${moneyText(vectors.spent.usd)} this
                  month${vectors.capUsd === undefined ? "" : ` of ${moneyText(vectors.capUsd)}`}
                </dd>
              </div>`
            : nothing
        }
      </dl>
      ${vectors?.notice === undefined ? nothing : html`<p class="line warn">${vectors.notice}</p>`}
      ${
        this.app.link.may("admin")
          ? html`<p>
              <button type="button" ?disabled=${status.rebuilding} @click=${() => void this.#rebuild()}>
                ${icon("refresh", 16)}Rebuild
              </button>
            </p>`
          : nothing
      }`;
  }

  async #rebuild(): Promise<void> {
    const status = await this.app.attempt(() => this.app.link.call("memory.rebuild", {}));
    if (!status) return;
    this.#loader.put(status);
    this.app.toasts.show("The index was rebuilt from the files.");
  }
}

function stateText({ rebuilding, behind }: WireMemoryStatus): string {
  if (rebuilding) return "being rebuilt";
  return behind === 0 ? "up to date" : `${countText(behind, "file")} behind`;
}

customElements.define("elwood-memory-status", MemoryStatusView);
