import { detectLanguage, isLocale, type Language, type Locale } from "./language.ts";
import { DE } from "./words-de.ts";
import { EN } from "./words-en.ts";
import { ES } from "./words-es.ts";
import { FR } from "./words-fr.ts";
import { IT } from "./words-it.ts";
import { JA } from "./words-ja.ts";
import { KO } from "./words-ko.ts";
import { NL } from "./words-nl.ts";
import { PL } from "./words-pl.ts";
import { PT } from "./words-pt.ts";
import { ZH } from "./words-zh.ts";
import { VERB_CLASSES, type VerbClass } from "./verb-class.ts";
import type { RequestWords } from "./words.ts";

/** What the owner's words ask for. */
export interface ReadRequest {
  /**
   * `effect`: something outside the talk is to change. `look`: something outside is to be looked at.
   * `words`: text alone is wanted (an explanation, a poem, a pasted list sorted, role play).
   * `status`: what was done, or how something stands. `unknown`: there were no words.
   */
  readonly kind: "effect" | "look" | "status" | "consent" | "words" | "question" | "other" | "unknown";
  /** Kinds of what is wished for, or not wished for where `negated`; empty where the verb is not known. */
  readonly verbs: readonly VerbClass[];
  /** The wish itself is negated: "don't send it". */
  readonly negated: boolean;
  /** It asks about a thing instead of wishing for it. */
  readonly question: boolean;
  /** Only where it is a language in which Elwood speaks. */
  readonly locale?: Locale;
  /** It asks what the assistant itself did, or how something of the owner's stands. */
  readonly ofYou?: boolean;
}

const LIMITS = {
  readChars: 4_000,
  /** A message with more lines than this has something pasted into it. */
  wholeLines: 5,
  lineChars: 600,
  clauses: 40,
  leads: 6,
} as const;

