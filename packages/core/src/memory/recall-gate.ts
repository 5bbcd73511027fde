import { wantsToKnow } from "./answer-shape.ts";
import { keyMatcher, type KeyMatcher } from "./key-match.ts";
import { keyOfSource } from "./note-key.ts";
import { isTelling, queryWords, wordsOf, type QueryWord } from "./query-words.ts";
import type { MemoryHit, MemoryTurn } from "./turn.ts";
import { STOP_WORDS } from "./word-lists.ts";
import { wordMatcher } from "./word-match.ts";

/**
 * Whether memory is worth asking, and whether what it answers is worth telling. Search always
 * finds something; unasked, something that does not fit is worse than nothing. So a message
 * of small talk is not looked up at all, and of what is found only that counts which holds a
 * good part of what was asked with: a rare word says more than a frequent one.
 */
export interface RecallWords {
  readonly words: readonly QueryWord[];
  readonly trigrams: readonly string[];
  /** Which of the words a text holds. */
  readonly heldIn: (text: string) => readonly number[];
  /** What of the message the key of a note holds. */
  readonly inKey: KeyMatcher;
  /** It asks for something that memory may know; to anything else memory has to have more to say. */
  readonly asks: boolean;
  /**
   * Those of the words that are about something; the others are for the assistant's own work ("my todo list"). A turn
   * has to hold one of them. Where there is none, it has to hold all the others.
   */
  readonly telling: ReadonlySet<string>;
}

const SMALL_TALK: ReadonlySet<string> = wordSet(
  `hello hi hey hallo moin servus hola bonjour salut ciao greetings good morning afternoon evening night day today tonight
  thanks thank thx danke merci gracias obrigado obrigada grazie спасибо привет bitte welcome ok okay fine great nice cool super perfect awesome wow lol haha yeah yep nope sure
  sounds alright agreed exactly understood
  bye goodbye tschüss adieu later soon sorry excuse
  continue go going on stop wait help test testing try again yes no maybe well right wrong done
  guten morgen tag abend nacht gut schön toll prima genau klar weiter ja nein
  elwood assistant question answer thing things something anything nothing everything stuff way kind lot bit
  want need make makes made give show look see think thought explain describe write read open
  everyone someone anyone nobody`,
);

/** In scripts without spaces, where a greeting is no word of its own. */
const SMALL_TALK_UNSPACED: ReadonlySet<string> = wordSet(
  `こんにちは こんばんは おはよう おはようございます ありがとう ありがとうございます はい いいえ 了解 お願いします
  你好 您好 谢谢 謝謝 好的 好 是 不是 早上好 晚安 再见 สวัสดี ขอบคุณ 안녕 안녕하세요 감사합니다 고마워 네 아니요`,
);

/**
 * What is done and with what, and how much of it. Every second request has such a word, so that two that share one have
 * nothing in common.
 */
const TASK_WORDS: ReadonlySet<string> = wordSet(
  `add append insert create save delete remove move rename copy edit change replace put list lists count sort search find check
  compare summarise summarize translate convert calculate update fix undo send reply post start run execute fetch download load browse
  visit print file files folder folders directory note notes line lines word words text page pages document documents number numbers nummer numéro número
  first last next second third two three four five big small large long short size date name names named call called
  work works working happen happened
  todo todos md csv txt json html pdf http https www com liste datei dateien ordner notiz notizen zeile zeilen wort wörter seite seiten`,
);

/** Of the last messages: whether to search, what for and what to tell of it are asked one after the other, of several at once. */
const lastRead = new Map<string, RecallWords | undefined>();
const LAST_READ_MAX = 16;

