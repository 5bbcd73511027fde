import { html } from "lit";
import { showLine } from "@elwood/core/base/show";
import { PageElement } from "../../app/app-element.ts";
import { emptyState, pageHead } from "../../parts/small.ts";

/** Shown at addresses that no page has. */
export class NoPage extends PageElement {
  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead("Nothing here", "The link may be old, or have lost a letter on its way.")}
      ${emptyState({
        icon: "search",
        title: `Elwood has no page ${showLine(this.app.router.route.value.path)}`,
        action: html`<a class="button" href="/">To the chat</a>`,
      })}
    </div>`;
  }
}

customElements.define("elwood-no-page", NoPage);
