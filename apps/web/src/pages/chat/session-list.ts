import type { WireSession } from "@elwood/core/protocol/shapes";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { icon } from "../../parts/icon.ts";
import { emptyState, timeAgo } from "../../parts/small.ts";
import type { Watched } from "../../state/store.ts";
import type { ChatDesk } from "./chat-desk.ts";
import type { Hit } from "./session-book.ts";
import { titleOfOpen } from "./session-title.ts";
import "../../parts/row-window.ts";

const SEARCH_AFTER_MS = 200;
const ROW_PX = 64;

/** The sessions: pinned ones first, then the newest; found by title and by what was said in them. */
export class SessionList extends AppElement {
  static override properties: PropertyDeclarations = { desk: { attribute: false } };
  declare desk: ChatDesk;
  #timer: number | undefined;

  protected override watches(): readonly Watched[] {
    return [this.desk.sessions.view, this.desk.open, this.desk.changed];
  }

  protected override entered(): readonly (() => void)[] {
    void this.desk.sessions.refresh();
    return [() => clearTimeout(this.#timer)];
  }

  /** For the command that looks for a session. */
  focusSearch(): void {
    this.querySelector("input")?.focus();
  }

  protected override render(): unknown {
    const { sessions: book } = this.desk;
    return html`<div class="section-head">
        <h2 id="sessions-title">${book.trash ? "Trash" : "Sessions"}</h2>
        <a class="button" href="/c/new" @click=${() => this.#chosen()}>${icon("plus", 16)}New session</a>
      </div>
      <div class="session-search">
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search"
          autocomplete="off"
          .value=${book.query}
          @input=${this.#typed}
        />
      </div>
      ${this.#list()}
      <button type="button" class="quiet session-trash" aria-pressed=${book.trash} @click=${this.#switch}>
        ${icon(book.trash ? "left" : "trash", 16)}${book.trash ? "Back to sessions" : "Trash"}
      </button>`;
  }

  #list(): TemplateResult {
    const { state, sessions, hits, message, more } = this.desk.sessions.view.value;
    if (state === "failed")
      return html`<p class="line bad" role="alert">
        The sessions could not be listed. ${message}
        <button type="button" @click=${() => void this.desk.sessions.refresh()}>Try again</button>
      </p>`;
    if (state === "waiting") return html`<div class="sessions-rows" aria-busy="true"></div>`;
    const rows: readonly (WireSession | Hit)[] = [...sessions, ...hits];
    if (rows.length === 0) return html`<div class="sessions-rows">${this.#empty()}</div>`;
    return html`<elwood-row-window
      class="sessions-rows"
      .rows=${rows}
      .rowHeight=${ROW_PX}
      .row=${(each: WireSession | Hit) => ("snippet" in each ? this.#hit(each) : this.#row(each))}
      .label=${this.desk.sessions.trash ? "Deleted sessions" : "Sessions"}
      ?data-more=${more}
      @more=${() => void this.desk.sessions.loadMore()}
    ></elwood-row-window>`;
  }

  #empty(): TemplateResult {
    const { query, trash } = this.desk.sessions;
    if (trash) return emptyState({ icon: "trash", title: "The trash is empty" });
    if (query !== "")
      return emptyState({
        icon: "search",
        title: "Nothing found",
        text: "Neither a title nor anything that was said has these words.",
      });
    return emptyState({ icon: "chat", title: "No sessions yet", text: "The first message starts one." });
  }

  #row(session: WireSession): TemplateResult {
    const { sessionKey, preview, updatedAt, pinned } = session;
    if (session.deletedAt !== undefined) return this.#deleted(session);
    const open = this.desk.open.value;
    const isOpen = sessionKey === open.sessionKey;
    const title = isOpen && preview === "" ? titleOfOpen(open) : session.title;
    const unread = !isOpen && this.desk.sessions.seen.isUnread(sessionKey, updatedAt);
    return html`<div class="session-row" data-session=${sessionKey} ?data-open=${isOpen}>
      <a
        class="session"
        href="/c/${encodeURIComponent(sessionKey)}"
        tabindex="-1"
        aria-current=${isOpen ? "true" : nothing}
        @click=${() => this.#chosen()}
      >
        <span class="session-title"
          >${pinned ? html`${icon("pin", 14)}<span class="unseen">Pinned: </span>` : nothing}<span>${title}</span>${unread ? html`<span class="unread" title="New"><span class="unseen">New</span></span>` : nothing}</span
        >
        <span class="session-preview">${preview === "" ? "No answer yet" : preview}</span>
        ${timeAgo(updatedAt)}
      </a>
      <button
        type="button"
        class="icon-button session-more"
        aria-label="More about ${title}"
        aria-haspopup="menu"
        @click=${(event: Event) => this.#menu(event, session)}
      >
        ${icon("more", 16)}
      </button>
    </div>`;
  }

  #deleted(session: WireSession): TemplateResult {
    return html`<div class="session-row">
      <div class="session">
        <span class="session-title"><span>${session.title}</span></span>
        <span class="session-preview">${session.preview}</span>
      </div>
      <button type="button" @click=${() => this.#restore(session)}>${icon("undo", 16)}Restore</button>
    </div>`;
  }

  #hit({ session, snippet, ts }: Hit): TemplateResult {
    return html`<div class="session-row">
      <a
        class="session"
        href="/c/${encodeURIComponent(session.sessionKey)}"
        tabindex="-1"
        @click=${() => this.#chosen()}
      >
        <span class="session-title"><span class="hint">Said in</span><span>${session.title}</span></span>
        <span class="session-preview">${snippet}</span>
        ${timeAgo(ts)}
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
    if (sessionKey === this.desk.open.value.sessionKey) this.app.router.go("/c/new");
  }

  #chosen(): void {
    this.dispatchEvent(new CustomEvent("chosen", { bubbles: true }));
  }

  readonly #typed = (event: Event): void => {
    const query = event.target instanceof HTMLInputElement ? event.target.value.trim() : "";
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      void this.desk.sessions.ask(query, this.desk.sessions.trash).then(() => this.requestUpdate());
    }, SEARCH_AFTER_MS);
  };

  readonly #switch = (): void => {
    const { sessions } = this.desk;
    void sessions.ask(sessions.query, !sessions.trash);
    this.requestUpdate();
  };
}

customElements.define("elwood-session-list", SessionList);
