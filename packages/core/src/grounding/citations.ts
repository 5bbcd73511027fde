import type { ActivityItem } from "../tool/activity.ts";
import { GROUNDING_LIMITS } from "./limits.ts";

/** `[c1]`, `[c1, c3]`, `[c1][c2]`; also in full-width brackets. Zero-padded or unknown numbers are nobody's. */
const CITES = /[[［]\s{0,2}c\d{1,6}(?:\s{0,2}[,，、]\s{0,2}c\d{1,6}){0,15}\s{0,2}[\]］]/giu;

const CITES_WITH_SPACE = new RegExp(`\\s{0,2}(?:${CITES.source})`, "giu");

export interface Citations {
  readonly known: readonly ActivityItem[];
  readonly madeUp: readonly string[];
}

const NONE: Citations = { known: [], madeUp: [] };

export function citationsIn(text: string, activity: readonly ActivityItem[]): Citations {
  if (!/[[［]/u.test(text)) return NONE;
  const known: ActivityItem[] = [];
  const madeUp: string[] = [];
  for (const group of (text.match(CITES) ?? []).slice(0, GROUNDING_LIMITS.citesPerSentenceMax))
    for (const cite of group.toLowerCase().match(/c\d{1,6}/gu) ?? []) {
      const item = activity.find((each) => each.cite === cite);
      if (item) known.push(item);
      else madeUp.push(cite);
    }
  return { known, madeUp };
}

export function hasCitation(text: string): boolean {
  return text.search(CITES) >= 0;
}

export function withoutCitations(text: string): string {
  return text.replace(CITES_WITH_SPACE, "");
}
