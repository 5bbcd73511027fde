import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin, Rolldown } from "vite";

type Parse = (code: string) => unknown;

/** Where the tables of sentences are; those beside them are keyed by what the gateway says. */
const TABLE = /\/words\/(?:en|de)\/(?!(?:german|gateway|deeds|states)\.ts$)[^/]+\.ts$/;

/**
 * Names of sentences are sentences themselves, so that code can be read, and a good part of the script. The
 * built page has short ones, in every language the same. A name that is also written as text somewhere stays,
 * whatever that text is for: code may look a sentence up by it.
 */
export function shortWords(folder: string): Plugin {
  let names: ReadonlyMap<string, string> = new Map();
  return {
    name: "elwood-short-words",
    apply: "build",
    buildStart() {
      names = shortNames(sourcesIn(folder));
    },
    transform(this: Rolldown.TransformPluginContext, code, id) {
      const isTable = TABLE.test(id);
      if (!id.startsWith(folder) || !(isTable || /\bsay\b/.test(code))) return undefined;
      return { code: withShortWords(code, isTable, names, (text) => this.parse(text)), map: null };
    },
  };
}

function sourcesIn(folder: string): readonly { readonly table: boolean; readonly code: string }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => {
      const path = join(folder, name);
      return { table: TABLE.test(path), code: readFileSync(path, "utf8") };
    });
}

/** A short name for each name of a sentence that no file has as text. */
export function shortNames(
  sources: readonly { readonly table: boolean; readonly code: string }[],
): ReadonlyMap<string, string> {
  const words = new Set<string>();
  const texts = new Set<string>();
  for (const { table, code } of sources) {
    if (table) for (const [, name = ""] of code.matchAll(/^ {2}(\w+):/gm)) words.add(name);
    for (const [, text = ""] of code.matchAll(/["'`](\w+)["'`]/g)) if (!table) texts.add(text);
  }
  const long = [...words].filter((name) => !texts.has(name) && name.length > 2);
  const free = letters().filter((name) => !words.has(name));
  return new Map(long.map((name, i) => [name, free[i] ?? name]));
}

/** One letter each, then two: more than there are sentences. */
function letters(): string[] {
  const one = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  return [...one, ...one.flatMap((first) => one.map((second) => first + second))];
}

/** The same module, where sentences have their short names. */
export function withShortWords(
  code: string,
  isTable: boolean,
  names: ReadonlyMap<string, string>,
  parse: Parse,
): string {
  const found: Node[] = [];
  visit(parse(code), isTable, found);
  let short = code;
  for (const { start, end } of found.toSorted((a, b) => b.start - a.start)) {
    const name = names.get(code.slice(start, end));
    if (name !== undefined) short = short.slice(0, start) + name + short.slice(end);
  }
  return short;
}

/** Collects the names of sentences: `name` in `say.name`, and in a table each one before its sentence. */
function visit(node: unknown, isTable: boolean, found: Node[]): void {
  if (Array.isArray(node)) for (const part of node) visit(part, isTable, found);
  if (!isNode(node)) return;
  if (node.type === "MemberExpression" && !node.computed && isSay(node.object)) found.push(node.property);
  else if (isTable && node.type === "Property" && !node.computed && node.key.type === "Identifier")
    found.push(node.key);
  for (const value of Object.values(node)) visit(value, isTable, found);
}

/** As the ESTree specification has them, of what is looked at here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly computed: boolean;
  readonly object: Node & { readonly name?: string };
  readonly property: Node;
  readonly key: Node;
}

function isSay(node: Node["object"]): boolean {
  return node.type === "Identifier" && node.name === "say";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
