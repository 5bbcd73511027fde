import { describe, expect, test } from "vitest";
import { failsWith, TENANT, withStores, type OpenStoreHarness, type StoreScript } from "./store-script.ts";

/** Part of the contract of RunStore: versions of a turn. */
export function runVersionsContract(name: string, open: OpenStoreHarness): void {
  describe(`RunStore, versions: ${name}`, () => {
    /** A turn that takes the place of another, answered and in the transcript. */
    async function version(script: StoreScript, sessionId: string, versionOf: string, reply: string) {
      const { runs, transcripts } = script.stores;
      const { id } = await script.accepted(sessionId, "again", { versionOf });
      await runs.claim(TENANT, id, script.tick());
      const transcriptOffset = await transcripts.size(TENANT, sessionId);
      await runs.end(TENANT, id, [script.assistant(reply)], script.ending({ transcriptOffset }));
      const { steps } = await runs.journal(TENANT, id);
      await transcripts.append(TENANT, sessionId, script.lines(id, steps));
      await runs.commit(TENANT, id, steps, script.tick());
      return id;
    }

    test(
      "a version takes the place of a turn and of all that followed it, and nothing of them is lost",
      withStores(open, async (script, harness) => {
        const { runs, sessions } = script.stores;
        const { id } = await script.session();
        const first = (await script.turn(id, "one", "First lighthouse.")).id;
        const second = (await script.turn(id, "two", "Second lighthouse.")).id;
        expect(await runs.tree(TENANT, id)).toEqual([]);
        const again = await version(script, id, first, "Another lighthouse.");
        expect(await runs.tree(TENANT, id)).toEqual([
          { runId: first, parent: "", shown: false },
          { runId: second, parent: first, shown: false },
          { runId: again, parent: "", shown: true },
        ]);
        expect(await runs.hidden(TENANT, id)).toEqual(new Set([first, second]));
        expect(await runs.hiddenEffects(TENANT, id)).toEqual([]);
        expect(await runs.idsOfSession(TENANT, id, 9)).toEqual([again]);
        const found = async () => (await sessions.search(TENANT, "lighthouse", 9)).map((hit) => hit.runId);
        expect(await found()).toEqual([again]);
        const third = (await script.turn(id, "three", "Third.")).id;
        expect((await runs.tree(TENANT, id)).at(-1)).toEqual({ runId: third, parent: again, shown: true });
        expect(await runs.showVersion(TENANT, id, first)).toBe(true);
        expect(await sessions.get(TENANT, id)).toMatchObject({ preview: "Second lighthouse." });
        const { runs: reopened } = await harness.reopen();
        expect(await reopened.hidden(TENANT, id)).toEqual(new Set([again, third]));
        expect(await reopened.idsOfSession(TENANT, id, 9)).toEqual([second, first]);
        expect((await reopened.list(TENANT, { sessionId: id, limit: 9 })).runs).toHaveLength(4);
      }),
    );

    test(
      "runs keep their places, and whoever compares is told which of them there are",
      withStores(open, async (script, harness) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const other = await script.session();
        const shown = async (limit = 9) => {
          const { runs: found, ...state } = await runs.shownRuns(TENANT, id, limit);
          expect(found.map((run) => run.id)).toEqual(
            (await runs.idsOfSession(TENANT, id, limit)).toReversed(),
          );
          for (const run of found)
            expect(await runs.placeOf(TENANT, id, run.id)).toEqual({ place: run.place, ...state });
          const places = found.map(({ place }) => place);
          expect(new Set(places).size).toBe(places.length);
          expect(places.toSorted((a, b) => a - b)).toEqual(places);
          return { ids: found.map((run) => run.id), places, state };
        };
        expect((await shown()).ids).toEqual([]);
        const first = (await script.turn(id, "one", "First.")).id;
        await script.turn(other.id);
        const alone = await shown();
        const second = (await script.turn(id, "two", "Second.")).id;
        const both = await shown();
        expect(both.ids).toEqual([first, second]);
        expect(both.places[0]).toBe(alone.places[0]);
        // It went on, and nothing else.
        expect(both.state).toEqual({ last: both.places[1], hidden: alone.state.hidden });
        expect((await shown(1)).state).toEqual(both.state);
        expect((await shown(1)).ids).toEqual([second]);
        expect(await runs.placeOf(TENANT, other.id, first)).toBeUndefined();
        expect(await runs.placeOf(TENANT, id, "run_none")).toBeUndefined();
        expect(await runs.placeOf("other", id, first)).toBeUndefined();
        const again = await version(script, id, second, "Second once more.");
        const changed = await shown();
        expect(changed.ids).toEqual([first, again]);
        expect(changed.state.hidden).not.toBe(both.state.hidden);
        expect(await runs.placeOf(TENANT, id, second)).toBeUndefined();
        await runs.showVersion(TENANT, id, second);
        const back = await shown();
        expect([back.ids, back.places]).toEqual([both.ids, both.places]);
        // A newer one is not shown.
        expect(back.state).not.toEqual(both.state);
        expect(back.state.last).toBe(changed.state.last);
        const third = (await script.turn(id, "three", "Third.")).id;
        const more = await shown();
        expect(more.ids).toEqual([first, second, third]);
        expect(more.state.hidden).toBe(back.state.hidden);
        const { runs: reopened } = await harness.reopen();
        expect(await reopened.placeOf(TENANT, id, third)).toEqual({ place: more.places[2], ...more.state });
      }),
    );

    test(
      "nothing is put in the place of what is still being answered",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const first = (await script.turn(id)).id;
        const again = await version(script, id, first, "Once more.");
        const open = await script.running(id, "and?");
        const asked = script.newRun(id, "again", { versionOf: first });
        await expect(runs.accept(TENANT, asked)).rejects.toMatchObject(failsWith("CONFLICT"));
        await expect(runs.showVersion(TENANT, id, first)).rejects.toMatchObject(failsWith("CONFLICT"));
        expect(await runs.get(TENANT, asked.id)).toBeUndefined();
        await runs.end(TENANT, open.id, [], script.ending());
        expect(await runs.idsOfSession(TENANT, id, 9)).toEqual([open.id, again]);
      }),
    );

    test(
      "a version of a run that the session does not have leaves no trace",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const other = await script.session();
        const elsewhere = (await script.turn(other.id)).id;
        await script.turn(id);
        const asked = script.newRun(id, "again", { versionOf: elsewhere });
        await expect(runs.accept(TENANT, asked)).rejects.toMatchObject(failsWith("NOT_FOUND"));
        expect(await runs.get(TENANT, asked.id)).toBeUndefined();
        expect(await runs.tree(TENANT, id)).toEqual([]);
        expect(await runs.showVersion(TENANT, id, elsewhere)).toBe(false);
      }),
    );
  });
}
