import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireRun } from "@elwood/core/protocol/shapes";
import { isEnded } from "@elwood/core/message/session";
import { ordered, stateOf, type ActivityItem, whatWords } from "../../../parts/evidence/evidence-order.ts";
import { countText } from "../../../parts/format.ts";
import { stateBadge, timeAgo } from "../../../parts/small.ts";
import type { SidePanel } from "./side-panel.ts";
import { activityBadge, receiptLink, type PanelData } from "./panel-data.ts";
import { say } from "../../../words/en/chat.ts";
import { fill } from "../../../words/fill.ts";

type Head = MethodResult<"receipts.head">;

/** More than this of one run is for the page of its receipts. */
const ROWS_MAX = 20;
/** A longer log is verified when somebody asks for it. */
const VERIFIED_MAX = 5_000;

/** What happened in the conversation, run by run, from receipts only. */
export class Evidence {
  static readonly none = {
    icon: "receipt",
    title: say.nothingOnRecordYet,
    text: say.onceYouHaveAskedForSomething,
  } as const;
  readonly #side: SidePanel;
  /** Runs that ended: their calls are asked for once. */
  readonly #ended = new Map<string, readonly ActivityItem[]>();
  /** How much of the log was verified, and what is wrong with it. */
  #verified: { readonly size: number; readonly fault: string } | undefined;

  constructor(side: SidePanel) {
    this.#side = side;
  }

  /** Asks anew: for one run, or for all. */
  forget(runId?: string): void {
    if (runId !== undefined) {
      this.#ended.delete(runId);
      return;
    }
    this.#ended.clear();
    this.#verified = undefined;
  }

  async ask(): Promise<PanelData | undefined> {
    const { app, sessionKey, limit } = this.#side;
    const [{ runs, next }, head] = await Promise.all([
      app.link.call("runs.list", { sessionKey, limit }),
      app.link.call("receipts.head", {}),
    ]);
    if (runs.length === 0) return undefined;
    const groups = await Promise.all(
      runs.map(async (run) => ({ run, activity: await this.#activityOf(run) })),
    );
    // It grows while something runs; then what was verified before has to do.
    const quiet = runs.every(({ status }) => isEnded(status)) && this.#verified?.size !== head.size;
    if (head.size <= VERIFIED_MAX && (quiet || !this.#verified)) this.#verified = await this.#verify(head);
    return {
      view: () =>
        html`${this.#log(head)}
        ${repeat(
          groups,
          ({ run }) => run.runId,
          ({ run, activity }) => this.#run(run, activity),
        )}
        ${this.#side.more(next)}`,
    };
  }

  async #activityOf({ runId, status }: WireRun): Promise<readonly ActivityItem[]> {
    const known = this.#ended.get(runId);
    if (known) return known;
    const { activity } = await this.#side.app.link.call("runs.activity", { runId });
    if (isEnded(status)) this.#ended.set(runId, activity);
    return activity;
  }

  async #verify({ size }: Head): Promise<{ size: number; fault: string }> {
    const { verdict, words } = await this.#side.app.link.call("receipts.verify", {});
    return { size, fault: verdict.status === "intact" ? "" : words };
  }

  #log({ size }: Head): TemplateResult {
    const known = this.#verified;
    const word = known?.size === size ? "verifies" : fill(say.verifiesUpTo, known?.size ?? 0);
    return html`<p class="side-facts">
        ${known?.fault === "" ? stateBadge({ ok: { word, tone: "ok", glyph: "", icon: "check" } }, "ok") : nothing}
        <a href="/receipts?verify=1">${say.verifyItInThisBrowser}</a>
      </p>
      ${known?.fault ? html`<p class="line bad">${known.fault}</p>` : nothing}`;
  }

  #run({ runId, summary, queuedAt, status }: WireRun, activity: readonly ActivityItem[]): TemplateResult {
    const { notDone, changes, reads } = ordered(activity);
    const rows = [...notDone, ...changes];
    return html`<section class="side-group">
      <h3><a href=${this.#side.turnHref(runId)}>${summary || say.aMessage}</a>${timeAgo(queuedAt)}</h3>
      ${
        activity.length === 0
          ? html`<p class="hint">${isEnded(status) ? say.noCallWasMade : say.noCallYet}</p>`
          : list(rows)
      }
      ${
        reads.length === 0
          ? nothing
          : html`<details>
              <summary class="hint">${countText(reads.length, say.read, say.reads)}</summary>
              ${list(reads)}
            </details>`
      }
      ${
        Math.max(rows.length, reads.length) > ROWS_MAX
          ? html`<a href="/receipts?run=${encodeURIComponent(runId)}">${say.allReceiptsOfThisRun}</a>`
          : nothing
      }
    </section>`;
  }
}

function list(items: readonly ActivityItem[]): unknown {
  if (items.length === 0) return nothing;
  return html`<ul class="side-list">
    ${items.slice(0, ROWS_MAX).map((item) => {
      const { toolId, approval, status, exitCode, when, receiptRef } = item;
      const { required, decision } = approval ?? {};
      const asked = !required
        ? say.notAsked
        : decision === undefined || decision === status
          ? "asked"
          : decision;
      return html`<li>
        <span class="side-what" title=${toolId}>${whatWords(item)}</span>
        <span class="side-facts"
          >${activityBadge(stateOf(item), required === true && !decision, exitCode)} ${asked} ${timeAgo(when)}
          ${receiptLink(receiptRef)}</span
        >
      </li>`;
    })}
  </ul>`;
}
