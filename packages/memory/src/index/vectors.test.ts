import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { never } from "@elwood/testkit/answers";
import { startEmbeddings, tokensOf, type EmbeddingsServer } from "@elwood/testkit/embeddings-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { openaiError } from "@elwood/testkit/openai-server";
import { wordVector } from "@elwood/testkit/word-vectors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  QUERY_TIMEOUT_MS,
  vectorRig,
  WAITED_FOR,
  type VectorRig,
  type VectorRigOptions,
} from "./test-vectors.ts";
import { VECTOR_LIMITS } from "./limits.ts";
import { toBytes, unit } from "./vector-math.ts";

const SYNONYMS = [
  ["dog", "puppy", "hound"],
  ["car", "automobile"],
];
const TURNS = [
  "We brought home a puppy named Biscuit",
  "The automobile needs new brakes",
  "Tax forms are due in April",
  "My sister moved to Lisbon last year",
];

let server: EmbeddingsServer;
let rigs: VectorRig<ManualClock>[] = [];
beforeEach(async () => {
  server = await startEmbeddings({ dims: 64, synonyms: SYNONYMS });
});
afterEach(async () => {
  for (const rig of rigs) if (rig.db.isOpen) await rig.close();
  rigs = [];
  await server.close();
});

/** Time passes by itself but for timeouts; with `pausesWait` the pause after a failure waits, too. */
const open = ({
  pausesWait = false,
  ...options
}: Partial<VectorRigOptions<ManualClock>> & { pausesWait?: boolean } = {}): VectorRig<ManualClock> => {
  const waits = (ms: number) => WAITED_FOR.includes(ms) || (pausesWait && ms === VECTOR_LIMITS.pauseMs);
  const clock = new ManualClock({ autoAdvance: (ms) => !waits(ms) });
  const rig = vectorRig({ clock, baseUrl: options.baseUrl ?? server.baseUrl, ...options });
  rigs.push(rig);
  return rig;
};

describe.each([
  ["sqlite-vec", true],
  ["JavaScript, where sqlite-vec is missing", false],
])("found with %s", (_, native) => {
  test("JV-8: a turn is found by its meaning, though it shares no word with the question", async () => {
    const rig = open({ native });
    rig.add(...TURNS);
    await rig.fill();
    expect(rig.vectors.status()).toMatchObject({
      state: "ready",
      filled: 4,
      dims: 64,
      engine: native ? "sqlite-vec" : "javascript",
    });
    expect((await rig.near("dog?"))[0]).toBe(TURNS[0]);
    expect((await rig.near("which car"))[0]).toBe(TURNS[1]);
  });

  test("what is forgotten leaves no vector in the file, and no hash", async () => {
    const rig = open({ native });
    const [gone] = rig.add(...TURNS);
    await rig.fill();
    const vector = Buffer.from(
      toBytes(unit(wordVector(TURNS[0]!, { dims: 64, seed: "words-1", synonyms: SYNONYMS }))),
    );
    const bytes = () => {
      rig.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return readFileSync(rig.path);
    };
    const head = vector.subarray(0, 64);
    expect(bytes().includes(head)).toBe(true);
    rig.db.prepare("DELETE FROM turns WHERE id = ?").run(gone!);
    expect(rig.vectors.sweep()).toBe(1);
    expect(bytes().includes(head)).toBe(false);
    expect([rig.count("embedding_cache"), rig.count("vector_debris")]).toEqual([3, 0]);
    expect(await rig.near("dog?")).not.toContain(TURNS[0]);
  });
});

test("both ways of finding give the same turns in the same order", async () => {
  const rig = open();
  const words = ["puppy", "automobile", "tax", "sister", "garden", "piano", "river", "bread"];
  rig.add(...Array.from({ length: 300 }, (_, i) => `${words[i % 8]} and ${words[(i * 3) % 8]} number ${i}`));
  await rig.fill();
  const byExtension = await rig.near("hound by the river", 50);
  await rig.close(true);
  const again = open({ folder: rig.folder, native: false });
  expect(await again.near("hound by the river", 50)).toEqual(byExtension);
});

