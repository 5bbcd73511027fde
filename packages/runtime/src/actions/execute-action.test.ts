import type { ActionSpec } from "@elwood/core/action/action-spec";
import { failure, FailureError } from "@elwood/core/base/failure";
import { err, ok } from "@elwood/core/base/result";
import { NO_USAGE, type Block } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import type { ActionStore, CachedAnswer, Execution } from "../ports/action-ports.ts";
import { UNLIMITED } from "../ports/governance.ts";
import type { ModelProvider } from "../ports/ports.ts";
import {
  ActionExecutor,
  type ExecuteDeps,
  type ExecutionEvent,
  type ExecutionRequest,
} from "./execute-action.ts";

const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5 };
const textBlock = (text: string): Block => ({ type: "text", text });
const callBlock = (toolId: string, input: unknown): Block => ({
  type: "tool_use",
  callId: "w1",
  toolId,
  input,
});

/** Answers one after another; the last is repeated. */
function scene(answers: readonly (string | readonly Block[])[], deps: Partial<ExecuteDeps> = {}) {
  const clock = new ManualClock();
  const sent: ModelRequest[] = [];
  const executions: Execution[] = [];
  const cached = new Map<string, CachedAnswer>();
  const events: ExecutionEvent[] = [];
  const calls: { toolId: string; input: unknown }[] = [];
  const provider: ModelProvider = {
    id: "fake",
    async *chat(request): AsyncGenerator<ModelEvent> {
      const answer = answers[Math.min(sent.length, answers.length - 1)]!;
      sent.push(request);
      const blocks = typeof answer === "string" ? [textBlock(answer)] : answer;
      if (typeof answer === "string") yield { type: "text", text: answer };
      const called = blocks.some(({ type }) => type === "tool_use");
      yield { type: "done", stopReason: called ? "tool_use" : "end_turn", blocks, usage, model: "m-1" };
    },
    embed: async ({ texts }) =>
      ok({ vectors: texts.map((text) => vectorOf(text)), tokens: texts.length, model: "m-1" }),
  };
  const store = {
    noteExecution: async (_tenant: string, execution: Execution) => void executions.push(execution),
    findExact: async (tenant: string, key: string) => cached.get(`${tenant} ${key}`)?.body,
    findScope: async (tenant: string, scope: string) =>
      [...cached].flatMap(([at, { vector, body, scope: of }]) =>
        at.startsWith(`${tenant} `) && of === scope && vector ? [{ vector, body }] : [],
      ),
    keep: async (tenant: string, answer: CachedAnswer) => void cached.set(`${tenant} ${answer.key}`, answer),
  } as unknown as ActionStore;
  const executor = new ActionExecutor({
    models: async () =>
      ok({
        model: { ref: { provider: "ollama", model: "m" }, provider, maxOutputTokens: 1_000, demo: false },
      }),
    store,
    governance: UNLIMITED,
    passedOnCharsKept: 8,
    clock,
    ids: new FixedIds(),
    sha256: (data) => String(data),
    redact: (text) => text.replaceAll("canary", "[secret]"),
    prices: [{ match: "ollama/m", input: 1_000_000, output: 0 }],
    schemaCheck: () => (value) =>
      typeof value === "object" && value !== null && "ok" in value ? [] : ['"ok" is missing'],
    moderate: async (_hook, { text }) => ({ allowed: !text.includes("bomb"), reason: "no weapons" }),
    embed: async (text) => vectorOf(text),
    bridge: {
      tools: async () =>
        ok([
          {
            spec: { toolId: "weather", description: "", inputSchema: {} },
            toolId: "web.weather.get",
            check: (value) => (JSON.stringify(value) === "{}" ? ["city is missing"] : []),
          },
        ]),
      open: async () => ({
        call: async (toolId, input) => {
          calls.push({ toolId, input });
          return { callId: "call_1", status: "ok", ended: "succeeded", text: "sunny" };
        },
        close: async () => {},
      }),
    },
    ...deps,
  });
  const run = (
    spec: Partial<ActionSpec>,
    input: Record<string, unknown>,
    more: Partial<ExecutionRequest> = {},
  ) =>
    executor.execute({
      tenant: "default",
      tokenId: "t",
      by: "program",
      surface: "http",
      trn: "trn:elwood:default:action/llm/ask@v1",
      signal: new AbortController().signal,
      spec: { kind: "llm", task: "chat", ...spec },
      input: input as ExecutionRequest["input"],
      raw: input,
      onEvent: (event) => void events.push(event),
      ...more,
    });
  return { clock, sent, executions, cached, events, calls, run };
}

