import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { changedJob, isOver, settled, withTimes, type Job, type Occurrence } from "@elwood/core/schedule/job";
import type { Jobs } from "@elwood/runtime/ports/jobs";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import { type Database, query } from "./database.ts";
import { foldedTitle } from "./session-rows.ts";
import { readStored } from "./stored-json.ts";

interface JobRow {
  readonly id: string;
  readonly name: string;
  readonly kind: Job["kind"];
  readonly source: Job["source"];
  readonly schedule: string;
  readonly message: string;
  readonly agent_id: string | null;
  readonly model: string | null;
  readonly isolated: number;
  readonly target: string;
  readonly catch_up: Job["catchUp"];
  readonly overlap: Job["overlap"];
  readonly jitter_ms: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly paused_at: number | null;
  readonly ended_at: number | null;
  readonly next_at: number | null;
  readonly fire_at: number | null;
}

interface OccurrenceRow {
  readonly id: string;
  readonly job_id: string;
  readonly due_at: number;
  readonly at: number;
  readonly trigger: Occurrence["trigger"];
  readonly status: Occurrence["status"];
  readonly times: number | null;
  readonly reason: string | null;
  readonly session_id: string | null;
  readonly run_id: string | null;
  readonly quiet: number;
  readonly delivery: Occurrence["delivery"];
  readonly delivery_problem: string | null;
  readonly ended_at: number | null;
}

const JOB = `id, name, kind, source, schedule, message, agent_id, model, isolated, target, catch_up, overlap,
  jitter_ms, created_at, updated_at, paused_at, ended_at, next_at, fire_at`;
const OCCURRENCE = `id, job_id, due_at, at, trigger, status, times, reason, session_id, run_id, quiet, delivery,
  delivery_problem, ended_at`;
const OPEN = "(status IN ('due', 'queued', 'running') OR delivery = 'pending')";

