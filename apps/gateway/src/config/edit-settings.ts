import { isDeepStrictEqual } from "node:util";
import { Document, isCollection, isMap, isPair, isScalar, isSeq, parseDocument, visit } from "yaml";
import type { Node, Pair, YAMLMap, YAMLSeq } from "yaml";

/** One setting by its keys as they stand in the file; without a value it is removed. */
export interface FileEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * The text of a settings file with some settings changed. Only the lines of those settings differ: comments,
 * order and spelling of all others stay. Undefined where that cannot be done, such as for a value that an
 * alias shares; nothing is ever changed that was not named, which is checked on the result.
 */
export function editSettings(text: string, edits: readonly FileEdit[]): string | undefined {
  const before = valuesOf(text);
  if (before === undefined) return undefined;
  const wanted = edits.reduce(withValue, before);
  const asJson = jsonWith(text, wanted);
  if (asJson !== undefined) return asJson;
  let edited: string | undefined = text;
  for (const edit of edits) {
    for (const step of smallerEdits(valueAt(valuesOf(edited) ?? {}, edit.path), edit)) {
      edited = withEdit(edited, step);
      if (edited === undefined) return undefined;
    }
  }
  return isDeepStrictEqual(withoutEmpty(valuesOf(edited)), withoutEmpty(wanted)) ? edited : undefined;
}

type Values = Readonly<Record<string, unknown>>;

function valuesOf(text: string): Values | undefined {
  const document = parseDocument(text.replace(/^\uFEFF/, ""));
  if (document.errors.length > 0) return undefined;
  const values: unknown = document.toJS() ?? {};
  return isGroup(values) ? values : undefined;
}

