import { isInOwnWords, isSmallWord, plainWords, SPACELESS } from "./own-words.ts";
import {
  AND,
  ARTICLES,
  ASKING,
  BELONGING_TO,
  BETWEEN_CLAUSES,
  DAYS,
  GOING_ON,
  MONTHS,
  NAMES_TOO,
  OWNER_WORDS,
  OWNERS,
  PLACE_BEFORE,
  POSSESSIONS,
  PRONOUNS,
  RELATIVE,
  SAYING,
  THINGS,
} from "./subject-words.ts";

/** What the owner typed. */
export interface Spoken {
  /** The sentence that may say a line, and before it those of its message, in their order. */
  readonly sentences: readonly string[];
  /** Whether a name stands anywhere in all that was typed. */
  readonly isNamed: (name: string) => boolean;
}

/**
 * Whether a line of a note says what the owner said, and of whom they said it. A line such as “hates olives” is about
 * whatever its note is called: the owner must have said it of that, and not of somebody whom they named in between.
 * Where they spoke of nothing that the note is called after (`food`), a line may not leave out whom they named for it.
 * `title` is the key of the note, or the heading above the line.
 */
export function saysOf(title: string, line: string, spoken: Spoken): boolean {
  const subject = subjectOf(title);
  const last = spoken.sentences.at(-1) ?? "";
  if (SPACELESS.test(line)) return isInOwnWords(line, last) && isOfSpaceless(title, line, spoken);
  const bare = withoutSubject(line, subject);
  if (bare === line) return isOf(subject, line, spoken) || isOfSeveral(subject, line, spoken);
  // "Martin hates olives" has the name in it; without a name before it the rest must be said of him too.
  if (isInOwnWords(line, last) && startsOf(partsOf([last], subject), line).some((at) => !isCutOff(at)))
    return true;
  return isOf(subject, bare, spoken, { isLent: true }) || isOfSeveral(subject, bare, spoken);
}

/** Where words are not parted, what stands before a line in its clause must name the note's subject, or nobody. */
function isOfSpaceless(title: string, line: string, { sentences, isNamed }: Spoken): boolean {
  if (line.includes(title) || !isNamed(title)) return true;
  const [start = ""] = line.match(/[\p{L}\p{N}]+/u) ?? [];
  const last = sentences.at(-1) ?? "";
  const own =
    last
      .slice(0, Math.max(0, last.indexOf(start)))
      .split(/[^\p{L}\p{N}]/u)
      .at(-1) ?? "";
  return own.includes(title) || SPACELESS_PRONOUN.test(own);
}

const SPACELESS_PRONOUN = /^(?:而且|而|也|还|並且|并且|他|她|它|彼は|彼女は)*$/u;

type Subject = ReadonlySet<string>;

/** Whom or what something is said of. */
type Who =
  /** What the note is called. */
  | "subject"
  | "owner"
  /** The line says it. */
  | "itself"
  /** Somebody else, by name. */
  | "name"
  | "other"
  /** In small letters, a name cannot be told from a verb. */
  | "unclear"
  | "unknown";

interface Token {
  /** As words are compared with each other. */
  readonly word: string;
  readonly typed: string;
  readonly role: "subject" | "owner" | "owners" | "pronoun" | "article" | "name" | "other" | "filler";
  readonly isCapital: boolean;
  /** Opens a sentence, where every word has a capital. */
  readonly isFirst: boolean;
  /** "Martin's" */
  readonly isPossessive: boolean;
  /** "of Martin" */
  readonly isBehindOf: boolean;
}

/** What stands between marks or words that part clauses and lists. */
interface Part {
  readonly behind: "sentence" | "colon" | "dash" | "comma" | "and" | "relative" | "clause";
  readonly tokens: readonly Token[];
}

interface Place {
  readonly parts: readonly Part[];
  readonly part: number;
  readonly token: number;
}

const NOBODY: Subject = new Set();

function isOf(
  subject: Subject,
  line: string,
  spoken: Spoken,
  { isLent = false }: { readonly isLent?: boolean } = {},
): boolean {
  const { sentences } = spoken;
  if (!isInOwnWords(line, sentences.at(-1) ?? "")) return false;
  const holdsSubject = plainWords(line).some((word) => isIn(subject, word));
  const isNamed = !holdsSubject && [...subject].some((word) => spoken.isNamed(word));
  const parts = partsOf(sentences, isNamed ? subject : NOBODY);
  const [first = ""] = typedWords(line);
  return startsOf(parts, line).some((place) => {
    const who = whoAt(place);
    if (isLent) return who === "subject";
    if (who === "itself" || who === "unknown") return true;
    if (OWNER_WORDS.has(first)) return who === "owner";
    // "My car" is the owner's wherever they said so themselves.
    if (OWNERS.has(first) && tokenAt(place).role !== "owners") return who === "owner";
    return isNamed ? who === "subject" : who === "owner" || who === "unclear";
  });
}