test("vectors that were made without sqlite-vec are found with it later", async () => {
  const rig = open({ native: false });
  rig.add(...TURNS);
  await rig.fill();
  await rig.close(true);
  const again = open({ folder: rig.folder });
  await again.fill();
  expect((await again.near("dog?"))[0]).toBe(TURNS[0]);
  expect(server.texts().filter((text) => text === TURNS[0])).toHaveLength(1);
});

test("what was forgotten while sqlite-vec was missing is gone when it is there again, and the rest is found", async () => {
  const rig = open();
  const [gone] = rig.add(...TURNS);
  await rig.fill();
  await rig.close(true);
  const without = open({ folder: rig.folder, native: false });
  without.db.prepare("DELETE FROM turns WHERE id = ?").run(gone!);
  expect(without.vectors.sweep()).toBe(1);
  await without.close(true);
  const again = open({ folder: rig.folder });
  await again.fill();
  expect(await again.near("which car", 10)).toHaveLength(3);
  expect((await again.near("which car"))[0]).toBe(TURNS[1]);
  expect(server.texts().filter((text) => TURNS.includes(text))).toHaveLength(4);
});

describe("the cache", () => {
  test("a second fill, a restart and a file that is read anew send nothing again", async () => {
    const rig = open();
    rig.add(...TURNS, TURNS[0]!);
    await rig.fill();
    const sent = server.requests.length;
    await rig.fill();
    rig.db.exec("BEGIN; DELETE FROM turns; COMMIT");
    rig.add(...TURNS);
    await rig.fill();
    await rig.close(true);
    const again = open({ folder: rig.folder });
    await again.fill();
    expect(server.requests).toHaveLength(sent);
    expect(again.vectors.status()).toMatchObject({ state: "ready", filled: 4 });
    expect(again.count("embedding_cache")).toBe(4);
  });

  test("one more turn is one more text", async () => {
    const rig = open();
    rig.add(...TURNS);
    await rig.fill();
    rig.add("A hound barked all night");
    await rig.fill();
    expect(server.texts().slice(4)).toEqual(["A hound barked all night"]);
    expect(await rig.near("dog", 2)).toEqual(expect.arrayContaining([TURNS[0], "A hound barked all night"]));
  });

  test("turns too short to mean anything are not sent", async () => {
    const rig = open();
    rig.add("Yes.", "ok", ...TURNS);
    await rig.fill();
    expect(server.texts().toSorted()).toEqual(TURNS.toSorted());
    expect(rig.vectors.status().state).toBe("ready");
  });
});

