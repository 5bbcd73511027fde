import type { WireSession } from "@elwood/core/protocol/shapes";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { AppElement } from "../../app/app-element.ts";
import { conversationPath } from "../../app/paths.ts";
import { icon } from "../../parts/icon.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { emptyState, timeAgo } from "../../parts/small.ts";
import type { Watched } from "@elwood/sdk/store";
import type { ChatState } from "./chat-state.ts";
import type { Hit } from "./session-index.ts";
import { previewOf, titleOfOpen } from "./session-title.ts";
import "../../parts/row-window.ts";

const SEARCH_AFTER_MS = 200;
const ROW_PX = 64;

/** The sessions: pinned ones first, then the newest; found by title and by what was said in them. */
export class SessionList extends AppElement {
  static override properties: PropertyDeclarations = {
    chat: { attribute: false },
    picked: { state: true },
    deleting: { state: true },
  };
  declare chat: ChatState;
  declare deleting: boolean | undefined;
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
        <h2 id="sessions-title">${index.trash ? "Trash" : "Sessions"}</h2>
        <a class="button" href="/c/new" @click=${() => this.#chosen()}>${icon("plus", 16)}New session</a>
      </div>
      <div class="session-search">
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search"
          autocomplete="off"
          .value=${index.query}
          @input=${this.#typed}
        />
      </div>
      ${this.#list()}
      <div class="session-foot">${this.picked ? this.#picking(this.picked) : this.#foot()}</div>`;
  }

  #foot(): TemplateResult {
    const { trash, view } = this.chat.sessions;
    return html`<button type="button" class="quiet" aria-pressed=${trash} @click=${this.#switch}>
        ${icon(trash ? "left" : "trash", 16)}${trash ? "Back to sessions" : "Trash"}
      </button>
      ${
        trash || view.value.sessions.length === 0
          ? nothing
          : html`<button type="button" class="quiet" @click=${() => this.#pick(new Set())}>
              ${icon("check", 16)}Select
            </button>`
      }`;
  }

  #picking(picked: ReadonlySet<string>): TemplateResult {
    const all = this.chat.sessions.view.value.sessions.map(({ sessionKey }) => sessionKey);
    return html`<button type="button" class="quiet" @click=${() => this.#pick(undefined)}>Cancel</button>
      <button type="button" class="quiet" @click=${() => this.#pick(new Set(all))}>All</button>
      <button
        type="button"
        class="danger"
        ?disabled=${picked.size === 0 || this.deleting}
        @click=${() => void this.#deletePicked([...picked])}
      >
        ${this.deleting ? "Deleting" : "Delete"} ${picked.size}
      </button>`;
  }

  #pick(picked: ReadonlySet<string> | undefined): void {
    const began = picked !== undefined && this.picked === undefined;
    this.picked = picked;
    if (picked && !began) this.app.announce(`${picked.size} selected`);
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
        The sessions could not be listed. ${message}
        <button type="button" @click=${() => void this.chat.sessions.refresh()}>Try again</button>
      </p>`;
    if (state === "waiting") return html`<div class="sessions-rows" aria-busy="true"></div>`;
    const rows: readonly (WireSession | Hit)[] = this.picked ? sessions : [...sessions, ...hits];
    if (rows.length === 0) return html`<div class="sessions-rows">${this.#empty()}</div>`;
    return html`<elwood-row-window
      class="sessions-rows"
      .rows=${rows}
      .rowHeight=${ROW_PX}
      .row=${(each: WireSession | Hit) => ("snippet" in each ? this.#hit(each) : this.#row(each))}
      .label=${this.chat.sessions.trash ? "Deleted sessions" : "Sessions"}
      ?data-more=${more}
      @more=${() => void this.chat.sessions.loadMore()}
    ></elwood-row-window>`;
  }

  #empty(): TemplateResult {
    const { query, trash } = this.chat.sessions;
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
    const open = this.chat.open.value;
    const isOpen = sessionKey === open.sessionKey;
    const title = isOpen && preview === "" ? titleOfOpen(open) : spokenText(session.title);
    const waits = this.app.waiting.pending.some((each) => each.sessionKey === sessionKey);
    const said = previewOf(session);
    const unread = !isOpen && this.chat.sessions.seen.isUnread(sessionKey, updatedAt);
    const inside = html`<span class="session-title"
        >${pinned ? html`${icon("pin", 14)}<span class="unseen">Pinned: </span>` : nothing}<span>${title}</span>${unread ? html`<span class="unread" title="New"><span class="unseen">New</span></span>` : nothing}</span
      >
      <span class="session-preview" ?data-waits=${waits}>${waits ? "Waiting for you" : said}</span>
      ${timeAgo(updatedAt)}`;
    if (this.picked) return this.#pickable(session, inside, this.picked);
    return html`<div class="session-row" data-session=${sessionKey} ?data-open=${isOpen}>
      <a
        class="session"
        href="/c/${encodeURIComponent(sessionKey)}"
        tabindex="-1"
        aria-current=${isOpen ? "true" : nothing}
        @click=${() => this.#chosen()}
        >${inside}</a
      >
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
        <span class="session-preview">${spokenText(session.preview)}</span>
      </div>
      <button type="button" @click=${() => this.#restore(session)}>${icon("undo", 16)}Restore</button>
    </div>`;
  }

  #hit({ session, snippet, ts, runId }: Hit): TemplateResult {
    return html`<div class="session-row">
      <a
        class="session"
        href=${conversationPath(session.sessionKey, runId)}
        tabindex="-1"
        @click=${() => this.#chosen()}
      >
        <span class="session-title"
          ><span class="hint">Said in</span><span>${spokenText(session.title)}</span></span
        >
        <span class="session-preview">${spokenText(snippet)}</span>
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
      void this.chat.sessions.ask(query, this.chat.sessions.trash).then(() => this.requestUpdate());
    }, SEARCH_AFTER_MS);
  };

  readonly #switch = (): void => {
    const { sessions } = this.chat;
    void sessions.ask(sessions.query, !sessions.trash);
    this.requestUpdate();
  };
}

customElements.define("elwood-session-list", SessionList);