/** "Martin and Peter hate olives" says of each of them that he “hates olives”. */
function isOfSeveral(subject: Subject, line: string, { sentences }: Spoken): boolean {
  const last = sentences.at(-1) ?? "";
  const [verb = ""] = typedWords(line);
  return typedWords(last).some((plural) => {
    if (!isPluralOf(plural, verb)) return false;
    const said = line.replace(WORD, plural);
    if (!isInOwnWords(said, last)) return false;
    return startsOf(partsOf(sentences, subject), said).some(
      (place) => isOfList(place) || (place.parts[place.part]!.behind === "and" && whoAt(place) === "subject"),
    );
  });
}

/** Whom the words are said of that begin at a place. */
function whoAt(place: Place): Who {
  const { tokens } = place.parts[place.part]!;
  const own = tokens.slice(0, place.token);
  const start = tokens[place.token]!;
  if (isCutOff(place)) return "name";
  if (start.role === "owner") return isReported(place) ? "name" : "owner";
  const near = own.findLast(({ role }) => role !== "filler" && role !== "article");
  // "Der ist krank"
  const one = own.find(({ role }, at) => role === "article" && GOING_ON.has(own[at + 1]?.typed ?? ""));
  if (near === undefined && one) return whoBefore(place, one);
  if (near === undefined) return hasOwnSubject(place) ? "itself" : whoBefore(place);
  if (isSubject(near))
    return near.isBehindOf || (near.isPossessive && near !== own.at(-1)) ? "other" : "subject";
  if (near.role === "owner" || near.role === "owners") return isReported(place) ? "name" : "owner";
  if (near.role === "pronoun") {
    // "When Martin visits he sleeps on the sofa"
    const before = own.slice(0, own.indexOf(near));
    return before.every(({ role }) => role === "filler")
      ? whoBefore(place, near)
      : meantBy(near, before, true);
  }
  const lead = leading(own);
  if (lead && !lead.isPossessive && othersIn(own, lead).length === 0) return "subject";
  if (isOfList(place)) return "subject";
  // "My sister Anna was born in 1990" says it of Anna.
  if (isNameWithMore(place) && isTitle(own)) return "itself";
  return own.some(({ role }) => role === "name") ? "name" : "other";
}

/** Whether a clause begins with the words at a place, and with its own subject among them: "the car is red". */
function hasOwnSubject(place: Place): boolean {
  const { tokens } = place.parts[place.part]!;
  const own = tokens.slice(0, place.token);
  const start = tokens[place.token]!;
  if (!own.every(({ role, typed }) => role === "article" || opensClause(typed))) return false;
  const isBeforeVerb = tokens
    .slice(place.token + 1, place.token + 3)
    .some(({ typed }) => GOING_ON.has(typed));
  return (
    own.at(-1)?.role === "article" ||
    isNameWithMore(place) ||
    (start.isFirst && start.isCapital) ||
    isBeforeVerb
  );
}

/** Whom a clause is about that has no subject, or a pronoun for one: it stands in a clause before. */
function whoBefore({ parts, part }: Place, pronoun?: Token): Who {
  const hasCapitals = parts.some(({ tokens }) => tokens.some(isWrittenAsName));
  let passed: Token | undefined;
  for (let at = part - 1; at >= 0; at -= 1) {
    const { tokens } = parts[at]!;
    const { behind } = parts[at + 1]!;
    const told = tokens.filter(({ role }) => role !== "filler");
    const [first] = told;
    const last = told.at(-1);
    if (first === undefined || last === undefined) continue;
    // "About Martin: hates olives"
    if (behind === "colon" && (isSubject(last) || last.role === "name")) return whoIs(last);
    // "Martin, who hates olives"
    const opening = parts[at + 1]!.tokens[0]?.typed;
    const isRelative = behind === "relative" || (opening === "que" && last.isCapital);
    if (isRelative && pronoun === undefined) return whoIs(last);
    if (first.role === "pronoun" || goesOn(tokens)) continue;
    if (pronoun) return meantBy(pronoun, tokens, hasCapitals);
    // "… sings, plays chess and …", "… likes tea, coffee and …", "Clara, my sister, …"
    const isVerb = first.role === "other" && !first.isCapital && hasCapitals;
    const isListed = (told.length === 1 && !isSubject(first)) || isTitle(tokens);
    if (isVerb || (isListed && ["comma", "and", "clause"].includes(behind))) {
      passed ??= first;
      continue;
    }
    const lead = leading(tokens);
    if (lead) return lead.isPossessive ? "other" : "subject";
    if (first.role === "owner") return "owner";
    if (isOfList({ parts, part: at, token: tokens.length })) return "subject";
    return first.role === "other" && !first.isCapital && !hasCapitals ? "unclear" : whoIs(first);
  }
  if (pronoun) return "unclear";
  return passed === undefined ? "unknown" : whoIs(passed);
}