/** A file or folder by its path or its ending. */
export const PATH =
  /(?<![\p{L}\p{N}/])(?:https?:\/\/\S{3,}|~?\.{0,2}\/[\p{L}\p{N}._-]{2,}|[\p{L}\p{N}._-]+\/(?=\s|$)|(?!console\.)[\p{L}\p{N}_./-]*[\p{L}\p{N}_-]\.(?:md|txt|csv|pdf|docx?|xlsx?|pptx?|jpe?g|png|gif|svg|py|tsx?|jsx?|json|ya?ml|log|zip|html?|css|sh|go|rs|java|toml|ini|env|sql|ics|mp[34]|wav|key|db))(?![\p{Script=Latin}\p{N}(])/iu;
const APP =
  /(?:gmail|outlook|slack|notion|trello|jira|github|gitlab|todoist|dropbox|google ?(?:drive|docs|calendar|sheets)|hubspot|quickbooks|spotify|telegram|discord|ms teams|paypal|evernote|onedrive|onenote|salesforce|airtable|asana|icloud|nextcloud|home ?assistant|shopify|crm)/iu;
const PATHS = new RegExp(PATH, "gu");
const APPS = new RegExp(APP, "gu");
/** Ends right before a place into which something is put. */
const INTO =
  /(?:^|\s)(?:in|into|to|onto|on|as|from|im|ins|aus|vom|von|auf|als|unter|en|de|del|como|dans|du|des|sur|sous|nel|nella|nelle|dal|dalla|su|sul|come|em|no|na|nas|da|para|op|uit|van|naar|w|z|ze|do|jako)\s(?:\p{L}+\s){0,2}$|[到在进成为]$/iu;
const AFTER_PLACE = /^\S{0,8}(?:に|へ|から|里|中|上|에|으로|로)/u;
/** These reach outside whatever text comes with them. */
const OUTWARD: ReadonlySet<VerbClass> = new Set(["send", "pay", "schedule", "run", "control"]);
const QUOTED = /["“„«「『](?<said>[^"”“»」』]{1,2000})["”“»」』]/gu;
const THANKS =
  /[\s,]+(?:please|pls|thanks|thank you|bitte|danke|por favor|gracias|merci|s'il te plaît|stp|svp|per favore|grazie|obrigad[oa]|alsjeblieft|alstublieft|graag|bedankt|proszę|dzięki)[\s\p{P}]*$/u;
/** A line of code pasted without a fence. */
const CODE =
  /[;{}]$|=>|\w\(.*\)|^(?:def|class|import|const|let|var|return|for|if|select|insert into|delete from)\s.*[(:=;]/iu;
/** What the gateway adds to a message: recalled turns, piped input. */
export const GIVEN = /\n\s*<data origin="[\s\S]*$/u;
/** A line that first says where: "in budget.csv: what is the total?" */
const WHERE = /^(?:in|on|im|auf|en|dans|sur|nel|nella|su|no|na|em|op|w|we|z) /iu;
export const FENCED = /```[\s\S]*?(?:```|$)/gu;

/** Reads one message of the owner. Pasted text is no wish: of a long message only the first and last lines are read. */
export function readRequest(text: string, hint?: Locale): ReadRequest {
  if (text.trim() === "") return { kind: "unknown", verbs: [], negated: false, question: false };
  const whole = beginningOf(text);
  const { wish, material, pasted } = withoutMaterial(whole);
  const { brings } = material;
  const language = detectLanguage(/\p{L}{2}/u.test(wish) ? wish : whole, hint);
  const table = tableFor(language);
  const found = {
    verbs: [],
    negated: false,
    question: false,
    ...(isLocale(language) ? { locale: language } : {}),
  } as const;
  const lower = whole.toLowerCase();
  if (isConsent(lower)) return { ...found, kind: "consent" };
  if (table.refusal.test(lower)) return { ...found, kind: "other", negated: true };

  const ofYou = table.ofYou.test(wish);
  if (table.fiction.test(wish)) return { ...found, kind: "words", ofYou };
  const read = clausesOf(wish, material, table);
  const clauses =
    read.length > 0 || !/^\s*(?:[-*•]|\d+[.)])/u.test(pasted)
      ? read
      : clausesOf(pasted, { brings: false, names: false }, table);
  const wished = clauses.filter((clause) => !clause.negated);
  const writes = wished.findIndex((clause) => clause.kind === "words");
  const effects = wished.filter(
    (clause, at) => clause.kind === "effect" && (writes < 0 || at < writes || clause.sure),
  );
  if (effects.length > 0) return { ...found, kind: "effect", verbs: verbsOf(effects), ofYou };
  const looks = wished.filter((clause) => clause.kind === "look");
  if (looks.length > 0) return { ...found, kind: "look", verbs: ["look"], ofYou };
  if (writes >= 0) return { ...found, kind: "words", verbs: verbsOf(wished), ofYou };
  const unwanted = clauses.filter((clause) => clause.negated);
  if (unwanted.length > 0)
    return { ...found, kind: unwanted[0]?.kind ?? "other", verbs: verbsOf(unwanted), negated: true, ofYou };

  const asks = sentencesOf(wish).some((sentence) => table.asks.test(withoutLead(sentence, table)));
  const question = asks || /[?？]/u.test(wish);
  const how = sentencesOf(wish).some((sentence) => table.how.test(withoutLead(sentence, table)));
  if (!how && (ofYou || table.status.test(wish))) return { ...found, kind: "status", question: true, ofYou };
  if (question && !how && (!brings || PATH.test(wish)) && placeIn(wish, table))
    return { ...found, kind: "look", verbs: ["look"], question: true, ofYou };
  if (question) return { ...found, kind: "question", question: true, ofYou };
  return { ...found, kind: brings || table.text.test(wish) ? "words" : "other", ofYou };
}

/** Whether that is what a message is read as, without reading the rest of it. */
export function saysYes(text: string): boolean {
  return text.trim() !== "" && isConsent(beginningOf(text).toLowerCase());
}

function beginningOf(text: string): string {
  return text.slice(0, LIMITS.readChars).normalize("NFC").replaceAll("’", "'");
}

interface Clause {
  readonly kind: "effect" | "look" | "words";
  readonly verbs: readonly VerbClass[];
  readonly negated: boolean;
  /** It reaches outside even in a message that mainly asks for words. */
  readonly sure: boolean;
}

interface Material {
  /** The message brings text to work on. */
  readonly brings: boolean;
  /** What comes after its colon begins with a path: "write two memos: a.md, b.md". */
  readonly names: boolean;
}

/** What the owner wishes for, in lower case, without the text that it is about. */
function withoutMaterial(text: string): { wish: string; material: Material; pasted: string } {
  let brings = /<data origin="piped"/u.test(text);
  const bare = text
    .replace(GIVEN, "")
    .replace(FENCED, () => {
      brings = true;
      return "\n";
    })
    .replace(QUOTED, (_, said: string) => {
      if (/\s\S+\s|[^\s\p{ASCII}]{6,}/u.test(said)) brings = true;
      return "…";
    });
  const lines = bare
    .split("\n")
    .map((line) => line.trim())
    .filter((line, index) => {
      if (index > 0 && CODE.test(line)) brings = true;
      return line !== "" && !(index > 0 && CODE.test(line));
    });
  const long = lines.length > LIMITS.wholeLines;
  const kept = long ? [lines[0] ?? "", lines.at(-1) ?? ""] : lines;
  const wished: string[] = [];
  let pasted = "";
  let names = false;
  for (const [index, line] of kept.entries()) {
    const colon = /(?<!^[\s\S]{0,1})(?::(?=\s|$)|：)/u.exec(line);
    if (!colon || WHERE.test(line.slice(0, colon.index))) {
      wished.push(line.slice(0, LIMITS.lineChars));
      continue;
    }
    const after = line.slice(colon.index + 1).trim();
    const head = line.slice(0, Math.min(colon.index, LIMITS.lineChars));
    wished.push(`${head}:`);
    if (PATH.exec(after.slice(0, LIMITS.lineChars))?.index === 0) names = true;
    pasted = after === "" ? lines.slice(lines.indexOf(line) + 1).join("\n") : "";
    if (after === "" && pasted === "") continue;
    brings = true;
    if (after === "" && !(long && index === 0)) break;
  }
  return {
    wish: wished.join("\n").toLowerCase(),
    material: { brings: brings || long, names },
    pasted: pasted.toLowerCase(),
  };
}

function sentencesOf(wish: string): string[] {
  return wish
    .split(/(?<=[.!?])\s+|\n|(?<=[。！？])|[;；]/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(0, LIMITS.clauses);
}

function clausesOf(wish: string, material: Material, table: Table): Clause[] {
  const clauses: Clause[] = [];
  for (const sentence of sentencesOf(wish)) {
    const stripped = withoutLead(sentence, table);
    const wishes = table.wish?.test(bareEnd(stripped)) === true;
    if ((table.asks.test(stripped) && !wishes) || table.how.test(stripped)) continue;
    for (const part of sentence.split(/,\s|[，、]/u)) {
      if (table.said.test(withoutLead(part, table))) continue;
      for (const piece of part.split(table.and)) {
        const clause = readClause(bareEnd(withoutLead(piece, table)), material, table);
        if (clause) clauses.push(clause);
      }
    }
  }
  return clauses.slice(0, LIMITS.clauses);
}

function readClause(clause: string, { brings, names }: Material, table: Table): Clause | undefined {
  const placed = table.position === "first" ? withoutNot(clause, table) : clause;
  const negated = table.position === "first" ? placed !== clause : table.not.test(clause);
  if (table.noun?.test(placed) === true || (table.wish && !table.wish.test(placed))) return undefined;
  const { classes, tells } = verbIn(placed, table);
  const outside = placeIn(placed, table);
  if (tells) {
    const kind = outside && !brings && !classes.includes("draft") ? "look" : "words";
    return { kind, verbs: kind === "look" ? ["look"] : [], negated, sure: false };
  }
  if (classes.length === 0) return undefined;
  if (classes.includes("draft")) {
    return names || isInto(placed, table)
      ? { kind: "effect", verbs: ["write"], negated, sure: true }
      : { kind: "words", verbs: ["draft"], negated, sure: false };
  }
  const aboutText = (brings || table.text.test(placed)) && !PATH.test(placed) && !isInto(placed, table);
  if (classes.includes("look"))
    return { kind: aboutText ? "words" : "look", verbs: classes, negated, sure: false };
  const outward = classes.some((each) => OUTWARD.has(each)) && !/^\p{Script=Latin}+\s?:/u.test(placed);
  if (aboutText && !outward) return { kind: "words", verbs: [], negated, sure: false };
  return { kind: "effect", verbs: classes, negated, sure: outward || outside };
}

/** The classes of the verb on which a clause turns; the longest match counts, and with verbs anywhere the earliest or latest. */
export function verbIn(
  clause: string,
  table: Table,
): { readonly classes: VerbClass[]; readonly tells: boolean; readonly last: boolean } {
  let best = -1;
  let classes: VerbClass[] = [];
  let tells = false;
  let last = false;
  for (const forms of table.verbs) {
    const { of } = forms;
    const rank =
      table.position === "first" || table.position === "ends"
        ? (forms.first(clause)?.exec(clause)?.[0].length ??
          (table.position === "ends" ? lastLength(forms, clause) : -1))
        : rankOf(forms.any, clause, table.position);
    if (rank < 0 || rank < best) continue;
    if (rank > best) [classes, tells] = [[], false];
    best = rank;
    last = table.position === "ends" && rank < 1;
    if (of === "tell") tells = true;
    else classes.push(of);
  }
  return {
    classes: tells && !classes.includes("draft") ? [] : classes,
    tells: tells && classes.length === 0,
    last,
  };
}

/** At the end of a clause only an infinitive is a wish, and it weighs less than a verb at the start. */
function lastLength(forms: VerbForms, clause: string): number {
  const found = clause.endsWith("n") ? forms.last.exec(clause)?.[0] : undefined;
  return found === undefined ? -1 : found.length / 1_000;
}

function rankOf(any: RegExp, clause: string, position: "early" | "late"): number {
  let rank = -1;
  for (const match of clause.matchAll(any)) {
    const at = position === "early" ? clause.length - match.index : match.index + match[0].length;
    rank = Math.max(rank, at + match[0].length / 1_000);
  }
  return rank;
}

function placeIn(clause: string, table: Table): boolean {
  return PATH.test(clause) || APP.test(clause) || table.place.test(clause);
}

/** A place that is named as where the thing is or goes, not as what a text is about. */
function isInto(clause: string, table: Table): boolean {
  const places = [PATHS, APPS, table.places].flatMap((all) => [...clause.matchAll(all)]);
  return places.some((match) => {
    const before = `${clause.slice(0, match.index)}${match[0].split(" ")[0]} `;
    const after = clause.slice(match.index + match[0].length);
    return INTO.test(clause.slice(0, match.index)) || INTO.test(before) || AFTER_PLACE.test(after);
  });
}

function verbsOf(clauses: readonly Clause[]): VerbClass[] {
  return [...new Set(clauses.flatMap((clause) => clause.verbs))];
}

export function withoutLead(text: string, table: Table): string {
  let rest = text;
  for (let round = 0; round < LIMITS.leads; round += 1) {
    const next = rest.replace(table.lead, "");
    if (next === rest) break;
    rest = next;
  }
  return rest;
}

export function withoutNot(clause: string, table: Table): string {
  return withoutLead(clause.replace(table.not, ""), table);
}

/** Without what comes after the last word of the wish. */
export function bareEnd(text: string): string {
  return text
    .replace(THANKS, "")
    .replace(/[\s\p{P}\p{Extended_Pictographic}]+$/u, (end) => (/[:：]/u.test(end) ? ":" : ""));
}

type Pattern =
  | "lead"
  | "said"
  | "fiction"
  | "text"
  | "place"
  | "places"
  | "ofYou"
  | "status"
  | "refusal"
  | "not"
  | "asks"
  | "how"
  | "and";

export interface Table extends Readonly<Record<Pattern, RegExp>> {
  readonly position: RequestWords["position"];
  readonly noun?: RegExp;
  readonly wish?: RegExp;
  readonly verbs: readonly VerbForms[];
}

/** The forms of one kind of verb. */
class VerbForms {
  readonly of: VerbClass | "tell";
  readonly #words: RequestWords;
  /** The longest comes first. */
  readonly #forms: readonly string[];
  readonly #byLetter = new Map<string, RegExp | undefined>();
  #last: RegExp | undefined;
  #any: RegExp | undefined;

  constructor(of: VerbClass | "tell", words: RequestWords) {
    this.of = of;
    this.#words = words;
    this.#forms = (of === "tell" ? words.tell : words.verbs[of])
      .split(" ")
      .map((form) => form.replaceAll("~", words.endings ?? "").replaceAll("_", " "))
      .toSorted((a, b) => b.length - a.length);
  }

  /** Finds one where a clause begins. Only those that may begin like it are compiled: all of a language take 30 ms. */
  first(clause: string): RegExp | undefined {
    const letter = String.fromCodePoint(clause.codePointAt(0) ?? 0);
    if (!this.#byLetter.has(letter)) {
      const forms = this.#forms.filter((form) => form.startsWith(letter) || !OPENS_WITH_LETTER.test(form));
      const edge = isSpaced(this.#words) ? "(?![\\p{L}\\p{N}-])" : "";
      this.#byLetter.set(
        letter,
        forms.length === 0 ? undefined : new RegExp(`^(?:${forms.join("|")})${edge}`, "u"),
      );
    }
    return this.#byLetter.get(letter);
  }

  get last(): RegExp {
    const before = `(?<![\\p{L}\\p{N}])(?:${this.#words.prefixes ?? ""}(?:zu)?)?`;
    return (this.#last ??= new RegExp(`${before}(?:${this.#forms.join("|")})$`, "u"));
  }

  get any(): RegExp {
    return (this.#any ??= new RegExp(`(?:${this.#forms.join("|")})`, "gu"));
  }
}

/** A form that can begin with nothing but the letter it is written with. */
const OPENS_WITH_LETTER = /^\p{L}(?:[\p{L} (]|$)/u;

function isSpaced({ position }: RequestWords): boolean {
  return position === "first" || position === "ends";
}

function tableOf(words: RequestWords): Table {
  const spaced = isSpaced(words);
  const edge = spaced ? "(?![\\p{L}\\p{N}])" : "";
  const opens = (source: string) => new RegExp(`^[\\s¿¡"'(*-]*(?:${source})${edge}`, "u");
  const within = (source: string, flags = "u") =>
    new RegExp(`${spaced ? "(?<![\\p{L}\\p{N}])" : ""}(?:${source})${edge}`, flags);
  const patterns: Readonly<Record<Pattern, () => RegExp>> = {
    lead: () =>
      new RegExp(
        `^[\\s¿¡"'(*]*(?:${words.lead})${spaced ? "(?![\\p{L}\\p{N}'-])" : ""}[\\s,:，、]*|^[\\s¿¡"'(*]+`,
        "u",
      ),
    said: () => opens(words.said),
    fiction: () => within(words.fiction),
    text: () => within(words.text),
    place: () => within(words.place),
    places: () => within(words.place, "gu"),
    ofYou: () => within(words.ofYou),
    status: () => within(words.status),
    refusal: () => alone(words.refusal),
    not: () =>
      words.position === "first"
        ? new RegExp(`^(?:${words.not})(?:\\s+|(?<=[' ]))`, "u")
        : new RegExp(words.not, "u"),
    asks: () => opens(words.asks),
    how: () => opens(words.how),
    and: () => new RegExp(words.and, "gu"),
  };
  const table: Partial<Table> = {
    position: words.position,
    verbs: [...VERB_CLASSES, "tell" as const].map((of) => new VerbForms(of, words)),
    ...(words.noun === undefined ? {} : { noun: new RegExp(`^(?:${words.noun})`, "u") }),
    ...(words.wish === undefined ? {} : { wish: new RegExp(words.wish, "u") }),
  };
  // Each is made when it is first asked for: most languages are asked for a few of them.
  for (const [name, make] of Object.entries(patterns)) {
    let made: RegExp | undefined;
    Object.defineProperty(table, name, { get: () => (made ??= make()) });
  }
  return table as Table;
}

const WORDS: Readonly<Record<Language, RequestWords>> = {
  en: EN,
  de: DE,
  es: ES,
  fr: FR,
  zh: ZH,
  ja: JA,
  it: IT,
  pt: PT,
  nl: NL,
  pl: PL,
  ko: KO,
};

const tables: Partial<Record<Language, Table>> = {};

/** Made when a language is first met. */
export function tableFor(language: Language): Table {
  return (tables[language] ??= tableOf(WORDS[language]));
}

let consents: readonly RegExp[] | undefined;

/** "Yes" in any language. */
function isConsent(lower: string): boolean {
  consents ??= Object.values(WORDS).map(({ consent }) => alone(consent));
  return consents.some((consent) => consent.test(lower));
}

function alone(source: string): RegExp {
  return new RegExp(`^[\\s\\p{P}]*(?:${source})[\\s\\p{P}\\p{Extended_Pictographic}]*$`, "u");
}
