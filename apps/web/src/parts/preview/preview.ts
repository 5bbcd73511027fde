import { html, nothing, render, type TemplateResult } from "lit";
import { storedText } from "../../gateway/stored-text.ts";
import { spokenText } from "../markdown/spoken-text.ts";
import { frameFor } from "../markdown/frame.ts";
import { icon } from "../icon.ts";
import { csvRows } from "./csv.ts";
import type { PreviewKind } from "./kind.ts";
import { say } from "../../words/en/parts.ts";
import "./preview.css";

/** So much of a text is shown; the rest is in the file. */
const TEXT_CHARS_MAX = 200_000;

export interface PreviewFile {
  readonly name: string;
  readonly kind: PreviewKind;
  /** An address of the file that is good for a short while. */
  readonly address: string;
  readonly download: () => void;
}

/** A stored file in a pane over the page: read here, and never run. Escape, the button or a press beside it closes it. */
export async function showPreview({ name, kind, address, download }: PreviewFile): Promise<void> {
  if (document.querySelector("dialog.preview")) return;
  const dialog = document.createElement("dialog");
  dialog.className = "preview";
  dialog.setAttribute("aria-label", name);
  const close = () => dialog.close();
  const draw = (body: unknown) =>
    render(
      html`<header class="preview-head">
          <h2>${name}</h2>
          <button type="button" @click=${download}>${icon("download", 16)}${say.download}</button>
          <button type="button" class="icon-button" aria-label=${say.close} autofocus @click=${close}>
            ${icon("close", 18)}
          </button>
        </header>
        <div class="preview-body" tabindex="0">${body}</div>`,
      dialog,
    );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) close();
  });
  draw(html`<p class="hint" aria-busy="true">${say.loading}</p>`);
  document.body.append(dialog);
  dialog.showModal();
  try {
    draw(await contentOf(kind, address, name));
  } catch {
    draw(html`<p class="line bad" role="alert">${say.theFileCouldNotBeFetched}</p>`);
  }
}

async function contentOf(kind: PreviewKind, address: string, name: string): Promise<unknown> {
  if (kind === "picture") return html`<img class="preview-picture" src=${address} alt=${name} />`;
  if (kind === "pdf") {
    // A document of the browser's own viewer.
    return html`<iframe class="preview-pdf" title=${name} src="${address}&show=pdf"></iframe>`;
  }
  const whole = await storedText(address);
  const text = whole.slice(0, TEXT_CHARS_MAX);
  const isCut = text.length < whole.length;
  return html`${textView(kind, text)}${isCut ? cutNote() : nothing}`;
}

function textView(kind: PreviewKind, text: string): unknown {
  // The conversation that shows files brought the element along; to fetch it from here, too, would split its file.
  if (kind === "markdown")
    return html`<elwood-markdown .source=${{ text, streaming: false }}></elwood-markdown>`;
  if (kind === "csv") return csvTable(text);
  if (kind === "html") return frameFor("html", text, { title: say.preview, failed: () => undefined });
  return html`<pre class="code">${spokenText(text)}</pre>`;
}

function csvTable(text: string): TemplateResult {
  const { rows, cut } = csvRows(text);
  const [head = [], ...rest] = rows;
  return html`<div class="table-scroll">
      <table class="table">
        <thead>
          <tr>
            ${head.map((cell) => html`<th scope="col">${spokenText(cell)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rest.map(
            (row) =>
              html`<tr>
                ${row.map((cell) => html`<td>${spokenText(cell)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${cut ? cutNote() : nothing}`;
}

function cutNote(): TemplateResult {
  return html`<p class="hint">${say.thisIsTheBeginningDownloadThe}</p>`;
}
