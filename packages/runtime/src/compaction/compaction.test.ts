import { createHash } from "node:crypto";
import { compactionLines, coveredText } from "@elwood/core/compaction/lines";
import { textOf } from "@elwood/core/message/message";
import type { ModelRequest, ToolSpec } from "@elwood/core/model/model";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { describe, expect, test } from "vitest";
import {
  called,
  chatter,
  conversation,
  failedWith,
  said,
  SESSION,
  sizeOf,
  SUMMARY,
  TENANT,
  wordsOf,
  type Conversation,
} from "@elwood/testkit/long-conversation";

const WINDOW = 4_000;
/** What is left for the answer, at least: sizes are estimates, and the window is not. */
const OUTPUT = 400;

async function talk(c: Conversation, turns: number, words = 150): Promise<void> {
  for (let i = 0; i < turns; i++) {
    const { end } = await c.say(`Story ${i === 0 ? "one" : "more"}: ${chatter(words)}`);
    expect(end.event).toBe("chat.final");
  }
}

const pairsHold = ({ messages }: ModelRequest) => {
  const open = new Set<string>();
  for (const { role, blocks } of messages) {
    if (role !== "tool" && open.size > 0) return false;
    for (const block of blocks) {
      if (block.type === "tool_use") open.add(block.callId);
      else if (block.type === "tool_result" && !open.delete(block.callId)) return false;
    }
  }
  return open.size === 0;
};

describe("EL-5: a conversation of many times the window", () => {
  test("goes on, each request fits, every message is kept as it was, and the owner is told", async () => {
    const c = await conversation({ contextTokens: WINDOW });
    await c.say("Never delete anything in /srv/archive-2231, and call me on 030 1234567.");
    await talk(c, 60);
    await c.say("What were the rules?");

    expect(c.requests.map(sizeOf).filter((size) => size > WINDOW - OUTPUT)).toEqual([]);
    expect(c.summaries.length).toBeGreaterThan(2);
    const last = wordsOf(c.requests.at(-1)!);
    expect(last).toContain(
      "> [Sun 2026-11-15 10:00] Never delete anything in /srv/archive-2231, and call me on 030 1234567.",
    );
    expect(last).toContain("nothing in it is the owner speaking");
    expect(last.match(/What were the rules\?/g)).toHaveLength(1);
    const kept = await c.messages();
    expect(kept.filter(({ origin }) => origin === "owner")).toHaveLength(62);
    expect(kept.filter(({ origin }) => origin === "model")).toHaveLength(62);
    const lines = compactionLines(kept);
    const newest = lines.at(-1)!;
    const covered = kept.slice(0, kept.findIndex(({ id }) => id === newest.block.to) + 1);
    expect(covered[0]!.id).toBe(newest.block.from);
    expect(newest.block.sha256).toBe(createHash("sha256").update(coveredText(covered)).digest("hex"));
    expect(newest.block.tokensAfter!).toBeLessThan(newest.block.tokensBefore!);
    expect(kept.map(textOf).join("\n")).toContain("were summarised for the model; nothing was deleted.");
  });

  test("is summed up from the owner's threshold on, however much its model takes", async () => {
    const c = await conversation({ contextTokens: 1_000_000, compactionThreshold: 8_000 });
    await talk(c, 40, 500);
    expect(c.summaries.length).toBeGreaterThan(0);
    expect(Math.max(...c.requests.map(sizeOf))).toBeLessThan(9_000);
  });

  test("notices go out when it happens, and what the summary cost is on the run's account", async () => {
    const c = await conversation({
      contextTokens: WINDOW,
      summary: () => said(SUMMARY, undefined, { inputTokens: 5_000 }),
    });
    await talk(c, 13);
    expect(c.summaries).toHaveLength(1);
    const runs = (await c.stores.runs.list(TENANT, { limit: 50 })).runs;
    const paying = runs.filter(({ usage }) => usage.inputTokens >= 5_000);
    expect(paying.map(({ laps }) => laps)).toEqual([2]);
    const spent = await c.stores.runs.spentSince(TENANT, 0);
    expect(spent.tokens).toBeGreaterThan(5_000);
  });

  test("without a summary of the past nothing of the request's bytes depends on it", async () => {
    const c = await conversation({ contextTokens: WINDOW });
    await talk(c, 3);
    expect(c.summaries).toEqual([]);
    expect(wordsOf(c.requests.at(-1)!)).toContain("Story one:");
  });

  test("what the provider counted goes before the estimate", async () => {
    const honest = await conversation({ contextTokens: WINDOW * 4 });
    const heavy = await conversation({
      contextTokens: WINDOW * 4,
      answer: (request) =>
        said("Cats are lovely animals.", request, { inputTokens: 0, cacheReadTokens: sizeOf(request) * 3 }),
    });
    await talk(honest, 20);
    await talk(heavy, 20);
    expect([honest.summaries.length, heavy.summaries.length]).toEqual([0, 1]);
  });

  test("the same lines give the same bytes, also to another process", async () => {
    const stores = memoryStores();
    const ids = new FixedIds();
    await stores.sessions.create(TENANT, { id: SESSION, agentId: "assistant", title: "", at: 0 });
    const first = await conversation({ contextTokens: WINDOW, stores, ids });
    await talk(first, 14);
    const second = await conversation({ contextTokens: WINDOW, stores, ids, clock: first.clock });
    await second.say("short");
    await first.say("short");
    const [a, b] = [second.requests.at(-1)!, first.requests.at(-1)!];
    const beginning = (request: ModelRequest) => JSON.stringify(request.messages.slice(0, 3));
    expect(beginning(b)).toBe(beginning(a));
    expect(beginning(a)).toContain("Elwood's summary");
  });
});

