import { LIMITS } from "@elwood/core/limits";
import { recallWords, worthTelling } from "@elwood/core/memory/recall-gate";
import { placeOf, type RecalledItem } from "@elwood/core/memory/recalled";
import { recalledText } from "@elwood/core/memory/recalled-frame";
import type { MemoryHit, MemoryOrigin, MemoryTurn } from "@elwood/core/memory/turn";
import type { Recalled } from "@elwood/runtime/ports";
import type { RecallAbout } from "@elwood/runtime/recall";
import { shownTurn, type LookUpDeps, type ShownLine } from "./look-up.ts";

const CHARS_PER_TOKEN = 4;
/** Of a message that brings a whole document along, its first words say what it is about. */
const MESSAGE_CHARS_MAX = 2_000;
/** Only these are told unasked. */
const TOLD: readonly MemoryOrigin[] = ["owner", "agent"];

interface Found {
  readonly line: ShownLine;
  readonly ts: number;
  readonly score: number;
}

/** Small talk is not looked up. */
export function saysSomething(message: string): boolean {
  return recallWords(message.slice(0, MESSAGE_CHARS_MAX)) !== undefined;
}

/** What memory has to say to a message of the owner's, within so many tokens. */
export async function recallFor(
  deps: LookUpDeps,
  { sessionId, given }: RecallAbout,
  message: string,
  tokens: number,
  signal: AbortSignal,
): Promise<Recalled | undefined> {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  const words = recallWords(text);
  if (words === undefined) return undefined;
  const hits = await deps.looking.search({
    text,
    limit: LIMITS.recallItemsMax,
    tokensMax: tokens,
    exceptSession: sessionId,
    origins: TOLD,
    now: deps.clock.now(),
    timeZone: deps.localTime.timeZone,
  });
  const found: Found[] = [];
  const seen = new Set(given);
  for (const hit of worthTelling(hits, words)) {
    for (const turn of turnsOf(hit)) {
      if (signal.aborted) return undefined;
      const line = await shownTurn(deps, turn);
      if (!TOLD.includes(line.origin) || seen.has(placeOf(line))) continue;
      seen.add(placeOf(line));
      found.push({ line, ts: turn.ts, score: turn === hit.turn ? hit.score : 0 });
    }
  }
  const told = recalledText(
    found.slice(0, LIMITS.recallItemsMax).map(({ line }) => ({ ...line, place: placeOf(line) })),
    tokens * CHARS_PER_TOKEN,
  );
  return told && { text: told.text, items: found.slice(0, told.count).map(itemOf) };
}

/** The hit first: should there be no room for more, it is the one that counts. */
function turnsOf({ turn, before, after }: MemoryHit): readonly MemoryTurn[] {
  return [turn, ...before, ...after];
}

function itemOf({ line, ts, score }: Found): RecalledItem {
  const { source, speaker, origin } = line;
  return { source, line: line.line, ts, speaker, origin, score: Math.round(score * 100) / 100 };
}