/** undefined where a message says nothing that could be looked up. `leaveOut`: names that a search treats apart. */
export function recallWords(
  message: string,
  leaveOut: ReadonlySet<string> = NO_NAMES,
): RecallWords | undefined {
  if (leaveOut.size > 0) return readWords(message, leaveOut);
  if (lastRead.has(message)) return lastRead.get(message);
  const words = readWords(message, NO_NAMES);
  if (lastRead.size >= LAST_READ_MAX) lastRead.delete(lastRead.keys().next().value!);
  lastRead.set(message, words);
  return words;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** Whether there are such words. Mostly one of the first says so, and the rest need not be read. */
export function isAboutSomething(message: string): boolean {
  return (!mayHaveAddress(message) && beginsAboutSomething(message)) || recallWords(message) !== undefined;
}

function beginsAboutSomething(message: string): boolean {
  let read = 0;
  for (const [word] of message.toLowerCase().matchAll(PLAIN_WORD)) {
    if (isTelling(word) && !SMALL_TALK.has(word) && LETTER.test(word)) return true;
    read += 1;
    if (read === FIRST_WORDS) break;
  }
  return false;
}

/** Fewer than are ever looked for. */
const FIRST_WORDS = 12;
/** With nothing beside it that may belong to it, such as an accent of its own. */
const PLAIN_WORD = /(?<![\p{L}\p{N}\p{M}])[a-z\d]+(?![\p{L}\p{N}\p{M}])/gu;
const LETTER = /[a-z]/;

function readWords(message: string, leaveOut: ReadonlySet<string>): RecallWords | undefined {
  const { text, names } = withoutAddresses(message);
  const { words, trigrams } = queryWords(names === "" ? text : `${text} ${names}`, leaveOut);
  const telling = words.filter(({ word }) => !STOP_WORDS.has(word) && !SMALL_TALK.has(word));
  // A small number is about nothing; a year or a code may be.
  const counting = onePerStem(telling.filter(({ word }) => /\p{L}/u.test(word) || word.length > 2));
  const isAbout = counting.some(({ word }) => /\p{L}/u.test(word) || word.length > 3);
  if (!isAbout && (trigrams.length === 0 || isTalkUnspaced(message))) return undefined;
  const onlyInNames = names === "" ? NO_NAMES : wordsOnlyIn(names, text);
  const strong = counting.filter(({ word }) => !TASK_WORDS.has(word) && !onlyInNames.has(word));
  const asks = wantsToKnow(message);
  // Of a message that asks nothing, one word by itself would let in all that holds it.
  const asked = strong.length >= (asks ? 1 : HELD_UNASKED) ? strong : counting;
  const heldIn = wordMatcher(asked);
  return {
    words: asked,
    trigrams,
    heldIn,
    inKey: keyMatcher(asked, message, heldIn),
    asks,
    telling: new Set(strong.map(({ word }) => word)),
  };
}

function isTalkUnspaced(message: string): boolean {
  return SMALL_TALK_UNSPACED.has(message.replaceAll(/[\p{P}\p{S}\s]+/gu, ""));
}

/** The words of names that do not also stand in the text. */
function wordsOnlyIn(names: string, text: string): ReadonlySet<string> {
  const inText = new Set(wordsOf(text));
  return new Set(wordsOf(names).filter((word) => !inText.has(word)));
}

/** "Recipe" and "recipes" are one word: a turn with either would count for both. */
function onePerStem(words: readonly QueryWord[]): QueryWord[] {
  const seen = new Set<string>();
  return words.filter(({ word }) => {
    const stem = word.replace(/(?<=..)(?:es|s|e)$/u, "");
    const isNew = !seen.has(stem);
    seen.add(stem);
    return isNew;
  });
}

const URL = /\bhttps?:\/\/(?:[^\s/<>"')]*@)?([^\s/<>"')]*)([^\s<>"')]*)/giu;
const ENDING = /\.[a-z]/iu;
const PATH = /(?:[\p{L}\p{N}_.~-]*\/)*[\p{L}\p{N}_~-][\p{L}\p{N}_.~-]*\.[a-z][a-z\d]{0,4}(?![\p{L}\p{N}])/giu;

/** Most messages have none, and this check is ten times as fast as looking for one. */
function mayHaveAddress(message: string): boolean {
  return message.includes("://") || ENDING.test(message);
}

/**
 * The message without files and links, and what these are called: of a path the name of the file, of a link its last
 * step or else its host. Whoever names one means it, and not what else was said in the words of its name.
 */
