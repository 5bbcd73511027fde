import type { FileEntry, FileNode } from "./yaml-file.ts";

type Group = FileNode & { readonly kind: "group" };

interface OpenGroup {
  readonly indent: number;
  readonly entries: FileEntry[];
  readonly keys: Set<string>;
}

/**
 * Reads the plainest of YAML without the YAML parser: nested `key: value` lines with
 * comments, as the file of a first run is. Loading the parser and warming it takes 26 ms
 * of every start; this takes none. It only ever says what the parser would say: at
 * anything else (quotes, lists, tabs, odd indentation, a key twice, anything wrong) it
 * answers undefined, and the parser is asked.
 */
export function parsePlainSettings(text: string): Group | undefined {
  const root: OpenGroup = { indent: 0, entries: [], keys: new Set() };
  const open = [root];
  /** A key with nothing behind it yet: deeper lines that follow are its group. */
  let waiting: { indent: number; group: OpenGroup; entry: FileEntry } | undefined;
  for (const [i, line] of text.split("\n").entries()) {
    if (/^ *(#[^\r]*)?$/.test(line)) continue;
    const found = LINE.exec(line);
    if (found === null) return undefined;
    const [, blanks = "", key = "", spaces = "", value] = found;
    const indent = blanks.length;
    const at = { line: i + 1, column: indent + 1 };
    if (waiting !== undefined && indent > waiting.indent) {
      const entries: FileEntry[] = [];
      const group: OpenGroup = { indent, entries, keys: new Set() };
      replaceLast(waiting.group, { ...waiting.entry, node: { kind: "group", entries, at } });
      open.push(group);
    }
    while (open.at(-1)!.indent > indent) open.pop();
    const group = open.at(-1)!;
    if (group.indent !== indent || group.keys.has(key) || /^(null|true|false)$/i.test(key)) return undefined;
    group.keys.add(key);
    const scalar = value === undefined ? null : plainValue(value);
    if (scalar === undefined) return undefined;
    const column = indent + key.length + spaces.length + 2;
    const entry: FileEntry = { key, at, node: { kind: "value", value: scalar, at: { ...at, column } } };
    group.entries.push(entry);
    waiting = value === undefined ? { indent, group, entry } : undefined;
  }
  return { kind: "group", entries: root.entries, at: root.entries[0]?.at ?? { line: 1, column: 1 } };
}

/** Blanks, a key of letters and digits, a colon, perhaps one word, perhaps a comment. */
const LINE = /^( *)([A-Za-z][A-Za-z0-9_]*):(?:( +)([^\s#]+))?(?: +(?:#[^\r]*)?)?$/;

/** One word whose meaning in YAML is beyond doubt. */
function plainValue(word: string): string | number | boolean | undefined {
  if (word === "true" || word === "false") return word === "true";
  if (/^(null|true|false)$/i.test(word)) return undefined;
  if (/^(0|[1-9]\d{0,14})$/.test(word) || /^(0|[1-9]\d{0,8})\.\d{1,6}$/.test(word)) return Number(word);
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(word)) return word;
  if (/^(~\/|\/)?[A-Za-z][A-Za-z0-9_./-]*(:[A-Za-z0-9_./-]+)*$/.test(word)) return word;
  return undefined;
}

function replaceLast(group: OpenGroup, entry: FileEntry): void {
  group.entries[group.entries.length - 1] = entry;
}
