import type { LapUsage } from "@elwood/core/model/price";
import { fromCursor, toCursor } from "@elwood/core/base/cursor";
import { fail, FailureError } from "@elwood/core/base/failure";
import {
  addUsage,
  isBetweenLaps,
  NO_USAGE,
  textOf,
  totalTokens,
  type Message,
} from "@elwood/core/message/message";
import { isEnded, type Run, type Session } from "@elwood/core/message/session";
import { plainLine, previewFrom, titleFrom } from "@elwood/core/message/session-text";
import { lineThrough, lineTo, type TreeRun } from "@elwood/core/message/run-tree";
import type { NewRun, Opening, RunStore, ShownState } from "@elwood/runtime/ports/ports";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import { copied, keyOf, type MemoryRun, type MemoryState } from "./memory-state.ts";

export function memoryRuns(state: MemoryState): RunStore {
  const all = (tenant: string, sessionId?: string) =>
    state.runs.filter(
      (r) => r.tenant === tenant && (sessionId === undefined || r.run.sessionId === sessionId),
    );

  function existing(tenant: string, runId: string): MemoryRun {
    checkTenant(tenant);
    const found = all(tenant).find((r) => r.run.id === runId);
    if (!found) fail("NOT_FOUND", "There is no such run.");
    return found;
  }

  /** R4 */
  function open(tenant: string, runId: string): MemoryRun {
    const found = existing(tenant, runId);
    if (isEnded(found.run.status)) fail("CONFLICT", "This run has ended and no longer changes.");
    return found;
  }

  function addMessages(kept: MemoryRun, messages: readonly Message[], lap?: LapUsage): void {
    kept.steps.push(...copied(messages));
    kept.partial = "";
    const calls = messages.flatMap((m) => m.blocks).filter((block) => block.type === "tool_use").length;
    kept.run = { ...kept.run, calls: kept.run.calls + calls };
    if (!lap) return;
    state.usage.push({ tenant: kept.tenant, lap: copied(lap) });
    kept.costUsd += lap.costUsd ?? 0;
    if (lap.costUsd === undefined) kept.lapsUnpriced += 1;
    const { costUsd: _costUsd, ...run } = kept.run;
    kept.run = {
      ...run,
      model: lap.model,
      laps: run.laps + 1,
      usage: addUsage(run.usage, lap.usage),
      ...(kept.lapsUnpriced === 0 ? { costUsd: kept.costUsd } : {}),
    };
  }

  const treeOf = (tenant: string, sessionId: string) => state.trees.get(keyOf(tenant, sessionId)) ?? [];

  function hiddenIn(tenant: string, sessionId: string): ReadonlySet<string> {
    return new Set(treeOf(tenant, sessionId).flatMap((run) => (run.shown ? [] : [run.runId])));
  }

  function shownOf(tenant: string, sessionId: string): MemoryRun[] {
    const hidden = hiddenIn(tenant, sessionId);
    return all(tenant, sessionId).filter(({ run }) => !hidden.has(run.id));
  }

  function stateOf(tenant: string, sessionId: string): ShownState {
    const hidden = [...hiddenIn(tenant, sessionId)].toSorted().join(" ");
    return { last: all(tenant, sessionId).at(-1)?.seq ?? 0, hidden };
  }

  function refuseWhileAnswering(tenant: string, sessionId: string): void {
    if (all(tenant, sessionId).some(({ run }) => !isEnded(run.status)))
      fail("CONFLICT", "Something in this session is still being answered.");
  }

  /** The tree of a session with a run that is to be accepted; undefined where it has none. */
  function treeWith(tenant: string, { id, sessionId, versionOf }: NewRun): readonly TreeRun[] | undefined {
    const tree = treeOf(tenant, sessionId);
    if (versionOf === undefined) {
      const last = tree.findLast(({ shown }) => shown);
      return last && [...tree, { runId: id, parent: last.runId, shown: true }];
    }
    refuseWhileAnswering(tenant, sessionId);
    const ended = all(tenant, sessionId).sort((a, b) => a.run.endedAt! - b.run.endedAt! || a.seq - b.seq);
    const known =
      tree.length > 0
        ? tree
        : ended.map(({ run }, i) => ({ runId: run.id, parent: ended[i - 1]?.run.id ?? "", shown: true }));
    const replaced = known.find(({ runId }) => runId === versionOf);
    if (!replaced) fail("NOT_FOUND", "There is no such run in this session.");
    const line = lineTo(known, replaced.parent);
    const shown = known.map((run) => ({ ...run, shown: line.has(run.runId) }));
    return [...shown, { runId: id, parent: replaced.parent, shown: true }];
  }

  return {
    async accept(tenant, asked) {
      checkTenant(tenant);
      const { id, sessionId, surface, modelAsked, idempotencyKey, requestHash, at } = asked;
      if (idempotencyKey !== undefined) {
        const earlier = all(tenant, sessionId).find((r) => r.idempotencyKey === idempotencyKey);
        if (earlier) {
          const same = earlier.requestHash === requestHash;
          return { kind: same ? "repeated" : "key-reused", run: copied(earlier.run) };
        }
      }
      if (asked.refused) throw new FailureError(asked.refused);
      const session = state.sessions.get(keyOf(tenant, sessionId));
      if (!session) fail("NOT_FOUND", "There is no such session.");
      if (session.deletedAt !== undefined) fail("CONFLICT", "This session is in the trash.");
      if (all(tenant).some((r) => r.run.id === id)) fail("CONFLICT", "A run with this id exists already.");
      const tree = treeWith(tenant, asked);
      const run: Run = {
        id,
        sessionId,
        status: "queued",
        surface,
        ...(modelAsked === undefined ? {} : { modelAsked }),
        attempt: 0,
        queuedAt: at,
        usage: NO_USAGE,
        laps: 0,
        calls: 0,
        committed: false,
      };
      state.runs.push({
        tenant,
        seq: (all(tenant).at(-1)?.seq ?? 0) + 1,
        idempotencyKey,
        requestHash,
        run,
        steps: [copied(asked.inbound)],
        partial: "",
        offset: 0,
        costUsd: 0,
        lapsUnpriced: 0,
      });
      if (tree) state.trees.set(keyOf(tenant, sessionId), tree);
      const named = namedAfter(session, [asked.inbound]);
      const { archivedAt: _archivedAt, ...back } = session;
      state.sessions.set(keyOf(tenant, sessionId), { ...back, ...named });
      return { kind: "fresh", run: copied(run) };
    },

    async claim(tenant, runId, at) {
      checkTenant(tenant);
      const kept = all(tenant).find((r) => r.run.id === runId);
      if (!kept || isEnded(kept.run.status) || kept.run.status === "waiting") return undefined;
      const active = ({ run }: MemoryRun) => run.status === "running" || run.status === "waiting";
      if (all(tenant, kept.run.sessionId).some((r) => r !== kept && active(r))) return undefined;
      const { run } = kept;
      kept.run = {
        ...run,
        status: "running",
        attempt: run.attempt + 1,
        startedAt: run.startedAt ?? at,
      };
      return copied(kept.run);
    },

    async setWaiting(tenant, runId, waiting) {
      checkTenant(tenant);
      const kept = all(tenant).find((r) => r.run.id === runId);
      if (!kept || (kept.run.status !== "running" && kept.run.status !== "waiting")) return;
      kept.run = { ...kept.run, status: waiting ? "waiting" : "running" };
    },

    async get(tenant, runId) {
      checkTenant(tenant);
      const kept = all(tenant).find((r) => r.run.id === runId);
      return kept && copied(kept.run);
    },

    async idsOfSession(tenant, sessionId, limit) {
      checkTenant(tenant);
      const ids = shownOf(tenant, sessionId).map(({ run }) => run.id);
      return ids.toReversed().slice(0, pageLimit(limit));
    },

    async shownRuns(tenant, sessionId, limit) {
      checkTenant(tenant);
      const runs = shownOf(tenant, sessionId).map(({ run, seq }) => ({ id: run.id, place: seq }));
      return { runs: runs.slice(-pageLimit(limit)), ...stateOf(tenant, sessionId) };
    },

    async placeOf(tenant, sessionId, runId) {
      checkTenant(tenant);
      const found = shownOf(tenant, sessionId).find(({ run }) => run.id === runId);
      return found && { place: found.seq, ...stateOf(tenant, sessionId) };
    },

    async openings(tenant, runIds) {
      checkTenant(tenant);
      const asked = new Set(runIds);
      const found = all(tenant).filter(({ run }) => asked.has(run.id));
      return new Map(found.map((each) => [each.run.id, openingOf(each)]));
    },

    async inbounds(tenant, runIds) {
      checkTenant(tenant);
      const asked = new Set(runIds);
      const found = all(tenant).filter(({ run }) => asked.has(run.id));
      return new Map(
        found.map(({ run, steps }) => [
          run.id,
          { message: copied(steps[0]!), hasEnded: isEnded(run.status) },
        ]),
      );
    },

    async list(tenant, page) {
      checkTenant(tenant);
      const before = page.before === undefined ? Number.MAX_SAFE_INTEGER : fromCursor(page.before).at;
      const limit = pageLimit(page.limit);
      const found = all(tenant, page.sessionId)
        .filter((r) => r.seq < before && (page.status === undefined || r.run.status === page.status))
        .filter((r) => page.surface === undefined || r.run.surface === page.surface)
        // No call is on record here.
        .filter((r) => !page.failures || r.run.status === "failed")
        .toReversed();
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const runs = copied(shown.map((r) => r.run));
      return found.length > limit && last
        ? { runs, next: toCursor({ at: last.seq, id: last.run.id }) }
        : { runs };
    },

    async unfinished(tenant, sessionId) {
      checkTenant(tenant);
      return copied(
        all(tenant, sessionId)
          .map((r) => r.run)
          .filter((run) => !isEnded(run.status)),
      );
    },

    async journal(tenant, runId) {
      const { steps, partial } = existing(tenant, runId);
      return { steps: copied(steps), partial };
    },

    async addStep(tenant, runId, message, lap) {
      addMessages(open(tenant, runId), [message], lap);
    },

    async setPartial(tenant, runId, text) {
      open(tenant, runId).partial = text;
    },

    async end(tenant, runId, last, end, lap) {
      const kept = open(tenant, runId);
      addMessages(kept, last, lap);
      const { status, stopReason, failure, model, at } = end;
      kept.run = {
        ...kept.run,
        status,
        endedAt: at,
        ...(stopReason === undefined ? {} : { stopReason }),
        ...(failure === undefined ? {} : { failure: copied(failure) }),
        ...(model === undefined ? {} : { model }),
      };
      kept.offset = end.transcriptOffset;
      return copied(kept.run);
    },

    async uncommitted(tenant, sessionId) {
      checkTenant(tenant);
      return all(tenant, sessionId)
        .filter(({ run }) => isEnded(run.status) && !run.committed)
        .sort((a, b) => a.run.endedAt! - b.run.endedAt! || a.seq - b.seq)
        .map(({ run, offset }) => ({ run: copied(run), offset }));
    },

    async noteOffset(tenant, runId, offset) {
      const kept = existing(tenant, runId);
      if (!isEnded(kept.run.status) || kept.run.committed) {
        fail("CONFLICT", "Only a run that has ended and is not yet written out has a place to note.");
      }
      kept.offset = offset;
    },

    async commit(tenant, runId, messages, at) {
      const kept = existing(tenant, runId);
      if (kept.run.committed) return;
      if (!isEnded(kept.run.status)) fail("CONFLICT", "This run has not ended.");
      kept.run = { ...kept.run, committed: true };
      commitToSession(state, tenant, kept.run, messages, at);
    },

    async noteUsage(tenant, runId, lap) {
      existing(tenant, runId);
      state.usage.push({ tenant, lap: copied(lap) });
    },

    async tree(tenant, sessionId) {
      checkTenant(tenant);
      return copied(treeOf(tenant, sessionId));
    },

    async hidden(tenant, sessionId) {
      checkTenant(tenant);
      return hiddenIn(tenant, sessionId);
    },

    // No call is on record here.
    async hiddenEffects() {
      return [];
    },

    async showVersion(tenant, sessionId, runId) {
      checkTenant(tenant);
      refuseWhileAnswering(tenant, sessionId);
      const tree = treeOf(tenant, sessionId);
      if (!tree.some((run) => run.runId === runId)) return false;
      const line = lineThrough(tree, runId);
      const shown = tree.map((run) => ({ ...run, shown: line.has(run.runId) }));
      state.trees.set(keyOf(tenant, sessionId), shown);
      const last = shown.findLast((run) => run.shown);
      const session = state.sessions.get(keyOf(tenant, sessionId));
      const preview = last && previewFrom(existing(tenant, last.runId).steps);
      if (session && preview !== undefined)
        state.sessions.set(keyOf(tenant, sessionId), { ...session, preview });
      return true;
    },

    async spentSince(tenant, since) {
      checkTenant(tenant);
      const laps = state.usage.filter((u) => u.tenant === tenant && u.lap.at >= since).map((u) => u.lap);
      return {
        costUsd: laps.reduce((sum, lap) => sum + (lap.costUsd ?? 0), 0),
        tokens: laps.reduce((sum, lap) => sum + totalTokens(lap.usage), 0),
        unpriced: laps.filter((lap) => lap.costUsd === undefined).length,
      };
    },
  };
}

