import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { GrantConstraint } from "@elwood/core/policy/grant";
import type { EventName } from "@elwood/core/protocol/events";
import type { WireGrant } from "@elwood/core/protocol/approval-shapes";
import type { WirePlannedCall, WireRehearsal } from "@elwood/core/protocol/job-shapes";
import { isEnded } from "@elwood/core/message/session";
import { AppElement } from "../../app/app-element.ts";
import {
  bodyView,
  CARD_ICONS,
  detailsView,
  effectsView,
  fieldsView,
} from "../../parts/approval/card-view.ts";
import { countText, dateText, untilText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/jobs.ts";
import { fillIn } from "../../words/fill.ts";
import "../../parts/approval/approval.css";

interface Loaded {
  readonly grants: readonly WireGrant[];
  readonly rehearsal: WireRehearsal | undefined;
}

/** How far the permission for a ticked call goes. */
interface Tick {
  readonly constraint: GrantConstraint;
  readonly perRun: number;
  readonly days: number;
}

const CHANGES = new Set<EventName>([
  "session.changed",
  "chat.final",
  "chat.error",
  "exec.approval_request",
  "exec.approval_resolved",
]);
const PER_RUN_MAX = 100;
const DAYS: readonly (readonly [days: number, words: keyof typeof say])[] = [
  [1, "forADay"],
  [7, "forAWeek"],
  [30, "for30Days"],
  [90, "for90Days"],
  [365, "forAYear"],
];

/** What a job may do without asking, and a rehearsal out of which the owner allows more. */
export class JobPermissions extends AppElement {
  static override properties: PropertyDeclarations = {
    name: {},
    ticks: { state: true },
    open: { state: true },
    busy: { state: true },
  };
  declare name: string;
  /** What is ticked, by the id of the planned call. */
  declare ticks: ReadonlyMap<string, Tick>;
  /** Cards whose details are shown. */
  declare open: ReadonlySet<string>;
  declare busy: boolean;
  readonly #loader = new Loader<Loaded>(this, async () => {
    const { name } = this;
    const [{ grants }, { rehearsal }] = await Promise.all([
      this.app.link.call("jobs.grants", { name }),
      this.app.link.call("jobs.rehearsal", { name }),
    ]);
    return { grants, rehearsal };
  });
  #shown: string | undefined;

  constructor() {
    super();
    this.ticks = new Map();
    this.open = new Set();
    this.busy = false;
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      this.app.link.onPush(({ event }) => {
        if (CHANGES.has(event)) void this.#loader.load();
      }),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.name === this.#shown) return;
    this.#shown = this.name;
    this.ticks = new Map();
    this.#loader.clear();
    if (this.app.link.hello.value) void this.#loader.load();
  }

  protected override render(): unknown {
    return html`<section class="job-permissions" aria-labelledby="job-may">
      <h2 id="job-may">${say.whatItMayDoWithoutAsking}</h2>
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "key", title: say.noPermissions },
        view: (loaded) => this.#whole(loaded),
        retry: () => void this.#loader.load(),
      })}
    </section>`;
  }

  #whole({ grants, rehearsal }: Loaded): TemplateResult {
    const running = rehearsal !== undefined && !isEnded(rehearsal.status);
    return html`<p class="hint">${say.itMayReadEverythingElseWaits}</p>
      ${
        grants.length === 0
          ? nothing
          : html`<ul class="job-grants">
              ${grants.map((grant) => this.#grant(grant))}
            </ul>`
      }
      ${
        this.app.link.may("approve")
          ? html`<p class="job-rehearse">
              <button type="button" ?disabled=${running || this.busy} @click=${() => void this.#rehearse()}>
                ${icon("play", 16)}${rehearsal ? say.rehearseAgain : say.rehearse}
              </button>
              <span class="hint">${say.runsNowWithRealReadsEverything}</span>
            </p>`
          : nothing
      }
      ${rehearsal ? this.#rehearsal(rehearsal, running) : nothing}`;
  }

  #grant(grant: WireGrant): TemplateResult {
    const { words, uses, expiresAt, problem, createdAt } = grant;
    return html`<li class="job-grant">
      <div>
        <p class=${problem === undefined ? "" : "job-grant-void"}>${words}</p>
        <p class="hint job-facts">
          <span>${fillIn(say.given, timeAgo(createdAt))}</span>
          <span>${fillIn(say.used, countText(uses, say.time, say.times))}</span>
          ${
            expiresAt === undefined
              ? html`<span>${say.untilYouRevokeIt}</span>`
              : html`<span title=${dateText(expiresAt)}
                  >${fillIn(say.ends, untilText(expiresAt, this.app.link.now()))}</span
                >`
          }
        </p>
        ${problem === undefined ? nothing : html`<p class="line warn">${problem}</p>`}
      </div>
      ${
        this.app.link.may("approve")
          ? html`<button type="button" @click=${() => void this.#revoke(grant)}>${say.revoke}</button>`
          : nothing
      }
    </li>`;
  }

  #rehearsal(rehearsal: WireRehearsal, running: boolean): TemplateResult {
    const { startedAt, calls, gaps, reads, problem, outdated, sessionKey } = rehearsal;
    const conversation = html`<a href="/c/${encodeURIComponent(sessionKey)}">${say.conversation}</a>`;
    return html`<h3>${say.rehearsal}</h3>
      <p class="hint" role="status">
        ${
          running
            ? html`${fillIn(say.rehearsing, conversation)}`
            : html`${fillIn(say.rehearsedMadeNothingChanged, timeAgo(startedAt), countText(reads, say.read, say.reads), conversation)}`
        }
      </p>
      ${problem === undefined ? nothing : html`<p class="line bad">${fillIn(say.itDidNotComeToIts, problem)}</p>`}
      ${outdated === undefined ? nothing : html`<p class="line warn">${outdated}</p>`}
      ${gaps.map((gap) => html`<p class="line warn">${gap}</p>`)}
      ${
        calls.length === 0 && !running && problem === undefined
          ? html`<p class="line ok">${say.itWouldChangeNothingAndAsk}</p>`
          : nothing
      }
      <ol class="planned-calls">
        ${calls.map((call) => html`<li>${this.#card(call, outdated === undefined)}</li>`)}
      </ol>
      ${this.#allowing(rehearsal)}`;
  }

  /** The card that the owner would be asked with; in place of its buttons stands what can be allowed ahead. */
  #card(call: WirePlannedCall, fits: boolean): TemplateResult {
    const { plannedId, card, unasked, never, constraints } = call;
    const isOpen = this.open.has(plannedId);
    return html`<section
      class="approval"
      role="group"
      aria-labelledby="planned-${plannedId}"
      data-from="gateway"
      data-risk=${card.destructive ? "destructive" : nothing}
    >
      <header class="approval-head">
        <span class="approval-kind">${icon(CARD_ICONS[card.icon], 18)}</span>
        <div class="approval-name">
          <h4 id="planned-${plannedId}" class="card-title">${card.title}</h4>
          ${card.note === undefined ? nothing : html`<p class="hint">${card.note}</p>`}
        </div>
        <button
          type="button"
          class="quiet approval-more"
          aria-expanded=${isOpen ? "true" : "false"}
          @click=${() => this.#toggle(plannedId)}
        >
          <span>${say.details}</span>${icon(isOpen ? "higher" : "down", 14)}
        </button>
      </header>
      <div class="approval-body">
        ${bodyView(card.body)} ${fieldsView(card.fields)} ${effectsView(card.effects)}
      </div>
      ${isOpen ? detailsView(card, { expires: false }) : nothing}
      <div class="approval-foot">
        ${
          unasked
            ? html`<p class="hint">${fillIn(say.runsWithoutAsking, card.why)}</p>`
            : never !== undefined
              ? html`<p class="hint">${never}</p>`
              : constraints.length > 0 && fits && this.app.link.may("approve")
                ? this.#ticking(call)
                : html`<p class="hint">${card.why}</p>`
        }
      </div>
    </section>`;
  }

  #ticking({ plannedId, card, constraints }: WirePlannedCall): TemplateResult {
    const tick = this.ticks.get(plannedId);
    const covered = constraints.find(({ constraint }) => constraint === tick?.constraint)?.words;
    const change = (more: Partial<Tick>) =>
      tick && (this.ticks = new Map(this.ticks).set(plannedId, { ...tick, ...more }));
    return html`<div class="planned-tick">
      <label class="planned-allow">
        <input
          type="checkbox"
          .checked=${tick !== undefined}
          @change=${() => this.#tick(plannedId, constraints[0]?.constraint ?? "exact")}
        />${say.allowInRunsOfThisJob}
      </label>
      ${
        tick === undefined
          ? html`<span class="hint">${card.why}</span>`
          : html`<div class="planned-bounds">
                <select
                  aria-label=${say.whatItCovers}
                  @change=${(event: Event) => change({ constraint: chosen(event, constraints) })}
                >
                  ${constraints.map(
                    ({ constraint }) =>
                      html`<option value=${constraint} ?selected=${constraint === tick.constraint}>
                        ${WORDS[constraint]}
                      </option>`,
                  )}
                </select>
                <label>
                  <input
                    type="number"
                    min="1"
                    max=${PER_RUN_MAX}
                    step="1"
                    aria-label=${say.timesARun}
                    .value=${String(tick.perRun)}
                    @change=${(event: Event) => change({ perRun: numberIn(event, PER_RUN_MAX) })}
                  />
                  ${tick.perRun === 1 ? say.timeARun : say.timesARun2}
                </label>
                <select
                  aria-label=${say.forHowLong}
                  @change=${(event: Event) => change({ days: numberIn(event, 365) })}
                >
                  ${DAYS.map(
                    ([days, words]) =>
                      html`<option value=${days} ?selected=${days === tick.days}>${say[words]}</option>`,
                  )}
                </select>
              </div>
              <p class="hint">${fillIn(say.thenItMayWithoutAsking, covered)}</p>`
      }
    </div>`;
  }

  #allowing({ runId, calls, outdated }: WireRehearsal): unknown {
    const ticked = calls.flatMap(({ plannedId }) => {
      const tick = this.ticks.get(plannedId);
      return tick ? [{ plannedId, ...tick }] : [];
    });
    if (ticked.length === 0 || outdated !== undefined) return nothing;
    return html`<p class="planned-give">
      <button
        type="button"
        class="primary"
        ?disabled=${this.busy}
        @click=${() => void this.#give(runId, ticked)}
      >
        ${fillIn(say.allowInRunsOfThisJob2, countText(ticked.length, say.call, say.calls))}
      </button>
    </p>`;
  }

  #tick(plannedId: string, constraint: GrantConstraint): void {
    const ticks = new Map(this.ticks);
    if (!ticks.delete(plannedId)) ticks.set(plannedId, { constraint, perRun: 1, days: 30 });
    this.ticks = ticks;
  }

  #toggle(plannedId: string): void {
    const open = new Set(this.open);
    if (!open.delete(plannedId)) open.add(plannedId);
    this.open = open;
  }

  async #rehearse(): Promise<void> {
    this.ticks = new Map();
    await this.#doing(() => this.app.link.call("jobs.rehearse", { name: this.name }));
  }

  async #give(runId: string, calls: readonly (Tick & { readonly plannedId: string })[]): Promise<void> {
    const { name } = this;
    const given = await this.#doing(() =>
      this.app.link.call("jobs.grant", { name, runId, calls: [...calls] }),
    );
    if (!given) return;
    this.ticks = new Map();
    this.app.toasts.show(say.allowedInRunsOfThisJob);
  }

  async #revoke({ grantId }: WireGrant): Promise<void> {
    if (await this.#doing(() => this.app.link.call("grants.revoke", { grantId })))
      this.app.toasts.show(say.revokedSuchCallsAskAgain);
  }

  async #doing(work: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    const done = await this.app.attempt(work);
    await this.#loader.load();
    this.busy = false;
    return Boolean(done);
  }
}

const WORDS: Readonly<Record<GrantConstraint, string>> = {
  get exact() {
    return say.onlyThis;
  },
  get folder() {
    return say.itsFolder;
  },
  get host() {
    return say.itsHost;
  },
};

function chosen({ target }: Event, constraints: WirePlannedCall["constraints"]): GrantConstraint {
  const value = target instanceof HTMLSelectElement ? target.value : "";
  return constraints.find(({ constraint }) => constraint === value)?.constraint ?? "exact";
}

/** What was written, held within what can be asked for. */
function numberIn({ target }: Event, max: number): number {
  const written =
    target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? Number(target.value) : 1;
  return Math.min(max, Math.max(1, Math.trunc(written) || 1));
}

customElements.define("elwood-job-permissions", JobPermissions);
