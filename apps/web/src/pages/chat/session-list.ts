import type { WireSession } from "@elwood/core/protocol/shapes";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { conversationPath } from "../../app/paths.ts";
import { dateText, gatewayNow } from "../../parts/format.ts";
import { icon } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { emptyState, timeAgo } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import type { ChatState } from "./chat-state.ts";
import {
  aroundMatch,
  datedRows,
  foundRows,
  type FoundSession,
  type RowHeading,
  type SessionRow,
  type SessionFold,
} from "./session-rows.ts";
import type { SessionPlace } from "./session-index.ts";
import { previewOf, titleOfOpen } from "./session-title.ts";
import { say } from "../../words/en/chat.ts";
import { fill, fillIn } from "../../words/fill.ts";
import "../../parts/row-window.ts";

const SEARCH_AFTER_MS = 200;
const ROW_PX = 40;
/** With a line of what was said. */
const FOUND_ROW_PX = 60;

/** The sessions: pinned ones first, then the newest; found by title and by what was said in them. */
export class SessionList extends AppElement {
  static override properties: PropertyDeclarations = {
    chat: { attribute: false },
    picked: { state: true },
    deleting: { state: true },
    unfolded: { state: true },
  };
  declare chat: ChatState;
  declare deleting: boolean | undefined;
  /** The folds that are open: folders by their names, and the terminal under none. */
  declare unfolded: ReadonlySet<string | undefined> | undefined;
  /** Those that are to be deleted together; undefined while nobody picks any. */
  declare picked: ReadonlySet<string> | undefined;
  #timer: number | undefined;

  protected override watches(): readonly Watched[] {
    return [this.chat.sessions.view, this.chat.open, this.chat.changed, this.app.waiting.all];
  }

  protected override entered(): readonly (() => void)[] {
    void this.chat.sessions.refresh();
    this.addEventListener("keydown", this.#pressed);
    return [() => clearTimeout(this.#timer), () => this.removeEventListener("keydown", this.#pressed)];
  }

  /** For the command that looks for a session. */
  focusSearch(): void {
    this.querySelector("input")?.focus();
  }

  protected override render(): unknown {
    const { sessions: index } = this.chat;
    return html`<div class="section-head">
        <h2 id="sessions-title">${PLACE_WORDS[index.place]}</h2>
        <a class="button" href="/c/new" @click=${() => this.#chosen()}
          >${icon("plus", 16)}${say.newSession}</a
        >
      </div>
      <div class="session-search">
        <input
          type="search"
          aria-label=${say.searchSessions}
          placeholder=${say.search}
          autocomplete="off"
          .value=${index.query}
          @input=${this.#typed}
        />
      </div>
      ${this.#list()}
      <div class="session-foot">${this.picked ? this.#picking(this.picked) : this.#foot()}</div>`;
  }

  #foot(): TemplateResult {
    const { place, view } = this.chat.sessions;
    if (place !== "list")
      return html`<button type="button" class="quiet" @click=${() => this.#switch("list")}>
        ${icon("left", 16)}${say.backToSessions}
      </button>`;
    return html`<button type="button" class="quiet" @click=${() => this.#switch("archive")}>
        ${icon("archive", 16)}${say.archive}
      </button>
      <button type="button" class="quiet" @click=${() => this.#switch("trash")}>
        ${icon("trash", 16)}${say.trash}
      </button>
      ${
        view.value.sessions.length === 0
          ? nothing
          : html`<button type="button" class="quiet" @click=${() => this.#pick(new Set())}>
              ${icon("check", 16)}${say.select}
            </button>`
      }`;
  }

  #picking(picked: ReadonlySet<string>): TemplateResult {
    const all = this.chat.sessions.view.value.sessions.map(({ sessionKey }) => sessionKey);
    return html`<button type="button" class="quiet" @click=${() => this.#pick(undefined)}>
        ${say.cancel}
      </button>
      <button type="button" class="quiet" @click=${() => this.#pick(new Set(all))}>${say.all}</button>
      <button
        type="button"
        class="danger"
        ?disabled=${picked.size === 0 || this.deleting}
        @click=${() => void this.#deletePicked([...picked])}
      >
        ${this.deleting ? say.deleting : "Delete"} ${picked.size}
      </button>`;
  }

  #pick(picked: ReadonlySet<string> | undefined): void {
    const began = picked !== undefined && this.picked === undefined;
    this.picked = picked;
    if (picked && !began) this.app.announce(fill(say.selected, picked.size));
    // The button that was pressed is gone.
    if (began || picked === undefined)
      void this.updateComplete.then(() => this.querySelector<HTMLElement>(".session-foot button")?.focus());
  }

  async #deletePicked(sessionKeys: readonly string[]): Promise<void> {
    if (this.deleting) return;
    this.deleting = true;
    const { deleteSessions } = await import("./session-actions.ts");
    const { seen } = this.chat.sessions;
    const gone = await deleteSessions(this.app, sessionKeys, ({ sessionKey, updatedAt }) =>
      seen.see(sessionKey, updatedAt),
    );
    this.deleting = false;
    this.#pick(undefined);
    if (gone.includes(this.chat.open.value.sessionKey)) this.app.router.go("/c/new");
  }

