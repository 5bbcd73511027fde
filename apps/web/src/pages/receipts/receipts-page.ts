import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { CALL_WORDS } from "@elwood/core/base/state-words";
import { RECEIPT_TYPES } from "@elwood/core/receipts/receipt";
import type { MethodParams } from "@elwood/core/protocol/methods";
import { PageElement } from "../../app/app-element.ts";
import { countText, dateText, logTimeText, gatewayNow } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, pageHead } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { byCall, withTexts, type Row } from "./by-call.ts";
import { toldReceipt } from "./receipt-words.ts";
import { stateText } from "../../words/states.ts";
import { say } from "../../words/en/receipts.ts";
import "../../parts/row-window.ts";
import "./receipt-view.ts";
import "./verify-panel.ts";
import "./receipts.css";

type Filter = Pick<MethodParams<"receipts.list">, "runId" | "callId" | "toolId" | "status" | "since">;

/** After these there are receipts that were not there before. */
const NEWS: ReadonlySet<string> = new Set([
  "chat.final",
  "chat.error",
  "exec.approval_resolved",
  "call.undone",
]);
const PAGE_RECEIPTS = 200;
const RECEIPTS_MAX = 20_000;
const DAY_MS = 86_400_000;

/**
 * Every page load and command is a login; few want to read them. Asked for, not kept: the script that has the list
 * may be read after this one.
 */
const withoutLogins = () => RECEIPT_TYPES.filter((type) => type !== "auth.accepted");

interface Page {
  readonly receipts: readonly Row[];
  readonly next: number | undefined;
}

/** The log, newest first; every line of it can be opened, and the whole be verified here. */
export class ReceiptsPage extends PageElement {
  static override properties: PropertyDeclarations = { filter: { state: true }, every: { state: true } };
  declare filter: Filter;
  /** One line for each receipt, logins included, instead of one for each call. */
  declare every: boolean;
  readonly #loader = new Loader<Page>(this, () => this.#fetch(undefined));
  #fetching = false;
  /** What the address asks for. */
  #run: string | null | undefined;
  #tool: string | null | undefined;
  #call: string | null | undefined;

  constructor() {
    super();
    this.filter = {};
    this.every = false;
  }

  /** Who looks for something certain is shown all of it. */
  get #grouped(): boolean {
    const { runId, callId, toolId, status } = this.filter;
    return !this.every && [runId, callId, toolId, status].every((each) => each === undefined);
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      this.app.link.onPush(({ event }) => {
        if (NEWS.has(event)) void this.#refresh();
      }),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const [run, tool, call] = ["run", "tool", "call"].map((name) => this.query.get(name));
    if (run !== this.#run || tool !== this.#tool || call !== this.#call) {
      const { runId: _, callId: _call, toolId: typed, ...rest } = this.filter;
      const toolId = tool === this.#tool ? typed : tool;
      this.filter = {
        ...rest,
        ...(run ? { runId: run } : {}),
        ...(call ? { callId: call } : {}),
        ...(toolId ? { toolId } : {}),
      };
      this.#run = run;
      this.#tool = tool;
      this.#call = call;
      if (this.#loader.now.state !== "waiting") void this.#again();
    }
    super.willUpdate(changed);
  }