describe("where the summary does not come", () => {
  test.each([
    ["fails", () => failedWith("OVERLOADED"), "It is overloaded (529)."],
    ["is empty", () => said("  "), "the model wrote nothing."],
    ["is garbage", () => said("}{][".repeat(200)), "the model wrote no readable text."],
    ["is far too long", () => said(chatter(4_000)), "the summary was too long."],
    [
      "is cut off",
      () => ({ ...said(SUMMARY), stopReason: "max_tokens" }) as ReturnType<typeof said>,
      "the summary was too long.",
    ],
  ])(
    "because it %s, the history stays, the owner is told, and it is not asked for again at once",
    async (_, summary, why) => {
      const c = await conversation({ contextTokens: WINDOW, summary });
      await talk(c, 13);
      expect(c.summaries).toHaveLength(1);
      const lines = compactionLines(await c.messages());
      expect(lines.map(({ block }) => [block.summary, block.failed !== undefined])).toEqual([["", true]]);
      const told = (await c.messages()).map(textOf).find((text) => text.includes("could not be summed up"));
      expect(told).toBe(
        `Earlier messages could not be summed up for the model: ${why} Nothing was deleted; the messages themselves are sent.`,
      );
      expect(wordsOf(c.requests.at(-1)!)).toContain("Story one:");
    },
  );

  test("it is tried again when time has passed", async () => {
    const c = await conversation({
      contextTokens: WINDOW,
      summary: (_, asked) => (asked === 1 ? failedWith("OVERLOADED") : said(SUMMARY)),
    });
    await talk(c, 13);
    expect(c.summaries).toHaveLength(1);
    await c.clock.advance(11 * 60_000);
    await c.say("and now");
    expect(c.summaries).toHaveLength(2);
    expect(wordsOf(c.requests.at(-1)!)).toContain("Elwood's summary");
  });

  test("what then does not fit ends the run, says so, and loses nothing", async () => {
    const c = await conversation({ contextTokens: WINDOW, summary: () => failedWith("OVERLOADED") });
    let end = (await c.say(chatter(100))).end;
    for (let i = 0; i < 40 && end.event === "chat.final"; i++) end = (await c.say(chatter(150))).end;
    expect(end).toMatchObject({
      event: "chat.error",
      data: { code: "CONTEXT_FULL", message: expect.stringContaining("nothing is lost") },
    });
    expect(c.requests.map(sizeOf).filter((size) => size > WINDOW - OUTPUT)).toEqual([]);
    const before = (await c.messages()).filter(({ origin }) => origin === "owner").length;
    const again = await c.say("still?");
    expect(again.end.event).toBe("chat.error");
    expect((await c.messages()).filter(({ origin }) => origin === "owner")).toHaveLength(before + 1);
  });

  test("a limit on cost is kept, and no summary is paid for beyond it", async () => {
    const c = await conversation({ contextTokens: WINDOW, limits: { dayCostUsd: 0.03 } });
    let end = (await c.say(chatter(100))).end;
    for (let i = 0; i < 40 && end.event === "chat.final"; i++) end = (await c.say(chatter(150))).end;
    expect(end).toMatchObject({ data: { code: "DAY_COST_LIMIT" } });
  });
});

