import type { LapUsage } from "@elwood/core/model/price";
import { toCursor } from "@elwood/core/base/cursor";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import type { Inbound, Opening, RunPlace, RunStore, ShownState } from "@elwood/runtime/ports/ports";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import { previewFrom, titleFrom } from "@elwood/core/message/session-text";
import { type Database, query } from "./database.ts";
import { indexMessage } from "./message-search.ts";
import { toRun } from "./run-rows.ts";
import { KeptOfSessions } from "./kept-of-sessions.ts";
import { SpentSince } from "./spent-since.ts";
import { RecentJournals } from "./recent-journals.ts";
import { RUN_SQL, runListQuery, type InboundRow, type OpeningRow, type RunState } from "./run-sql.ts";
import { foldedTitle } from "./session-rows.ts";
import { readStored } from "./stored-json.ts";
import { addVersion, goOnInTree, showRun, TREE_SQL, treeOf } from "./run-tree-rows.ts";

type Accepted = Parameters<RunStore["accept"]>[1];

const STILL_ANSWERING =
  "Something in this session is still being answered. Nothing was changed; stop it, or wait for its end.";
const NO_SUCH_RUN = "There is no such run. Nothing was stored.";

/**
 * Runs on SQLite. What a client is told of is synced: that its message was accepted, and how the
 * run ended. Steps on the way are not: a power cut takes the run back to an earlier instant of
 * its life, as if the process had died then, and everything that reaches the world meanwhile
 * (a call that starts, the transcript's file) syncs what came before it.
 */
