import { LIMITS } from "@elwood/core/base/limits";
import { NO_USAGE } from "@elwood/core/message/message";
import { makeRedactor } from "@elwood/core/base/redact";
import { sha256 } from "@elwood/platform/system";
import type { ModelFact } from "@elwood/runtime/ports/observe";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { expect, onTestFinished, test } from "vitest";
import { Traces } from "./traces.ts";

const ROUTE = "POST /v1/traces";
const asked: ModelFact = {
  kind: "model",
  tenant: "default",
  runId: "run_1",
  operation: "chat",
  asked: { provider: "openai", model: "gpt-5.5" },
  answered: { provider: "anthropic", model: "claude" },
  startedAt: 1_000,
  endedAt: 3_000,
  outcome: "done",
  stopReason: "end_turn",
  usage: { ...NO_USAGE, inputTokens: 7, cacheReadTokens: 3, outputTokens: 2 },
  messages: [
    {
      id: "m1",
      ts: 0,
      role: "user",
      origin: "owner",
      blocks: [{ type: "text", text: "canary words with known-secret-value", origin: "owner" }],
    },
  ],
  blocks: [{ type: "text", text: "canary answer" }],
};

async function scene(more: { content?: boolean; up?: boolean } = {}) {
  const collector = await new LoopbackServer().start();
  onTestFinished(() => collector.close());
  collector.always(ROUTE, json(more.up === false ? 503 : 200, {}));
  const clock = new ManualClock();
  const log = memoryLog();
  const traces = new Traces({
    endpoint: `${collector.url}/v1/traces`,
    headers: { "x-team": "home" },
    content: more.content ?? false,
    fetch: globalThis.fetch,
    sha256,
    redact: makeRedactor(["known-secret-value"]),
    version: "1",
    clock,
    log,
  });
  return { collector, clock, log, traces };
}

test("AC-12: a run, its requests and its calls are one trace in the words of the GenAI conventions, without content", async () => {
  const { collector, clock, traces } = await scene();
  traces.observe(asked);
  traces.observe({
    kind: "call",
    tenant: "default",
    runId: "run_1",
    callId: "call_1",
    toolId: "files.file.read",
    outcome: "denied",
    endedAt: 4_000,
  });
  traces.observe({
    kind: "run",
    tenant: "default",
    runId: "run_1",
    sessionId: "ses_1",
    surface: "web",
    status: "done",
    startedAt: 500,
    endedAt: 5_000,
  });
  await clock.untilAsleep();
  await clock.advance(LIMITS.spansBatchMs);
  await traces.stop();
  const sent = collector.last();
  expect(sent.headers).toMatchObject({ "content-type": "application/json", "x-team": "home" });
  expect(sent.text).not.toContain("canary");
  const { spans } = (sent.body as { resourceSpans: [{ scopeSpans: [{ spans: Record<string, unknown>[] }] }] })
    .resourceSpans[0].scopeSpans[0];
  expect(spans.map(({ name }) => name)).toEqual([
    "chat gpt-5.5",
    "execute_tool files.file.read",
    "invoke_agent elwood",
  ]);
  const [chat, tool, run] = spans;
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(chat).toMatchObject({
    kind: 3,
    startTimeUnixNano: "1000000000",
    parentSpanId: run?.["spanId"],
    status: {},
  });
  expect(chat?.["attributes"]).toEqual(
    expect.arrayContaining([
      { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
      { key: "gen_ai.provider.name", value: { stringValue: "anthropic" } },
      { key: "gen_ai.request.model", value: { stringValue: "gpt-5.5" } },
      { key: "gen_ai.usage.input_tokens", value: { intValue: "10" } },
      { key: "gen_ai.usage.output_tokens", value: { intValue: "2" } },
    ]),
  );
  expect(tool).toMatchObject({ parentSpanId: run?.["spanId"], status: { code: 2 } });
});

test("AC-12: with content, what was said goes along without secrets", async () => {
  const { collector, traces } = await scene({ content: true });
  traces.observe(asked);
  await traces.stop();
  expect(collector.requests[0]?.text).toContain("canary words with [redacted]");
  expect(collector.requests[0]?.text).toContain("canary answer");
  expect(collector.requests[0]?.text).not.toContain("known-secret-value");
});

test("AC-12: a collector that is down costs nothing but the spans, is told once, and is asked less and less often", async () => {
  const { collector, clock, log, traces } = await scene({ up: false });
  for (let i = 0; i < LIMITS.spansQueuedMax + 5; i++) traces.observe(asked);
  expect(traces.dropped).toBe(5);
  for (let sent = 1; sent <= 3; sent++) {
    await clock.untilAsleep();
    await clock.advance(LIMITS.spansBatchMs * 2 ** (sent - 1));
    await collector.untilRequests(sent);
  }
  await clock.untilAsleep();
  expect(clock.sleeps.map(({ ms }) => ms)).toEqual([1, 2, 4, 8].map((times) => times * LIMITS.spansBatchMs));
  expect(traces.dropped).toBe(5 + 3 * LIMITS.spansBatchMax);
  expect(log.entries.map(({ fields }) => fields["event"])).toEqual(["traces.dropped"]);
  await traces.stop();
});