/** Texts that begin alike are alike. */
function vectorOf(text: string): Float32Array {
  return Float32Array.from({ length: 8 }, (_, i) => (text.charCodeAt(i) || 32) - 90);
}

const hi = { messages: [{ role: "user", content: "hi" }] };
const reasonOf = async (work: Promise<unknown>) =>
  work.then(
    () => "answered",
    (error: unknown) => (error instanceof FailureError ? error.failure.reason : String(error)),
  );

test("AC-5: defaults are merged, secrets stay out, and the answer is the same shape whoever gave it", async () => {
  const { sent, executions, run } = scene(["Hello!"]);
  const spec = {
    system: "Be {{mood}}.",
    sampling: { temperature: 0.2, max_tokens: 9 },
    templates: { greet: "I am {{name}}, canary" },
  };
  const result = await run(spec, {
    template: "greet",
    variables: { name: "Bob", mood: "kind" },
    messages: [{ role: "system", content: "Short." }],
    sampling: { temperature: 1 },
  });
  expect(sent[0]).toMatchObject({ system: "Be kind.\n\nShort.", temperature: 1, maxOutputTokens: 9 });
  expect(sent[0]?.messages).toMatchObject([
    { role: "user", origin: "program", blocks: [{ text: "I am Bob, [secret]" }] },
  ]);
  expect(result).toMatchObject({
    text: "Hello!",
    tool_calls: [],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    cost: 10,
    model_info: { provider: "ollama", model: "m-1", finish_reason: "stop" },
  });
  expect(executions).toMatchObject([{ status: "done", model: "ollama/m", usage, costUsd: 10 }]);
});

test("a missing variable, an unknown template and a result without its call are refused before anything is sent", async () => {
  const { sent, executions, run } = scene(["x"]);
  expect(await reasonOf(run({ templates: { a: "{{x}}" } }, { template: "a" }))).toBe("INVALID_INPUT");
  expect(await reasonOf(run({}, { template: "a" }))).toBe("INVALID_INPUT");
  expect(await reasonOf(run({}, {}))).toBe("INVALID_INPUT");
  const orphan = { messages: [{ role: "tool", tool_call_id: "1", content: "x" }] };
  expect(await reasonOf(run({}, orphan))).toBe("INVALID_INPUT");
  expect(sent).toEqual([]);
  expect(executions.map(({ status, reason }) => `${status} ${reason}`)).toEqual(
    Array.from({ length: 4 }, () => "failed INVALID_INPUT"),
  );
});

test("AC-6: an answer that does not fit its schema is repaired once, and is not given out if that fails", async () => {
  const fixed = scene(["sorry", '```json\n{"ok":1}\n```']);
  const result = await fixed.run({ json_schema: {} }, hi);
  expect(result).toMatchObject({ json: { ok: 1 }, repaired: true, usage: { total_tokens: 30 } });
  expect(fixed.sent[1]?.messages.at(-1)?.blocks).toMatchObject([
    { text: expect.stringContaining("not valid JSON") },
  ]);
  expect(fixed.events).toEqual([{ type: "text", text: '```json\n{"ok":1}\n```' }]);
  const broken = scene(["[]", "{}", '{"ok":1}']);
  expect(await reasonOf(broken.run({ json_schema: {} }, hi))).toBe("BAD_REPLY");
  expect(broken.sent).toHaveLength(2);
  expect(broken.executions).toMatchObject([{ status: "failed", usage: { outputTokens: 10 } }]);
});

