import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import type { HandlerContext, RegisteredTool } from "../ports/gate-ports.ts";
import { execute } from "./call-execution.ts";

const TIMEOUT_MS = 1_000;
const tool = { contract: { timeoutMs: TIMEOUT_MS } } as RegisteredTool;

function scene(handler: (context: HandlerContext) => Promise<unknown>) {
  const clock = new ManualClock({ start: 0 });
  const answer = Promise.withResolvers<string | undefined>();
  const ending = execute(tool, async (context) => ({ ok: true, value: { value: await handler(context) } }), {
    clock,
    signal: new AbortController().signal,
    callId: "c",
    sessionId: "s",
    runId: "r",
    idempotencyKey: "k",
    progress: () => undefined,
    ask: () => answer.promise,
  });
  return { clock, answer, ending };
}

test("while a tool waits for the owner's answer, its time stands still", async () => {
  const { clock, answer, ending } = scene(async ({ ask }) => ask?.("Which one?", []));
  await clock.untilAsleep();
  await clock.advance(100 * TIMEOUT_MS);
  answer.resolve("blue");
  expect(await ending).toEqual({ kind: "succeeded", result: { value: "blue" } });
});

test("once the owner has answered, the rest of its time runs on, and then it is over", async () => {
  const { clock, answer, ending } = scene(async ({ ask }) => {
    await ask?.("Which one?", []);
    return new Promise(() => undefined);
  });
  await clock.untilAsleep();
  await clock.advance(10 * TIMEOUT_MS);
  answer.resolve("blue");
  await clock.untilAsleep();
  await clock.advance(20 * TIMEOUT_MS);
  expect(await ending).toMatchObject({ kind: "no-answer", why: "timeout" });
});