function withoutAddresses(message: string): { readonly text: string; readonly names: string } {
  if (!mayHaveAddress(message)) return { text: message, names: "" };
  const names: string[] = [];
  const text = message
    .replace(URL, (_whole, host: string, rest: string) => {
      const steps = rest.split(/[?#]/u, 1)[0]!.split("/");
      const last = steps.findLast((step) => /\p{L}/u.test(step));
      names.push(last === undefined ? host.replace(/\.[a-z]+(?::\d+)?$/iu, "") : nameOf(last));
      return " ";
    })
    .replace(PATH, (path) => {
      names.push(nameOf(path.slice(path.lastIndexOf("/") + 1)));
      return " ";
    });
  return { text, names: names.join(" ") };
}

function nameOf(file: string): string {
  return file.replace(/(?<=.)\.[a-z][a-z\d]{0,4}$/iu, "").replaceAll(/[_.~-]/gu, " ");
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/u).filter((word) => word !== ""));
}

/** Above it, closeness in meaning vouches for a turn that shares no word with the message. */
const NEAR_MIN = 0.8;
const TRIGRAMS_SHARE = 0.3;
/** Of the weight of all words: what a turn must hold of a message that asks, and of any other. */
const SHARE_ASKED = 0.25;
const SHARE_UNASKED = 0.5;
/**
 * For each tenfold of what a small memory holds it must hold so much more. Words of a statement do not come together by
 * chance alone: whoever tells of a move names a person, a thing and a place, so that among many such tellings there are
 * always some with the half of another, about nothing of it.
 */
const SHARE_UNASKED_GROWTH = 0.05;
const TURNS_FEW = 1_000;
/** One word in common is chance, unless it is the only one or somebody asks. */
const HELD_UNASKED = 2;
/** Of a question that names a note, what a line of another note must share: "birthday" alone is anybody's. */
const HELD_BESIDE = 2;
/** Of the best score; what is behind it is there by chance. */
const BEHIND_MAX = 0.7;
/**
 * Words that more turns than these would hold together by chance do not answer a question: a name that stands in
 * thousands of turns tells nothing by itself, however few words the question has.
 */
const BY_CHANCE_ASKED = 100;
/**
 * Whoever asks nothing is told only what no turn would hold by chance. Any of the message's words may be those that it
 * shares, so that chance has as many tries as there are words: in a large memory some turn always holds three of six.
 */
const BY_CHANCE_UNASKED = 1;
/** As if so many turns were there that hold none of the words: among a few turns every word is rare. */
const TURNS_ASSUMED = 50;

/** Whether a turn says nothing beside the words of the message: it knows no more, and would take the place of what does. */
export function isSameTextAs(message: string): (turn: string) => boolean {
  let matchWords: ReturnType<typeof wordMatcher> | undefined;
  return (turn) =>
    wordsOf(turn).every((word) => {
      if (word.length < 2 || STOP_WORDS.has(word) || SMALL_TALK.has(word)) return true;
      matchWords ??= wordMatcher(queryWords(message).words);
      return matchWords(word).length > 0;
    });
}

/** So many of these words a turn must hold, one that tells among them, and so much of their weight. */
export interface HeldEnough {
  readonly words: readonly QueryWord[];
  readonly weights: readonly number[];
  readonly tells: readonly boolean[];
  readonly least: number;
  readonly weight: number;
}

/** What a turn needs to be worth telling. */
export interface Relevance {
  /** False where no turn can hold enough by its text: too much of what was asked with stands nowhere. */
  readonly isPossible: boolean;
  /** Words of which each turn that holds enough holds at least one; the most frequent ones are not among them. */
  readonly rare: readonly QueryWord[];
  /** What it has to hold by its words alone: for whoever knows which words stand in it, before it is read. */
  readonly enough: HeldEnough;
  /** `held`: for whoever knows already what its text holds. */
  readonly isRelevant: (
    turn: Pick<MemoryTurn, "source" | "text"> & { readonly isNote?: boolean },
    near?: number,
    held?: readonly number[],
  ) => boolean;
}

