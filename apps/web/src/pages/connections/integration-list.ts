import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { WireIntegration } from "@elwood/core/protocol/integration-shapes";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { textIn } from "../../parts/form-text.ts";
import { loadedView } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { stateText } from "../../words/states.ts";
import { say } from "../../words/en/connections.ts";
import { fill, fillIn } from "../../words/fill.ts";
import { gatewayText, problemText } from "../../words/gateway.ts";

const STATES: Readonly<Record<WireIntegration["state"], () => readonly [word: string, tone: string]>> = {
  new: () => [say.notConnected, "muted"],
  on: () => ["on", "ok"],
  off: () => ["off", "warn"],
  broken: () => [say.notWorking, "bad"],
};

/** What the gate does with a tool of its kind. */
const RISKS: Readonly<Record<WireIntegration["tools"][number]["risk"], () => string>> = {
  read: () => say.onlyReads,
  write: () => say.changesSomethingAsksUnlessYouAsked,
  destructive: () => say.cannotBeTakenBackAlwaysAsks,
};

/** Integrations: what each can do, connecting one with a live test, and switching it off. */
export class IntegrationList extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    editing: { state: true },
    opened: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  /** Whose form is open, and whose tools are shown. */
  declare editing: string;
  declare opened: string;
  declare busy: string;
  declare problem: string;
  readonly #loader = new Loader<readonly WireIntegration[]>(
    this,
    async () => (await this.app.link.call("integrations.list", {})).integrations,
  );

  constructor() {
    super();
    this.editing = "";
    this.opened = "";
    this.busy = "";
    this.problem = "";
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  protected override render(): unknown {
    return loadedView(this.#loader.now, {
      isEmpty: (integrations) => integrations.length === 0,
      empty: { icon: "plug", title: say.thereAreNoIntegrationsHere },
      view: (integrations) =>
        html`<ul class="profiles">
          ${integrations.map((each) => this.#row(each))}
        </ul>`,
      retry: () => void this.#loader.load(),
    });
  }

  #row(integration: WireIntegration): TemplateResult {
    const { name, title, summary, can, state, problem, hosts } = integration;
    const [word, tone] = STATES[state]();
    return html`<li class="profile">
      <div>
        <p>
          <strong>${title}</strong>
          <span class="badge" data-tone=${tone}>${stateText(word)}</span>
        </p>
        <p class="hint">${gatewayText(summary)}</p>
        ${problem === undefined ? nothing : html`<p class="line bad">${problem}</p>`}
        <ul class="integration-can">
          ${can.map((each) => html`<li>${gatewayText(each)}</li>`)}
        </ul>
        ${
          state === "new" || hosts.length === 0
            ? nothing
            : html`<p class="hint">${fillIn(say.itReachesAndNothingElse, hosts.join(", "))}</p>`
        }
      </div>
      <div class="profile-buttons">${this.#buttons(integration)}</div>
      ${this.opened === name ? toolList(integration) : nothing}
      ${this.editing === name ? this.#form(integration) : nothing}
    </li>`;
  }

  #buttons({ name, title, state, tools }: WireIntegration): TemplateResult {
    const mayNot = this.busy !== "" || !this.app.link.may("approve");
    const edit = html`<button
      type="button"
      ?disabled=${mayNot}
      aria-expanded=${this.editing === name}
      aria-label=${`${state === "new" ? say.connect2 : say.change} ${title}`}
      @click=${() => this.#edit(this.editing === name ? "" : name)}
    >
      ${state === "new" ? say.connect2 : say.change}
    </button>`;
    if (state === "new") return edit;
    if (state === "off")
      return html`<button
          type="button"
          ?disabled=${mayNot}
          aria-label=${fill(say.switchOn, title)}
          @click=${() => void this.#switch(name, true)}
        >
          ${say.switchOn2}
        </button>
        ${edit}`;
    return html`<button
        type="button"
        ?disabled=${this.busy !== ""}
        aria-label=${fill(say.test2, title)}
        @click=${() => void this.#test(name, title)}
      >
        ${this.busy === name ? say.testing : say.test}
      </button>
      ${
        tools.length === 0
          ? nothing
          : html`<button
              type="button"
              aria-expanded=${this.opened === name}
              aria-label=${fill(say.toolsOf, title)}
              @click=${() => (this.opened = this.opened === name ? "" : name)}
            >
              ${say.tools}
            </button>`
      }
      ${edit}
      <button
        type="button"
        ?disabled=${mayNot}
        aria-label=${fill(say.switchOff, title)}
        @click=${() => void this.#switchOff(name, title)}
      >
        ${say.switchOff2}
      </button>`;
  }

  #edit(name: string): void {
    this.editing = name;
    this.problem = "";
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".integration-form input")?.focus());
  }

  #form(integration: WireIntegration): TemplateResult {
    const { name, title, settings, secrets, guide } = integration;
    const help = (id: string, text: string | undefined) =>
      text === undefined ? nothing : html`<p id=${id} class="hint">${text}</p>`;
    return html`<form
      class="channel-form card integration-form mcp-below"
      aria-label=${fill(say.connect, title)}
      @submit=${(event: Event) => void this.#connect(event, integration)}
    >
      ${settings
        .filter(({ found }) => found !== true)
        .map(({ key, title: label, required, example, help: text, value, kind }) => {
          const id = `${name}-${key}`;
          return html`<label for=${id}
              >${label}${required ? nothing : html` <span class="hint">${say.optional}</span>`}</label
            >
            <input
              id=${id}
              name=${`setting.${key}`}
              type="text"
              inputmode=${kind === "address" ? "url" : "text"}
              ?required=${required}
              .value=${Array.isArray(value) ? value.join(", ") : (value ?? "")}
              placeholder=${example ?? ""}
              aria-describedby=${`${id}-hint`}
              autocomplete="off"
              spellcheck="false"
            />
            ${help(`${id}-hint`, text)}`;
        })}
      ${secrets.map(({ key, title: label, required, isSet, help: text }) => {
        const id = `${name}-${key}`;
        return html`<label for=${id}>${label}</label>
          <input
            id=${id}
            name=${`secret.${key}`}
            type="password"
            ?required=${required && !isSet}
            placeholder=${isSet ? say.staysAsItIs : ""}
            aria-describedby=${`${id}-hint`}
            autocomplete="off"
            spellcheck="false"
          />
          ${help(`${id}-hint`, text)}`;
      })}
      <p class="hint">
        ${say.itIsTriedFirstAndStored}${guide === undefined ? nothing : html` ${fillIn(say.moreIn, html`<code>${guide}</code>`)}`}
      </p>
      ${this.problem === "" ? nothing : html`<p class="line bad" role="alert">${this.problem}</p>`}
      <p class="settings-buttons">
        <button type="submit" class="primary" ?disabled=${this.busy !== ""}>
          ${this.busy === name ? say.tryingIt : say.connectAndTest}
        </button>
        <button type="button" @click=${() => this.#edit("")}>${say.cancel}</button>
      </p>
    </form>`;
  }

  async #connect(event: Event, { name, title }: WireIntegration): Promise<void> {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const params = { name, ...givenIn(new FormData(event.target)) };
    this.busy = name;
    this.problem = "";
    try {
      const { account, notes } = await this.app.link.call("integrations.setup", params);
      this.editing = "";
      this.opened = name;
      this.app.toasts.show([fill(say.works, title, account), ...notes].join(" "));
    } catch (error) {
      this.problem = problemText(error);
    } finally {
      this.busy = "";
      await this.#loader.load();
    }
  }

  async #test(name: string, title: string): Promise<void> {
    this.busy = name;
    const tested = await this.app.attempt(() => this.app.link.call("integrations.test", { name }));
    this.busy = "";
    if (tested?.ok) this.app.toasts.show(fill(say.works, title, tested.account ?? ""));
    else if (tested) this.app.toasts.show(tested.problem ?? fill(say.doesNotWork, title), { tone: "bad" });
    await this.#loader.load();
  }

  async #switchOff(name: string, title: string): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.switchOff3, title),
      text: say.theAssistantLosesItsToolsWhat,
      yes: say.switchItOff,
    });
    if (sure) await this.#switch(name, false);
  }

  async #switch(name: string, on: boolean): Promise<void> {
    const method = on ? "integrations.enable" : "integrations.disable";
    await this.app.attempt(() => this.app.link.call(method, { name }));
    this.opened = "";
    await this.#loader.load();
  }
}

function toolList({ tools }: WireIntegration): TemplateResult {
  return html`<ul class="mcp-tools mcp-below">
    ${tools.map(
      ({ toolId, risk }) =>
        html`<li>
          <a href=${`/tools/${encodeURIComponent(toolId)}`}><code>${toolId}</code></a>
          <span class="hint">${RISKS[risk]()}</span>
        </li>`,
    )}
  </ul>`;
}

/** What was filled in, by where it goes. A secret that was left empty stays as it is. */
function givenIn(data: FormData): Omit<MethodParams<"integrations.setup">, "name"> {
  const settings: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const field of data.keys()) {
    const text = textIn(data, field);
    const [kind = "", key = ""] = field.split(".");
    if (kind === "setting") settings[key] = text;
    else if (text !== "") secrets[key] = text;
  }
  return { settings, secrets };
}

customElements.define("elwood-integration-list", IntegrationList);
