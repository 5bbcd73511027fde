import { fromCursor } from "@elwood/core/base/cursor";
import { isEnded } from "@elwood/core/message/session";
import type { RunPlace, RunStore } from "@elwood/runtime/ports/ports";
import { pageLimit } from "@elwood/runtime/run/store-input";
import { query, type Query } from "./database.ts";
import type { RunRow } from "./run-rows.ts";

interface SpentRow {
  readonly cost_usd: number;
  readonly tokens: number;
  readonly unpriced: number;
}

/** As much of a run as its own next write depends on. */
export interface RunState {
  readonly id: string;
  readonly session_id: string;
  readonly ended_at: number | null;
  readonly committed: number;
  readonly laps: number;
}

/** More than any session is copied with, so that their places are less than those of its own runs. */
const COPIED_RUNS_MAX = 2 ** 31;

const lastPlace =
  "SELECT max(seq) FROM runs INDEXED BY runs_of_session WHERE tenant = ?1 AND session_id = ?2";

export interface InboundRow {
  readonly run_id: string;
  readonly message: string;
  readonly ended_at: number | null;
}

export interface OpeningRow extends InboundRow {
  readonly next: number | null;
  readonly recalled: string | null;
}

export const RUN_SQL = {
  byKey: query<RunRow>("SELECT * FROM runs WHERE tenant = ? AND session_id = ? AND idempotency_key = ?"),
  accept: query<{ seq: number }>(`INSERT INTO runs
      (tenant, id, seq, session_id, status, surface, model_asked, queued_at, idempotency_key, request_hash)
    VALUES (?1, ?2, (SELECT coalesce(max(seq), 0) + 1 FROM runs WHERE tenant = ?1), ?3, 'queued', ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT DO NOTHING RETURNING seq`),
  // R2 and R4 in the statement itself; the index and the triggers stand behind it.
  claim:
    query<RunRow>(`UPDATE runs SET status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, ?3)
    WHERE tenant = ?1 AND id = ?2 AND ended_at IS NULL AND status <> 'waiting' AND NOT EXISTS (
      SELECT 1 FROM runs AS other WHERE other.tenant = ?1 AND other.session_id = runs.session_id
        AND other.status IN ('running', 'waiting') AND other.id <> ?2)
    RETURNING *`),
  setWaiting: `UPDATE runs SET status = CASE WHEN ?3 THEN 'waiting' ELSE 'running' END
    WHERE tenant = ?1 AND id = ?2 AND status IN ('running', 'waiting')`,
  get: query<RunRow>("SELECT * FROM runs WHERE tenant = ? AND id = ?"),
  state: query<RunState>(
    "SELECT id, session_id, ended_at, committed, laps FROM runs WHERE tenant = ? AND id = ?",
  ),
  unfinished: query<RunRow>(`SELECT * FROM runs INDEXED BY runs_open
    WHERE tenant = ? AND committed = 0 AND ended_at IS NULL ORDER BY seq`),
  unfinishedOfSession: query<RunRow>(`SELECT * FROM runs INDEXED BY runs_open
    WHERE tenant = ? AND committed = 0 AND ended_at IS NULL AND session_id = ? ORDER BY seq`),
  uncommitted: query<RunRow>(`SELECT * FROM runs INDEXED BY runs_open
    WHERE tenant = ? AND committed = 0 AND ended_at IS NOT NULL ORDER BY ended_at, seq`),
  uncommittedOfSession: query<RunRow>(`SELECT * FROM runs INDEXED BY runs_open
    WHERE tenant = ? AND committed = 0 AND ended_at IS NOT NULL AND session_id = ? ORDER BY ended_at, seq`),
  steps: query<{ message: string }>("SELECT message FROM steps WHERE tenant = ? AND run_id = ? ORDER BY n"),
  inbounds: query<InboundRow>(`SELECT s.run_id, s.message, r.ended_at FROM json_each(?2) AS asked
    CROSS JOIN steps AS s ON s.tenant = ?1 AND s.run_id = asked.value AND s.n = 0
    CROSS JOIN runs AS r ON r.tenant = ?1 AND r.id = asked.value`),
  // Of the next step only what may have been recalled is handed over: replies and calls are long.
  openings: query<OpeningRow>(`SELECT s.run_id, s.message, r.ended_at, next.n AS next,
      iif(instr(next.message, '"origin":"recalled"') > 0, next.message, NULL) AS recalled
    FROM json_each(?2) AS asked
    CROSS JOIN steps AS s ON s.tenant = ?1 AND s.run_id = asked.value AND s.n = 0
    CROSS JOIN runs AS r ON r.tenant = ?1 AND r.id = asked.value
    LEFT JOIN steps AS next ON next.tenant = ?1 AND next.run_id = asked.value AND next.n = 1`),
  partial: query<{ text: string }>("SELECT text FROM partials WHERE tenant = ? AND run_id = ?"),
  addStep: `INSERT INTO steps (tenant, run_id, n, message) VALUES
    (?1, ?2, (SELECT coalesce(max(n), -1) + 1 FROM steps WHERE tenant = ?1 AND run_id = ?2), ?3)`,
  setPartial: `INSERT INTO partials (tenant, run_id, text) VALUES (?1, ?2, ?3)
    ON CONFLICT (tenant, run_id) DO UPDATE SET text = excluded.text`,
  dropPartial: "DELETE FROM partials WHERE tenant = ? AND run_id = ?",
  addCalls: "UPDATE runs SET calls = calls + ?3 WHERE tenant = ?1 AND id = ?2",
  addLap: `UPDATE runs SET model = ?3, laps = laps + 1, input_tokens = input_tokens + ?4,
      output_tokens = output_tokens + ?5, cache_read_tokens = cache_read_tokens + ?6,
      cache_write_tokens = cache_write_tokens + ?7, usage_estimated = max(usage_estimated, ?8),
      cost_usd = cost_usd + coalesce(?9, 0), laps_unpriced = laps_unpriced + (?9 IS NULL)
    WHERE tenant = ?1 AND id = ?2`,
  addUsage: `INSERT INTO usage (tenant, at, run_id, lap, model, input_tokens, output_tokens,
      cache_read_tokens, cache_write_tokens, cost_usd, profile) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  end: query<RunRow>(`UPDATE runs SET status = ?3, stop_reason = ?4, failure = ?5, model = coalesce(?6, model), ended_at = ?7,
      transcript_offset = ?8 WHERE tenant = ?1 AND id = ?2 RETURNING *`),
  idsOfSession: query<RunPlace>(
    "SELECT id, seq AS place FROM runs WHERE tenant = ? AND session_id = ? ORDER BY seq DESC LIMIT ?",
  ),
  /** Runs that the session was copied with, the last of them first. */
  forkedIds: query<RunPlace>(`SELECT run_id AS id, n - ${COPIED_RUNS_MAX} AS place FROM forked_runs
    WHERE tenant = ? AND session_id = ? ORDER BY n DESC LIMIT ?`),
  placeOf: query<{ place: number; last: number }>(`SELECT seq AS place, (${lastPlace}) AS last
    FROM runs WHERE tenant = ?1 AND session_id = ?2 AND id = ?3`),
  placeOfForked: query<{
    place: number;
    last: number;
  }>(`SELECT n - ${COPIED_RUNS_MAX} AS place, coalesce((${lastPlace}),
      (SELECT max(n) - ${COPIED_RUNS_MAX} FROM forked_runs WHERE tenant = ?1 AND session_id = ?2)) AS last
    FROM forked_runs INDEXED BY forked_runs_by_run WHERE tenant = ?1 AND session_id = ?2 AND run_id = ?3`),
  /** Of its own runs; null where it has none. */
  lastPlace: query<{ last: number | null }>(`SELECT (${lastPlace}) AS last`),
  forkedRun: query<{
    opening: string;
  }>("SELECT opening FROM forked_runs WHERE tenant = ? AND run_id = ? LIMIT 1"),
  /** One a copy. */
  forkedOpenings: query<{
    run_id: string;
    opening: string;
  }>(`SELECT f.run_id, f.opening FROM json_each(?2) AS asked CROSS JOIN forked_runs AS f
    WHERE f.tenant = ?1 AND f.run_id = asked.value`),
  anyForked: query<{ found: number }>("SELECT 1 AS found FROM forked_runs WHERE tenant = ? LIMIT 1"),
  noteOffset: "UPDATE runs SET transcript_offset = ?3 WHERE tenant = ?1 AND id = ?2",
  commit: "UPDATE runs SET committed = 1 WHERE tenant = ? AND id = ?",
  spentSince:
    query<SpentRow>(`SELECT coalesce(sum(cost_usd), 0) AS cost_usd, count(*) - count(cost_usd) AS unpriced,
      coalesce(sum(input_tokens + output_tokens + cache_read_tokens + cache_write_tokens), 0) AS tokens
    FROM spent_requests WHERE tenant = ? AND at >= ?`),
};

/** Of a call `c`: it came to nothing, or its program ended with another code than 0. */
export const NOT_DONE = `(c.state IN ('failed', 'refused', 'denied', 'expired', 'unknown')
  OR (c.state = 'succeeded' AND instr(c.outcome, '"exitCode":') > 0 AND json_extract(c.outcome, '$.exitCode') <> 0))`;

const CALL_NOT_DONE = `(SELECT 1 FROM calls AS c WHERE c.tenant = runs.tenant AND c.run_id = runs.id AND ${NOT_DONE})`;

type RunFilter = Parameters<RunStore["list"]>[1];

export function runListQuery(
  tenant: string,
  page: RunFilter,
): { query: Query<RunRow>; params: (string | number)[] } {
  const before = page.before === undefined ? Number.MAX_SAFE_INTEGER : fromCursor(page.before).at;
  const wanted: [string, string | number | undefined][] = [
    ["tenant = ?", tenant],
    ["seq < ?", before],
    ["session_id = ?", page.sessionId],
    ["status = ?", page.status],
    ["surface = ?", page.surface],
  ];
  const where = wanted.filter((w): w is [string, string | number] => w[1] !== undefined);
  const { from, and } = rareRuns(page.status);
  return {
    query: `SELECT * FROM ${from} WHERE ${where.map(([term]) => term).join(" AND ")}${and}${
      page.failures ? ` AND (status = 'failed' OR EXISTS ${CALL_NOT_DONE})` : ""
    } ORDER BY seq DESC LIMIT ?`,
    params: [...where.map(([, value]) => value), pageLimit(page.limit) + 1],
  };
}

/** Where few runs have the status, the words by which the index that knows them is used. */
function rareRuns(status: RunFilter["status"]): { readonly from: string; readonly and: string } {
  if (status === "failed" || status === "aborted")
    return { from: "runs INDEXED BY runs_gone_wrong", and: " AND status IN ('failed', 'aborted')" };
  if (status === undefined || isEnded(status)) return { from: "runs", and: "" };
  return { from: "runs INDEXED BY runs_open", and: " AND committed = 0 AND ended_at IS NULL" };
}
