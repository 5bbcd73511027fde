import { html } from "lit";
import { showLine } from "@elwood/core/base/show";
import { PageElement } from "../../app/app-element.ts";
import { emptyState, pageHead } from "../../parts/small.ts";
import { say } from "../../words/en/app.ts";
import { fill } from "../../words/fill.ts";

/** Shown at addresses that no page has. */
export class NoPage extends PageElement {
  protected override render(): unknown {
    return html`<div class="page-body">
      ${pageHead(say.nothingHere, say.theLinkMayBeOldOr)}
      ${emptyState({
        icon: "search",
        title: fill(say.elwoodHasNoPage, showLine(this.app.router.route.value.path)),
        action: html`<a class="button" href="/">${say.toTheChat}</a>`,
      })}
    </div>`;
  }
}

customElements.define("elwood-no-page", NoPage);
