import { isSmallWord } from "../request/language.ts";
import { shareOf, type Word, wordsIn } from "./shared-words.ts";

/** Latin or not: names in one script are not found in another. */
export function scriptOf(text: string): string {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? "han"
    : /\p{Script=Hangul}/u.test(text)
      ? "hangul"
      : "latin";
}

/**
 * Capitalised words within the sentence; at its beginning any word is. Days and months are compared
 * as such, and what a number counts is no name: "18 Uhr".
 */
export function namesOf(plain: string): Set<Word> {
  const found = plain.match(/(?<=[^.!?:\s"„“«\d]\s)\p{Lu}[\p{L}'-]{2,}/gu) ?? [];
  return wordsIn(found.filter((name) => !/^\p{Lu}+$/u.test(name) && !DAY_OR_MONTH.test(name)).join(" "));
}

export function isDayOrMonth(word: string): boolean {
  return DAY_OR_MONTH.test(word);
}

const DAY_OR_MONTH =
  /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|januar|februar|märz|mai|juni|juli|oktober|dezember)$/iu;

/**
 * Names that a digit is part of: "mx2", "v117", "5:45", "171.00", "contract_v3.docx". A bare number is none.
 * Zeros in front say nothing.
 */
export function numberedIn(text: string): string[] {
  if (!/\d/u.test(text)) return [];
  return (text.toLowerCase().match(NUMBERED) ?? [])
    .map((name) => name.replace(/^0+(?=\d)/u, "").replace(/[.,:/#-]+$/u, ""))
    .filter((name) => /[^\d]/u.test(name));
}

const NUMBERED =
  /(?<![\p{L}\p{N}])#?(?:\p{Script=Latin}|[_.:/-](?=[\p{L}\p{N}])){0,40}\d[\p{Script=Latin}\p{N}_.:/-]{0,60}/gu;

/** Another name of the same make stands in the targets, and not in the sentence: "mx1" for "mx2". */
export function hasTwin(name: string, numbered: readonly string[], plain: string): boolean {
  const make = makeOf(name);
  return numbered.some(
    (other) => other !== name && makeOf(other) === make && !plain.toLowerCase().includes(other),
  );
}

function makeOf(name: string): string {
  return name.replace(/\d+/gu, "0");
}

/** Beside a word that the sentence shares with a target stands another name than there. */
export function hasOtherName(plain: string, targets: string, held: ReadonlySet<Word>): boolean {
  const told = spacedWords(targets);
  if (told.length < 2) return false;
  const said = spacedWords(plain).filter((word) => !isSmallWord(word.toLowerCase()));
  const inSentence = new Set(said.map((word) => word.toLowerCase()));
  const inTargets = new Set(told.map((word) => word.toLowerCase()));
  const isOther = (here: string | undefined, there: string | undefined) =>
    here !== undefined &&
    there !== undefined &&
    isProper(here) &&
    isProper(there) &&
    !inTargets.has(here.toLowerCase()) &&
    !inSentence.has(there.toLowerCase()) &&
    !isBegun(here.toLowerCase(), there.toLowerCase()) &&
    shareOf(wordsIn(here), held) <= 0;
  return said.some((word, at) => {
    if (!inTargets.has(word.toLowerCase())) return false;
    return told.some(
      (other, there) =>
        other.toLowerCase() === word.toLowerCase() &&
        (isOther(said[at + 1], told[there + 1]) || isOther(said[at - 1], told[there - 1])),
    );
  });
}

/** A name without digits: an hour can be written in many ways, and a day shortened. */
function isProper(word: string): boolean {
  return /^\p{Lu}\p{Ll}{2,}$/u.test(word) && !DAY_OR_MONTH.test(word);
}

function isBegun(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function spacedWords(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[:.'-][\p{L}\p{N}]+)*/gu) ?? []).slice(0, SPACED_WORDS_MAX);
}

const SPACED_WORDS_MAX = 60;

export function otherDay(plain: string, held: readonly string[]): boolean {
  if (held.length === 0) return false;
  const said = plain.toLowerCase().match(WEEKDAYS) ?? [];
  return said.length > 0 && !said.some((day) => held.includes(day));
}

export const WEEKDAYS =
  /(?<!\p{L})(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?<!\p{L})(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|segunda|terça|quarta|quinta|sexta|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|poniedziałek|wtorek|środ\p{L}|czwartek|piątek|sobot\p{L}|niedziel\p{L}|(?:mån|tis|ons|tors|fre|lör|sön)dag(?:en)?|ponděl\p{L}|úter[ýek]\p{L}*|střed\p{L}|čtvrt\p{L}+|pát[ek]\p{L}*|neděl\p{L}|pazartesi|salı|çarşamba|perşembe|cuma(?:rtesi)?|pazar)(?!\p{L})|(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일/giu;
