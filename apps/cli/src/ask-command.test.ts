import { expect, test, vi } from "vitest";
import { ask } from "./ask-command.ts";
import { EXIT } from "./io.ts";
import { testGateway, wireSession } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

async function scene(tty: boolean) {
  const gateway = await testGateway({
    "sessions.create": () => ({ sessionKey: "ses_1", session: wireSession({ sessionKey: "ses_1" }) }),
    "chat.send": () => ({ runId: "run_1", sessionKey: "ses_1", queued: false, repeated: false }),
  });
  const io = testIo({ tty });
  if (!tty) io.hangUp();
  const ended = ask(io, { prompt: "hello", stream: true, json: false }, async () => ({
    client: gateway.client,
    leave: () => gateway.client.close(),
  }));
  await vi.waitFor(() => expect(gateway.calls.at(-1)?.method).toBe("chat.send"));
  const finish = () =>
    gateway.push("chat.final", {
      runId: "run_1",
      seq: 9,
      sessionKey: "ses_1",
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      text: "Hi.",
      segments: [{ text: "Hi.", by: "model" }],
      activity: [],
      evidence: "",
      stopReason: "end_turn",
      model: "demo/scripted",
      demo: false,
    });
  return { io, ended, finish, push: gateway.push };
}

test("a terminal is told what goes on while nothing comes, and keeps only the answer", async () => {
  const { io, ended, finish, push } = await scene(true);
  await vi.waitFor(() => expect(io.err()).toMatch(/Thinking… \d s/), { timeout: 5_000 });
  push("tool.started", { runId: "run_1", seq: 1, callId: "call_1", tool: "files.file.list" });
  await vi.waitFor(() => expect(io.err()).toMatch(/Listing a folder… \d s/), { timeout: 5_000 });
  finish();
  expect(await ended).toBe(EXIT.ok);
  expect(io.out()).toBe("Hi.\n");
  expect(io.err()).toMatch(/\r\u001b\[K\n?$/);
});

test("a pipe is told nothing of the sort", async () => {
  const { io, ended, finish } = await scene(false);
  finish();
  expect(await ended).toBe(EXIT.ok);
  expect(io.err()).not.toContain("…");
});
