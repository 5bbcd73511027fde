import { html, nothing, render, type TemplateResult } from "lit";
import { icon } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { makeMenu } from "../../parts/menu.ts";
import type { ChatState } from "./chat-state.ts";
import { modelName, type Provider } from "./model-choice.ts";

/** With more models than these, whoever chooses wants to find rather than look. */
const LOOKED_THROUGH_MAX = 12;

/** The models that can be asked in this session, by provider; any other can be written by its name. `chosen` is told once one is. */
export function openModelMenu(
  { app, models, open }: ChatState,
  button: HTMLElement,
  chosen: () => void = () => {},
): void {
  const conversation = open.value;
  const menu = makeMenu(button, "dialog", "Which model answers in this session");
  menu.element.classList.add("model-menu");
  let wanted = "";

  const choose = (model: string | undefined) => {
    models.choose(conversation.sessionKey, model);
    menu.close();
    app.announce(`${modelName(model ?? models.usual(conversation) ?? "")} answers your next message.`);
    chosen();
  };

  const item = (model: string | undefined, words: unknown, hint: string): TemplateResult => {
    const current = models.of(conversation.sessionKey) === model;
    return html`<button
      type="button"
      class="quiet"
      aria-current=${current ? "true" : nothing}
      title=${model === undefined ? nothing : spokenText(model)}
      @click=${() => choose(model)}
    >
      ${current ? icon("check", 16) : html`<span class="no-icon"></span>`}<span class="cut">${words}</span
      ><span class="hint">${hint}</span>
    </button>`;
  };

  const group = ({ provider, name, models: all, leftOut, problem }: Provider): unknown => {
    // The default stands above; it is named again for whoever looks for it, or holds on to it.
    const shown = ({ model }: Provider["models"][number]) =>
      wanted === ""
        ? model !== models.usual(conversation) || model === models.of(conversation.sessionKey)
        : model.toLowerCase().includes(wanted.toLowerCase());
    const found = all.filter(shown);
    if (found.length === 0 && (wanted !== "" || problem === undefined)) return nothing;
    return html`<div role="group" aria-labelledby="models-of-${provider}">
      <p id="models-of-${provider}" class="hint menu-head">${name}</p>
      ${found.map(({ model, contextTokens }) => item(model, modelName(model), windowText(contextTokens)))}
      ${leftOut === undefined ? nothing : html`<p class="hint menu-note">${leftOut} more: write the name above.</p>`}
      ${problem === undefined ? nothing : html`<p class="hint menu-note">Its list could not be had. ${problem}</p>`}
    </div>`;
  };

  const written = (): unknown => {
    const isName = /^[a-z0-9][\w-]*\/\S+$/.test(wanted);
    const known = models.providers?.some((each) => each.models.some(({ model }) => model === wanted));
    return isName && !known ? item(wanted, `Ask ${spokenText(wanted)}`, "") : nothing;
  };

  const list = (): unknown => {
    const { providers, problem } = models;
    if (problem !== undefined) return html`<p class="line bad">${problem}</p>`;
    if (!providers) return html`<p class="hint menu-note" aria-busy="true">Looking for models…</p>`;
    if (providers.length === 0)
      return html`<p class="hint menu-note">No model is connected; the demo answers from a script.</p>`;
    const groups = providers.map(group).filter((each) => each !== nothing);
    if (groups.length > 0 || wanted.includes("/")) return groups;
    return html`<p class="hint menu-note">
      None of those listed has that in its name. Any other is asked by provider/model.
    </p>`;
  };

  const draw = () => {
    const usual = models.usual(conversation) ?? "none";
    render(
      html`<input
          type="search"
          aria-label="Find a model"
          placeholder="Find, or write provider/model"
          autocomplete="off"
          spellcheck="false"
          @input=${(event: InputEvent) => {
            if (event.target instanceof HTMLInputElement) wanted = event.target.value.trim();
            draw();
          }}
          @keydown=${(event: KeyboardEvent) => {
            if (event.key === "Enter" && wanted !== "") menu.element.querySelector("button")?.click();
          }}
        />
        <div class="menu-list">
          ${wanted === "" ? item(undefined, modelName(usual), usual.startsWith("demo/") ? "scripted" : "default") : nothing}
          ${list()} ${written()}
        </div>
        <a class="button quiet" href="/connections" @click=${() => menu.close()}
          >${icon("plug", 16)}Connect a model</a
        >`,
      menu.element,
    );
    if (menu.element.isConnected) menu.place();
  };

  draw();
  focusFirst();
  // What is known already is shown meanwhile.
  void lookAgain();

  async function lookAgain(): Promise<void> {
    await models.look();
    if (!menu.element.matches(":popover-open")) return;
    draw();
    if (document.activeElement?.matches("[aria-current]")) focusFirst();
  }

  function focusFirst(): void {
    const count = models.providers?.reduce((sum, each) => sum + each.models.length, 0) ?? 0;
    const first =
      count > LOOKED_THROUGH_MAX && matchMedia("(hover: hover)").matches ? "input" : "[aria-current]";
    menu.element.querySelector<HTMLElement>(first)?.focus();
  }
}

/** 200000 → 200K */
function windowText(tokens: number | undefined): string {
  if (tokens === undefined) return "";
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${Math.round(tokens / 1_000)}K`;
}
