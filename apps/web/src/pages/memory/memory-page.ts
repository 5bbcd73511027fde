import { showLine } from "@elwood/core/base/show";
import { html, nothing, type TemplateResult } from "lit";
import type { WireNoteSummary, WireMemoryHit, WireTurn } from "@elwood/core/protocol/memory-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { PageElement } from "../../app/app-element.ts";
import { bytesText, countText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { loadedView, pageHead, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import "./memory-status.ts";
import "./note-view.ts";
import "./memory.css";
import type { AppContext } from "../../app/context.ts";
import { placeHref, placeWords } from "../../parts/forget/forget-words.ts";
import { say } from "../../words/en/memory.ts";
import { fill, fillIn } from "../../words/fill.ts";

type Search = MethodResult<"memory.search">;

/** So much stands before the first word that was asked for. */
const LEAD_CHARS_MAX = 80;

/** What Elwood remembers: notes to read and write, and everything that was said, to be searched and forgotten. */
export class MemoryPage extends PageElement {
  #asked = "";
  readonly #notes = new Loader<readonly WireNoteSummary[]>(this, async () => {
    const { notes } = await this.app.link.call("memory.list", {});
    return notes.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  });
  readonly #search = new Loader<Search>(this, () =>
    this.app.link.call("memory.search", { query: this.#asked, limit: 30 }),
  );

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => {
        void this.#notes.load();
        if (this.#asked !== "") void this.#search.load();
      }),
    ];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    const query = this.query.get("q")?.trim() ?? "";
    if (query !== this.#asked) {
      this.#asked = query;
      this.#search.clear();
      if (query !== "" && this.app.link.ready) void this.#search.load();
    }
    // Back from a note: what was changed there is shown here.
    if (changed.has("params") && this.params["note"] === undefined && this.app.link.ready)
      void this.#notes.load();
  }

  protected override render(): unknown {
    const note = this.params["note"];
    if (note !== undefined) return html`<elwood-note-view .app=${this.app} .note=${note}></elwood-note-view>`;
    return html`<div class="page-body">
      ${pageHead(
        say.memory,
        say.notesAndConversationsAsFilesOf,
        this.app.link.may("approve")
          ? html`<button type="button" @click=${() => void this.#forgetWord()}>
                ${icon("trash", 16)}${say.forgetAWord}
              </button>
              <a class="button primary" href="/memory/new note">${icon("plus", 16)}${say.newNote}</a>`
          : nothing,
      )}
      <search>
        <form class="memory-search" @submit=${(event: SubmitEvent) => this.#submitted(event)}>
          <label class="unseen" for="memory-query">${say.searchNotesAndConversations}</label>
          <input
            id="memory-query"
            name="q"
            type="search"
            placeholder=${say.searchYourNotesAndChats}
            autocomplete="off"
            .value=${this.#asked}
          />
          <button type="submit">${icon("search", 16)}${say.search}</button>
        </form>
      </search>
      ${this.#asked === "" ? this.#notesView() : this.#hitsView()}
      <elwood-memory-status .app=${this.app}></elwood-memory-status>
    </div>`;
  }

  #notesView(): TemplateResult {
    return html`<section aria-labelledby="notes-title">
      <h2 id="notes-title">${say.notes}</h2>
      ${loadedView(this.#notes.now, {
        isEmpty: (notes) => notes.length === 0,
        empty: {
          icon: "memory",
          title: say.thereAreNoNotesYet,
          text: say.sayRememberThatInAChat,
        },
        view: (notes) =>
          html`<ul class="memory-list">
            ${notes.map(noteRow)}
          </ul>`,
        retry: () => void this.#notes.load(),
      })}
    </section>`;
  }

  #hitsView(): TemplateResult {
    const words = this.#asked.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
    return html`<section aria-labelledby="hits-title">
      <h2 id="hits-title">${say.found}</h2>
      ${loadedView(this.#search.now, {
        isEmpty: ({ hits }) => hits.length === 0,
        empty: {
          icon: "search",
          title: say.nothingInMemoryFitsThat,
          text: say.fewerOrOtherWordsMayFind,
          action: html`<a class="button" href="/memory">${say.allNotes}</a>`,
        },
        view: ({ hits, notice }) =>
          html`${notice === undefined ? nothing : html`<p class="line warn">${notice}</p>`}
            <p class="hint" role="status">
              ${fillIn(say.theBestFirst, countText(hits.length, say.hit, say.hits), html`<a href="/memory">${say.allNotes}</a>`)}
            </p>
            <ol class="memory-list">
              ${hits.map((hit) => hitView(this.app, hit, words, () => void this.#search.load()))}
            </ol>`,
        retry: () => void this.#search.load(),
      })}
    </section>`;
  }

  #submitted(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.currentTarget;
    const query = form instanceof HTMLFormElement ? new FormData(form).get("q") : "";
    const words = typeof query === "string" ? query.trim() : "";
    this.app.router.go(words === "" ? "/memory" : `/memory?q=${encodeURIComponent(words)}`);
  }

  async #forgetWord(): Promise<void> {
    const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
    if (!(await forgetDialog(this.app, say.forgetEverythingAboutAWord))) return;
    await this.#notes.load();
    if (this.#asked !== "") await this.#search.load();
  }
}

