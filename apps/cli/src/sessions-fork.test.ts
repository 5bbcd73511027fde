import { expect, test } from "vitest";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { EXIT } from "./io.ts";
import { forkSession } from "./sessions-fork.ts";
import { TEST_NOW, testGateway, wireSession } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const SESSION = wireSession({ sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2", title: "Tax letter" });
const FORK = wireSession({
  sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb3",
  title: "Tax letter (fork)",
  messageCount: 4,
  forkedFrom: { sessionKey: SESSION.sessionKey, runId: "run_2" },
});

const message = (runId: string): WireMessage => ({
  id: `msg_${runId}`,
  runId,
  ts: TEST_NOW,
  role: "user",
  origin: "owner",
  content: "x",
  blocks: [{ type: "text", text: "x" }],
});

async function fork(options: { run?: string; before?: boolean; json?: boolean }, runs = ["run_1", "run_2"]) {
  const { client, calls } = await testGateway({
    "sessions.list": () => ({ sessions: [SESSION] }),
    "sessions.get": () => ({ session: SESSION, messages: runs.map(message), runs: [], damage: [] }),
    "sessions.fork": () => ({ sessionKey: FORK.sessionKey, session: FORK }),
  });
  const io = testIo();
  const deps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  const given = { session: "tax", before: false, json: false, ...options };
  const code = await forkSession(io, deps, given);
  return { code, out: io.out(), asked: calls.find(({ method }) => method === "sessions.fork")?.params };
}

test("sessions fork copies up to the last run and says how to go on", async () => {
  const { code, out, asked } = await fork({});
  expect(code).toBe(EXIT.ok);
  expect(asked).toEqual({ sessionKey: SESSION.sessionKey, runId: "run_2", include: true });
  expect(out).toContain('"Tax letter (fork)" is a copy with 4 messages.');
  expect(out).toContain(`elwood -s ${FORK.sessionKey}`);
});

test("sessions fork takes a run by the end of its id, and cuts before it where asked", async () => {
  const { asked } = await fork({ run: "_1", before: true });
  expect(asked).toEqual({ sessionKey: SESSION.sessionKey, runId: "run_1", include: false });
});

test("sessions fork prints the new session as JSON", async () => {
  expect(JSON.parse((await fork({ json: true })).out)).toMatchObject({
    session: { sessionKey: FORK.sessionKey },
  });
});

test("sessions fork says what is missing, and copies nothing", async () => {
  await expect(fork({ run: "nowhere" })).rejects.toThrow('No run of "Tax letter" fits "nowhere"');
  await expect(fork({}, [])).rejects.toThrow("Nothing was answered");
});
