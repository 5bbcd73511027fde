import { appendFileSync, openSync, statSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { LocalTime } from "@elwood/core/base/local-time";
import { placeOf } from "@elwood/core/memory/recalled";
import type { MemoryHit, MemoryQuery } from "@elwood/core/memory/turn";
import type { RecallAbout } from "@elwood/runtime/ports/ports";
import { describe, expect, onTestFinished, test } from "vitest";
import { INDEX_LIMITS } from "../index/limits.ts";
import { ANSWER, indexScene, line, START } from "../index/test-index-scene.ts";
import type { LookupDeps } from "../notes/lookup.ts";
import { toldHits } from "../told-hits.ts";
import { isWorthSearching, recallFor } from "./recall-memory.ts";

const ABOUT: RecallAbout = { runId: "run_x", sessionId: "ses_x", agentId: "a", wasTold: () => false };
const ASKED = "what is Clara allergic to?";
const FACT = "My sister Clara is allergic to hazelnuts";

/** Every search in the thread, as on a large index. */
function scene() {
  const made = indexScene({ mainThreadTurns: 0 });
  made.say("ses_a", FACT, "I will keep that in mind.");
  for (let at = 0; at < 300; at++) made.say("ses_b", `Day ${at}: the garden was watered`, "Good.");
  return made;
}

type Searched = { search(query: MemoryQuery): Promise<readonly MemoryHit[]> };

async function recalled(
  index: Searched,
  message = ASKED,
  told: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const deps = {
    tenant: "default",
    reader: {
      search: (query: MemoryQuery) => index.search(query),
      turns: async () => [],
      elsewhere: async () => [],
    },
    noteService: { get: async () => undefined },
    conversations: { hasUntrustedInput: async () => false },
    clock: { now: () => START, sleep: async () => undefined },
    localTime: new LocalTime("UTC"),
  } as unknown as LookupDeps;
  const found = await recallFor(
    deps,
    { ...ABOUT, wasTold: (place) => told.has(placeOf(place)) },
    message,
    1_000,
    new AbortController().signal,
  );
  return found?.text.split("\n").slice(1) ?? [];
}

const FACT_LINE = [expect.stringContaining(FACT)];

test("what is recalled leaves the main thread sooner than what is searched for, and a first recall is waited for longer", async () => {
  const { open } = scene();
  const index = open({ mainThreadTurns: 20_000, mainThreadRecallTurns: 100 });
  await index.start();
  await index.search({ text: ASKED, limit: 5, now: START });
  expect(index.isCold).toBe(true);
  expect(await recalled(index)).toEqual(FACT_LINE);
  expect(index.isCold).toBe(false);
  await index.close();
  const small = open({ mainThreadTurns: 20_000, mainThreadRecallTurns: 20_000 });
  expect(small.isCold).toBe(false);
});

describe("recall from an index", () => {
  test("that is searched in the thread finds what the main thread finds", async () => {
    const { open } = scene();
    const threaded = open();
    const found = await recalled(threaded);
    await threaded.close();
    const direct = open({ mainThreadTurns: 20_000, mainThreadRecallTurns: 20_000 });
    expect(found).toEqual(FACT_LINE);
    expect(await recalled(direct)).toEqual(found);
  });

  test("that is searched in the thread comes without what is not told, and says the same", async () => {
    const { open, say } = scene();
    // Asked before, answered with a mere yes, and an order: none of them is told.
    say("ses_c", ASKED, "Let me see.", "Please list all that Clara is allergic to", "Yes.");
    say("ses_d", "Clara is allergic to bees too", "Noted.");
    const index = open();
    await index.start();
    const sent: (readonly MemoryHit[])[] = [];
    const asking = (onlyTold: boolean): Searched => ({
      async search(query) {
        const hits = await index.search({ ...query, onlyTold });
        sent.push(hits);
        return hits;
      },
    });
    const all = await recalled(asking(false));
    expect(await recalled(asking(true))).toEqual(all);
    expect(all).toHaveLength(2);
    const texts = (hits: readonly MemoryHit[]) =>
      hits.flatMap(({ turn, before, after }) => [...before, turn, ...after].map(({ text }) => text));
    expect(texts(sent[0]!)).toContain(ASKED);
    expect(texts(sent[1]!).toSorted()).toEqual(["Clara is allergic to bees too", FACT]);
  });

  test("tells what stands beside a question and not the question, whoever has left it out", async () => {
    const said = {
      source: "sessions/default/ses_e.jsonl",
      ts: START,
      speaker: "you",
      origin: "owner",
    } as const;
    const question = { ...said, id: 1, line: 1, role: "user", text: "Is Clara allergic to dust?" } as const;
    const answer = { ...said, line: 2, role: "user", text: "Clara has a cat" } as const;
    const hit: MemoryHit = { turn: question, score: 1, parts: {}, before: [], after: [answer] };
    const [told] = toldHits([hit], ASKED);
    expect(told).toEqual({ ...hit, isTold: false });
    for (const each of [hit, told!])
      expect(await recalled({ search: async () => [each] })).toEqual([expect.stringContaining(answer.text)]);
  });

  test("that is built anew comes from the old one until then, and from the new one afterwards", async () => {
    const { open } = scene();
    const index = open();
    await index.start();
    const rebuilt = index.rebuild();
    expect(await recalled(index)).toEqual(FACT_LINE);
    await rebuilt;
    expect(await recalled(index)).toEqual(FACT_LINE);
  });

  test("that another program has locked is what was in it before, and nobody is stuck", async () => {
    const { open, path, transcript, complaints } = scene();
    const index = open();
    await index.start();
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec("BEGIN IMMEDIATE");
    const from = statSync(transcript("ses_b")).size;
    appendFileSync(transcript("ses_b"), line("Clara moved to Porto", ANSWER));
    index.transcriptChanged({
      tenant: "default",
      sessionId: "ses_b",
      what: "appended",
      from,
      to: statSync(transcript("ses_b")).size,
    });
    expect(await recalled(index)).toEqual(FACT_LINE);
    expect(complaints).toContain("the index of memory is behind; it is tried again");
    other.exec("ROLLBACK");
    const [first] = await recalled(index, "where did Clara move?");
    expect(first).toContain("Clara moved to Porto");
  });

  test("that is damaged while it is in use comes from the one that is built in its place", async () => {
    const { open, path } = scene();
    const index = open();
    await index.start();
    index.read((db) => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    const file = openSync(path, "r+");
    const { size } = statSync(path);
    writeSync(file, Buffer.alloc(size - 4_096, 0x5a), 0, undefined, 4_096);
    expect(await recalled(index)).toEqual(FACT_LINE);
  });

  test("that is ten times larger than what is kept of it in memory is searched page by page, in the thread and beside it", async () => {
    const made = indexScene();
    made.say("ses_a", FACT, "I will keep that in mind.");
    const long = "the beans were watered and the roses cut back ".repeat(160);
    for (let at = 0; at < 2_100; at++) made.say("ses_b", `Day ${at}: ${long}`, `Day ${at} is over.`);
    for (const mainThreadRecallTurns of [0, 20_000]) {
      const index = made.open({ mainThreadTurns: 20_000, mainThreadRecallTurns });
      await index.start();
      expect(await recalled(index)).toEqual(FACT_LINE);
      const { cache_size: kept } = index.read((db) => db.prepare("PRAGMA cache_size").get())!;
      // Negative: in KB, whatever the size of a page.
      expect(Number(kept)).toBeLessThan(0);
      expect(statSync(made.path).size).toBeGreaterThan(10 * -Number(kept) * 1024);
      await index.close();
    }
  });

  test("for a message of 2 MB looks at its beginning, and the message itself is indexed piece by piece", async () => {
    const { open, transcript } = scene();
    const index = open();
    await index.start();
    const long = `${ASKED} ${"walnut cake recipe ".repeat(110_000)}`;
    expect(long.length).toBeGreaterThan(2_000_000);
    expect(isWorthSearching(long)).toBe(true);
    expect(await recalled(index, long)).toEqual(FACT_LINE);
    const from = statSync(transcript("ses_b")).size;
    appendFileSync(transcript("ses_b"), line(long));
    const to = statSync(transcript("ses_b")).size;
    index.transcriptChanged({ tenant: "default", sessionId: "ses_b", what: "appended", from, to });
    expect(await recalled(index)).toEqual(expect.arrayContaining(FACT_LINE));
  });
});

test("what a conversation was told once is not told to it again", async () => {
  const { open } = scene();
  const index = open();
  expect(await recalled(index)).toEqual(FACT_LINE);
  expect(await recalled(index, ASKED, new Set(["sessions/default/ses_a.jsonl#1"]))).toEqual([]);
});

test("what the conversation that asks has just written is not waited for, and what another has is found", async () => {
  const { open, transcript, say } = scene();
  const index = open();
  await index.start();
  const append = (session: string, text: string) => {
    say(session, "Hello there");
    const from = statSync(transcript(session)).size;
    appendFileSync(transcript(session), line(text));
    index.transcriptChanged({
      tenant: "default",
      sessionId: session,
      what: "appended",
      from,
      to: statSync(transcript(session)).size,
    });
  };
  append(ABOUT.sessionId, "Clara came to see me");
  expect(await recalled(index)).toEqual(FACT_LINE);
  expect(index.status().behind).toBe(1);
  append("ses_c", "Clara is allergic to bees as well");
  expect((await recalled(index)).join("\n")).toContain("bees");
  expect(index.status().behind).toBe(0);
});

test("where many recall at once, what others said this moment is indexed for some of them, and for whoever searches", async () => {
  const { open, transcript, say } = scene();
  let now = START;
  const index = open({ clock: { now: () => now, sleep: () => new Promise(() => undefined) } });
  await index.start();
  say("ses_c", "Hello there");
  const append = (text: string) => {
    const from = statSync(transcript("ses_c")).size;
    appendFileSync(transcript("ses_c"), line(text));
    const to = statSync(transcript("ses_c")).size;
    index.transcriptChanged({ tenant: "default", sessionId: "ses_c", what: "appended", from, to });
  };
  const behind: number[] = [];
  for (let at = 0; at < INDEX_LIMITS.recallDrainsMax + 2; at++) {
    append(`Clara counted ${at} bees`);
    await recalled(index);
    behind.push(index.status().behind);
  }
  expect(behind).toEqual([...Array.from({ length: INDEX_LIMITS.recallDrainsMax }, () => 0), 1, 1]);
  const [found] = await index.search({
    text: `who counted ${INDEX_LIMITS.recallDrainsMax + 1} bees?`,
    limit: 5,
    now,
  });
  expect(found?.turn.text).toBe(`Clara counted ${INDEX_LIMITS.recallDrainsMax + 1} bees`);
  append("Clara is allergic to wasps as well");
  now += INDEX_LIMITS.flushMs;
  expect((await recalled(index)).join("\n")).toContain("wasps");
});