export function sqliteRuns(
  db: Database,
  spent: SpentSince = new SpentSince(),
  journals: RecentJournals = new RecentJournals(),
  kept: KeptOfSessions = new KeptOfSessions(db),
): RunStore {
  function existing(tenant: string, runId: string): RunState {
    const row = db.get(RUN_SQL.state, tenant, runId);
    if (!row) fail("NOT_FOUND", NO_SUCH_RUN);
    return row;
  }

  /** R4 */
  function open(tenant: string, runId: string): RunState {
    const row = existing(tenant, runId);
    if (row.ended_at !== null)
      fail("CONFLICT", "This run has ended and no longer changes. Nothing was stored.");
    return row;
  }

  function addMessages(
    tenant: string,
    run: RunState,
    messages: readonly string[],
    calls: number,
    lap?: LapUsage,
  ): void {
    for (const message of messages) db.run(RUN_SQL.addStep, tenant, run.id, message);
    db.run(RUN_SQL.dropPartial, tenant, run.id);
    if (calls > 0) db.run(RUN_SQL.addCalls, tenant, run.id, calls);
    if (lap) addLap(tenant, run, lap);
  }

  function addLap(tenant: string, run: RunState, lap: LapUsage): void {
    db.run(
      RUN_SQL.addLap,
      tenant,
      run.id,
      lap.model,
      ...tokensOf(lap),
      lap.usage.estimated ? 1 : 0,
      lap.costUsd ?? null,
    );
    addUsage(tenant, run, lap);
  }

  function addUsage(tenant: string, run: RunState, lap: LapUsage): void {
    const paidBy = lap.profile ?? null;
    const cost = lap.costUsd ?? null;
    db.run(RUN_SQL.addUsage, tenant, lap.at, run.id, run.laps, lap.model, ...tokensOf(lap), cost, paidBy);
    spent.add(tenant, lap);
  }

  /** A version takes the place of what is there, which must be there whole. */
  function refuseWhileAnswering(tenant: string, sessionId: string, butFor?: string): void {
    const open = db.all(RUN_SQL.unfinishedOfSession, tenant, sessionId);
    if (open.some(({ id }) => id !== butFor)) fail("CONFLICT", STILL_ANSWERING);
  }

  function hiddenIn(tenant: string, sessionId: string): ReadonlySet<string> {
    if (!kept.versions.of(tenant)) return new Set();
    return new Set(db.all(TREE_SQL.hidden, tenant, sessionId).map(({ run_id }) => run_id));
  }

  function readShown(tenant: string, sessionId: string): readonly RunPlace[] {
    // Asked for by themselves: looking them up for each run would take longer than all the rest, and mostly there are none.
    const hidden = hiddenIn(tenant, sessionId);
    const most = LIMITS.pageSizeMax + hidden.size;
    const own = db.all(RUN_SQL.idsOfSession, tenant, sessionId, most);
    const copied =
      own.length < most && kept.copies.of(tenant) ? db.all(RUN_SQL.forkedIds, tenant, sessionId, most) : [];
    return [...own, ...copied]
      .filter(({ id }) => !hidden.has(id))
      .slice(0, LIMITS.pageSizeMax)
      .toReversed();
  }

  /** Of runs that are gone, how they began, as copies of their sessions keep it. */
  function copiedOpenings(
    tenant: string,
    runIds: readonly string[],
    found: ReadonlyMap<string, unknown>,
  ): [string, Opening][] {
    if (found.size === runIds.length || !kept.copies.of(tenant)) return [];
    const gone = runIds.filter((id) => !found.has(id));
    return db
      .all(RUN_SQL.forkedOpenings, tenant, JSON.stringify(gone))
      .map(({ run_id, opening }) => [run_id, copiedOpening(run_id, opening)]);
  }

  /** Oldest first. */
  function shownRuns(tenant: string, sessionId: string, limit: number): readonly RunPlace[] {
    const shown = kept.runIds.of(tenant, sessionId, () => readShown(tenant, sessionId)) ?? [];
    return shown.slice(-pageLimit(limit));
  }

  /** Of a tenant without versions, so that no run is hidden. */
  function keptPlaceOf(
    tenant: string,
    sessionId: string,
    runId: string,
  ): (ShownState & Pick<RunPlace, "place">) | undefined {
    const shown = kept.runIds.known(tenant, sessionId);
    const run = shown?.findLast(({ id }) => id === runId);
    return run && { place: run.place, last: shown!.at(-1)!.place, hidden: stateOf(new Set()) };
  }

  /** Inside a transaction. What is kept is changed last, when nothing in here can fail any more. */
  function acceptRun(
    tenant: string,
    run: Accepted,
    inbound: string,
  ): Awaited<ReturnType<RunStore["accept"]>> {
    if (run.idempotencyKey !== undefined) {
      const earlier = db.get(RUN_SQL.byKey, tenant, run.sessionId, run.idempotencyKey);
      if (earlier) {
        const same = earlier.request_hash === run.requestHash;
        return { kind: same ? "repeated" : "key-reused", run: toRun(earlier) };
      }
    }
    if (run.refused) throw new FailureError(run.refused);
    const [session] = kept.ofSession(tenant, run.sessionId);
    if (!session) fail("NOT_FOUND", "There is no such session. The message was not accepted.");
    if (session.deleted_at !== null) {
      fail("CONFLICT", "This session is in the trash. The message was not accepted; restore it first.");
    }
    const added = db.get(
      RUN_SQL.accept,
      tenant,
      run.id,
      run.sessionId,
      run.surface,
      run.modelAsked ?? null,
      run.at,
      run.idempotencyKey ?? null,
      run.requestHash,
    );
    if (!added) fail("CONFLICT", "A run with this id exists already. The message was not accepted.");
    db.run(RUN_SQL.addStep, tenant, run.id, inbound);
    const isArchived = session.archived_at !== null;
    // Its run may wait for days; a list of such sessions must tell them apart.
    const isUnnamed = session.titled_by === "default";
    if (isArchived) db.run(SESSION_SQL.unarchive, tenant, run.sessionId);
    if (isUnnamed) nameSession(db, tenant, run.sessionId, [run.inbound]);
    if (isArchived || isUnnamed) kept.rows.drop(tenant, run.sessionId);
    if (run.versionOf === undefined) {
      if (kept.versions.of(tenant)) goOnInTree(db, tenant, run.sessionId, run.id);
      kept.runIds.add(tenant, run.sessionId, () => ({ id: run.id, place: added.seq }));
    } else {
      refuseWhileAnswering(tenant, run.sessionId, run.id);
      addVersion(db, tenant, run.sessionId, run.id, run.versionOf);
      kept.versions.changed();
      kept.runIds.drop(tenant, run.sessionId);
    }
    return { kind: "fresh", run: newRun(run) };
  }

  return {
    async accept(tenant, run) {
      checkTenant(tenant);
      const inbound = JSON.stringify(run.inbound);
      try {
        const accepted = await db.grouped(() => acceptRun(tenant, run, inbound));
        if (accepted.kind === "fresh") journals.keep(tenant, run.id, [inbound]);
        return accepted;
      } catch (error) {
        // What was changed or read in a transaction that is gone goes too.
        kept.runIds.drop(tenant, run.sessionId);
        kept.rows.drop(tenant, run.sessionId);
        throw error;
      }
    },

    async claim(tenant, runId, at) {
      checkTenant(tenant);
      const row = db.unsynced(() => db.get(RUN_SQL.claim, tenant, runId, at));
      return row && toRun(row);
    },

    async setWaiting(tenant, runId, waiting) {
      checkTenant(tenant);
      db.unsynced(() => db.run(RUN_SQL.setWaiting, tenant, runId, waiting ? 1 : 0));
    },

    async get(tenant, runId) {
      checkTenant(tenant);
      const row = db.get(RUN_SQL.get, tenant, runId);
      return row && toRun(row);
    },

    async list(tenant, page) {
      checkTenant(tenant);
      const { query, params } = runListQuery(tenant, page);
      const rows = db.all(query, ...params);
      const shown = rows.slice(0, pageLimit(page.limit));
      const last = shown.at(-1);
      const runs = shown.map(toRun);
      return rows.length > shown.length && last
        ? { runs, next: toCursor({ at: last.seq, id: last.id }) }
        : { runs };
    },

    async idsOfSession(tenant, sessionId, limit) {
      checkTenant(tenant);
      const ids = shownRuns(tenant, sessionId, limit).map(({ id }) => id);
      return ids.reverse();
    },

    async shownRuns(tenant, sessionId, limit) {
      checkTenant(tenant);
      const runs = shownRuns(tenant, sessionId, limit);
      const hidden = hiddenIn(tenant, sessionId);
      const newest = hidden.size === 0 ? undefined : db.get(RUN_SQL.lastPlace, tenant, sessionId)?.last;
      return { runs, last: newest ?? runs.at(-1)?.place ?? 0, hidden: stateOf(hidden) };
    },

    async placeOf(tenant, sessionId, runId) {
      checkTenant(tenant);
      const known = kept.versions.of(tenant) ? undefined : keptPlaceOf(tenant, sessionId, runId);
      if (known) return known;
      const found =
        db.get(RUN_SQL.placeOf, tenant, sessionId, runId) ??
        (kept.copies.of(tenant) ? db.get(RUN_SQL.placeOfForked, tenant, sessionId, runId) : undefined);
      const hidden = found && hiddenIn(tenant, sessionId);
      return !hidden || hidden.has(runId) ? undefined : { ...found, hidden: stateOf(hidden) };
    },

    async openings(tenant, runIds) {
      checkTenant(tenant);
      const found = db.all(RUN_SQL.openings, tenant, JSON.stringify(runIds));
      const openings = new Map(found.map((row) => [row.run_id, toOpening(row)]));
      for (const [id, opening] of copiedOpenings(tenant, runIds, openings)) openings.set(id, opening);
      return openings;
    },

    async inbounds(tenant, runIds) {
      checkTenant(tenant);
      const found = db.all(RUN_SQL.inbounds, tenant, JSON.stringify(runIds));
      const inbounds = new Map(found.map((row) => [row.run_id, toInbound(row)]));
      // Only runs that are over are copied.
      for (const [id, { message }] of copiedOpenings(tenant, runIds, inbounds))
        inbounds.set(id, { message, hasEnded: true });
      return inbounds;
    },

    async unfinished(tenant, sessionId) {
      checkTenant(tenant);
      const rows =
        sessionId === undefined
          ? db.all(RUN_SQL.unfinished, tenant)
          : db.all(RUN_SQL.unfinishedOfSession, tenant, sessionId);
      return rows.map(toRun);
    },

    async journal(tenant, runId) {
      checkTenant(tenant);
      const partialOf = () => db.get(RUN_SQL.partial, tenant, runId)?.text ?? "";
      const known = journals.of(tenant, runId);
      if (known) return { steps: known, partial: journals.hasPartial(tenant, runId) ? partialOf() : "" };
      const steps = db.all(RUN_SQL.steps, tenant, runId);
      // Every run has the message that it began with.
      if (steps.length === 0) {
        const kept = db.get(RUN_SQL.forkedRun, tenant, runId);
        if (!kept) fail("NOT_FOUND", NO_SUCH_RUN);
        const opening = readStored("messages", kept.opening, `The beginning of run ${runId}`);
        return { steps: opening, partial: "" };
      }
      const what = `A step of run ${runId}`;
      return {
        steps: steps.map(({ message }) => readStored("message", message, what)),
        partial: partialOf(),
      };
    },

    async addStep(tenant, runId, message, lap) {
      checkTenant(tenant);
      const text = JSON.stringify(message);
      try {
        const before = journals.take(tenant, runId);
        db.unsynced(() => addMessages(tenant, open(tenant, runId), [text], callsIn([message]), lap));
        if (before) journals.keep(tenant, runId, [...before, text]);
      } catch (error) {
        spent.forget(tenant);
        throw error;
      }
    },

    async setPartial(tenant, runId, text) {
      checkTenant(tenant);
      db.unsynced(() => db.run(RUN_SQL.setPartial, tenant, open(tenant, runId).id, text));
      journals.notePartial(tenant, runId);
    },

    async end(tenant, runId, last, end, lap) {
      checkTenant(tenant);
      const { status, stopReason = null, failure, model = null, at, transcriptOffset } = end;
      const why = failure ? JSON.stringify(failure) : null;
      const texts = last.map((message) => JSON.stringify(message));
      try {
        let before: ReturnType<RecentJournals["take"]>;
        const ended = await db.grouped(() => {
          before = journals.take(tenant, runId);
          addMessages(tenant, open(tenant, runId), texts, callsIn(last), lap);
          const row = db.get(
            RUN_SQL.end,
            tenant,
            runId,
            status,
            stopReason,
            why,
            model,
            at,
            transcriptOffset,
          );
          // Where others wait too, the clock may have been set back: their order is asked for.
          kept.uncommitted.change(tenant, row!.session_id, (others) =>
            others.length === 0 ? [row!] : undefined,
          );
          return toRun(row!);
        });
        if (before) journals.keep(tenant, runId, [...before, ...texts]);
        return ended;
      } catch (error) {
        spent.forget(tenant);
        kept.uncommitted.clear();
        throw error;
      }
    },

    async uncommitted(tenant, sessionId) {
      checkTenant(tenant);
      const rows =
        sessionId === undefined
          ? db.all(RUN_SQL.uncommitted, tenant)
          : (kept.uncommitted.of(tenant, sessionId, () =>
              db.all(RUN_SQL.uncommittedOfSession, tenant, sessionId),
            ) ?? []);
      // The schema gives every ended run an offset.
      return rows.map((row) => ({ run: toRun(row), offset: row.transcript_offset! }));
    },

    async noteOffset(tenant, runId, offset) {
      checkTenant(tenant);
      db.transaction(() => {
        const run = existing(tenant, runId);
        if (run.ended_at === null || run.committed === 1) {
          fail("CONFLICT", "Only a run that has ended and is not yet written out has a place to note.");
        }
        db.run(RUN_SQL.noteOffset, tenant, runId, offset);
        kept.uncommitted.drop(tenant, run.session_id);
      });
    },

    async commit(tenant, runId, messages, at) {
      checkTenant(tenant);
      let sessionId: string | undefined;
      db.unsynced(() => {
        const run = existing(tenant, runId);
        if (run.committed === 1) return;
        if (run.ended_at === null) fail("CONFLICT", "This run has not ended, so it cannot be committed.");
        db.run(RUN_SQL.commit, tenant, runId);
        commitToSession(db, tenant, run.session_id, runId, messages, at);
        kept.rows.drop(tenant, run.session_id);
        sessionId = run.session_id;
      });
      if (sessionId !== undefined)
        kept.uncommitted.change(tenant, sessionId, (rows) => rows.filter(({ id }) => id !== runId));
      journals.take(tenant, runId);
    },

    async noteUsage(tenant, runId, lap) {
      checkTenant(tenant);
      try {
        db.unsynced(() => addUsage(tenant, existing(tenant, runId), lap));
      } catch (error) {
        spent.forget(tenant);
        throw error;
      }
    },

    async tree(tenant, sessionId) {
      checkTenant(tenant);
      return treeOf(db, tenant, sessionId);
    },

    async hidden(tenant, sessionId) {
      checkTenant(tenant);
      return hiddenIn(tenant, sessionId);
    },

    async hiddenEffects(tenant, sessionId) {
      checkTenant(tenant);
      return db.all(TREE_SQL.effects, tenant, sessionId).map(({ run_id }) => run_id);
    },

    async showVersion(tenant, sessionId, runId) {
      checkTenant(tenant);
      return db.transaction(() => {
        refuseWhileAnswering(tenant, sessionId);
        kept.runIds.drop(tenant, sessionId);
        const last = showRun(db, tenant, sessionId, runId);
        if (last === undefined) return false;
        const steps = db.all(RUN_SQL.steps, tenant, last);
        const said = steps.map(({ message }) => readStored("message", message, `A step of run ${last}`));
        const preview = previewFrom(said);
        if (preview !== undefined) db.run(SESSION_SQL.preview, tenant, sessionId, preview);
        kept.rows.drop(tenant, sessionId);
        return true;
      });
    },

    async spentSince(tenant, since) {
      checkTenant(tenant);
      return spent.since(tenant, since, () => {
        const row = db.get(RUN_SQL.spentSince, tenant, since)!;
        return { costUsd: row.cost_usd, tokens: row.tokens, unpriced: row.unpriced };
      });
    },
  };
}

