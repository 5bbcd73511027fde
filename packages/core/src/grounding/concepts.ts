import { DEEDS, OTHER_CONCEPTS } from "./concept-words.ts";
import { LetterTree } from "../base/letter-tree.ts";
import {
  HALF,
  HAN,
  HIRAGANA,
  isDigit,
  LETTER,
  MARK,
  PICTURE,
  SPACELESS,
  spelled,
  UPPER,
  type Spelled,
} from "../base/letters.ts";

/** A concept is a small number: which word of which language stands for it no longer matters. */
export type Concept = number;

/** What stands in a text beside words of the lists. */
const MARKS = ["start", "end", "unknown", "name", "number", "mail address", "link", "pause"] as const;
const deeds = Object.keys(DEEDS);
const others = Object.keys(OTHER_CONCEPTS);
const FIRST_OTHER = deeds.length * 2;
const FIRST_MARK = FIRST_OTHER + others.length;
const mark = (name: (typeof MARKS)[number]): Concept => FIRST_MARK + MARKS.indexOf(name);

export const START = mark("start");
export const END = mark("end");
const UNKNOWN = mark("unknown");
const NAME = mark("name");
const NUMBER = mark("number");
const ADDRESS = mark("mail address");
const LINK = mark("link");
const PAUSE = mark("pause");
/** "Any deed", in the two forms of a deed. */
const ANY_DEED = FIRST_MARK + MARKS.length;

/** By the names in the word lists. */
export function conceptsNamed(...names: readonly string[]): ReadonlySet<Concept> {
  return new Set(
    names.map((name) => {
      const at = others.indexOf(name);
      if (at < 0) throw new Error(`No concept is called ${name}.`);
      return FIRST_OTHER + at;
    }),
  );
}

export function isDeed(concept: Concept): boolean {
  return concept < FIRST_OTHER;
}

/** The deeds that the words of a text name, each once: as done, or in any form. */
export function deedsNamedIn(text: string, form: "done" | "any" = "any"): string[] {
  const named = conceptsIn(text).filter((one) => isDeed(one) && (form === "any" || one % 2 === 1));
  return [...new Set(named.map((one) => deeds[one >> 1]!))];
}

const [DONE] = conceptsNamed("done");

/** One of its words says that all is done, whatever it was: "Taken care of.", "Fertig!" */
export function saysDone(text: string): boolean {
  return conceptsIn(text).includes(DONE!);
}

/** The same deed, whether it has been done or not. */
export function deedOf(concept: Concept): Concept {
  return isDeed(concept) ? concept & ~1 : concept;
}

/** One concept for all deeds, so that what is learned of one counts for the others too. */
export function general(concept: Concept): Concept {
  return isDeed(concept) ? ANY_DEED + (concept & 1) : concept;
}

const [ALREADY] = conceptsNamed("already");
const [PAST] = conceptsNamed("past");
/** How far a mark of the past may stand from its verb, in concepts: after it, and in Chinese before it. */
const PAST_AFTER_MAX = 3;
const PAST_BEFORE_MAX = 7;

const NONE = -1;
const tree = new LetterTree();
/** Concepts by the node of the tree at which their words end: of whole words, and of beginnings of words. */
const [wholeWords, beginnings] = listed();

function listed(): readonly [Int16Array, Int16Array] {
  const whole = new Map<number, Concept>();
  const begun = new Map<number, Concept>();
  const list = (concept: Concept, entries: string) => {
    for (const entry of entries.split(" ")) {
      const isBeginning = entry.endsWith("*");
      const node = tree.add(isBeginning ? entry.slice(0, -1) : entry);
      const known = isBeginning ? begun : whole;
      if (!known.has(node)) known.set(node, concept);
    }
  };
  for (const [at, deed] of deeds.entries()) {
    list(at * 2 + 1, DEEDS[deed]!.done);
    list(at * 2, DEEDS[deed]!.other);
  }
  for (const [at, name] of others.entries()) list(FIRST_OTHER + at, OTHER_CONCEPTS[name]!);
  const byNode = (known: ReadonlyMap<number, Concept>) =>
    Int16Array.from({ length: tree.size + 1 }, (_, node) => known.get(node) ?? NONE);
  return [byNode(whole), byNode(begun)];
}

const SPACE = 0x20;
const QUOTE = 0x27;
const CURLED_QUOTE = 0x2019;
const HYPHEN = 0x2d;
const OPENS = 0x3c;
const CLOSES = 0x3e;
const PAUSES: ReadonlySet<number> = codesOf(",;、，。");
const SIGNS: ReadonlySet<number> = codesOf("!?¿¡…:✓✔☑");

function codesOf(text: string): Set<number> {
  return new Set(Array.from(text, (letter) => letter.charCodeAt(0)));
}