function whoIs({ role, isBehindOf: behindOf, isPossessive }: Token): Who {
  if (role === "subject") return behindOf || isPossessive ? "other" : "subject";
  return role === "name" && !isPossessive ? "name" : "other";
}

/** Whom a pronoun behind a clause stands for: the note's subject, where the clause names nobody else. */
function meantBy({ typed: pronoun }: Token, tokens: readonly Token[], hasCapitals: boolean): Who {
  const meant = tokens.find(isSubject);
  const others = othersIn(tokens, meant);
  if (meant === undefined) return others.some(({ role }) => role === "name") ? "name" : "other";
  if (others.length > 0) return "other";
  // "Sara has a dog. It hates cats"
  const isThing = (token: Token, at: number) => token.role === "other" && tokens[at - 1]?.role === "article";
  if (THINGS.has(pronoun) && tokens.some(isThing)) return "other";
  if (meant.isPossessive || meant.isBehindOf)
    return tokens.some(({ typed }) => POSSESSIONS.has(typed)) ? "subject" : "other";
  // In small letters, others cannot be told from any word.
  const isOnlyOne = hasCapitals || leading(tokens) === meant || tokens.some(({ role }) => role === "owner");
  return isOnlyOne ? "subject" : "other";
}

/** "My sister": behind a name or before it, it says who that is. */
function isTitle(tokens: readonly Token[]): boolean {
  const [first, second, ...more] = tokens.filter(({ role }) => role !== "filler");
  const isDeterminer = first?.role === "article" || first?.role === "owners";
  return isDeterminer && second?.role === "other" && !second.isPossessive && more.length === 0;
}

/** "Peter hates olives", and not the name alone. */
function isNameWithMore({ parts, part, token }: Place): boolean {
  const { tokens } = parts[part]!;
  return tokens[token]!.role === "name" && tokens.slice(token + 1).some(({ role }) => role !== "filler");
}

/** The note's subject, where a clause begins with it: "Martin …", "my sister Clara …". */
function leading(tokens: readonly Token[]): Token | undefined {
  const told = tokens.filter(({ role }) => role !== "filler");
  const at = told.findIndex(isSubject);
  if (at === -1 || told[at]!.isBehindOf) return undefined;
  const before = told.slice(0, at);
  const determiners = before.filter(({ role }) => role === "article" || role === "owners").length;
  const isOne = before.length === determiners || (determiners > 0 && before.length === determiners + 1);
  return isOne ? told[at] : undefined;
}

/** Who else is named; "Martin Huber" is one. */
function othersIn(tokens: readonly Token[], meant?: Token): Token[] {
  return tokens.filter(
    (token, at) =>
      (token.role === "name" || (token.role === "other" && token.isFirst && token.isCapital)) &&
      !(meant !== undefined && tokens[at - 1] === meant) &&
      tokens[at + 1] !== meant,
  );
}

/** "Martin and Peter hate olives": the note's subject is in the list before a verb in the plural. */
function isOfList({ parts, part, token }: Place): boolean {
  const verb = parts[part]!.tokens[token];
  if (parts[part]!.behind !== "and" || verb?.typed.endsWith("s") === true) return false;
  for (let at = part - 1; at >= 0; at -= 1) {
    const told = parts[at]!.tokens.filter(({ role }) => role !== "filler");
    const lead = leading(told);
    if (
      lead &&
      !lead.isPossessive &&
      (told.at(-1) === lead || (isWrittenAsName(told.at(-1)!) && told.at(-2) === lead))
    )
      return true;
    if (told.length !== 1 || !["comma", "and"].includes(parts[at]!.behind)) return false;
  }
  return false;
}

