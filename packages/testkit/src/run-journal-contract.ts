import type { Block } from "@elwood/core/message/message";
import { describe, expect, test } from "vitest";
import { failsWith, TENANT, usage, withStores, type OpenStoreHarness } from "./store-script.ts";

/** Part of the contract of RunStore: steps, usage, and the way into the transcript. */
export function runJournalContract(name: string, open: OpenStoreHarness): void {
  describe(`RunStore, journal and commit: ${name}`, () => {
    const call = (callId: string): Block => ({
      type: "tool_use",
      callId,
      toolId: "t",
      input: { a: [1, "x"] },
    });

    test(
      "R3: steps come back in the order in which they were added, just as they were",
      withStores(open, async (script, harness) => {
        const run = await script.running((await script.session()).id, 'quote " slash \\ nul \0 emoji 👩‍💻');
        const steps = [
          script.assistant([
            { type: "thinking", text: "hm", opaque: { provider: "p", data: "==" } },
            call("c1"),
          ]),
          {
            ...script.assistant([{ type: "tool_result", callId: "c1", status: "ok", text: "r" }]),
            role: "tool" as const,
          },
          script.assistant("half a pair: \ud83d"),
        ];
        for (const step of steps) await script.stores.runs.addStep(TENANT, run.id, step);
        const last = [script.assistant("the end"), script.assistant("really")];
        await script.stores.runs.end(TENANT, run.id, last, script.ending());
        const { runs } = await harness.reopen();
        const journal = await runs.journal(TENANT, run.id);
        expect(journal.steps.slice(1)).toEqual([...steps, ...last]);
        expect(journal.steps[0]!.blocks).toEqual([
          { type: "text", text: 'quote " slash \\ nul \0 emoji 👩‍💻', origin: "owner" },
        ]);
      }),
    );

    test(
      "R3: what the caller does with a message afterwards does not reach the journal",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const run = await script.running((await script.session()).id);
        const block = { type: "text" as const, text: "as it was" };
        await runs.addStep(TENANT, run.id, script.assistant([block]));
        block.text = "changed";
        const { steps } = await runs.journal(TENANT, run.id);
        (steps[1]!.blocks[0] as { text: string }).text = "changed too";
        expect((await runs.journal(TENANT, run.id)).steps[1]!.blocks).toEqual([
          { type: "text", text: "as it was" },
        ]);
      }),
    );

    test(
      "the answer being written is kept, and void once a step follows or the run ends",
      withStores(open, async (script, harness) => {
        const run = await script.running((await script.session()).id);
        await script.stores.runs.setPartial(TENANT, run.id, "Once");
        await script.stores.runs.setPartial(TENANT, run.id, "Once upon");
        const { runs } = await harness.reopen();
        expect(await runs.journal(TENANT, run.id)).toMatchObject({ partial: "Once upon" });
        await runs.addStep(TENANT, run.id, script.assistant("Once upon a time"));
        expect(await runs.journal(TENANT, run.id)).toMatchObject({ partial: "" });
        await runs.setPartial(TENANT, run.id, "And th");
        await runs.end(TENANT, run.id, [], script.ending());
        expect(await runs.journal(TENANT, run.id)).toMatchObject({ partial: "" });
      }),
    );

    test(
      "laps add up: usage, cost, laps, calls and the model of the last one",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const run = await script.running((await script.session()).id);
        const first = script.lap({ usage: usage(10, 5, { cacheReadTokens: 3 }), costUsd: 0.5 });
        await runs.addStep(TENANT, run.id, script.assistant([call("c1"), call("c2")]), first);
        await runs.addStep(TENANT, run.id, script.assistant("between"));
        const second = script.lap({
          model: "a/b",
          usage: usage(1, 2, { cacheWriteTokens: 4, estimated: true }),
          costUsd: 0.25,
        });
        const ended = await runs.end(
          TENANT,
          run.id,
          [script.assistant([call("c3")])],
          script.ending(),
          second,
        );
        expect(ended).toMatchObject({
          usage: {
            inputTokens: 11,
            outputTokens: 7,
            cacheReadTokens: 3,
            cacheWriteTokens: 4,
            estimated: true,
          },
          costUsd: 0.75,
          laps: 2,
          calls: 3,
          model: "a/b",
        });
        expect(await runs.spentSince(TENANT, 0)).toEqual({ costUsd: 0.75, tokens: 25, unpriced: 0 });
      }),
    );

    test(
      "a run with a lap of unknown price has no price; the day's sum says how many it leaves out",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const run = await script.running((await script.session()).id);
        expect(run).not.toHaveProperty("costUsd");
        await runs.addStep(TENANT, run.id, script.assistant("1"), script.lap({ costUsd: 0.5 }));
        expect(await runs.get(TENANT, run.id)).toMatchObject({ costUsd: 0.5 });
        await runs.addStep(TENANT, run.id, script.assistant("2"), {
          model: "x/y",
          usage: usage(1, 1),
          at: script.tick(),
        });
        await runs.addStep(TENANT, run.id, script.assistant("3"), script.lap({ costUsd: 0.5 }));
        expect(await runs.get(TENANT, run.id)).not.toHaveProperty("costUsd");
        expect(await runs.spentSince(TENANT, 0)).toMatchObject({ costUsd: 1, unpriced: 1 });
      }),
    );

    test(
      "what was spent is counted from a moment on, over all runs, finished or not, tenant by tenant",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        for (const at of [100, 200, 200, 300]) {
          const run = await script.running((await script.session()).id);
          await runs.addStep(TENANT, run.id, script.assistant("x"), script.lap({ at, costUsd: 1 }));
        }
        expect(await runs.spentSince(TENANT, 201)).toMatchObject({ costUsd: 1, tokens: 15 });
        expect(await runs.spentSince(TENANT, 200)).toMatchObject({ costUsd: 3, tokens: 45 });
        expect(await runs.spentSince(TENANT, 301)).toEqual({ costUsd: 0, tokens: 0, unpriced: 0 });
        expect(await runs.spentSince("other", 0)).toEqual({ costUsd: 0, tokens: 0, unpriced: 0 });
      }),
    );

    test(
      "a sum that was asked for before goes on counting, and a lap that was refused is not part of it",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        expect(await runs.spentSince(TENANT, 200)).toMatchObject({ costUsd: 0 });
        const run = await script.running((await script.session()).id);
        await runs.addStep(TENANT, run.id, script.assistant("1"), script.lap({ at: 199, costUsd: 1 }));
        await runs.addStep(TENANT, run.id, script.assistant("2"), script.lap({ at: 200, costUsd: 1 }));
        expect(await runs.spentSince(TENANT, 200)).toMatchObject({ costUsd: 1, tokens: 15 });
        const end = { status: "done", at: 201, transcriptOffset: 0 } as const;
        const last = script.lap({ at: 201, costUsd: 2 });
        await runs.end(TENANT, run.id, [script.assistant("3")], end, last);
        expect(await runs.spentSince(TENANT, 200)).toMatchObject({ costUsd: 3, tokens: 30 });
        const again = runs.end(TENANT, run.id, [script.assistant("4")], end, last);
        await expect(again).rejects.toThrow("has ended");
        expect(await runs.spentSince(TENANT, 200)).toMatchObject({ costUsd: 3, tokens: 30 });
      }),
    );

    test(
      "EL-4: ended runs wait to be written out, oldest end first, with the offset noted at their end",
      withStores(open, async (script, harness) => {
        const one = await script.session();
        const two = await script.session();
        const late = await script.accepted(one.id);
        const other = await script.running(two.id);
        const early = await script.accepted(one.id);
        const end = (runId: string, transcriptOffset: number, at = script.tick()) =>
          script.stores.runs.end(TENANT, runId, [], script.ending({ transcriptOffset, at }));
        await end(early.id, 100);
        const at = script.tick();
        await end(other.id, 7, at);
        await end(late.id, 200, at);
        const { runs } = await harness.reopen();
        const of = async (sessionId?: string) =>
          (await runs.uncommitted(TENANT, sessionId)).map(({ run, offset }) => [run.id, offset]);
        expect(await of()).toEqual([
          [early.id, 100],
          [late.id, 200],
          [other.id, 7],
        ]);
        expect(await of(one.id)).toEqual([
          [early.id, 100],
          [late.id, 200],
        ]);
        await runs.noteOffset(TENANT, late.id, 250);
        await runs.commit(TENANT, early.id, [], script.tick());
        expect(await of(one.id)).toEqual([[late.id, 250]]);
        expect(await runs.uncommitted("other")).toEqual([]);
      }),
    );

    test(
      "EL-4: committing twice is committing once",
      withStores(open, async (script, harness) => {
        const { id } = await script.session();
        const run = await script.ended(id, "a needle", "found");
        const { steps } = await script.stores.runs.journal(TENANT, run.id);
        await script.stores.runs.commit(TENANT, run.id, steps, script.tick());
        const session = await script.stores.sessions.get(TENANT, id);
        const { runs, sessions } = await harness.reopen();
        await runs.commit(TENANT, run.id, steps, script.tick(1_000));
        expect(await sessions.get(TENANT, id)).toEqual(session);
        expect(await sessions.search(TENANT, "needle", 10)).toHaveLength(1);
      }),
    );

    test(
      "only what has ended is committed, and only until then has it a place to note",
      withStores(open, async (script) => {
        const { runs } = script.stores;
        const { id } = await script.session();
        const running = await script.running(id);
        const conflict = failsWith("CONFLICT");
        await expect(runs.commit(TENANT, running.id, [], 1)).rejects.toMatchObject(conflict);
        await expect(runs.noteOffset(TENANT, running.id, 1)).rejects.toMatchObject(conflict);
        await runs.end(TENANT, running.id, [], script.ending());
        await runs.commit(TENANT, running.id, [], script.tick());
        await expect(runs.noteOffset(TENANT, running.id, 1)).rejects.toMatchObject(conflict);
        expect(await runs.uncommitted(TENANT)).toEqual([]);
      }),
    );

    test(
      "a commit moves its session to the top with a title, a preview and a count",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const { id } = await script.session("New session");
        await script.session("newer");
        await script.turn(id, "# Plan my\ntrip to Oslo", "Sure.\n\nWhen do you leave?");
        const session = (await sessions.list(TENANT, { limit: 1 })).sessions[0]!;
        expect(session).toMatchObject({
          id,
          title: "Plan my trip to Oslo",
          titledBy: "message",
          preview: "Sure. When do you leave?",
          messageCount: 2,
        });
        await script.turn(id, "Tomorrow", "");
        expect(await sessions.get(TENANT, id)).toMatchObject({
          title: "Plan my trip to Oslo",
          preview: "Tomorrow",
          messageCount: 3,
        });
        expect((await sessions.list(TENANT, { query: "OSLO", limit: 5 })).sessions).toHaveLength(1);
      }),
    );

    test(
      "a session is called after its first words as soon as they are accepted: its run may wait for long",
      withStores(open, async (script) => {
        const { id } = await script.session("New session");
        await script.accepted(id, "Plan my trip to Oslo");
        const { sessions } = await script.stores.sessions.list(TENANT, { query: "oslo", limit: 5 });
        expect(sessions).toMatchObject([{ id, title: "Plan my trip to Oslo", messageCount: 0 }]);
      }),
    );

    test(
      "a title that somebody gave is not taken from the words; one is, as soon as there are words",
      withStores(open, async (script) => {
        const { sessions } = script.stores;
        const named = await script.session();
        await sessions.rename(TENANT, named.id, "Mine", "owner");
        await script.turn(named.id, "something else");
        expect(await sessions.get(TENANT, named.id)).toMatchObject({ title: "Mine", titledBy: "owner" });
        const picture = await script.session("New session");
        await script.turn(picture.id, [{ type: "image", mime: "image/png", blobId: "blob_1" }], "");
        expect(await sessions.get(TENANT, picture.id)).toMatchObject({ title: "New session", preview: "" });
        await script.turn(picture.id, "What is it?", "");
        expect(await sessions.get(TENANT, picture.id)).toMatchObject({ title: "What is it?" });
      }),
    );

    test(
      "a clock that was set back does not move a session down",
      withStores(open, async (script) => {
        const { id } = await script.session();
        await script.turn(id);
        const { updatedAt } = (await script.stores.sessions.get(TENANT, id))!;
        const run = await script.ended(id);
        await script.stores.runs.commit(TENANT, run.id, [], 5);
        expect(await script.stores.sessions.get(TENANT, id)).toMatchObject({ updatedAt });
      }),
    );
  });
}