/** As it stands in the database from now on. */
function newRun({ id, sessionId, surface, modelAsked, at }: Accepted): Run {
  return {
    id,
    sessionId,
    status: "queued",
    surface,
    ...(modelAsked === undefined ? {} : { modelAsked }),
    attempt: 0,
    queuedAt: at,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    laps: 0,
    calls: 0,
    committed: false,
  };
}

function stateOf(hidden: ReadonlySet<string>): string {
  return [...hidden].toSorted().join(" ");
}

function toInbound({ run_id, message, ended_at }: InboundRow): Inbound {
  return {
    message: readStored("message", message, `The beginning of run ${run_id}`),
    hasEnded: ended_at !== null,
  };
}

function toOpening({ run_id, message, ended_at, next, recalled }: OpeningRow): Opening {
  const what = `The beginning of run ${run_id}`;
  const second = recalled === null ? undefined : readStored("message", recalled, what);
  return {
    message: readStored("message", message, what),
    ...(second?.origin === "recalled" ? { recalled: second } : {}),
    state: ended_at !== null ? "ended" : next === null ? "new" : "begun",
  };
}

/** Only runs that are over are copied. */
function copiedOpening(runId: string, opening: string): Opening {
  const [message, ...more] = readStored("messages", opening, `The beginning of run ${runId}`);
  if (!message) fail("NOT_FOUND", NO_SUCH_RUN);
  const recalled = more.find(({ origin }) => origin === "recalled");
  return { message, ...(recalled ? { recalled } : {}), state: "ended" };
}

