import { showLine } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { EventName } from "@elwood/core/protocol/events";
import type { WireJob, WireOccurrence } from "@elwood/core/protocol/job-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { PageElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { countText, dateText, untilText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, pageHead, stateBadge, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import "./job-form.ts";
import "./job-permissions.ts";
import { DELIVERIES, JOB_STATES, KINDS, outcomeOf, OUTCOMES, SOURCES } from "./job-words.ts";
import { say } from "../../words/en/jobs.ts";
import { fill, fillIn } from "../../words/fill.ts";
import { gatewayText } from "../../words/gateway.ts";
import "./jobs.css";

type Shown = MethodResult<"jobs.get">;

/** What may have changed a job: its run, or a decision that its run waited for. */
const CHANGES = new Set<EventName>(["session.changed", "exec.approval_request", "exec.approval_resolved"]);

const HISTORY_ROWS = 50;

/** What Elwood does by itself: the heartbeat, jobs and reminders, when they come next and what became of them. */
export class JobsPage extends PageElement {
  static override properties: PropertyDeclarations = { adding: { state: true } };
  declare adding: boolean;
  readonly #list = new Loader<readonly WireJob[]>(
    this,
    async () => (await this.app.link.call("jobs.list", {})).jobs,
  );
  readonly #one = new Loader<Shown>(this, async () => {
    const name = this.params["job"] ?? "";
    const [{ job }, { occurrences }] = await Promise.all([
      this.app.link.call("jobs.get", { name }),
      this.app.link.call("jobs.history", { name, limit: HISTORY_ROWS }),
    ]);
    return { job, history: occurrences };
  });
  #shown: string | undefined;

  constructor() {
    super();
    this.adding = false;
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#load()),
      this.app.link.onPush(({ event }) => {
        if (CHANGES.has(event)) void this.#load();
      }),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const job = this.params["job"];
    if (job === this.#shown) return;
    this.#shown = job;
    this.#one.clear();
    if (this.app.link.hello.value) void this.#load();
  }

  async #load(): Promise<void> {
    await (this.params["job"] === undefined ? this.#list : this.#one).load();
  }

  protected override render(): unknown {
    if (this.params["job"] !== undefined) return this.#detail();
    const may = this.app.link.may("approve");
    return html`<div class="page-body">
      ${pageHead(
        say.jobs,
        say.remindersAndTasksThatRunOn,
        may && !this.adding
          ? html`<button type="button" class="primary" @click=${() => (this.adding = true)}>
              ${icon("plus", 16)}${say.newJob}
            </button>`
          : nothing,
      )}
      ${
        this.adding
          ? html`<elwood-job-form
              .app=${this.app}
              @elwood-form-closed=${() => {
                this.adding = false;
                void this.#list.load();
              }}
            ></elwood-job-form>`
          : nothing
      }
      ${loadedView(this.#list.now, {
        isEmpty: (jobs) => jobs.length === 0,
        empty: {
          icon: "clock",
          title: say.thereIsNoJob,
          text: say.sayRemindMeTomorrowAt9,
        },
        view: (jobs) =>
          html`<ul class="jobs">
            ${jobs.map((job) => this.#row(job))}
          </ul>`,
        retry: () => void this.#list.load(),
      })}
    </div>`;
  }

  #row(job: WireJob): TemplateResult {
    const { name, status, schedule, next, last, message, grants } = job;
    const now = this.app.link.now();
    const [first] = next;
    return html`<li class="job">
      <div class="job-words">
        <p>
          <a href=${pathOf(name)}><strong>${showLine(name)}</strong></a>
          ${stateBadge(JOB_STATES, status)}
          <span class="hint">${whenText(job)}</span>
        </p>
        ${message === "" || message === name ? nothing : html`<p class="job-message cut">${showLine(message)}</p>`}
        <p class="hint job-facts">
          ${
            first === undefined
              ? nothing
              : html`<span title=${dateText(first.at)}
                  >${schedule.kind === "at" ? untilText(first.at, now) : fill(say.next, gatewayText(first.local), untilText(first.at, now))}</span
                >`
          }
          ${last !== undefined ? this.#outcome(last) : schedule.kind === "at" ? nothing : html`<span>${say.hasNotRunYet}</span>`}
          ${grants === undefined || grants.count === 0 ? nothing : html`<span>${fillIn(say.mayDoWithoutAsking, countText(grants.count, say.thing, say.things))}</span>`}
        </p>
        ${(grants?.problems ?? []).map((problem) => html`<p class="line warn">${problem}</p>`)}
      </div>
      ${this.#buttons(job)}
    </li>`;
  }

  #outcome(last: WireOccurrence): TemplateResult {
    const delivery = DELIVERIES[last.delivery];
    return html`<span>${fillIn(say.last, timeAgo(last.at))} ${stateBadge(OUTCOMES, outcomeOf(last))}</span>
      ${delivery === "" ? nothing : html`<span>${delivery}</span>`}`;
  }

  #buttons(job: WireJob): unknown {
    if (!this.app.link.may("approve")) return nothing;
    const { name, status } = job;
    const change = async (method: "jobs.pause" | "jobs.resume" | "jobs.run") => {
      const done = await this.app.attempt(() => this.app.link.call(method, { name }));
      if (done && method === "jobs.run") this.app.toasts.show(fill(say.wasBegun, showLine(name)));
      await this.#load();
    };
    return html`<div class="job-buttons">
      <button type="button" @click=${() => void change("jobs.run")}>${icon("play", 16)}${say.runNow}</button>
      ${
        status === "active"
          ? html`<button type="button" @click=${() => void change("jobs.pause")}>${say.pause}</button>`
          : status === "paused"
            ? html`<button type="button" @click=${() => void change("jobs.resume")}>${say.resume}</button>`
            : nothing
      }
    </div>`;
  }

  #detail(): TemplateResult {
    return html`<div class="page-body">
      <p><a href="/jobs">${icon("left", 16)}${say.allJobs}</a></p>
      ${loadedView(this.#one.now, {
        isEmpty: () => false,
        empty: { icon: "clock", title: say.thereIsNoSuchJob },
        view: (shown) => this.#whole(shown),
        retry: () => void this.#one.load(),
      })}
    </div>`;
  }

  #whole({ job, history }: Shown): TemplateResult {
    const { name, kind, status, source, schedule, message, target, isolated, catchUp, overlap, next } = job;
    const removable = source !== "config" && kind !== "heartbeat" && this.app.link.may("approve");
    return html`${pageHead(showLine(name), whenText(job), this.#buttons(job))}
      <dl class="facts">
        ${fact(say.state, stateBadge(JOB_STATES, status))} ${fact(say.from, SOURCES[source])}
        ${fact(say.goesTo, target)}
        ${kind === "reminder" ? nothing : fact(say.session, isolated ? say.aNewOneForEachRun : say.oneThatGoesOn)}
        ${fact(say.afterDowntime, catchUp === "once" ? say.oneRunForAllThatWas : say.missedTimesAreSkipped)}
        ${fact(say.whileItStillRuns, overlap === "queue" ? say.theNextOneWaits : say.theNextOneIsSkipped)}
      </dl>
      ${
        schedule.kind === "cron"
          ? html`<details class="raw">
              <summary>${say.details}</summary>
              <dl class="facts">${fact(say.cron, html`<code>${schedule.expression}</code>`)}</dl>
            </details>`
          : nothing
      }
      ${
        message === ""
          ? html`<p class="hint">${say.itsWordsAreInHeartbeatMd}</p>`
          : html`<h2>${kind === "reminder" ? say.text : say.message}</h2>
              <p class="job-whole">${message}</p>`
      }
      ${
        kind === "reminder"
          ? nothing
          : html`<elwood-job-permissions .app=${this.app} .name=${name}></elwood-job-permissions>`
      }
      <h2>${say.nextTimes}</h2>
      ${
        next.length === 0
          ? html`<p class="hint">${say.none}</p>`
          : html`<ol class="job-next">
              ${next.map(
                ({ at, local, there }) =>
                  html`<li>
                    <time datetime=${new Date(at).toISOString()}>${gatewayText(local)}</time>
                    ${there === undefined ? nothing : html`<span class="hint">${fillIn(say.there, there)}</span>`}
                  </li>`,
              )}
            </ol>`
      }
      <h2>${say.history}</h2>
      ${history.length === 0 ? html`<p class="hint">${say.itHasNotRunYet}</p>` : historyTable(history)}
      ${
        removable
          ? html`<p class="settings-buttons">
              <button type="button" class="danger" @click=${() => void this.#remove(name)}>
                ${icon("trash", 16)}${say.removeThisJob}
              </button>
            </p>`
          : source === "config"
            ? html`<p class="hint">${say.itIsSetInConfigYaml}</p>`
            : nothing
      }`;
  }

  async #remove(name: string): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.remove, showLine(name)),
      text: say.itDoesNotComeAgainAnd,
      yes: say.removeIt,
      danger: true,
    });
    if (!sure) return;
    if (await this.app.attempt(() => this.app.link.call("jobs.delete", { name })))
      this.app.router.go("/jobs");
  }
}

