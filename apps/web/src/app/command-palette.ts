import { html, nothing, render, type TemplateResult } from "lit";
import { RequestError } from "@elwood/sdk/client";
import { spokenText } from "../parts/markdown/spoken-text.ts";
import { keyLabels } from "./commands.ts";
import type { AppContext } from "./context.ts";
import { conversationPath } from "./paths.ts";
import { say } from "../words/en/app.ts";
import { fill } from "../words/fill.ts";

const SHOWN_MAX = 60;
const SEARCH_AFTER_MS = 180;
const HITS_MAX = 8;

interface Entry {
  readonly title: string;
  readonly group: string;
  readonly keys?: string;
  readonly run: () => void;
}

/** Everything by name: commands, pages, sessions, and what was said in them. */
export function openPalette(app: AppContext): void {
  if (!document.querySelector("dialog.palette")) new Palette(app).open();
}

class Palette {
  readonly #app: AppContext;
  readonly #dialog = document.createElement("dialog");
  #commands: readonly Entry[];
  #query = "";
  #chosen = 0;
  #found: readonly Entry[] = [];
  #timer: number | undefined;

  constructor(app: AppContext) {
    this.#app = app;
    this.#commands = app.commands.all
      .filter(({ id, local, when }) => !local && id !== "palette" && id !== "chat-new" && (when?.() ?? true))
      .toSorted((a, b) => lateness(a) - lateness(b));
    this.#dialog.className = "palette";
    this.#dialog.setAttribute("aria-label", "Find a command, page or session");
  }

  open(): void {
    const dialog = this.#dialog;
    this.#draw();
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    document.body.append(dialog);
    dialog.showModal();
    void this.#search("");
    void this.#addPrompts();
  }

  async #addPrompts(): Promise<void> {
    this.#commands = [...this.#commands, ...(await findPrompts(this.#app))];
    if (this.#dialog.open) this.#draw();
  }

  #entries(): readonly Entry[] {
    const fresh = entryOf(this.#app, "/c/new", say.newSession, say.sessions);
    const commands = this.#commands.filter((each) => fits(each.title, this.#query));
    // Whoever has typed nothing yet most often wants a session; whoever has, what is called so.
    const entries =
      this.#query === ""
        ? [fresh, ...this.#found, ...commands]
        : [...commands, ...[fresh].filter(({ title }) => fits(title, this.#query)), ...this.#found];
    return entries.slice(0, SHOWN_MAX);
  }

  #choose(entry: Entry | undefined): void {
    if (!entry) return;
    this.#dialog.close();
    entry.run();
  }

  #move(by: number): void {
    const count = this.#entries().length;
    this.#chosen = count === 0 ? 0 : (this.#chosen + by + count) % count;
    this.#draw();
    this.#dialog.querySelector(`#palette-${this.#chosen}`)?.scrollIntoView({ block: "nearest" });
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key === "ArrowDown") this.#move(1);
    else if (event.key === "ArrowUp") this.#move(-1);
    else if (event.key === "Enter") this.#choose(this.#entries()[this.#chosen]);
    else return;
    event.preventDefault();
  }

  #typed(event: Event): void {
    this.#query = event.target instanceof HTMLInputElement ? event.target.value : "";
    this.#chosen = 0;
    this.#found = [];
    this.#draw();
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#search(this.#query), SEARCH_AFTER_MS);
  }

  async #search(asked: string): Promise<void> {
    const sessions = await findSessions(this.#app, asked);
    if (asked !== this.#query || !this.#dialog.open) return;
    this.#found = sessions;
    this.#draw();
  }

  #draw(): void {
    const shown = this.#entries();
    render(
      html`<input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant=${shown.length > 0 ? `palette-${this.#chosen}` : nothing}
          aria-label=${say.find}
          placeholder=${say.findACommandPageOrSession}
          autocomplete="off"
          spellcheck="false"
          @input=${(event: Event) => this.#typed(event)}
          @keydown=${(event: KeyboardEvent) => this.#pressed(event)}
        />
        <div id="palette-list" role="listbox" aria-label=${say.found} class="palette-list">
          ${shown.map((entry, i) => this.#entryView(entry, i, shown[i - 1]?.group))}
        </div>
        ${shown.length === 0 ? html`<p class="hint palette-none" role="status">${say.nothingHasThatName}</p>` : nothing}`,
      this.#dialog,
    );
  }

  #entryView(entry: Entry, i: number, groupBefore: string | undefined): TemplateResult {
    const head = entry.group === groupBefore ? nothing : html`<p class="palette-group">${entry.group}</p>`;
    return html`${head}
      <div
        id="palette-${i}"
        role="option"
        class="palette-entry"
        aria-selected=${i === this.#chosen}
        @click=${() => this.#choose(entry)}
      >
        <span>${spokenText(entry.title)}</span>${entry.keys === undefined ? nothing : keyCaps(entry.keys)}
      </div>`;
  }
}

/** What serves every page comes after what serves this one, and what stops everything at the very end. */
function lateness({ id, group }: { readonly id: string; readonly group: string }): number {
  if (id === "stop-all") return 2;
  return group === "General" ? 1 : 0;
}

export function keyCaps(keys: string): unknown {
  return html`<span class="keys">${keyLabels(keys).map((key) => html`<kbd>${key}</kbd>`)}</span>`;
}

/** What running MCP servers prepare, each with the form that it is filled in with. */
function findPrompts(app: AppContext): Promise<readonly Entry[]> {
  return orNone(async () => {
    if (!app.link.has("mcp.prompts")) return [];
    const { prompts } = await app.link.call("mcp.prompts", {});
    return prompts.map(({ server, name }) =>
      entryOf(
        app,
        `/integrations?${new URLSearchParams({ offers: server, prompt: name })}`,
        fill(say.of, name, server),
        say.prompts,
      ),
    );
  });
}

function findSessions(app: AppContext, query: string): Promise<readonly Entry[]> {
  return orNone(async () => {
    const { sessions } = await app.link.call("sessions.list", {
      limit: HITS_MAX,
      ...(query.trim() === "" ? {} : { query: query.trim() }),
    });
    const byTitle = sessions.map((each) =>
      entryOf(app, conversationPath(each.sessionKey), each.title, say.sessions),
    );
    if (query.trim().length < 3) return byTitle;
    const { hits } = await app.link.call("sessions.search", { query: query.trim(), limit: HITS_MAX });
    const said = hits.map(({ session, snippet, runId }) =>
      entryOf(app, conversationPath(session.sessionKey, runId), `${session.title}: ${snippet}`, say.saidIn),
    );
    return [...byTitle, ...said];
  });
}

async function orNone(find: () => Promise<readonly Entry[]>): Promise<readonly Entry[]> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof RequestError) return [];
    throw error;
  }
}

function entryOf(app: AppContext, path: string, title: string, group: string): Entry {
  return { title, group, run: () => app.router.go(path) };
}

/** Every word of the query begins a word of the title. */
function fits(title: string, query: string): boolean {
  const words = title.toLowerCase().split(/\W+/);
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
