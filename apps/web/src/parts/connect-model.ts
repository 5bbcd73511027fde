import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { durationText, moneyText } from "./format.ts";
import { textIn } from "./form-text.ts";
import { icon } from "./icon.ts";

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
    name: "Another server that speaks OpenAI's protocol",
    placeholder: "its key, or any word",
    to: "that server",
    baseUrl: "http://127.0.0.1:1234/v1",
  },
];

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
  };
  declare provider: Provider;
  declare state: State;
  declare detected: Detected | undefined;
  /** Just what was found on this machine, or just the form for a key. */
  declare only: "found" | "key" | undefined;

  constructor() {
    super();
    this.provider = PROVIDERS[0]!;
    this.state = { kind: "idle" };
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
      <label for="connect-provider">Provider</label>
      <select id="connect-provider" @change=${(event: Event) => this.#chosen(event)}>
        ${PROVIDERS.map(({ id, name }) => html`<option value=${id} ?selected=${id === provider.id}>${name}</option>`)}
      </select>
      ${
        provider.baseUrl === undefined
          ? nothing
          : html`<label for="connect-name">Name</label>
              <input
                id="connect-name"
                name="name"
                required
                pattern=${NAME_PATTERN}
                title="Lower-case letters, digits, - and _"
                placeholder="home-llm"
                autocomplete="off"
                spellcheck="false"
                aria-describedby="connect-name-hint"
              />
              <p id="connect-name-hint" class="hint">
                Each server has a name of its own; its models are called name/model.
              </p>
              <label for="connect-url">Server URL</label>
              <input id="connect-url" name="baseUrl" type="url" required .value=${provider.baseUrl} />
              <label for="connect-model">Model</label>
              <input id="connect-model" name="model" required placeholder="qwen3" autocomplete="off" />`
      }
      <label for="connect-key">Key</label>
      <input
        id="connect-key"
        name="secret"
        type="password"
        autocomplete="off"
        spellcheck="false"
        required
        pattern=".*\\S.*"
        title="The key itself"
        placeholder=${provider.placeholder}
        aria-describedby="connect-hint"
      />
      <p id="connect-hint" class="hint">
        It goes to this gateway and to ${provider.to} only, is kept in a file that only you can read, and is
        never sent back here.
        ${
          provider.keys === undefined
            ? nothing
            : html`<a href=${provider.keys} target="_blank" rel="noopener noreferrer"
                >Make a key at ${new URL(provider.keys).host}</a
              >`
        }
      </p>
      ${this.#said()}
      <div class="dialog-buttons">
        ${
          state.kind === "failed" && state.taken
            ? html`<button type="submit" name="replace" value="yes">Replace it</button>`
            : nothing
        }
        <button type="submit" class="primary" ?disabled=${state.kind === "testing"}>
          ${state.kind === "testing" ? "Asking it something…" : "Connect"}
        </button>
      </div>
    </form>`;
  }

  #said(): TemplateResult {
    const { state } = this;
    return html`<div role="status">
      ${state.kind === "failed" ? html`<p class="line bad">${state.message}</p>` : nothing}
      ${state.kind === "done" ? html`<p class="line ok">${icon("check", 16)} ${state.words}</p>` : nothing}
      ${state.kind === "testing" && this.only === "found" ? html`<p class="hint">Asking it something…</p>` : nothing}
    </div>`;
  }

  #found(): unknown {
    const { detected } = this;
    if (!detected) return nothing;
    const keys = detected.keys.filter(({ found }) => found);
    if (detected.local.length === 0 && keys.length === 0) return nothing;
    return html`<ul class="detected" aria-label="Found on this machine">
      ${detected.local.map((each) => this.#local(each))}
      ${keys.map(
        ({ name, provider, source }) =>
          html`<li>
            ${icon("key", 16)}<span
              ><strong>${name}</strong> is set (${source ?? provider}) and is used already.</span
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
        <p><strong>${name}</strong> answers at ${url}. Nothing you say to it leaves this machine.</p>
        <p class="detected-models">
          ${models.map((model) =>
            usable
              ? html`<button type="button" @click=${() => void this.#use(`${provider}/${model}`)}>
                  Use ${model}
                </button>`
              : html`<code>${model}</code>`,
          )}
          ${leftOut === undefined ? nothing : html`<span class="hint">and ${leftOut} more</span>`}
        </p>
      </div>
    </li>`;
  }

  /** From now on it answers; it is asked something first. */
  async #use(model: string): Promise<void> {
    this.state = { kind: "testing" };
    try {
      const made = await this.app.link.call("models.use", { model });
      const took = made.ms === undefined ? "" : ` It answered in ${durationText(made.ms)}.`;
      this.state = { kind: "done", words: `${made.model} answers from now on.${took}` };
      document.dispatchEvent(new CustomEvent("elwood-credentials"));
      await this.app.look();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.state = { kind: "failed", message: error.message };
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
      this.state = { kind: "failed", message: `${name} is a provider's name. Give the server another one.` };
      return;
    }
    this.state = { kind: "testing" };
    try {
      const made = await this.app.link.call("auth.set", {
        provider,
        secret: secret ?? "",
        ...(baseUrl ? { baseUrl } : {}),
        ...(model ? { model } : {}),
        ...(replace ? { replace } : {}),
      });
      const cost = made.costUsd === undefined ? "" : `, for ${moneyText(made.costUsd)}`;
      const words = `${made.model} answered in ${durationText(made.ms)}${cost}. The key is kept as ${made.profile.id}.`;
      form.reset();
      document.dispatchEvent(new CustomEvent("elwood-credentials"));
      // A server of one's own is nobody's default: without this the demo would go on answering.
      const unused = baseUrl && model ? await this.#answersNow(`${provider}/${model}`) : undefined;
      this.state =
        unused === undefined
          ? { kind: "done", words }
          : { kind: "failed", message: `${words} But it does not answer yet: ${unused}` };
      await this.app.look();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const message = error.lost ? `${error.message} Look above whether the key was kept.` : error.message;
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
      if (!(error instanceof RequestError)) throw error;
      return error.message;
    }
  }
}

customElements.define("elwood-connect-model", ConnectModel);
