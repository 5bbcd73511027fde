import { LIMITS } from "@elwood/core/base/limits";
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type ErrorCode,
  type YAMLError,
} from "yaml";
import { basename } from "node:path";
import type { ConfigProblem } from "./problem.ts";

/** A file's content with the place of every key and item. JSON is read the same way: it is YAML. */
export type FileNode =
  | { readonly kind: "value"; readonly value: string | number | boolean | null; readonly at: LineColumn }
  | { readonly kind: "list"; readonly items: readonly FileNode[]; readonly at: LineColumn }
  | { readonly kind: "group"; readonly entries: readonly FileEntry[]; readonly at: LineColumn };

export interface FileEntry {
  readonly key: string;
  readonly at: LineColumn;
  readonly node: FileNode;
}

export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

export interface ParsedFile {
  /** An empty group where the file could not be read. */
  readonly root: FileNode & { readonly kind: "group" };
  readonly problems: readonly ConfigProblem[];
}

export function parseSettingsFile(text: string, file: string): ParsedFile {
  const empty = { kind: "group", entries: [], at: { line: 1, column: 1 } } as const;
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ""), { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    return { root: empty, problems: syntaxProblems(document.errors, lines, text, file) };
  }
  const builder = new Builder(document, lines, file);
  if (document.contents === null) return { root: empty, problems: [] };
  const root = builder.node(document.contents, 0);
  if (builder.problems.length > 0) return { root: empty, problems: builder.problems };
  if (root.kind === "group") return { root, problems: [] };
  if (root.kind === "value" && root.value === null) return { root: empty, problems: [] };
  return {
    root: empty,
    problems: [placed(file, root.at, "must hold settings as `key: value` lines, but it holds none.")],
  };
}

/** Turns parsed nodes into plain ones. Bounded, because aliases can make a small file unfold without end. */
class Builder {
  readonly problems: ConfigProblem[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #file: string;
  #nodes = 0;

  constructor(document: Document, lines: LineCounter, file: string) {
    this.#document = document;
    this.#lines = lines;
    this.#file = file;
  }

  node(node: unknown, depth: number): FileNode {
    const at = this.#at(node);
    const nothing: FileNode = { kind: "value", value: null, at };
    if (++this.#nodes > LIMITS.configNodesMax || depth > LIMITS.configDepthMax) {
      if (this.problems.length === 0) {
        this.problems.push(placed(this.#file, at, "is nested too deeply or holds too many values."));
      }
      return nothing;
    }
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (target !== undefined) return this.node(target, depth + 1);
      this.problems.push(
        placed(this.#file, at, `\`*${node.source}\` points to an anchor that is not there.`),
      );
      return nothing;
    }
    if (isSeq(node)) return { kind: "list", items: node.items.map((item) => this.node(item, depth + 1)), at };
    if (isMap(node)) {
      const entries: FileEntry[] = [];
      for (const pair of node.items) {
        const keyAt = this.#at(pair.key);
        const key: unknown = isScalar(pair.key) ? pair.key.value : undefined;
        if (typeof key === "string" || typeof key === "number" || typeof key === "boolean") {
          entries.push({ key: String(key), at: keyAt, node: this.node(pair.value, depth + 1) });
        } else {
          this.problems.push(placed(this.#file, keyAt, "has a key that is not a word."));
        }
      }
      return { kind: "group", entries, at };
    }
    if (!isScalar(node)) return nothing;
    const value: unknown = node.value;
    const plain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return { kind: "value", value: plain ? value : value === null ? null : (node.source ?? ""), at };
  }

  #at(node: unknown): LineColumn {
    const offset =
      isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
    return position(this.#lines, offset ?? 0);
  }
}

/** What the parser stumbled over, as sentences. Later errors of one file are often echoes, so few are told. */
function syntaxProblems(errors: readonly YAMLError[], lines: LineCounter, text: string, file: string) {
  const problems = errors.map((error) => {
    const at = position(lines, error.pos[0]);
    return placed(file, at, sentenceFor(error, at, text));
  });
  const firstPerLine = problems.filter((p, i) => problems.findIndex((q) => q.line === p.line) === i);
  return firstPerLine.slice(0, 3);
}

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: "is indented with a tab. Use spaces.",
  BAD_INDENT: "does not line up with the lines above it. Keys of one group start in the same column.",
  MISSING_CHAR:
    'misses a closing quote or bracket, or a colon or comma, here or on a line before. Look for " or ] or }.',
  BLOCK_AS_IMPLICIT_KEY:
    'has two colons in one line. Put quotes around a value that holds a colon: key: "a: b".',
  MULTILINE_IMPLICIT_KEY: "looks like a key without a colon after it.",
  BLOCK_IN_FLOW: "misses a comma between two entries, here or on the line before.",
  BAD_SCALAR_START: "has a value that starts with @ or `. Put quotes around it.",
  MULTIPLE_DOCS: "starts a second document (---). Only one is read; remove this line.",
  UNEXPECTED_TOKEN:
    "does not fit with the lines above it. Look for wrong indentation, a missing colon or a stray character.",
};

function sentenceFor(error: YAMLError, at: LineColumn, text: string): string {
  if (error.code === "DUPLICATE_KEY") {
    const line = text.split(/\r?\n/)[at.line - 1] ?? "";
    return `has the key \`${keyIn(line)}\` a second time. Keep one of the two.`;
  }
  if (error.code === "BAD_INDENT" && error.message.startsWith("Flow")) {
    return "comes before the end of a list or group: an opening [ or { on a line before has no partner.";
  }
  return SENTENCES[error.code] ?? "is not valid YAML or JSON.";
}

function keyIn(line: string): string {
  return /^[\s{,-]*["']?([^"':]+)["']?\s*:/.exec(line)?.[1]?.trim() ?? "?";
}

function position(lines: LineCounter, offset: number): LineColumn {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function placed(file: string, at: LineColumn, saying: string): ConfigProblem {
  return { text: `${basename(file)}:${at.line} ${saying}`, file, line: at.line, column: at.column };
}
