import { LIMITS } from "@elwood/core/base/limits";
import type { FileEntry, FileNode, LineColumn } from "./yaml-file.ts";

type Group = FileNode & { readonly kind: "group" };

/**
 * Reads the plain part of YAML without the YAML parser: nested `key: value` lines and lists with comments, words in
 * quotes, lists and groups in brackets on one line, and JSON; that is what Elwood itself writes. Loading the
 * parser and warming it takes 26 ms of every start, and a file with many MCP servers takes it three times that;
 * this takes next to nothing. It only ever says what the parser would say: at anything else (tabs, odd
 * indentation, a key twice, anything wrong) it answers undefined, and the parser is asked.
 */
export function parsePlainSettings(text: string): Group | undefined {
  try {
    const reader = new PlainReader(text);
    return text.startsWith("{") ? reader.json() : reader.lines();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class NotPlain extends Error {}

/** A line with something on it. A list's item begins where its dash stands, and is read from behind it. */
interface Line {
  readonly number: number;
  /** Where it begins in the text. */
  readonly start: number;
  readonly end: number;
  /** Where what is left of it begins, counted from its start. */
  indent: number;
}

class PlainReader {
  readonly #text: string;
  readonly #lines: Line[] = [];
  #at = 0;
  #pos = 0;
  #nodes = 0;
  /** The line that `#pos` is on, from 1, and where it begins. */
  #line = 1;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
  }

  lines(): Group {
    this.#cutLines();
    const first = this.#lines[0];
    if (first === undefined) return { kind: "group", entries: [], at: { line: 1, column: 1 } };
    if (first.indent !== 0) throw new NotPlain();
    const group = this.#group(0, 0);
    if (this.#at < this.#lines.length) throw new NotPlain();
    return group;
  }

  /** The whole text is one group in brackets, over as many lines as it likes. */
  json(): Group {
    const root = this.#flow(0, true);
    this.#blanks(true);
    if (root.kind !== "group" || this.#pos < this.#text.length) throw new NotPlain();
    return root;
  }

  #cutLines(): void {
    let start = 0;
    for (const [i, line] of this.#text.split("\n").entries()) {
      const found = /^( *)(?:#[^\r]*)?/.exec(line);
      if (found === null || line.includes("\r") || line.includes("\t")) throw new NotPlain();
      if (found[0].length < line.length)
        this.#lines.push({ number: i + 1, start, end: start + line.length, indent: found[1]!.length });
      start += line.length + 1;
    }
  }

  /** Lines of one indentation; ends at the first that is further out. */
  #group(indent: number, depth: number): Group {
    this.#count(depth);
    const entries: FileEntry[] = [];
    const keys = new Set<string>();
    const at = this.#place(this.#lines[this.#at]!);
    for (let line = this.#lines[this.#at]; line && line.indent >= indent; line = this.#lines[this.#at]) {
      if (line.indent > indent) throw new NotPlain();
      const key = this.#match(KEY, line.start + indent);
      if (key === undefined) throw new NotPlain();
      const name = key.slice(0, -1);
      taken(keys, name);
      const keyAt = this.#place(line);
      this.#at += 1;
      entries.push({ key: name, at: keyAt, node: this.#behind(line, indent + key.length, indent, depth) });
    }
    return { kind: "group", entries, at };
  }

  /** What stands behind a key: on its line, or deeper on the next ones. */
  #behind(line: Line, column: number, indent: number, depth: number): FileNode {
    this.#enter(line, column);
    const gap = this.#blanks(false);
    const next = this.#lines[this.#at];
    if (this.#pos < line.end && this.#text[this.#pos] !== "#") {
      if (gap === 0 || (next !== undefined && next.indent > indent)) throw new NotPlain();
      return this.#value(line, depth);
    }
    if (this.#pos < line.end && gap === 0) throw new NotPlain();
    if (next === undefined || next.indent <= indent) {
      this.#count(depth + 1);
      // The parser takes a list for the key's own that begins right below it.
      if (next !== undefined && next.indent === indent && this.#isItem(next)) throw new NotPlain();
      return { kind: "value", value: null, at: this.#here() };
    }
    return this.#isItem(next) ? this.#list(next.indent, depth + 1) : this.#group(next.indent, depth + 1);
  }

  #list(indent: number, depth: number): FileNode {
    this.#count(depth);
    const items: FileNode[] = [];
    const at = this.#place(this.#lines[this.#at]!);
    for (let line = this.#lines[this.#at]; line && line.indent >= indent; line = this.#lines[this.#at]) {
      if (line.indent > indent || !this.#isItem(line)) throw new NotPlain();
      this.#enter(line, indent + 1);
      this.#blanks(false);
      const inner = this.#pos - line.start;
      if (this.#match(KEY, this.#pos) !== undefined) {
        line.indent = inner;
        items.push(this.#group(inner, depth + 1));
        continue;
      }
      this.#at += 1;
      const next = this.#lines[this.#at];
      if (next !== undefined && next.indent > indent) throw new NotPlain();
      items.push(this.#value(line, depth));
    }
    return { kind: "list", items, at };
  }

  #isItem(line: Line): boolean {
    return this.#text.startsWith("- ", line.start + line.indent);
  }

  /** A value that ends with its line, perhaps with a comment behind it. */
  #value(line: Line, depth: number): FileNode {
    const node = this.#flow(depth + 1, false);
    const gap = this.#blanks(false);
    if (this.#pos < line.end && (gap === 0 || this.#text[this.#pos] !== "#")) throw new NotPlain();
    return node;
  }

  /** A word, a text in quotes, or a list or group in brackets. */
  #flow(depth: number, several: boolean, inside = false): FileNode {
    this.#count(depth);
    const at = this.#here();
    const first = this.#text[this.#pos];
    if (first === "[" || first === "{") {
      this.#pos += 1;
      return first === "[" ? this.#flowList(at, depth, several) : this.#flowGroup(at, depth, several);
    }
    const quoted = this.#quoted();
    if (quoted !== undefined) return { kind: "value", value: quoted, at };
    const word = this.#match(inside ? FLOW_WORD : WORD, this.#pos);
    const value = word === undefined ? undefined : plainValue(word);
    if (word === undefined || value === undefined) throw new NotPlain();
    this.#pos += word.length;
    return { kind: "value", value, at };
  }

  #flowList(at: LineColumn, depth: number, several: boolean): FileNode {
    const items: FileNode[] = [];
    while (!this.#ends("]", items.length, several)) items.push(this.#flow(depth + 1, several, true));
    return { kind: "list", items, at };
  }

  #flowGroup(at: LineColumn, depth: number, several: boolean): Group {
    const entries: FileEntry[] = [];
    const keys = new Set<string>();
    while (!this.#ends("}", entries.length, several)) {
      const keyAt = this.#here();
      const key = this.#flowKey();
      taken(keys, key);
      this.#blanks(several);
      entries.push({ key, at: keyAt, node: this.#flow(depth + 1, several, true) });
    }
    return { kind: "group", entries, at };
  }

  /** Between two values; true where the last one has been read. */
  #ends(bracket: string, count: number, several: boolean): boolean {
    this.#blanks(several);
    const next = this.#text[this.#pos];
    if (next === bracket) {
      this.#pos += 1;
      return true;
    }
    if (count > 0) {
      if (next !== ",") throw new NotPlain();
      this.#pos += 1;
      this.#blanks(several);
      if (this.#text[this.#pos] === bracket) throw new NotPlain();
    }
    return false;
  }

  #flowKey(): string {
    const quoted = this.#quoted();
    if (quoted !== undefined) {
      if (quoted.length > KEY_CHARS_MAX || this.#text[this.#pos] !== ":") throw new NotPlain();
      this.#pos += 1;
      return quoted;
    }
    const key = this.#match(KEY, this.#pos);
    if (key === undefined || this.#text[this.#pos + key.length] !== " ") throw new NotPlain();
    this.#pos += key.length;
    return key.slice(0, -1);
  }

  #quoted(): string | undefined {
    const double = this.#match(DOUBLE, this.#pos);
    const text = double ?? this.#match(SINGLE, this.#pos);
    if (text === undefined) return undefined;
    this.#pos += text.length;
    if (double !== undefined) return JSON.parse(double) as string;
    if (this.#text[this.#pos] === "'") throw new NotPlain();
    return text.slice(1, -1);
  }

  /** Goes on to what is not blank; how many blanks there were. */
  #blanks(several: boolean): number {
    const before = this.#pos;
    for (;;) {
      const next = this.#text[this.#pos];
      if (next === "\n" && several) {
        this.#line += 1;
        this.#lineStart = this.#pos + 1;
      } else if (next !== " ") return this.#pos - before;
      this.#pos += 1;
    }
  }

  #enter(line: Line, column: number): void {
    this.#pos = line.start + column;
    this.#line = line.number;
    this.#lineStart = line.start;
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  #place({ number, indent }: Line): LineColumn {
    return { line: number, column: indent + 1 };
  }

  #here(): LineColumn {
    return { line: this.#line, column: this.#pos - this.#lineStart + 1 };
  }

  #count(depth: number): void {
    if (++this.#nodes > LIMITS.configNodesMax || depth > LIMITS.configDepthMax) throw new NotPlain();
  }
}

function taken(keys: Set<string>, key: string): void {
  if (keys.has(key) || /^(null|true|false)$/i.test(key)) throw new NotPlain();
  keys.add(key);
}

const KEY_CHARS_MAX = 200;
const KEY = /[A-Za-z][A-Za-z0-9_-]*:(?=[ \n]|$)/y;
const WORD = /[^\s#]+/y;
const FLOW_WORD = /[^\s#,[\]{}]+/y;
const DOUBLE = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SINGLE = /'[^'\u0000-\u001f]*'/y;

/** One word whose meaning in YAML is beyond doubt. */
function plainValue(word: string): string | number | boolean | undefined {
  if (word === "true" || word === "false") return word === "true";
  if (/^(null|true|false)$/i.test(word)) return undefined;
  if (/^(0|[1-9]\d{0,14})$/.test(word) || /^(0|[1-9]\d{0,8})\.\d{1,6}$/.test(word)) return Number(word);
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(word)) return word;
  if (/^(~\/|\/|--?)?[A-Za-z][A-Za-z0-9_./-]*([:@=][A-Za-z0-9_./-]+)*$/.test(word)) return word;
  return undefined;
}