/** "Martin said: I hate olives" says nothing of the owner. */
function isReported({ parts, part }: Place): boolean {
  for (let at = part; at > 0; at -= 1) {
    const { behind } = parts[at]!;
    const { tokens } = parts[at - 1]!;
    if (behind === "sentence") return false;
    if (behind === "colon")
      return tokens.some((token) => SAYING.has(token.typed) || token.role === "name" || isSubject(token));
  }
  return false;
}

/** Neither “the sister of Martin hates olives” nor “Peter likes Martin and hates olives” says that Martin does. */
function isCutOff({ parts, part, token }: Place): boolean {
  const { tokens } = parts[part]!;
  const start = tokens[token]!;
  if (start.role !== "name" && !isSubject(start)) return false;
  const own = tokens.slice(0, token);
  const isLast = tokens.slice(token + 1).every(({ role }) => role === "filler");
  const goesOnElsewhere = isLast && ["and", "comma", "clause"].includes(parts[part + 1]?.behind ?? "");
  const isFirst = own.every(({ role }) => role === "filler" || role === "article") || isTitle(own);
  return start.isBehindOf || (goesOnElsewhere && !isFirst);
}

function isSubject({ role }: Token): boolean {
  return role === "subject";
}

/** A word that has a capital because it is a name: it tells that the owner writes names so. */
function isWrittenAsName({ role, isCapital, isFirst }: Token): boolean {
  return role === "name" || (role === "subject" && isCapital && !isFirst);
}

function opensClause(typed: string): boolean {
  return AND.has(typed) || BETWEEN_CLAUSES.has(typed) || ASKING.has(typed);
}

function goesOn(tokens: readonly Token[]): boolean {
  const first = tokens.find(({ typed }) => !opensClause(typed));
  return first !== undefined && (GOING_ON.has(first.typed) || RELATIVE.has(first.typed));
}

/** Where in the last sentence the words of a line begin; where some say it word for word, those. */
function startsOf(parts: readonly Part[], line: string): Place[] {
  const wanted = plainWords(line).filter((word) => !isSmallWord(word));
  const typed = typedWords(line);
  const isCounted = (word: string) => word !== "" && !isSmallWord(word);
  const ahead = typed.findIndex((word) => isCounted(plainWords(word)[0] ?? ""));
  const from = parts.findLastIndex(({ behind }) => behind === "sentence");
  const places = parts.flatMap(({ tokens }, part) =>
    part < from ? [] : tokens.map((_, token): Place => ({ parts, part, token })),
  );
  const counted = places.filter((place) => isCounted(tokenAt(place).word));
  const found = counted.filter((_, at) =>
    wanted.every((word, offset) => {
      const place = counted[at + offset];
      return place !== undefined && tokenAt(place).word === word;
    }),
  );
  const exact = found.filter((place) => {
    const at = places.indexOf(place);
    return typed.slice(ahead).every((word, offset) => {
      const there = places[at + offset];
      return there !== undefined && tokenAt(there).typed === word;
    });
  });
  return (exact.length > 0 ? exact : found).map((place) => withSmallWords(place, typed.slice(0, ahead)));
}

/** From where the small words begin with which a line begins: "is my boss". */
function withSmallWords(place: Place, small: readonly string[]): Place {
  const { tokens } = place.parts[place.part]!;
  const token = place.token - small.length;
  const isThere = token >= 0 && small.every((word, at) => tokens[token + at]!.typed === word);
  return isThere ? { ...place, token } : place;
}

function tokenAt({ parts, part, token }: Place): Token {
  return parts[part]!.tokens[token]!;
}