describe("where the provider says that it is too much", () => {
  test("room is made and the request is sent once more", async () => {
    const c = await conversation({
      answer: (request, asked) =>
        asked === 9 ? failedWith("CONTEXT_FULL") : said("Cats are lovely animals.", request),
    });
    await talk(c, 10);
    expect(c.requests).toHaveLength(11);
    expect(sizeOf(c.requests[9]!)).toBeLessThan(sizeOf(c.requests[8]!) * 0.7);
    expect(wordsOf(c.requests[9]!)).toContain("Elwood's summary");
  });

  test("the same where its window ended in the middle of an answer, and what that cost is counted", async () => {
    const c = await conversation({
      answer: (request, asked) =>
        asked === 9
          ? ({ ...said("Half an ans", request), stopReason: "context_full" } as ReturnType<typeof said>)
          : said("Cats are lovely animals.", request),
    });
    await talk(c, 8);
    const { runId, end } = await c.say(chatter(100));
    expect(end.data).toMatchObject({ text: "Cats are lovely animals." });
    const run = await c.stores.runs.get(TENANT, runId);
    expect(run!.usage.inputTokens).toBeGreaterThanOrEqual(sizeOf(c.requests[8]!) + sizeOf(c.requests[9]!));
  });

  test("said twice, it is the end of the run, with the sentence for it", async () => {
    const c = await conversation({
      answer: (request, asked) =>
        asked >= 9 ? failedWith("CONTEXT_FULL") : said("Cats are lovely animals.", request),
    });
    await talk(c, 8);
    const { end } = await c.say(chatter(100));
    expect(end).toMatchObject({ event: "chat.error", data: { code: "CONTEXT_FULL" } });
    expect(c.requests).toHaveLength(10);
  });

  test("with nothing to leave out it is not sent a second time", async () => {
    const c = await conversation({ answer: () => failedWith("CONTEXT_FULL") });
    const { end } = await c.say("hello");
    expect(end).toMatchObject({ data: { code: "CONTEXT_FULL" } });
    expect(c.requests).toHaveLength(1);
  });
});

describe("in a long loop of one run", () => {
  const reads: ToolSpec = { toolId: "test.page.read", description: "", inputSchema: {}, reads: true };
  const writes: ToolSpec = { toolId: "test.page.write", description: "", inputSchema: {} };

  test("output of earlier laps that can be had again is left out, the last one never, and no pair is split", async () => {
    const c = await conversation({
      contextTokens: WINDOW,
      specs: [reads],
      call: (_, input) => `page ${JSON.stringify(input)} ${chatter(300)}`,
      answer: (request, asked) =>
        asked > 20 ? said("Here they are.", request) : called({ page: asked }, request),
    });
    const { end, events } = await c.say("Read all 20 pages, and never tell anybody.");
    expect(end.data).toMatchObject({ text: "Here they are." });
    expect(c.requests.map(sizeOf).filter((size) => size > WINDOW - OUTPUT)).toEqual([]);
    expect(c.requests.every(pairsHold)).toBe(true);
    const last = wordsOf(c.requests.at(-1)!);
    expect(last).toContain("Read all 20 pages, and never tell anybody.");
    expect(last).toContain('page {"page":20}');
    expect(last).toContain(
      "characters of output of test.page.read are left out here to save room. Make the call again",
    );
    expect(c.summaries).toEqual([]);
    const notices = events.filter(({ event }) => event === "chat.notice").map(({ data }) => data);
    expect(notices[0]).toMatchObject({
      code: "COMPACTED",
      message: expect.stringContaining("Nothing was deleted."),
    });
    const results = (await c.messages())
      .filter(({ role }) => role === "tool")
      .flatMap(({ blocks }) => blocks);
    expect(results.every((block) => block.type === "tool_result" && block.text.startsWith("page"))).toBe(
      true,
    );
  });

  test("output that cannot be had again goes last, and the model is told not to act twice", async () => {
    const c = await conversation({
      contextTokens: WINDOW,
      specs: [writes],
      call: (_, input) => `wrote ${JSON.stringify(input)} ${chatter(300)}`,
      answer: (request, asked) =>
        asked > 12 ? said("Here you are.", request) : called({ page: asked }, request, "test.page.write"),
    });
    const { end } = await c.say("Write 12 pages.");
    expect(end.data).toMatchObject({ text: "Here you are." });
    expect(wordsOf(c.requests.at(-1)!)).toContain("Do not make the call again only to see it");
    expect(c.requests.every(pairsHold)).toBe(true);
  });
});

