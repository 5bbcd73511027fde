import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalTime } from "@elwood/core/base/local-time";
import { NO_USAGE } from "@elwood/core/message/message";
import type { TenantLimits } from "@elwood/core/tenant/tenant-limits";
import { statePaths } from "@elwood/platform/state-paths";
import { systemIds } from "@elwood/platform/system";
import { TenantGovernance } from "@elwood/runtime/governance/tenant-governance";
import type { PlannedRequest } from "@elwood/runtime/ports/governance";
import { GatewayClient } from "@elwood/sdk/client";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { chat } from "@elwood/testkit/chat-wire";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { CHAT_ROUTE, startOpenai } from "@elwood/testkit/openai-server";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../../test/test-gateway.ts";

/** A dollar for a token of an answer, and the question is free. */
const prices = [{ match: "own/*", input: 0, output: 1_000_000 }];
const NOON = Date.parse("2026-11-16T12:00:00Z");

async function scene(limits: TenantLimits) {
  const home = await mkdtemp(join(tmpdir(), "elwood-caps-"));
  const clock = new ManualClock({ start: NOON });
  const open = () => openStores({ paths: statePaths(home), clock, log: memoryLog() });
  let stores = await open();
  onTestFinished(async () => {
    await stores.close();
    await rm(home, { recursive: true });
  });
  const governed = (processId: string) =>
    new TenantGovernance({
      limits: { acme: limits },
      store: stores.costs,
      prices,
      localTime: new LocalTime("UTC"),
      clock,
      ids: systemIds(clock),
      processId,
    });
  const planned = (more: Partial<PlannedRequest> = {}): PlannedRequest => ({
    tenant: "acme",
    runId: "run_1",
    names: ["llm.chat"],
    model: { provider: "own", model: "m" },
    inputTokens: () => 100,
    outputTokensMax: 10,
    signal: new AbortController().signal,
    ...more,
  });
  return {
    clock,
    planned,
    governed,
    stores: () => stores,
    /** As after `kill -9`: the database is all that is left. */
    killed: async () => {
      await stores.close();
      stores = await open();
    },
  };
}

const used = (outputTokens: number) => ({ outcome: "done", usage: { ...NO_USAGE, outputTokens } }) as const;

test("where no cap counts nobody counts the words of a request", async () => {
  const { governed, planned } = await scene({ requestsPerMinute: 10 });
  let counted = 0;
  const inputTokens = () => (counted += 1);
  expect((await governed("p1").reserve(planned({ inputTokens }))).ok).toBe(true);
  expect(counted).toBe(0);
});

test("AC-10: of 200 requests at once, those in flight never pass a cap by more than one estimate", async () => {
  const { governed, planned } = await scene({ costCapUsd: { day: 100 } });
  const governance = governed("p1");
  let held = 0;
  let spent = 0;
  let most = 0;
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const reserved = await governance.reserve(planned({ runId: `run_${i}` }));
      if (!reserved.ok) return reserved.error.reason;
      held += 10;
      most = Math.max(most, held + spent);
      await Promise.resolve();
      held -= 10;
      spent += 4;
      await reserved.value.settle(used(4));
      return "done";
    }),
  );
  expect(most).toBeGreaterThanOrEqual(100);
  expect(most).toBeLessThanOrEqual(110);
  expect(outcomes.filter((each) => each === "done").length).toBeGreaterThanOrEqual(10);
  expect(new Set(outcomes)).toEqual(new Set(["done", "LIMIT"]));
  // What was held too much is free again: the rest can be used one after another, up to the cap.
  for (let i = 0; i < 40; i++) {
    const reserved = await governance.reserve(planned());
    if (!reserved.ok) break;
    spent += 4;
    await reserved.value.settle(used(4));
  }
  expect(spent).toBe(100);
  const over = await governance.reserve(planned());
  expect(over).toMatchObject({
    ok: false,
    error: {
      reason: "LIMIT",
      retryable: false,
      message: expect.stringContaining("has used $100.0000 of the $100 it may use in a day") as string,
    },
  });
});

test("AC-10: what a process held when it was killed counts as used, and is held no more", async () => {
  const { governed, planned, killed } = await scene({ costCapUsd: { day: 25 } });
  const before = governed("p1");
  for (const runId of ["a", "b"]) expect((await before.reserve(planned({ runId }))).ok).toBe(true);
  await killed();
  const after = governed("p2");
  const third = await after.reserve(planned({ runId: "c" }));
  expect(third.ok).toBe(true);
  if (third.ok) await third.value.settle(used(5));
  const refused = await after.reserve(planned({ runId: "d" }));
  expect(refused).toMatchObject({
    error: { message: expect.stringContaining("has used $25.0000") as string, retryable: false },
  });
});