function openingOf({ run, steps }: MemoryRun): Opening {
  const [message, next] = copied(steps);
  return {
    message: message!,
    ...(next?.origin === "recalled" ? { recalled: next } : {}),
    state: isEnded(run.status) ? "ended" : next ? "begun" : "new",
  };
}

function commitToSession(
  state: MemoryState,
  tenant: string,
  run: Run,
  messages: readonly Message[],
  at: number,
): void {
  const key = keyOf(tenant, run.sessionId);
  const session = state.sessions.get(key)!;
  state.sessions.set(key, {
    ...session,
    updatedAt: Math.max(session.updatedAt, at),
    messageCount: session.messageCount + messages.length,
    preview: previewFrom(messages) ?? session.preview,
    ...namedAfter(session, messages),
  });
  for (const message of messages) {
    const { role, ts } = message;
    const text = plainLine(textOf(message));
    if (role === "tool" || text === "" || isBetweenLaps(message)) continue;
    state.said.push({ tenant, sessionId: run.sessionId, runId: run.id, ts, role, text });
  }
}

/** A session that nobody named is called after its first words. */
function namedAfter(session: Session, messages: readonly Message[]): Partial<Session> {
  const title = session.titledBy === "default" ? titleFrom(messages) : undefined;
  return title === undefined ? {} : { title, titledBy: "message" };
}
