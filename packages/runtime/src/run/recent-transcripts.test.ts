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
