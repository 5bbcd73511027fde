import { html, type PropertyDeclarations } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { focusFirstCard } from "../../parts/approval/approval-dialog.ts";
import { loadedView, pageHead } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import type { Watched } from "@elwood/sdk/store";

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
        "Approval",
        "One call that asks for your word.",
        html`<a class="button" href="/approvals">All approvals</a>`,
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
