import { html, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { RunStatus } from "@elwood/core/session";
import { RUN_WORDS } from "@elwood/core/state-words";
import { PageElement } from "../../app/app-element.ts";
import type { RowWindow } from "../../parts/row-window.ts";
import { countText, durationText, moneyText } from "../../parts/format.ts";
import { loadedView, pageHead, stateBadge, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import "../../parts/row-window.ts";
import "./run-view.ts";
import "./runs.css";

type WireRun = MethodResult<"runs.list">["runs"][number];

const PAGE_RUNS = 100;
const RUNS_MAX = 10_000;

interface Page {
  readonly runs: readonly WireRun[];
  readonly next: string | undefined;
}

/** Every run there was, newest first; each leads to its timeline. */
export class RunsPage extends PageElement {
  static override properties: PropertyDeclarations = { status: { state: true } };
  declare status: RunStatus | "";
  readonly #loader = new Loader<Page>(this, () => this.#fetch(undefined));
  #fetching = false;

  constructor() {
    super();
    this.status = "";
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      this.app.link.onPush(({ event }) => {
        if (event === "run.started" || event === "chat.final" || event === "chat.error") void this.#refresh();
      }),
    ];
  }

  protected override render(): unknown {
    const run = this.params["run"];
    if (run !== undefined) return html`<elwood-run-view .app=${this.app} .runId=${run}></elwood-run-view>`;
    return html`<div class="page-body fill">
      ${pageHead("Runs", "Each message, and all that came of it: questions to the model, calls, waits.")}
      ${this.#filters()}
      ${loadedView(this.#loader.now, {
        isEmpty: ({ runs }) => runs.length === 0,
        empty: {
          icon: "runs",
          title: this.status === "" ? "Nothing has run yet." : "No run has this state.",
          ...(this.status === "" ? { action: html`<a class="button" href="/">Say something</a>` } : {}),
        },
        view: ({ runs }) => this.#list(runs),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #filters(): TemplateResult {
    return html`<form class="filters" @submit=${(event: Event) => event.preventDefault()}>
      <label
        >State
        <select
          @change=${(event: Event) => {
            if (!(event.target instanceof HTMLSelectElement)) return;
            // The options are the states there are.
            this.status = event.target.value as RunStatus | "";
            this.#loader.clear();
            void this.#loader.load();
          }}
        >
          <option value="">all</option>
          ${Object.entries(RUN_WORDS).map(
            ([state, { word }]) => html`<option value=${state}>${word}</option>`,
          )}
        </select>
      </label>
    </form>`;
  }

  #list(runs: readonly WireRun[]): TemplateResult {
    return html`<elwood-row-window
      class="run-list"
      label="Runs"
      .rows=${runs}
      .rowHeight=${56}
      .row=${(run: WireRun) => runRow(run)}
      @more=${() => void this.#more()}
    ></elwood-row-window>`;
  }

  async #fetch(before: string | undefined): Promise<Page> {
    const { runs, next } = await this.app.link.request("runs.list", {
      limit: PAGE_RUNS,
      ...(this.status === "" ? {} : { status: this.status }),
      ...(before === undefined ? {} : { before }),
    });
    return { runs, next };
  }

  /** The newest page anew, in front of what was loaded behind it. */
  async #refresh(): Promise<void> {
    const before = this.#loader.value;
    if (!before || before.runs.length <= PAGE_RUNS) {
      await this.#loader.load();
      return;
    }
    const fresh = await this.app.attempt(() => this.#fetch(undefined));
    if (!fresh) return;
    const known = new Set(fresh.runs.map((run) => run.runId));
    this.#loader.put({
      ...before,
      runs: [...fresh.runs, ...before.runs.filter((run) => !known.has(run.runId))],
    });
  }

  async #more(): Promise<void> {
    const before = this.#loader.value;
    if (this.#fetching || before?.next === undefined || before.runs.length >= RUNS_MAX) return;
    this.#fetching = true;
    const page = await this.app.attempt(() => this.#fetch(before.next));
    this.#fetching = false;
    if (page) this.#loader.put({ runs: [...before.runs, ...page.runs], next: page.next });
    this.querySelector<RowWindow>("elwood-row-window")?.requestUpdate();
  }
}

function runRow(run: WireRun): TemplateResult {
  const { runId, status, summary, surface, startedAt, endedAt, queuedAt, calls, usage, costUsd } = run;
  const took = startedAt !== undefined && endedAt !== undefined ? durationText(endedAt - startedAt) : "";
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return html`<a class="run-row" href="/runs/${encodeURIComponent(runId)}">
    <span class="run-state">${stateBadge(RUN_WORDS, status)}</span>
    <span class="run-summary">${summary ?? runId}</span>
    <span class="run-fact">${surface}</span>
    <span class="run-fact number">${calls === 0 ? "" : countText(calls, "call")}</span>
    <span class="run-fact number">${tokens === 0 ? "" : `${tokens.toLocaleString()} tokens`}</span>
    <span class="run-fact number">${costUsd === undefined ? "" : moneyText(costUsd)}</span>
    <span class="run-fact number">${took}</span>
    <span class="run-when">${timeAgo(queuedAt)}</span>
  </a>`;
}

customElements.define("elwood-runs-page", RunsPage);