const PIECE =
  /(?<![\p{L}\p{N}'])(?:[dljmtsc]|qu)'(?=\p{L})|[\p{L}\p{N}']+|[,;()](?=\s|$)|\((?=\p{L})|[:"“„«](?!\d)|\s[–—-]\s/giu;
const WORD = /[\p{L}\p{N}'’]+/u;

/** Sentences as what they are made of, each word with what it tells of a subject. */
function partsOf(sentences: readonly string[], subject: Subject): Part[] {
  return sentences.flatMap((sentence) => {
    const parts: { behind: Part["behind"]; tokens: Token[] }[] = [{ behind: "sentence", tokens: [] }];
    let before = "";
    let isFirst = true;
    for (const [piece] of sentence.normalize("NFKC").replaceAll("’", "'").matchAll(PIECE)) {
      const typed = piece.toLowerCase();
      const opens = partOpenedBy(piece, typed);
      const current = parts.at(-1)!;
      // ", and that" parts once.
      const isOpen =
        current.behind !== "sentence" && current.tokens.every((token) => opensClause(token.typed));
      if (opens !== undefined && !isOpen) parts.push({ behind: opens, tokens: [] });
      else if (opens !== undefined && current.behind !== "colon") current.behind = opens;
      if (!WORD.test(piece)) continue;
      const { tokens } = parts.at(-1)!;
      tokens.push(tokenOf(piece, { subject, before, isFirst }));
      before = typed;
      isFirst = false;
    }
    return parts;
  });
}

function partOpenedBy(piece: string, typed: string): Part["behind"] | undefined {
  if (/[:"“„«]/u.test(piece)) return "colon";
  if (/[–—-]/u.test(piece)) return "dash";
  if (!WORD.test(piece)) return "comma";
  if (AND.has(typed)) return "and";
  if (RELATIVE.has(typed)) return "relative";
  return BETWEEN_CLAUSES.has(typed) ? "clause" : undefined;
}

function tokenOf(
  piece: string,
  {
    subject,
    before,
    isFirst,
  }: { readonly subject: Subject; readonly before: string; readonly isFirst: boolean },
): Token {
  const typed = piece.toLowerCase().replaceAll(/^'+|'+$/gu, "");
  const [word = ""] = piece.endsWith("'") && piece.length <= 3 ? [] : plainWords(piece);
  const isCapital = /^\p{Lu}/u.test(piece);
  // "Martins Schwester"
  const isGenitive = isCapital && word.endsWith("s") && isIn(subject, word.slice(0, -1));
  const common = {
    word,
    typed: piece.endsWith("'") && word === "" ? piece.toLowerCase() : typed,
    isCapital,
    isFirst,
    isPossessive: isGenitive || /'s$|s'$/iu.test(piece),
    isBehindOf: BELONGING_TO.has(before),
  };
  return { ...common, role: isGenitive ? "subject" : roleOf(common, { subject, before }) };
}

function roleOf(
  { word, typed, isCapital, isFirst }: Omit<Token, "role">,
  { subject, before }: { readonly subject: Subject; readonly before: string },
): Token["role"] {
  if (isIn(subject, word)) return "subject";
  if (OWNER_WORDS.has(typed)) return "owner";
  if (OWNERS.has(typed)) return "owners";
  if (PRONOUNS.has(typed)) return "pronoun";
  if (ARTICLES.has(typed)) return "article";
  if (isCapital && NAMES_TOO.has(typed)) return "name";
  const isFiller =
    [GOING_ON, ASKING, DAYS, AND, BETWEEN_CLAUSES, RELATIVE].some((words) => words.has(typed)) ||
    isSmallWord(word) ||
    word === "";
  if (isFiller) return "filler";
  const isThing =
    ARTICLES.has(before) ||
    OWNERS.has(before) ||
    PLACE_BEFORE.has(before) ||
    MONTHS.has(typed) ||
    /^\d/u.test(before);
  return isCapital && !isFirst && !isThing ? "name" : "other";
}

function typedWords(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}']+/gu) ?? []
  ).map((word) => word.toLowerCase());
}

/** A line without the name with which it begins. */
function withoutSubject(line: string, subject: Subject): string {
  let rest = line;
  for (
    let found = WORD.exec(rest);
    found && isIn(subject, plainWords(found[0])[0] ?? "");
    found = WORD.exec(rest)
  )
    rest = rest.slice(found.index + found[0].length);
  return WORD.test(rest) ? rest : line;
}

/** "hate" of "hates"; "hassen" of "hasst"; "détestent" of "déteste"; "odian" of "odia". */
function isPluralOf(plural: string, verb: string): boolean {
  const singulars = [
    `${plural}s`,
    `${plural}es`,
    plural.replace(/y$/u, "ies"),
    plural.replace(/en$/u, "t"),
    plural.replace(/en$/u, "et"),
    plural.replace(/nt$/u, ""),
    plural.replace(/n$/u, ""),
  ];
  return singulars.includes(verb) && plural !== verb && plural.length >= PLURAL_CHARS_MIN;
}

const PLURAL_CHARS_MIN = 3;

function subjectOf(title: string): Subject {
  const words = plainWords(title.replaceAll(/[_-]+/gu, " "));
  return new Set(words.filter((word) => !isSmallWord(word)).map(folded));
}

function isIn(subject: Subject, word: string): boolean {
  return word !== "" && subject.has(folded(word));
}

/** A key may be spelled without marks: `juergen`, `ines`. */
export function folded(word: string): string {
  return word
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll("ß", "ss")
    .replaceAll(/(?<=[aou])e/gu, "");
}
