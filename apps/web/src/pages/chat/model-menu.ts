import { html, nothing, render, type TemplateResult } from "lit";
import type { Conversation } from "@elwood/sdk/view-state/conversation";
import { icon } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { makeMenu } from "../../parts/menu.ts";
import type { ChatState } from "./chat-state.ts";
import { modelName, type Provider } from "./model-choice.ts";
import { say } from "../../words/en/chat.ts";
import { fill, fillIn } from "../../words/fill.ts";

/** With more models than these, whoever chooses wants to find rather than look. */
const LOOKED_THROUGH_MAX = 12;

/** The models that can be asked in this session, by provider; any other can be written by its name. `chosen` is told once one is. */
export function openModelMenu(chat: ChatState, button: HTMLElement, chosen: () => void = () => {}): void {
  new ModelMenu(chat, button, chosen).open();
}

class ModelMenu {
  readonly #chat: ChatState;
  readonly #conversation: Conversation;
  readonly #menu: ReturnType<typeof makeMenu>;
  readonly #chosen: () => void;
  #wanted = "";

  constructor(chat: ChatState, button: HTMLElement, chosen: () => void) {
    this.#chat = chat;
    this.#conversation = chat.open.value;
    this.#chosen = chosen;
    this.#menu = makeMenu(button, "dialog", say.whichModelAnswersInThisSession);
    this.#menu.element.classList.add("model-menu");
  }

  open(): void {
    this.#draw();
    this.#focusFirst();
    // What is known already is shown meanwhile.
    void this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    await this.#chat.models.look();
    if (!this.#menu.element.matches(":popover-open")) return;
    this.#draw();
    if (document.activeElement?.matches("[aria-current]")) this.#focusFirst();
  }

  #focusFirst(): void {
    const count = this.#chat.models.providers?.reduce((sum, each) => sum + each.models.length, 0) ?? 0;
    const first =
      count > LOOKED_THROUGH_MAX && matchMedia("(hover: hover)").matches ? "input" : "[aria-current]";
    this.#menu.element.querySelector<HTMLElement>(first)?.focus();
  }

  #choose(model: string | undefined): void {
    const { app, models } = this.#chat;
    models.choose(this.#conversation.sessionKey, model);
    this.#menu.close();
    const name = modelName(model ?? models.usual(this.#conversation) ?? "");
    app.announce(fill(say.answersYourNextMessage, name));
    this.#chosen();
  }

  #draw(): void {
    const { element } = this.#menu;
    const usual = this.#chat.models.usual(this.#conversation) ?? "none";
    const hint = usual.startsWith("demo/") ? "scripted" : "default";
    render(
      html`<input
          type="search"
          aria-label=${say.findAModel}
          placeholder=${say.findOrWriteProviderModel}
          autocomplete="off"
          spellcheck="false"
          @input=${(event: InputEvent) => {
            if (event.target instanceof HTMLInputElement) this.#wanted = event.target.value.trim();
            this.#draw();
          }}
          @keydown=${(event: KeyboardEvent) => {
            if (event.key === "Enter" && this.#wanted !== "") element.querySelector("button")?.click();
          }}
        />
        <div class="menu-list">
          ${this.#wanted === "" ? this.#item(undefined, modelName(usual), hint) : nothing} ${this.#list()}
          ${this.#written()}
        </div>
        <a class="button quiet" href="/connections" @click=${() => this.#menu.close()}
          >${icon("plug", 16)}${say.connectAModel}</a
        >`,
      element,
    );
    if (element.isConnected) this.#menu.place();
  }

  #list(): unknown {
    const { providers, problem } = this.#chat.models;
    if (problem !== undefined) return html`<p class="line bad">${problem}</p>`;
    if (!providers) return html`<p class="hint menu-note" aria-busy="true">${say.lookingForModels}</p>`;
    if (providers.length === 0) return html`<p class="hint menu-note">${say.noModelIsConnectedTheDemo}</p>`;
    const groups = providers.map((each) => this.#group(each)).filter((each) => each !== nothing);
    if (groups.length > 0 || this.#wanted.includes("/")) return groups;
    return html`<p class="hint menu-note">${say.noneOfThoseListedHasThat}</p>`;
  }

  #group({ provider, name, models: all, leftOut, problem }: Provider): unknown {
    const { models } = this.#chat;
    const wanted = this.#wanted.toLowerCase();
    // The default stands above; it is named again for whoever looks for it, or holds on to it.
    const shown = ({ model }: Provider["models"][number]) =>
      wanted === ""
        ? model !== models.usual(this.#conversation) || model === models.of(this.#conversation.sessionKey)
        : model.toLowerCase().includes(wanted);
    const found = all.filter(shown);
    if (found.length === 0 && (wanted !== "" || problem === undefined)) return nothing;
    return html`<div role="group" aria-labelledby="models-of-${provider}">
      <p id="models-of-${provider}" class="hint menu-head">${name}</p>
      ${found.map(({ model, contextTokens }) => this.#item(model, modelName(model), windowText(contextTokens)))}
      ${leftOut === undefined ? nothing : html`<p class="hint menu-note">${fillIn(say.moreWriteTheNameAbove, leftOut)}</p>`}
      ${problem === undefined ? nothing : html`<p class="hint menu-note">${fillIn(say.itsListCouldNotBeHad, problem)}</p>`}
    </div>`;
  }

  #written(): unknown {
    const wanted = this.#wanted;
    const isName = /^[a-z0-9][\w-]*\/\S+$/.test(wanted);
    const known = this.#chat.models.providers?.some((each) =>
      each.models.some(({ model }) => model === wanted),
    );
    return isName && !known ? this.#item(wanted, fill(say.ask, spokenText(wanted)), "") : nothing;
  }

  #item(model: string | undefined, words: unknown, hint: string): TemplateResult {
    const current = this.#chat.models.of(this.#conversation.sessionKey) === model;
    return html`<button
      type="button"
      class="quiet"
      aria-current=${current ? "true" : nothing}
      title=${model === undefined ? nothing : spokenText(model)}
      @click=${() => this.#choose(model)}
    >
      ${current ? icon("check", 16) : html`<span class="no-icon"></span>`}<span class="cut">${words}</span
      ><span class="hint">${hint}</span>
    </button>`;
  }
}

/** 200000 → 200K */
function windowText(tokens: number | undefined): string {
  if (tokens === undefined) return "";
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${Math.round(tokens / 1_000)}K`;
}