test("AC-10: what was spent before there were caps counts, and a new day and a new month begin anew", async () => {
  const { governed, planned, stores, clock } = await scene({ costCapUsd: { day: 10, month: 15 } });
  await stores().actions.noteExecution("acme", {
    id: "exe_1",
    action: "trn:elwood:default:action/llm/ask@v1",
    tokenId: "tok",
    surface: "http",
    status: "done",
    model: "own/m",
    usage: { ...NO_USAGE, outputTokens: 12 },
    costUsd: 12,
    startedAt: NOON - 60_000,
    endedAt: NOON,
  });
  const governance = governed("p1");
  expect(await governance.reserve(planned())).toMatchObject({ error: { reason: "LIMIT" } });
  await clock.advance(24 * 60 * 60_000);
  const next = await governance.reserve(planned());
  if (!next.ok) throw new Error(next.error.message);
  await next.value.settle(used(3));
  expect(await governance.reserve(planned())).toMatchObject({
    error: { message: expect.stringContaining("in a month") as string },
  });
  await clock.advance(20 * 24 * 60 * 60_000);
  expect((await governance.reserve(planned())).ok).toBe(true);
});

test("AC-10: a cap of a run counts that run alone; what was refused by the provider costs nothing", async () => {
  const { governed, planned } = await scene({ costCapUsd: { run: 10 } });
  const governance = governed("p1");
  const first = await governance.reserve(planned());
  if (first.ok) await first.value.settle({ outcome: "failed", usage: NO_USAGE });
  const second = await governance.reserve(planned());
  if (second.ok) await second.value.settle({ outcome: "cancelled" });
  expect(await governance.reserve(planned())).toMatchObject({
    error: { message: expect.stringContaining("in one run") as string },
  });
  expect((await governance.reserve(planned({ runId: "run_2" }))).ok).toBe(true);
});

test("AC-10: a model without a known price is not asked where a cap must be kept", async () => {
  const { governed, planned } = await scene({ costCapUsd: { day: 10 } });
  const model = { provider: "unheard", model: "of" };
  expect(await governed("p1").reserve(planned({ model }))).toMatchObject({
    error: { reason: "LIMIT", message: expect.stringContaining("is not known") as string },
  });
});

test("AC-10: length, time, models, number at once and number a minute are kept", async () => {
  const { governed, planned } = await scene({
    maxTokens: 7,
    timeoutMs: 500,
    modelsAllowed: ["own/*"],
    maxConcurrency: 1,
    requestsPerMinute: 2,
  });
  const governance = governed("p1");
  const first = await governance.reserve(planned());
  if (!first.ok) throw new Error(first.error.message);
  expect(first.value).toMatchObject({ outputTokensMax: 7, timeoutMs: 500 });
  expect(first.value.mayAnswer?.({ provider: "other", model: "m" })).toBe(false);
  let second: unknown;
  const waiting = governance.reserve(planned()).then((given) => (second = given));
  await Promise.resolve();
  expect(second).toBeUndefined();
  await first.value.settle(used(1));
  expect(await waiting).toMatchObject({ ok: true });
  expect(await governance.reserve(planned())).toMatchObject({ error: { reason: "TOO_MANY_REQUESTS" } });
  const other = planned({ model: { provider: "other", model: "m" } });
  expect(await governance.reserve(other)).toMatchObject({ error: { reason: "LIMIT" } });
});

test("AC-10: 200 executions at once by HTTP stop at the tenant's cap, and the owner's own are not touched", async () => {
  const provider = await startOpenai();
  onTestFinished(() => provider.close());
  provider.always(CHAT_ROUTE, chat.reply("Hello", { usage: { prompt: 10, completion: 4 } }));
  await using started = await startTestGateway({
    env: { OPENAI_API_KEY: "sk-loopback-0001" },
    config: `
api: { actions: true }
prices: [{ match: "my-llm/*", input: 0, output: 1000000 }]
connections:
  my-llm: { kind: llm, provider: openai, api_base: ${provider.url}, authorization: bearer_token, token: "\${OPENAI_API_KEY}" }
actions:
  ask: { connection: my-llm, kind: llm, task: chat, model: gpt-4o-mini, sampling: { max_tokens: 10 } }
tenants:
  acme: { costCapUsd: { day: 60 } }
`,
  });
  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken });
  onTestFinished(() => owner.close());
  const { token, info } = await owner.call("tokens.create", {
    name: "program",
    scopes: ["execute", "chat"],
    tenant: "acme",
  });
  expect(info.tenant).toBe("acme");
  const ask = (bearer: string) =>
    fetch(`${url}/api/v1/actions/ask/execute?version=latest`, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
      body: JSON.stringify({ input: { messages: [{ role: "user", content: "hi" }] } }),
    });
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const answer = await ask(token);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    }),
  );
  const done = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(done.length).toBe(provider.requests.length);
  expect(done.length * 4).toBeLessThanOrEqual(60 + 10);
  expect(refused.length).toBe(200 - done.length);
  for (const { body } of refused)
    expect(body).toMatchObject({ status: 403, code: "FORBIDDEN", reason: "LIMIT" });
  expect((await ask(ownerToken)).status).toBe(200);
  let more = 0;
  while (more < 20 && (await ask(token)).status === 200) more += 1;
  expect((done.length + more) * 4).toBe(60);
  const { tenants = [] } = await owner.call("usage.summary", {});
  expect(tenants).toMatchObject([
    { tenant: "acme", laps: 15, costUsd: 60 },
    { tenant: "default", laps: 1 },
  ]);
  const { items } = await owner.call("attention.list", {});
  expect(items.map(({ text }) => text).join("\n")).toContain(
    "The tenant acme has used up what it may spend in a day ($60.00 of $60.00)",
  );
  await expect
    .poll(() => started.complaints, { timeout: 60_000 })
    .toContain("a part of what may be spent is used");
});
