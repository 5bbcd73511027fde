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

/** `memory/default/home.md#4` */
export function placeOf({ source, line }: { readonly source: string; readonly line: number }): string {
  return `${source}#${line}`;
}
