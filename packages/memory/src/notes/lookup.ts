import type { LocalTime } from "@elwood/core/base/local-time";
import { keyOfSource } from "@elwood/core/memory/note-key";
import { placeOf } from "@elwood/core/memory/recalled";
import { recalledLine } from "@elwood/core/message/recalled-frame";
import type { MemoryHit, MemoryOrigin, MemoryQuery, MemoryTurn } from "@elwood/core/memory/turn";
import type { Clock } from "@elwood/runtime/ports/ports";
import { result, ToolError, type HandlerAnswer } from "@elwood/sdk/tool";
import type { ConversationProvenance } from "@elwood/runtime/gate/conversation-provenance";
import type { GetInput, SearchInput } from "./memory-actions.ts";
import { withElsewhere, type FactElsewhere } from "./note-facts.ts";
import { withReadCache, type NoteService } from "./note-service.ts";

/** The part of the index that lookups need. */
export interface MemoryReader {
  search(query: MemoryQuery): Promise<readonly MemoryHit[]>;
  /** Turns of a source between two lines, both included. */
  turns(source: string, from: number, to: number): Promise<readonly MemoryTurn[]>;
  /** What other notes say today about what this line of a note is about. */
  elsewhere(source: string, line: number, at: number): Promise<readonly FactElsewhere[]>;
}

export interface LookupDeps {
  readonly tenant: string;
  readonly noteService: NoteService;
  readonly reader: MemoryReader;
  readonly conversations: Pick<ConversationProvenance, "hasUntrustedInput">;
  readonly clock: Clock;
  readonly localTime: LocalTime;
}

/** A line of memory as it is returned. */
export interface ShownLine {
  readonly source: string;
  readonly line: number;
  readonly day: string;
  readonly speaker: string;
  readonly origin: MemoryOrigin;
  readonly text: string;
  readonly score?: number;
  readonly remark?: string;
}

const SEARCH_TOKENS_MAX = 4_000;
const LINES_SHOWN_MAX = 400;
const DAY_MS = 86_400_000;

export async function searchMemory(
  given: LookupDeps,
  { query, limit, since, until }: SearchInput,
): Promise<HandlerAnswer> {
  const deps = { ...given, noteService: withReadCache(given.noteService) };
  const { reader, clock, localTime } = deps;
  // The conversation that asks is looked into as well: its beginning may be before the model only as a summary.
  const hits = await reader.search({
    text: query,
    limit,
    tokensMax: SEARCH_TOKENS_MAX,
    ...(since === undefined ? {} : { since: dayStart(since) }),
    ...(until === undefined ? {} : { until: dayStart(until) + DAY_MS - 1 }),
    now: clock.now(),
    timeZone: localTime.timeZone,
  });
  const lines: ShownLine[] = [];
  const seen = new Set<string>();
  for (const { turn, score, before, after } of hits) {
    for (const each of [...before, turn, ...after]) {
      const line = await shownTurn(deps, each, each === turn ? score : undefined);
      // A fact that was replaced is shown as the one that holds, which may have been found too.
      const place = line.remark === undefined ? `${placeOf(line)}:${line.text.slice(0, 40)}` : placeOf(line);
      if (seen.has(place)) continue;
      seen.add(place);
      lines.push(line);
    }
  }
  const text =
    lines.length === 0
      ? "Nothing in memory fits that. Other words may; so may memory.note.get, which lists the notes."
      : lines.map(asLine).join("\n");
  return result({ found: hits.length, lines }, { text });
}

export async function getMemory(deps: LookupDeps, { key, source, lines }: GetInput): Promise<HandlerAnswer> {
  if (key === undefined && source === undefined) return listNotes(deps);
  const [from, to] = range(lines);
  const noteOf = key ?? keyOfSource(source ?? "");
  const found =
    noteOf === undefined
      ? await Promise.all((await deps.reader.turns(source!, from, to)).map((turn) => shownTurn(deps, turn)))
      : await noteShown(deps, noteOf, from, to);
  if (found === undefined || found.length === 0) {
    const what =
      noteOf === undefined
        ? `Nothing is known of ${source} there.`
        : `There is no note ${noteOf} with such lines.`;
    throw new ToolError("not_found", `${what} memory.note.search finds what there is.`);
  }
  const shown = found.slice(0, LINES_SHOWN_MAX);
  const more = found.length > shown.length;
  const text = shown
    .map((line) => (line.speaker === "note" ? `${line.line}: ${line.text}` : asLine(line)))
    .join("\n");
  return result(
    { source: shown[0]!.source, lines: shown, more },
    { text: more ? `${text}\n[There is more; ask for other lines.]` : text },
  );
}

