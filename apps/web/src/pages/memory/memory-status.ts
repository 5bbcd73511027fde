import { html, nothing, type TemplateResult } from "lit";
import type { WireMemoryStatus } from "@elwood/core/protocol/memory-shapes";
import { AppElement } from "../../app/app-element.ts";
import { bytesText, countText, moneyText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/memory.ts";
import { fill, fillIn } from "../../words/fill.ts";

/** How the index does: what it holds, whether it is behind, what went wrong last, and what meaning costs. */
export class MemoryStatusView extends AppElement {
  readonly #loader = new Loader<WireMemoryStatus>(this, () => this.app.link.call("memory.status", {}));

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  protected override render(): unknown {
    return html`<details class="raw">
      <summary>${say.index}</summary>
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "pulse", title: "" },
        view: (status) => this.#view(status),
        retry: () => void this.#loader.load(),
      })}
    </details>`;
  }

  #view(status: WireMemoryStatus): TemplateResult {
    const { enabled, lastError, forgetting, vectors } = status;
    if (!enabled) return html`<p class="line warn">${say.memoryIsTurnedOffOrIts}</p>`;
    return html`${lastError === undefined ? nothing : html`<p class="line bad">${fillIn(say.lastError, lastError)}</p>`}
      ${
        forgetting === 0
          ? nothing
          : html`<p class="line warn">
              ${fillIn(say.stillToBeForgottenOnceA, countText(forgetting, say.thing, say.things))}
            </p>`
      }
      <dl class="memory-facts">
        <div>
          <dt>${say.state}</dt>
          <dd>${stateText(status)}</dd>
        </div>
        <div>
          <dt>${say.holds}</dt>
          <dd>
            ${fillIn(say.ofAnd, countText(status.turns, say.turn, say.turns), countText(status.conversations, say.conversation, say.conversations), countText(status.notes, say.note, say.notes2))}
          </dd>
        </div>
        <div>
          <dt>${say.size}</dt>
          <dd>${bytesText(status.bytes)}</dd>
        </div>
        ${
          status.skipped === 0
            ? nothing
            : html`<div>
                <dt>${say.leftOut}</dt>
                <dd>${fillIn(say.thatHoldNoMessage, countText(status.skipped, say.line, say.lines))}</dd>
              </div>`
        }
        <div>
          <dt>${say.checked}</dt>
          <dd>${status.lastSyncAt === undefined ? say.notYet : timeAgo(status.lastSyncAt)}</dd>
        </div>
        <div>
          <dt>${say.byMeaning}</dt>
          <dd>${vectors ? `${vectors.model}, ${vectors.state}` : say.offSearchedByWords}</dd>
        </div>
        ${
          vectors?.estimate
            ? html`<div>
                <dt>${say.toSend}</dt>
                <dd>
                  ${fillIn(say.about, countText(vectors.estimate.tokens, say.token, say.tokens), moneyText(vectors.estimate.usd))}
                </dd>
              </div>`
            : nothing
        }
        ${
          vectors?.spent
            ? html`<div>
                <dt>${say.spent}</dt>
                <dd>
                  ${fillIn(say.thisMonth, moneyText(vectors.spent.usd), vectors.capUsd === undefined ? "" : fill(say.of, moneyText(vectors.capUsd)))}
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
                ${icon("refresh", 16)}${say.rebuild}
              </button>
            </p>`
          : nothing
      }`;
  }

  async #rebuild(): Promise<void> {
    const status = await this.app.attempt(() => this.app.link.call("memory.rebuild", {}));
    if (!status) return;
    this.#loader.put(status);
    this.app.toasts.show(say.theIndexWasRebuiltFromThe);
  }
}

function stateText({ rebuilding, behind }: WireMemoryStatus): string {
  if (rebuilding) return say.beingRebuilt;
  return behind === 0 ? say.upToDate : fill(say.behind, countText(behind, say.file, say.files));
}

customElements.define("elwood-memory-status", MemoryStatusView);
