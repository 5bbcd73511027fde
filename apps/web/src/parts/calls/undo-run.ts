import { html, nothing, type PropertyDeclarations } from "lit";
import type { WireCallItem } from "@elwood/core/protocol/call-shapes";
import type { Watched } from "@elwood/sdk/store";
import { AppElement } from "../../app/app-element.ts";
import { Loader } from "../../state/loader.ts";
import { confirmDialog } from "../dialog.ts";
import { countText } from "../format.ts";
import { callWords } from "./call-words.ts";
import { undoCall } from "./undo-call.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";

/** Below a reply: takes back all that its calls did, as far as their tools can. */
export class UndoRun extends AppElement {
  static override properties: PropertyDeclarations = {
    runId: { attribute: false },
    evidence: { attribute: false },
    busy: { state: true },
  };
  declare runId: string;
  /** Changes with what was undone, here or elsewhere. */
  declare evidence: string;
  declare busy: boolean;
  readonly #loader = new Loader<readonly WireCallItem[]>(this, async () => {
    const { calls } = await this.app.link.call("calls.list", { runId: this.runId });
    return calls.filter(({ canUndo }) => canUndo);
  });

  constructor() {
    super();
    this.busy = false;
  }

  protected override watches(): readonly Watched[] {
    return [this.app.waiting.all];
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#loader.value && !this.busy && changed.has("evidence")) void this.#loader.load();
  }

  protected override render(): unknown {
    const calls = this.#loader.value ?? [];
    const [first] = calls;
    if (!first || (calls.length === 1 && this.#hasCard(first))) return nothing;
    return html`<p class="reply-undo">
      <button type="button" class="link" ?disabled=${this.busy} @click=${() => void this.#undo(calls)}>
        ${calls.length === 1 ? say.undo : fill(say.undoAll, calls.length)}
      </button>
    </p>`;
  }

  /** The line of what was decided has its own way back. */
  #hasCard({ callId }: WireCallItem): boolean {
    return this.app.waiting.ofRun(this.runId).some((each) => each.callId === callId);
  }

  /** The last one first: what came later may rest on what was before. */
  async #undo(calls: readonly WireCallItem[]): Promise<void> {
    const [first] = calls;
    if (!first || (calls.length > 1 && !(await sure(calls)))) return;
    this.busy = true;
    if (calls.length === 1) await undoCall(this.app, first.callId);
    else await this.#undoAll(calls.toReversed());
    this.busy = false;
    await this.#loader.load();
  }

  async #undoAll(calls: readonly WireCallItem[]): Promise<void> {
    const { link, toasts } = this.app;
    let done = 0;
    let problem = "";
    for (const { callId } of calls) {
      const answer = await this.app.attempt(() => link.call("calls.undo", { callId }));
      // Why it broke off was said.
      if (!answer) break;
      if (answer.ok) done += 1;
      else problem ||= answer.text;
    }
    const left = calls.length - done;
    const rest = left === 0 ? "" : fill(say.not, left, problem);
    toasts.show(fill(say.undone, countText(done, say.call, say.calls), rest), {
      tone: left === 0 ? "info" : "bad",
    });
  }
}

function sure(calls: readonly WireCallItem[]): Promise<boolean> {
  return confirmDialog({
    title: fill(say.undoAll2, calls.length),
    text: html`<ul class="batch-list">
      ${calls.map(({ toolId, target }) => {
        const { words, about } = callWords(toolId, "succeeded", target);
        return html`<li>${words} ${about}</li>`;
      })}
    </ul>`,
    yes: say.undoThem,
  });
}

customElements.define("elwood-undo-run", UndoRun);
