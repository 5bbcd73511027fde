import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { durationText, moneyText } from "./format.ts";
import { textIn } from "./form-text.ts";
import { icon } from "./icon.ts";
import { say } from "../words/en/parts.ts";
import { fill, fillIn } from "../words/fill.ts";
import { failureText, problemText } from "../words/gateway.ts";

type Detected = MethodResult<"auth.detect">;

interface Provider {
  readonly id: string;
  readonly name: string;
  /** Where its keys are made. */
  readonly keys?: string;
  readonly placeholder: string;
  /** Who gets the key beside the gateway, in words. */
  readonly to: string;
  readonly baseUrl?: string;
}

const PROVIDERS: readonly Provider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    keys: "https://console.anthropic.com/settings/keys",
    placeholder: "sk-ant-…",
    to: "Anthropic",
  },
  {
    id: "openai",
    name: "OpenAI",
    keys: "https://platform.openai.com/api-keys",
    placeholder: "sk-…",
    to: "OpenAI",
  },
  {
    id: "custom",
    get name() {
      return say.anotherServerThatSpeaksOpenais;
    },
    get placeholder() {
      return say.onlyIfItAsksForOne;
    },
    get to() {
      return say.thatServer;
    },
    baseUrl: "http://127.0.0.1:1234/v1",
  },
];

/** What a server that asks for no key is sent instead of one. */
const NO_KEY = "none";
/** As `provider` in `provider/model`. */
const NAME_PATTERN = "[a-z0-9][a-z0-9_\\-]{0,63}";

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "testing" }
  /** `taken`: the name is another server's, which can be replaced. */
  | { readonly kind: "failed"; readonly message: string; readonly taken?: boolean }
  | { readonly kind: "done"; readonly words: string };

/** Takes a key, asks the model one real question with it, and keeps it only if that was answered. */
export class ConnectModel extends AppElement {
  static override properties: PropertyDeclarations = {
    provider: { state: true },
    state: { state: true },
    detected: { state: true },
    only: { attribute: false },
    models: { state: true },
  };
  declare provider: Provider;
  declare state: State;
  declare detected: Detected | undefined;
  /** Just what was found on this machine, or just the form for a key. Keys that are set stand above the whole. */
  declare only: "found" | "key" | undefined;
  /** What the server at the address says it has. */
  declare models: readonly string[];
  #listed = "";

  constructor() {
    super();
    this.provider = PROVIDERS[0]!;
    this.state = { kind: "idle" };
    this.models = [];
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#detect())];
  }

  protected override render(): unknown {
    return html`${this.only === "key" ? nothing : this.#found()}
    ${this.only === "found" ? this.#said() : this.#form()}`;
  }

  #form(): TemplateResult {
    const { provider, state } = this;
    return html`<form class="card connect-model" @submit=${(event: Event) => void this.#connect(event)}>
      <label for="connect-provider">${say.provider}</label>
      <select id="connect-provider" @change=${(event: Event) => this.#chosen(event)}>
        ${PROVIDERS.map(({ id, name }) => html`<option value=${id} ?selected=${id === provider.id}>${name}</option>`)}
      </select>
      ${
        provider.baseUrl === undefined
          ? nothing
          : html`<label for="connect-name">${say.name}</label>
              <input
                id="connect-name"
                name="name"
                required
                pattern=${NAME_PATTERN}
                title=${say.lowerCaseLettersDigitsAnd}
                placeholder="home-llm"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="connect-name-hint"
              />
              <p id="connect-name-hint" class="hint">${say.eachServerHasANameOf}</p>
              <label for="connect-url">${say.serverUrl}</label>
              <input id="connect-url" name="baseUrl" type="url" required .value=${provider.baseUrl} />`
      }
      <label for="connect-key">${say.key}</label>
      <input
        id="connect-key"
        name="secret"
        type="password"
        autocomplete="off"
        spellcheck="false"
        ?required=${provider.baseUrl === undefined}
        pattern=".*\\S.*"
        title=${say.theKeyItself}
        placeholder=${provider.placeholder}
        aria-describedby="connect-hint"
      />
      <p id="connect-hint" class="hint">
        ${fillIn(say.itGoesToThisGatewayAnd, provider.to)}
        ${
          provider.keys === undefined
            ? nothing
            : html`<a href=${provider.keys} target="_blank" rel="noopener noreferrer"
                >${fillIn(say.makeAKeyAt, new URL(provider.keys).host)}</a
              >`
        }
      </p>
      ${
        provider.baseUrl === undefined
          ? nothing
          : html`<label for="connect-model">${say.model}</label>
              <input
                id="connect-model"
                name="model"
                list="connect-models"
                required
                placeholder=${this.models[0] ?? "qwen3"}
                autocomplete="off"
                aria-describedby="connect-models-hint"
                @focus=${(event: Event) => void this.#list(event)}
              />
              <datalist id="connect-models">
                ${this.models.map((model) => html`<option value=${model}></option>`)}
              </datalist>
              <p id="connect-models-hint" class="hint" role="status">
                ${this.models.length === 0 ? nothing : fillIn(say.theServerHas, this.models.join(", "))}
              </p>`
      }
      ${this.#said()}
      <div class="dialog-buttons">
        ${
          state.kind === "failed" && state.taken
            ? html`<button type="submit" name="replace" value="yes">${say.replaceIt}</button>`
            : nothing
        }
        <button type="submit" class="primary" ?disabled=${state.kind === "testing"}>
          ${state.kind === "testing" ? say.askingItSomething : say.connect}
        </button>
      </div>
    </form>`;
  }

