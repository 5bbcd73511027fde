import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { PageElement, AppElement } from "../../app/app-element.ts";
import { alikeOf } from "../../parts/approval/alike.ts";
import { focusFirstCard, type ApprovalDialog } from "../../parts/approval/approval-dialog.ts";
import type { ApprovalGroup } from "../../parts/approval/approval-group.ts";
import { outcomeLine } from "../../parts/approval/decision.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { countText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { emptyState, notPermitted, pageHead, tabNav, loadedView } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import "./approval-history.ts";
import "./grant-list.ts";
import "./approvals.css";
import { Loader } from "../../state/loader.ts";
import { gatewayText } from "../../words/gateway.ts";
import { say } from "../../words/en/approvals.ts";
import { fill, fillIn } from "../../words/fill.ts";

const TABS = [
  {
    id: "waiting",
    get title() {
      return say.waiting;
    },
  },
  {
    id: "history",
    get title() {
      return say.history;
    },
  },
  {
    id: "grants",
    get title() {
      return say.permissions;
    },
  },
] as const;

/** Cards that are drawn at once; more are a press away. */
const CARDS_SHOWN = 40;

/** So many of what was decided meanwhile are told above the queue. */
const DECIDED_SHOWN = 5;

/** Too narrow for cards in a list: a row opens its card over it. */
const NARROW = matchMedia("(max-width: 599px)");

/** Everything that waits for the owner, what was decided before, and what may run without asking. */
export class ApprovalsPage extends PageElement {
  static override properties: PropertyDeclarations = {
    ...PageElement.properties,
    shown: { state: true },
  };
  /** So many of what waits are drawn. */
  declare shown: number;
  /** Cards of the queue as they stood, and which of them had the focus. */
  #stood: readonly string[] = [];
  /** All that waited while this page was open. */
  readonly #seen = new Set<string>();
  #focused = -1;

  constructor() {
    super();
    this.shown = CARDS_SHOWN;
  }

  protected override watches(): readonly Watched[] {
    return [this.app.waiting.all, this.app.link.hello];
  }

  protected override entered(): readonly (() => void)[] {
    const next = this.app.commands.add({
      id: "first-approval",
      title: say.goToTheFirstThingThat,
      group: say.approvals,
      keys: "j",
      run: () => void focusFirstCard(this),
    });
    const narrow = () => this.requestUpdate();
    NARROW.addEventListener("change", narrow);
    return [next, () => NARROW.removeEventListener("change", narrow)];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    for (const { approvalId } of this.app.waiting.pending) this.#seen.add(approvalId);
    this.#focused = this.#cards().findIndex((card) => card.contains(document.activeElement));
  }

  protected override updated(): void {
    this.#closeRanks();
    if (!this.app.waiting.focusFirst || this.params["approval"] !== undefined) return;
    this.app.waiting.focusFirst = !focusFirstCard(this);
  }

