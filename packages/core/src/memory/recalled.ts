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
});
export type RecalledItem = z.infer<typeof recalledItemSchema>;

const PLACES_SHOWN_MAX = 6;

/** The line on why Elwood knows something: where it stands, since when, and whose words it holds. */
export function recalledWords(items: readonly RecalledItem[]): string {
  const shown = items
    .slice(0, PLACES_SHOWN_MAX)
    .map((item) => `${placeOf(item)} (${new Date(item.ts).toISOString().slice(0, 10)}, ${item.speaker})`);
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : "";
  return `From memory: ${shown.join("; ")}${more}.`;
}

/** `memory/default/home.md#4` */
export function placeOf({ source, line }: { readonly source: string; readonly line: number }): string {
  return `${source}#${line}`;
}
