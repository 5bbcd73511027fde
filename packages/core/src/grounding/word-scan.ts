import { LetterTree } from "../base/letter-tree.ts";
import { HALF, LETTER, type Spelled } from "../base/letters.ts";

/**
 * Says which of several lists of wordings a text holds, in one pass over its letters: asking one
 * pattern after the other takes as long for each of them. A list is written as a pattern for small
 * letters, and means what it means as one; what is no plain wording in it (`sigue\p{L}* en`) is
 * looked for as a pattern, but only where its first letters are found.
 */
export class WordScan {
  readonly #anywhere = new Wordings();
  readonly #atStart = new Wordings();
  /** By the place of their first three letters, whether wordings begin so, and which: a quick look that spares most walks. */
  readonly #begun = new Uint8Array(TRIPLES);
  /** The same for those of fewer letters, by the first of them. */
  readonly #short = new Uint8Array(0x10000);

  /** At most 31 lists, each with a bit of its own, the first with the lowest. */
  constructor(lists: readonly RegExp[]) {
    if (lists.length > LISTS_MAX) throw new Error("There are too many lists for one scan.");
    for (const [at, { source }] of lists.entries())
      for (const { atStart, text, rest } of wordingsOf(source)) {
        (atStart ? this.#atStart : this.#anywhere).add(text, rest, 1 << at);
        const first = text.charCodeAt(0);
        const where = atStart ? AT_START : ANYWHERE;
        if (text.length < 3) this.#short[first]! |= where;
        else this.#begun[placeOf(first, text.charCodeAt(1), text.charCodeAt(2))]! |= where;
      }
    this.#anywhere.close();
    this.#atStart.close();
  }

  /** The bits of the lists of which a text holds something. */
  find(spelled: Spelled): number {
    const { codes, kinds, length } = spelled;
    const begun = this.#begun;
    const short = this.#short;
    let found = 0;
    let one = codes[0]!;
    let two = codes[1]!;
    for (let at = 0; at < length; at += 1) {
      const three = codes[at + 2]!;
      const where = begun[placeOf(one, two, three)]! | short[one]!;
      if (where !== 0) {
        if (where & ANYWHERE) found = this.#anywhere.findAt(spelled, at, found);
        if (where & AT_START && isStart(kinds, at)) found = this.#atStart.findAt(spelled, at, found);
      }
      one = two;
      two = three;
    }
    return found;
  }
}

/** No letter stands before it. */
function isStart(kinds: Uint16Array, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && kinds[before]! & HALF) before -= 1;
  return before < 0 || (kinds[before]! & LETTER) === 0;
}

/** Three letters in a row as a small number. Others may have the same, so that it only says where nothing begins. */
function placeOf(one: number, two: number, three: number): number {
  return (Math.imul(Math.imul(one, 31) ^ two, 37) ^ three) & (TRIPLES - 1);
}

const TRIPLES = 1 << 13;
const ANYWHERE = 1;
const AT_START = 2;
const LISTS_MAX = 31;

/** What may follow the letters of a wording. */
interface Rest {
  readonly pattern: RegExp;
  readonly bit: number;
}

/** Wordings by their letters. */
class Wordings {
  readonly #tree = new LetterTree();
  /** By node: the lists of which a wording ends there, whatever follows, or where no letter does. */
  readonly #whole: number[] = [0];
  readonly #closed: number[] = [0];
  readonly #rests: (Rest[] | undefined)[] = [];
  /** The same for a quick look: which nodes end anything. */
  #ends = new Uint8Array(0);

  add(text: string, rest: string, bit: number): void {
    const node = this.#tree.add(text);
    if (rest === "" || rest === ANY_LETTERS || rest === ANY_LETTERS + NO_LETTER)
      this.#whole[node] = (this.#whole[node] ?? 0) | bit;
    else if (rest === NO_LETTER) this.#closed[node] = (this.#closed[node] ?? 0) | bit;
    else (this.#rests[node] ??= []).push({ pattern: new RegExp(rest, "uy"), bit });
  }

  close(): void {
    const all = this.#tree.size + 1;
    this.#ends = Uint8Array.from({ length: all }, (_, node) =>
      this.#whole[node] || this.#closed[node] || this.#rests[node] ? 1 : 0,
    );
    for (let node = 0; node < all; node += 1) {
      this.#whole[node] ??= 0;
      this.#closed[node] ??= 0;
    }
  }

