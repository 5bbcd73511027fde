import { onUndone, undoCall } from "./undo-call.ts";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { WireCall } from "@elwood/core/protocol/call-shapes";
import { AppElement } from "../../app/app-element.ts";
import { showLine } from "@elwood/core/base/show";
import { durationText } from "../format.ts";
import { icon } from "../icon.ts";
import { callBadge, loadedView } from "../small.ts";
import { Loader } from "../../state/loader.ts";
import { callWords, iconOf, type ShownCall } from "./call-words.ts";
import { callDetails } from "./call-details.ts";
import "../blob-view.ts";

/** One call: a line that says what and how it stands; opened, everything that went in and came out. */
export class CallCard extends AppElement {
  static override properties: PropertyDeclarations = {
    call: { attribute: false },
    made: { attribute: false },
    open: { type: Boolean },
  };
  declare call: ShownCall;
  /** Calls that this one made, where it is a program. */
  declare made: readonly ShownCall[];
  declare open: boolean;
  readonly #loader = new Loader<WireCall>(this, () => this.#fetch());
  /** Calls that the gateway says a program made; what was followed live may know of fewer. */
  #children: readonly ShownCall[] = [];
  #status: string | undefined;

  constructor() {
    super();
    this.made = [];
    this.open = false;
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => this.open && void this.#loader.load()),
      onUndone(this.app, ({ callId }) => this.open && callId === this.call.callId && this.#loader.load()),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    // What an open card shows is asked for anew whenever the call has come further.
    if (this.open && this.#status !== undefined && this.#status !== this.call.status)
      void this.#loader.load();
    this.#status = this.call.status;
  }

  protected override render(): unknown {
    const { tool, status, message, exitCode, target = "" } = this.call;
    const known = this.#loader.value;
    const { words, about } = callWords(tool, status, known?.target ?? showLine(target));
    const made = this.#children.length > this.made.length ? this.#children : this.made;
    const took =
      known?.startedAt !== undefined && known.endedAt !== undefined
        ? durationText(known.endedAt - known.startedAt)
        : undefined;
    return html`<details class="call" ?open=${this.open} @toggle=${(event: Event) => this.#toggled(event)}>
      <summary>
        ${icon(iconOf(tool), 16)}
        <span class="call-tool" title=${tool}>${words}</span>
        <span class="call-target">${about === "" ? (message ?? "") : about}</span>
        ${took === undefined ? nothing : html`<span class="call-took">${took}</span>`}
        ${callBadge(stateOf(status, known), known?.exitCode ?? exitCode)}
      </summary>
      ${this.open ? this.#inside() : nothing}
      ${
        made.length === 0 || !this.open
          ? nothing
          : html`<div class="call-list call-children">
              ${repeat(
                made,
                (child) => child.callId,
                (child) => html`<elwood-call-card .app=${this.app} .call=${child}></elwood-call-card>`,
              )}
            </div>`
      }
    </details>`;
  }

  async #fetch(): Promise<WireCall> {
    const { link } = this.app;
    const { call } = await link.call("calls.get", { callId: this.call.callId });
    if (call.children.length > 0) {
      const { calls } = await link.call("calls.list", { runId: call.runId });
      this.#children = calls
        .filter(({ parent }) => parent === call.callId)
        .map(({ toolId, state, ...rest }) => ({ ...rest, tool: toolId, status: state }));
    }
    return call;
  }

  #inside(): TemplateResult {
    return loadedView(this.#loader.now, {
      isEmpty: () => false,
      empty: { icon: "tools", title: "" },
      view: (call) => callDetails(this.app, call, () => void this.#undo(call)),
      retry: () => void this.#loader.load(),
    });
  }

  #toggled(event: Event): void {
    const details = event.currentTarget;
    // A child's toggle does not bubble, but a child may be the target of a click that does.
    if (!(details instanceof HTMLDetailsElement) || details.open === this.open) return;
    this.open = details.open;
    if (this.open) void this.#loader.load();
  }

  async #undo({ callId }: WireCall): Promise<void> {
    if (await undoCall(this.app, callId)) await this.#loader.load();
  }
}

/** How it stands: what was allowed, and not made since it had changed, was not denied. */
function stateOf(status: string, known: WireCall | undefined): string {
  if (status === "running") return "started";
  if (known?.state === "refused") return known.state;
  return status === "denied" && known?.approval?.decided.status === "approved" ? "changed" : status;
}

customElements.define("elwood-call-card", CallCard);
