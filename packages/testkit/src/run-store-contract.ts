import { failure } from "@elwood/core/base/failure";
import type { Block, Message } from "@elwood/core/message/message";
import type { RunStatus } from "@elwood/core/message/session";
import { describe, expect, test } from "vitest";
import { runJournalContract } from "./run-journal-contract.ts";
import { runVersionsContract } from "./run-versions-contract.ts";
import { failsWith, StoreScript, TENANT, usage, withStores, type OpenStoreHarness } from "./store-script.ts";

/** What every RunStore does. Run by each implementation. */
export function runStoreContract(name: string, open: OpenStoreHarness): void {
  describe(`RunStore: ${name}`, () => {
    test(
      "R1: a run is accepted with its inbound message, and both are there after a restart",
      withStores(open, async (script, harness) => {
        const { id } = await script.session();
        const asked = script.newRun(id, "hello", { modelAsked: "demo/demo", surface: "cli" });
        const accepted = await script.stores.runs.accept(TENANT, asked);
        expect(accepted).toEqual({
          kind: "fresh",
          run: {
            id: asked.id,
            sessionId: id,
            status: "queued",
            surface: "cli",
            modelAsked: "demo/demo",
            attempt: 0,
            queuedAt: asked.at,
            usage: usage(0, 0),
            laps: 0,
            calls: 0,
            committed: false,
          },
        });
        const { runs } = await harness.reopen();
        expect(await runs.get(TENANT, asked.id)).toEqual(accepted.run);
        expect(await runs.journal(TENANT, asked.id)).toEqual({ steps: [asked.inbound], partial: "" });
      }),
    );

    test(
      "R1: a run that cannot be accepted leaves no trace",
      withStores(open, async (script) => {
        const { runs, sessions } = script.stores;
        const homeless = script.newRun(script.ids.next("session"), "to nobody");
        await expect(runs.accept(TENANT, homeless)).rejects.toMatchObject(failsWith("NOT_FOUND"));
        const { id } = await script.session();
        const first = await script.accepted(id);
        const twice = script.newRun(id, "same id", { id: first.id });
        await expect(runs.accept(TENANT, twice)).rejects.toMatchObject(failsWith("CONFLICT"));
        await sessions.trash(TENANT, id, script.tick());
        const late = script.newRun(id, "into the trash");
        await expect(runs.accept(TENANT, late)).rejects.toMatchObject(failsWith("CONFLICT"));
        expect((await runs.list(TENANT, { limit: 10 })).runs.map((r) => r.id)).toEqual([first.id]);
        expect((await runs.journal(TENANT, first.id)).steps).toHaveLength(1);
      }),
    );

    test(
      "a repeated request finds its run; a key used for something else is told apart; keys belong to a session",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const key = { idempotencyKey: "k", requestHash: "same" };
        const first = await runs.accept(TENANT, script.newRun(id, "pay", key));
        const again = await runs.accept(TENANT, script.newRun(id, "pay", key));
        const other = await runs.accept(TENANT, script.newRun(id, "pay twice", { ...key, requestHash: "x" }));
        expect([again.kind, again.run.id]).toEqual(["repeated", first.run.id]);
        expect([other.kind, other.run.id]).toEqual(["key-reused", first.run.id]);
        const elsewhere = await script.session();
        expect((await runs.accept(TENANT, script.newRun(elsewhere.id, "pay", key))).kind).toBe("fresh");
        expect((await runs.list(TENANT, { limit: 10 })).runs).toHaveLength(2);
      }),
    );

    test(
      "where nothing new is accepted, a repeated request still finds its run and nothing else is stored",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const key = { idempotencyKey: "k", requestHash: "same" };
        const first = await runs.accept(TENANT, script.newRun(id, "pay", key));
        const refused = failure("STORAGE_FULL", "The disk is full.");
        const again = await runs.accept(TENANT, { ...script.newRun(id, "pay", key), refused });
        expect([again.kind, again.run.id]).toEqual(["repeated", first.run.id]);
        await expect(runs.accept(TENANT, { ...script.newRun(id, "another"), refused })).rejects.toMatchObject(
          failsWith("STORAGE_FULL"),
        );
        expect((await runs.list(TENANT, { limit: 10 })).runs).toHaveLength(1);
      }),
    );

    test(
      "a repeated request finds its run however that stands by now",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const key = { idempotencyKey: "k", requestHash: "same" };
        const run = await script.accepted(id, "hello", key);
        await runs.claim(TENANT, run.id, script.tick());
        await runs.end(TENANT, run.id, [], script.ending());
        await runs.commit(TENANT, run.id, [], script.tick());
        const again = await runs.accept(TENANT, script.newRun(id, "hello", key));
        expect(again).toMatchObject({ kind: "repeated", run: { status: "done", committed: true } });
      }),
    );

    test(
      "R2: of two runs in a session only one is taken up; the other once that has ended",
      withStores(open, async (script, harness) => {
        const { id } = await script.session();
        const first = await script.accepted(id);
        const second = await script.accepted(id);
        const at = script.tick();
        expect(await script.stores.runs.claim(TENANT, first.id, at)).toMatchObject({
          status: "running",
          attempt: 1,
          startedAt: at,
        });
        const { runs } = await harness.reopen();
        expect(await runs.claim(TENANT, second.id, script.tick())).toBeUndefined();
        expect(await runs.get(TENANT, second.id)).toMatchObject({ status: "queued", attempt: 0 });
        await runs.end(TENANT, first.id, [], script.ending());
        expect(await runs.claim(TENANT, second.id, script.tick())).toMatchObject({ status: "running" });
      }),
    );

    test(
      "R2: claims that race for one session are won by one",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const queued = [];
        for (let i = 0; i < 5; i++) queued.push(await script.accepted(id));
        const claims = await Promise.all(queued.map((run) => runs.claim(TENANT, run.id, script.tick())));
        expect(claims.filter((run) => run !== undefined)).toHaveLength(1);
      }),
    );

    test(
      "sessions run side by side",
      withStores(open, async (script) => {
        const a = await script.running((await script.session()).id);
        const b = await script.running((await script.session()).id);
        expect([a.status, b.status]).toEqual(["running", "running"]);
      }),
    );

    test(
      "a run is taken up again after a crash: one more attempt, the same start",
      withStores(open, async (script, harness) => {
        const run = await script.running((await script.session()).id);
        const { runs } = await harness.reopen();
        expect(await runs.claim(TENANT, run.id, script.tick())).toEqual({ ...run, attempt: 2 });
      }),
    );

    test(
      "a run that waits for a person is not taken up again: its attempt goes on",
      withStores(open, async (script, harness) => {
        const run = await script.running((await script.session()).id);
        await script.stores.runs.setWaiting(TENANT, run.id, true);
        const { runs } = await harness.reopen();
        expect(await runs.claim(TENANT, run.id, script.tick())).toBeUndefined();
        expect(await runs.get(TENANT, run.id)).toEqual({ ...run, status: "waiting" });
      }),
    );

    test(
      "R4: a run that ended never changes again, but for being committed",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const ended = await script.ended((await script.session()).id);
        const before = await runs.journal(TENANT, ended.id);
        const conflict = failsWith("CONFLICT");
        expect(await runs.claim(TENANT, ended.id, script.tick())).toBeUndefined();
        await expect(runs.addStep(TENANT, ended.id, script.user("x"))).rejects.toMatchObject(conflict);
        await expect(runs.setPartial(TENANT, ended.id, "x")).rejects.toMatchObject(conflict);
        const again = runs.end(
          TENANT,
          ended.id,
          [script.user("x")],
          script.ending({ status: "failed" }),
          script.lap(),
        );
        await expect(again).rejects.toMatchObject(conflict);
        expect(await runs.get(TENANT, ended.id)).toEqual(ended);
        expect(await runs.journal(TENANT, ended.id)).toEqual(before);
        expect(await runs.spentSince(TENANT, 0)).toMatchObject({ tokens: 0 });
        await runs.commit(TENANT, ended.id, before.steps, script.tick());
        expect(await runs.get(TENANT, ended.id)).toEqual({ ...ended, committed: true });
      }),
    );

    test(
      "a run that nobody accepted cannot be written to",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const missing = failsWith("NOT_FOUND");
        expect(await runs.get(TENANT, "run_none")).toBeUndefined();
        expect(await runs.claim(TENANT, "run_none", 1)).toBeUndefined();
        await expect(runs.journal(TENANT, "run_none")).rejects.toMatchObject(missing);
        await expect(runs.addStep(TENANT, "run_none", script.user("x"))).rejects.toMatchObject(missing);
        await expect(runs.setPartial(TENANT, "run_none", "x")).rejects.toMatchObject(missing);
        await expect(runs.end(TENANT, "run_none", [], script.ending())).rejects.toMatchObject(missing);
        await expect(runs.noteOffset(TENANT, "run_none", 1)).rejects.toMatchObject(missing);
        await expect(runs.commit(TENANT, "run_none", [], 1)).rejects.toMatchObject(missing);
      }),
    );

    test(
      "the end of a run says how: status, reason, failure, model",
      withStores(open, async (script, harness) => {
        const { id } = await script.session();
        const run = await script.running(id);
        const reason = failure("RATE_LIMITED", "Too many requests.", { retryAfterMs: 500 });
        const end = script.ending({ status: "failed", failure: reason, model: "a/b", stopReason: "error" });
        const ended = await script.stores.runs.end(TENANT, run.id, [script.assistant("so far")], end);
        expect(ended).toEqual({
          ...run,
          status: "failed",
          stopReason: "error",
          failure: reason,
          model: "a/b",
          endedAt: end.at,
        });
        const queued = await script.accepted(id);
        const { runs } = await harness.reopen();
        expect(await runs.get(TENANT, run.id)).toEqual(ended);
        expect(await runs.end(TENANT, queued.id, [], script.ending({ status: "aborted" }))).toMatchObject({
          status: "aborted",
          attempt: 0,
        });
      }),
    );

    test(
      "runs are listed newest first, by session and status, page by page, also at one moment",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const one = await script.session();
        const two = await script.session();
        const ids: string[] = [];
        for (let i = 0; i < 6; i++) {
          ids.unshift((await script.accepted(i % 2 ? one.id : two.id, "x", { at: 1_000 })).id);
        }
        await runs.claim(TENANT, ids[0]!, script.tick());
        const seen: string[] = [];
        let before: string | undefined;
        do {
          const page = await runs.list(TENANT, { limit: 4, ...(before ? { before } : {}) });
          seen.push(...page.runs.map((r) => r.id));
          before = page.next;
        } while (before);
        expect(seen).toEqual(ids);
        const of = async (page: { sessionId?: string; status?: RunStatus; surface?: string }) =>
          (await runs.list(TENANT, { ...page, limit: 10 })).runs.map((r) => r.id);
        expect(await of({ sessionId: one.id })).toEqual([ids[0], ids[2], ids[4]]);
        expect(await of({ status: "running" })).toEqual([ids[0]]);
        expect(await of({ surface: "nowhere" })).toEqual([]);
        expect(await of({ surface: (await runs.get(TENANT, ids[0]!))!.surface })).toEqual(ids);
        expect(await of({ sessionId: two.id, status: "queued" })).toEqual([ids[1], ids[3], ids[5]]);
        expect(await of({ sessionId: two.id, status: "running" })).toEqual([]);
        expect((await runs.list(TENANT, { limit: 10, failures: true })).runs).toEqual([]);
        await runs.end(TENANT, ids[0]!, [], script.ending({ status: "failed" }));
        expect((await runs.list(TENANT, { limit: 10, failures: true })).runs.map((r) => r.id)).toEqual([
          ids[0],
        ]);
        await runs.end(TENANT, ids[1]!, [], script.ending({ status: "aborted" }));
        await runs.end(TENANT, ids[2]!, [], script.ending());
        expect(await of({ status: "failed" })).toEqual([ids[0]]);
        expect(await of({ status: "aborted" })).toEqual([ids[1]]);
        expect(await of({ sessionId: one.id, status: "aborted" })).toEqual([]);
        expect(await of({ status: "done" })).toEqual([ids[2]]);
        expect(await of({ status: "queued" })).toEqual(ids.slice(3));
        expect(await of({ status: "running" })).toEqual([]);
        expect(await runs.idsOfSession(TENANT, one.id, 2)).toEqual([ids[0], ids[2]]);
        expect(await runs.idsOfSession(TENANT, "ses_none", 2)).toEqual([]);
        const openings = await runs.openings(TENANT, [ids[2]!, "run_none", ids[0]!]);
        expect([...openings.keys()].toSorted()).toEqual([ids[0]!, ids[2]!].toSorted());
        for (const [id, { message }] of openings)
          expect(message).toEqual((await runs.journal(TENANT, id)).steps[0]);
        expect((await runs.openings("other", ids)).size).toBe(0);
        expect((await runs.openings(TENANT, [])).size).toBe(0);
      }),
    );

    test(
      "how a run began is what was recalled for it, too, once it is there",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const recalling = await script.accepted(id);
        const opening = async (run: { id: string }) => {
          const found = (await runs.openings(TENANT, [run.id, "run_none"])).get(run.id);
          const inbounds = await runs.inbounds(TENANT, [run.id, "run_none"]);
          const { message, state } = found!;
          expect(inbounds).toEqual(new Map([[run.id, { message, hasEnded: state === "ended" }]]));
          expect((await runs.inbounds("other", [run.id])).size).toBe(0);
          return found;
        };
        const [message] = (await runs.journal(TENANT, recalling.id)).steps;
        expect(await opening(recalling)).toEqual({ message, state: "new" });
        await runs.claim(TENANT, recalling.id, script.tick());
        const recalled: Message = {
          ...script.user("- 2026-05-03, you: the key is with Ann"),
          role: "tool",
          origin: "recalled",
        };
        await runs.addStep(TENANT, recalling.id, recalled);
        expect(await opening(recalling)).toEqual({ message, recalled, state: "begun" });
        await runs.end(TENANT, recalling.id, [], script.ending());
        expect(await opening(recalling)).toEqual({ message, recalled, state: "ended" });
        const other = await script.accepted(id);
        await runs.claim(TENANT, other.id, script.tick());
        // What only has it inside is none.
        const read: Block = { type: "text", text: '{"origin":"recalled"}', origin: "recalled" };
        await runs.addStep(TENANT, other.id, script.assistant([read]));
        expect(await opening(other)).toEqual({
          message: (await runs.journal(TENANT, other.id)).steps[0],
          state: "begun",
        });
      }),
    );

    test(
      "unfinished runs come oldest first, of one session or of all, also when all came at one moment",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const one = await script.session();
        const two = await script.session();
        const a = await script.accepted(one.id, "a", { at: 1_000 });
        const b = await script.accepted(two.id, "b", { at: 1_000 });
        const c = await script.accepted(one.id, "c", { at: 1_000 });
        await runs.claim(TENANT, c.id, script.tick());
        const of = async (sessionId?: string) => (await runs.unfinished(TENANT, sessionId)).map((r) => r.id);
        expect(await of()).toEqual([a.id, b.id, c.id]);
        expect(await of(one.id)).toEqual([a.id, c.id]);
        await runs.end(TENANT, a.id, [], script.ending({ status: "aborted" }));
        expect(await of()).toEqual([b.id, c.id]);
      }),
    );

    test(
      "a tenant sees and changes no run of another",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const run = await script.accepted(id);
        expect(await runs.get("other", run.id)).toBeUndefined();
        expect(await runs.claim("other", run.id, 1)).toBeUndefined();
        expect(await runs.unfinished("other")).toEqual([]);
        await expect(runs.journal("other", run.id)).rejects.toMatchObject(failsWith("NOT_FOUND"));
        const theirs = new StoreScript(script.stores, "other");
        await theirs.session();
        await theirs.running(id);
        expect(await runs.get(TENANT, run.id)).toMatchObject({ status: "queued" });
      }),
    );
  });

  runJournalContract(name, open);
  runVersionsContract(name, open);
}
