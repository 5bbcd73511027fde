import { html, nothing, type TemplateResult } from "lit";
import { icon } from "../parts/icon.ts";
import type { Watched } from "@elwood/sdk/store";
import { AppElement } from "./app-element.ts";
import { shellCommands } from "./shell-commands.ts";
import { titleOf } from "./outlet.ts";
import { PAGES, PLACES, pathOf, type PageDef, type Place } from "./pages.ts";
import "./attention.ts";
import "./connection-pill.ts";
import { repeat } from "lit/directives/repeat.js";
import { spokenText } from "../parts/markdown/spoken-text.ts";
import { say } from "../words/en/app.ts";
import { fill } from "../words/fill.ts";

/** The frame around every page: where one can go, what wants attention, and how the connection is. */
export class Shell extends AppElement {
  protected override watches(): readonly Watched[] {
    const { router, link, waiting, status } = this.app;
    return [router.route, link.hello, waiting.all, status];
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.commands.add(...shellCommands(this.app))];
  }

  protected override updated(): void {
    document.title = titleOf(this.app, this.app.router.route.value.page.title);
    // The tab of the page is in view also where not all of them fit.
    this.querySelector('.place-tabs [aria-current="page"]')?.scrollIntoView({
      block: "nearest",
      inline: "nearest",
    });
    const badge = this.app.waiting.pending.length > 0 ? "/icon-waiting.svg" : "/icon.svg";
    const favicon = document.querySelector('link[rel="icon"]');
    if (favicon?.getAttribute("href") !== badge) favicon?.setAttribute("href", badge);
  }

  protected override render(): unknown {
    const { page } = this.app.router.route.value;
    const { link } = this.app;
    // Until the gateway has said what it can, nothing is taken away: else every link below would jump.
    const pages = visiblePages((method) => !link.hello.value || link.has(method));
    return html`<div class="shell">
      <a class="skip" href="#main" @click=${(event: Event) => this.#skip(event)}>${say.skipToThePage}</a>
      <nav class="rail" aria-label=${say.partsOfElwood}>
        <a class="rail-brand" href="/" aria-label=${say.elwoodToTheChat}>
          <img src="/icon.svg" alt="" width="28" height="28" />
        </a>
        ${PLACES.map((place) => this.#placeLink(place, pages, page))}
        <elwood-connection-pill class="rail-end" .app=${this.app}></elwood-connection-pill>
      </nav>
      <div class="shell-main" data-page=${page.id}>
        <elwood-attention .app=${this.app}></elwood-attention>
        ${this.#inPlace(page, pages)}
        <main id="main" class="shell-page" tabindex="-1">
          <elwood-outlet .app=${this.app}></elwood-outlet>
        </main>
        <elwood-toast-list .app=${this.app}></elwood-toast-list>
      </div>
    </div>`;
  }

  #placeLink(place: Place, pages: readonly PageDef[], current: PageDef): TemplateResult | typeof nothing {
    const first = pages.find((each) => each.place === place.id);
    if (!first) return nothing;
    const waiting = place.id === "approvals" ? this.app.waiting.pending.length : 0;
    return html`<a
      class="rail-link"
      href=${pathOf(first)}
      aria-current=${place.id !== current.place ? nothing : first.id === current.id ? "page" : "true"}
    >
      ${icon(place.icon)}<span>${place.title}</span>
      ${waiting > 0 ? html`<span class="count">${waiting}<span class="unseen"> ${say.waiting}</span></span>` : nothing}
    </a>`;
  }

  /** The pages of the place that is shown, where there are several. */
  #inPlace(page: PageDef, pages: readonly PageDef[]): TemplateResult | typeof nothing {
    const place = PLACES.find(({ id }) => id === page.place);
    const here = pages.filter((each) => place !== undefined && each.place === place.id);
    if (!place || here.length < 2) return nothing;
    return html`<nav class="tabs place-tabs" aria-label=${fill(say.partsOf, place.title)}>
      ${here.map(
        (each) =>
          html`<a href=${pathOf(each)} aria-current=${each.id === page.id ? "page" : nothing}
            >${each.title}</a
          >`,
      )}
    </nav>`;
  }

  #skip(event: Event): void {
    event.preventDefault();
    const wanted = this.querySelector<HTMLElement>("[data-skip-target]") ?? this.querySelector("main");
    wanted?.focus();
  }
}

/** A page for something that this gateway does not have does not exist. */
export function visiblePages(has: (method: string) => boolean): readonly PageDef[] {
  return PAGES.filter((page) => page.needs === undefined || has(page.needs));
}

export class ToastList extends AppElement {
  protected override watches(): readonly Watched[] {
    return [this.app.toasts.shown];
  }

  protected override render(): unknown {
    const { toasts } = this.app;
    return html`<div class="toasts" role="status">
      ${repeat(
        toasts.shown.value,
        (toast) => toast.id,
        ({ id, text, tone, action }) =>
          html`<div class="toast" data-tone=${tone}>
            <span>${spokenText(text)}</span>
            ${
              action
                ? html`<button
                    type="button"
                    @click=${() => {
                      toasts.drop(id);
                      action.run();
                    }}
                  >
                    ${action.label}
                  </button>`
                : nothing
            }
            <button type="button" class="icon-button" aria-label=${say.close} @click=${() => toasts.drop(id)}>
              ${icon("close", 16)}
            </button>
          </div>`,
      )}
    </div>`;
  }
}

customElements.define("elwood-toast-list", ToastList);

customElements.define("elwood-shell", Shell);
