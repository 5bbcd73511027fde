import type { ActivityItem } from "@elwood/core/tool/activity";
import { Connection } from "@elwood/sdk/client";
import { expect, test } from "vitest";
import { ask, type AskOptions } from "./ask-command.ts";
import { EXIT } from "./io.ts";
import { cardOf } from "@elwood/core/card/card";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { testGateway, wireSession, type Answers, type TestGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

async function scene(
  tty: boolean,
  answers: (gateway: { readonly breakOff: () => void }) => Answers = () => ({}),
  more: Partial<AskOptions> = {},
) {
  const gateway: TestGateway = await testGateway({
    "sessions.create": () => ({ sessionKey: "ses_1", session: wireSession({ sessionKey: "ses_1" }) }),
    "chat.send": () => ({ runId: "run_1", sessionKey: "ses_1", queued: false, repeated: false }),
    ...answers({ breakOff: () => gateway.breakOff() }),
  });
  const io = testIo({ tty });
  if (!tty) io.hangUp();
  const join = async () => {
    const client = { name: "test", drafts: true };
    const connection = await Connection.open({ url: gateway.url, token: "test", client });
    const endpoint = { url: gateway.url, token: "test" };
    return { connection, endpoint, leave: () => connection.close() };
  };
  const ended = ask(io, { prompt: "hello", stream: true, json: false, ...more }, join);
  await expect.poll(() => gateway.calls.at(-1)?.method).toBe("chat.send");
  const finish = (text = "Hi.", activity: readonly Partial<ActivityItem>[] = []) =>
    gateway.push("chat.final", {
      runId: "run_1",
      seq: 9,
      sessionKey: "ses_1",
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      text,
      segments: [{ text, by: "model" }],
      activity: activity.map((item, n) => ({ ...CHANGED, cite: `c${n + 1}`, ...item })),
      evidence: "",
      stopReason: "end_turn",
      model: "demo/scripted",
      demo: false,
    });
  return { io, ended, finish, ...gateway };
}

test("a terminal is told what goes on while nothing comes, and keeps only the answer", async () => {
  const { io, ended, finish, push } = await scene(true);
  await expect.poll(() => io.err()).toMatch(/Thinking… \d s/);
  push("tool.started", { runId: "run_1", seq: 1, callId: "call_1", tool: "files.file.list" });
  await expect.poll(() => io.err()).toMatch(/Listing a folder… \d s/);
  finish();
  expect(await ended).toBe(EXIT.ok);
  expect(io.out()).toBe("Hi.\n");
  expect(io.err()).toMatch(/\r\u001b\[K\n?$/);
});

const CHANGED = {
  callId: "call_1",
  toolId: "files.file.write",
  status: "succeeded",
  when: 1,
  receiptRef: "rcp_1",
  risk: "write",
  summary: "",
} as const;

test("after a change that ran unasked a terminal says how to undo it, where that can be done", async () => {
  const said = async (tty: boolean, canUndo: boolean, item: Partial<ActivityItem> = {}) => {
    const { callId, toolId, status, risk } = CHANGED;
    const call = { callId, toolId, status, risk, runId: "run_1", sessionKey: "ses_1", requestedAt: 1 };
    const { io, ended, finish } = await scene(tty, () => ({
      "calls.get": () => ({
        call: { ...call, state: "succeeded", undone: false, canUndo, children: [], receipts: [] },
      }),
    }));
    finish("Done.", [item]);
    expect(await ended).toBe(EXIT.ok);
    return io.err();
  };
  expect(await said(true, true)).toMatch(/Undo: elwood undo\n$/);
  expect(await said(true, false)).not.toContain("Undo:");
  expect(await said(false, true)).not.toContain("Undo:");
  expect(await said(true, true, { approval: { required: true } })).not.toContain("Undo:");
  expect(await said(true, true, { risk: "read" })).not.toContain("Undo:");
});

test("OA-9: --profile has that key pay for the message", async () => {
  const { ended, finish, calls } = await scene(false, undefined, { profile: "anthropic:work" });
  finish();
  expect(await ended).toBe(EXIT.ok);
  expect(calls.at(-1)).toMatchObject({ method: "chat.send", params: { profile: "anthropic:work" } });
});

test("a pipe is told nothing of the sort", async () => {
  const { io, ended, finish } = await scene(false);
  finish();
  expect(await ended).toBe(EXIT.ok);
  expect(io.err()).not.toContain("…");
});

test("a gateway that dies in the middle is joined again, and the answer goes on where it stood", async () => {
  const { io, ended, finish, push, calls, breakOff } = await scene(true, () => ({
    "chat.resume": () => ({
      snapshot: { seq: 4, text: "Hi there, you", calls: [], status: "running" },
      seq: 4,
    }),
    "approvals.list": () => ({ approvals: [] }),
  }));
  push("chat.delta", { runId: "run_1", seq: 1, text: "Hi there" });
  await expect.poll(() => io.out()).toBe("Hi");
  breakOff();
  await expect.poll(() => calls.map(({ method }) => method)).toContain("chat.resume");
  await expect.poll(() => io.out()).toBe("Hi there,");
  finish("Hi there, you.");
  expect(await ended).toBe(EXIT.ok);
  expect(io.out()).toBe("Hi there, you\n");
  expect(calls.filter(({ method }) => method === "chat.send")).toHaveLength(1);
});

test("what waits for a decision is shown again by the next gateway, and the terminal does not say that it thinks", async () => {
  const wire: Omit<WireApproval, "card"> = {
    approvalId: "apr_01k9zzzzzzaaaaaaaaaaaa0001",
    kind: "approval",
    callId: "call_1",
    runId: "run_1",
    sessionKey: "ses_1",
    toolName: "files.file.delete",
    summary: "Delete notes.txt.",
    details: { path: "notes.txt" },
    digest: "abc",
    risk: "write",
    rule: "said.nothing",
    reason: "You have said nothing of it.",
    sources: [],
    decisions: ["once"],
    showable: true,
    createdAt: 0,
    expiresAt: 1,
    decided: { status: "pending" },
  };
  const approval = { ...wire, card: cardOf(wire) };
  const { io, ended, finish, calls, push, breakOff } = await scene(true, () => ({
    "chat.resume": () => ({ snapshot: { seq: 4, text: "", calls: [], status: "waiting" }, seq: 4 }),
    "approvals.list": () => ({ approvals: [approval, { ...approval, approvalId: "apr_2", runId: "run_2" }] }),
    "exec.deny": () => ({ ok: true, decided: { status: "denied" } }),
  }));
  const { kind: _kind, createdAt: _createdAt, decided: _decided, ...asked } = approval;
  push("exec.approval_request", asked);
  await expect.poll(() => io.err()).toContain("[a]llow");
  breakOff();
  // The card and its keys once more, which is all that stands there.
  await expect.poll(() => io.err().match(/Delete notes\.txt\n[^]*?\[a\]llow/g)).toHaveLength(2);
  io.type("d");
  await expect.poll(() => calls.at(-1)).toMatchObject({ method: "exec.deny" });
  finish();
  expect(await ended).toBe(EXIT.ok);
  expect(io.err()).not.toContain("Thinking");
});

test("a message whose acknowledgement never comes is sent again under its key, five times at most", async () => {
  const { io, ended, calls } = await scene(false, ({ breakOff }) => ({
    "chat.send": () => {
      breakOff();
      return { runId: "run_1" };
    },
  }));
  expect(await ended).toBe(EXIT.failed);
  const sent = calls.filter(({ method }) => method === "chat.send");
  expect(sent).toHaveLength(6);
  expect(new Set(sent.map(({ params }) => (params as { idempotencyKey: string }).idempotencyKey)).size).toBe(
    1,
  );
  expect(io.err()).toContain("The connection to the gateway broke");
});
