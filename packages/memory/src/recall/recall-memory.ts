import { LIMITS } from "@elwood/core/base/limits";
import { isAboutSomething, nearBest } from "@elwood/core/memory/recall-gate";
import { placeOf, type RecalledItem } from "@elwood/core/memory/recalled";
import { recalledText, recalledWords } from "@elwood/core/message/recalled-frame";
import type { MemoryOrigin } from "@elwood/core/memory/turn";
import type { RecallAbout, Recalled } from "@elwood/runtime/ports/ports";
import { withReadCache } from "../notes/note-service.ts";
import { shownTurn, type LookupDeps, type ShownLine } from "../notes/lookup.ts";
import { beginningOf, tellsTo, turnsOf } from "../told-hits.ts";

const CHARS_PER_TOKEN = 4;
/** What was asked before in the same words is found first and told never, so more is looked at than is told. */
const HITS_LOOKED_AT = 40;
const LOOKED_AT_PER_TOLD = 4;
/** A shorter line of a note stands in much that says more. */
const REPEATED_CHARS_MIN = 16;
/** All that may stand before it: "It is wrong that" and "maybe" say more than the note. */
const TO_REMEMBER =
  /^(?:(?:please|bitte)[, ]+)?(?:(?:remember|note|save|merke? dir|notiere?|retiens|recuerda|anota)(?: that|,? dass| que)?[:, ]+)?$/;
/** Only these are told unasked. */
const TOLD: readonly MemoryOrigin[] = ["owner", "agent"];

interface Found {
  readonly line: ShownLine;
  readonly ts: number;
  readonly score: number;
}

/** Small talk is not looked up. */
export function isWorthSearching(message: string): boolean {
  return isAboutSomething(beginningOf(message));
}

/** What memory has to say to a message of the owner's, within so many tokens. */
export async function recallFor(
  given: LookupDeps,
  about: RecallAbout,
  message: string,
  tokens: number,
  signal: AbortSignal,
): Promise<Recalled | undefined> {
  const text = beginningOf(message);
  if (!isAboutSomething(text)) return undefined;
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
  if (hits.length === 0) return undefined;
  const seen = new Set<string>();
  // Where another thread searched, it has said already what is told.
  let tells: ReturnType<typeof tellsTo> | undefined;
  for (const hit of nearBest(hits)) {
    for (const turn of turnsOf(hit)) {
      if (signal.aborted || found.length >= LIMITS.recallItemsMax) break;
      if (hit.isTold === undefined) {
        tells ??= tellsTo(text);
        if (!tells(turn, hit.turn)) continue;
      }
      // Where it comes from need not be looked up once more. A line of a note may have moved, or say something else now.
      const isNote = turn.role === "note";
      if (!isNote && about.wasTold(turn)) continue;
      const line = await shownTurn(deps, turn);
      if (!TOLD.includes(line.origin)) continue;
      if (isNote ? about.wasTold(line, recalledWords(line)) : about.wasTold(line)) continue;
      if (seen.has(placeOf(line)) || seen.has(line.text)) continue;
      seen.add(placeOf(line)).add(line.text);
      found.push({ line, ts: turn.ts, score: turn === hit.turn ? hit.score : 0 });
    }
  }
  if (signal.aborted) return undefined;
  const worth = withoutRepeats(found);
  const told = recalledText(
    worth.map(({ line }) => ({ ...line, place: placeOf(line) })),
    tokens * CHARS_PER_TOKEN,
  );
  return told && { text: told.text, items: worth.slice(0, told.count).map(itemOf) };
}

/**
 * "Remember that the safe is blue" was said once, and says no more than the note that was made of it, which may have been
 * corrected since.
 */
function withoutRepeats(found: readonly Found[]): readonly Found[] {
  const noted = found
    .flatMap(({ line }) => (isOfNote(line) ? [bare(line.text)] : []))
    .filter((text) => text.length >= REPEATED_CHARS_MIN);
  const repeats = (text: string) =>
    noted.some((note) => text.endsWith(note) && TO_REMEMBER.test(text.slice(0, -note.length)));
  return noted.length === 0 ? found : found.filter(({ line }) => isOfNote(line) || !repeats(bare(line.text)));
}

function isOfNote({ source }: ShownLine): boolean {
  return source.startsWith("memory/");
}

/** As it may stand in a message: without its bullet, the full stop, and which letters are large. */
function bare(text: string): string {
  return text
    .replace(/^[-*•]\s+/u, "")
    .replace(/[.!]$/u, "")
    .toLowerCase();
}

function itemOf({ line, ts, score }: Found): RecalledItem {
  const { source, speaker, origin } = line;
  return { source, line: line.line, ts, speaker, origin, score: Math.round(score * 100) / 100 };
}
