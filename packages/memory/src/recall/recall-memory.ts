import { LIMITS } from "@elwood/core/base/limits";
import { beginsAsOrder, isOrder, isQuestion } from "@elwood/core/memory/answer-shape";
import { matchingKey, recallWords, isSameTextAs, nearBest } from "@elwood/core/memory/recall-gate";
import { placeOf, type RecalledItem } from "@elwood/core/memory/recalled";
import { recalledText } from "@elwood/core/message/recalled-frame";
import { wordMatcher } from "@elwood/core/memory/word-match";
import type { MemoryHit, MemoryOrigin, MemoryTurn } from "@elwood/core/memory/turn";
import type { RecallAbout, Recalled } from "@elwood/runtime/ports/ports";
import { withReadCache } from "../notes/note-service.ts";
import { shownTurn, type LookupDeps, type ShownLine } from "../notes/lookup.ts";

const CHARS_PER_TOKEN = 4;
/** Of a message that brings a whole document along, its first words say what it is about. */
const MESSAGE_CHARS_MAX = 2_000;
/** What was asked before in the same words is found first and told never, so more is looked at than is told. */
const HITS_LOOKED_AT = 40;
const LOOKED_AT_PER_TOLD = 4;
/** Only these are told unasked. */
const TOLD: readonly MemoryOrigin[] = ["owner", "agent"];

interface Found {
  readonly line: ShownLine;
  readonly ts: number;
  readonly score: number;
}

/** Small talk is not looked up. */
export function isWorthSearching(message: string): boolean {
  return recallWords(message.slice(0, MESSAGE_CHARS_MAX)) !== undefined;
}

/** What memory has to say to a message of the owner's, within so many tokens. */
export async function recallFor(
  given: LookupDeps,
  about: RecallAbout,
  message: string,
  tokens: number,
  signal: AbortSignal,
): Promise<Recalled | undefined> {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  const words = recallWords(text);
  if (words === undefined) return undefined;
  const deps = { ...given, noteService: withReadCache(given.noteService) };
  const hits = await deps.reader.search({
    text,
    limit: HITS_LOOKED_AT,
    tokensMax: tokens * LOOKED_AT_PER_TOLD,
    exceptSession: about.sessionId,
    origins: TOLD,
    forRecall: true,
    now: deps.clock.now(),
    timeZone: deps.localTime.timeZone,
  });
  const found: Found[] = [];
  const seen = new Set(about.given);
  const matchWords = wordMatcher(words.words);
  const isOnlyAsked = onlyAsked(text);
  for (const hit of nearBest(hits)) {
    for (const turn of turnsOf(hit)) {
      if (signal.aborted || found.length >= LIMITS.recallItemsMax) break;
      // What stands beside a hit is told where it speaks of the same; a mere "yes" is not.
      const isAbout =
        turn === hit.turn || matchWords(turn.text).length > 0 || matchingKey(words, turn) !== undefined;
      if (isOnlyAsked(turn) || !isAbout) continue;
      const line = await shownTurn(deps, turn);
      if (!TOLD.includes(line.origin) || seen.has(placeOf(line)) || seen.has(line.text)) continue;
      seen.add(placeOf(line)).add(line.text);
      found.push({ line, ts: turn.ts, score: turn === hit.turn ? hit.score : 0 });
    }
  }
  if (signal.aborted) return undefined;
  const told = recalledText(
    found.map(({ line }) => ({ ...line, place: placeOf(line) })),
    tokens * CHARS_PER_TOKEN,
  );
  return told && { text: told.text, items: found.slice(0, told.count).map(itemOf) };
}

/**
 * A question of the owner's holds no answer, and one that they ask again would be found before all
 * else. What they once told Elwood to do was done or not, and must not look like a wish of now.
 */
function onlyAsked(message: string): (turn: MemoryTurn) => boolean {
  const saysTheSame = isSameTextAs(message);
  const ordered = beginsAsOrder(message);
  return ({ role, text }) => {
    if (role === "user") return isQuestion(text) || isOrder(text) || saysTheSame(text);
    // What Elwood said it did for an earlier request is no help with the next one, nor is what it only said after the owner.
    return role === "assistant" && (ordered || saysTheSame(text));
  };
}

/** The hit first: should there be no room for more, it is the one that counts. */
function turnsOf({ turn, before, after }: MemoryHit): readonly MemoryTurn[] {
  return [turn, ...before, ...after];
}

function itemOf({ line, ts, score }: Found): RecalledItem {
  const { source, speaker, origin } = line;
  return { source, line: line.line, ts, speaker, origin, score: Math.round(score * 100) / 100 };
}
