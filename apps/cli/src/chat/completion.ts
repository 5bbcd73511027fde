import { readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import {
  CombinedAutocompleteProvider,
  fuzzyFilter,
  type AutocompleteItem,
  type AutocompleteProvider,
} from "@earendil-works/pi-tui";
import { showLine } from "@elwood/core/base/show";
import { pathOf } from "./attachments.ts";
import { chatCommands } from "./commands.ts";
import type { OfferedPrompt, OfferedResource } from "./mcp-offers.ts";

/** Files below the folder that are offered; a larger tree is offered in part. */
const ENTRIES_MAX = 5_000;
const DEPTH_MAX = 8;
const SHOWN_MAX = 40;
const LISTED_FOR_MS = 5_000;
/** Files and commands are not held up for longer by servers that are slow to say what they offer. */
const OFFERS_MS_MAX = 1_000;
const LEFT_OUT = new Set(["node_modules", "dist", "target", "__pycache__"]);

export interface CompletionDeps {
  readonly folder: string;
  readonly now: () => number;
  /** What may stand behind a command, such as names of models. */
  readonly argumentsOf: (command: string, begun: string) => Promise<readonly AutocompleteItem[]>;
  /** What MCP servers offer. */
  readonly resources: () => Promise<readonly OfferedResource[]>;
  readonly prompts: () => Promise<readonly OfferedPrompt[]>;
}

/** Completes commands, prompts of MCP servers, what stands behind commands, paths, and files and resources behind an @. */
export function completions(deps: CompletionDeps): AutocompleteProvider {
  const { folder, now, argumentsOf } = deps;
  const commands = chatCommands().map(({ name, description, argument }) => ({
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
      if (prefix === undefined) {
        const known = await usual.getSuggestions(lines, cursorLine, cursorCol, options);
        if (cursorLine !== 0 || !/^\/[^\s/]*$/.test(before)) return known;
        const prompts = matchingPrompts(before.slice(1), await inTime(deps.prompts()));
        const items = [...(known?.items ?? []), ...prompts];
        return items.length === 0 ? null : { items, prefix: before };
      }
      const begun = prefix.replace(/^@"?/, "");
      const resources = prefix.startsWith('@"') ? [] : await inTime(deps.resources());
      const items = [...matchingResources(begun, resources), ...(await mentioned(begun, folder, files))];
      return items.length === 0 ? null : { items: items.slice(0, SHOWN_MAX), prefix };
    },
    applyCompletion: (...given) => usual.applyCompletion(...given),
    shouldTriggerFileCompletion: (...given) => usual.shouldTriggerFileCompletion(...given),
  };
}

/** What was offered by then. */
async function inTime<T>(offers: Promise<readonly T[]>): Promise<readonly T[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly T[]>();
  const timer = setTimeout(() => resolve([]), OFFERS_MS_MAX);
  try {
    return await Promise.race([offers, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Words of a server's. */
function oneLine(words: string): string {
  return showLine(words.replaceAll(/\s+/g, " "));
}

function matchingPrompts(begun: string, prompts: readonly OfferedPrompt[]): AutocompleteItem[] {
  const items = prompts.map(({ server, name, description = "", arguments: taken }): AutocompleteItem => {
    const hint = taken.map((each) => (each.required ? `<${each.name}>` : `[${each.name}]`)).join(" ");
    const words = [hint, description].filter((each) => each !== "").join(" — ");
    return { value: `${server}:${name}`, label: showLine(`${server}:${name}`), description: oneLine(words) };
  });
  return fuzzyFilter(items, begun, ({ value }) => value).slice(0, SHOWN_MAX);
}

function matchingResources(begun: string, resources: readonly OfferedResource[]): AutocompleteItem[] {
  const items = resources.map(({ server, uri, name }) => ({
    value: `@${server}:${uri}`,
    label: showLine(`${server}:${uri}`),
    description: oneLine(name),
  }));
  // Files have room beside them.
  return fuzzyFilter(items, begun, ({ value, description }) => `${value} ${description}`).slice(
    0,
    SHOWN_MAX / 2,
  );
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
