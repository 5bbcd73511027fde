import { LIMITS } from "@elwood/core/base/limits";
import { describe, expect, test } from "vitest";
import { failsWith, TENANT, withStores, type OpenStoreHarness, type StoreScript } from "./store-script.ts";

/** So much that a store which prepares its searches by the batch has done so. */
const MUCH = 64;

/** In words that nobody looks for. */
async function sayMuch(script: StoreScript): Promise<void> {
  const { id } = await script.session();
  const { id: runId } = await script.ended(id, "\u2026");
  const said = Array.from({ length: MUCH }, () => script.user("\u2026"));
  await script.stores.runs.commit(TENANT, runId, said, script.tick());
}

/** Part of the contract of SessionStore: finding what was said. */
export function sessionSearchContract(name: string, open: OpenStoreHarness): void {
  describe(`SessionStore.search: ${name}`, () => {
    test(
      "what was said is found once the run is committed, with who said it and where",
      withStores(open, async (script, harness) => {
        const { id } = await script.session();
        const open = await script.running(id, "where is the needle?");
        expect(await script.stores.sessions.search(TENANT, "needle", 10)).toEqual([]);
        await script.stores.runs.end(TENANT, open.id, [], script.ending());
        await script.stores.runs.commit(
          TENANT,
          open.id,
          [script.user("where is the needle?"), script.assistant("The NEEDLE is\nin the haystack.")],
          script.tick(),
        );
        const again = await harness.reopen();
        const hits = await again.sessions.search(TENANT, "Needle", 10);
        expect(hits.map(({ role, runId, snippet }) => ({ role, runId, snippet }))).toEqual([
          { role: "assistant", runId: open.id, snippet: "The NEEDLE is in the haystack." },
          { role: "user", runId: open.id, snippet: "where is the needle?" },
        ]);
        expect(hits[0]!.session).toEqual(await again.sessions.get(TENANT, id));
        expect(hits[0]!.ts).toBeGreaterThan(hits[1]!.ts);
      }),
    );

    test(
      "an answer that was gone on from is found once, in the reply that holds it, and what Elwood told the model not at all",
      withStores(open, async (script) => {
        const { id } = await script.session();
        const run = await script.running(id, "where is it?");
        await script.stores.runs.end(TENANT, run.id, [], script.ending());
        const draft = script.assistant("The needle is here.");
        const note = script.user([{ type: "text", text: "No needle was found.", origin: "gateway" }]);
        await script.stores.runs.commit(
          TENANT,
          run.id,
          [
            script.user("where is it?"),
            { ...draft, meta: { ...draft.meta, continued: true } },
            { ...note, origin: "gateway" },
            script.assistant("The needle is here.\n\nIn fact it is not."),
          ],
          script.tick(),
        );
        const hits = await script.stores.sessions.search(TENANT, "needle", 10);
        expect(hits.map(({ snippet }) => snippet)).toEqual(["The needle is here. In fact it is not."]);
        expect((await script.stores.sessions.get(TENANT, id))?.preview).toContain("In fact it is not.");
      }),
    );

    /** text, queries that find it, queries that do not */
    const scripts: [string, string[], string[]][] = [
      ["The quick Brown fox", ["brown", "QUICK B", "x", "fo", "ck b"], ["quickb", "zz", "foxes"]],
      ["明日の会議は東京で十時からです", ["会議", "東京", "議", "会議は東京で"], ["京東", "大阪"]],
      ["회의는 내일 열 시", ["내일", "회의는 내일"], ["모레"]],
      ["Встреча ЗАВТРА в десять", ["завтра", "ВСТРЕЧА", "в д"], ["вчера"]],
      ["ΟΔΟΣ Ερμού", ["οδος", "οδοσ ε"], ["οδοί"]],
      ["Große Straße", ["STRASSE", "große s"], ["gross strasse"]],
      ["crème brûlée", ["CRÈME", "cre\u0300me", "brûlée"], ["brulee!"]],
      ["well done 👍🏽 and 👩‍💻 too", ["👍🏽", "👍🏽 and", "👩‍💻", "done 👍"], ["🎉", "🎉🎉🎉"]],
      ["she said \"hello 'there'\"", ['"hello', "'there'", '"', "'"], ['""', "''", '"there"']],
      ["100% of a_b and c*d", ["100%", "%", "_", "a_b", "c*d", "*"], ["a%b", "1_0", "axb", "c*e"]],
      [
        "NOT fts AND syntax OR NEAR(a b) col:x ^y {z} -w",
        ["AND syntax OR", "near(a", "col:x", "^y", "{z}", "-w"],
        ["fts OR syntax", "NOT zzz"],
      ],
      ["C:\\Users\\me\\file.txt", ["\\me\\", "users\\"], ["/me/"]],
      ["tab\tand\nnew line", ["tab and", "AND NEW"], ["tabband"]],
      ["مرحبا بالعالم", ["بالعالم", "مرحبا"], ["سلام"]],
      ["เครื่องบินออกกี่โมง", ["เครื่องบิน", "กี่"], ["รถไฟ"]],
    ];
    test.each(scripts)("what is typed is what is looked for: %s", async (text, found, notFound) => {
      await withStores(open, async (script) => {
        const { id } = await script.session();
        await script.turn(id, text, "");
        const isFound = async () => {
          for (const query of found) {
            const hits = await script.stores.sessions.search(TENANT, query, 10);
            expect(hits, `to be found by ${query}`).toHaveLength(1);
          }
          for (const query of notFound) {
            expect(await script.stores.sessions.search(TENANT, query, 10), query).toEqual([]);
          }
        };
        await isFound();
        await sayMuch(script);
        await isFound();
      })();
    });

    test(
      "an empty query finds nothing, a too long one is refused",
      withStores(open, async (script) => {
        const { id } = await script.session();
        await script.turn(id, "something");
        for (const query of ["", "  \n\t", "\u0000"]) {
          expect(await script.stores.sessions.search(TENANT, query, 10)).toEqual([]);
        }
        const long = script.stores.sessions.search(TENANT, "x".repeat(LIMITS.searchQueryCharsMax + 1), 10);
        await expect(long).rejects.toMatchObject(failsWith("INVALID_INPUT"));
      }),
    );

    test(
      "the newest is first, whichever session ended last, and no more than asked",
      withStores(open, async (script) => {
        const slow = await script.session();
        const quick = await script.session();
        const early = await script.running(slow.id, "topic, asked first");
        await script.turn(quick.id, "topic, asked second", "");
        await script.turn(quick.id, "topic, asked third", "");
        await script.stores.runs.end(TENANT, early.id, [], script.ending());
        const { steps } = await script.stores.runs.journal(TENANT, early.id);
        await script.stores.runs.commit(TENANT, early.id, steps, script.tick());
        const asked = ["topic, asked third", "topic, asked second", "topic, asked first"];
        const isInOrder = async () => {
          for (const query of ["topic", "to"]) {
            const hits = await script.stores.sessions.search(TENANT, query, 10);
            expect(hits.map((h) => h.snippet)).toEqual(asked);
            expect(await script.stores.sessions.search(TENANT, query, 2)).toEqual(hits.slice(0, 2));
          }
        };
        await isInOrder();
        await sayMuch(script);
        await isInOrder();
        const { id: late } = await script.ended(slow.id);
        const [newest, oldest] = [script.user("topic, asked last"), script.user("topic, once", 1)];
        await script.stores.runs.commit(TENANT, late, [newest, oldest], script.tick());
        asked.unshift("topic, asked last");
        asked.push("topic, once");
        await isInOrder();
      }),
    );

    test(
      "messages that share one moment are all found, later ones first",
      withStores(open, async (script) => {
        const { id } = await script.session();
        const { id: runId } = await script.ended(id, "one");
        const texts = Array.from({ length: 30 }, (_, i) => `same moment ${String(i).padStart(2, "0")}`);
        const messages = texts.map((text) => script.user(text, 5_000));
        await script.stores.runs.commit(TENANT, runId, messages, script.tick());
        const hits = await script.stores.sessions.search(TENANT, "same moment", 50);
        expect(hits.map((h) => h.snippet)).toEqual(texts.toReversed());
      }),
    );

    test(
      "tool results and thinking are not what people and the model said",
      withStores(open, async (script) => {
        const { id } = await script.session();
        const { id: runId } = await script.ended(id);
        const said = [
          script.user("question"),
          script.assistant([
            { type: "thinking", text: "needle thought" },
            { type: "tool_use", callId: "c1", toolId: "t", input: { text: "needle input" } },
          ]),
          {
            ...script.assistant([{ type: "tool_result", callId: "c1", status: "ok", text: "needle result" }]),
            role: "tool" as const,
          },
          script.assistant("answer"),
        ];
        await script.stores.runs.commit(TENANT, runId, said, script.tick());
        expect(await script.stores.sessions.search(TENANT, "needle", 10)).toEqual([]);
        expect(await script.stores.sessions.search(TENANT, "answer", 10)).toHaveLength(1);
      }),
    );

    test(
      "a snippet of a long message is short, plain, and holds the match",
      withStores(open, async (script) => {
        const { id } = await script.session();
        await script.turn(id, `${"before ".repeat(500)}<b>the Needle</b>${" after".repeat(500)}`, "");
        const [hit] = await script.stores.sessions.search(TENANT, "the needle", 10);
        expect(hit!.snippet).toContain("<b>the Needle</b>");
        expect(hit!.snippet.length).toBeLessThanOrEqual(LIMITS.snippetCharsMax + 1);
        expect(hit!.snippet).not.toContain("\n");
      }),
    );
  });
}
