import { wantsToKnow } from "./answer-shape.ts";
import { keyMatcher, type KeyMatcher } from "./key-match.ts";
import { keyOfSource } from "./note-key.ts";
import { queryWords, wordsOf, type QueryWord } from "./query-words.ts";
import type { MemoryHit, MemoryTurn } from "./turn.ts";
import { STOP_WORDS } from "./word-lists.ts";
import { wordMatcher } from "./word-match.ts";

/**
 * Whether memory is worth asking, and whether what it answers is worth telling. Search always
 * finds something; unasked, something that does not fit is worse than nothing. So a message
 * of small talk is not looked up at all, and of what is found only that counts which holds a
 * good part of the words that were asked with.
 */
export interface RecallWords {
  readonly words: readonly QueryWord[];
  readonly trigrams: readonly string[];
  /** What of the message the key of a note holds. */
  readonly inKey: KeyMatcher;
  /** It asks for something that memory may know; to anything else memory has to have more to say. */
  readonly asks: boolean;
}

const SMALL_TALK: ReadonlySet<string> = new Set(
  `hello hi hey hallo moin servus hola bonjour salut ciao greetings good morning afternoon evening night day today tonight
  thanks thank thx danke merci gracias bitte welcome ok okay fine great nice cool super perfect awesome wow lol haha yeah yep nope sure
  bye goodbye tschüss adieu later soon sorry excuse
  continue go going on stop wait help test testing try again yes no maybe well right wrong done
  guten morgen tag abend nacht gut schön toll prima genau klar weiter ja nein
  elwood assistant question answer thing things something anything nothing everything stuff way kind lot bit
  want need make makes made give show look see think thought explain describe write read open
  everyone someone anyone nobody`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** undefined where a message says nothing that could be looked up. */
export function recallWords(message: string): RecallWords | undefined {
  const { words, trigrams } = queryWords(message);
  const telling = words.filter(({ word }) => !STOP_WORDS.has(word) && !SMALL_TALK.has(word));
  // A small number alone is about nothing; a year or a code may be.
  const isAbout = telling.some(({ word }) => /\p{L}/u.test(word) || word.length > 3);
  return isAbout || trigrams.length > 0
    ? { words: telling, trigrams, inKey: keyMatcher(telling, message), asks: wantsToKnow(message) }
    : undefined;
}

/** Above it, closeness in meaning vouches for a turn that shares no word with the message. */
const NEAR_MIN = 0.8;
const FEW_WORDS = 4;
const SHARE_OF_FEW = 0.5;
const SHARE_OF_MANY = 0.3;
const HELD_ENOUGH = 4;
const HELD_UNASKED = 2;
const SHARE_UNASKED = 0.5;
/** Of the best score; what is far behind it is there by chance. */
const BEHIND_MAX = 0.4;

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

/** Those of the hits that are worth telling, best first. */
export function relevantHits(hits: readonly MemoryHit[], asked: RecallWords): MemoryHit[] {
  const matchWords = wordMatcher(asked.words);
  const fitting = hits.filter(({ turn, near = 0 }) => {
    if (near >= NEAR_MIN) return true;
    const key = matchingKey(asked, turn);
    if (key?.unspaced === true) return true;
    const shared = asked.trigrams.filter((run) => turn.text.includes(run)).length;
    if (shared > 0 && shared >= asked.trigrams.length * SHARE_OF_MANY) return true;
    const held = new Set([...matchWords(turn.text), ...(key?.words ?? [])]).size;
    return asked.asks ? isEnough(held, asked.words.length) : isMuch(held, asked.words.length);
  });
  const best = fitting[0]?.score ?? 0;
  return fitting.filter(({ score }) => score >= best * BEHIND_MAX);
}

/** What of the message stands in the key of the note that a turn is from. */
export function matchingKey({ inKey }: RecallWords, { source }: Pick<MemoryTurn, "source">) {
  const key = keyOfSource(source);
  return key === undefined ? undefined : inKey(key);
}

function isEnough(held: number, asked: number): boolean {
  if (held === 0 || asked === 0) return false;
  if (held >= HELD_ENOUGH) return true;
  return held >= asked * (asked <= FEW_WORDS ? SHARE_OF_FEW : SHARE_OF_MANY);
}

/** For a message that asks nothing: one word in common is chance, unless it is the only one. */
function isMuch(held: number, asked: number): boolean {
  if (held === 0 || asked === 0) return false;
  return held >= Math.min(asked, HELD_UNASKED) && held >= asked * SHARE_UNASKED;
}
