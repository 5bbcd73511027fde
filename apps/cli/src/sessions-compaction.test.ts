import { failure, FailureError } from "@elwood/core/base/failure";
import type { WireCompaction } from "@elwood/core/protocol/compaction-shapes";
import { expect, test } from "vitest";
import { EXIT } from "./io.ts";
import { compactSession, listCompactions, uncompactSession } from "./sessions-compaction.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { TEST_NOW, testGateway, wireSession } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const SESSION = wireSession({ sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2", title: "Tax letter" });
const ABOUT = { session: "tax", json: false };

const LINES: WireCompaction[] = [
  { id: "m1", at: TEST_NOW, kind: "outputs", active: true, undone: false, from: "a", to: "b", outputs: 3 },
  {
    id: "m2",
    at: TEST_NOW,
    kind: "failed",
    active: false,
    undone: false,
    from: "",
    to: "",
    failed: "it was too long",
  },
  {
    id: "m3",
    at: TEST_NOW,
    kind: "summary",
    active: true,
    undone: false,
    from: "a",
    to: "c",
    messages: 40,
    summary: "They met.\u001b[31m",
    quotes: [{ ts: 0, text: "Never call." }],
    model: "test/m",
    tokensBefore: 9000,
    tokensAfter: 2000,
  },
];

async function gateway(compactions: readonly WireCompaction[]) {
  const { client, calls } = await testGateway({
    "sessions.list": () => ({ sessions: [SESSION] }),
    "sessions.compactions": () => ({ compactions: [...compactions] }),
    "sessions.compact": () => {
      throw new FailureError(failure("QUEUE_FULL", "Too much waits."));
    },
    "sessions.uncompact": () => {
      throw new FailureError(failure("NOT_FOUND", "Nothing of this session is summed up."));
    },
  });
  const deps: SessionsDeps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  return { deps, calls };
}

test("what was summed up, left out and failed is listed, with the way back", async () => {
  const { deps } = await gateway(LINES);
  const io = testIo();
  expect(await listCompactions(io, deps, ABOUT)).toBe(EXIT.ok);
  expect(io.out()).toContain("output of 3 calls left out");
  expect(io.out()).toContain("could not be summed up\n  it was too long");
  expect(io.out()).toContain("summary of 40 messages");
  expect(io.out()).toContain("by test/m, about 9000 → 2000 tokens");
  expect(io.out()).toContain("In your own words:\n  > Never call.");
  expect(io.out()).not.toContain("\u001b[31m");
  expect(io.err()).toContain("Nothing was deleted. Take the newest back: elwood sessions uncompact tax");
});

test("a session that is shown whole says so, and JSON is one document", async () => {
  const { deps } = await gateway([]);
  const io = testIo();
  await listCompactions(io, deps, ABOUT);
  expect(io.out()).toBe("Nothing of this session is summed up: the model is shown all of it.\n");
  const json = testIo();
  await listCompactions(json, deps, { ...ABOUT, json: true });
  expect(JSON.parse(json.out())).toEqual({ compactions: [] });
});

test("a refusal to sum up, or to take back, is told as what it is", async () => {
  const { deps, calls } = await gateway([]);
  await expect(compactSession(testIo(), deps, ABOUT)).rejects.toThrow("Too much waits.");
  await expect(uncompactSession(testIo(), deps, { ...ABOUT, all: true })).rejects.toThrow(
    "Nothing of this session",
  );
  expect(calls.at(-1)).toEqual({
    method: "sessions.uncompact",
    params: { sessionKey: SESSION.sessionKey, all: true },
  });
});
