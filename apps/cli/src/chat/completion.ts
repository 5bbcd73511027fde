import { readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import {
  CombinedAutocompleteProvider,
  fuzzyFilter,
  type AutocompleteItem,
  type AutocompleteProvider,
} from "@earendil-works/pi-tui";
import { pathOf } from "./attachments.ts";
import { CHAT_COMMANDS } from "./commands.ts";

/** Files below the folder that are offered; a larger tree is offered in part. */
const ENTRIES_MAX = 5_000;
const DEPTH_MAX = 8;
const SHOWN_MAX = 40;
const LISTED_FOR_MS = 5_000;
const LEFT_OUT = new Set(["node_modules", "dist", "target", "__pycache__"]);

export interface CompletionDeps {
  readonly folder: string;
  readonly now: () => number;
  /** What may stand behind a command, such as names of models. */
  readonly argumentsOf: (command: string, begun: string) => Promise<readonly AutocompleteItem[]>;
}

/** Completes commands, what stands behind them, paths, and files behind an @. */
export function completions({ folder, now, argumentsOf }: CompletionDeps): AutocompleteProvider {
  const commands = CHAT_COMMANDS.map(({ name, description, argument }) => ({
    name,
    description,
    ...(argument === undefined ? {} : { argumentHint: argument }),
    getArgumentCompletions: async (begun: string) => [...(await argumentsOf(name, begun))],
  }));
  const usual = new CombinedAutocompleteProvider(commands, folder);
  let listed: { readonly at: number; readonly files: Promise<string[]> } | undefined;
  const files = () => {
    if (!listed || now() - listed.at > LISTED_FOR_MS) listed = { at: now(), files: filesBelow(folder) };
    return listed.files;
  };
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, cursorLine, cursorCol, options) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      const [prefix] = /(?:^|(?<=\s))@(?:"[^"]*|\S*)$/.exec(before) ?? [];
      if (prefix === undefined) return usual.getSuggestions(lines, cursorLine, cursorCol, options);
      const items = await mentioned(prefix.replace(/^@"?/, ""), folder, files);
      return items.length === 0 ? null : { items, prefix };
    },
    applyCompletion: (...given) => usual.applyCompletion(...given),
    shouldTriggerFileCompletion: (...given) => usual.shouldTriggerFileCompletion(...given),
  };
}

async function mentioned(
  begun: string,
  folder: string,
  files: () => Promise<string[]>,
): Promise<AutocompleteItem[]> {
  const outside = /^(?:\/|~|\.\.)/.test(begun);
  const names = outside ? await beside(begun, folder) : fuzzyFilter(await files(), begun, (name) => name);
  return names.slice(0, SHOWN_MAX).map((name) => ({
    value: /\s/.test(name) ? `@"${name}"` : `@${name}`,
    label: name,
  }));
}

/** What lies in the folder that was begun to be written, outside the one where the chat was started. */
async function beside(begun: string, folder: string): Promise<string[]> {
  const written = begun.endsWith("/") ? begun : begun.slice(0, begun.lastIndexOf("/") + 1);
  const rest = begun.slice(written.length).toLowerCase();
  const entries = await entriesOf(
    begun.endsWith("/") ? pathOf(begun, folder) : dirname(pathOf(`${begun}x`, folder)),
  );
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(rest))
    .map(({ name, isFolder }) => `${written}${name}${isFolder ? "/" : ""}`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  let level = [folder];
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0 && found.length < ENTRIES_MAX; depth++) {
    const next: string[] = [];
    for (const at of level) {
      for (const { name, isFolder } of await entriesOf(at)) {
        if (name.startsWith(".") || (isFolder && LEFT_OUT.has(name))) continue;
        const path = join(at, name);
        if (isFolder) next.push(path);
        else found.push(relative(folder, path).split(sep).join("/"));
      }
      if (found.length >= ENTRIES_MAX) break;
    }
    level = next;
  }
  return found.slice(0, ENTRIES_MAX);
}

async function entriesOf(folder: string): Promise<{ readonly name: string; readonly isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .slice(0, ENTRIES_MAX)
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .filter(({ name }) => !/\p{Cc}/u.test(name));
  } catch (cause) {
    // A folder that cannot be looked into offers nothing.
    if (cause instanceof Error && "code" in cause) return [];
    throw cause;
  }
}
