import { z } from "zod";
import { MEMORY_ORIGINS } from "./turn.ts";

/** One thing that was put before a run out of memory: where it stands, when and by whom it was said. */
export const recalledItemSchema = z.object({
  /** Path below the state directory, such as `memory/default/home.md`. */
  source: z.string(),
  line: z.number().int(),
  /** When it was said or written. */
  ts: z.number(),
  speaker: z.string(),
  origin: z.enum(MEMORY_ORIGINS),
  score: z.number(),
  /** The reply says something of it that the message did not. */
  used: z.literal(true).optional(),
});
export type RecalledItem = z.infer<typeof recalledItemSchema>;

const PLACES_SHOWN_MAX = 6;

/** The line on why Elwood knows something: “From memory: your note “bike”, a conversation of 15 Nov 2026”. */
export function recalledWords(items: readonly RecalledItem[], now?: number): string {
  const places = [...new Set(items.map((item) => placeInWords(item.source, item.ts, now)))];
  const shown = places.slice(0, PLACES_SHOWN_MAX);
  const more = places.length > shown.length ? ` and ${places.length - shown.length} more` : "";
  return `From memory: ${shown.join(", ")}${more}.`;
}

/** What people call a place in memory; ids and paths are for details. */
export function placeInWords(source: string, day: number | string, now?: number): string {
  const note = noteIn(source);
  if (note !== undefined) return `your note “${note}”`;
  const daysAgo = typeof day === "number" && now !== undefined ? dayNumber(now) - dayNumber(day) : undefined;
  if (daysAgo === 0) return "a conversation from today";
  return daysAgo === 1 ? "a conversation from yesterday" : `a conversation of ${dayInWords(day)}`;
}

const DAY_MS = 86_400_000;

/** Days as they are written out, in UTC. */
function dayNumber(ts: number): number {
  return Math.floor(ts / DAY_MS);
}

/** The key of the note that a path below the state directory names. */
export function noteIn(source: string): string | undefined {
  return /^memory\/[^/]+\/(.+)\.md$/.exec(source)?.[1];
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `15 Nov 2026`, from a time or from `2026-11-15`. */
function dayInWords(day: number | string): string {
  const at = new Date(day);
  if (Number.isNaN(at.getTime())) return String(day);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** `memory/default/home.md#4` */
export function placeOf({ source, line }: { readonly source: string; readonly line: number }): string {
  return `${source}#${line}`;
}