  findAt(spelled: Spelled, from: number, found: number): number {
    const { codes, kinds } = spelled;
    let at = from;
    let node = this.#tree.step(0, codes[at]!);
    while (node !== 0) {
      at += 1;
      if (this.#ends[node] !== 0) found = this.#endAt(spelled, node, at, found, kinds[at]!);
      node = this.#tree.step(node, codes[at]!);
    }
    return found;
  }

  #endAt(spelled: Spelled, node: number, at: number, found: number, next: number): number {
    let out = found | this.#whole[node]!;
    if (!(next & LETTER)) out |= this.#closed[node]!;
    for (const { pattern, bit } of this.#rests[node] ?? []) {
      if (out & bit) continue;
      pattern.lastIndex = at;
      if (pattern.test(spelled.lower)) out |= bit;
    }
    return out;
  }
}

const NO_LETTER = "(?!\\p{L})";
const NO_LETTER_BEFORE = "(?<!\\p{L})";
const ANY_LETTERS = "\\p{L}*";

/** A wording of a list: its first letters, and as a pattern what must follow them. */
interface Wording {
  readonly atStart: boolean;
  readonly text: string;
  readonly rest: string;
}

/** A part of a pattern: letters, one of several sequences, or what only a pattern can say. */
type Part =
  | { readonly kind: "letters"; readonly text: string }
  | { readonly kind: "choice"; readonly of: readonly (readonly Part[])[] }
  | { readonly kind: "pattern"; readonly source: string };

/** Every wording that a pattern stands for, whether its letters are written as they are or, as builds have them, by number. */
export function wordingsOf(pattern: string): Wording[] {
  const source = pattern.replace(/\\u([\dA-Fa-f]{4})/gu, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const out: Wording[] = [];
  const expand = (parts: readonly Part[], text: string, atStart: boolean): void => {
    const [part, ...rest] = parts;
    if (part?.kind === "letters") expand(rest, text + part.text, atStart);
    else if (part?.kind === "choice") for (const one of part.of) expand([...one, ...rest], text, atStart);
    else if (part?.kind === "pattern" && text === "" && part.source === NO_LETTER_BEFORE)
      expand(rest, text, true);
    else if (text === "") throw new Error(`A wording begins with no letter: ${source}`);
    else out.push({ atStart, text, rest: parts.map(sourceOf).join("") });
  };
  const { parts } = partsOf(source, 0);
  expand(parts, "", false);
  return out;
}

function sourceOf(part: Part): string {
  if (part.kind === "letters") return part.text;
  if (part.kind === "pattern") return part.source;
  return `(?:${part.of.map((one) => one.map(sourceOf).join("")).join("|")})`;
}

/** Reads a pattern up to its end, or up to the bracket that closes the group it stands in. */
function partsOf(source: string, from: number): { readonly parts: readonly Part[]; readonly end: number } {
  const choices: Part[][] = [[]];
  let at = from;
  while (at < source.length && source[at] !== ")") {
    if (source[at] === "|") {
      choices.push([]);
      at += 1;
      continue;
    }
    const start = at;
    const { part, end } = partAt(source, at);
    const [times = ""] = /^(?:[?*+]|\{[^}]*\})?/u.exec(source.slice(end)) ?? [];
    at = end + times.length;
    choices
      .at(-1)!
      .push(
        times === ""
          ? part
          : times === "?"
            ? { kind: "choice", of: [[part], []] }
            : { kind: "pattern", source: source.slice(start, at) },
      );
  }
  const parts = choices.length === 1 ? choices[0]! : [{ kind: "choice" as const, of: choices }];
  return { parts, end: at };
}

function partAt(source: string, at: number): { readonly part: Part; readonly end: number } {
  if (source.startsWith("(?:", at)) {
    const { parts, end } = partsOf(source, at + 3);
    return { part: { kind: "choice", of: [parts] }, end: end + 1 };
  }
  const look = /^\(\?<?[=!]/u.exec(source.slice(at));
  if (look) {
    const { end } = partsOf(source, at + look[0].length);
    return { part: { kind: "pattern", source: source.slice(at, end + 1) }, end: end + 1 };
  }
  if (source[at] === "[") {
    const end = source.indexOf("]", at) + 1;
    const letters = source.slice(at + 1, end - 1);
    const isPlain = !/[\\^-]/u.test(letters);
    return {
      part: isPlain
        ? { kind: "choice", of: Array.from(letters, (text): Part[] => [{ kind: "letters", text }]) }
        : { kind: "pattern", source: source.slice(at, end) },
      end,
    };
  }
  if (source[at] === "\\") {
    const [whole] = /^\\(?:p\{[^}]*\}|.)/u.exec(source.slice(at))!;
    return { part: { kind: "pattern", source: whole }, end: at + whole.length };
  }
  if (source[at] === ".") return { part: { kind: "pattern", source: "." }, end: at + 1 };
  return { part: { kind: "letters", text: source[at]! }, end: at + 1 };
}
