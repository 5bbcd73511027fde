import { html, type TemplateResult } from "lit";
import { spokenText } from "../../parts/markdown/spoken-text.ts";

/** Words that are there for whoever wants them. */
export function foldView(text: string, title: string, more = ""): TemplateResult {
  return html`<details class="fold ${more}">
    <summary class="hint">${title}</summary>
    <div class="quoted-text">${spokenText(text)}</div>
  </details>`;
}
