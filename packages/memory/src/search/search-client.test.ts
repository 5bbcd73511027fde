import { getPriority } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { describe, expect, onTestFinished, test } from "vitest";
import { INDEX_LIMITS } from "../index/limits.ts";
import { indexScene, query } from "../index/test-index-scene.ts";
import { SearchClient } from "./search-client.ts";
import { SEARCH_NICENESS } from "./serve-searches.ts";

const MORTAL = new URL("./test-mortal-search.ts", import.meta.url);

async function mortalThread() {
  const { open, say, path, home } = indexScene();
  say("ses_a", "one", "two", "three");
  const index = open();
  await index.start();
  const clock = new ManualClock({ start: 0 });
  const thread = new SearchClient({ path, module: MORTAL, clock });
  onTestFinished(() => thread.stop());
  return { thread, clock, index, home };
}

describe("the thread that searches large indexes", () => {
  test("finds what the main thread finds, also what was just written", async () => {
    const { open, say, transcript } = indexScene();
    say("ses_a", "The sauna is on the roof", "Lovely.", "The pool is in the cellar");
    const large = open({ mainThreadTurns: 0 });
    const hits = await large.search(query("where is the sauna"));
    await large.close();
    const small = open();
    expect(hits[0]?.turn.text).toBe("The sauna is on the roof");
    expect(await small.search(query("where is the sauna"))).toEqual(hits);
    expect(transcript("ses_a")).toContain("ses_a");
  });

  test("is started once, and leaves when it was idle for a while", async () => {
    const { thread, clock } = await mortalThread();
    expect(thread.running).toBe(false);
    const both = await Promise.all([thread.search(query("a")), thread.search(query("b"))]);
    expect(both.map(([hit]) => [hit?.turn.text, hit?.turn.id])).toEqual([
      ["a", 3],
      ["b", 3],
    ]);
    expect(thread.running).toBe(true);
    await clock.advance(INDEX_LIMITS.threadIdleMs);
    expect(thread.running).toBe(false);
    expect((await thread.search(query("c")))[0]?.turn.text).toBe("c");
  });

  test("is there before somebody searches where it was asked to be, and leaves if nobody does", async () => {
    const { thread, clock } = await mortalThread();
    thread.start();
    expect([thread.running, thread.isFree]).toEqual([true, false]);
    await clock.advance(INDEX_LIMITS.threadIdleMs - 1);
    expect(thread.running).toBe(true);
    await clock.advance(1);
    expect(thread.running).toBe(false);
    thread.start();
    expect((await thread.search(query("c")))[0]?.turn.text).toBe("c");
    expect(thread.isFree).toBe(true);
  });

  test("gives up what takes too long by when that began, not by when the thread did", async () => {
    const { thread, clock } = await mortalThread();
    await thread.search(query("a"));
    await clock.advance(INDEX_LIMITS.threadIdleMs / 2);
    let isOver = false;
    const hangs = thread.search(query("hang")).catch((error: unknown) => {
      isOver = true;
      return error;
    });
    await clock.advance(INDEX_LIMITS.searchMs - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await hangs).toMatchObject({ failure: { reason: "TIMEOUT" } });
  });

  test.runIf(process.platform === "linux")(
    "stands back behind the thread that answers everybody",
    async () => {
      const { thread } = await mortalThread();
      const own = getPriority();
      const [hit] = await thread.search(query("priority"));
      expect(Number(hit?.turn.text)).toBe(SEARCH_NICENESS);
      expect(getPriority()).toBe(own);
    },
  );

  test("is free once it can search and as long as few wait, and leaves if nobody asks", async () => {
    const { thread, clock } = await mortalThread();
    expect(thread.isFree).toBe(false);
    const first = thread.search(query("a"));
    expect(thread.running).toBe(true);
    expect(thread.isFree).toBe(false);
    await first;
    expect(thread.isFree).toBe(true);
    const hangs = thread.search(query("hang"));
    const others = Array.from({ length: INDEX_LIMITS.queuedMax - 1 }, () => thread.search(query("a")));
    const all = Promise.allSettled([hangs, ...others]);
    expect(thread.isFree).toBe(false);
    await clock.advance(INDEX_LIMITS.searchMs);
    await all;
    await clock.advance(INDEX_LIMITS.threadIdleMs);
    expect(thread.running).toBe(false);
    expect(thread.isFree).toBe(false);
  });

  test("that dies is started once more with what it was at", async () => {
    const { thread, home } = await mortalThread();
    const answers = await Promise.all([
      thread.search(query("die once", { session: join(home, "died") })),
      thread.search(query("behind it")),
    ]);
    expect(answers.map(([hit]) => hit?.turn.text)).toEqual(["die once", "behind it"]);
  });

  test("that dies again fails the search with words, and goes on with the next", async () => {
    const { thread } = await mortalThread();
    await expect(thread.search(query("die"))).rejects.toThrow("The search of memory broke off twice");
    expect((await thread.search(query("after")))[0]?.turn.text).toBe("after");
  });

  test("takes no more than its queue holds, and gives up on what takes too long", async () => {
    const { thread, clock } = await mortalThread();
    const hangs = thread.search(query("hang"));
    const told = expect(hangs).rejects.toThrow("took too long");
    const more = Array.from({ length: INDEX_LIMITS.queuedMax - 1 }, (_, i) => thread.search(query(`q${i}`)));
    await expect(thread.search(query("one too many"))).rejects.toThrow("Too many searches");
    // Those behind it are not given up: only what hangs has waited its time.
    const rest = Promise.allSettled(more);
    await clock.advance(INDEX_LIMITS.searchMs);
    await told;
    await rest;
    expect((await thread.search(query("after")))[0]?.turn.text).toBe("after");
  });

  test("tells what went wrong in a search as the main thread would", async () => {
    const { thread } = await mortalThread();
    await expect(thread.search(query("fail"))).rejects.toThrow("as asked");
  });
});
