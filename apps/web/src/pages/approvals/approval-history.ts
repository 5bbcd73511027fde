import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { APPROVAL_WORDS, RISK_WORDS } from "@elwood/core/state-words";
import { AppElement } from "../../app/app-element.ts";
import { riskOf } from "../../parts/approval/decision.ts";
import { deciderName } from "../../parts/format.ts";
import { loadedView, stateBadge, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";

const LISTED_MAX = 100;

interface Filter {
  readonly status: string;
  readonly risk: string;
  readonly tool: string;
  readonly surface: string;
}

/** What was decided, by whom and where; the newest first. */
export class ApprovalHistory extends AppElement {
  static override properties: PropertyDeclarations = { filter: { state: true } };
  declare filter: Filter;
  readonly #loader = new Loader(this, () => this.#fetch());

  constructor() {
    super();
    this.filter = { status: "", risk: "", tool: "", surface: "" };
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      this.app.waiting.all.subscribe(() => void this.#loader.load()),
    ];
  }

  async #fetch(): Promise<readonly WireApproval[]> {
    const { approvals } = await this.app.link.request("approvals.list", { limit: LISTED_MAX });
    return approvals
      .filter((each) => each.decided.status !== "pending")
      .toSorted((a, b) => b.createdAt - a.createdAt);
  }

  protected override render(): unknown {
    return loadedView(this.#loader.now, {
      isEmpty: (all) => all.length === 0,
      empty: { icon: "clock", title: "Nothing was decided yet." },
      view: (all) => html`${this.#filters(all)} ${this.#table(all)}`,
      retry: () => void this.#loader.load(),
    });
  }

  #filters(all: readonly WireApproval[]): TemplateResult {
    const of = (values: readonly string[]) => [...new Set(values)].toSorted();
    return html`<form class="filters" @submit=${(event: Event) => event.preventDefault()}>
      ${this.#select("status", "Outcome", of(all.map((each) => each.decided.status)))}
      ${this.#select("risk", "Risk", of(all.map(riskOf)))}
      ${this.#select("tool", "Tool", of(all.map((each) => each.toolName)))}
      ${this.#select("surface", "Decided on", of(all.map(surfaceOf)))}
    </form>`;
  }

  #select(name: keyof Filter, label: string, values: readonly string[]): TemplateResult {
    return html`<label
      >${label}
      <select
        @change=${(event: Event) => {
          if (event.target instanceof HTMLSelectElement)
            this.filter = { ...this.filter, [name]: event.target.value };
        }}
      >
        <option value="">all</option>
        ${values.map(
          (value) => html`<option value=${value} ?selected=${value === this.filter[name]}>${value}</option>`,
        )}
      </select>
    </label>`;
  }

  #table(all: readonly WireApproval[]): TemplateResult {
    const { status, risk, tool, surface } = this.filter;
    const shown = all.filter(
      (each) =>
        (status === "" || each.decided.status === status) &&
        (risk === "" || riskOf(each) === risk) &&
        (tool === "" || each.toolName === tool) &&
        (surface === "" || surfaceOf(each) === surface),
    );
    if (shown.length === 0) return html`<p class="hint">None of the last ${all.length} fits.</p>`;
    return html`<div class="table-scroll">
        <table class="table stacks">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Outcome</th>
              <th scope="col">Risk</th>
              <th scope="col">By</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            ${shown.map(
              (each) =>
                html`<tr>
                  <td>
                    <a href="/approvals/${encodeURIComponent(each.approvalId)}">${each.summary}</a>
                    <div class="hint"><code>${each.toolName}</code></div>
                  </td>
                  <td>${stateBadge(APPROVAL_WORDS, each.decided.status)}</td>
                  <td>${each.kind === "approval" ? stateBadge(RISK_WORDS, riskOf(each)) : nothing}</td>
                  <td>${surfaceOf(each)}</td>
                  <td>${timeAgo(each.decided.at ?? each.createdAt)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${
        all.length >= LISTED_MAX
          ? html`<p class="hint">
              The last ${LISTED_MAX} are shown. <a href="/receipts">Receipts</a> hold them all.
            </p>`
          : nothing
      }`;
  }
}

function surfaceOf({ decided: { by } }: WireApproval): string {
  if (by?.kind === "owner") return `${deciderName(by.id)}, ${by.surface}`;
  if (by?.kind === "expiry") return "nobody in time";
  return by?.kind ?? "nobody";
}

customElements.define("elwood-approval-history", ApprovalHistory);