  #cards(): readonly (ApprovalDialog | ApprovalGroup)[] {
    return [
      ...this.querySelectorAll<ApprovalDialog | ApprovalGroup>(
        "elwood-approval-dialog, elwood-approval-group",
      ),
    ];
  }

  /** Where a card went, the next one stands in its place: it must not take the second press of a double click, and it gets the focus. */
  #closeRanks(): void {
    const stands = new Set(this.app.waiting.pending.map(({ approvalId }) => approvalId));
    const gone = this.#stood.some((id) => !stands.has(id));
    this.#stood = [...stands];
    if (!gone) return;
    const cards = this.#cards();
    for (const card of cards) card.rearm();
    if (this.#focused < 0 || document.activeElement !== document.body) return;
    const next = cards[Math.min(this.#focused, cards.length - 1)] ?? this;
    next.querySelector<HTMLElement>(".approval, .tab[aria-current]")?.focus();
  }

  protected override render(): unknown {
    const one = this.params["approval"];
    if (one !== undefined)
      return html`<elwood-approval-alone .app=${this.app} .approvalId=${one}></elwood-approval-alone>`;
    const tab = TABS.find(({ id }) => id === this.query.get("show"))?.id ?? "waiting";
    return html`<div class=${tab === "history" ? "page-body fill tabbed" : "page-body"}>
      ${pageHead(say.approvals, say.whatElwoodMayNotDoWithout)}
      ${tabNav(
        say.approvals,
        TABS.map(({ id, title }) => ({ id, title: id === "waiting" ? [title, this.#count()] : title })),
        tab,
        "/approvals",
      )}
      ${notPermitted(this.app, "approve", say.decideOrEndAPermission)}
      ${
        tab === "waiting"
          ? this.#waiting()
          : tab === "history"
            ? html`<elwood-approval-history .app=${this.app}></elwood-approval-history>`
            : html`<elwood-grant-list .app=${this.app}></elwood-grant-list>`
      }
    </div>`;
  }

  #count(): unknown {
    const { length } = this.app.waiting.pending;
    return length === 0 ? nothing : html` <span class="tab-count">${length}</span>`;
  }

  #waiting(): TemplateResult {
    const { pending } = this.app.waiting;
    if (pending.length === 0) {
      return html`${this.#decided()}${emptyState({
        icon: "shield",
        title: say.nothingWaitsForYou,
        text: say.whenElwoodNeedsYourOkIt,
        action: html`<a class="button" href="/">${say.backToTheChat}</a>`,
      })}`;
    }
    const shown = pending.slice(0, this.shown);
    const left = pending.length - shown.length;
    return html`${this.#decided()} ${this.#batch(pending)}
      <div class="approval-queue">
        ${repeat(
          shown,
          (each) => each.approvalId,
          (each) => (NARROW.matches ? this.#queueRow(each) : this.#queueCard(each, pending)),
        )}
        ${
          left > 0
            ? html`<button type="button" @click=${() => (this.shown += CARDS_SHOWN)}>
                ${fillIn(say.showMore, countText(left, say.moreWaits, say.moreWait))}
              </button>`
            : nothing
        }
      </div>`;
  }

  /** What was decided meanwhile, here or elsewhere, does not go away without a word. */
  #decided(): unknown {
    const lately = this.app.waiting.all.value
      .filter(({ approvalId, decided }) => decided.status !== "pending" && this.#seen.has(approvalId))
      .slice(-DECIDED_SHOWN);
    if (lately.length === 0) return nothing;
    return html`<ul class="queue-decided" aria-label=${say.decidedJustNow}>
      ${repeat(
        lately,
        ({ approvalId }) => approvalId,
        (each) => {
          const { icon: name, tone, words, how } = outcomeLine(each);
          return html`<li>
            <span class="outcome-mark" data-tone=${tone}>${icon(name, 16)}</span>
            <a href="/approvals/${encodeURIComponent(each.approvalId)}">${words}</a>
            <span class="hint">${how}</span>
          </li>`;
        },
      )}
    </ul>`;
  }

  #queueRow(each: WireApproval): TemplateResult {
    return html`<button type="button" class="queue-row" @click=${() => this.#openDialog(each)}>
      ${icon("shield", 18)}<span>${gatewayText(each.card.title)}</span>${icon("right", 16)}
    </button>`;
  }

  /** Several of a kind stand together, where the first of them does. */
  #queueCard(each: WireApproval, pending: readonly WireApproval[]): unknown {
    const alike = alikeOf(each, pending);
    if (alike.length > 1 && alike[0] !== each) return nothing;
    return alike.length > 1
      ? html`<elwood-approval-group
          .app=${this.app}
          .approvals=${alike}
          .alone=${true}
        ></elwood-approval-group>`
      : html`<elwood-approval-dialog
          .app=${this.app}
          .approval=${each}
          .alone=${true}
        ></elwood-approval-dialog>`;
  }

  /** Several at once: only what destroys nothing is allowed together; all may be denied together. */
  #batch(pending: readonly WireApproval[]): unknown {
    const calls = pending.filter((each) => each.kind === "approval");
    if (calls.length < 2 || !this.app.link.may("approve")) return nothing;
    const harmless = calls.filter(
      (each) => !each.card.destructive && each.confirm === undefined && each.showable && !each.plan,
    );
    return html`<div class="batch" role="group" aria-label=${say.allAtOnce}>
      <span>${fillIn(say.waitForYou, countText(calls.length, say.call, say.calls))}</span>
      ${
        harmless.length === calls.length
          ? html`<button type="button" @click=${() => void this.#all(harmless, true)}>
              ${fillIn(say.allowAllOnce, calls.length)}
            </button>`
          : html`<span class="hint">${say.someDestroySomethingOrArePlans}</span>`
      }
      <button type="button" @click=${() => void this.#all(calls, false)}>
        ${fillIn(say.denyAll, calls.length)}
      </button>
    </div>`;
  }

  async #all(calls: readonly WireApproval[], allow: boolean): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.allCalls, allow ? say.allow : say.deny, calls.length),
      text: html`<ul class="batch-list">
        ${calls.map((each) => html`<li>${gatewayText(each.card.title)}</li>`)}
      </ul>`,
      yes: allow ? say.allowThemOnce : say.denyThem,
      danger: !allow,
    });
    if (!sure) return;
    for (const { approvalId } of calls) {
      const { waiting } = this.app;
      await this.app.attempt(() => (allow ? waiting.allow(approvalId, {}) : waiting.deny(approvalId)));
    }
  }

  /** On a narrow screen a row opens its card over the list. */
  #openDialog(approval: WireApproval): void {
    const dialog = document.createElement("dialog");
    dialog.className = "dialog approval-sheet";
    dialog.setAttribute("aria-label", gatewayText(approval.card.title));
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = say.close;
    close.addEventListener("click", () => dialog.close());
    const card = document.createElement("elwood-approval-dialog");
    Object.assign(card, { app: this.app, approval, alone: true });
    const stop = this.app.waiting.all.subscribe((all) => {
      const fresh = all.find((each) => each.approvalId === approval.approvalId);
      if (fresh) Object.assign(card, { approval: fresh });
    });
    const widened = () => dialog.close();
    NARROW.addEventListener("change", widened);
    dialog.append(card, close);
    dialog.addEventListener("close", () => {
      stop();
      NARROW.removeEventListener("change", widened);
      dialog.remove();
      // The row of something that was decided is gone.
      if (document.activeElement === document.body)
        this.querySelector<HTMLElement>(".queue-row, .tab[aria-current]")?.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
  }
}

