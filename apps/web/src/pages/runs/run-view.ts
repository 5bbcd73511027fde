import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { Span, Timeline } from "@elwood/core/protocol/call-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { isEnded } from "@elwood/core/session";
import { RUN_WORDS } from "@elwood/core/state-words";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { dateText, durationText, moneyText } from "../../parts/format.ts";
import { idLabel, loadedView, pageHead, stateBadge } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import "../../parts/calls/call-group.ts";
import "../../parts/evidence/evidence.ts";
import "./timeline-view.ts";
import "./span-inspector.ts";

const LOOK_EVERY_MS = 1_500;

interface RunFacts {
  readonly run: MethodResult<"runs.get">["run"];
  readonly timeline: Timeline;
  readonly activity: MethodResult<"runs.activity">;
}

/** One run: where its time went on the left, what lies behind the chosen piece on the right. */
export class RunView extends AppElement {
  static override properties: PropertyDeclarations = {
    runId: { attribute: false },
    chosen: { state: true },
    raw: { state: true },
  };
  declare runId: string;
  declare chosen: Span | undefined;
  declare raw: boolean;
  #asked: string | undefined;
  readonly #loader = new Loader<RunFacts>(this, async () => {
    const { link } = this.app;
    const { runId } = this;
    const [{ run }, timeline, activity] = await Promise.all([
      link.request("runs.get", { runId }),
      link.request("runs.timeline", { runId }),
      link.request("runs.activity", { runId }),
    ]);
    return { run, timeline, activity };
  });

  constructor() {
    super();
    this.raw = false;
  }

  protected override entered(): readonly (() => void)[] {
    const timer = window.setInterval(() => {
      const run = this.#loader.value?.run;
      if (run && !isEnded(run.status) && !document.hidden && this.app.link.ready) void this.#loader.load();
    }, LOOK_EVERY_MS);
    return [this.app.link.onReady(() => void this.#loader.load()), () => clearInterval(timer)];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#asked !== undefined && this.#asked !== this.runId) {
      this.chosen = undefined;
      this.#loader.clear();
      void this.#loader.load();
    }
    this.#asked = this.runId;
  }

  protected override render(): unknown {
    return html`<div class="page-body run-view">
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "runs", title: "" },
        view: (facts) => this.#view(facts),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view({ run, timeline, activity }: RunFacts): TemplateResult {
    return html`${pageHead(
        "Run",
        run.summary ?? "One message, and all that came of it.",
        html`${this.#actions(run)}`,
      )}
      <p class="run-facts">
        ${stateBadge(RUN_WORDS, run.status)} ${idLabel(run.runId)}
        <span>${run.surface}</span>
        <span>${dateText(run.queuedAt)}</span>
        ${run.model === undefined ? nothing : html`<span>${run.model}</span>`}
        ${run.costUsd === undefined ? nothing : html`<span>${moneyText(run.costUsd)}</span>`}
        ${run.attempt > 1 ? html`<span>taken up ${run.attempt - 1} time(s)</span>` : nothing}
      </p>
      ${run.failure ? html`<p class="line bad">${run.failure.message}</p>` : nothing}
      <div class="run-columns">
        <elwood-timeline-view
          .timeline=${timeline}
          .chosen=${this.chosen}
          @choose=${(event: CustomEvent<Span>) => {
            this.chosen = event.detail;
          }}
        ></elwood-timeline-view>
        <elwood-span-inspector .app=${this.app} .span=${this.chosen}></elwood-span-inspector>
      </div>
      <elwood-evidence .app=${this.app} .runId=${run.runId} .line=${activity.evidence}></elwood-evidence>
      <details class="raw" @toggle=${(event: Event) => this.#toggled(event)}>
        <summary>Raw</summary>
        ${
          this.raw
            ? html`<pre class="code" tabindex="0" aria-label="The run as the gateway tells it">
${JSON.stringify({ run, timeline, activity }, undefined, 2)}</pre>`
            : nothing
        }
      </details>`;
  }

  #toggled(event: Event): void {
    if (event.currentTarget instanceof HTMLDetailsElement) this.raw = event.currentTarget.open;
  }

  #actions(run: RunFacts["run"]): TemplateResult {
    const ended = isEnded(run.status);
    return html`<a class="button" href="/c/${encodeURIComponent(run.sessionKey)}">Open the conversation</a> ${
        ended && run.status === "failed" && this.app.link.has("sessions.fork")
          ? html`<button type="button" @click=${() => void this.#branch(run)}>Try again in a branch</button>`
          : nothing
      }
      ${
        ended
          ? nothing
          : html`<button type="button" class="danger" @click=${() => void this.#stop(run)}>Stop</button>`
      }`;
  }

  async #stop({ runId, startedAt }: RunFacts["run"]): Promise<void> {
    const since = startedAt === undefined ? "" : ` It has run for ${durationText(Date.now() - startedAt)}.`;
    const sure = await confirmDialog({
      title: "Stop this run?",
      text: `What it wrote and did is kept; what waits for you is withdrawn.${since}`,
      yes: "Stop it",
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.request("chat.abort", { runId }));
    await this.#loader.load();
  }

  /** The conversation as it was before this run, with the same message to be sent anew. */
  async #branch({ sessionKey, runId }: RunFacts["run"]): Promise<void> {
    const { link } = this.app;
    const made = await this.app.attempt(async () => {
      const { messages } = await link.request("sessions.get", { sessionKey });
      const message = messages.find((each) => each.runId === runId && each.role === "user")?.content ?? "";
      const fork = await link.request("sessions.fork", { sessionKey, runId, include: false });
      if (message !== "") await link.request("chat.send", { sessionKey: fork.sessionKey, message });
      return fork;
    });
    if (made) this.app.router.go(`/c/${encodeURIComponent(made.sessionKey)}`);
  }
}

customElements.define("elwood-run-view", RunView);