function callsIn(messages: readonly Message[]): number {
  return messages.flatMap(({ blocks }) => blocks).filter(({ type }) => type === "tool_use").length;
}

function tokensOf({ usage }: LapUsage): [number, number, number, number] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens];
}

const SESSION_SQL = {
  session: query<{
    titled_by: string;
  }>(`UPDATE sessions SET updated_at = max(updated_at, ?3), message_count = message_count + ?4,
      preview = coalesce(?5, preview) WHERE tenant = ?1 AND id = ?2 RETURNING titled_by`),
  preview: "UPDATE sessions SET preview = ?3 WHERE tenant = ?1 AND id = ?2",
  unarchive: "UPDATE sessions SET archived_at = NULL WHERE tenant = ?1 AND id = ?2",
  title:
    "UPDATE sessions SET title = ?3, title_folded = ?4, titled_by = 'message' WHERE tenant = ?1 AND id = ?2",
};

/** What a committed run changes beside itself: its session's row and the searchable text. Inside the commit's transaction. */
function commitToSession(
  db: Database,
  tenant: string,
  sessionId: string,
  runId: string,
  messages: readonly Message[],
  at: number,
): void {
  const preview = previewFrom(messages) ?? null;
  const session = db.get(SESSION_SQL.session, tenant, sessionId, at, messages.length, preview);
  if (session?.titled_by === "default") nameSession(db, tenant, sessionId, messages);
  indexMessage(db, tenant, sessionId, runId, messages);
}

/** A session that nobody named is called after its first words. */
function nameSession(db: Database, tenant: string, sessionId: string, messages: readonly Message[]): void {
  const title = titleFrom(messages);
  if (title !== undefined) db.run(SESSION_SQL.title, tenant, sessionId, title, foldedTitle(title));
}
