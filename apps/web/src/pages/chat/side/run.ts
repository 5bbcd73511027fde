import { html, nothing, type TemplateResult } from "lit";
import type { Span, Timeline } from "@elwood/core/protocol/call-shapes";
import type { WireRun } from "@elwood/core/protocol/shapes";
import { isEnded } from "@elwood/core/message/session";
import { RUN_WORDS } from "@elwood/core/base/state-words";
import { PAGES } from "../../../app/pages.ts";
import { durationText, runCostText } from "../../../parts/format.ts";
import { stateBadge } from "../../../parts/small.ts";
import type { SidePanel } from "./side-panel.ts";
import type { PanelData } from "./panel-data.ts";
import { say } from "../../../words/en/chat.ts";
import { fill } from "../../../words/fill.ts";
import "../../../parts/calls/calls.css";
import { failureText } from "../../../words/gateway.ts";

export const NO_RUN = {
  icon: "runs",
  get title() {
    return say.noRunYet;
  },
  get text() {
    return say.eachMessageIsAnsweredByA;
  },
} as const;

/** One run of the conversation while it goes and after: what it costs and where its time goes. */
export async function run(side: SidePanel): Promise<PanelData | undefined> {
  const { link } = side.app;
  // The timeline is drawn as on the page of runs, which is fetched now.
  void PAGES.find(({ id }) => id === "runs")?.load();
  const runId = side.run ?? side.chat.open.value.unfinished?.runId ?? (await lastRun(side));
  if (runId === undefined) return undefined;
  const [{ run: found }, timeline] = await Promise.all([
    link.call("runs.get", { runId }),
    link.call("runs.timeline", { runId }),
  ]);
  return { view: () => view(side, found, timeline), goesOn: !isEnded(found.status) };
}

async function lastRun({ app, sessionKey }: SidePanel): Promise<string | undefined> {
  return (await app.link.call("runs.list", { sessionKey, limit: 1 })).runs[0]?.runId;
}

function view(side: SidePanel, told: WireRun, timeline: Timeline): TemplateResult {
  const { runId, status, usage, startedAt = told.queuedAt, endedAt = timeline.now } = told;
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const facts: readonly (readonly [string, unknown])[] = [
    [say.model2, told.model],
    [say.time, durationText(endedAt - startedAt)],
    [say.tokens2, fill(say.readWritten, read.toLocaleString(), usage.outputTokens.toLocaleString())],
    [say.cost, read === 0 ? undefined : runCostText(told.costUsd)],
    [say.calls, told.calls],
  ];
  return html`<section class="side-group">
    <h3>
      <a href=${side.turnHref(runId)}>${told.summary || say.aMessage}</a>${stateBadge(RUN_WORDS, status)}
    </h3>
    ${told.failure ? html`<p class="line bad">${failureText(told.failure)}</p>` : nothing}
    <dl class="facts">
      ${facts.map(([name, value]) =>
        value === undefined
          ? nothing
          : html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
      )}
    </dl>
    <p class="side-facts">
      ${
        isEnded(status)
          ? nothing
          : html`<button type="button" class="danger" @click=${() => void stop(side, runId)}>
              ${say.stop}
            </button>`
      }
      <a class="button" href="/runs/${encodeURIComponent(runId)}">${say.openTheRun}</a>
      ${
        side.run === undefined
          ? nothing
          : html`<button type="button" class="quiet" @click=${() => side.place.follow(undefined)}>
              ${say.newestRun}
            </button>`
      }
    </p>
    <elwood-timeline-view
      .timeline=${timeline}
      .chosen=${side.chosen}
      @choose=${({ detail }: CustomEvent<Span>) => {
        side.chosen = detail;
      }}
    ></elwood-timeline-view>
    ${
      side.chosen
        ? html`<elwood-span-inspector .app=${side.app} .span=${side.chosen}></elwood-span-inspector>`
        : nothing
    }
  </section>`;
}

async function stop(side: SidePanel, runId: string): Promise<void> {
  await side.app.attempt(() => side.app.link.call("chat.abort", { runId }));
  side.refresh();
}