describe("another embedder", () => {
  test("a switch of models answers by words until all is made anew, then drops the old vectors", async () => {
    const rig = open();
    rig.add(...TURNS);
    await rig.fill();
    await rig.close(true);
    const next = open({ folder: rig.folder, model: "words-2" });
    expect(await next.near("dog?")).toMatch(/0 of 4 turns have theirs.*by words/);
    expect(next.vectors.estimate().turns).toBe(4);
    await next.fill();
    expect((await next.near("dog?"))[0]).toBe(TURNS[0]);
    expect([next.count("spaces"), next.count("embedding_cache"), next.count("turn_vectors")]).toEqual([
      1, 4, 4,
    ]);
    const tables = next.db.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%vec0%'").all();
    expect(tables).toHaveLength(1);
  });

  test("vectors of another length are seen on a question, never compared, and made anew", async () => {
    const rig = open();
    rig.add(...TURNS);
    await rig.fill();
    await rig.close(true);
    await server.close();
    server = await startEmbeddings({ dims: 32, synonyms: SYNONYMS });
    const next = open({ folder: rig.folder });
    expect(await next.near("dog?")).toMatch(/32 numbers now, not 64/);
    await next.vectors.settled();
    expect(next.vectors.status()).toMatchObject({ state: "ready", dims: 32, filled: 4 });
    expect((await next.near("dog?"))[0]).toBe(TURNS[0]);
    expect(next.count("spaces")).toBe(1);
  });

  test("vectors of another length are seen on a new turn too", async () => {
    const rig = open();
    rig.add(...TURNS);
    await rig.fill();
    server.always("POST /v1/embeddings", server.vectors({ dims: 16 }));
    rig.add("A hound barked all night");
    await rig.fill();
    expect(rig.vectors.status()).toMatchObject({ state: "ready", dims: 16, filled: 5 });
    const lengths = rig.db.prepare("SELECT DISTINCT length(vec) AS n FROM embedding_cache").all();
    expect(lengths.map((row) => row["n"])).toEqual([16 * 4]);
  });

  test("an answer of another length than the owner asked for is kept nowhere", async () => {
    const rig = open({ dims: 8 });
    rig.add(...TURNS);
    server.willEmbed(server.vectors({ dims: 64 }));
    await rig.fill();
    expect(rig.vectors.status()).toMatchObject({ state: "ready", dims: 8 });
    expect(rig.count("spaces")).toBe(1);
  });
});

describe("an embedder that fails", () => {
  test("is asked again after a pause, and the fill goes on where it was", async () => {
    const rig = open();
    rig.add(...TURNS);
    server.willEmbed(openaiError(429), openaiError(500), openaiError(503));
    await rig.fill();
    expect(rig.clock.sleeps.map((s) => s.ms)).toEqual(expect.arrayContaining([30_000, 60_000, 120_000]));
    expect(rig.vectors.status()).toMatchObject({ state: "ready", filled: 4 });
    expect(rig.vectors.status().lastFailure).toBeUndefined();
  });

  test("keeps no search waiting: after the time limit the notice is the answer, and then nobody asks for a while", async () => {
    const rig = open();
    rig.add(...TURNS);
    await rig.fill();
    const before = server.requests.length;
    for (const question of ["dog one", "dog two"]) {
      server.willEmbed(never());
      const asked = rig.near(question);
      await server.untilRequests(server.requests.length + 1);
      await rig.clock.advance(QUERY_TIMEOUT_MS);
      expect(await asked).toMatch(/did not answer in time.*by words/);
    }
    expect(await rig.near("dog three")).toMatch(/did not answer in time/);
    expect(server.requests).toHaveLength(before + 2);
    await rig.clock.advance(VECTOR_LIMITS.queryPauseMs);
    expect((await rig.near("dog three"))[0]).toBe(TURNS[0]);
  });

  test("that is not there at all leaves a notice with what to do", async () => {
    const { baseUrl } = server;
    await server.close();
    const rig = open({ pausesWait: true, baseUrl });
    rig.add(...TURNS);
    rig.vectors.kick();
    await rig.clock.untilAsleep((ms) => ms === VECTOR_LIMITS.pauseMs);
    expect(rig.vectors.status()).toMatchObject({
      state: "failing",
      filled: 0,
      lastFailure: { reason: "NETWORK" },
    });
    expect(await rig.near("dog?")).toMatch(/does not answer: 0 of 4.*by words/);
  });

  test("that finds a text too long gets half of it, and one that is too long even so is left out", async () => {
    const rig = open();
    const long = "puppy ".repeat(900).trim();
    rig.add(long, ...TURNS);
    const full = openaiError(400, { code: "context_length_exceeded" });
    server.always("POST /v1/embeddings", (exchange) => {
      const { input } = exchange.request.body as { input: string[] };
      return input.some((text) => text.length > 3_000) ? full(exchange) : server.vectors()(exchange);
    });
    await rig.fill();
    expect(rig.vectors.status()).toMatchObject({ state: "ready", filled: 5 });
    expect(await rig.near("dog", 1)).toEqual([long]);
  });
});

