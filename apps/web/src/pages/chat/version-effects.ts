import { html, nothing, type PropertyDeclarations } from "lit";
import type { WireCallItem } from "@elwood/core/protocol/call-shapes";
import { AppElement } from "../../app/app-element.ts";
import { callWords } from "../../parts/calls/call-words.ts";
import { onUndone, undoCall } from "../../parts/calls/undo-call.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/chat.ts";

/** What versions of an answer did that are not shown: it stays done, whichever answer is read. */
export class VersionEffects extends AppElement {
  static override properties: PropertyDeclarations = { runs: { attribute: false } };
  declare runs: readonly string[];
  readonly #loader = new Loader<readonly WireCallItem[]>(this, async () => {
    const lists = await Promise.all(this.runs.map((runId) => this.app.link.call("calls.list", { runId })));
    return lists.flatMap(({ calls }) => calls.filter(isEffect));
  });

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      onUndone(this.app, ({ runId }) => {
        if (this.runs.includes(runId)) void this.#loader.load();
      }),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (changed.has("runs") && this.#loader.value) void this.#loader.load();
  }

  protected override render(): unknown {
    const calls = this.#loader.value ?? [];
    if (calls.length === 0) return nothing;
    const mayUndo = this.app.link.may("approve");
    return html`<div class="version-effects hint" data-from="gateway">
      ${say.doneInAnotherVersion}
      <ul>
        ${calls.map(({ callId, toolId, status, target, canUndo, undone }) => {
          const { words, about } = callWords(toolId, status, target);
          return html`<li title=${toolId}>
            ${spokenText(`${words} ${about}`.trim())}${undone ? say.undoneSince : status === "unknown" ? " (unknown)" : ""}
            ${
              canUndo && mayUndo
                ? html`<button type="button" class="link" @click=${() => void undoCall(this.app, callId)}>
                    ${say.undo}
                  </button>`
                : nothing
            }
          </li>`;
        })}
      </ul>
    </div>`;
  }
}

/** It changed something, or may have, also where that was taken back since. */
function isEffect({ risk, status, undoes }: WireCallItem): boolean {
  return risk !== "read" && undoes === undefined && (status === "succeeded" || status === "unknown");
}

customElements.define("elwood-version-effects", VersionEffects);
