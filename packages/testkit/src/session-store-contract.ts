import { LIMITS } from "@elwood/core/base/limits";
import { describe, expect, test } from "vitest";
import { sessionSearchContract } from "./session-search-contract.ts";
import { failsWith, StoreScript, TENANT, withStores, type OpenStoreHarness } from "./store-script.ts";

/** What every SessionStore does. Run by each implementation. */
export function sessionStoreContract(name: string, open: OpenStoreHarness): void {
  describe(`SessionStore: ${name}`, () => {
    test(
      "a new session is empty, not pinned, and found again after a restart",
      withStores(open, async (script, harness) => {
        const created = await script.session("New session");
        expect(created).toEqual({
          id: created.id,
          agentId: "assistant",
          title: "New session",
          titledBy: "default",
          pinned: false,
          createdAt: created.createdAt,
          updatedAt: created.createdAt,
          messageCount: 0,
          preview: "",
        });
        const again = await harness.reopen();
        expect(await again.sessions.get(TENANT, created.id)).toEqual(created);
      }),
    );

    test(
      "an id is used once",
      withStores(open, async (script) => {
        const { id } = await script.session();
        const twice = script.stores.sessions.create(TENANT, { id, agentId: "a", title: "t", at: 1 });
        await expect(twice).rejects.toMatchObject(failsWith("CONFLICT"));
      }),
    );

    test(
      "what is not there is undefined, and changing it changes nothing",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const id = script.ids.next("session");
        expect(await sessions.get(TENANT, id)).toBeUndefined();
        expect(await sessions.rename(TENANT, id, "x", "owner")).toBeUndefined();
        expect(await sessions.pin(TENANT, id, true)).toBeUndefined();
        expect(await sessions.archive(TENANT, id, 1)).toBeUndefined();
        expect(await sessions.move(TENANT, id, "Trips")).toBeUndefined();
        expect(await sessions.trash(TENANT, id, 1)).toBeUndefined();
        expect(await sessions.restore(TENANT, id, 1)).toBeUndefined();
        await sessions.purge(TENANT, id);
      }),
    );

    test(
      "a session is found by the chat of a channel that it is bound to, also after a restart",
      withStores(open, async (script, harness) => {
        const { sessions } = script.stores;
        const key = { channel: "telegram", chat: "42" };
        const first = await script.session("first");
        const second = await script.session("second");
        expect(await sessions.findByKey(TENANT, key)).toBeUndefined();
        expect(await sessions.bind(TENANT, script.ids.next("session"), key)).toBeUndefined();
        expect(await sessions.bind(TENANT, first.id, key)).toEqual(first);
        expect(await sessions.findByKey(TENANT, key)).toEqual(first);
        expect(await sessions.keyOf(TENANT, first.id)).toEqual(key);
        expect(await sessions.keyOf(TENANT, second.id)).toBeUndefined();
        expect(await sessions.keyOf("other", first.id)).toBeUndefined();
        expect(await sessions.findByKey(TENANT, { ...key, chat: "43" })).toBeUndefined();
        expect(await sessions.findByKey(TENANT, { ...key, channel: "discord" })).toBeUndefined();
        expect(await sessions.findByKey("other", key)).toBeUndefined();
        // One chat has one session at a time.
        await sessions.bind(TENANT, second.id, key);
        const again = (await harness.reopen()).sessions;
        expect(await again.findByKey(TENANT, key)).toEqual(second);
        await again.trash(TENANT, second.id, 5);
        expect(await again.findByKey(TENANT, key)).toBeUndefined();
        await again.bind(TENANT, first.id, key);
        await again.restore(TENANT, second.id, 6);
        expect(await again.findByKey(TENANT, key)).toEqual(first);
        await again.purge(TENANT, first.id);
        expect(await again.findByKey(TENANT, key)).toBeUndefined();
      }),
    );

    test(
      "sessions are listed newest first, page by page, each once",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const ids: string[] = [];
        for (let i = 0; i < 7; i++) ids.unshift((await script.session()).id);
        const seen: string[] = [];
        let before: string | undefined;
        do {
          const page = await sessions.list(TENANT, { limit: 3, ...(before ? { before } : {}) });
          seen.push(...page.sessions.map((s) => s.id));
          before = page.next;
        } while (before);
        expect(seen).toEqual(ids);
      }),
    );

    test(
      "the trash is listed by itself, the last deleted first, page by page",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const ids: string[] = [];
        for (let i = 0; i < 5; i++) ids.push((await script.session()).id);
        const deleted = [ids[1]!, ids[3]!, ids[0]!];
        for (const [i, id] of deleted.entries()) await sessions.trash(TENANT, id, 5_000 + i);
        const first = await sessions.list(TENANT, { limit: 2, deleted: true });
        const second = await sessions.list(TENANT, { limit: 2, deleted: true, before: first.next! });
        const seen = [first, second].flatMap((page) => page.sessions);
        expect(seen.map((s) => s.id)).toEqual(deleted.toReversed());
        expect(seen.map((s) => s.deletedAt)).toEqual([5_002, 5_001, 5_000]);
        expect(second.next).toBeUndefined();
        expect((await sessions.list(TENANT, { limit: 9 })).sessions).toHaveLength(2);
        expect((await sessions.list(TENANT, { limit: 9, deleted: true, query: "nowhere" })).sessions).toEqual(
          [],
        );
      }),
    );

    test(
      "pages neither skip nor repeat a session when all share one moment",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const ids: string[] = [];
        for (let i = 0; i < 5; i++) {
          const id = script.ids.next("session");
          ids.push(id);
          await sessions.create(TENANT, { id, agentId: "a", title: "t", at: 1_000 });
        }
        const first = await sessions.list(TENANT, { limit: 2 });
        const second = await sessions.list(TENANT, { limit: 2, before: first.next! });
        const third = await sessions.list(TENANT, { limit: 2, before: second.next! });
        const seen = [first, second, third].flatMap((page) => page.sessions.map((s) => s.id));
        expect(seen.toSorted()).toEqual(ids.toSorted());
        expect(third.next).toBeUndefined();
      }),
    );

    test(
      "a full last page names no next one, and a limit is kept within bounds",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        await script.session();
        await script.session();
        expect((await sessions.list(TENANT, { limit: 2 })).next).toBeUndefined();
        expect((await sessions.list(TENANT, { limit: 0 })).sessions).toHaveLength(1);
        expect((await sessions.list(TENANT, { limit: LIMITS.pageSizeMax * 10 })).sessions).toHaveLength(2);
      }),
    );

    test(
      "a cursor that nobody gave out is refused",
      withStores(open, async (script) => {
        const { sessions, runs } = script.stores;
        for (const before of [
          "",
          "nonsense",
          "1.2.3",
          "zzzzzzzzzzzzzzzz.ses_1",
          "1.'; DROP TABLE sessions",
        ]) {
          const page = { limit: 1, before };
          await expect(sessions.list(TENANT, page)).rejects.toMatchObject(failsWith("INVALID_INPUT"));
          await expect(runs.list(TENANT, page)).rejects.toMatchObject(failsWith("INVALID_INPUT"));
        }
      }),
    );

    test(
      "a title is found whatever its case, in any script, and never read as a pattern",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        for (const title of ["Plan für STRASSE", "Привет, мир", "100% sure_thing", "東京の旅"]) {
          await script.session(title);
        }
        const find = async (query: string) =>
          (await sessions.list(TENANT, { query, limit: 10 })).sessions.map((s) => s.title);
        expect(await find("straße")).toEqual(["Plan für STRASSE"]);
        expect(await find("ПРИВЕТ")).toEqual(["Привет, мир"]);
        expect(await find("京")).toEqual(["東京の旅"]);
        expect(await find("%")).toEqual(["100% sure_thing"]);
        expect(await find("_")).toEqual(["100% sure_thing"]);
        expect(await find("e_t")).toEqual(["100% sure_thing"]);
        expect(await find("  ")).toHaveLength(4);
        expect(await find("nothing of the kind")).toEqual([]);
      }),
    );

    test(
      "a title that the owner set stays; one from a message gives way; neither moves the session in the list",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const { id, updatedAt } = await script.session();
        script.tick();
        expect(await sessions.rename(TENANT, id, "From words", "message")).toMatchObject({
          title: "From words",
          titledBy: "message",
          updatedAt,
        });
        expect(await sessions.rename(TENANT, id, "Mine", "owner")).toMatchObject({ updatedAt });
        expect(await sessions.rename(TENANT, id, "From words", "message")).toMatchObject({
          title: "Mine",
          titledBy: "owner",
        });
      }),
    );

    test(
      "a pin is kept and does not move the session in the list",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const { id, updatedAt } = await script.session();
        expect(await sessions.pin(TENANT, id, true)).toMatchObject({ pinned: true, updatedAt });
        expect(await sessions.pin(TENANT, id, false)).toMatchObject({ pinned: false, updatedAt });
      }),
    );

    test(
      "an archived session is out of the list, found by its title, and back with the next message",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const { id, updatedAt } = await script.session("Put away");
        const listed = async (page: { query?: string; archived?: boolean }) =>
          (await sessions.list(TENANT, { limit: 9, ...page })).sessions.map((each) => each.id);
        const at = script.tick();
        expect(await sessions.archive(TENANT, id, at)).toMatchObject({ archivedAt: at, updatedAt });
        expect(await listed({})).toEqual([]);
        expect(await listed({ archived: true })).toEqual([id]);
        expect(await listed({ query: "away" })).toEqual([id]);
        expect(await sessions.archive(TENANT, id, undefined)).not.toHaveProperty("archivedAt");
        expect(await listed({})).toEqual([id]);
        await sessions.archive(TENANT, id, script.tick());
        await script.accepted(id, "One more thing");
        expect(await listed({})).toEqual([id]);
        expect(await listed({ archived: true })).toEqual([]);
      }),
    );

    test(
      "a session is put into a folder, and out of it, without moving in the list",
      withStores(open, async (script, harness) => {
        const { sessions } = script.stores;
        await script.session("Elsewhere");
        const { id, updatedAt } = await script.session();
        expect(await sessions.move(TENANT, id, "Trips")).toMatchObject({ folder: "Trips", updatedAt });
        const { sessions: reopened } = await harness.reopen();
        expect((await reopened.list(TENANT, { limit: 1 })).sessions).toMatchObject([{ folder: "Trips" }]);
        const filed = async () =>
          (await reopened.list(TENANT, { limit: 9, filed: true })).sessions.map((each) => each.id);
        expect(await filed()).toEqual([id]);
        expect(await reopened.move(TENANT, id, undefined)).not.toHaveProperty("folder");
        expect(await filed()).toEqual([]);
      }),
    );

    test(
      "settings are changed one by one, kept, and given back one by one",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const { id, updatedAt } = await script.session();
        const plain = await sessions.get(TENANT, id);
        await sessions.configure(TENANT, id, { model: "test/m", temperature: 0.2 });
        const all = { system: "Answer in rhymes.", topP: 0.9, tools: false, pins: ["run_2", "run_1"] };
        const set = await sessions.configure(TENANT, id, all);
        expect(set).toEqual({ ...plain, ...all, model: "test/m", temperature: 0.2, updatedAt });
        expect(await sessions.get(TENANT, id)).toEqual(set);
        expect((await sessions.list(TENANT, { limit: 1 })).sessions).toEqual([set]);
        await sessions.configure(TENANT, id, { temperature: null, system: null });
        const { temperature: _temperature, system: _system, ...less } = set!;
        expect(await sessions.get(TENANT, id)).toEqual(less);
        await sessions.configure(TENANT, id, { model: null, topP: null, tools: null, pins: null });
        expect(await sessions.get(TENANT, id)).toEqual(plain);
        expect(await sessions.configure(TENANT, "ses_none", { tools: false })).toBeUndefined();
      }),
    );

    test(
      "a session in the trash is in no list and no search, but can be had and restored",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const { id } = await script.session();
        await script.turn(id, "a needle in here");
        const at = script.tick();
        expect(await sessions.trash(TENANT, id, at)).toMatchObject({ deletedAt: at });
        expect(await sessions.trash(TENANT, id, script.tick())).toMatchObject({ deletedAt: at });
        expect((await sessions.list(TENANT, { limit: 10 })).sessions).toEqual([]);
        expect(await sessions.search(TENANT, "needle", 10)).toEqual([]);
        expect(await sessions.get(TENANT, id)).toMatchObject({ deletedAt: at });
        const back = script.tick();
        const restored = await sessions.restore(TENANT, id, back);
        expect(restored).toMatchObject({ id, updatedAt: back });
        expect(restored).not.toHaveProperty("deletedAt");
        expect(await sessions.search(TENANT, "needle", 10)).toHaveLength(1);
      }),
    );

    test(
      "the trash is handed out oldest first, only what is older than asked",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const ids = [];
        for (const at of [300, 100, 200]) {
          const { id } = await script.session();
          await sessions.trash(TENANT, id, at);
          ids.push(id);
        }
        const found = async (before: number, limit = 10) =>
          (await sessions.trashed(TENANT, before, limit)).map((s) => s.id);
        expect(await found(300)).toEqual([ids[1], ids[2]]);
        expect(await found(301, 2)).toEqual([ids[1], ids[2]]);
        expect(await found(100)).toEqual([]);
      }),
    );

    test(
      "a purged session takes its runs, steps and searchable text along; what was spent stays counted",
      withStores(open, async (script) => {
        const { sessions, runs } = script.stores;
        const { id } = await script.session();
        const other = await script.session();
        await script.turn(other.id, "a needle elsewhere");
        const run = await script.running(id, "a needle");
        await runs.addStep(TENANT, run.id, script.assistant("one"), script.lap());
        await runs.setPartial(TENANT, run.id, "half an ans");
        await script.accepted(id, "queued behind it");
        await sessions.purge(TENANT, id);
        expect(await sessions.get(TENANT, id)).toBeUndefined();
        expect(await runs.get(TENANT, run.id)).toBeUndefined();
        expect(await runs.unfinished(TENANT)).toEqual([]);
        await expect(runs.journal(TENANT, run.id)).rejects.toMatchObject(failsWith("NOT_FOUND"));
        expect((await sessions.search(TENANT, "needle", 10)).map((h) => h.session.id)).toEqual([other.id]);
        expect(await runs.spentSince(TENANT, 0)).toEqual({ costUsd: 0.25, tokens: 15, unpriced: 0 });
      }),
    );

    test(
      "a tenant sees nothing of another, even under the same ids",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const mine = await script.session("mine");
        await script.turn(mine.id, "my secret plan");
        expect(await sessions.get("other", mine.id)).toBeUndefined();
        expect(await sessions.pin("other", mine.id, true)).toBeUndefined();
        expect((await sessions.list("other", { limit: 10 })).sessions).toEqual([]);
        expect(await sessions.search("other", "secret", 10)).toEqual([]);
        await sessions.purge("other", mine.id);
        const theirs = new StoreScript(script.stores, "other");
        await theirs.session("theirs");
        await theirs.turn(mine.id, "their secret plan");
        expect(await sessions.get(TENANT, mine.id)).toMatchObject({ messageCount: 2 });
        expect(await sessions.search(TENANT, "their secret", 10)).toEqual([]);
        expect(await sessions.search("other", "their secret", 10)).toHaveLength(1);
      }),
    );

    test(
      "a tenant's name that could be a path is refused by every store",
      withStores(open, async ({ stores, ids }) => {
        const session = ids.next("session");
        const refused = failsWith("INVALID_INPUT");
        for (const tenant of ["", "..", "../x", "A", "a/b", "a b", "x".repeat(65), "a\0b"]) {
          await expect(stores.sessions.get(tenant, session)).rejects.toMatchObject(refused);
          await expect(stores.runs.get(tenant, "run")).rejects.toMatchObject(refused);
          await expect(stores.transcripts.load(tenant, session)).rejects.toMatchObject(refused);
          await expect(stores.blobs.info(tenant, "blob")).rejects.toMatchObject(refused);
          await expect(stores.tokens.list(tenant)).rejects.toMatchObject(refused);
        }
      }),
    );
  });

  sessionSearchContract(name, open);
}
