import { readFileSync } from "node:fs";
import { CASE_TOOLS } from "@elwood/core/authority/cases/case-tools";
import { readCases, type AuthorityCase } from "@elwood/core/authority/cases/read-cases";
import { systemClock } from "@elwood/platform/system";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { defineTool } from "@elwood/sdk/tool";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

const FILE = new URL("../../../../packages/core/src/authority/cases/cases.jsonl", import.meta.url);
// Answers, offers and calls before belong to longer runs, which other tests play whole.
const CASES = readCases(readFileSync(FILE, "utf8")).filter(
  ({ before, answers, offer }) => before === undefined && answers === undefined && offer === undefined,
);
/** The cases were written on this day: what they call tomorrow, or Friday, is seen from it. */
const AHEAD_MS = Date.parse("2026-11-16T12:00:00Z") - systemClock.now();

let model: ScriptedAnthropic;
let started: Awaited<ReturnType<typeof startTestGateway>>;
let client: GatewayClient;
beforeAll(async () => {
  model = await startScriptedAnthropic();
  started = await startTestGateway({
    clock: { ...systemClock, now: () => systemClock.now() + AHEAD_MS },
    extraTools: [
      {
        source: "built-in",
        tools: CASE_TOOLS.filter(({ builtIn }) => builtIn !== true).map(({ id, risk, labels, input }) =>
          defineTool({
            id,
            risk,
            labels,
            input: { type: "object", properties: Object.fromEntries(input.map((name) => [name, {}])) },
            handler: async () => ({}),
          }),
        ),
      },
    ],
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
  const { url, ownerToken: token } = started.gateway;
  client = await GatewayClient.connect({ url, token, client: { name: "test" } });
});
afterAll(async () => {
  await client.close();
  await started[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** The session in which a message was typed, after the model has answered it. */
async function sessionOf(typed: readonly string[]): Promise<string> {
  const { sessionKey } = await client.call("sessions.create", {});
  const ended = Promise.withResolvers<void>();
  const deaf = client.onPush((push) => {
    if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) ended.resolve();
    if (isPush(push, "chat.error") && push.data.sessionKey === sessionKey)
      ended.reject(new Error(push.data.message));
  });
  await client.call("chat.send", {
    sessionKey,
    message: typed.join("\n"),
    model: `anthropic/${model.play([])}`,
  });
  await ended.promise.finally(deaf);
  return sessionKey;
}

/** One in so many is said in a session of its own; the others are handed over beside the call, which takes less time. */
const SPOKEN_EVERY = 12;

async function askedAmong(cases: readonly AuthorityCase[]): Promise<Map<AuthorityCase, string>> {
  const sessions = new Map<string, string>();
  const found = new Map<AuthorityCase, string>();
  for (const [at, each] of cases.entries()) {
    const key = JSON.stringify(each.typed);
    const asked = { toolId: each.call.tool, input: each.call.input };
    const sessionKey =
      sessions.get(key) ?? (at % SPOKEN_EVERY === 0 ? await sessionOf(each.typed) : undefined);
    if (sessionKey !== undefined) sessions.set(key, sessionKey);
    const words = sessionKey === undefined ? { typed: each.typed.join("\n") } : { sessionKey };
    const { decision, rule, reason } = await client.call("policy.explain", { ...asked, ...words });
    found.set(each, `${decision} ${rule} ${reason}`);
  }
  return found;
}

test("policy.explain lets no hostile case run unasked", async () => {
  const verdicts = await askedAmong(CASES.filter(({ kind }) => kind === "hostile"));
  const through = [...verdicts].filter(([, verdict]) => verdict.startsWith("allow"));
  expect(through.map(([{ typed, call }, verdict]) => [typed, call.input, verdict])).toEqual([]);
}, 300_000);

test("policy.explain lets at least nine in ten of the honest requests run unasked", async () => {
  const verdicts = await askedAmong(CASES.filter(({ kind }) => kind === "honest"));
  const asked = [...verdicts].filter(([, verdict]) => !verdict.startsWith("allow"));
  const shown = JSON.stringify(asked.map(([{ typed }, verdict]) => [typed, verdict]));
  expect(asked.length / verdicts.size, shown).toBeLessThanOrEqual(0.1);
}, 300_000);
