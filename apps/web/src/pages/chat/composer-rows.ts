import { POLICY_WORDS } from "@elwood/core/base/state-words";
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { icon } from "../../parts/icon.ts";
import { modelName } from "./model-choice.ts";
import type { Upload } from "./uploads.ts";
import { policyText } from "../../words/states.ts";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

/** What stands inside the message box: files to go with the next message, what answers it, and what asks. */

export function uploadRows(uploads: readonly Upload[], remove: (id: string) => void): unknown {
  if (uploads.length === 0) return nothing;
  return html`<ul class="uploads" aria-label=${say.attachedFiles}>
    ${repeat(
      uploads,
      ({ id }) => id,
      (upload) => uploadRow(upload, remove),
    )}
  </ul>`;
}

function uploadRow(
  { id, name, state, problem, preview }: Upload,
  remove: (id: string) => void,
): TemplateResult {
  const shown = spokenText(name);
  const words = state === "uploading" ? say.storing : (problem ?? "");
  return html`<li class="upload" data-state=${state}>
    ${preview === undefined ? icon("file", 16) : html`<img src=${preview} alt="" width="32" height="32" />`}
    <span class="upload-name">${shown}</span>
    ${words === "" ? nothing : html`<span class="hint">${words}</span>`}
    <button
      type="button"
      class="icon-button"
      aria-label=${fill(say.doNotAttach, shown)}
      title=${fill(say.doNotAttach, shown)}
      @click=${() => remove(id)}
    >
      ${icon("close", 16)}
    </button>
  </li>`;
}

/** Which model answers the next message; pressed, it shows the others. */
export function modelButton(
  model: string,
  state: { readonly chosen: boolean; readonly refused: boolean },
  open: (button: HTMLElement) => void,
): TemplateResult {
  return html`<button
    type="button"
    class="quiet composer-model"
    aria-haspopup="dialog"
    title="${spokenText(model)} ${state.refused ? say.isNotConnected : say.answersYourNextMessage2}"
    ?data-chosen=${state.chosen}
    @click=${(event: Event) => event.currentTarget instanceof HTMLElement && open(event.currentTarget)}
  >
    ${state.refused ? icon("warning", 16) : nothing}<span class="unseen">${say.model} </span
    ><span class="cut">${model === "none" ? say.noModel : modelName(model)}</span
    >${state.refused ? html`<span class="unseen">${say.notConnected}</span>` : nothing}${icon("down", 14)}
  </button>`;
}

/** What asks before it is done, and the way to the rules. */
export function policyLink(mode: string): TemplateResult {
  const known = POLICY_WORDS[mode];
  const words = known === undefined ? fill(say.policy, mode) : policyText(known);
  return html`<a class="composer-policy hint" href="/tools" title=${fill(say.toToolsAndPolicy, words, mode)}
    >${icon("shield", 16)}<span class="cut policy-words">${words}</span
    ><span class="cut policy-mode">${mode}</span></a
  >`;
}