  #said(): TemplateResult {
    const { state } = this;
    return html`<div role="status">
      ${state.kind === "failed" ? html`<p class="line bad">${state.message}</p>` : nothing}
      ${state.kind === "done" ? html`<p class="line ok">${icon("check", 16)} ${state.words}</p>` : nothing}
      ${state.kind === "testing" && this.only === "found" ? html`<p class="hint">${say.askingItSomething}</p>` : nothing}
    </div>`;
  }

  #found(): unknown {
    const { detected } = this;
    if (!detected) return nothing;
    const keys = this.only === "found" ? detected.keys.filter(({ found }) => found) : [];
    if (detected.local.length === 0 && keys.length === 0) return nothing;
    return html`<ul class="detected" aria-label=${say.foundOnThisMachine}>
      ${detected.local.map((each) => this.#local(each))}
      ${keys.map(
        ({ name }) =>
          html`<li>
            ${icon("key", 16)}<span
              >${fillIn(say.isSetAndIsUsedAlready, html`<strong>${name}</strong>`)}</span
            >
          </li>`,
      )}
    </ul>`;
  }

  #local({ name, url, models, leftOut, provider }: Detected["local"][number]): TemplateResult {
    const usable = this.app.link.has("models.use");
    return html`<li>
      ${icon("plug", 16)}
      <div class="detected-local">
        <p>${fillIn(say.answersAtNothingYouSayTo, html`<strong>${name}</strong>`, url)}</p>
        <p class="detected-models">
          ${models.map((model) =>
            usable
              ? html`<button type="button" @click=${() => void this.#use(`${provider}/${model}`)}>
                  ${fillIn(say.use, model)}
                </button>`
              : html`<code>${model}</code>`,
          )}
          ${leftOut === undefined ? nothing : html`<span class="hint">${fillIn(say.andMore, leftOut)}</span>`}
        </p>
      </div>
    </li>`;
  }

  /** From now on it answers; it is asked something first. */
  async #use(model: string): Promise<void> {
    this.state = { kind: "testing" };
    try {
      const made = await this.app.link.call("models.use", { model });
      const took = made.ms === undefined ? "" : fill(say.itAnsweredIn, durationText(made.ms));
      this.state = { kind: "done", words: fill(say.answersFromNowOn, made.model, took) };
      document.dispatchEvent(new CustomEvent("elwood-credentials"));
      await this.app.look();
    } catch (error) {
      this.state = { kind: "failed", message: problemText(error) };
    }
  }

  #chosen(event: Event): void {
    if (!(event.target instanceof HTMLSelectElement)) return;
    const id = event.target.value;
    this.provider = PROVIDERS.find((each) => each.id === id) ?? this.provider;
    this.state = { kind: "idle" };
  }

  async #detect(): Promise<void> {
    if (!this.app.link.has("auth.detect") || !this.app.link.may("admin")) return;
    try {
      this.detected = await this.app.link.call("auth.detect", {});
    } catch (error) {
      // What is on this machine is only a hint.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  /** Once for each address and key; whoever cannot tell its models takes a name that is typed. */
  async #list({ target }: Event): Promise<void> {
    const form = target instanceof HTMLInputElement ? target.form : null;
    if (!form || !this.app.link.has("models.at")) return;
    const data = new FormData(form);
    const [baseUrl = "", secret = ""] = ["baseUrl", "secret"].map((field) => textIn(data, field));
    const asked = `${baseUrl} ${secret}`;
    if (asked === this.#listed || !URL.canParse(baseUrl)) return;
    this.#listed = asked;
    this.models = [];
    try {
      const { models } = await this.app.link.call("models.at", { baseUrl, ...(secret ? { secret } : {}) });
      if (asked === this.#listed) this.models = models;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
    }
  }

  async #connect(event: Event): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const pressed = event instanceof SubmitEvent ? event.submitter : null;
    const replace = pressed instanceof HTMLButtonElement && pressed.name === "replace";
    const data = new FormData(form);
    const [secret, name, baseUrl, model] = ["secret", "name", "baseUrl", "model"].map((field) =>
      textIn(data, field),
    );
    const provider = name || this.provider.id;
    if (name && PROVIDERS.some(({ id, baseUrl: own }) => id === name && own === undefined)) {
      this.state = { kind: "failed", message: fill(say.isAProvidersNameGiveThe, name) };
      return;
    }
    this.state = { kind: "testing" };
    try {
      const made = await this.app.link.call("auth.set", {
        provider,
        secret: secret || NO_KEY,
        ...(baseUrl ? { baseUrl } : {}),
        ...(model ? { model } : {}),
        ...(replace ? { replace } : {}),
      });
      const cost = made.costUsd === undefined ? "" : fill(say.for, moneyText(made.costUsd));
      const words = fill(
        say.answeredInTheKeyIsKept,
        made.model,
        durationText(made.ms),
        cost,
        made.profile.id,
      );
      form.reset();
      document.dispatchEvent(new CustomEvent("elwood-credentials"));
      // A server of one's own is nobody's default: without this the demo would go on answering.
      const unused = baseUrl && model ? await this.#answersNow(`${provider}/${model}`) : undefined;
      this.state =
        unused === undefined
          ? { kind: "done", words }
          : { kind: "failed", message: fill(say.butItDoesNotAnswerYet, words, unused) };
      await this.app.look();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const why = failureText(error.failure);
      const message = error.lost ? fill(say.lookAboveWhetherTheKeyWas, why) : why;
      this.state = { kind: "failed", message, taken: error.reason === "CONFLICT" && baseUrl !== "" };
    }
  }

  /** Why it could not be made the one that answers; nothing where it was. The key is kept either way. */
  async #answersNow(model: string): Promise<string | undefined> {
    if (!this.app.link.has("models.use")) return undefined;
    try {
      await this.app.link.call("models.use", { model });
      return undefined;
    } catch (error) {
      return problemText(error);
    }
  }
}

customElements.define("elwood-connect-model", ConnectModel);