function noteRow({ key, preview, bytes, modifiedAt }: WireNoteSummary): TemplateResult {
  return html`<li>
    <a class="note-row" href="/memory/${encodeURIComponent(key)}">
      <span class="note-key">${key}</span>
      <span class="note-preview">${spokenText(withoutMarks(preview))}</span>
      <span class="hint note-facts" title=${bytesText(bytes)}>${timeAgo(modifiedAt)}</span>
    </a>
  </li>`;
}

/** A line of a note, without what makes headings and lists of it. */
function withoutMarks(preview: string): string {
  return preview.replaceAll(/(^|\s)(?:#{1,6}|[-*+])(?=\s)\s*/g, "$1").trim();
}

/** Something that was found: where it stands, when and by whom it was said, and why it was found. */
function hitView(
  app: AppContext,
  hit: WireMemoryHit,
  words: readonly string[],
  forgotten: () => void,
): TemplateResult {
  const { source, line, ts, speaker, origin, text, remark, before, after } = hit;
  const href = placeHref(source, hit.sessionKey);
  const name = placeWords(source, line);
  const forget = async () => {
    const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
    if (await forgetDialog(app, fill(say.forget, name), { place: { source, line } })) forgotten();
  };
  return html`<li class="hit">
    <p class="hit-head">
      ${href === undefined ? name : html`<a href=${href}>${hit.title === undefined ? name : showLine(hit.title)}</a>`}
      <span>${speaker}</span>
      ${origin === "untrusted" ? html`<span class="badge" data-tone="warn">${say.fromOthers}</span>` : nothing}
      ${timeAgo(ts)}
    </p>
    ${before.map(neighbour)}
    <p class="hit-text">${marked(spokenText(text), words)}</p>
    ${after.map(neighbour)} ${remark === undefined ? nothing : html`<p class="line">${remark}</p>`}
    <div class="hit-foot">
      <details class="raw">
        <summary>${say.details}</summary>
        <p class="hint hit-place">
          <code>${source}#${line}</code> ${fillIn(say.score, hit.score.toFixed(1))}: ${scoreParts(hit)}
        </p>
      </details>
      ${app.link.may("approve") ? html`<button type="button" class="quiet" aria-label=${fill(say.forget2, name)} @click=${() => void forget()}>${say.forget3}</button>` : nothing}
    </div>
  </li>`;
}

/** What the score is made of. */
function scoreParts({ parts }: WireMemoryHit): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${value.toFixed(2)}`)
    .join(", ");
}

/** With the words that were asked for marked; where the first of them stands deep in it, from close before. */
function marked(text: string, words: readonly string[]): unknown {
  if (words.length === 0) return text;
  const parts = text.split(new RegExp(`(${words.join("|")})`, "giu"));
  const [lead = ""] = parts;
  if (parts.length > 1 && lead.length > LEAD_CHARS_MAX) parts[0] = `…${lead.slice(-LEAD_CHARS_MAX)}`;
  return parts.map((part, i) => (i % 2 === 1 ? html`<mark>${part}</mark>` : part));
}

function neighbour({ speaker, text }: WireTurn): TemplateResult {
  return html`<p class="hit-beside"><span>${speaker}:</span> ${spokenText(text)}</p>`;
}

customElements.define("elwood-memory-page", MemoryPage);