/** The concepts of a text in their order; words of no list are left out, but for names. `text` has its links and addresses replaced. */
export function conceptsIn(text: string): Concept[] {
  spelled.spell(text);
  return conceptsOf(spelled);
}

export function conceptsOf({ codes, kinds, length, met }: Spelled): Concept[] {
  const out: Concept[] = [];
  let at = 0;
  while (at < length) {
    const code = codes[at]!;
    const kind = kinds[at]!;
    const from = at;
    at += 1;
    if (kind & LETTER) {
      if (kind & SPACELESS) {
        while (kinds[at]! & (SPACELESS | HALF)) at += 1;
        addSpaceless(out, codes, from, at);
        continue;
      }
      while (kinds[at]! & (LETTER | MARK | HALF) || isInside(codes[at]!)) at += 1;
      const concept = wordConcept(codes, from, at);
      add(out, concept !== NONE ? concept : kind & UPPER && out.length > 0 ? NAME : UNKNOWN);
    } else if (code === SPACE) continue;
    else if (isDigit(code)) {
      while (isDigit(codes[at]!)) at += 1;
      add(out, NUMBER);
    } else if (kind & SPACELESS) {
      while (kinds[at]! & (SPACELESS | HALF)) at += 1;
      addSpaceless(out, codes, from, at);
    } else if (code === OPENS) {
      let end = at;
      while (kinds[end]! & (LETTER | HALF)) end += 1;
      if (end === at || codes[end] !== CLOSES) continue;
      at = end + 1;
      add(out, placeholder(codes, from, at));
    } else if (PAUSES.has(code)) add(out, PAUSE);
    else if (kind & PICTURE || SIGNS.has(code)) {
      if (kinds[at]! & HALF) at += 1;
      const concept = wordConcept(codes, from, at);
      add(out, concept === NONE ? UNKNOWN : concept);
    }
  }
  if (met & HAN && !(met & HIRAGANA)) markPastBefore(out);
  return out.includes(UNKNOWN) ? out.filter((concept) => concept !== UNKNOWN) : out;
}

/** Apostrophes and hyphens stand inside a word. */
function isInside(code: number): boolean {
  return code === QUOTE || code === HYPHEN || code === CURLED_QUOTE;
}

function placeholder(codes: Uint16Array, from: number, to: number): Concept {
  const name = String.fromCharCode(...codes.subarray(from, to));
  if (name === "<mail>") return ADDRESS;
  if (name === "<link>") return LINK;
  const concept = wordConcept(codes, from, to);
  return concept === NONE ? UNKNOWN : concept;
}

/** A mark of the past makes the verb before it one that was done. */
function add(out: Concept[], concept: Concept): void {
  if (concept === PAST)
    for (let at = out.length - 1; at >= Math.max(0, out.length - PAST_AFTER_MAX); at -= 1)
      if (isDeed(out[at]!) && out[at]! % 2 === 0) {
        out[at]! += 1;
        return;
      }
  out.push(concept);
}

/** Of the word that stands there, or of the longest beginning of it that is listed; NONE where there is neither. */
function wordConcept(codes: Uint16Array, from: number, to: number): Concept {
  let node = 0;
  let begun = NONE;
  let at = from;
  while (at < to) {
    node = tree.step(node, codes[at]!);
    if (node === 0) break;
    at += 1;
    if (beginnings[node] !== NONE) begun = beginnings[node]!;
  }
  if (at === to && wholeWords[node] !== NONE) return wholeWords[node]!;
  if (begun !== NONE) return begun;
  let cut = from;
  while (cut < to && codes[cut] !== QUOTE) cut += 1;
  if (cut === to) return NONE;
  const behind = wordConcept(codes, cut + 1, to);
  return behind !== NONE ? behind : wordConcept(codes, from, cut);
}

/** The longest entry at each place. */
function addSpaceless(out: Concept[], codes: Uint16Array, from: number, to: number): void {
  let at = from;
  while (at < to) {
    let node = 0;
    let longest = at;
    let concept = UNKNOWN;
    for (let end = at; end < to; end += 1) {
      node = tree.step(node, codes[end]!);
      if (node === 0) break;
      if (wholeWords[node] === NONE) continue;
      concept = wholeWords[node]!;
      longest = end + 1;
    }
    add(out, concept);
    at = Math.max(at + 1, longest);
  }
}

/** In Chinese "already" before a verb is what its past form is elsewhere. */
function markPastBefore(concepts: Concept[]): void {
  for (const [at, concept] of concepts.entries()) {
    if (concept !== ALREADY) continue;
    const verb = concepts.findIndex(
      (other, index) => index > at && index <= at + PAST_BEFORE_MAX && isDeed(other) && other % 2 === 0,
    );
    if (verb >= 0) concepts[verb]! += 1;
  }
}