test("AC-7: listed tools are called with checked arguments, for one round unless more is configured", async () => {
  const asks = [callBlock("weather", { city: "Rome" })];
  const { sent, calls, run, events } = scene([asks, "It is sunny."]);
  const tool_calls = [{ tool_trn: "web.weather.get", name_override: "weather" }];
  const result = await run({ tool_calls }, hi);
  expect(calls).toEqual([{ toolId: "web.weather.get", input: { city: "Rome" } }]);
  expect(result).toMatchObject({
    text: "It is sunny.",
    tool_calls: [],
    bridge: [{ callId: "call_1", status: "succeeded" }],
  });
  expect(sent.map(({ tools }) => tools.length)).toEqual([1, 0]);
  expect(events).toContainEqual({
    type: "tool",
    tool: "web.weather.get",
    status: "succeeded",
    callId: "call_1",
  });
  const wrong = scene([[callBlock("weather", {})], "No."]);
  await wrong.run({ tool_calls }, hi);
  expect(wrong.calls).toEqual([]);
  expect(wrong.sent[1]?.messages.at(-1)?.blocks).toMatchObject([
    { status: "error", text: expect.stringContaining("city is missing") },
  ]);
});

test("of a text that is passed on as it comes only the beginning is kept, unless somebody needs all of it", async () => {
  const { sent, events, run } = scene(["A long answer."]);
  const result = await run({}, hi, { passesOn: true });
  expect(events).toEqual([{ type: "text", text: "A long answer." }]);
  expect(result).toMatchObject({ text: "", usage: { total_tokens: 15 } });
  expect(sent[0]?.textKeptMax).toBe(8);
  const whole: readonly Partial<ActionSpec>[] = [
    { response_format: "json" },
    { moderation: { after: { url: "https://m.example", when_down: "open" } } },
    { cache: { mode: "exact", ttl_seconds: 60, similarity: 1 } },
    { tool_calls: [{ tool_trn: "web.weather.get", name_override: "weather" }] },
  ];
  for (const spec of whole) {
    const needed = scene(['"A long answer."']);
    expect((await needed.run(spec, hi, { passesOn: true })).text).toBe("");
    expect(needed.events).toEqual([{ type: "text", text: '"A long answer."' }]);
    expect(needed.sent[0]).not.toHaveProperty("textKeptMax");
  }
  const kept = scene(["A long answer."]);
  expect((await kept.run({}, hi)).text).toBe("A long answer.");
  expect(kept.sent[0]).not.toHaveProperty("textKeptMax");
});

test("tools of the client are handed back to it under their own names, and never called here", async () => {
  const { calls, run } = scene([[callBlock("get.weather", { city: "Rome" })]]);
  const result = await run({}, { ...hi, tools: [{ name: "get__weather" }] });
  expect(result.tool_calls).toEqual([{ id: "w1", name: "get__weather", args: { city: "Rome" } }]);
  expect(result.model_info.finish_reason).toBe("tool_calls");
  expect(calls).toEqual([]);
});

test("AC-13: the cache answers exactly the same question of the same tenant, and nothing sensitive", async () => {
  const cache = { mode: "exact", ttl_seconds: 60, similarity: 1 } as const;
  const { sent, run } = scene(["one", "two", "three", "four", "five"]);
  await run({ cache }, hi);
  expect(await run({ cache }, hi)).toMatchObject({
    text: "one",
    cached: "exact",
    usage: { total_tokens: 0 },
  });
  expect((await run({ cache }, { ...hi, sampling: { temperature: 1 } })).text).toBe("two");
  expect((await run({ cache, json_schema: undefined, system: "x" }, hi)).text).toBe("three");
  expect((await run({ cache }, hi, { tenant: "other" })).text).toBe("four");
  expect((await run({ cache }, { ...hi, sensitive: true })).text).toBe("five");
  expect((await run({ cache, sensitive: true }, hi)).cached).toBeUndefined();
  expect(sent).toHaveLength(6);
});

