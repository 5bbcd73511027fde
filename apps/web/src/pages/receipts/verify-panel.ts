import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { verdictWords } from "@elwood/core/receipts/verdict-words";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Unreadable } from "@elwood/core/receipts/verify-log";
import { AppElement } from "../../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { icon } from "../../parts/icon.ts";
import { withOneLetterChanged, type OneLetter } from "./one-letter.ts";
import { verifyEd25519, verifyFetched, type BrowserVerdict, type FetchedLog } from "./verify-log.ts";
import { say } from "../../words/en/receipts.ts";
import { gatewayText } from "../../words/gateway.ts";
import { fill, fillIn } from "../../words/fill.ts";

const PAGE_MAX = 1_000;
/** A browser should not be asked to hold more; the command line checks logs of any size. */
const RECEIPTS_MAX = 200_000;

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "busy"; readonly done: number; readonly size: number }
  | { readonly kind: "failed"; readonly message: string }
  | {
      readonly kind: "done";
      readonly found: BrowserVerdict;
      readonly head: string;
      readonly log: FetchedLog;
      /** The log as it is was not looked at, but a copy with this change. */
      readonly changed?: OneLetter;
    };

/** Recomputes the whole chain here, in the browser, and says which receipt is the first bad one. */
export class VerifyPanel extends AppElement {
  static override properties: PropertyDeclarations = {
    now: { attribute: false },
    state: { state: true },
  };
  /** Begin at once. */
  declare now: boolean;
  declare state: State;
  #begun = false;

  constructor() {
    super();
    this.now = false;
    this.state = { kind: "idle" };
  }

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => {
        if (this.now && !this.#begun) void this.#verify();
      }),
    ];
  }

  protected override render(): unknown {
    const busy = this.state.kind === "busy";
    return html`<div class="verify">
      <button
        type="button"
        class=${this.state.kind === "done" ? "" : "primary"}
        ?disabled=${busy}
        @click=${() => void this.#verify()}
      >
        ${icon("shield", 18)}${busy ? say.verifying : say.verifyInThisBrowser}
      </button>
      <div class="verify-words" role="status">${this.#words()}</div>
    </div>`;
  }

  #words(): TemplateResult {
    const { state } = this;
    if (state.kind === "idle") return html`<p class="hint">${say.recomputesEveryHashAndSignature}</p>`;
    if (state.kind === "busy")
      return html`<p class="hint">
        ${fillIn(say.ofReceipts, state.done.toLocaleString(), state.size.toLocaleString())}
      </p>`;
    if (state.kind === "failed") return html`<p class="line bad">${state.message}</p>`;
    const { verdict, signatures } = state.found;
    const good = verdict.status === "intact";
    const { changed } = state;
    return html`${
        changed
          ? html`<p class="hint">
              ${fillIn(say.inACopyHereInThis, changed.seq, html`<q>${changed.after}</q>`, html`<q>${changed.before}</q>`)}
            </p>`
          : nothing
      }
      <p class=${good ? "line ok verdict" : "line bad verdict"}>
        ${icon(good ? "check" : "warning", 18)}<span>${gatewayText(verdictWords(verdict))}</span>
      </p>
      ${signatures ? nothing : html`<p class="hint">${say.thisBrowserCannotCheckSignatures}</p>`}
      ${
        verdict.status === "altered" && verdict.id !== undefined && !changed
          ? html`<p class="hint">
              <a href="/receipts/${encodeURIComponent(verdict.id)}">${say.theFirstBadReceipt}</a>
            </p>`
          : nothing
      }
      ${this.#trial(state)}
      <details class="raw">
        <summary>${say.details}</summary>
        <p class="hint">${state.head}</p>
      </details>`;
  }

  /** Whoever doubts a green line can see it turn red. */
  #trial(state: Extract<State, { kind: "done" }>): unknown {
    const { changed, found, log } = state;
    if (changed)
      return html`<button type="button" @click=${() => void this.#check(log, state.head)}>
        ${icon("undo", 16)}${say.putItBack}
      </button>`;
    if (found.verdict.status !== "intact" || log.receipts.length === 0) return nothing;
    return html`<button type="button" @click=${() => void this.#tamper(log, state.head)}>
      ${say.changeOneLetterAndSeeIt}
    </button>`;
  }

  async #tamper(log: FetchedLog, head: string): Promise<void> {
    const changed = withOneLetterChanged(log);
    if (changed) await this.#check(log, head, changed);
  }

  async #check(log: FetchedLog, head: string, changed?: OneLetter): Promise<void> {
    const found = await verifyFetched(changed?.log ?? log, verifyEd25519, async (done) => {
      this.state = { kind: "busy", done, size: log.receipts.length };
      await frame();
    });
    this.state = { kind: "done", found, head, log, ...(changed ? { changed } : {}) };
    await this.updateComplete;
    // The button that was pressed is another one now.
    this.querySelector<HTMLElement>(".verify-words button")?.focus();
  }

  async #verify(): Promise<void> {
    this.#begun = true;
    this.state = { kind: "busy", done: 0, size: 0 };
    try {
      const head = await this.app.link.call("receipts.head", {});
      if (head.size > RECEIPTS_MAX) {
        const message = fill(say.theLogHasReceiptsMoreThan, head.size.toLocaleString());
        this.state = { kind: "failed", message };
        return;
      }
      const log = await this.#fetch(head.size);
      const found = await verifyFetched(log, verifyEd25519, async (done) => {
        this.state = { kind: "busy", done, size: log.receipts.length };
        await frame();
      });
      this.state = { kind: "done", found, head: head.line, log };
      if (found.verdict.status === "intact") this.dispatchEvent(new Event("verified", { bubbles: true }));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.state = { kind: "failed", message: fill(say.notVerified, error.message) };
    }
  }

  /** Checkpoints before receipts: what is sealed meanwhile is not asked for. */
  async #fetch(size: number): Promise<FetchedLog> {
    const { link } = this.app;
    const checkpoints: string[] = [];
    let publicKey: string | undefined;
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: MethodResult<"receipts.checkpoints"> = await link.call("receipts.checkpoints", {
        after,
        limit: PAGE_MAX,
      });
      publicKey = page.publicKey === "" ? undefined : page.publicKey;
      checkpoints.push(...page.checkpoints.map(({ note }) => note));
      after = page.next;
    }
    const receipts: (StoredReceipt | Unreadable)[] = [];
    let tenant: string | undefined;
    for (let after: number | undefined = 0; after !== undefined && receipts.length < RECEIPTS_MAX;) {
      const page: MethodResult<"receipts.list"> = await link.call("receipts.list", {
        after,
        limit: PAGE_MAX,
      });
      receipts.push(...[...page.receipts, ...(page.unreadable ?? [])].toSorted((a, b) => a.seq - b.seq));
      this.state = { kind: "busy", done: receipts.length, size: Math.max(size, receipts.length) };
      tenant ??= page.receipts[0]?.tenant;
      after = page.next;
    }
    return { tenant: tenant ?? DEFAULT_TENANT, receipts, checkpoints, publicKey };
  }
}

/** Lets the page be drawn, and somebody press something. */
function frame(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.addEventListener("message", () => resolve(), { once: true });
    channel.port1.start();
    channel.port2.postMessage(undefined);
  });
}

customElements.define("elwood-verify-panel", VerifyPanel);