  #list(): TemplateResult {
    const { state, sessions, hits, message, more } = this.chat.sessions.view.value;
    if (state === "failed")
      return html`<p class="line bad" role="alert">
        ${fillIn(say.theSessionsCouldNotBeListed, message)}
        <button type="button" @click=${() => void this.chat.sessions.refresh()}>${say.tryAgain}</button>
      </p>`;
    if (state === "waiting") return html`<div class="sessions-rows" aria-busy="true"></div>`;
    const { query, place } = this.chat.sessions;
    const isSearch = query !== "" && place === "list" && !this.picked;
    const folding = {
      isOpen: (folder?: string) => this.unfolded?.has(folder) ?? false,
      wanted: ({ sessionKey }: WireSession) =>
        this.picked !== undefined ||
        sessionKey === this.chat.open.value.sessionKey ||
        this.app.waiting.pending.some((each) => each.sessionKey === sessionKey),
    };
    const rows: readonly SessionRow[] = isSearch
      ? foundRows(sessions, hits)
      : place === "trash"
        ? sessions
        : datedRows(sessions, gatewayNow(), folding);
    if (rows.length === 0) return html`<div class="sessions-rows">${this.#empty()}</div>`;
    return html`<elwood-row-window
      class="sessions-rows"
      ?data-found=${isSearch}
      .rows=${rows}
      .rowHeight=${isSearch ? FOUND_ROW_PX : ROW_PX}
      .row=${(each: SessionRow) => this.#drawn(each)}
      .isHeading=${(each: SessionRow) => "heading" in each}
      .label=${PLACE_WORDS[place]}
      ?data-more=${more}
      @more=${() => void this.chat.sessions.loadMore()}
    ></elwood-row-window>`;
  }

  #empty(): TemplateResult {
    const { query, place } = this.chat.sessions;
    if (place === "trash") return emptyState({ icon: "trash", title: say.theTrashIsEmpty });
    if (place === "archive" && query === "")
      return emptyState({
        icon: "archive",
        title: say.nothingIsArchived,
        text: say.aSessionsMenuPutsItHere,
      });
    if (query !== "")
      return emptyState({
        icon: "search",
        title: say.nothingFound,
        text: say.neitherATitleNorAnythingThat,
      });
    return emptyState({ icon: "chat", title: say.noSessionsYet, text: say.theFirstMessageStartsOne });
  }

  #drawn(row: SessionRow): TemplateResult {
    if ("heading" in row) return heading(row);
    if ("fold" in row) return this.#fold(row);
    if ("session" in row) return this.#found(row);
    if ("inside" in row) return this.#row(row.inside, true);
    return row.deletedAt === undefined ? this.#row(row) : this.#deleted(row);
  }

  #fold({ fold, folder, open }: SessionFold): TemplateResult {
    const { seen } = this.chat.sessions;
    const unread = fold.some(({ sessionKey, updatedAt }) => seen.isUnread(sessionKey, updatedAt));
    return html`<button
      type="button"
      class="quiet session-fold"
      tabindex="-1"
      aria-expanded=${open}
      @click=${() => this.#unfold(folder, !open)}
    >
      ${icon(folder === undefined ? "terminal" : "folder", 16)}<span class="fold-name"
        >${folder === undefined ? say.terminal : spokenText(folder)}</span
      ><span class="hint">${fold.length}</span
      >${unread ? html`<span class="unread" title=${say.new}><span class="unseen">${say.new}</span></span>` : nothing}
    </button>`;
  }

  #unfold(folder: string | undefined, open: boolean): void {
    const next = new Set(this.unfolded);
    if (open) next.add(folder);
    else next.delete(folder);
    this.unfolded = next;
  }

  #row(session: WireSession, inFold = false): TemplateResult {
    const { sessionKey, preview, updatedAt, pinned } = session;
    const open = this.chat.open.value;
    const isOpen = sessionKey === open.sessionKey;
    const title = isOpen && preview === "" ? titleOfOpen(open) : spokenText(session.title);
    const waits = this.app.waiting.pending.some((each) => each.sessionKey === sessionKey);
    const unread = !isOpen && this.chat.sessions.seen.isUnread(sessionKey, updatedAt);
    const inside = html`<span class="session-title"
        >${pinned ? html`${icon("pin", 14)}<span class="unseen">${say.pinned} </span>` : nothing}<span>${title}</span>${unread ? html`<span class="unread" title=${say.new}><span class="unseen">${say.new}</span></span>` : nothing}</span
      >
      ${waits ? html`<span class="session-waits"><span class="unseen">${say.waitingForYou}</span></span>` : nothing}`;
    if (this.picked) return this.#pickable(session, inside, this.picked);
    return html`<div
      class="session-row"
      data-session=${sessionKey}
      ?data-open=${isOpen}
      ?data-inside=${inFold}
    >
      <a
        class="session"
        href="/c/${encodeURIComponent(sessionKey)}"
        tabindex="-1"
        title="${title}
${previewOf(session)}
${dateText(updatedAt)}"
        aria-current=${isOpen ? "true" : nothing}
        @click=${() => this.#chosen()}
        >${inside}</a
      >
      <button
        type="button"
        class="icon-button session-more"
        aria-label=${fill(say.moreAbout, title)}
        aria-haspopup="menu"
        @click=${(event: Event) => this.#menu(event, session)}
      >
        ${icon("more", 16)}
      </button>
    </div>`;
  }

  #pickable({ sessionKey }: WireSession, inside: unknown, picked: ReadonlySet<string>): TemplateResult {
    const toggle = (event: Event) => {
      const next = new Set(picked);
      if (event.target instanceof HTMLInputElement && event.target.checked) next.add(sessionKey);
      else next.delete(sessionKey);
      this.#pick(next);
    };
    return html`<label class="session-row session-pick" data-session=${sessionKey}>
      <input type="checkbox" tabindex="-1" .checked=${picked.has(sessionKey)} @change=${toggle} />
      <span class="session">${inside}</span>
    </label>`;
  }

  #deleted(session: WireSession): TemplateResult {
    return html`<div class="session-row">
      <div class="session">
        <span class="session-title"><span>${spokenText(session.title)}</span></span>
      </div>
      <button type="button" @click=${() => this.#restore(session)}>${icon("undo", 16)}${say.restore}</button>
    </div>`;
  }

  #found({ session, hit }: FoundSession): TemplateResult {
    const { query } = this.chat.sessions;
    const { sessionKey, updatedAt } = session;
    return html`<div
      class="session-row"
      data-session=${sessionKey}
      ?data-open=${sessionKey === this.chat.open.value.sessionKey}
    >
      <a
        class="session"
        href=${conversationPath(sessionKey, hit?.runId)}
        tabindex="-1"
        title=${hit ? spokenText(hit.snippet) : nothing}
        @click=${() => this.#chosen()}
      >
        <span class="session-title"><span>${withMatch(spokenText(session.title), query)}</span></span>
        <span class="session-preview"
          >${hit ? withMatch(spokenText(hit.snippet), query) : previewOf(session)}</span
        >
        ${timeAgo(hit?.ts ?? updatedAt)}
      </a>
    </div>`;
  }

  #menu(event: Event, session: WireSession): void {
    const button = event.currentTarget;
    if (!(button instanceof HTMLElement)) return;
    void import("./session-menu.ts").then(({ openSessionMenu }) =>
      openSessionMenu(this.app, session, button, { deleted: () => this.#gone(session) }),
    );
  }

  #restore(session: WireSession): void {
    void import("./session-actions.ts").then(({ restoreSession }) => restoreSession(this.app, session));
  }

  #gone({ sessionKey }: WireSession): void {
    if (sessionKey === this.chat.open.value.sessionKey) this.app.router.go("/c/new");
  }

  #chosen(): void {
    this.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
  }

  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !this.picked) return;
    event.stopPropagation();
    this.#pick(undefined);
  };

  readonly #typed = (event: Event): void => {
    const query = event.target instanceof HTMLInputElement ? event.target.value.trim() : "";
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      void this.chat.sessions.ask(query, this.chat.sessions.place).then(() => this.requestUpdate());
    }, SEARCH_AFTER_MS);
  };

  #switch(place: SessionPlace): void {
    const { sessions } = this.chat;
    void sessions.ask(sessions.query, place);
    this.requestUpdate();
  }
}

const PLACE_WORDS: Readonly<Record<SessionPlace, string>> = {
  get list() {
    return say.sessions;
  },
  get archive() {
    return say.archive;
  },
  get trash() {
    return say.trash;
  },
};

function heading({ heading: words }: RowHeading): TemplateResult {
  return html`<p class="session-day" role="presentation">${words}</p>`;
}

/** A line from close before what was searched for, which is marked. */
function withMatch(line: string, query: string): unknown {
  const found = aroundMatch(line, query);
  return found ? html`${found.before}<mark>${found.match}</mark>${found.after}` : line;
}

customElements.define("elwood-session-list", SessionList);
