import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { WireFact, WireNote } from "@elwood/core/protocol/memory-shapes";
import { AppElement } from "../../app/app-element.ts";
import { RequestError } from "@elwood/sdk/client";
import { placeHref, placeWords } from "../../parts/forget/forget-words.ts";
import { bytesText } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, pageHead, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/memory.ts";
import { fill, fillIn } from "../../words/fill.ts";
import { failureText } from "../../words/gateway.ts";

const NEW = "new note";

interface Found {
  /** Absent where there is no such note yet. */
  readonly note?: WireNote;
}

/** One note: its text to be changed, the facts in it, and a way to forget it. */
export class NoteView extends AppElement {
  static override properties: PropertyDeclarations = {
    note: { attribute: false },
    draft: { state: true },
    conflict: { state: true },
    saving: { state: true },
  };
  declare note: string;
  /** What was typed since it was loaded or saved. */
  declare draft: string | undefined;
  declare conflict: string | undefined;
  declare saving: boolean;
  #asked: string | undefined;
  readonly #loader = new Loader<Found>(this, () => this.#fetch());

  constructor() {
    super();
    this.saving = false;
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed);
    if (this.#asked !== undefined && this.#asked !== this.note) {
      this.draft = undefined;
      this.conflict = undefined;
      this.#loader.clear();
      void this.#loader.load();
    }
    this.#asked = this.note;
  }

  async #fetch(): Promise<Found> {
    if (this.note === NEW) return {};
    try {
      const { note } = await this.app.link.call("memory.show", { key: this.note });
      return note ? { note } : {};
    } catch (error) {
      if (error instanceof RequestError && error.reason === "NOT_FOUND") return {};
      throw error;
    }
  }

  protected override render(): unknown {
    return html`<div class="page-body">
      ${loadedView(this.#loader.now, {
        isEmpty: () => false,
        empty: { icon: "memory", title: "" },
        view: (found) => this.#view(found),
        retry: () => void this.#loader.load(),
      })}
    </div>`;
  }

  #view({ note }: Found): TemplateResult {
    const may = this.app.link.may("approve");
    const about = note ? html`<code>${note.source}</code>` : say.thereIsNoSuchNoteYet;
    return html`${pageHead(
        note?.key ?? (this.note === NEW ? say.newNote : this.note),
        say.aMarkdownFileOfYoursOne,
        html`<a class="button" href="/memory">${say.allOfMemory}</a> ${
            note && may
              ? html`<button type="button" @click=${() => void this.#forget(note)}>
                  ${icon("trash", 16)}${say.forget3}
                </button>`
              : nothing
          }`,
      )}
      <p class="hint note-about">
        ${about}${note ? html` · ${fillIn(say.changed, bytesText(note.bytes), timeAgo(note.modifiedAt))}` : nothing}
      </p>
      ${
        may
          ? this.#editor(note)
          : html`<pre class="code">${note?.text ?? ""}</pre>
              <p class="hint">${say.thisTokenMayReadNotesNot}</p>`
      }
      ${note ? this.#origins(note) : nothing} ${note && note.facts.length > 0 ? this.#facts(note) : nothing}`;
  }

  #editor(note: WireNote | undefined): TemplateResult {
    const changed = this.draft !== undefined && this.draft !== (note?.text ?? "");
    return html`<form class="note-editor" @submit=${(event: SubmitEvent) => void this.#save(event, note)}>
      ${
        note || this.note !== NEW
          ? nothing
          : html`<label
              >${say.name}
              <input
                name="key"
                type="text"
                required
                maxlength="60"
                placeholder=${say.home}
                autocomplete="off"
            /></label>`
      }
      <label>
        <span class=${note ? "unseen" : ""}>${say.text}</span>
        <textarea
          name="text"
          rows="12"
          spellcheck="true"
          .value=${this.draft ?? note?.text ?? ""}
          @input=${(event: Event) => event.target instanceof HTMLTextAreaElement && (this.draft = event.target.value)}
          @keydown=${(event: KeyboardEvent) => this.#pressed(event)}
        ></textarea>
      </label>
      ${
        this.conflict === undefined
          ? nothing
          : html`<p class="line bad" role="alert">
              ${fillIn(say.whatYouTypedIsStillHere, this.conflict)}
              <button type="button" @click=${() => void this.#takeTheirs()}>
                ${say.showWhatStandsThereNow}
              </button>
            </p>`
      }
      <p class="note-buttons">
        <button type="submit" class="primary" ?disabled=${!changed || this.saving}>${say.save}</button>
        ${changed ? html`<button type="button" @click=${() => this.#discard()}>${say.discard}</button>` : nothing}
        <span class="hint" role="status">${changed ? say.notSavedYet : ""}</span>
      </p>
    </form>`;
  }

  #origins({ lines }: WireNote): unknown {
    const others = lines.filter(({ origin }) => origin === "untrusted");
    const agents = lines.filter(({ origin }) => origin === "agent");
    if (others.length + agents.length === 0) return nothing;
    const named = (all: WireNote["lines"]) => all.map(({ line }) => line).join(", ");
    return html`${agents.length === 0 ? nothing : html`<p class="line">${fillIn(say.elwoodWordedLine, named(agents))}</p>`}
    ${others.length === 0 ? nothing : html`<p class="line warn">${fillIn(say.lineMayHoldWordsOfOthers, named(others))}</p>`}`;
  }

  #facts({ facts, source }: WireNote): TemplateResult {
    return html`<section aria-labelledby="facts-title">
      <h2 id="facts-title">${say.facts}</h2>
      <div class="table-scroll">
        <table class="table stacks">
          <thead>
            <tr>
              <th scope="col">${say.fact}</th>
              <th scope="col">${say.validSince}</th>
              <th scope="col">${say.conflictsWith}</th>
            </tr>
          </thead>
          <tbody>
            ${facts.map((fact) => factRow(fact, source))}
          </tbody>
        </table>
      </div>
    </section>`;
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    this.querySelector("form")?.requestSubmit();
  }

  #discard(): void {
    this.draft = undefined;
    this.conflict = undefined;
  }

  async #takeTheirs(): Promise<void> {
    const mine = this.draft;
    await this.#loader.load();
    this.conflict = undefined;
    this.draft = mine;
  }

  async #save(event: SubmitEvent, note: WireNote | undefined): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const named = form instanceof HTMLFormElement ? new FormData(form).get("key") : null;
    const key = note?.key ?? (typeof named === "string" ? named : this.note);
    const content = this.draft ?? "";
    this.saving = true;
    try {
      const saved = await this.app.link.call("memory.save", {
        key,
        content,
        expected: note?.sha256 ?? null,
      });
      this.draft = undefined;
      this.conflict = undefined;
      this.#loader.put({ note: saved.note });
      this.app.toasts.show(saved.redacted ? say.savedSecretsInItWereLeft : say.saved);
      if (!note) this.app.router.go(`/memory/${encodeURIComponent(saved.note.key)}`, { replace: true });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.reason === "CONFLICT") this.conflict = failureText(error.failure);
      else
        this.app.toasts.show(error.lost ? say.notSavedElwoodCannotBeReached : error.message, {
          tone: "bad",
        });
    } finally {
      this.saving = false;
    }
  }

  async #forget({ key }: WireNote): Promise<void> {
    const { forgetDialog } = await import("../../parts/forget/forget-dialog.ts");
    if (await forgetDialog(this.app, fill(say.forgetTheNote, key), { note: key }))
      this.app.router.go("/memory");
  }
}

function factRow(fact: WireFact, source: string): TemplateResult {
  const against = fact.against ?? [];
  return html`<tr>
    <td>${fact.text}${fact.unsure ? html` <span class="badge">${say.unsure}</span>` : nothing}</td>
    <td>${holdsWords(fact)}</td>
    <td>
      ${against.map((other) => {
        const href = placeHref(other.source, undefined);
        const name =
          other.source === source ? fill(say.line2, other.line) : placeWords(other.source, other.line);
        return html`<p class="fact-against">
          ${other.text}
          <span class="hint"
            >${href === undefined || other.source === source ? name : html`<a href=${href}>${name}</a>`}</span
          >
        </p>`;
      })}
    </td>
  </tr>`;
}

function holdsWords({ holds, validFrom, validTo, supersededBy }: WireFact): TemplateResult {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const since = validFrom === undefined ? "" : fill(say.since, day(validFrom));
  if (holds)
    return html`<span class="badge" data-tone="ok">${icon("check", 14)}${say.holds2}</span>
      <span class="hint">${since}</span>`;
  const until = validTo === undefined ? "" : fill(say.until, day(validTo));
  const by = supersededBy === undefined ? "" : fill(say.replacedByLine, supersededBy);
  return html`<span class="badge">${say.noLonger}</span>
    <span class="hint">${[since, until, by].filter((part) => part !== "").join(", ")}</span>`;
}

customElements.define("elwood-note-view", NoteView);