/** One approval at an address of its own. The address says which; only the login says whether it may be decided. */
export class ApprovalAlone extends AppElement {
  static override properties: PropertyDeclarations = { approvalId: { attribute: false } };
  declare approvalId: string;
  readonly #loader = new Loader(this, () => this.app.waiting.fetch(this.approvalId));
  #asked: string | undefined;

  protected override watches(): readonly Watched[] {
    return [this.app.waiting.all];
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#asked !== undefined && this.#asked !== this.approvalId) {
      this.#loader.clear();
      void this.#loader.load();
    }
    this.#asked = this.approvalId;
  }

  protected override updated(): void {
    if (this.app.waiting.focusFirst) this.app.waiting.focusFirst = !focusFirstCard(this);
  }

  protected override render(): unknown {
    const known = this.app.waiting.all.value.find((each) => each.approvalId === this.approvalId);
    return html`<div class="page-body">
      ${pageHead(
        say.approval,
        say.oneCallThatWaitsForYour,
        html`<a class="button" href="/approvals">${say.allApprovals}</a>`,
      )}
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "shield", title: "" },
        view: (approval) =>
          html`<elwood-approval-dialog
            .app=${this.app}
            .approval=${known ?? approval}
            .alone=${true}
          ></elwood-approval-dialog>`,
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }
}

customElements.define("elwood-approval-alone", ApprovalAlone);

customElements.define("elwood-approvals-page", ApprovalsPage);
