import { stateText, surfaceText } from "../../words/states.ts";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { MethodParams } from "@elwood/core/protocol/methods";
import { APPROVAL_WORDS, RISK_WORDS, type StateWord } from "@elwood/core/base/state-words";
import { AppElement } from "../../app/app-element.ts";
import { outcomeLine, riskOf } from "../../parts/approval/decision.ts";
import { textIn } from "../../parts/form-text.ts";
import { deciderName } from "../../parts/format.ts";
import { loadedView, stateBadge, timeAgo } from "../../parts/small.ts";
import { PageLoader } from "../../state/page-loader.ts";
import { say } from "../../words/en/approvals.ts";
import "../../parts/row-window.ts";

const PAGE_APPROVALS = 100;
/** Where an owner decides; others appear once something was decided there. */
const SURFACES = ["cli", "web"];

type Filter = Pick<MethodParams<"approvals.list">, "status" | "risk" | "toolId" | "surface">;

/** What was decided, by whom and where; the newest first. */
export class ApprovalHistory extends AppElement {
  static override properties: PropertyDeclarations = { filter: { state: true } };
  declare filter: Filter;
  readonly #loader = new PageLoader<WireApproval>(
    this,
    async (before) => {
      for (let from = before; ;) {
        const { approvals, next } = await this.app.link.call("approvals.list", {
          ...this.filter,
          limit: PAGE_APPROVALS,
          ...(from === undefined ? {} : { before: from }),
        });
        const rows = approvals.filter((each) => each.decided.status !== "pending");
        if (rows.length > 0 || next === undefined) return { rows, next };
        from = next; // all of a page waits: each page is older, so this ends
      }
    },
    ({ approvalId }) => approvalId,
  );

  constructor() {
    super();
    this.filter = {};
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.refresh(this.app)),
      this.app.waiting.all.subscribe(() => void this.#loader.refresh(this.app)),
    ];
  }

  protected override render(): unknown {
    const all = Object.keys(this.filter).length === 0;
    return html`${this.#filters()}
    ${loadedView(this.#loader.now, {
      isEmpty: ({ rows }) => rows.length === 0,
      empty: { icon: "clock", title: all ? say.nothingWasDecidedYet : say.nothingThatWasDecidedFits },
      view: ({ rows }) =>
        html`<elwood-row-window
          class="history-list"
          label=${say.decisions}
          .rows=${rows}
          .rowHeight=${60}
          .row=${historyRow}
          @more=${() => void this.#loader.more(this.app)}
        ></elwood-row-window>`,
      retry: () => void this.#loader.load(),
    })}`;
  }

  #filters(): TemplateResult {
    const rows = this.#loader.value?.rows ?? [];
    const seen = (values: readonly (string | undefined)[]) =>
      [...new Set(values)].filter((each) => each !== undefined).toSorted();
    const surfaces = seen([...SURFACES, this.filter.surface, ...rows.map(ownSurface)]);
    const { pending: _, ...outcomes } = APPROVAL_WORDS;
    return html`<form
      class="filters"
      @submit=${(event: Event) => event.preventDefault()}
      @change=${(event: Event) => this.#filtered(event)}
    >
      ${choice("status", say.outcome, wordsOf(outcomes))} ${choice("risk", say.risk, wordsOf(RISK_WORDS))}
      <label
        >${say.tool}
        <input name="toolId" type="text" list="decided-tools" placeholder=${say.anyTool} />
      </label>
      <datalist id="decided-tools">
        ${seen(rows.map(({ toolName }) => toolName)).map((tool) => html`<option value=${tool}></option>`)}
      </datalist>
      ${choice(
        "surface",
        say.decidedOn,
        surfaces.map((each) => [each, surfaceText(each)]),
      )}
    </form>`;
  }

  #filtered(event: Event): void {
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const wanted = ["status", "risk", "toolId", "surface"].map((name) => [name, textIn(data, name)] as const);
    // Of the form's own options.
    this.filter = Object.fromEntries(wanted.filter(([, text]) => text !== ""));
    void this.#loader.again();
  }
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
): TemplateResult {
  return html`<label
    >${label}
    <select name=${name}>
      <option value="">${say.all}</option>
      ${options.map(([value, word]) => html`<option value=${value}>${word}</option>`)}
    </select>
  </label>`;
}

function wordsOf(table: Readonly<Record<string, StateWord>>): (readonly [string, string])[] {
  return Object.entries(table).map(([state, { word }]) => [state, stateText(word)]);
}

function historyRow(each: WireApproval): TemplateResult {
  return html`<a class="history-row" href="/approvals/${encodeURIComponent(each.approvalId)}">
    <span class="history-what"><span title=${each.toolName}>${outcomeLine(each).words}</span></span>
    <span>${stateBadge(HISTORY_WORDS, outcomeState(each))}</span>
    <span class="history-risk"
      >${each.kind === "approval" ? stateBadge(RISK_WORDS, riskOf(each)) : nothing}</span
    >
    <span class="history-by hint">${deciderText(each)}</span>
    <span class="history-when">${timeAgo(each.decided.at ?? each.createdAt)}</span>
  </a>`;
}

/** What the owner changed before they allowed it is not what was asked for, and what they took back no longer holds. */
const HISTORY_WORDS = {
  ...APPROVAL_WORDS,
  answered: {
    ...APPROVAL_WORDS.approved,
    word: "answered",
  },
  edited: {
    ...APPROVAL_WORDS.approved,
    word: "edited",
  },
  undone: {
    ...APPROVAL_WORDS.approved,
    word: "undone",
    tone: "info",
    icon: "undo",
  },
} as const;

function outcomeState({ decided, editedInput, call }: WireApproval): string {
  if (call?.undoneAt !== undefined) return "undone";
  return decided.status === "approved" && editedInput !== undefined ? "edited" : decided.status;
}

function ownSurface({ decided: { by } }: WireApproval): string | undefined {
  return by?.kind === "owner" ? by.surface : undefined;
}

function deciderText({ decided: { by } }: WireApproval): string {
  if (by?.kind === "owner") return `${deciderName(by.id)}, ${surfaceText(by.surface)}`;
  if (by?.kind === "expiry") return say.nobodyInTime;
  return by?.kind ?? say.nobody;
}

customElements.define("elwood-approval-history", ApprovalHistory);
