import type { Hello } from "@elwood/core/protocol/frames";
import { html, type TemplateResult } from "lit";
import { PROTOCOL, RequestError } from "@elwood/sdk/client";
import { pageHead } from "../parts/small.ts";
import { AppElement, PageElement } from "./app-element.ts";
import type { Watched } from "@elwood/sdk/store";
import { isLoadFailure } from "./load-failure.ts";
import { NO_PAGE, type PageDef } from "./pages.ts";
import type { Route } from "./router.ts";
import type { AppContext, GatewayStatus } from "./context.ts";
import { rememberWelcome, welcomeMemory } from "./welcome-memory.ts";
import { say } from "../words/en/app.ts";
import { fill, fillIn } from "../words/fill.ts";

/** Shows the page of the address. The element stays as long as the page does; only its params change. */
export class Outlet extends AppElement {
  #shown: { page: string; element: PageElement } | undefined;
  #failed: string | undefined;
  #route: Route | undefined;
  #page: PageDef | undefined;
  #path: string | undefined;

  protected override watches(): readonly Watched[] {
    return [this.app.router.route, this.app.link.hello];
  }

  /** What could not be loaded because nobody answered is there once somebody does. */
  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => {
        if (this.#failed !== undefined && this.#route && this.#page) void this.#show(this.#route, this.#page);
      }),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const route = this.app.router.route.value;
    const page = this.#there(route.page);
    if (route !== this.#route || page !== this.#page) void this.#show(route, page);
    this.#route = route;
    this.#page = page;
  }

  /** A page for something that this gateway does not have does not exist. */
  #there(page: PageDef): PageDef {
    const { link } = this.app;
    return page.needs === undefined || !link.hello.value || link.has(page.needs) ? page : NO_PAGE;
  }

  async #show(route: Route, page: PageDef): Promise<void> {
    const { params, query, path } = route;
    if (path === "/") {
      const isFirst = await isFirstVisit(this.app);
      // Whoever went elsewhere meanwhile stays there.
      if (this.app.router.route.value !== route) return;
      if (isFirst) {
        this.app.router.go("/welcome", { replace: true });
        return;
      }
    }
    if (this.#shown?.page !== page.id) {
      try {
        await page.load();
      } catch (error) {
        if (!isLoadFailure(error)) reportError(error);
        if (this.app.router.route.value !== route) return;
        this.#failed = page.title;
        this.requestUpdate();
        return;
      }
      if (this.app.router.route.value !== route) return;
      const element = document.createElement(page.tag);
      if (!(element instanceof PageElement)) throw new Error(`${page.tag} is not a page`);
      this.#shown = { page: page.id, element };
    }
    this.#failed = undefined;
    const { element } = this.#shown;
    element.app = this.app;
    element.params = params;
    element.query = query;
    document.title = titleOf(this.app, page.title);
    this.requestUpdate();
    if (this.#path !== undefined && this.#path !== path) await this.#arrive(element);
    this.#path = path;
  }

  /** At another address one begins at the top; whoever had the focus on a link that is gone gets the page. */
  async #arrive(element: PageElement): Promise<void> {
    await this.updateComplete;
    await element.updateComplete;
    const main = this.closest("main");
    if (!main) return;
    main.scrollTop = 0;
    if (document.activeElement === document.body || document.activeElement === null)
      main.focus({ preventScroll: true });
  }

  protected override render(): unknown {
    const hello = this.app.link.hello.value;
    if (hello && hello.protocol !== PROTOCOL) return otherProtocol(hello);
    if (this.#failed !== undefined) {
      return html`<div class="page-body">
        <p class="line bad" role="alert">
          ${fillIn(say.couldNotBeLoadedElwoodMay, this.#failed)}
          <button type="button" @click=${() => location.reload()}>${say.reload}</button>
        </p>
      </div>`;
    }
    return this.#shown?.element ?? html`<div class="page-body" aria-busy="true"></div>`;
  }
}

/** An old page, kept by the browser, at a new gateway, or the other way round: better no page than a wrong one. */
function otherProtocol({ protocol, version }: Hello): TemplateResult {
  return html`<div class="page-body">
    ${pageHead(
      say.thisPageDoesNotFitThis,
      fill(say.thePageSpeaksProtocolTheGateway, PROTOCOL, version, protocol),
    )}
    <p class="line warn" role="alert">
      ${fillIn(say.aReloadFetchesThePageOf, html`<code>npm run build</code>`)}
      <button type="button" @click=${() => location.reload()}>${say.reload}</button>
    </p>
  </div>`;
}

/** What waits is counted in the title: it shows on a tab that is not looked at. */
export function titleOf(app: AppContext, title: string): string {
  const waiting = app.waiting.pending.length;
  return `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Elwood`;
}

const ASK_MS_MAX = 2_000;

/**
 * Whether somebody is here who has never talked to this gateway: the demo answers, there is
 * no session, and the welcome was not put away in this browser. Nobody waits long to know.
 */
async function isFirstVisit(app: AppContext): Promise<boolean> {
  if (welcomeMemory().dismissed === true) return false;
  const status = app.status.value ?? (await firstStatus(app));
  if (status?.demo !== true) return false;
  try {
    const { sessions } = await app.link.call("sessions.list", { limit: 1 });
    // From now on there is no need to ask.
    if (sessions.length > 0) rememberWelcome({ dismissed: true });
    return sessions.length === 0;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return false;
  }
}

function firstStatus(app: AppContext): Promise<GatewayStatus | undefined> {
  return new Promise((resolve) => {
    const stop = app.status.subscribe((status) => done(status));
    const timer = window.setTimeout(() => done(undefined), ASK_MS_MAX);
    function done(status: GatewayStatus | undefined): void {
      stop();
      clearTimeout(timer);
      resolve(status);
    }
  });
}

customElements.define("elwood-outlet", Outlet);
