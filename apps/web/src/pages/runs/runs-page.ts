import { showLine } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { EventName } from "@elwood/core/protocol/events";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { RunStatus } from "@elwood/core/message/session";
import { RUN_WORDS } from "@elwood/core/base/state-words";
import { PageElement } from "../../app/app-element.ts";
import { countText, durationText, runCostText } from "../../parts/format.ts";
import { loadedView, pageHead, stateBadge, timeAgo } from "../../parts/small.ts";
import { PageLoader } from "../../state/page-loader.ts";
import { stateText, surfaceText } from "../../words/states.ts";
import { say } from "../../words/en/runs.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "../../parts/row-window.ts";
import "./run-view.ts";
import "./runs.css";

type WireRun = MethodResult<"runs.list">["runs"][number];

const PAGE_RUNS = 100;

/** Runs of other clients are heard of by what they do to their sessions and to the owner. */
const CHANGES = new Set<EventName>([
  "run.started",
  "chat.final",
  "chat.error",
  "session.changed",
  "exec.approval_request",
  "exec.approval_resolved",
]);

/** Every run there was, newest first; each leads to its timeline. */
export class RunsPage extends PageElement {
  static override properties: PropertyDeclarations = {
    status: { state: true },
    failures: { state: true },
    words: { state: true },
  };
  declare status: RunStatus | "";
  declare failures: boolean;
  declare words: string;
  readonly #loader = new PageLoader<WireRun>(
    this,
    async (before) => {
      const { runs, next } = await this.app.link.call("runs.list", {
        limit: PAGE_RUNS,
        ...(this.status === "" ? {} : { status: this.status }),
        ...(this.failures ? { failures: true } : {}),
        ...(this.words === "" ? {} : { query: this.words }),
        ...(before === undefined ? {} : { before }),
      });
      return { rows: runs, next };
    },
    ({ runId }) => runId,
  );

  constructor() {
    super();
    this.status = "";
    this.failures = false;
    this.words = "";
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.refresh(this.app)),
      this.app.link.onPush(({ event }) => {
        if (CHANGES.has(event)) void this.#loader.refresh(this.app);
      }),
    ];
  }

  protected override render(): unknown {
    const run = this.params["run"];
    if (run !== undefined)
      return html`<elwood-run-view
        .app=${this.app}
        .runId=${run}
        .tab=${this.query.get("show")}
      ></elwood-run-view>`;
    const all = this.status === "" && !this.failures && this.words === "";
    return html`<div class="page-body fill">
      ${pageHead(say.runs, say.eachMessageAndAllThatCame)} ${this.#filters()}
      ${loadedView(this.#loader.now, {
        isEmpty: ({ rows }) => rows.length === 0,
        empty: {
          icon: "runs",
          title: all
            ? say.nothingHasRunYet
            : this.words !== ""
              ? say.noRunBeganWithTheseWords
              : this.status === ""
                ? say.nothingWentWrong
                : say.noRunHasThisState,
          ...(all ? { action: html`<a class="button" href="/">${say.saySomething}</a>` } : {}),
        },
        view: ({ rows }) => this.#list(rows),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #filters(): TemplateResult {
    return html`<form class="filters" @submit=${(event: Event) => event.preventDefault()}>
      <label
        >${say.find}
        <input
          type="search"
          placeholder=${say.wordsOfTheMessage}
          .value=${this.words}
          @change=${({ target }: Event) => {
            if (!(target instanceof HTMLInputElement)) return;
            this.words = target.value.trim();
            void this.#loader.again();
          }}
        />
      </label>
      <label
        >${say.state}
        <select
          @change=${(event: Event) => {
            if (!(event.target instanceof HTMLSelectElement)) return;
            // The options are the states there are.
            this.status = event.target.value as RunStatus | "";
            void this.#loader.again();
          }}
        >
          <option value="">${say.all}</option>
          ${Object.entries(RUN_WORDS).map(
            ([state, { word }]) => html`<option value=${state}>${stateText(word)}</option>`,
          )}
        </select>
      </label>
      <label class="run-check"
        ><input
          type="checkbox"
          .checked=${this.failures}
          @change=${(event: Event) => {
            this.failures = event.target instanceof HTMLInputElement && event.target.checked;
            void this.#loader.again();
          }}
        />${say.failuresOnly}</label
      >
    </form>`;
  }

  #list(runs: readonly WireRun[]): TemplateResult {
    return html`<div class="run-table">
      <div class="run-heads" aria-hidden="true">
        <span>${say.state}</span><span>${say.message}</span><span>${say.from}</span
        ><span>${say.callsHead}</span><span>${say.tokensHead}</span><span>${say.cost}</span
        ><span>${say.took}</span><span class="run-when">${say.when}</span>
      </div>
      <elwood-row-window
        class="run-list"
        label=${say.runs}
        .rows=${runs}
        .rowHeight=${56}
        .row=${(run: WireRun) => runRow(run)}
        @more=${() => void this.#loader.more(this.app)}
      ></elwood-row-window>
    </div>`;
  }
}

function runRow(run: WireRun): TemplateResult {
  const { runId, status, summary, surface, startedAt, endedAt, queuedAt, calls, notDone, usage, costUsd } =
    run;
  const took = startedAt !== undefined && endedAt !== undefined ? durationText(endedAt - startedAt) : "";
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return html`<a class="run-row" href="/runs/${encodeURIComponent(runId)}">
    <span class="run-state">${stateBadge(RUN_WORDS, status)}</span>
    <span class="run-summary">${showLine(summary ?? runId)}</span>
    <span class="run-fact">${surfaceText(surface)}</span>
    <span class="run-fact number"
      >${calls === 0 ? "" : countText(calls, say.call, say.calls)}${notDone === undefined ? nothing : html`<span class="run-trouble">${fillIn(say.notDone, notDone)}</span>`}</span
    >
    <span class="run-fact number">${tokens === 0 ? "" : fill(say.tokens, tokens.toLocaleString())}</span>
    <span class="run-fact number">${tokens === 0 ? "" : runCostText(costUsd)}</span>
    <span class="run-fact number">${took}</span>
    <span class="run-when">${timeAgo(queuedAt)}</span>
  </a>`;
}

customElements.define("elwood-runs-page", RunsPage);
