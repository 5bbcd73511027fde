import { html, nothing, render } from "lit";
import { RequestError } from "@elwood/sdk/client";
import { spokenText } from "../parts/markdown/spoken-text.ts";
import { keyLabels, type Command } from "./commands.ts";
import type { AppContext } from "./context.ts";
import { conversationPath } from "./paths.ts";

const SHOWN_MAX = 40;
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
  if (document.querySelector("dialog.palette")) return;
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", "Find a command, page or session");
  let query = "";
  let chosen = 0;
  let found: readonly Entry[] = [];
  let timer: number | undefined;
  const commands = app.commands.all
    .filter((each) => !each.local && each.id !== "palette" && (each.when?.() ?? true))
    .map((each: Command): Entry => each);

  const entries = () => [...commands.filter((each) => fits(each.title, query)), ...found].slice(0, SHOWN_MAX);
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    dialog.close();
    entry.run();
  };
  const move = (by: number) => {
    const count = entries().length;
    chosen = count === 0 ? 0 : (chosen + by + count) % count;
    draw();
    dialog.querySelector(`#palette-${chosen}`)?.scrollIntoView({ block: "nearest" });
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") choose(entries()[chosen]);
    else return;
    event.preventDefault();
  };
  const typed = (event: Event) => {
    query = event.target instanceof HTMLInputElement ? event.target.value : "";
    chosen = 0;
    found = [];
    draw();
    clearTimeout(timer);
    timer = window.setTimeout(() => void search(query), SEARCH_AFTER_MS);
  };
  const search = async (asked: string) => {
    const sessions = await findSessions(app, asked);
    if (asked !== query || !dialog.open) return;
    found = sessions;
    draw();
  };

  function draw(): void {
    const shown = entries();
    let group = "";
    render(
      html`<input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant=${shown.length > 0 ? `palette-${chosen}` : nothing}
          aria-label="Find"
          placeholder="Find a command, page or session"
          autocomplete="off"
          spellcheck="false"
          @input=${typed}
          @keydown=${pressed}
        />
        <div id="palette-list" role="listbox" aria-label="Found" class="palette-list">
          ${shown.map((entry, i) => {
            const head = entry.group === group ? nothing : html`<p class="palette-group">${entry.group}</p>`;
            group = entry.group;
            return html`${head}
              <div
                id="palette-${i}"
                role="option"
                class="palette-entry"
                aria-selected=${i === chosen}
                @click=${() => choose(entry)}
              >
                <span>${spokenText(entry.title)}</span
                >${entry.keys === undefined ? nothing : keyCaps(entry.keys)}
              </div>`;
          })}
        </div>
        ${shown.length === 0 ? html`<p class="hint palette-none" role="status">Nothing has that name.</p>` : nothing}`,
      dialog,
    );
  }

  draw();
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  void search("");
}

export function keyCaps(keys: string): unknown {
  return html`<span class="keys">${keyLabels(keys).map((key) => html`<kbd>${key}</kbd>`)}</span>`;
}

async function findSessions(app: AppContext, query: string): Promise<readonly Entry[]> {
  try {
    const { sessions } = await app.link.call("sessions.list", {
      limit: HITS_MAX,
      ...(query.trim() === "" ? {} : { query: query.trim() }),
    });
    const byTitle = sessions.map((each) =>
      entryOf(app, conversationPath(each.sessionKey), each.title, "Sessions"),
    );
    if (query.trim().length < 3) return byTitle;
    const { hits } = await app.link.call("sessions.search", { query: query.trim(), limit: HITS_MAX });
    const said = hits.map(({ session, snippet, runId }) =>
      entryOf(app, conversationPath(session.sessionKey, runId), `${session.title}: ${snippet}`, "Said in"),
    );
    return [...byTitle, ...said];
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
