import { testContext, ToolError } from "@elwood/sdk/tool";
import type { IntegrationJob } from "@elwood/sdk/integration";
import { LoopbackServer, type Answer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import integration from "./index.ts";

const QUERY = "POST /api/projects/12345/query/";
let server: LoopbackServer;
const made: { job: IntegrationJob; key: string }[] = [];
beforeAll(async () => {
  server = await new LoopbackServer().start();
});
afterAll(() => server.close());

const json =
  (status: number, body: unknown): Answer =>
  (exchange) => {
    exchange.head(status, { "content-type": "application/json" });
    exchange.end(JSON.stringify(body));
  };

function context() {
  const settings = integration.settings({ host: `${server.url}/`, project: "12345" });
  if (!settings.ok) throw new Error(settings.error);
  const planned = (job: IntegrationJob) => ({
    ok: true as const,
    value: { id: "job_1", name: job.name ?? "", when: `by ${job.cron}`, next: ["Tue 09:00"] },
  });
  return {
    settings: settings.value,
    secrets: { apiKey: "phx_key" },
    fetch: globalThis.fetch,
    timeZone: "Europe/Berlin",
    now: () => 0,
    jobs: {
      plan: async (job: IntegrationJob) => planned(job),
      create: async (job: IntegrationJob, { key }: { key: string }) => {
        made.push({ job, key });
        return planned(job);
      },
      wasCreated: async (key: string) => made.some((each) => each.key === key),
      remove: async () => planned(made.pop()!.job),
    },
  };
}
const tool = (id: string) => {
  const found = integration.tools(context()).find((each) => each.id === id);
  if (!found) throw new Error(id);
  return found;
};

test("OA-13: visitors are asked for with the key, the website as a value and never as a part of the query", async () => {
  server.script(QUERY, json(200, { results: [[132, 410]] }));
  const visitors = tool("posthog.analytics.getVisitors");
  const answer = await visitors.handler({ website: "example.com", range: "yesterday" }, testContext());
  expect(answer).toMatchObject({ value: { website: "example.com", visitors: 132, pageviews: 410 } });
  const asked = server.last();
  expect(asked.headers["authorization"]).toBe("Bearer phx_key");
  expect(asked.body).toMatchObject({ query: { kind: "HogQLQuery", values: { website: "example.com" } } });
  expect(asked.text.match(/example\.com/g)).toHaveLength(1);
  expect(await visitors.facts?.({ website: "example.com", range: "today" }, {})).toMatchObject([
    { kind: "harmless" },
  ]);
});

test.each([
  [401, "does not know this API key"],
  [403, "scope query:read"],
  [404, "no project 12345"],
  [429, "Try again later"],
  [502, "answered with 502"],
])("a refusal of %i is told with what to do", async (status, words) => {
  server.script(QUERY, json(status, { detail: "no" }));
  const asked = tool("posthog.analytics.getVisitors").handler(
    { website: "example.com", range: "today" },
    testContext(),
  );
  await expect(asked).rejects.toThrow(ToolError);
  server.script(QUERY, json(status, { detail: "no" }));
  const checked = await integration.check(context(), new AbortController().signal);
  expect(checked).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
});

test("an answer that is none of PostHog's is refused", async () => {
  for (const body of ["<html>", { results: [] }, { results: [["many", 1]] }]) {
    server.script(QUERY, json(200, body));
    const asked = tool("posthog.analytics.getVisitors").handler(
      { website: "example.com", range: "7d" },
      testContext(),
    );
    await expect(asked).rejects.toThrow(/did not answer/);
  }
});

test("a threshold becomes one job that always asks, is shown before, and can be taken back", async () => {
  const threshold = tool("posthog.monitor.createThresholdJob");
  const input = {
    website: "example.com",
    threshold: 100,
    direction: "below",
    range: "yesterday",
    cron: "0 9 * * *",
  };
  expect(await threshold.facts?.(input, {})).toMatchObject([{ kind: "ask", rule: "ask.recurring" }]);
  const shown = await threshold.preview?.(input, new AbortController().signal, {});
  expect(shown?.after).toContain("fewer than 100 visitors");
  expect(shown?.after).toContain("Tue 09:00");
  const output = await threshold.handler(input, testContext({ idempotencyKey: "k" }));
  expect(made).toMatchObject([
    { key: "k", job: { kind: "task", cron: "0 9 * * *", name: "Visitors of example.com below 100" } },
  ]);
  expect(await threshold.reconcile?.(input, "k")).toBe("happened");
  expect(await threshold.reconcile?.(input, "other")).toBe("did-not-happen");
  const { value } = output as { value: unknown };
  expect(await threshold.undo?.(input, value, testContext())).toMatchObject({ value: { id: "job_1" } });
  expect(made).toEqual([]);
});

test.each([
  [{ host: "posthog", project: "1" }, "must be an address"],
  [{ host: "https://eu.posthog.com", project: "mine" }, "is a number"],
])("settings %j are refused in words", (given, words) => {
  expect(integration.settings(given)).toMatchObject({ ok: false, error: expect.stringContaining(words) });
});
