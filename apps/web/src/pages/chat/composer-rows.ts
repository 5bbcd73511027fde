import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { icon } from "../../parts/icon.ts";
import type { Entry } from "./outbox.ts";
import type { Upload } from "./uploads.ts";

/** What stands above and inside the message box: messages that wait, and files to go with the next. */

export function queuedRows(
  queued: readonly Entry[],
  takeBack: (entry: Entry, edit: boolean) => void,
): unknown {
  if (queued.length === 0) return nothing;
  return html`<ul class="queued" aria-label="Messages that wait">
    ${repeat(
      queued,
      ({ key }) => key,
      (entry) =>
        html`<li class="queued-row">
          ${icon("clock", 16)}
          <span class="queued-text">${entry.text === "" ? `${entry.files.length} file(s)` : entry.text}</span>
          <span class="hint">Waits for the message before it</span>
          ${rowButton("pencil", "Edit this message", () => takeBack(entry, true))}
          ${rowButton("close", "Remove this message", () => takeBack(entry, false))}
        </li>`,
    )}
  </ul>`;
}

export function uploadRows(uploads: readonly Upload[], remove: (id: string) => void): unknown {
  if (uploads.length === 0) return nothing;
  return html`<ul class="uploads" aria-label="Attached files">
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
  const words = state === "uploading" ? "storing…" : (problem ?? "");
  return html`<li class="upload" data-state=${state}>
    ${preview === undefined ? icon("file", 16) : html`<img src=${preview} alt="" width="32" height="32" />`}
    <span class="upload-name">${shown}</span>
    ${words === "" ? nothing : html`<span class="hint">${words}</span>`}
    ${rowButton("close", `Do not attach ${shown}`, () => remove(id))}
  </li>`;
}

function rowButton(name: "pencil" | "close", label: string, act: () => void): TemplateResult {
  return html`<button type="button" class="icon-button" aria-label=${label} title=${label} @click=${act}>
    ${icon(name, 16)}
  </button>`;
}
