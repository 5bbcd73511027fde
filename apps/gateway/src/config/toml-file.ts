import { parse, TomlDate, TomlError, type TomlValue } from "smol-toml";
import { basename } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import type { FileNode, LineColumn, ParsedFile } from "./yaml-file.ts";

type Group = FileNode & { readonly kind: "group" };

/** A settings file in TOML, with the place of every key. */
export function parseTomlSettings(text: string, file: string): ParsedFile {
  const start = { line: 1, column: 1 };
  const empty: Group = { kind: "group", entries: [], at: start };
  const refused = (at: LineColumn, saying: string): ParsedFile => ({
    root: empty,
    problems: [{ text: `${basename(file)}:${at.line} ${saying}`, file, ...at }],
  });
  const plain = text.replace(/^\uFEFF/, "");
  let values: TomlValue;
  try {
    values = parse(plain);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Behind the first line comes the text around it, which may hold a secret.
    const why = error.message.split("\n", 1)[0]!.replace(/^Invalid TOML document: /, "");
    return refused(error, `is not valid TOML: ${why}.`);
  }
  const builder = new Builder(placesIn(plain));
  const root = builder.node(values, [], start, 0);
  if (builder.tooMuch) return refused(start, "is nested too deeply or holds too many values.");
  return { root: root as Group, problems: [] };
}

/** Turns parsed values into nodes. What stands inside a value on one line has the place of its key. */
class Builder {
  readonly #places: ReadonlyMap<string, LineColumn>;
  #nodes = 0;
  tooMuch = false;

  constructor(places: ReadonlyMap<string, LineColumn>) {
    this.#places = places;
  }

  node(value: TomlValue, path: readonly string[], at: LineColumn, depth: number): FileNode {
    if (++this.#nodes > LIMITS.configNodesMax || depth > LIMITS.configDepthMax) {
      this.tooMuch = true;
      return { kind: "value", value: null, at };
    }
    if (Array.isArray(value)) {
      const items = value.map((item, i) => {
        const inner = [...path, String(i)];
        return this.node(item, inner, this.#placeOf(inner, at), depth + 1);
      });
      return { kind: "list", items, at };
    }
    // A day or a time is text to us, as in YAML.
    if (value instanceof TomlDate) return { kind: "value", value: value.toISOString(), at };
    if (typeof value === "object") {
      const entries = Object.entries(value).map(([key, inner]) => {
        const keyPath = [...path, key];
        const keyAt = this.#placeOf(keyPath, at);
        return { key, at: keyAt, node: this.node(inner, keyPath, keyAt, depth + 1) };
      });
      return { kind: "group", entries, at };
    }
    return { kind: "value", value: typeof value === "bigint" ? Number(value) : value, at };
  }

  #placeOf(path: readonly string[], outer: LineColumn): LineColumn {
    return this.#places.get(path.join("\0")) ?? outer;
  }
}

/**
 * Where each key of a TOML text stands, by its steps; the parser does not say. The text is known to be valid, so
 * that a statement is a header in brackets or a key with its value behind it.
 */
function placesIn(text: string): Map<string, LineColumn> {
  const places = new Map<string, LineColumn>();
  const tables = new Map<string, number>();
  let table: string[] = [];
  let line = 1;
  let lineStart = 0;
  let at = 0;
  const note = (path: readonly string[], column: number) => {
    for (let length = 1; length <= path.length; length++) {
      const key = path.slice(0, length).join("\0");
      if (!places.has(key)) places.set(key, { line, column });
    }
  };
  const token = new RegExp(STATEMENT_PART, "gy");
  let inValue = false;
  let depth = 0;
  while (at < text.length) {
    const column = at - lineStart + 1;
    const statement = inValue ? null : STATEMENT.exec(text.slice(at, endOfLine(text, at)));
    if (statement?.groups?.["key"] !== undefined) {
      note([...table, ...stepsOf(statement.groups["key"])], column);
      at += statement[0].length;
      inValue = true;
      continue;
    }
    const header = statement?.groups?.["list"] ?? statement?.groups?.["table"];
    if (header !== undefined) {
      const outer = withIndexes(stepsOf(header), tables);
      table = outer;
      if (statement?.groups?.["list"] !== undefined) {
        const key = outer.join("\0");
        const index = tables.get(key) ?? 0;
        tables.set(key, index + 1);
        note(outer, column);
        table = [...outer, String(index)];
      }
      note(table, column);
      at += statement![0].length;
      continue;
    }
    token.lastIndex = at;
    const part = token.exec(text)?.[0] ?? text[at]!;
    at += part.length;
    if (part === "[" || part === "{") depth += 1;
    if (part === "]" || part === "}") depth -= 1;
    for (let nl = part.indexOf("\n"); nl >= 0; nl = part.indexOf("\n", nl + 1)) {
      line += 1;
      lineStart = at - part.length + nl + 1;
    }
    if (part === "\n" && depth === 0) inValue = false;
  }
  return places;
}

const BARE_OR_QUOTED = /(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')/.source;
const DOTTED = `${BARE_OR_QUOTED}(?:[ \\t]*\\.[ \\t]*${BARE_OR_QUOTED})*`;
/** What a line can begin with, beside blanks and remarks. */
const STATEMENT = new RegExp(
  `^(?:\\[\\[[ \\t]*(?<list>${DOTTED})[ \\t]*\\]\\]|\\[[ \\t]*(?<table>${DOTTED})[ \\t]*\\]|(?<key>${DOTTED})[ \\t]*=)`,
);
/** Whatever a value is made of: strings as a whole, so that nothing in them counts; remarks; single characters. */
const STATEMENT_PART =
  /"""(?:\\[\s\S]|[^\\])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[\s\S]/.source;

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function stepsOf(dotted: string): string[] {
  return [...dotted.matchAll(new RegExp(BARE_OR_QUOTED, "g"))].map(([step]) => {
    if (step.startsWith("'")) return step.slice(1, -1);
    // As text between quotes is read by the parser itself.
    return step.startsWith('"') ? Object.keys(parse(`${step} = 0`))[0]! : step;
  });
}

/** A header below a list of tables means the list's last one. */
function withIndexes(steps: readonly string[], tables: ReadonlyMap<string, number>): string[] {
  const path: string[] = [];
  for (const [i, step] of steps.entries()) {
    path.push(step);
    const count = tables.get(path.join("\0"));
    if (count !== undefined && i < steps.length - 1) path.push(String(count - 1));
  }
  return path;
}
