import { failure } from "@elwood/core/base/failure";
import { err, ok } from "@elwood/core/base/result";
import { NO_USAGE } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { UNLIMITED, type Governance, type SpentRequest } from "../ports/governance.ts";
import type { ModelProvider } from "../ports/ports.ts";
import { governedChat } from "./governed-request.ts";

const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 2 };
const done: ModelEvent = { type: "done", stopReason: "end_turn", blocks: [], usage, model: "m" };
const planned = {
  tenant: "default",
  runId: "run_1",
  names: ["llm.chat"],
  model: { provider: "fake", model: "m" },
  inputTokens: () => 3,
};

function scene(limits: { outputTokensMax?: number; timeoutMs?: number } = {}) {
  const clock = new ManualClock();
  const settled: SpentRequest[] = [];
  const sent: ModelRequest[] = [];
  const governance: Governance = {
    reserve: async ({ outputTokensMax }) =>
      ok({
        outputTokensMax,
        ...limits,
        settle: async (spent) => void settled.push(spent),
      }),
    refusal: () => undefined,
  };
  const answering = (events: (request: ModelRequest) => AsyncIterable<ModelEvent>): ModelProvider => ({
    id: "fake",
    chat: (request) => {
      sent.push(request);
      return events(request);
    },
  });
  const request: ModelRequest = {
    model: "m",
    system: "",
    messages: [],
    tools: [],
    maxOutputTokens: 100,
    readBlob: async () => undefined,
    writeBlob: async () => "",
    signal: new AbortController().signal,
  };
  return { clock, settled, sent, governance, answering, request };
}

async function* events(...list: ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* list;
}

async function collected(seen: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of seen) all.push(event);
  return all;
}

test("what was used is settled once, and the answer may be no longer than what was reserved", async () => {
  const { clock, settled, sent, governance, answering, request } = scene({ outputTokensMax: 7 });
  const provider = answering(() => events({ type: "text", text: "hi" }, done));
  const seen = await collected(governedChat(provider, request, planned, { governance, clock }));
  expect(seen.map(({ type }) => type)).toEqual(["text", "done"]);
  expect(sent[0]?.maxOutputTokens).toBe(7);
  expect(settled).toEqual([{ outcome: "done", usage }]);
});

test("a refusal sends nothing", async () => {
  const { clock, sent, answering, request } = scene();
  const governance = {
    ...UNLIMITED,
    reserve: async () => err(failure("DAY_COST_LIMIT", "Enough for today.")),
  };
  const provider = answering(() => events(done));
  const seen = await collected(governedChat(provider, request, planned, { governance, clock }));
  expect(seen).toMatchObject([{ type: "failed", failure: { reason: "DAY_COST_LIMIT" } }]);
  expect(sent).toEqual([]);
});

test("whoever stops reading gives the place back all the same", async () => {
  const { clock, settled, governance, answering, request } = scene();
  const provider = answering(() => events({ type: "text", text: "a" }, { type: "text", text: "b" }, done));
  for await (const event of governedChat(provider, request, planned, { governance, clock }))
    if (event.type === "text") break;
  expect(settled).toEqual([{ outcome: "cancelled" }]);
});

test("a request that takes longer than its place allows is stopped, and told as late", async () => {
  const { clock, settled, governance, answering, request } = scene({ timeoutMs: 5_000 });
  const provider = answering(async function* ({ signal }) {
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    yield { type: "failed", failure: failure("ABORTED", "Stopped."), blocks: [] };
  });
  const all = collected(governedChat(provider, request, planned, { governance, clock }));
  await clock.untilAsleep();
  await clock.advance(5_000);
  expect(await all).toMatchObject([{ type: "failed", failure: { reason: "TIMEOUT" } }]);
  expect(settled).toEqual([{ outcome: "failed" }]);
});

test("without limits everything is reserved as it was planned", async () => {
  const { clock, sent, answering, request } = scene();
  const provider = answering(() => events(done));
  await collected(governedChat(provider, request, planned, { governance: UNLIMITED, clock }));
  expect(sent[0]?.maxOutputTokens).toBe(100);
});
