import { LitElement, type PropertyDeclarations } from "lit";
import type { Watched } from "@elwood/sdk/store";
import type { AppContext } from "./context.ts";

/**
 * An element of the page. It draws into the document itself, not into a shadow: one sheet
 * of tokens and one of parts serve everything, and labels may point anywhere.
 */
export class Part extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/**
 * A part that works with what the logged-in tab has: the link, the router, the commands.
 * `watches` and `entered` are asked each time it comes on the page, once `app` is set.
 */
export class AppElement extends Part {
  static override properties: PropertyDeclarations = { app: { attribute: false } };
  declare app: AppContext;
  #stop: readonly (() => void)[] | undefined;

  /** Whatever changes here draws it anew. */
  protected watches(): readonly Watched[] {
    return [];
  }

  /** Where listeners, commands and first requests begin; what is returned ends them when it leaves. */
  protected entered(): readonly (() => void)[] {
    return [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.#stop ?? []) stop();
    this.#stop = undefined;
  }

  /** Whoever overrides it calls this first. */
  override willUpdate(_changed: Map<PropertyKey, unknown>): void {
    if (this.#stop || !this.isConnected) return;
    this.#stop = [];
    const watching = this.watches().map((each) => each.subscribe(() => this.requestUpdate()));
    this.#stop = [...watching, ...this.entered()];
  }
}

/** A page as the outlet shows it. The params come from the address, and may change while it is shown. */
export class PageElement extends AppElement {
  static override properties: PropertyDeclarations = {
    params: { attribute: false },
    query: { attribute: false },
  };
  declare params: Readonly<Record<string, string>>;
  declare query: URLSearchParams;
}