test("AC-17: the cache by meaning answers what is alike enough, and only under the same system prompt", async () => {
  const cache = { mode: "semantic", ttl_seconds: 60, similarity: 0.99 } as const;
  const ask = (content: string) => ({ messages: [{ role: "user", content }] });
  const { run } = scene(["one", "two", "three"]);
  await run({ cache }, ask("What is the time"));
  expect(await run({ cache }, ask("What is the hour"))).toMatchObject({ text: "one", cached: "semantic" });
  expect((await run({ cache }, ask("zzzzzzzz"))).text).toBe("two");
  expect((await run({ cache, system: "Other." }, ask("What is the hour"))).text).toBe("three");
});

test("AC-16: moderation blocks before and after with its reason, and personal data is taken out", async () => {
  const moderation = { before: { url: "https://m.example", when_down: "closed" } } as const;
  const before = scene(["x"]);
  expect(
    await reasonOf(before.run({ moderation }, { messages: [{ role: "user", content: "a bomb" }] })),
  ).toBe("BLOCKED");
  expect(before.sent).toEqual([]);
  expect(before.events).toEqual([{ type: "note", stage: "before", what: "blocked", reason: "no weapons" }]);
  const after = scene(["build a bomb"]);
  expect(await reasonOf(after.run({ moderation: { after: moderation.before } }, hi))).toBe("BLOCKED");
  expect(after.events.filter(({ type }) => type === "text")).toEqual([]);
  const personal = scene(["ok"]);
  const result = await personal.run(
    { redact_pii: true },
    { messages: [{ role: "user", content: "mail a@b.de" }] },
  );
  expect(personal.sent[0]?.messages[0]?.blocks).toEqual([textBlock("mail [email 1]")]);
  expect(result.notes).toMatchObject([{ stage: "before", what: "redacted" }]);
});

test("a hook that is down lets through or blocks, as it is set", async () => {
  const down = {
    moderate: async () => {
      throw new FailureError(failure("TIMEOUT", "no answer"));
    },
  };
  const hook = (when_down: "open" | "closed") => ({ before: { url: "https://m.example", when_down } });
  expect((await scene(["ok"], down).run({ moderation: hook("open") }, hi)).notes).toMatchObject([
    { what: "not looked at" },
  ]);
  expect(await reasonOf(scene(["ok"], down).run({ moderation: hook("closed") }, hi))).toBe("BLOCKED");
});

test("embeddings and rankings come from the embedder, the best first", async () => {
  const { run } = scene(["x"]);
  const embedded = await run({ task: "embed" }, { inputs: ["a", "b"] });
  expect(embedded.embeddings).toHaveLength(2);
  const ranked = await run(
    { task: "rerank" },
    { query: "What is this", documents: ["zzzzzzzz", "What is that", "What"], top_n: 2 },
  );
  expect(ranked.ranking?.map(({ index }) => index)).toEqual([1, 2]);
});

test("what takes too long is stopped, what is cancelled is told as cancelled, and what is refused sends nothing", async () => {
  const slow = scene(["x"], {
    moderate: (_hook, _about, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new FailureError(failure("ABORTED", "Stopped."))));
      }),
  });
  const moderation = { before: { url: "https://m.example", when_down: "open" } } as const;
  const work = reasonOf(slow.run({ moderation, limits: { timeout_ms: 5_000 } }, hi));
  await slow.clock.untilAsleep();
  await slow.clock.advance(5_000);
  expect(await work).toBe("TIMEOUT");
  const refused = scene(["x"], {
    governance: { ...UNLIMITED, reserve: async () => err(failure("DAY_COST_LIMIT", "Enough.")) },
  });
  expect(await reasonOf(refused.run({}, hi))).toBe("DAY_COST_LIMIT");
  expect(refused.sent).toEqual([]);
});
