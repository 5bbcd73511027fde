import { DEEDS, OTHER_CONCEPTS } from "./concept-words.ts";

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

/** The deeds that the words of a text name, each once. */
export function deedsNamedIn(text: string): string[] {
  return [...new Set(conceptsIn(text).flatMap((one) => (isDeed(one) ? [deeds[one >> 1]!] : [])))];
}

/** The same deed, whether it has been done or not. */
export function deedOf(concept: Concept): Concept {
  return isDeed(concept) ? concept & ~1 : concept;
}

/** One concept for all deeds, so that what is learned of one counts for the others too. */
export function general(concept: Concept): Concept {
  return isDeed(concept) ? ANY_DEED + (concept & 1) : concept;
}

const ALREADY = conceptsNamed("already");
const PAST = conceptsNamed("past");
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const PREFIX_MIN = 3;
/** How far a mark of the past may stand from its verb, in concepts: after it, and in Chinese before it. */
const PAST_AFTER_MAX = 3;
const PAST_BEFORE_MAX = 7;

const words = new Map<string, Concept>();
/** Beginnings of words by their first letters, the longest first. */
const beginnings = new Map<string, [string, Concept][]>();
const spaceless = new Map<string, Concept>();
/** How long an entry may be that begins with this character. */
const spacelessMax = new Map<string, number>();
function list(concept: Concept, entries: string): void {
  for (const entry of entries.split(" ")) {
    if (entry.endsWith("*")) listBeginning(entry.slice(0, -1), concept);
    else if (!SPACELESS.test(entry.charAt(0))) {
      if (!words.has(entry)) words.set(entry, concept);
    } else {
      if (!spaceless.has(entry)) spaceless.set(entry, concept);
      spacelessMax.set(entry.charAt(0), Math.max(entry.length, spacelessMax.get(entry.charAt(0)) ?? 0));
    }
  }
}
function listBeginning(start: string, concept: Concept): void {
  const key = start.slice(0, PREFIX_MIN);
  const known = beginnings.get(key) ?? [];
  if (!known.some(([other]) => other === start)) known.push([start, concept]);
  beginnings.set(
    key,
    known.toSorted(([a], [b]) => b.length - a.length),
  );
}
for (const [at, deed] of deeds.entries()) {
  list(at * 2 + 1, DEEDS[deed]!.done);
  list(at * 2, DEEDS[deed]!.other);
}
for (const [at, name] of others.entries()) list(FIRST_OTHER + at, OTHER_CONCEPTS[name]!);

const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|\p{L}[\p{L}\p{M}'’-]*|<\p{L}+>|\d+|\p{Extended_Pictographic}|[!?¿¡…:,;、，。✓✔☑]/gu;

/** The concepts of a text in their order; words of no list are left out, but for names. `text` has its links and addresses replaced. */
export function conceptsIn(text: string): Concept[] {
  const out: Concept[] = [];
  const add = (concept: Concept) => {
    if (PAST.has(concept))
      for (let at = out.length - 1; at >= Math.max(0, out.length - PAST_AFTER_MAX); at -= 1)
        if (isDeed(out[at]!) && out[at]! % 2 === 0) {
          out[at]! += 1;
          return;
        }
    out.push(concept);
  };
  for (const token of text.match(TOKEN) ?? []) {
    if (SPACELESS.test(token.charAt(0))) addSpaceless(token, add);
    else add(conceptOf(token, out.length > 0));
  }
  if (/\p{Script=Han}/u.test(text) && !/\p{Script=Hiragana}/u.test(text)) markPastBefore(out);
  return out.filter((concept) => concept !== UNKNOWN);
}

const PAUSES = ",;、，。";

function conceptOf(token: string, inside: boolean): Concept {
  const first = token.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return NUMBER;
  if (token === "<mail>") return ADDRESS;
  if (token === "<link>") return LINK;
  if (PAUSES.includes(token)) return PAUSE;
  return wordConcept(token.toLowerCase()) ?? (inside && /^\p{Lu}/u.test(token) ? NAME : UNKNOWN);
}

function wordConcept(word: string): Concept | undefined {
  const whole = words.get(word);
  if (whole !== undefined) return whole;
  for (const [start, concept] of beginnings.get(word.slice(0, PREFIX_MIN)) ?? [])
    if (word.startsWith(start)) return concept;
  const cut = word.indexOf("'");
  return cut < 0 ? undefined : (wordConcept(word.slice(cut + 1)) ?? wordConcept(word.slice(0, cut)));
}

/** The longest entry at each place. */
function addSpaceless(text: string, add: (concept: Concept) => void): void {
  let at = 0;
  while (at < text.length) {
    let length = Math.min(spacelessMax.get(text.charAt(at)) ?? 0, text.length - at);
    while (length > 0 && !spaceless.has(text.slice(at, at + length))) length -= 1;
    add(length === 0 ? UNKNOWN : spaceless.get(text.slice(at, at + length))!);
    at += Math.max(1, length);
  }
}

/** In Chinese "already" before a verb is what its past form is elsewhere. */
function markPastBefore(concepts: Concept[]): void {
  for (const [at, concept] of concepts.entries()) {
    if (!ALREADY.has(concept)) continue;
    const verb = concepts.findIndex(
      (other, index) => index > at && index <= at + PAST_BEFORE_MAX && isDeed(other) && other % 2 === 0,
    );
    if (verb >= 0) concepts[verb]! += 1;
  }
}
