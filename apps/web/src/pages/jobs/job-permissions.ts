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
const DAYS: readonly (readonly [days: number, words: string])[] = [
  [1, "for a day"],
  [7, "for a week"],
  [30, "for 30 days"],
  [90, "for 90 days"],
  [365, "for a year"],
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
      <h2 id="job-may">What it may do without asking</h2>
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "key", title: "No permissions." },
        view: (loaded) => this.#whole(loaded),
        retry: () => void this.#loader.load(),
      })}
    </section>`;
  }

  #whole({ grants, rehearsal }: Loaded): TemplateResult {
    const running = rehearsal !== undefined && !isEnded(rehearsal.status);
    return html`<p class="hint">
        It may read. Everything else waits for your approval, unless you allow it here for this job.
      </p>
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
                ${icon("play", 16)}${rehearsal ? "Rehearse again" : "Rehearse"}
              </button>
              <span class="hint">Runs now with real reads. Everything else is listed, and not done.</span>
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
          <span>given ${timeAgo(createdAt)}</span>
          <span>used ${countText(uses, "time")}</span>
          ${
            expiresAt === undefined
              ? html`<span>until you revoke it</span>`
              : html`<span title=${dateText(expiresAt)}
                  >ends ${untilText(expiresAt, this.app.link.now())}</span
                >`
          }
        </p>
        ${problem === undefined ? nothing : html`<p class="line warn">${problem}</p>`}
      </div>
      ${
        this.app.link.may("approve")
          ? html`<button type="button" @click=${() => void this.#revoke(grant)}>Revoke</button>`
          : nothing
      }
    </li>`;
  }

  #rehearsal(rehearsal: WireRehearsal, running: boolean): TemplateResult {
    const { startedAt, calls, gaps, reads, problem, outdated, sessionKey } = rehearsal;
    const conversation = html`<a href="/c/${encodeURIComponent(sessionKey)}">conversation</a>`;
    return html`<h3>Rehearsal</h3>
      <p class="hint" role="status">
        ${
          running
            ? html`Rehearsing. ${conversation}`
            : html`Rehearsed ${timeAgo(startedAt)}: ${countText(reads, "read")} made, nothing changed.
              ${conversation}`
        }
      </p>
      ${problem === undefined ? nothing : html`<p class="line bad">It did not come to its end: ${problem}</p>`}
      ${outdated === undefined ? nothing : html`<p class="line warn">${outdated}</p>`}
      ${gaps.map((gap) => html`<p class="line warn">${gap}</p>`)}
      ${
        calls.length === 0 && !running && problem === undefined
          ? html`<p class="line ok">It would change nothing and ask for nothing.</p>`
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
          <span>Details</span>${icon(isOpen ? "higher" : "down", 14)}
        </button>
      </header>
      <div class="approval-body">
        ${bodyView(card.body)} ${fieldsView(card.fields)} ${effectsView(card.effects)}
      </div>
      ${isOpen ? detailsView(card, { expires: false }) : nothing}
      <div class="approval-foot">
        ${
          unasked
            ? html`<p class="hint">Runs without asking. ${card.why}</p>`
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
        />Allow in runs of this job
      </label>
      ${
        tick === undefined
          ? html`<span class="hint">${card.why}</span>`
          : html`<div class="planned-bounds">
                <select
                  aria-label="What it covers"
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
                    aria-label="Times a run"
                    .value=${String(tick.perRun)}
                    @change=${(event: Event) => change({ perRun: numberIn(event, PER_RUN_MAX) })}
                  />
                  ${tick.perRun === 1 ? "time a run" : "times a run"}
                </label>
                <select
                  aria-label="For how long"
                  @change=${(event: Event) => change({ days: numberIn(event, 365) })}
                >
                  ${DAYS.map(
                    ([days, words]) =>
                      html`<option value=${days} ?selected=${days === tick.days}>${words}</option>`,
                  )}
                </select>
              </div>
              <p class="hint">Then it may, without asking: ${covered}.</p>`
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
        Allow ${countText(ticked.length, "call")} in runs of this job
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
    this.app.toasts.show("Allowed in runs of this job, until it ends or you revoke it.");
  }

  async #revoke({ grantId }: WireGrant): Promise<void> {
    if (await this.#doing(() => this.app.link.call("grants.revoke", { grantId })))
      this.app.toasts.show("Revoked. Such calls ask again.");
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
  exact: "Only this",
  folder: "Its folder",
  host: "Its host",
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
