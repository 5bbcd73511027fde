import { LIMITS } from "@elwood/core/base/limits";
import { NO_USAGE } from "@elwood/core/message/message";
import type { CallFact, ModelFact } from "@elwood/runtime/ports/observe";
import { expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

const call = (toolId: string): CallFact => ({
  kind: "call",
  tenant: "default",
  runId: "run_1",
  callId: "call_1",
  toolId,
  outcome: "succeeded",
  startedAt: 0,
  endedAt: 300,
});
const asked: ModelFact = {
  kind: "model",
  tenant: "acme",
  runId: "run_1",
  operation: "chat",
  asked: { provider: "openai", model: 'odd"name\n' },
  answered: { provider: "openai", model: 'odd"name\n' },
  startedAt: 0,
  firstTextAt: 40,
  endedAt: 2_000,
  outcome: "done",
  usage: { ...NO_USAGE, inputTokens: 7, outputTokens: 3 },
};

test("AC-12: counters and histograms by tenant, provider, model, tool and outcome, in Prometheus' text format", () => {
  const metrics = new Metrics();
  metrics.observe(call("files.file.read"));
  metrics.observe({ ...call("files.file.read"), outcome: "failed", endedAt: 70_000 });
  metrics.observe(asked);
  const lines = metrics.text({ elwood_clients: { help: "Clients.", value: 2 } }).split("\n");
  expect(lines).toContain("# TYPE elwood_clients gauge");
  expect(lines).toContain("elwood_clients 2");
  expect(lines).toContain(
    'elwood_tool_calls_total{tenant="default",tool="files.file.read",outcome="failed"} 1',
  );
  expect(lines).toContain('elwood_tool_call_seconds_bucket{tool="files.file.read",le="0.25"} 0');
  expect(lines).toContain('elwood_tool_call_seconds_bucket{tool="files.file.read",le="0.5"} 1');
  expect(lines).toContain('elwood_tool_call_seconds_bucket{tool="files.file.read",le="+Inf"} 2');
  expect(lines).toContain('elwood_tool_call_seconds_sum{tool="files.file.read"} 70.3');
  const of = 'provider="openai",model="odd\\"name\\n"';
  expect(lines).toContain(
    `elwood_model_requests_total{tenant="acme",${of},operation="chat",outcome="done",reason=""} 1`,
  );
  expect(lines).toContain(`elwood_model_first_text_seconds_bucket{${of},le="0.05"} 1`);
  expect(lines).toContain(`elwood_model_tokens_total{tenant="acme",${of},kind="input"} 7`);
  for (const line of lines)
    expect(line).toMatch(
      /^$|^# (HELP|TYPE) [a-z_]+ .+|^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? [0-9.e+-]+$/,
    );
});

test("AC-12: there are at most so many series; what would make one more is counted as left out", () => {
  const metrics = new Metrics();
  for (let i = 0; i < LIMITS.metricSeriesMax; i++) metrics.observe(call(`made.up.${i}`));
  metrics.observe(call("made.up.0"));
  const text = metrics.text({});
  const series = text.split("\n").filter((line) => /^elwood_tool_call(s_total|_seconds_count)\{/.test(line));
  expect(series).toHaveLength(LIMITS.metricSeriesMax);
  expect(text).toContain(`elwood_series_left_out_total ${LIMITS.metricSeriesMax}`);
  expect(text).toMatch(/tool="made\.up\.0",outcome="succeeded"\} 2/);
});
