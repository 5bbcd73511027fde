import type { Language } from "../request/language.ts";
import { COUNTED_AFTER, IN_CURRENCY, NUMBERED, ONE } from "../request/money-words.ts";
import {
  CHANNEL_BEFORE,
  EDGE_AFTER,
  EDGE_BEFORE,
  FILE_NOUN,
  FROM_BEFORE,
  FROM_ONLY,
  INTO_BEFORE,
  MADE_OF,
  PARTICLE_BEFORE,
  PERSON_AFTER,
  PERSON_BEFORE,
  SOURCE_BEFORE,
  SWITCHED_AFTER,
  TAKES_FIRST,
  TO_AFTER,
  TO_BEFORE,
} from "../request/place-words.ts";
import { STATES, SWITCHES } from "../request/switch-words.ts";
import { amountsIn, currencyOf, type Amount } from "./amounts.ts";
import { RIGHTS } from "./call-values.ts";
import { isCommonWord } from "./common-words.ts";
import { accountsIn, emailsIn, plainAccount } from "./owner-words.ts";
import { meansMoment, type MomentContext } from "./meant-moment.ts";
import { readMoment, spokenTimes } from "./spoken-times.ts";

/** The text in which the values of a call are looked for: a part of a clause, and what completes it. */
export interface Scope extends MomentContext {
  /** The part itself, as typed. */
  readonly text: string;
  /** What the owner added in answers. */
  readonly shared: string;
  /** Where its amount is from, if it says none itself: "send 20 to Anna and Bob". */
  readonly amounts: string;
  /** Items of a list that the clause introduces; each says only what it is as a whole. */
  readonly items: readonly string[];
  /** It is a further part of the clause, so that its first word needs no verb before it. */
  readonly isMember: boolean;
  readonly language: Language;
  /** All that was typed in the message, by which an address may be completed. */
  readonly spoken?: string;
}

/** A value of a call with all that is known of it. */
export interface CallValue {
  readonly argument: string;
  readonly value: unknown;
  /** Other names by which the owner may mean it, each of which means nothing else. */
  readonly aliases: readonly string[];
  /** Folders in which the call would make this as something new. */
  readonly newIn: readonly string[];
  /** Words by which people call the thing, where no other is called so. */
  readonly called?: readonly string[];
  /** What people may call the thing, which is not enough by itself. */
  readonly described?: readonly string[];
  /** It stands for a thing that has a name of its own. */
  readonly isId: boolean;
}

export type ValueKind =
  | "boolean"
  | "number"
  | "email"
  | "url"
  | "account"
  | "moment"
  | "right"
  | "currency"
  | "path"
  | "name"
  | "other";

const PATH_ARGUMENT =
  /^(?:path|paths|file|filename|file_?name|folder|dir|directory|from|to|source|src|dest|destination|target|name)$/iu;
const MONEY = /amount|sum|price|total|money|cost|fee|betrag|pay/iu;
const PERSON =
  /^(?:to|cc|bcc|recipients?|who|whom|users?|user_?name|contacts?|with|participants?|members?|guests?|invitees?|persons?|people|attendees?|payee|beneficiary|account|channels?|chat|room_?id|receiver)$/iu;
const FROM = /^(?:from|source|src|origin|departure)(?:_|$)|^from/iu;
const TO = /^(?:to|dest|destination|target|into)(?:_|$)/iu;

