import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { loadedView } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import type { Watched } from "@elwood/sdk/store";
import { attemptConfirmed, SettingsState } from "./settings-state.ts";
import { say } from "../../words/en/settings.ts";

type Text = NonNullable<MethodResult<"agents.prompt">["text"]>;
type Agent = MethodResult<"agents.list">["agents"][number];

/** Who the assistant is: its words, model, sampling and tools. It counts from the next message on. */
export class AgentEditor extends AppElement {
  static override properties: PropertyDeclarations = {
    agentId: { state: true },
    saved: { state: true },
  };
  declare agentId: string | undefined;
  declare saved: boolean;
  #agents: readonly Agent[] = [];
  readonly #loader = new Loader<Text | undefined>(this, async () => {
    const { link } = this.app;
    this.#agents = (await link.call("agents.list", {})).agents;
    const wanted = this.agentId === undefined ? {} : { agentId: this.agentId };
    const { agentId, text } = await link.call("agents.prompt", wanted);
    this.agentId = agentId;
    return text;
  });

  constructor() {
    super();
    this.saved = false;
  }

  protected override watches(): readonly Watched[] {
    return [this.app.keep(SettingsState).models];
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  protected override render(): unknown {
    return loadedView(this.#loader.now, {
      isEmpty: (text) => text === undefined,
      empty: { icon: "spark", title: say.thisAssistantBelongsToAProgram },
      view: (text) => (text ? this.#form(text) : html``),
      retry: () => void this.#loader.load(),
    });
  }

  #form(text: Text): TemplateResult {
    const providers = this.app.keep(SettingsState).models.value ?? [];
    const listed = providers.flatMap(({ models }) => models.map(({ model }) => model));
    return html`<form class="agent-editor" @submit=${(event: Event) => void this.#save(event, text)}>
      ${
        this.#agents.length < 2
          ? nothing
          : html`<label
              >${say.assistant}
              <select
                @change=${({ target }: Event) => {
                  if (!(target instanceof HTMLSelectElement)) return;
                  this.agentId = target.value;
                  this.saved = false;
                  this.#loader.clear();
                  void this.#loader.load();
                }}
              >
                ${this.#agents.map(
                  ({ id, name }) =>
                    html`<option value=${id} ?selected=${id === this.agentId}>${name}</option>`,
                )}
              </select>
            </label>`
      }
      <label>${say.name} <input name="name" maxlength="100" required .value=${text.name} /></label>
      <label class="agent-wide"
        >${say.whoItIs}
        <textarea name="soul" rows="5" maxlength="60000" .value=${text.soul}></textarea>
        <span class="hint">${say.characterAndTonePartOfEvery}</span>
      </label>
      <label class="agent-wide"
        >${say.instructions}
        <textarea name="instructions" rows="7" maxlength="60000" .value=${text.instructions}></textarea>
        <span class="hint">${say.howItWorksForYouWhat}</span>
      </label>
      <label
        >${say.model}
        <select name="model">
          <option value="" ?selected=${text.model === null}>${say.theDefaultModel}</option>
          ${text.model === null || listed.includes(text.model) ? nothing : html`<option selected>${text.model}</option>`}
          ${listed.map((model) => html`<option ?selected=${model === text.model}>${model}</option>`)}
        </select>
      </label>
      <label
        >${say.temperature}
        <input
          name="temperature"
          type="number"
          min="0"
          max="2"
          step="0.1"
          placeholder=${say.theModelsOwn}
          .value=${text.temperature === null ? "" : String(text.temperature)}
        />
      </label>
      <label
        >${say.topP}
        <input
          name="topP"
          type="number"
          min="0.05"
          max="1"
          step="0.05"
          placeholder=${say.theModelsOwn}
          .value=${text.topP === null ? "" : String(text.topP)}
        />
      </label>
      <label class="agent-wide"
        >${say.tools}
        <input
          name="tools"
          spellcheck="false"
          placeholder=${say.all}
          .value=${(text.tools ?? []).join(", ")}
        />
        <span class="hint">${say.emptyAllOtherwiseNamesOrGroups}</span>
      </label>
      <p class="settings-buttons">
        <button type="submit" class="primary">${say.save}</button>
        <span class="hint" role="status">${this.saved ? say.savedItCountsFromTheNext : ""}</span>
      </p>
    </form>`;
  }

  async #save(event: Event, text: Text): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const { agentId } = this;
    if (!(form instanceof HTMLFormElement) || agentId === undefined) return;
    const data = new FormData(form);
    const field = (name: string) => {
      const value = data.get(name);
      return typeof value === "string" ? value : "";
    };
    const number = (name: string) => (field(name).trim() === "" ? null : Number(field(name)));
    const tools = field("tools")
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
    const wanted = {
      soul: field("soul"),
      instructions: field("instructions"),
      ...(field("name").trim() === text.name ? {} : { name: field("name").trim() }),
      model: field("model") === "" ? null : field("model"),
      temperature: number("temperature"),
      topP: number("topP"),
      tools: tools.length === 0 ? null : tools,
    };
    this.saved = false;
    const saved = await attemptConfirmed(this.app, say.theAssistantGetsMoreTools, (confirm) =>
      this.app.link.call("agents.save", { agentId, expected: text.revision, ...wanted, ...confirm }),
    );
    if (!saved) return;
    this.saved = true;
    await this.#loader.load();
  }
}

customElements.define("elwood-agent-editor", AgentEditor);