  protected override render(): unknown {
    const one = this.params["receipt"];
    if (one !== undefined)
      return html`<elwood-receipt-view .app=${this.app} .receiptId=${one}></elwood-receipt-view>`;
    return html`<div class="page-body fill receipts-page">
      ${pageHead(say.receipts, say.aTamperEvidentLogOfEverything, this.#actions())}
      <div class="receipts-top">
        <elwood-verify-panel .app=${this.app} .now=${this.query.has("verify")}></elwood-verify-panel>
        ${this.#filters()}
      </div>
      ${loadedView(this.#loader.now, {
        isEmpty: ({ receipts }) => this.#rows(receipts).length === 0,
        empty: {
          icon: "receipt",
          title: say.noReceiptFits,
          text: say.receiptsAreWrittenAsSoonAs,
        },
        view: ({ receipts }) =>
          html`<elwood-row-window
            class="receipt-list"
            label=${say.receipts}
            .rows=${this.#rows(receipts)}
            .rowHeight=${44}
            .row=${receiptRow}
            @more=${() => void this.#more()}
          ></elwood-row-window>`,
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #rows(receipts: readonly Row[]): readonly Row[] {
    return this.#grouped ? byCall(receipts) : receipts;
  }

  #actions(): unknown {
    if (!this.app.link.has("receipts.export_ticket")) return nothing;
    return html`<button type="button" @click=${() => void this.#export()}>
      ${icon("download", 16)}${say.export}
    </button>`;
  }

  #filters(): TemplateResult {
    const { runId, callId, status, toolId } = this.filter;
    return html`<form
      class="filters"
      @submit=${(event: Event) => event.preventDefault()}
      @change=${(event: Event) => this.#filtered(event)}
    >
      <label
        >${say.outcome}
        <select name="status">
          <option value="">${say.all}</option>
          ${Object.entries(CALL_WORDS).map(
            ([state, { word }]) =>
              html`<option value=${state} ?selected=${state === status}>${stateText(word)}</option>`,
          )}
        </select>
      </label>
      <label
        >${say.tool}
        <input name="toolId" type="text" placeholder=${say.anyTool} .value=${toolId ?? ""} />
      </label>
      <label
        >${say.since}
        <select name="since">
          <option value="">${say.ever}</option>
          <option value="1">${say.aDayAgo}</option>
          <option value="7">${say.aWeekAgo}</option>
          <option value="30">${say.n30DaysAgo}</option>
        </select>
      </label>
      ${
        runId === undefined
          ? nothing
          : html`<a class="button" href="/receipts">${icon("close", 16)}${say.onlyOneRun}</a>`
      }
      ${
        callId === undefined
          ? html`<label class="receipts-every"
              ><input
                type="checkbox"
                name="every"
                .checked=${this.every}
              />${say.everyReceiptLoginsToo}</label
            >`
          : html`<a class="button" href="/receipts">${icon("close", 16)}${say.onlyOneCall}</a>`
      }
    </form>`;
  }

  #filtered(event: Event): void {
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const text = (name: string) => {
      const value = data.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    const since = Number(text("since"));
    this.every = data.has("every");
    this.filter = {
      ...(this.filter.runId === undefined ? {} : { runId: this.filter.runId }),
      ...(this.filter.callId === undefined ? {} : { callId: this.filter.callId }),
      // The options are the outcomes there are.
      ...(text("status") === "" ? {} : { status: text("status") as NonNullable<Filter["status"]> }),
      ...(text("toolId") === "" ? {} : { toolId: text("toolId") }),
      ...(since > 0 ? { since: this.app.link.now() - since * DAY_MS } : {}),
    };
    void this.#again();
  }

  async #again(): Promise<void> {
    this.#loader.clear();
    await this.#loader.load();
  }

  async #fetch(before: number | undefined): Promise<Page> {
    const { receipts, next, targets } = await this.app.link.call("receipts.list", {
      ...this.filter,
      ...(this.#grouped ? { types: withoutLogins() } : {}),
      limit: PAGE_RECEIPTS,
      ...(before === undefined ? {} : { before }),
    });
    return { receipts: withTexts(receipts, targets), next };
  }

  /** The newest page anew, in front of what was loaded behind it. */
  async #refresh(): Promise<void> {
    const shown = this.#loader.value;
    const last = shown?.receipts.at(PAGE_RECEIPTS - 1);
    if (!shown || !last) {
      await this.#loader.load();
      return;
    }
    const fresh = await this.app.attempt(() => this.#fetch(undefined));
    const oldest = fresh?.receipts.at(-1);
    if (!fresh || !oldest || this.#loader.value !== shown) return;
    const behind = shown.receipts.filter(({ seq }) => seq < oldest.seq);
    // Where more than a page came meanwhile there would be a gap: then it begins anew.
    const newest = shown.receipts[0];
    if (newest && oldest.seq > newest.seq + 1) this.#loader.put(fresh);
    else this.#loader.put({ receipts: [...fresh.receipts, ...behind], next: shown.next });
  }

  async #more(): Promise<void> {
    const shown = this.#loader.value;
    if (this.#fetching || shown?.next === undefined || shown.receipts.length >= RECEIPTS_MAX) return;
    this.#fetching = true;
    const page = await this.app.attempt(() => this.#fetch(shown.next));
    this.#fetching = false;
    // What is asked for may be something else by now.
    if (page && this.#loader.value === shown)
      this.#loader.put({ receipts: [...shown.receipts, ...page.receipts], next: page.next });
  }

  async #export(): Promise<void> {
    const ticket = await this.app.attempt(() =>
      this.app.link.call("receipts.export_ticket", { bodies: true }),
    );
    if (!ticket) return;
    const link = document.createElement("a");
    link.href = ticket.url;
    link.download = ticket.filename;
    link.click();
  }
}

function receiptRow(receipt: Row): TemplateResult {
  const { id, callId, ts, others } = receipt;
  const href =
    others !== undefined && callId !== undefined
      ? `/receipts?call=${encodeURIComponent(callId)}`
      : `/receipts/${encodeURIComponent(id)}`;
  const { words, state, tone, details } = toldReceipt(receipt, receipt);
  return html`<a class="receipt-row" href=${href} title=${details}>
    <span class="receipt-about"
      >${words}${
        others === undefined
          ? nothing
          : html`<span class="hint"> · ${countText(others + 1, say.oneReceipt, say.manyReceipts)}</span>`
      }</span
    >
    <span class="receipt-type" data-tone=${tone}>${state}</span>
    <time datetime=${new Date(ts).toISOString()} title=${dateText(ts)}>${logTimeText(ts, gatewayNow())}</time>
  </a>`;
}

customElements.define("elwood-receipts-page", ReceiptsPage);