function isGroup(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (isGroup(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    root,
  );
}

function withValue(values: Values, { path, value }: FileEdit): Values {
  const [key, ...rest] = path;
  if (key === undefined) return values;
  const { [key]: old, ...others } = values;
  if (rest.length > 0) {
    const inner = isGroup(old) ? old : {};
    return { ...values, [key]: withValue(inner, { path: rest, value }) };
  }
  return value === undefined ? others : { ...values, [key]: value };
}

/** A group without settings and a key with nothing behind it mean the same as no such key. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isGroup(value)) return value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, withoutEmpty(inner)] as const)
    .filter(([, inner]) => inner !== null && !(isGroup(inner) && Object.keys(inner).length === 0));
  return Object.fromEntries(entries);
}

/** A group that is replaced by another one is changed key by key, so that what stays keeps its lines. */
function smallerEdits(old: unknown, { path, value }: FileEdit): FileEdit[] {
  if (!isGroup(old) || !isGroup(value) || Object.keys(value).length === 0) return [{ path, value }];
  const gone = Object.keys(old).filter((key) => !Object.hasOwn(value, key));
  return [
    ...Object.keys(value).flatMap((key) =>
      smallerEdits(old[key], { path: [...path, key], value: value[key] }),
    ),
    ...gone.map((key) => ({ path: [...path, key], value: undefined })),
  ];
}

function jsonWith(text: string, wanted: Values): string | undefined {
  try {
    JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const indent = /^[{[]\s*\n([ \t]+)/.exec(text)?.[1];
  return `${JSON.stringify(wanted, null, indent ?? (text.includes("\n  ") ? 2 : undefined))}${text.endsWith("\n") ? "\n" : ""}`;
}

function withEdit(text: string, { path, value }: FileEdit): string | undefined {
  const document = parseDocument(text);
  const { contents } = document;
  if (isDeepStrictEqual(valueAt(document.toJS(), path), value)) return text;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return withLines(text, text.length, pairLines(path, value, ""));
  }
  if (!isMap(contents)) return undefined;
  return new Editor(text).inMap(contents, path, value, []);
}

/** Makes one change in a text, by the places of what was parsed of it. */
class Editor {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** `outer` are the entries around this group, outermost first. */
  inMap(
    map: YAMLMap,
    path: readonly string[],
    value: unknown,
    outer: readonly OuterEntry[],
  ): string | undefined {
    const [key, ...rest] = path;
    if (key === undefined || isShared(map)) return undefined;
    if (map.flow) return this.#inFlow(map, (copy) => setIn(copy, path, value));
    const pair = map.items.find((item) => keyText(item) === key);
    if (pair === undefined) return value === undefined ? this.#text : this.#append(map, path, value, outer);
    const inner = pair.value as Node | null;
    if (rest.length === 0) {
      if (value === undefined) return this.#remove([...outer, { map, pair }]);
      return this.#replace(pair, value);
    }
    if (isMap(inner)) return this.inMap(inner, rest, value, [...outer, { map, pair }]);
    if (!isNothing(inner)) return undefined;
    return value === undefined ? this.#text : this.#replace(pair, nested(rest, value));
  }

  #append(map: YAMLMap, path: readonly string[], value: unknown, outer: readonly OuterEntry[]) {
    const last = map.items.at(-1);
    const first = map.items[0];
    if (last === undefined || first === undefined) return undefined;
    const indent = this.#indentOf(first);
    if (indent === undefined) return undefined;
    // At the end of the file there may be remarks that belong to its last group.
    const at = outer.length === 0 ? this.#text.length : this.#endOfLine(this.#endOf(last));
    return withLines(this.#text, at, pairLines(path, value, indent));
  }

  #replace(pair: Pair, value: unknown): string | undefined {
    const old = pair.value as Node | null;
    if (old !== null && isShared(old)) return undefined;
    if (isSeq(old) && Array.isArray(value) && value.length > 0 && old.items.length > 0) {
      return old.flow
        ? this.#inFlow(old, (copy) => replaceItems(copy, old, value))
        : this.#inList(old, value);
    }
    const indent = this.#indentOf(pair);
    const keyEnd = rangeOf(pair.key)?.[1];
    const key = keyText(pair);
    if (indent === undefined || keyEnd === undefined || key === undefined) return undefined;
    const lines = pairLines([key], value, indent).split("\n");
    const rendered = lines.slice(0, -1).join("\n").slice(indent.length);
    const colon = this.#text.indexOf(":", keyEnd);
    const from = colon + 1;
    const end = Math.max(from, this.#endOf(pair));
    const behind = rendered.slice(rendered.indexOf(":") + 1);
    // A remark on the line of a value that becomes several lines stays on the line of the key.
    const oneLine = !this.#text.slice(from, end).includes("\n");
    if (oneLine && behind.startsWith("\n")) {
      const lineEnd = this.#endOfLine(end);
      const remark = this.#text.slice(end, lineEnd).replace(/\n$/, "");
      return `${this.#text.slice(0, from)}${remark}${behind}\n${this.#text.slice(lineEnd)}`;
    }
    const newline = this.#text[end - 1] === "\n" ? "\n" : "";
    return `${this.#text.slice(0, from)}${behind}${newline}${this.#text.slice(end)}`;
  }

  /** Items that stay at the beginning and at the end of a list keep their lines. */
  #inList(list: YAMLSeq, value: readonly unknown[]): string | undefined {
    const { kept, keptAtEnd } = unchangedEnds(list, value);
    const spans = list.items.map((item) => this.#lineSpan(item as Node));
    const [first] = spans;
    if (first === undefined || spans.includes(undefined)) return undefined;
    const indent = /^ *(?=- )/.exec(this.#text.slice(first.from))?.[0];
    if (indent === undefined) return undefined;
    const gone = spans.slice(kept, spans.length - keptAtEnd) as LineSpan[];
    const at = gone[0]?.from ?? (kept > 0 ? spans[kept - 1]!.to : first.from);
    const added = value.slice(kept, value.length - keptAtEnd);
    const lines = added.length === 0 ? "" : indented(render(added), indent);
    let text = this.#text;
    for (const span of gone.toReversed()) text = `${text.slice(0, span.from)}${text.slice(span.to)}`;
    return withLines(text, at, lines);
  }

  /** A group or list in braces is written again from what was parsed, its remarks included. */
  #inFlow<T extends YAMLMap | YAMLSeq>(node: T, change: (copy: T) => void): string | undefined {
    const range = rangeOf(node);
    if (range === undefined || isShared(node)) return undefined;
    const copy = node.clone() as T;
    // Remarks around it stay where they are in the text.
    copy.comment = copy.commentBefore = undefined;
    change(copy);
    const alone = new Document();
    alone.contents = copy as never;
    const [from, to] = range;
    const padding = !/^[[{]\S/.test(this.#text.slice(from, to));
    const written = alone.toString({ ...RENDERING, flowCollectionPadding: padding }).trimEnd();
    const indent = /^ */.exec(this.#text.slice(this.#startOfLine(from)))![0];
    const [first, ...rest] = written.split("\n");
    const lines = [first, ...rest.map((line) => `${indent}${line}`)].join("\n");
    return `${this.#text.slice(0, from)}${lines}${this.#text.slice(to)}`;
  }

  /** With the last setting of a group the group goes too, where no remark is left in it. */
  #remove(entries: readonly OuterEntry[]): string | undefined {
    let gone = entries.at(-1)!;
    for (const around of entries.slice(0, -1).toReversed()) {
      const span = this.#pairSpan(around.pair);
      if (gone.map.items.length > 1 || span === undefined || around.map.flow) break;
      const inner = this.#pairSpan(gone.pair);
      const rest =
        inner === undefined
          ? "#"
          : this.#text.slice(span.from, inner.from) + this.#text.slice(inner.to, span.to);
      if (rest.includes("#")) break;
      gone = around;
    }
    const span = this.#pairSpan(gone.pair);
    return span === undefined ? undefined : `${this.#text.slice(0, span.from)}${this.#text.slice(span.to)}`;
  }

  #pairSpan(pair: Pair): LineSpan | undefined {
    const start = rangeOf(pair.key)?.[0];
    if (start === undefined || this.#indentOf(pair) === undefined) return undefined;
    return { from: this.#startOfLine(start), to: this.#endOfLine(this.#endOf(pair)) };
  }

  #lineSpan(item: Node): LineSpan | undefined {
    const start = rangeOf(item)?.[0];
    if (start === undefined) return undefined;
    const from = this.#startOfLine(start);
    if (!/^ *- *$/.test(this.#text.slice(from, start))) return undefined;
    return { from, to: this.#endOfLine(this.#endOf(item)) };
  }

  /** The blanks before a key; undefined where it does not begin its line. */
  #indentOf(pair: Pair): string | undefined {
    const start = rangeOf(pair.key)?.[0];
    if (start === undefined) return undefined;
    const before = this.#text.slice(this.#startOfLine(start), start);
    return /^\uFEFF?( *)$/.exec(before)?.[1];
  }

  /** Where the last character of a value is, without remarks and empty lines behind it. */
  #endOf(node: unknown): number {
    if (isPair(node)) return Math.max(rangeOf(node.key)?.[1] ?? 0, this.#endOf(node.value));
    if (isCollection(node) && !node.flow && node.items.length > 0) return this.#endOf(node.items.at(-1));
    return rangeOf(node)?.[1] ?? 0;
  }

  #startOfLine(at: number): number {
    return this.#text.lastIndexOf("\n", at - 1) + 1;
  }

  #endOfLine(at: number): number {
    if (at > 0 && this.#text[at - 1] === "\n") return at;
    const newline = this.#text.indexOf("\n", at);
    return newline === -1 ? this.#text.length : newline + 1;
  }
}

interface LineSpan {
  readonly from: number;
  readonly to: number;
}

interface OuterEntry {
  readonly map: YAMLMap;
  readonly pair: Pair;
}

/** Values on one line each, and never cut into several. */
const RENDERING = { lineWidth: 0, blockQuote: false } as const;

function render(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Seq(_key, list) {
      const plain = list.items.every((item) => isScalar(item));
      if (plain && list !== document.contents) list.flow = true;
    },
  });
  return document.toString({ ...RENDERING, flowCollectionPadding: false });
}

function pairLines(path: readonly string[], value: unknown, indent: string): string {
  return indented(render(nested(path, value)), indent);
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^(?=.)/gm, indent);
}

/** Puts whole lines at a place where a line begins or the text ends. */
function withLines(text: string, at: number, lines: string): string {
  const before = text.slice(0, at);
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  return `${before}${gap}${lines}${text.slice(at)}`;
}

function unchangedEnds(list: YAMLSeq, value: readonly unknown[]) {
  const old = list.toJSON();
  const most = Math.min(old.length, value.length);
  let kept = 0;
  while (kept < most && isDeepStrictEqual(old[kept], value[kept])) kept++;
  let keptAtEnd = 0;
  while (keptAtEnd < most - kept && isDeepStrictEqual(old.at(-1 - keptAtEnd), value.at(-1 - keptAtEnd)))
    keptAtEnd++;
  return { kept, keptAtEnd };
}

function replaceItems(copy: YAMLSeq, old: YAMLSeq, value: readonly unknown[]): void {
  const { kept, keptAtEnd } = unchangedEnds(old, value);
  const made = new Document(value.slice(kept, value.length - keptAtEnd)).contents as unknown as YAMLSeq;
  copy.items.splice(kept, copy.items.length - kept - keptAtEnd, ...made.items);
}

function setIn(map: YAMLMap, path: readonly string[], value: unknown): void {
  if (value === undefined) map.deleteIn(path);
  else map.setIn(path, new Document(value).contents);
}

/** Whether another place of the file may refer to this value, or to something in it. */
function isShared(node: Node): boolean {
  let anchored = false;
  visit(node, {
    Node: (_key, inner) => {
      if ("anchor" in inner && inner.anchor !== undefined) anchored = true;
    },
  });
  return anchored;
}

function keyText(pair: Pair): string | undefined {
  const key: unknown = isScalar(pair.key) ? pair.key.value : undefined;
  return typeof key === "string" || typeof key === "number" || typeof key === "boolean"
    ? String(key)
    : undefined;
}

function isNothing(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  const range: unknown =
    typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
  return Array.isArray(range) ? (range as unknown as [number, number, number]) : undefined;
}