describe("the cap", () => {
  test("what would break it is not sent; it is told, and questions still have their share", async () => {
    const many = Array.from({ length: 200 }, (_, i) => `The puppy of house number ${i} barked at the moon`);
    const each = tokensOf([many[0]!]);
    // A dollar a token: enough for about 100 of 200 turns.
    const rig = open({ pricePerMTokens: 1_000_000, capUsd: each * 140 });
    rig.add(...many);
    expect(rig.vectors.estimate()).toMatchObject({ turns: 200, leftUsd: each * 140 });
    expect(rig.vectors.estimate().usd).toBeGreaterThan(each * 140);
    await rig.fill();
    const status = rig.vectors.status();
    expect(status).toMatchObject({ state: "capped", notice: expect.stringMatching(/cap of \$.*capUsd/) });
    expect(status.filled).toBe(128);
    expect(status.spent.usd).toBe(tokensOf(server.texts()));
    expect(status.spent.usd).toBeLessThanOrEqual(each * 140);
    const sent = server.requests.length;
    await rig.fill();
    expect(server.requests).toHaveLength(sent);
  });

  test("it holds for a month, whatever becomes of the index, and is new in the next", async () => {
    const rig = open({ pricePerMTokens: 1_000_000, capUsd: 100 });
    rig.deps.budget.charge(99);
    rig.add(...TURNS);
    await rig.fill();
    expect([rig.vectors.status().state, server.requests.length]).toEqual(["capped", 0]);
    rig.clock.set(rig.clock.now() + 31 * 86_400_000);
    await rig.fill();
    expect(rig.vectors.status().state).toBe("ready");
  });
});

describe("a count of costs that cannot be read", () => {
  test.each([
    ["is a folder", (path: string) => mkdirSync(path), "cannot be read (EISDIR)"],
    ["is damaged", (path: string) => writeFileSync(path, "{"), "is damaged"],
  ])("stops what costs money, and says why: it %s", async (_, spoil, words) => {
    const rig = open({ pricePerMTokens: 1_000_000, capUsd: 100_000 });
    const path = join(rig.folder, "costs.json");
    spoil(path);
    rig.add(...TURNS);
    await rig.fill();
    const status = rig.vectors.status();
    expect(status).toMatchObject({ state: "capped", estimate: { leftUsd: 0 } });
    expect(status.notice).toContain(words);
    expect(status.notice).toContain("remove it to start counting");
    expect(await rig.near("where is the key?")).toContain(words);
    expect(() => rig.deps.budget.charge(1)).toThrow(words);
    rig.deps.budget.charge(-1);
    expect(server.requests).toHaveLength(0);
    rmSync(path, { recursive: true });
    await rig.fill();
    expect(rig.vectors.status().state).toBe("ready");
  });

  test("stops nothing that is free", async () => {
    const rig = open({ pricePerMTokens: 0 });
    mkdirSync(join(rig.folder, "costs.json"));
    rig.add(...TURNS);
    await rig.fill();
    expect(rig.vectors.status()).toMatchObject({ state: "ready" });
    expect(rig.vectors.status().notice).toBeUndefined();
  });
});

test("no secret reaches the embedder, neither in turns nor in questions", async () => {
  const own = "correct-horse-battery";
  const shaped = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const rig = open({ secrets: [own] });
  // The index redacts before this; here it did not know better yet.
  rig.add(`The door code is ${own}, do not tell`, `Use ${shaped} to push the branch`);
  await rig.fill();
  await rig.near(`where did I use ${shaped} and ${own}?`);
  const wire = JSON.stringify(server.requests);
  expect(server.requests).toHaveLength(2);
  expect(wire).toContain("redacted");
  expect(wire).not.toContain(own);
  expect(wire).not.toContain(shaped);
});
