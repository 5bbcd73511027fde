import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { PageElement } from "../../app/app-element.ts";
import { rememberWelcome, welcomeMemory } from "../../app/welcome-memory.ts";
import { icon } from "../../parts/icon.ts";
import { RequestError } from "@elwood/sdk/client";
import type { Watched } from "@elwood/sdk/store";
import type { ConnectModel } from "../../parts/connect-model.ts";
import type { DemoTour } from "./demo-tour.ts";
import { STEPS } from "./tour.ts";
import { say } from "../../words/en/welcome.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "../../parts/connect-model.ts";
import "./demo-tour.ts";
import "./welcome.css";

type View = "choices" | "key" | "tour";

/** The first minute: use a model that is there, connect one, or see with the demo what Elwood does. */
export class WelcomePage extends PageElement {
  static override properties: PropertyDeclarations = {
    view: { state: true },
    detected: { state: true },
    looked: { state: true },
  };
  declare view: View;
  declare detected: MethodResult<"auth.detect"> | undefined;
  /** Somebody asked to look again. */
  declare looked: boolean;
  /** Somebody who connects a model here sees what came of it, and is not sent away. */
  #wasDemo = false;

  constructor() {
    super();
    this.looked = false;
    this.view = welcomeMemory().step === undefined ? "choices" : "tour";
  }

  protected override watches(): readonly Watched[] {
    return [this.app.status, this.app.link.hello];
  }

  protected override entered(): readonly (() => void)[] {
    const credentials = () => void this.#detect();
    document.addEventListener("elwood-credentials", credentials);
    return [
      this.app.link.onReady(() => void this.#detect()),
      () => document.removeEventListener("elwood-credentials", credentials),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.app.status.value?.demo === true) this.#wasDemo = true;
  }

  protected override render(): unknown {
    const status = this.app.status.value;
    return html`<div class="page-body welcome">
      <header class="welcome-head">
        <img src="/icon.svg" alt="" width="44" height="44" />
        <div>
          <h1>${say.welcomeToElwood}</h1>
          <p class="hint">${say.anAssistantThatShowsWhatIt}</p>
        </div>
        ${status?.demo === false ? nothing : html`<button type="button" class="quiet" @click=${() => this.#skip()}>${say.skip}</button>`}
      </header>
      ${status?.demo === false ? this.#using(status.model) : nothing}
      ${status?.demo === true || this.#wasDemo ? this.#demo() : nothing}
    </div>`;
  }

  #demo(): TemplateResult {
    if (this.view === "choices") return this.#choices();
    return html`<p>
        <button type="button" class="link" @click=${() => this.#show("choices")}>
          ${icon("left", 14)}${say.otherWaysToBegin}
        </button>
      </p>
      ${
        this.view === "tour"
          ? html`<elwood-demo-tour .app=${this.app}></elwood-demo-tour>`
          : html`<h2>${say.pasteAKey}</h2>
              <p class="hint">${say.theKeyIsTriedWithOne}</p>
              <elwood-connect-model .app=${this.app} .only=${"key"}></elwood-connect-model>`
      }`;
  }

  #choices(): TemplateResult {
    const local = this.detected?.local ?? [];
    const mayAdmin = this.app.link.may("admin");
    return html`<ul class="choices">
      <li class="card choice-card">
        ${icon("spark", 24)}
        <h2>${say.tryTheDemo}</h2>
        <p class="hint">${say.noKeyAndNothingLeavesThis}</p>
        <p class="choice-end">
          <button type="button" class="primary" @click=${() => this.#show("tour")}>
            ${welcomeMemory().step === undefined ? say.tryTheDemo : say.goOnWithTheDemo}
          </button>
        </p>
      </li>
      <li class="card choice-card">
        ${icon("key", 24)}
        <h2>${say.pasteAKey}</h2>
        <p class="hint">${mayAdmin ? say.anthropicOpenaiOrAnyServerThat : say.thisLoginMayNotKeepKeys}</p>
        <p class="choice-end">
          <button type="button" ?disabled=${!mayAdmin} @click=${() => this.#show("key")}>
            ${say.pasteAKey}
          </button>
        </p>
      </li>
      <li class="card choice-card">
        ${icon("search", 24)}
        <h2>${say.useWhatIsHere}</h2>
        ${
          local.length > 0
            ? html`<elwood-connect-model .app=${this.app} .only=${"found"}></elwood-connect-model>`
            : html`<p class="hint">${this.#nothingFound()}</p>`
        }
        <p class="choice-end">
          <button type="button" ?disabled=${!mayAdmin} @click=${() => void this.#lookAgain()}>
            ${say.checkAgain}
          </button>
        </p>
      </li>
    </ul>`;
  }

  #nothingFound(): string {
    if (!this.app.link.may("admin")) return say.thisLoginMayNotLookFor;
    if (!this.detected) return say.lookingForAModelOnThis;
    const names = this.detected.keys.filter(({ found }) => !found).map(({ name }) => name);
    if (!this.looked) return say.noModelServerAnswers;
    const unset = names.length === 0 ? "" : fill(say.notSet, names.join(", "));
    return fill(say.noModelServerAnswersOnThis, unset);
  }

  /** Somebody answers already: there is nothing to set up. */
  #using(model: string): TemplateResult {
    const [provider] = model.split("/");
    const key = this.detected?.keys.find((each) => each.found && each.provider === provider);
    return html`<p class="line ok welcome-using">
        ${icon("check", 16)}<span
          >${fillIn(
            say.using,
            html`<strong>${model}</strong>`,
            key ? fill(say.from, key.name) : "",
            html`<a href="/connections">${say.change}</a>`,
          )}</span
        >
      </p>
      <p class="tour-buttons"><a class="button primary" href="/c/new">${say.startChatting}</a></p>`;
  }

  #show(view: View): void {
    this.view = view;
    if (view === "tour" && welcomeMemory().step === undefined) rememberWelcome({ step: STEPS[0]?.id ?? "" });
    void this.#arrive();
  }

  /** Where one goes on with the keyboard. */
  async #arrive(): Promise<void> {
    await this.updateComplete;
    await this.querySelector<DemoTour>("elwood-demo-tour")?.updateComplete;
    await this.querySelector<ConnectModel>("elwood-connect-model")?.updateComplete;
    const first = "[data-first], [data-next], #connect-provider, .choice-card .primary";
    this.querySelector<HTMLElement>(first)?.focus();
  }

  #skip(): void {
    rememberWelcome({ dismissed: true });
    this.app.router.go("/c/new");
  }

  /** Whoever asks once more wants to know what was looked for. */
  async #lookAgain(): Promise<void> {
    this.looked = true;
    await this.#detect();
  }

  async #detect(): Promise<void> {
    if (!this.app.link.has("auth.detect") || !this.app.link.may("admin")) return;
    try {
      this.detected = await this.app.link.call("auth.detect", {});
    } catch (error) {
      // Asked again with the next connection, or by the button.
      if (!(error instanceof RequestError)) throw error;
    }
  }
}

customElements.define("elwood-welcome-page", WelcomePage);
