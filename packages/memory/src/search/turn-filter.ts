import type { MemoryOrigin, MemoryQuery } from "@elwood/core/memory/turn";

type SqlValue = string | number;

/** Which turns a query may see at all, as a condition on `turns t`. */
export interface TurnFilter {
  /** Empty where every turn may be seen. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** The same for a row that was read. */
  allows(turn: FilteredTurn): boolean;
}

export interface FilteredTurn {
  readonly ts: number;
  readonly session: string | null;
  readonly origin: MemoryOrigin;
}

/** Time zones and words of time are no filter: they only make some turns more likely. */
export function turnFilter(query: MemoryQuery): TurnFilter {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...more: SqlValue[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  if (query.since !== undefined) add("t.ts >= ?", query.since);
  if (query.until !== undefined) add("t.ts < ?", query.until);
  if (query.session !== undefined) add("t.session = ?", query.session);
  if (query.exceptSession !== undefined) add("t.session IS NOT ?", query.exceptSession);
  if (query.origins !== undefined)
    add(`t.origin IN (${query.origins.map(() => "?").join(", ") || "NULL"})`, ...query.origins);
  const { since = -Infinity, until = Infinity, session, exceptSession, origins } = query;
  return {
    sql: conditions.join(" AND "),
    values,
    allows: (turn) =>
      turn.ts >= since &&
      turn.ts < until &&
      (session === undefined || turn.session === session) &&
      (exceptSession === undefined || turn.session !== exceptSession) &&
      (origins === undefined || origins.includes(turn.origin)),
  };
}