/** What kind of job it is, and when it runs. The heartbeat's name says the first. */
function whenText({ kind, when }: WireJob): string {
  return kind === "heartbeat" ? gatewayText(when) : `${KINDS[kind]}, ${gatewayText(when)}`;
}

function pathOf(name: string): string {
  return `/jobs/${encodeURIComponent(name)}`;
}

function fact(name: string, value: unknown): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** Whether it ran and whether its reply arrived are two things. */
function historyTable(history: readonly WireOccurrence[]): TemplateResult {
  return html`<div class="table-scroll">
    <table class="table stacks">
      <thead>
        <tr>
          <th scope="col">${say.due}</th>
          <th scope="col">${say.run}</th>
          <th scope="col">${say.delivery}</th>
          <th scope="col"><span class="unseen">${say.more}</span></th>
        </tr>
      </thead>
      <tbody>
        ${history.map(
          (each) =>
            html`<tr>
              <td>
                <time datetime=${new Date(each.dueAt).toISOString()}>${dateText(each.dueAt)}</time>
                ${each.trigger === "schedule" ? nothing : html`<span class="hint">${say[TRIGGERS[each.trigger]]}</span>`}
              </td>
              <td>
                ${stateBadge(OUTCOMES, outcomeOf(each))}
                ${each.count === undefined ? nothing : html`<span class="hint">${fillIn(say.forTimes, each.count)}</span>`}
                ${each.reason === undefined ? nothing : html`<span class="hint">${each.reason}</span>`}
              </td>
              <td>
                ${DELIVERIES[each.delivery] === "" ? "–" : DELIVERIES[each.delivery]}
                ${each.deliveryProblem === undefined ? nothing : html`<span class="hint">${each.deliveryProblem}</span>`}
              </td>
              <td>
                ${each.runId === undefined ? nothing : html`<a href="/runs/${each.runId}">${say.run}</a>`}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

const TRIGGERS = {
  "catch-up": "caughtUp",
  manual: "byHand",
} as const satisfies Record<string, keyof typeof say>;

customElements.define("elwood-jobs-page", JobsPage);
