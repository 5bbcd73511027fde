import { join } from "node:path";
import { makeRedactor } from "@elwood/core/base/redact";
import { ok } from "@elwood/core/base/result";
import { never } from "@elwood/testkit/answers";
import { startEmbeddings } from "@elwood/testkit/embeddings-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { describe, expect, onTestFinished, test } from "vitest";
import { EMBEDDINGS_DEFAULTS, type MemoryFusion } from "../settings.ts";
import { makeModels } from "@elwood/providers/models";
import { SemanticSearch } from "./semantic-search.ts";
import type { MemoryIndex } from "../memory-index.ts";
import { indexScene, query, START } from "../index/test-index-scene.ts";

const SYNONYMS = [["dog", "puppy", "hound"]];

interface SceneOptions {
  readonly fusion?: MemoryFusion;
  readonly thread?: boolean;
  readonly provider?: string;
}

/** An index over files, with an embedder that is a loopback server. */
async function meaningScene({ fusion = "linear", thread = false, provider = "words" }: SceneOptions = {}) {
  const server = await startEmbeddings({ dims: 64, synonyms: SYNONYMS });
  onTestFinished(() => server.close());
  const clock = new ManualClock({ start: START });
  const scene = indexScene({ clock, ...(thread ? { mainThreadTurns: 0 } : {}) });
  const { home } = scene;
  const providers = { [provider]: { baseUrl: server.baseUrl } };
  const credentials = async () => ok(undefined);
  const semanticSearch = () =>
    new SemanticSearch({
      settings: { ...EMBEDDINGS_DEFAULTS, model: `${provider}/words-1` },
      fusion,
      models: makeModels({ providers, credentials, clock, attemptsMax: 1 }),
      // A server elsewhere, as far as prices go.
      providers: provider === "words" ? providers : {},
      prices: [],
      costsPath: join(home, "costs.json"),
      clock,
      log: memoryLog(),
      redact: makeRedactor([]),
    });
  const open = async (filled = true): Promise<{ index: MemoryIndex; semanticSearch: SemanticSearch }> => {
    const made = semanticSearch();
    const index = scene.open({ semanticSearch: made });
    await index.start();
    if (filled) await made.settled();
    return { index, semanticSearch: made };
  };
  return { ...scene, clock, server, open };
}

const TALK = [
  "We brought home a puppy named Biscuit",
  "How sweet!",
  "The tax forms are due in April",
  "I will remind you.",
];
const texts = async (index: MemoryIndex, text: string) =>
  (await index.search(query(text))).map(({ turn }) => turn.text);

describe.each<SceneOptions>([{ fusion: "linear" }, { fusion: "rrf" }, { fusion: "linear", thread: true }])(
  "a search by words and by meaning: %o",
  (options) => {
    test("JV-8: finds what shares no word with the question, with where it stands", async () => {
      const { say, open } = await meaningScene(options);
      say("ses_a", ...TALK);
      const { index } = await open();
      const [hit] = await index.search(query("which dog"));
      expect(hit).toMatchObject({
        turn: { text: TALK[0], source: "sessions/default/ses_a.jsonl", line: 1 },
      });
      expect(index.notice).toBeUndefined();
      expect(hit!.parts[options.fusion === "rrf" ? "meaning" : "vector"]).toBeGreaterThan(0);
    });

    test("still finds by words, and keeps to what a query may see", async () => {
      const { say, open } = await meaningScene(options);
      say("ses_a", ...TALK);
      say("ses_b", "A hound barked all night", "Oh no.");
      const { index } = await open();
      expect((await texts(index, "when are the tax forms due"))[0]).toBe(TALK[2]);
      const elsewhere = await index.search({ ...query("which dog"), exceptSession: "ses_b" });
      expect(elsewhere[0]?.turn.text).toBe(TALK[0]);
      expect(elsewhere.every(({ turn }) => turn.session !== "ses_b")).toBe(true);
    });
  },
);

test("the thread and the main thread find the same", async () => {
  const small = await meaningScene();
  small.say("ses_a", ...TALK);
  const large = await meaningScene({ thread: true });
  large.say("ses_a", ...TALK);
  const seen = async (scene: typeof small) =>
    (await (await scene.open()).index.search(query("my dog and the taxes"))).map(({ turn, score }) => [
      turn.text,
      score,
    ]);
  expect(await seen(large)).toEqual(await seen(small));
});

test("an embedder that does not answer keeps no search from its answer, and the notice says so", async () => {
  const { say, open, server, clock } = await meaningScene();
  say("ses_a", ...TALK);
  const { index } = await open();
  server.willEmbed(never());
  const asked = texts(index, "tax forms");
  await server.untilRequests(2);
  await clock.advance(EMBEDDINGS_DEFAULTS.queryTimeoutMs);
  expect((await asked)[0]).toBe(TALK[2]);
  expect(index.notice).toMatch(/did not answer in time/);
});

test("while vectors are made, words answer and the status says how far it is", async () => {
  const { say, open, server } = await meaningScene();
  say("ses_a", ...TALK);
  server.willEmbed(never());
  const { index } = await open(false);
  expect((await texts(index, "tax forms"))[0]).toBe(TALK[2]);
  expect(index.notice).toMatch(/0 of 3 turns have theirs/);
  expect(index.status().vectors).toMatchObject({
    state: "filling",
    turns: 3,
    estimate: { turns: 3, usd: 0 },
  });
});

test("what is said next is found by meaning a moment later", async () => {
  const { say, open, clock } = await meaningScene();
  say("ses_a", ...TALK);
  const { index, semanticSearch } = await open();
  say("ses_b", "Our old hound likes the sofa", "I see.");
  await index.sweep();
  await clock.advance(60_000 / EMBEDDINGS_DEFAULTS.requestsPerMinute);
  await semanticSearch.settled();
  expect(await texts(index, "dog")).toContain("Our old hound likes the sofa");
  expect(index.status().vectors).toMatchObject({ state: "ready", model: "words/words-1" });
});

test("what is forgotten loses its vector too", async () => {
  const { say, open } = await meaningScene();
  say("ses_a", ...TALK);
  const { index } = await open();
  const [hit] = await index.search(query("which dog"));
  const kept = () =>
    index.read((db) => Number(db.prepare("SELECT count(*) AS n FROM embedding_cache").get()!["n"]));
  expect(kept()).toBe(3);
  index.forgetTurns([hit!.turn.id]);
  expect(kept()).toBe(2);
});

test("an index that is built anew is searched by meaning again, and pays for nothing twice", async () => {
  const { say, open, clock, server } = await meaningScene();
  say("ses_a", ...TALK);
  const { index, semanticSearch } = await open();
  const sent = server.requests.length;
  await index.rebuild();
  await clock.advance(60_000);
  await semanticSearch.settled();
  expect(server.requests).toHaveLength(sent);
  expect((await texts(index, "which dog"))[0]).toBe(TALK[0]);
  expect(index.notice).toBeUndefined();
});

test("an embedder whose price nobody knows is sent nothing, and it is said what to do", async () => {
  const { say, open, server } = await meaningScene({ provider: "elsewhere" });
  say("ses_a", ...TALK);
  const { index } = await open();
  expect((await texts(index, "tax forms"))[0]).toBe(TALK[2]);
  expect(index.notice).toMatch(/not known.*pricePerMTokens/);
  expect(index.status().vectors).toMatchObject({ state: "off" });
  expect(server.requests).toEqual([]);
});