export function kindOf({
  argument,
  value,
  aliases,
}: Pick<CallValue, "argument" | "value" | "aliases">): ValueKind {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return "number";
  if (typeof value !== "string") return "other";
  const text = value.trim();
  if (emailsIn(text)[0] === text.toLowerCase()) return "email";
  if (/^https?:\/\//iu.test(text) || /^www\.\S+$/iu.test(text)) return "url";
  if (/^-?\d+(?:\.\d+)?$/u.test(text))
    return text.replaceAll(/\D/gu, "").length >= ACCOUNT_DIGITS ? "account" : "number";
  if (readMoment(text)) return "moment";
  if (/^(?:r|ro|w|rw)$/iu.test(text)) return "right";
  if (/^[A-Z]{3}$/u.test(text) && currencyOf(text) !== undefined) return "currency";
  if (aliases.length > 0 || (PATH_ARGUMENT.test(argument) && /[./\\]/u.test(text) && !/\s.*\s/u.test(text)))
    return "path";
  if (
    /^(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?::\d+)?(?:\/\S*)?$/u.test(text) &&
    /url|address|link|site|page|host/iu.test(argument)
  )
    return "url";
  const account = accountsIn(text)[0];
  if (account !== undefined && account === plainAccount(text)) return "account";
  return "name";
}

const ACCOUNT_DIGITS = 8;

/** Whether a clause says a value: whole, and by its kind. */
export function says(given: CallValue, scope: Scope): boolean {
  if (given.called?.some((name) => occurrences(scope.text, name).length > 0)) return true;
  const kind = kindOf(given);
  const { argument, value } = given;
  switch (kind) {
    case "boolean":
      return saysBoolean(argument, value === true, scope);
    case "number":
      return saysNumber(argument, Number(value), scope);
    case "email":
      return allTexts(scope).some((text) => emailsIn(text).includes(String(value).trim().toLowerCase()));
    case "url":
      return saysUrl(String(value), scope);
    case "account":
      return allTexts(scope).some((text) => accountsIn(text).includes(plainAccount(String(value))));
    case "moment":
      return saysMoment(String(value), scope);
    case "right":
      return RIGHTS[String(value).toLowerCase()]!.every((words) => words.test(scope.text.toLowerCase()));
    case "currency":
      return (
        amountsIn(scope.text, scope.language).some(({ currency }) => currency === String(value)) ||
        isOnlyCurrency(String(value), scope.text)
      );
    case "path":
      return saysPath(given, scope);
    case "name":
      return saysName(argument, String(value), scope) || saysState(argument, String(value), scope);
    case "other":
    default:
      return false;
  }
}

/** "22,40 to the café, in euros" */
function isOnlyCurrency(code: string, text: string): boolean {
  const [found, ...more] = [...text.matchAll(IN_CURRENCY)].map(([, name]) => currencyOf(name!));
  return found === code && more.length === 0;
}

/** Whether a part of a clause says anything of a kind, so that it takes nothing of that kind from the rest. */
export function hasKind(kind: ValueKind, text: string, language: Language): boolean {
  if (kind === "number") return amountsIn(text, language).length > 0;
  if (kind === "email") return emailsIn(text).length > 0;
  if (kind === "url") return urlsIn(text).size > 0;
  if (kind === "account") return accountsIn(text).length > 0;
  return false;
}

function allTexts({ text, shared, items }: Scope): string[] {
  return [text, shared, ...items].filter((each) => each !== "");
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
    .filter((word) => word !== "");
}

/** A switch counts by its own word, and false as well as true: "lock the door" does not say `locked: false`. */
function saysBoolean(argument: string, value: boolean, { text, shared }: Scope): boolean {
  const lower = `${text} ${shared}`.toLowerCase();
  const known = SWITCHES.find(([names]) => names.test(argument));
  if (known) return (value ? known[1] : known[2]).test(lower) && !(value ? known[2] : known[1]).test(lower);
  if (!value) return false;
  const parts = argument
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[_\s-]+/u)
    .filter((part) => !/^(?:is|has|be|the)$/u.test(part));
  const words = new Set(wordsOf(lower));
  return parts.length > 0 && parts.every((part) => words.has(part));
}

/** A state counts by the verb that brings it about, where no other state is spoken of. */
function saysState(argument: string, value: string, { text, shared }: Scope): boolean {
  if (!/^(?:state|status)$/iu.test(argument)) return false;
  const lower = `${text} ${shared}`.toLowerCase();
  const said = STATES.filter(([, words]) => words.test(lower));
  return said.length === 1 && said[0]![0].test(value.trim());
}

/** Of money only the one amount there is counts; of several, those beside a currency. */
function saysNumber(
  argument: string,
  value: number,
  { text, shared, amounts, items, language }: Scope,
): boolean {
  const own = amountsIn(text, language).filter((amount) => !MONEY.test(argument) || !isCounted(text, amount));
  const all = (own.length > 0 ? own : [...amountsIn(amounts, language), ...amountsIn(shared, language)]).map(
    ({ bound, value: said, ...amount }) => ({
      ...amount,
      ...(said === undefined || (bound && MONEY.test(argument)) ? {} : { value: said }),
    }),
  );
  const listed = items.flatMap((item) => amountsIn(item, language));
  if (!MONEY.test(argument)) {
    const said = [...all, ...listed];
    // "Buy a cake" is one cake.
    if (value === 1 && said.length === 0 && COUNT.test(argument)) return ONE.test(text);
    return said.some((amount) => amount.value === value) || ticketsIn(text).includes(value);
  }
  const plain = all.filter(({ percent }) => !percent);
  const priced = plain.filter(({ currency }) => currency !== undefined);
  const meant = priced.length > 0 ? priced : plain;
  const values = new Set(meant.map((amount) => amount.value));
  if (values.size === 1) return values.has(value);
  return values.size === 0 && listed.some((amount) => amount.value === value);
}

