import { getEventListeners } from "node:events";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import type { HandlerContext, RegisteredTool } from "../ports/gate-ports.ts";
import { execute } from "./call-execution.ts";

const tool = { contract: { timeoutMs: 1_000 } } as RegisteredTool;

function scene(handler: (context: HandlerContext) => Promise<unknown>) {
  const run = new AbortController();
  const heard = () => getEventListeners(run.signal, "abort").length;
  const made = execute(tool, async (context) => ({ ok: true, value: { value: await handler(context) } }), {
    clock: new ManualClock({ start: 0 }),
    signal: run.signal,
    callId: "c",
    sessionId: "s",
    runId: "r",
    idempotencyKey: "k",
    progress: () => undefined,
  });
  return { run, heard, made };
}

test("nothing is made for a handler that answers at once and never looks whether it was stopped", async () => {
  const { heard, made } = scene(async () => "done");
  expect(heard()).toBe(0);
  expect(await made).toEqual({ kind: "succeeded", result: { value: "done" } });
});

test.each([
  ["stop", "stopped"],
  ["time", "time"],
])("who looks first after the run's end by %s finds it stopped, and not by whom", async (reason, told) => {
  const looks = Promise.withResolvers<void>();
  const { run, heard, made } = scene(async (context) => {
    await looks.promise;
    return [context.signal.aborted, context.signal.reason, context.signal === context.signal];
  });
  run.abort(reason);
  looks.resolve();
  expect(await made).toEqual({ kind: "succeeded", result: { value: [true, told, true] } });
  expect(heard()).toBe(0);
});

test("a gateway that stops lets the handler finish", async () => {
  const looks = Promise.withResolvers<void>();
  const { run, made } = scene(async (context) => {
    await looks.promise;
    return context.signal.aborted;
  });
  run.abort("shutdown");
  looks.resolve();
  expect(await made).toEqual({ kind: "succeeded", result: { value: false } });
});

test("a handler that throws after its run was stopped was stopped, though it never looked", async () => {
  const looks = Promise.withResolvers<void>();
  const { run, made } = scene(async () => {
    await looks.promise;
    throw new Error("gone");
  });
  run.abort("stop");
  looks.resolve();
  expect(await made).toEqual({ kind: "no-answer", why: "stopped", detail: "gone" });
});

test("who looks after it has answered is told of nothing any more", async () => {
  let kept: HandlerContext | undefined;
  const { run, heard, made } = scene(async (context) => {
    kept = context;
    return "done";
  });
  await made;
  expect(kept?.signal.aborted).toBe(false);
  expect(heard()).toBe(0);
  run.abort("stop");
  expect(kept?.signal.aborted).toBe(false);
});