/**
 * `turns`: how many turns hold each of the words, of so many in all. `names`: those by which the message names what some
 * note is about, so that a line of another note is not told for a single word in common, unless it is such a name.
 */
export function relevanceOf(
  asked: RecallWords,
  turns: readonly number[],
  total: number,
  { names = NO_NAMES }: { readonly names?: ReadonlySet<string> } = {},
): Relevance {
  const { words, trigrams, asks, telling, heldIn } = asked;
  const onlyTaskWords = telling.size === 0;
  const weights = turns.map((count) => Math.log(1 + (total + TURNS_ASSUMED) / (count + 1)));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const needed = all * (onlyTaskWords ? 1 : asks ? SHARE_ASKED : SHARE_UNASKED) - ROUNDING;
  const tries = total + TURNS_ASSUMED;
  const beyondChance = asks ? tries / BY_CHANCE_ASKED : (tries * words.length) / BY_CHANCE_UNASKED;
  // A turn that holds all of the message is as close as any can be.
  const ofMany = asks || onlyTaskWords ? 0 : all * shareUnasked(total) - ROUNDING;
  const neededInText = Math.max(needed, ofMany, Math.min(all - ROUNDING, Math.log(beyondChance)));
  const least = onlyTaskWords ? words.length : asks ? 1 : Math.min(words.length, HELD_UNASKED);
  const tells = words.map(({ word }) => onlyTaskWords || telling.has(word));
  const isEnough = (held: readonly number[], weight: number, count = least) =>
    held.length > 0 &&
    held.length >= count &&
    held.some((at) => tells[at]) &&
    held.reduce((sum, at) => sum + weights[at]!, 0) >= weight;
  return {
    isPossible: isEnough(
      turns.flatMap((count, at) => (count > 0 ? [at] : [])),
      neededInText,
    ),
    rare: rareWords(words, weights, neededInText),
    enough: { words, weights, tells, least: Math.max(1, least), weight: neededInText },
    isRelevant(turn, near = 0, held = heldIn(turn.text)) {
      if (near >= NEAR_MIN) return true;
      const key = matchingKey(asked, turn);
      // Whoever asks about somebody or something is told what is noted of it, however often it is spoken of.
      if (key && (key.unspaced || (asks && key.isNamed))) return true;
      const shared = trigrams.filter((run) => turn.text.includes(run)).length;
      if (shared > 0 && shared >= trigrams.length * TRIGRAMS_SHARE) return true;
      // A note that is called so is about it.
      if (key) return isEnough([...new Set([...held, ...key.words])], needed);
      const isBeside =
        names.size > 0 && turn.isNote === true && !held.some((at) => names.has(words[at]!.word));
      return isEnough(held, neededInText, isBeside ? Math.max(least, HELD_BESIDE) : least);
    },
  };
}

const ROUNDING = 1e-9;

function shareUnasked(total: number): number {
  return Math.min(1, SHARE_UNASKED + SHARE_UNASKED_GROWTH * Math.log10(Math.max(1, total / TURNS_FEW)));
}

/** The lightest are left out for as long as all of them together are less than what is needed. */
function rareWords(
  words: readonly QueryWord[],
  weights: readonly number[],
  needed: number,
): readonly QueryWord[] {
  let left = 0;
  const lightest = words
    .map((word, at) => ({ word, weight: weights[at]! }))
    .sort((a, b) => a.weight - b.weight);
  return lightest.filter(({ weight }) => (left += weight) >= needed).map(({ word }) => word);
}

/** Of what is worth telling, best first, that which is not far behind the best. */
export function nearBest<T extends Pick<MemoryHit, "score">>(hits: readonly T[]): T[] {
  const least = nearBestScore(hits[0]?.score ?? 0);
  return hits.filter(({ score }) => score >= least);
}

/** What is just near enough to the best. */
export function nearBestScore(best: number): number {
  return best * BEHIND_MAX;
}

/** What of the message stands in the key of the note that a turn is from. */
export function matchingKey({ inKey }: RecallWords, { source }: Pick<MemoryTurn, "source">) {
  const key = keyOfSource(source);
  return key === undefined ? undefined : inKey(key);
}