async function listNotes({ noteService, tenant, localTime }: LookupDeps): Promise<HandlerAnswer> {
  const notes = await noteService.list(tenant);
  const lines: ShownLine[] = notes.slice(0, LINES_SHOWN_MAX).map(({ key, source, modifiedAt }) => ({
    source,
    line: 1,
    day: dayOf(localTime, modifiedAt),
    speaker: "note",
    origin: noteService.originOf(tenant, key),
    text: key,
  }));
  const text =
    notes.length === 0
      ? "There are no notes yet."
      : lines.map(({ text: key, day }) => `- ${key} (${day})`).join("\n");
  return result({ source: "memory", lines, more: notes.length > lines.length }, { text });
}

async function noteShown(
  { noteService, tenant, localTime }: LookupDeps,
  key: string,
  from: number,
  to: number,
): Promise<ShownLine[] | undefined> {
  const note = await noteService.get(tenant, key);
  const day = note && dayOf(localTime, note.modifiedAt);
  return note?.lines
    .filter(({ line }) => line >= from && line <= to)
    .slice(0, LINES_SHOWN_MAX + 1)
    .map(({ line, text, origin }) => ({
      source: note.source,
      line,
      day: day!,
      speaker: "note",
      origin,
      text,
    }));
}

/** A turn with what is to be known beside it; a fact that was replaced shows what holds now. */
export async function shownTurn(deps: LookupDeps, turn: MemoryTurn, score?: number): Promise<ShownLine> {
  const { noteService, tenant, clock, localTime } = deps;
  const base = {
    source: turn.source,
    day: dayOf(localTime, turn.ts),
    speaker: turn.speaker,
    origin: await originOfTurn(deps, turn),
    ...(score === undefined ? {} : { score }),
  };
  const note = turn.role === "note" ? await noteService.at(tenant, turn.source) : undefined;
  const fact = note?.factAt(turn.line, clock.now());
  if (!note || !fact) return { ...base, line: turn.line, text: turn.text };
  // Of what is about nothing in particular, other notes cannot say anything else.
  const isAbout = fact.subject !== undefined;
  const elsewhere = isAbout ? await deps.reader.elsewhere(turn.source, turn.line, clock.now()) : [];
  const remark = withElsewhere(fact, elsewhere);
  const moved = fact.line !== turn.line;
  // The times of a fact are told beside it, once.
  const text = moved || remark?.startsWith("since ") === true ? fact.text : turn.text;
  const origin = moved
    ? noteService.originOf(tenant, note.text.split("\n")[fact.line - 1] ?? "")
    : base.origin;
  return {
    ...base,
    line: fact.line,
    origin,
    text,
    ...(remark === undefined ? {} : { remark }),
  };
}

/** What the model said in a run with untrusted input may come from others. */
export async function originOfTurn(
  { conversations, tenant }: Pick<LookupDeps, "conversations" | "tenant">,
  { role, origin, session, run }: MemoryTurn,
): Promise<MemoryOrigin> {
  if (role !== "assistant" || origin !== "agent") return origin;
  if (session === undefined || run === undefined) return "untrusted";
  return (await conversations.hasUntrustedInput(tenant, { id: run, sessionId: session }))
    ? "untrusted"
    : origin;
}

function asLine(line: ShownLine): string {
  const { day, speaker, origin, text, remark } = line;
  return recalledLine({
    place: placeOf(line),
    day,
    speaker,
    origin,
    text,
    ...(remark === undefined ? {} : { remark }),
  });
}

/** `Sun 2026-11-15 09:12` without the day of the week and the time. */
export function dayOf(localTime: LocalTime, ts: number): string {
  return localTime.format(ts).slice(4, 14);
}

function dayStart(day: string): number {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) throw new ToolError("invalid", `${day} is no day. Nothing was looked up.`);
  return at;
}

function range(lines: string | undefined): [number, number] {
  const [from = "1", to] = lines?.split("-") ?? [];
  if (lines === undefined) return [1, Number.MAX_SAFE_INTEGER];
  return [Number(from), Number(to ?? from)];
}
