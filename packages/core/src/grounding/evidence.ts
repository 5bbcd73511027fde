import { sortedActivity, type ActivityItem } from "../activity.ts";
import { showLine } from "../show.ts";
import { ENDED_GLYPH } from "../state-words.ts";
import type { Locale } from "./language.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import { escapeReserved, MARKS, VOICE } from "./reserved.ts";
import { WORDING, type NotDone } from "./templates.ts";

/** Where the log of receipts stood when the reply was made, so that chat history witnesses it. */
export interface LogHead {
  readonly size: number;
  /** Hex; the first sixteen characters are shown. */
  readonly root: string;
}

/**
 * The line under every reply, from receipts alone: what did not succeed first, then changes,
 * then look-ups, folded to a number where they are not the only call and nobody was asked
 * about them. Without a call it says so.
 */
export function evidenceLine(
  activity: readonly ActivityItem[],
  head?: LogHead,
  locale: Locale = "en",
): string {
  const wording = WORDING[locale];
  const standing = head
    ? `${VOICE} ${wording.receipts} ${head.size} · ${head.root
        .toLowerCase()
        .replace(/[^0-9a-f]/gu, "")
        .slice(0, 16)}`
    : undefined;
  if (activity.length === 0)
    return [wording.noTool, ...(standing === undefined ? [] : [standing])].join(" · ");
  const reads = activity.length === 1 ? [] : activity.filter(isPlainRead);
  const told = folded(sortedActivity(activity.filter((item) => !reads.includes(item))));
  const parts: string[] = [];
  let used = 0;
  let shown = 0;
  for (const { item, times } of told) {
    const part = partOf(item, times, locale);
    if (
      parts.length >= GROUNDING_LIMITS.evidenceItemsMax ||
      used + part.length > GROUNDING_LIMITS.evidenceCharsMax
    )
      break;
    parts.push(part);
    used += part.length;
    shown += 1;
  }
  const rest = told.slice(shown).reduce((sum, { times }) => sum + times, 0);
  if (rest > 0) parts.push(wording.more(rest));
  if (reads.length > 0) parts.push(`${MARKS.succeeded} ${wording.reads(reads.length)}`);
  return [...parts, ...(standing === undefined ? [] : [standing])].join(" · ");
}

/** A look-up that worked and that nobody had to be asked about. */
function isPlainRead({ risk, status, approval, exitCode }: ActivityItem): boolean {
  return risk === "read" && status === "succeeded" && approval === undefined && exitCode === undefined;
}

/**
 * Elwood's own sentences for what did not succeed, one a kind, whatever the model wrote.
 * Every such call is counted; where targets are many, the rest is told as a number.
 */
export function notDone(activity: readonly ActivityItem[], locale: Locale = "en"): string[] {
  const order: readonly NotDone[] = ["failed", "denied", "expired", "unknown", "pending"];
  return order.flatMap((status) => {
    const items = activity.filter((item) => item.status === status);
    if (items.length === 0) return [];
    return [`${VOICE} ${WORDING[locale].sentence[status].replace("{what}", () => whatOf(items, locale))}`];
  });
}

/** Calls as a short list, each safe to show. */
export function whatOf(items: readonly ActivityItem[], locale: Locale): string {
  const wording = WORDING[locale];
  const groups = folded(items);
  const shown = groups
    .slice(0, GROUNDING_LIMITS.targetsPerSentenceMax)
    .map(({ item, times }) => nameOf(item, times, locale));
  const rest = groups.slice(shown.length).reduce((sum, { times }) => sum + times, 0);
  return [...shown, ...(rest > 0 ? [wording.more(rest)] : [])].join(wording.and);
}

function partOf(item: ActivityItem, times: number, locale: Locale): string {
  const wording = WORDING[locale];
  const words = [
    ...(item.status === "succeeded" ? [] : [wording.words[item.status]]),
    ...(item.exitCode === undefined ? [] : [wording.ended(item.exitCode)]),
    ...(item.undone ? [wording.undone] : []),
  ];
  const mark = item.exitCode === undefined ? MARKS[item.status] : ENDED_GLYPH;
  return `${mark} ${nameOf(item, times, locale)}${words.length > 0 ? ` (${words.join(", ")})` : ""}`;
}

function nameOf(item: ActivityItem, times: number, locale: Locale): string {
  const wording = WORDING[locale];
  const target = item.target === undefined || item.target === "" ? "" : ` → ${safe(item.target)}`;
  const count = item.count !== undefined && item.count !== 1 ? ` (${item.count})` : "";
  return `${item.undoes === undefined ? "" : `${wording.undoOf} `}${safe(item.toolId)}${target}${count}${times > 1 ? ` ${wording.times(times)}` : ""}`;
}

/** Somebody else's text inside Elwood's line: one line, no reserved glyph, no separator of ours, not long. */
function safe(text: string): string {
  const shown = escapeReserved(showLine(text)).replace(/[·→‧∙⋅•]/gu, "-");
  const characters = Array.from(shown);
  const max = GROUNDING_LIMITS.targetCharsMax;
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : shown;
}

/** The same tool, target and ending more than once is one entry with a number. */
function folded(items: readonly ActivityItem[]): { readonly item: ActivityItem; readonly times: number }[] {
  const out = new Map<string, { item: ActivityItem; times: number }>();
  for (const item of items) {
    const { toolId, target, status, exitCode, undone, undoes, count } = item;
    const key = JSON.stringify([toolId, target, status, exitCode, undone, undoes, count]);
    const known = out.get(key);
    if (known) known.times += 1;
    else out.set(key, { item, times: 1 });
  }
  return [...out.values()];
}