describe("results that are larger than the window", () => {
  const reads: ToolSpec = { toolId: "test.page.read", description: "", inputSchema: {}, reads: true };
  const reader: ToolSpec = { ...reads, toolId: "session.result.read" };
  const calls = (inputs: readonly unknown[], request: ModelRequest) => ({
    ...called({}, request),
    blocks: inputs.map((input, i) => ({
      type: "tool_use" as const,
      callId: `p${i}`,
      toolId: "test.page.read",
      input,
    })),
  });

  test("are shown in part, with a handle; all of each is kept, nothing is summed up and nobody is told off", async () => {
    const c = await conversation({
      contextTokens: WINDOW,
      specs: [reads, reader],
      call: () => `begin ${chatter(20_000)} end`,
      answer: (request, asked) => (asked > 2 ? said("Seen.", request) : called({ page: asked }, request)),
    });
    const { end, events } = await c.say("Read both.");
    expect(end.data).toMatchObject({ text: "Seen." });
    const last = wordsOf(c.requests.at(-1)!);
    expect(last.match(/begin the garden/g)).toHaveLength(2);
    expect(last.match(/Read them with session\.result\.read: call "/g)).toHaveLength(2);
    expect(c.requests.map(sizeOf).filter((size) => size > WINDOW - OUTPUT)).toEqual([]);
    expect(c.summaries).toEqual([]);
    expect(events.filter(({ event }) => event === "chat.notice")).toEqual([]);
    const results = (await c.messages())
      .filter(({ role }) => role === "tool")
      .flatMap(({ blocks }) => blocks);
    expect(results.every((block) => block.type === "tool_result" && block.text.endsWith("end"))).toBe(true);
  });

  test("and many at once still leave room for all of them", async () => {
    const c = await conversation({
      contextTokens: WINDOW,
      specs: [reads, reader],
      call: (_, input) => `page ${JSON.stringify(input)} ${chatter(5_000)}`,
      answer: (request, asked) =>
        asked > 1
          ? said("Seen.", request)
          : calls(
              Array.from({ length: 8 }, (_, page) => ({ page })),
              request,
            ),
    });
    const { end } = await c.say("Read all eight.");
    expect(end.data).toMatchObject({ text: "Seen." });
    expect(sizeOf(c.requests[1]!)).toBeLessThanOrEqual(WINDOW - OUTPUT);
    for (let page = 0; page < 8; page++) expect(wordsOf(c.requests[1]!)).toContain(`page {"page":${page}}`);
  });

  test("give way to a long message of the owner's, and are cut further, which is said", async () => {
    const c = await conversation({
      contextTokens: WINDOW,
      specs: [reads, reader],
      call: () => `begin ${chatter(20_000)} end`,
      answer: (request, asked) => (asked > 1 ? said("Seen.", request) : calls([1, 2], request)),
    });
    const { end, events } = await c.say(`Read both. ${chatter(1_500)}`);
    expect(end.data).toMatchObject({ text: "Seen." });
    expect(sizeOf(c.requests[1]!)).toBeLessThanOrEqual(WINDOW - OUTPUT);
    expect(events.filter(({ event }) => event === "chat.notice").map(({ data }) => data)).toMatchObject([
      { code: "COMPACTED", message: expect.stringContaining("or in part only") },
    ]);
  });

  test("are cut further where the server's window turns out to be smaller than was thought", async () => {
    const real = 6_000;
    const c = await conversation({
      specs: [reads, reader],
      call: () => `begin ${chatter(20_000)} end`,
      answer: (request, asked) => {
        if (sizeOf(request) > real) return failedWith("CONTEXT_FULL");
        return asked === 1 ? called({ page: 1 }, request) : said("Seen.", request);
      },
    });
    const { end } = await c.say("Read it.");
    expect(end.data).toMatchObject({ text: "Seen." });
    expect(c.requests.map((request) => sizeOf(request) > real)).toEqual([false, true, false]);
  });

  /** A conversation of so many turns, then pages read two at a time; no summary ever comes. */
  const readingAfter = async (turns: number) => {
    let calls = 0;
    const c = await conversation({
      contextTokens: WINDOW,
      specs: [reads, reader],
      call: () => `begin ${chatter(20_000)} end`,
      summary: () => said(""),
      answer: (request, asked) => {
        if (asked <= turns) return said("I see.", request);
        if (asked > turns + 3) return said("Seen.", request);
        const use = () => ({
          type: "tool_use" as const,
          callId: `page${++calls}`,
          toolId: "test.page.read",
          input: { page: calls },
        });
        return { ...called({}, request), blocks: [use(), use()] };
      },
    });
    await talk(c, turns);
    const { end, events } = await c.say("Read them all.");
    expect(end.data).toMatchObject({ text: "Seen." });
    expect(c.requests.map(sizeOf).filter((size) => size > WINDOW - OUTPUT)).toEqual([]);
    const notices = events.flatMap(({ event, data }) => (event === "chat.notice" ? [data] : []));
    return { summaries: c.summaries, notices };
  };

  test("no summary is paid for where leaving out old output does, once the model has seen it", async () => {
    const { summaries, notices } = await readingAfter(3);
    expect(summaries).toEqual([]);
    expect(notices).toMatchObject([
      { message: expect.stringMatching(/^To save room, the output of 2 earlier calls is no longer shown/) },
      { message: expect.stringMatching(/^To save room, the output of 2 earlier calls is no longer shown/) },
    ]);
  });

  test("a summary that fails is told with what is left out instead, and not as if all were sent", async () => {
    const { summaries, notices } = await readingAfter(5);
    expect(summaries).toHaveLength(1);
    const failed = notices.filter((notice) => "code" in notice && notice["code"] === "COMPACTION_FAILED");
    expect(failed).toMatchObject([
      {
        message:
          "Earlier messages could not be summed up for the model: the model wrote nothing. Instead the output of 4 earlier calls is left out, or shown in part only. Nothing was deleted.",
      },
    ]);
  });

  test("old ones go to one line before anything of the conversation is summed up, also where the call had an effect", async () => {
    const writes: ToolSpec = { toolId: "test.page.write", description: "", inputSchema: {} };
    const c = await conversation({
      contextTokens: WINDOW,
      specs: [writes, reader],
      call: (_, input) => `wrote ${JSON.stringify(input)} ${chatter(600)}`,
      answer: (request, asked) =>
        asked > 12 ? said("Here you are.", request) : called({ page: asked }, request, "test.page.write"),
    });
    await c.say("Write 12 pages.");
    const last = wordsOf(c.requests.at(-1)!);
    expect(last).toMatch(
      /characters of output of test\.page\.write are left out here to save room\. Read it again with session\.result\.read, call "/,
    );
    expect(last).toContain('wrote {"page":12}');
    expect(c.summaries).toEqual([]);
  });
});

test("what is asked for as an answer fits into the window beside the request, a summary's too", async () => {
  const c = await conversation({ contextTokens: 1_500 });
  for (let i = 0; i < 20; i++) await c.say(`Story: ${chatter(60)}`);
  expect(c.summaries.length).toBeGreaterThan(0);
  const over = [...c.requests, ...c.summaries].filter(
    (request) => sizeOf(request) + request.maxOutputTokens > 1_500,
  );
  expect(over).toEqual([]);
});

describe("where it cannot be made to fit, the words name what is in the way", () => {
  test("a long message", async () => {
    const c = await conversation({ contextTokens: WINDOW });
    const { end } = await c.say(chatter(5_000));
    expect(end.data).toMatchObject({
      code: "CONTEXT_FULL",
      message: expect.stringMatching(/^Your message is about \d+ tokens/),
    });
  });

  test("instructions and tools, and not the short message", async () => {
    const large: ToolSpec = { toolId: "test.page.read", description: chatter(4_000), inputSchema: {} };
    const c = await conversation({ contextTokens: WINDOW, specs: [large] });
    const { end } = await c.say(`hello ${chatter(450)}`);
    expect(end.data).toMatchObject({
      code: "CONTEXT_FULL",
      message: expect.stringMatching(/^The agent's instructions and tools take/),
    });
  });
});

describe("the owner", () => {
  test("takes a summary back: the next request is built without it, and both lines stay", async () => {
    const c = await conversation({ contextTokens: WINDOW });
    await talk(c, 13);
    const [line] = compactionLines(await c.messages());
    expect(wordsOf(c.requests.at(-1)!)).not.toContain("Story one:");
    // It fits, if only just: right after it was taken back nothing is summed up anew without need.
    const end = await c.ask({ kind: "undo", ids: [line!.id] });
    expect(end.data).toMatchObject({ text: expect.stringContaining("Taken back") });
    const lines = compactionLines(await c.messages());
    expect(lines.map(({ undone }) => undone)).toEqual([true]);
    await c.say("and now");
    const shown = wordsOf(c.requests.at(-1)!);
    expect(shown).toContain("Story one:");
    expect(shown).not.toContain("Elwood's summary");
    expect(c.summaries).toHaveLength(1);
  });

  test("asks for a summary: it is made by a run that no model is shown", async () => {
    const c = await conversation({ contextTokens: 100_000 });
    await talk(c, 13);
    expect(c.summaries).toEqual([]);
    const end = await c.ask({ kind: "compact" });
    expect(end.data).toMatchObject({
      text: expect.stringContaining("nothing was deleted"),
      usage: { outputTokens: expect.any(Number) },
    });
    expect(c.summaries).toHaveLength(1);
    await c.say("and now");
    const shown = wordsOf(c.requests.at(-1)!);
    expect(shown).toContain("Elwood's summary");
    expect(shown).not.toContain("You asked to sum up");
    const [line] = compactionLines(await c.messages());
    await c.ask({ kind: "undo", ids: [line!.id] });
    await c.say("and again");
    const anew = wordsOf(c.requests.at(-1)!);
    expect(anew).toContain("Story one:");
    expect(anew).not.toContain("Elwood's summary");
  });

  test("asks for one where there is nothing to sum up, and is told so", async () => {
    const c = await conversation({ contextTokens: 100_000 });
    await c.say("hello");
    const end = await c.ask({ kind: "compact" });
    expect(end.data).toMatchObject({ text: "There is too little to sum up. Nothing was changed." });
    expect(c.summaries).toEqual([]);
  });

  test("changes a covered message: its summary is no longer shown", async () => {
    const c = await conversation({ contextTokens: 100_000 });
    await talk(c, 13);
    await c.ask({ kind: "compact" });
    const { lines } = await c.stores.transcripts.load(TENANT, SESSION);
    const changed = lines.map((line, i) =>
      i === 2
        ? { ...line, blocks: [{ type: "text" as const, text: "(forgotten)", origin: "owner" as const }] }
        : line,
    );
    await c.stores.transcripts.save(TENANT, SESSION, changed);
    await c.say("and now");
    const shown = wordsOf(c.requests.at(-1)!);
    expect(shown).not.toContain("Elwood's summary");
    expect(shown).toContain("(forgotten)");
  });
});

test("a process that dies while it sums up leaves the old view, and the next one does it anew", async () => {
  const stores = memoryStores();
  const ids = new FixedIds();
  await stores.sessions.create(TENANT, { id: SESSION, agentId: "assistant", title: "", at: 0 });
  const reached = Promise.withResolvers<void>();
  const first = await conversation({
    contextTokens: WINDOW,
    stores,
    ids,
    summary: () => {
      reached.resolve();
      return new Promise(() => undefined);
    },
  });
  let turns = 0;
  for (; turns < 40; turns++) {
    const stuck = await Promise.race([
      first.say(`Story: ${chatter(150)}`).then(() => false),
      reached.promise.then(() => true),
    ]);
    if (stuck) break;
  }
  expect(first.summaries).toHaveLength(1);
  expect(compactionLines(await first.messages())).toEqual([]);

  const second = await conversation({ contextTokens: WINDOW, stores, ids, clock: first.clock });
  expect(await second.engine.recover(TENANT)).toMatchObject({ resumed: 1 });
  await second.engine.whenIdle();
  expect(second.summaries).toHaveLength(1);
  expect(second.requests).toHaveLength(1);
  const kept = await second.messages();
  expect(kept.filter(({ origin }) => origin === "owner")).toHaveLength(turns + 1);
  expect(compactionLines(kept)).toHaveLength(1);
  expect(kept.at(-1)).toMatchObject({ origin: "model" });
});

test("secrets do not come back by way of a summary", async () => {
  const c = await conversation({
    contextTokens: WINDOW,
    summary: () => said(`${SUMMARY}\nThe word is hunter2hunter2.`),
  });
  await talk(c, 14);
  expect(JSON.stringify(await c.messages())).not.toContain("hunter2hunter2");
  expect(wordsOf(c.requests.at(-1)!)).toContain("[redacted]");
});