export const JOB_SQL = {
  count: query<{ count: number }>("SELECT count(*) AS count FROM jobs WHERE tenant = ?"),
  create: `INSERT INTO jobs (tenant, folded, ${JOB}) VALUES (?, ?${", ?".repeat(19)})
    ON CONFLICT DO NOTHING`,
  get: query<JobRow>(`SELECT ${JOB} FROM jobs WHERE tenant = ? AND id = ?`),
  find: query<JobRow>(`SELECT ${JOB} FROM jobs WHERE tenant = ? AND folded = ?`),
  list: query<JobRow>(`SELECT ${JOB} FROM jobs WHERE tenant = ? ORDER BY folded`),
  change: `UPDATE OR IGNORE jobs SET name = ?3, folded = ?4, schedule = ?5, message = ?6, agent_id = ?7, model = ?8,
    isolated = ?9, target = ?10, catch_up = ?11, overlap = ?12, jitter_ms = ?13, updated_at = ?14, paused_at = ?15,
    ended_at = ?16, next_at = ?17, fire_at = ?18 WHERE tenant = ?1 AND id = ?2`,
  move: `UPDATE jobs SET paused_at = ?3, ended_at = ?4, next_at = ?5, fire_at = ?6 WHERE tenant = ?1 AND id = ?2`,
  remove: "DELETE FROM jobs WHERE tenant = ? AND id = ?",
  due: query<JobRow>(`SELECT ${JOB} FROM jobs WHERE tenant = ? AND fire_at <= ? AND fire_at IS NOT NULL
    ORDER BY fire_at LIMIT ?`),
  nextFire: query<{ fire_at: number }>(
    "SELECT fire_at FROM jobs WHERE tenant = ? AND fire_at IS NOT NULL ORDER BY fire_at LIMIT 1",
  ),
  record: `INSERT INTO occurrences (tenant, seq, ${OCCURRENCE})
    VALUES (?1, (SELECT coalesce(max(seq), 0) + 1 FROM occurrences WHERE tenant = ?1)${", ?".repeat(14)})
    ON CONFLICT DO NOTHING`,
  occurrence: query<OccurrenceRow>(`SELECT ${OCCURRENCE} FROM occurrences WHERE tenant = ? AND id = ?`),
  settle: `UPDATE occurrences SET status = ?3, reason = ?4, session_id = ?5, run_id = ?6, quiet = ?7, ended_at = ?8,
    delivery = ?9, delivery_problem = ?10 WHERE tenant = ?1 AND id = ?2`,
  deliver: `UPDATE occurrences SET delivery = ?3, delivery_problem = ?4
    WHERE tenant = ?1 AND id = ?2 AND delivery = 'pending'`,
  open: query<OccurrenceRow>(
    `SELECT ${OCCURRENCE} FROM occurrences WHERE tenant = ? AND ${OPEN} ORDER BY seq`,
  ),
  seqOf: query<{ seq: number }>("SELECT seq FROM occurrences WHERE tenant = ? AND id = ?"),
  history: query<OccurrenceRow>(`SELECT ${OCCURRENCE} FROM occurrences
    WHERE tenant = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  historyOfJob: query<OccurrenceRow>(`SELECT ${OCCURRENCE} FROM occurrences
    WHERE tenant = ? AND job_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  historyOfRun: query<OccurrenceRow>(`SELECT ${OCCURRENCE} FROM occurrences
    WHERE tenant = ? AND run_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  prune: `DELETE FROM occurrences WHERE tenant = ?1 AND job_id = ?2 AND NOT ${OPEN} AND seq <= coalesce((
      SELECT seq FROM occurrences WHERE tenant = ?1 AND job_id = ?2 ORDER BY seq DESC LIMIT 1 OFFSET ?3), 0)
    AND due_at < ?4`,
};

/** The stores are one process's alone, and SQLite is synchronous: what is read within a method stays true until its end. */
export function sqliteJobs(db: Database): Jobs {
  const get = (tenant: string, jobId: string) => {
    const row = db.get(JOB_SQL.get, tenant, jobId);
    return row && toJob(row);
  };
  const record = (tenant: string, occurrence: Occurrence) =>
    db.run(JOB_SQL.record, tenant, ...occurrenceValues(occurrence)) > 0;
  const prune = (tenant: string, jobId: string, at: number) => {
    const { jobHistoryMax, jobHistoryMs, jobHistoryRowsMax } = LIMITS;
    db.run(JOB_SQL.prune, tenant, jobId, jobHistoryMax, at - jobHistoryMs);
    db.run(JOB_SQL.prune, tenant, jobId, jobHistoryRowsMax, Number.MAX_SAFE_INTEGER);
  };
  return {
    async create(tenant, job) {
      checkTenant(tenant);
      return db.transaction(() => {
        if ((db.get(JOB_SQL.count, tenant)?.count ?? 0) >= LIMITS.jobsMax) tooMany();
        if (db.run(JOB_SQL.create, tenant, foldedTitle(job.name), ...jobValues(job)) === 0) taken(job.name);
        return get(tenant, job.id) ?? fail("INTERNAL", "A job that was stored is not there.");
      });
    },

    async get(tenant, jobId) {
      checkTenant(tenant);
      return get(tenant, jobId);
    },

    async find(tenant, name) {
      checkTenant(tenant);
      const row = db.get(JOB_SQL.find, tenant, foldedTitle(name));
      return row && toJob(row);
    },

    async list(tenant) {
      checkTenant(tenant);
      return db.all(JOB_SQL.list, tenant).map(toJob);
    },

    async change(tenant, jobId, { at, ...change }) {
      checkTenant(tenant);
      return db.transaction(() => {
        const known = get(tenant, jobId);
        if (!known) return undefined;
        const job = changedJob(known, change, at);
        const changed = db.run(JOB_SQL.change, tenant, jobId, ...changedValues(job));
        if (changed === 0) taken(job.name);
        return get(tenant, jobId);
      });
    },

    async remove(tenant, jobId) {
      checkTenant(tenant);
      return db.transaction(() => db.run(JOB_SQL.remove, tenant, jobId)) > 0;
    },

    async due(tenant, at, limit) {
      checkTenant(tenant);
      return db.all(JOB_SQL.due, tenant, at, limit).map(toJob);
    },

    async nextFire(tenant) {
      checkTenant(tenant);
      return db.get(JOB_SQL.nextFire, tenant)?.fire_at;
    },

    async take(tenant, { jobId, expected, next, occurrences }) {
      checkTenant(tenant);
      return db.grouped(() => {
        const known = get(tenant, jobId);
        if (known?.nextAt !== expected) return undefined;
        const { pausedAt, endedAt, nextAt, fireAt } = withTimes(known, next);
        db.run(
          JOB_SQL.move,
          tenant,
          jobId,
          pausedAt ?? null,
          endedAt ?? null,
          nextAt ?? null,
          fireAt ?? null,
        );
        const fresh = occurrences.filter((occurrence) => record(tenant, occurrence));
        if (fresh.length > 0) prune(tenant, jobId, Math.max(...fresh.map(({ dueAt }) => dueAt)));
        return fresh;
      });
    },

    async record(tenant, occurrence) {
      checkTenant(tenant);
      db.transaction(() => {
        if (!get(tenant, occurrence.jobId)) fail("NOT_FOUND", `There is no job ${occurrence.jobId}.`);
        record(tenant, occurrence);
        prune(tenant, occurrence.jobId, occurrence.dueAt);
      });
    },

    async settle(tenant, occurrenceId, change) {
      checkTenant(tenant);
      return db.grouped(() => {
        const row = db.get(JOB_SQL.occurrence, tenant, occurrenceId);
        if (!row) return undefined;
        const before = toOccurrence(row);
        const after = settled(before, change);
        if (after === undefined) return undefined;
        if (isOver(before.status))
          db.run(JOB_SQL.deliver, tenant, occurrenceId, after.delivery, after.deliveryProblem ?? null);
        else db.run(JOB_SQL.settle, tenant, occurrenceId, ...settledValues(after));
        return after;
      });
    },

    async open(tenant) {
      checkTenant(tenant);
      return db.all(JOB_SQL.open, tenant).map(toOccurrence);
    },

    async history(tenant, { jobId, runId, limit, before }) {
      checkTenant(tenant);
      const last = before === undefined ? undefined : db.get(JOB_SQL.seqOf, tenant, before)?.seq;
      const page = [last ?? Number.MAX_SAFE_INTEGER, pageLimit(limit)] as const;
      if (runId !== undefined) return db.all(JOB_SQL.historyOfRun, tenant, runId, ...page).map(toOccurrence);
      return jobId === undefined
        ? db.all(JOB_SQL.history, tenant, ...page).map(toOccurrence)
        : db.all(JOB_SQL.historyOfJob, tenant, jobId, ...page).map(toOccurrence);
    },
  };
}

function taken(name: string): never {
  return fail(
    "CONFLICT",
    `There is a job called "${name}" already. Nothing was changed; choose another name.`,
  );
}

function tooMany(): never {
  return fail(
    "INVALID_INPUT",
    `There are ${LIMITS.jobsMax} jobs already, which is the most there may be. No job was added; remove one first.`,
  );
}

function jobValues(job: Job) {
  return [
    job.id,
    job.name,
    job.kind,
    job.source,
    JSON.stringify(job.schedule),
    job.message,
    job.agentId ?? null,
    job.model ?? null,
    job.isolated ? 1 : 0,
    job.target,
    job.catchUp,
    job.overlap,
    job.jitterMs,
    job.createdAt,
    job.updatedAt,
    job.pausedAt ?? null,
    job.endedAt ?? null,
    job.nextAt ?? null,
    job.fireAt ?? null,
  ] as const;
}

function changedValues(job: Job) {
  return [
    job.name,
    foldedTitle(job.name),
    JSON.stringify(job.schedule),
    job.message,
    job.agentId ?? null,
    job.model ?? null,
    job.isolated ? 1 : 0,
    job.target,
    job.catchUp,
    job.overlap,
    job.jitterMs,
    job.updatedAt,
    job.pausedAt ?? null,
    job.endedAt ?? null,
    job.nextAt ?? null,
    job.fireAt ?? null,
  ] as const;
}

function occurrenceValues(o: Occurrence) {
  return [
    o.id,
    o.jobId,
    o.dueAt,
    o.at,
    o.trigger,
    o.status,
    o.count ?? null,
    o.reason ?? null,
    o.sessionId ?? null,
    o.runId ?? null,
    o.quiet ? 1 : 0,
    o.delivery,
    o.deliveryProblem ?? null,
    o.endedAt ?? null,
  ] as const;
}

function settledValues(o: Occurrence) {
  return [
    o.status,
    o.reason ?? null,
    o.sessionId ?? null,
    o.runId ?? null,
    o.quiet ? 1 : 0,
    o.endedAt ?? null,
    o.delivery,
    o.deliveryProblem ?? null,
  ] as const;
}

function toJob(row: JobRow): Job {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    source: row.source,
    schedule: readStored("jobSchedule", row.schedule, `The schedule of the job "${row.name}"`),
    message: row.message,
    ...(row.agent_id === null ? {} : { agentId: row.agent_id }),
    ...(row.model === null ? {} : { model: row.model }),
    isolated: row.isolated === 1,
    target: row.target,
    catchUp: row.catch_up,
    overlap: row.overlap,
    jitterMs: row.jitter_ms,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.paused_at === null ? {} : { pausedAt: row.paused_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.next_at === null ? {} : { nextAt: row.next_at }),
    ...(row.fire_at === null ? {} : { fireAt: row.fire_at }),
  };
}

function toOccurrence(row: OccurrenceRow): Occurrence {
  return {
    id: row.id,
    jobId: row.job_id,
    dueAt: row.due_at,
    at: row.at,
    trigger: row.trigger,
    status: row.status,
    ...(row.times === null ? {} : { count: row.times }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.quiet === 1 ? { quiet: true } : {}),
    delivery: row.delivery,
    ...(row.delivery_problem === null ? {} : { deliveryProblem: row.delivery_problem }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}