/** "issue #7" and "me/notes#7": the number of one that is written down somewhere, which is no count. */
function ticketsIn(text: string): number[] {
  return [...text.matchAll(TICKET)].map(([, digits]) => Number(digits));
}

const TICKET =
  /(?:(?<!\p{L})(?:issue|ticket|pr|pull request|bug|task|discussion|aufgabe|incidencia|tarea|tâche)\s|(?<![\p{L}\p{N}._/-])[\w.-]{1,100}\/[\w.-]{1,100})#(\d{1,9})(?![\p{L}\p{N}]|[.,]\d)/giu;

/** "For the 3 hours", "on the 20th", "invoice 118": a number of something else is no sum. */
function isCounted(text: string, { at, end, currency }: Amount): boolean {
  return (
    currency === undefined &&
    (COUNTED_AFTER.test(text.slice(end, end + 24)) || NUMBERED.test(text.slice(0, at)))
  );
}

const COUNT = /^(?:counts?|quantity|qty|pieces|number|copies|units?)$/iu;

const URL_TEXT =
  /(?<![\p{L}\p{N}@._/-])(?:https?:\/\/|www\.)[^\s<>"`|\\^{}“”«»「」『』、。，；！？）]{1,4000}/giu;
/** A bare host counts by the endings that are no names of files. */
const BARE_HOST =
  /(?<![\p{L}\p{N}@._/:-])(?:[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\.){1,8}(?:com|org|net|edu|gov|de|fr|es|ch|at|eu|uk|nl|jp|cn|br|ca|info|example)(?![\p{L}\p{N}@-]|\.\p{L})(?::\d{1,5})?(?:\/[^\s<>"'`]{0,2000})?/giu;

/** The addresses that a text names, as a parser reads them. A name without a scheme means https. */
export function urlsIn(text: string): ReadonlySet<string> {
  const found = [...text.matchAll(URL_TEXT), ...text.replace(URL_TEXT, " ").matchAll(BARE_HOST)];
  return new Set(
    found.flatMap(([raw]) => {
      const trimmed = /\(/u.test(raw)
        ? raw.replace(/[.,;:!?\]}'"]+$/u, "")
        : raw.replace(/[.,;:!?)\]}'"]+$/u, "");
      // "www.our-company.com.They": a sentence that was not followed by a blank.
      const glued = /^((?:https?:\/\/)?[^/]*\p{Ll}{2,})\.\p{Lu}\p{Ll}*$/u.exec(trimmed);
      const parsed = parsedUrl(glued?.[1] ?? trimmed);
      return parsed === undefined ? [] : [parsed];
    }),
  );
}

function saysUrl(value: string, scope: Scope): boolean {
  const wanted = parsedUrl(value);
  if (wanted === undefined) return false;
  const said = allTexts(scope).flatMap((text) => [...urlsIn(text)]);
  return said.includes(wanted) || said.some((url) => completes(wanted, url, scope.spoken ?? ""));
}

/**
 * The address that was typed, with parameters made of words of the same message: `…/rates?base=EUR` after
 * "250 EUR". Each word added is one that was typed, or the plain name of a parameter; anything else could
 * carry something away.
 */
function completes(wanted: string, said: string, spoken: string): boolean {
  const [url, known] = [new URL(wanted), new URL(said)];
  if (url.origin !== known.origin || url.pathname !== known.pathname || url.username !== "") return false;
  const before = [...known.searchParams].map(([name, value]) => `${name}=${value}`);
  const all = [...url.searchParams];
  const kept = all.filter(([name, value]) => before.includes(`${name}=${value}`));
  const added = all.filter(([name, value]) => !before.includes(`${name}=${value}`));
  if (kept.length !== before.length || added.length > PARAMETERS_MAX) return false;
  const typed = new Set(wordsOf(spoken.replace(URL_TEXT, " ")));
  const isTyped = (text: string) => {
    const words = wordsOf(text);
    return words.length > 0 && words.every((word) => typed.has(word));
  };
  return (
    added.length > 0 &&
    added.every(([name, value]) => (PARAMETER.test(name) || isTyped(name)) && isTyped(value))
  );
}

const PARAMETERS_MAX = 4;
const PARAMETER =
  /^(?:q|query|search|from|to|base|target|source|symbols?|currenc(?:y|ies)|amount|date|day|month|year|start|end|city|place|location|country|lang|language|locale|units?|page|format|type|category|tag|topic)$/iu;

function parsedUrl(text: string): string | undefined {
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `https://${text}`);
  if (!parsed) return undefined;
  // The part behind # is never sent.
  parsed.hash = "";
  return parsed.href;
}

function saysMoment(value: string, scope: Scope): boolean {
  return meansMoment(value, allTexts(scope).join(" \n "), scope);
}

/** A time as an argument: a moment, a time of day, or the owner's own words for it. */
export function saysTime(value: unknown, scope: Scope): boolean {
  if (typeof value === "number") return saysNumber("", value, scope);
  if (typeof value !== "string") return false;
  const text = allTexts(scope).join(" \n ");
  if (readMoment(value)) return saysMoment(value, scope);
  const [minutes] = /^\d{1,2}:\d{2}/u.test(value) ? spokenTimes(value) : [];
  if (minutes !== undefined) return spokenTimes(text).includes(minutes);
  return occurrences(text, value).length > 0;
}

function saysPath({ argument, value, aliases, newIn }: CallValue, scope: Scope): boolean {
  const own = [String(value).trim(), ...aliases].map((path) => path.replace(/^\.\//u, ""));
  // A part of the text is looked at with all of it: what goes before tells what it is.
  const texts = allTexts(scope).filter((text) => text === scope.text || !scope.text.includes(text.trim()));
  for (const path of own) {
    for (const text of texts) {
      const bare = !/[./\\~]/u.test(path);
      const places = occurrences(text, path, { exact: !aliases.includes(path) }).filter(
        (at) =>
          (!bare || isQuoted(text, at, path.length) || hasNoun(text, at, path.length, FILE_NOUN)) &&
          (DIRECTED.test(argument) || !isSource(text, at, path.length)),
      );
      if (places.some((at) => goesThatWay(argument, text, at, path.length, scope.language))) return true;
    }
  }
  return newIn.some((folder) => texts.some((text) => namesFolder(text, folder)));
}

const DIRECTED = /^(?:from|to|source|src|dest|destination|target)$/iu;
const ANY_PATH =
  /(?<![\p{L}\p{N}./_~-])[\p{L}\p{N}./_~-]*[\p{L}\p{N}_-]\.\p{L}[\p{L}\p{N}]{0,4}(?![\p{L}\p{N}])/gu;

/** "Write a summary of a.md to b.md" changes b.md: what something is made from is not what is changed. */
function isSource(text: string, at: number, length: number): boolean {
  const before = text.slice(0, at);
  if (INTO_BEFORE.test(before)) return false;
  if (MADE_OF.test(before)) return true;
  const others = [...text.matchAll(ANY_PATH)].filter(
    (match) => match.index + match[0].length <= at || match.index >= at + length,
  );
  if (!others.some((match) => INTO_BEFORE.test(text.slice(0, match.index)))) return false;
  return SOURCE_BEFORE.test(before) || TAKES_FIRST.test(text);
}

/** "into poems/", "in the folder poems", "in Documents": a folder in which something new is to be. */
function namesFolder(text: string, folder: string): boolean {
  const plain = folder.replace(/\/$/u, "");
  if (plain === "" || plain === ".") return false;
  return [...occurrences(text, `${plain}/`), ...occurrences(text, plain)].some(
    (at) =>
      text.startsWith(`${plain}/`, at) ||
      isQuoted(text, at, plain.length) ||
      hasNoun(text, at, plain.length, FILE_NOUN) ||
      (/(?:^|\s)(?:in|into|to|inside|under|im|ins|unter|en|dans|sous|nella|nel|na|no|em|do|w|naar)\s(?:(?:my|the|our|den|die|das|dem|meinen?|meinem|mi|el|la|mes|mon|ma|le|les|minha|meu|mijn)\s)?$/iu.test(
        text.slice(0, at),
      ) &&
        !isCommonWord(plain)),
  );
}

/** Where a call goes from one thing to another, the preposition says which is which. */
function goesThatWay(
  argument: string,
  text: string,
  at: number,
  length: number,
  language: Language,
): boolean {
  if (PERSON.test(argument) && !TO.test(argument)) return true;
  const before = text.slice(0, at);
  const after = text.slice(at + length);
  const late = language === "ja" || language === "ko";
  if (FROM.test(argument))
    return late ? !TO_AFTER.test(after) : !TO_BEFORE.test(before) || FROM_BEFORE.test(before);
  if (TO.test(argument)) return late ? TO_AFTER.test(after) : TO_BEFORE.test(before) && !isAfterFrom(before);
  return true;
}

function isAfterFrom(before: string): boolean {
  // "de" and "da" stand for both in some languages; what is plainly a source is not the aim.
  return /(?:^|\s)(?:from|out of|von|vom|aus|desde|depuis|dal|dalla|uit)\s\S*$/iu.test(before);
}

function saysName(argument: string, value: string, scope: Scope): boolean {
  const name = value.trim().replace(/^[@#]/u, "");
  if (name === "") return false;
  const whole = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replace(/^["'“„«「#@]+|["'”“»」]+$/gu, "");
  if (scope.items.some((item) => isOnly(item, name))) return true;
  if (scope.isMember && whole(scope.text) === name.toLowerCase() && !isCommonWord(name)) return true;
  // What the shared part of a clause says counts for what is no person: "book Le Marais from … to …".
  return [scope.text, ...(scope.shared === "" ? [] : [scope.shared])].some((text) =>
    occurrences(text, name, { marked: true, strict: PERSON.test(argument) }).some((at) =>
      isNameThere(argument, name, text, at, scope),
    ),
  );
}

function isNameThere(argument: string, name: string, text: string, at: number, scope: Scope): boolean {
  const length = name.length;
  const noun = argument.toLowerCase().replace(/s$/u, "").split(/[_\s]/u)[0] ?? "";
  const marked =
    isQuoted(text, at, length) ||
    /[#@]$/u.test(text.slice(0, at)) ||
    (noun.length > 3 && hasNoun(text, at, length, noun));
  const written = text.slice(at, at + length);
  const begins = text.slice(0, at).trim() === "";
  const capital = /^\p{Lu}/u.test(written) && !begins;
  if (isCommonWord(name) && !marked && !capital) return false;
  if (!goesThatWay(argument, text, at, length, scope.language) && !PERSON.test(argument)) return false;
  if (!PERSON.test(argument)) return true;
  const before = text.slice(0, at);
  const after = text.slice(at + length);
  if (CHANNEL.test(argument) && CHANNEL_BEFORE.test(before)) return [...text.matchAll(HASHED)].length === 1;
  if (HANDLE_FIRST.test(before)) return true;
  if (PERSON_BEFORE.test(before)) return !FROM_BEFORE.test(before) || PERSON_BEFORE.test(before);
  if (PERSON_AFTER.test(after)) return true;
  if (marked && noun.length > 3 && hasNoun(text, at, length, noun)) return true;
  if (begins) return scope.isMember;
  // "a ticket from Kiel to Cologne": where something begins is not where it goes.
  if (FROM_ONLY.test(before)) return false;
  // Straight after the verb: "send Anna 20". Not where somebody else is named behind a preposition.
  const straight =
    before.trim().split(/\s+/u).length <= LEAD_WORDS_MAX &&
    !/\b(?:the|der|die|das|el|la|le|les|il|lo|een|het)\s$/iu.test(before);
  if (!straight) return false;
  return capital || (!isCommonWord(name) && !/\s(?:to|an|para|à|aan|do)\s["'“]?(?:\p{Lu}|\S+@)/u.test(after));
}

const LEAD_WORDS_MAX = 6;
const CHANNEL = /^(?:channels?|chat|room|room_?id|group)$/iu;
const HASHED = /(?<![\p{L}\p{N}])#[\p{L}\p{N}_-]+/gu;
/** "Tell #general …": the first name of the clause, with nobody named before it. */
const HANDLE_FIRST = /^(?:\s*\p{L}+){1,5}\s[#@]$/u;

/** An item of a list that is this name, with at most an amount beside it. */
function isOnly(item: string, name: string): boolean {
  const [at] = occurrences(item, name);
  if (at === undefined) return false;
  const rest = `${item.slice(0, at)} ${item.slice(at + name.length)}`;
  return !/\p{L}{2,}/u.test(
    rest.replaceAll(/(?<!\p{L})(?:eur|euros?|usd|dollars?|chf|to|an|for|a|à)(?!\p{L})/giu, " "),
  );
}

function isQuoted(text: string, at: number, length: number): boolean {
  return /["'“„«「『‘‚`]$/u.test(text.slice(0, at)) && /^["'”“»」』’`]/u.test(text.slice(at + length));
}

function hasNoun(text: string, at: number, length: number, noun: string): boolean {
  const near = new RegExp(`(?<!\\p{L})(?:${noun})s?["'“„]?\\s?["'“„#@]?$`, "iu");
  const next = new RegExp(`^["'”“]?[\\s-]?(?:${noun})s?(?![\\p{L}])`, "iu");
  return near.test(text.slice(0, at)) || next.test(text.slice(at + length));
}

/** Characters that go on with a token: what stands between them is only a part of something. */
const OPEN_ENDS = /[\p{L}\p{N}_@/\\+%=&#~-]/u;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const OCCURRENCES_MAX = 50;

/** Where a value stands as a token of its own. `strict`: in a script without blanks a part of a longer name is none. */
export function occurrences(
  text: string,
  value: string,
  { exact = false, marked = false, strict = false } = {},
): number[] {
  const haystack = exact ? text : lowered(text);
  const wanted = exact ? value.normalize("NFKC").trim() : lowered(value.normalize("NFKC").trim());
  const found: number[] = [];
  if (wanted === "") return found;
  for (
    let at = haystack.indexOf(wanted);
    at >= 0 && found.length < OCCURRENCES_MAX;
    at = haystack.indexOf(wanted, at + 1)
  ) {
    const before = haystack.slice(0, at);
    const after = haystack.slice(at + wanted.length);
    const free = isFreeBefore(before, wanted, strict) || (marked && /(?<![\p{L}\p{N}])[#@]$/u.test(before));
    if (free && isFreeAfter(after, wanted, strict)) found.push(at);
  }
  return found;
}

function lowered(text: string): string {
  return text.replaceAll(/\p{Lu}/gu, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  );
}

function isFreeBefore(before: string, wanted: string, strict: boolean): boolean {
  const last = before.at(-1) ?? " ";
  if (SPACELESS.test(last))
    return (
      !SPACELESS.test(wanted[0]!) ||
      EDGE_BEFORE.test(before) ||
      (PARTICLE_BEFORE.test(before) && !/^\p{Script=Hiragana}/u.test(wanted)) ||
      (!strict && isEdge(before, wanted))
    );
  return !OPEN_ENDS.test(last) && last !== ".";
}

function isFreeAfter(after: string, wanted: string, strict: boolean): boolean {
  const [next = " ", then = " "] = after;
  if (SPACELESS.test(next))
    return (
      !SPACELESS.test(wanted.at(-1)!) ||
      EDGE_AFTER.test(after) ||
      (!strict && (SWITCHED_AFTER.test(after) || isEdge(wanted, after)))
    );
  if (/\p{Script=Hangul}/u.test(next))
    return EDGE_AFTER.test(after) || /^(?:에게|한테|께|으로|로|와|과|이|가|은|는|도)/u.test(after);
  // A dot ends it only where it ends a sentence: "notes.txt" is not said by "notes.txt.bak".
  if (next === ".") return !OPEN_ENDS.test(then) || /\p{Lu}/u.test(then);
  if (next === "'" || next === "’") return true;
  // "me/notes#8" is number 8 of me/notes.
  if (next === "#" && /\d/u.test(then)) return /^[^/\s]+\/[^/\s]+$/u.test(wanted);
  return !OPEN_ENDS.test(next);
}

let segmenter: Intl.Segmenter | undefined;

/** Whether a word ends between the two, where the script shows no ends. */
function isEdge(left: string, right: string): boolean {
  segmenter ??= new Intl.Segmenter("ja", { granularity: "word" });
  const near = left.slice(-12);
  for (const { index } of segmenter.segment(`${near}${right.slice(0, 12)}`))
    if (index === near.length) return true;
  return false;
}
