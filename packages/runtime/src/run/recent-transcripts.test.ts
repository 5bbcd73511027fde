import { LIMITS } from "@elwood/core/base/limits";
import type { Message, TranscriptLine } from "@elwood/core/message/message";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { TENANT } from "@elwood/testkit/store-script";
import { expect, test } from "vitest";
import { RecentTranscripts } from "./recent-transcripts.ts";

const [FIRST, SECOND, THIRD] = ["1", "2", "3"].map((n) => `ses_${n.repeat(26)}`) as [string, string, string];

/** Transcripts that count how often each is read. */
function counted() {
  const store = memoryStores().transcripts;
  const loads: string[] = [];
  const transcripts = {
    ...store,
    load: (tenant: string, sessionId: string) => {
      loads.push(sessionId);
      return store.load(tenant, sessionId);
    },
  };
  return { store, loads, recent: new RecentTranscripts(transcripts) };
}

function line(chars: number): TranscriptLine {
  const blocks = [{ type: "text" as const, text: "x".repeat(chars) }];
  return { v: 1, id: "msg_1", run: "run_1", i: 0, n: 1, ts: 1, role: "user", origin: "owner", blocks };
}

test("a conversation is read once, however often it is asked for", async () => {
  const { store, loads, recent } = counted();
  await store.append(TENANT, FIRST, [line(10)]);
  for (let i = 0; i < 3; i++) expect((await recent.messages(TENANT, FIRST)).messages).toHaveLength(1);
  expect(loads).toEqual([FIRST]);
});

test("conversations are kept up to a number of bytes together, and the one not used for longest goes first", async () => {
  const { store, loads, recent } = counted();
  const third = Math.floor(LIMITS.recentTranscriptsBytesMax / 3);
  for (const id of [FIRST, SECOND, THIRD]) {
    await store.append(TENANT, id, [line(third)]);
    await recent.messages(TENANT, id);
    // Used again: the first of them is not the one to go.
    await recent.messages(TENANT, FIRST);
  }
  loads.length = 0;
  for (const id of [FIRST, THIRD]) await recent.messages(TENANT, id);
  expect(loads).toEqual([]);
  await recent.messages(TENANT, SECOND);
  expect(loads).toEqual([SECOND]);
});

test("of more conversations used by turns than are kept, some stay instead of each making way for the next", async () => {
  const { store, loads, recent } = counted();
  const sessions = ["4", "5", "6", "7"].map((n) => `ses_${n.repeat(26)}`);
  const third = Math.floor(LIMITS.recentTranscriptsBytesMax / 3) - 1_000;
  for (const id of sessions) await store.append(TENANT, id, [line(third)]);
  const round = async () => {
    loads.length = 0;
    for (const id of sessions) await recent.messages(TENANT, id);
    return loads.length;
  };
  await round();
  await round();
  expect(await round()).toBe(1);
  expect(await round()).toBe(1);
  // One that is asked for again while the others are not takes the place of one of them.
  const [gone] = loads as [string];
  for (let i = 0; i < 2; i++) await recent.messages(TENANT, gone);
  loads.length = 0;
  for (let i = 0; i < 3; i++) await recent.messages(TENANT, gone);
  expect(loads).toEqual([]);
});

test("of a message only what a later turn looks at is kept, and the file stays as it is", async () => {
  const { store, recent } = counted();
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const log = { size: 1, root: "0".repeat(64) };
  const forPeople = { stopReason: "end_turn", surface: "page", asked: { at: 1 }, evidence: "✓ Done", log };
  const said = { ...line(10), meta: { model: "a/b", usage, continued: true as const, ...forPeople } };
  const asked = { ...line(10), meta: { surface: "page" } };
  await store.append(TENANT, FIRST, [asked]);
  await recent.messages(TENANT, FIRST);
  const before = await store.size(TENANT, FIRST);
  const after = await store.append(TENANT, FIRST, [said]);
  recent.appended(TENANT, FIRST, before, { runId: "run_1", messages: [said] }, after);
  const metas = async () => (await recent.messages(TENANT, FIRST)).messages.map(({ meta }) => meta);
  const kept = [undefined, { model: "a/b", usage, continued: true }];
  expect(await metas()).toEqual(kept);
  recent.forget(TENANT, FIRST);
  expect(await metas()).toEqual(kept);
  expect((await store.load(TENANT, FIRST)).lines.map(({ meta }) => meta)).toEqual([asked.meta, said.meta]);
});

test("a conversation that grows beyond the limit is no longer kept, nor one that was longer from the start", async () => {
  const { store, loads, recent } = counted();
  const before = await store.append(TENANT, FIRST, [line(10)]);
  await recent.messages(TENANT, FIRST);
  const after = await store.append(TENANT, FIRST, [line(LIMITS.recentTranscriptsBytesMax)]);
  const [, second] = (await store.load(TENANT, FIRST)).lines;
  recent.appended(TENANT, FIRST, before, { runId: "run_2", messages: [second as Message] }, after);
  loads.length = 0;
  for (let i = 0; i < 2; i++) expect((await recent.messages(TENANT, FIRST)).runs).toHaveLength(2);
  expect(loads).toEqual([FIRST, FIRST]);
});

test("at rest only those used last stay, up to fewer bytes", async () => {
  const { store, loads, recent } = counted();
  const half = Math.floor(LIMITS.restingTranscriptsBytesMax / 2);
  for (const id of [FIRST, SECOND, THIRD]) {
    await store.append(TENANT, id, [line(half)]);
    await recent.messages(TENANT, id);
  }
  loads.length = 0;
  recent.rest();
  await recent.messages(TENANT, THIRD);
  expect(loads).toEqual([]);
  await recent.messages(TENANT, FIRST);
  expect(loads).toEqual([FIRST]);
});
