import { LIMITS } from "@elwood/core/base/limits";
import type { ClientOutcome } from "@elwood/core/protocol/methods";
import { expect, test } from "vitest";
import { Tool } from "./tool.ts";
import { ToolRunner } from "./tool-runner.ts";

function running(execute: (signal: AbortSignal) => Promise<unknown>) {
  const tool = new Tool({
    name: "pay",
    description: "Pays.",
    inputSchema: { type: "object" },
    execute: async (_args, _conversationId, { signal, progress }) => {
      progress("paying");
      return execute(signal);
    },
  });
  const sent: [string, ClientOutcome][] = [];
  const runner = new ToolRunner({
    toolOf: (_assistantId, name) => (name === "pay" ? tool : undefined),
    send: async (invocationId, outcome) => {
      if (outcome.kind !== "progress") sent.push([invocationId, outcome]);
      return true;
    },
    log: () => {},
  });
  const take = (invocationId: string, idempotencyKey = "k", name = "pay") =>
    runner.take({
      invocationId,
      what: "call",
      assistantId: "a",
      tool: name,
      input: {},
      idempotencyKey,
      timeoutMs: 1_000,
    });
  return { runner, take, sent };
}

test("an invocation that comes again runs once, while it runs and after it has; its answer is sent again", async () => {
  let ran = 0;
  const go = Promise.withResolvers<void>();
  const { take, sent } = running(async () => {
    ran += 1;
    await go.promise;
    return "paid";
  });
  const first = take("i1");
  await take("i1");
  go.resolve();
  await first;
  await take("i1");
  expect(ran).toBe(1);
  expect(sent).toEqual([
    ["i1", { kind: "succeeded", value: "paid" }],
    ["i1", { kind: "succeeded", value: "paid" }],
  ]);
});

test("a second try of one call gets the answer of the first, and is made only where that broke off", async () => {
  let ran = 0;
  const { take, sent } = running(async () => {
    ran += 1;
    if (ran === 1) throw new Error("hang up");
    return "paid";
  });
  await take("i1");
  await take("i2");
  await take("i3");
  expect(ran).toBe(2);
  expect(sent.map(([, { kind }]) => kind)).toEqual(["broke", "succeeded", "succeeded"]);
});

test("an answer of a hundred megabytes and one that is no JSON are left out, and the call has still succeeded", async () => {
  const { take, sent } = running(async () => "x".repeat(100_000_000));
  await take("i1");
  expect(sent[0]?.[1]).toMatchObject({
    kind: "succeeded",
    value: expect.stringContaining("100000002 bytes"),
  });
  expect(JSON.stringify(sent).length).toBeLessThan(LIMITS.clientResultBytesMax);
  const odd = running(async () => 10n);
  await odd.take("i1");
  expect(odd.sent[0]?.[1]).toMatchObject({ kind: "succeeded", value: expect.stringContaining("no JSON") });
});

test("a tool that is stopped hears it, and one that is not here was not called", async () => {
  const begun = Promise.withResolvers<void>();
  const { runner, take, sent } = running((signal) => {
    const stopped = new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve(signal.reason), { once: true }),
    );
    begun.resolve();
    return stopped;
  });
  const first = take("i1");
  await take("i2", "other", "gone");
  await begun.promise;
  runner.cancel("i1", "timeout");
  await first;
  expect(sent.map(([, outcome]) => outcome)).toMatchObject([
    { kind: "failed", code: "no_tool" },
    { kind: "succeeded", value: "timeout" },
  ]);
});
