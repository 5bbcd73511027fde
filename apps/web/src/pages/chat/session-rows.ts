import type { WireSession } from "@elwood/core/protocol/shapes";
import type { Hit } from "./session-index.ts";

/** A session that fits what was searched for: by its title, or by what was said in it. */
export interface FoundSession {
  readonly session: WireSession;
  /** Where it was said last. */
  readonly hit?: Hit;
}

/** A line between rows. */
export interface RowHeading {
  readonly heading: string;
}

/** What was asked once from the terminal, in one line until it is opened. */
export interface TerminalFold {
  readonly fold: readonly WireSession[];
}

export type SessionRow = WireSession | FoundSession | RowHeading | TerminalFold;

/** Fewer stand among the others. */
const FOLDED_MIN = 3;

/** What was found, one row a session: those whose titles fit come first. */
export function foundRows(sessions: readonly WireSession[], hits: readonly Hit[]): FoundSession[] {
  const newest = new Map<string, Hit>();
  for (const hit of hits) if (!newest.has(hit.session.sessionKey)) newest.set(hit.session.sessionKey, hit);
  const byTitle = sessions.map((session): FoundSession => {
    const hit = newest.get(session.sessionKey);
    newest.delete(session.sessionKey);
    return hit ? { session, hit } : { session };
  });
  return [...byTitle, ...[...newest.values()].map((hit) => ({ session: hit.session, hit }))];
}

/**
 * Under the days on which something was last said in them; pinned ones first, then what was asked
 * once from the terminal, as one line. Sessions come newest first.
 */
export function datedRows(
  sessions: readonly WireSession[],
  now: number,
  terminal: { readonly open: boolean; readonly wanted: (session: WireSession) => boolean },
): (WireSession | RowHeading | TerminalFold)[] {
  const once = sessions.filter((each) => isOneShot(each) && !terminal.wanted(each));
  const folded = new Set(once.length < FOLDED_MIN ? [] : once);
  const pinned = sessions.filter((each) => each.pinned);
  const dated = sessions.filter((each) => !each.pinned && !folded.has(each));
  return [
    ...underHeadings(pinned, now),
    ...(folded.size > 0 ? [{ fold: once }, ...(terminal.open ? once : [])] : []),
    ...underHeadings(dated, now),
  ];
}

/** One question and its answer, from the terminal; who goes on with it has a session like any other. */
function isOneShot({ surface, messageCount, pinned, titledBy }: WireSession): boolean {
  return surface === "cli" && messageCount <= 2 && !pinned && titledBy !== "owner";
}

function underHeadings(sessions: readonly WireSession[], now: number): (WireSession | RowHeading)[] {
  const rows: (WireSession | RowHeading)[] = [];
  let last = "";
  for (const session of sessions) {
    const heading = session.pinned ? "Pinned" : dayGroup(session.updatedAt, now);
    if (heading !== last) rows.push({ heading });
    last = heading;
    rows.push(session);
  }
  return rows;
}

function dayGroup(at: number, now: number): string {
  const today = new Date(now);
  const startOf = (daysAgo: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - daysAgo).getTime();
  if (at >= startOf(0)) return "Today";
  if (at >= startOf(1)) return "Yesterday";
  if (at >= startOf(7)) return "Last 7 days";
  const date = new Date(at);
  const sameYear = date.getFullYear() === today.getFullYear();
  return date.toLocaleDateString(undefined, { month: "long", ...(sameYear ? {} : { year: "numeric" }) });
}

/** So much of a line is seen before what was found in it. */
const LEAD_CHARS = 20;

/** A line around what was searched for, so that this is seen however narrow the line is; nothing where it is not in it. */
export function aroundMatch(
  line: string,
  query: string,
): { readonly before: string; readonly match: string; readonly after: string } | undefined {
  const words = query.trim().replace(/\s+/g, " ");
  const at = words === "" ? -1 : line.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0) return undefined;
  const blank = line.indexOf(" ", at - LEAD_CHARS);
  const from = at <= LEAD_CHARS ? 0 : blank < 0 || blank >= at ? at : blank + 1;
  return {
    before: (from > 0 ? "…" : "") + line.slice(from, at),
    match: line.slice(at, at + words.length),
    after: line.slice(at + words.length),
  };
}
