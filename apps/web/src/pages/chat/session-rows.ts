import type { WireSession } from "@elwood/core/protocol/shapes";
import type { Hit } from "./session-index.ts";
import { say } from "../../words/en/chat.ts";

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

/** A folder of the owner's, or what was asked once from the terminal: one line until it is opened. */
export interface SessionFold {
  readonly fold: readonly WireSession[];
  /** Of a folder. */
  readonly folder?: string;
  readonly open: boolean;
}

/** A session inside a fold. */
export interface FoldedSession {
  readonly inside: WireSession;
}

export type SessionRow = WireSession | FoundSession | RowHeading | SessionFold | FoldedSession;

/** Which folds are open, and which sessions are to be seen whatever is. */
export interface Folding {
  /** Of a folder by its name, of the terminal without one. */
  readonly isOpen: (folder?: string) => boolean;
  readonly wanted: (session: WireSession) => boolean;
}

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
 * Under the days on which something was last said in them; pinned ones first, then folders by their
 * names, and what was asked once from the terminal, each as one line. Sessions come newest first.
 */
export function datedRows(
  sessions: readonly WireSession[],
  now: number,
  { isOpen, wanted }: Folding,
): SessionRow[] {
  const loose = sessions.filter((each) => each.pinned || each.folder === undefined);
  const filed = Map.groupBy(
    sessions.filter((each) => !each.pinned && each.folder !== undefined),
    ({ folder = "" }) => folder,
  );
  const once = loose.filter((each) => isOneShot(each) && !wanted(each));
  const folded = new Set(once.length < FOLDED_MIN ? [] : once);
  const pinned = loose.filter((each) => each.pinned);
  const dated = loose.filter((each) => !each.pinned && !folded.has(each));
  const folders = [...filed].toSorted(([a], [b]) => a.localeCompare(b));
  return [
    ...underHeadings(pinned, now),
    ...folders.flatMap(([folder, fold]): SessionRow[] => {
      const open = isOpen(folder);
      return [{ fold, folder, open }, ...fold.filter((each) => open || wanted(each)).map(asInside)];
    }),
    ...(folded.size > 0 ? [{ fold: once, open: isOpen() }, ...(isOpen() ? once.map(asInside) : [])] : []),
    ...underHeadings(dated, now),
  ];
}

function asInside(inside: WireSession): FoldedSession {
  return { inside };
}

/** One question and its answer, from the terminal; who goes on with it has a session like any other. */
function isOneShot({ surface, messageCount, pinned, titledBy }: WireSession): boolean {
  return surface === "cli" && messageCount <= 2 && !pinned && titledBy !== "owner";
}

function underHeadings(sessions: readonly WireSession[], now: number): (WireSession | RowHeading)[] {
  const rows: (WireSession | RowHeading)[] = [];
  let last = "";
  for (const session of sessions) {
    const heading = session.pinned ? say.pinned2 : dayGroup(session.updatedAt, now);
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
  if (at >= startOf(0)) return say.today;
  if (at >= startOf(1)) return say.yesterday;
  if (at >= startOf(7)) return say.last7Days;
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
