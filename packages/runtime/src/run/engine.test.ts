import type { ActivityItem } from "@elwood/core/tool/activity";
import { FailureError } from "@elwood/core/base/failure";
import { LIMITS, RUN_LIMITS, type RunLimits } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import { ground, type Grounded } from "@elwood/core/grounding/ground";
import { textOf, type Block } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest, ToolSpec } from "@elwood/core/model/model";
import { ok } from "@elwood/core/base/result";
import { faultyStores } from "@elwood/testkit/faulty-store";
import { fromOwner } from "@elwood/testkit/principals";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { NO_RECORD } from "@elwood/testkit/long-conversation";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryStores } from "@elwood/testkit/memory-stores";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { EngineDeps } from "./engine-deps.ts";
import { Engine } from "./engine.ts";
import type { RunEvent } from "./feed.ts";
import type { Stores, ToolHost } from "../ports/ports.ts";
import { sessionMessages } from "./transcript-view.ts";

const T = "default";
const OWNER = { id: "owner", surface: "web" };

/** A model that plays one function per call and counts them; a call without one fails the run. */
type Step = (request: ModelRequest) => AsyncIterable<ModelEvent>;

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };

function says(text: string): Step {
  return async function* () {
    yield { type: "text", text };
    yield { type: "done", stopReason: "end_turn", blocks: [{ type: "text", text }], usage, model: "m" };
  };
}

function calls(...inputs: unknown[]): Step {
  return async function* () {
    const blocks: Block[] = inputs.map((input, i) => ({
      type: "tool_use",
      callId: `p${i}`,
      toolId: "test.thing.do",
      input,
    }));
    yield { type: "done", stopReason: "tool_use", blocks, usage, model: "m" };
  };
}

/** Streams `text`, then waits until it is aborted. */
function hangsAfter(text: string, reached: () => void): Step {
  return async function* ({ signal }) {
    yield { type: "text", text };
    reached();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    yield {
      type: "failed",
      failure: { reason: "ABORTED", message: "You stopped this run.", retryable: false },
      blocks: [{ type: "text", text }],
    };
  };
}

interface Rig {
  readonly engine: Engine;
  readonly stores: Stores;
  readonly clock: ManualClock;
  readonly requests: ModelRequest[];
  send(
    text: string,
    more?: { key?: string; session?: string; surface?: string },
  ): Promise<{ runId: string; events: RunEvent[]; ended: Promise<RunEvent> }>;
  session: string;
}

async function rig(
  steps: Step[],
  options: {
    limits?: Partial<RunLimits>;
    tools?: ToolHost;
    stores?: Stores;
    session?: string;
    namesSessions?: boolean;
  } = {},
): Promise<Rig> {
  const clock = new ManualClock({ start: Date.parse("2026-11-15T10:00:00Z") });
  const stores = options.stores ?? memoryStores();
  const requests: ModelRequest[] = [];
  const quiet = { error() {}, warn() {}, info() {}, debug() {} };
  const deps: EngineDeps = {
    stores,
    clock,
    ids: new FixedIds(),
    log: quiet,
    hash: (text) => text,
    limits: { ...RUN_LIMITS, ...options.limits },
    prices: [{ match: "test/*", input: 1_000, output: 0 }],
    localTime: new LocalTime("UTC"),
    agents: {
      list: async () => [],
      load: async (id) => ({ id, name: id, description: "", soul: "", instructions: "", toolNotes: "" }),
    },
    models: {
      resolve: async () =>
        ok({
          ref: { provider: "test", model: "m" },
          demo: false,
          maxOutputTokens: 1000,
          provider: {
            id: "test",
            chat(request) {
              requests.push(request);
              const step = steps.shift();
              if (!step) throw new Error("the model was asked once more than expected");
              return step(request);
            },
          },
        }),
    },
    redact: (text) => text.replaceAll("hunter2hunter2", "[redacted]"),
    tools: options.tools ?? countingTools(async () => ({ status: "ok", text: "done" })),
    recorder: NO_RECORD,
    namesSessions: options.namesSessions,
  };
  const engine = new Engine(deps);
  const session = options.session ?? "ses_00000000000000000000000001";
  if (!options.session)
    await stores.sessions.create(T, {
      id: session,
      agentId: "assistant",
      title: "New session",
      at: clock.now(),
    });
  return {
    engine,
    stores,
    clock,
    requests,
    session,
    async send(text, more = {}) {
      const { run, repeated } = await engine.submit({
        ...fromOwner(T),
        sessionId: more.session ?? session,
        parts: [{ kind: "text", text, origin: "owner" }],
        surface: more.surface ?? "test",
        ...(more.key ? { idempotencyKey: more.key } : {}),
      });
      const events: RunEvent[] = [];
      const ended = new Promise<RunEvent>((resolve) => {
        engine.feeds.get(run.id)?.subscribe((event) => {
          events.push(event);
          if (event.event === "chat.final" || event.event === "chat.error") resolve(event);
        });
      });
      if (!repeated) engine.start(T, run);
      return { runId: run.id, events, ended };
    },
  };
}

const spec: ToolSpec = { toolId: "test.thing.do", description: "", inputSchema: { type: "object" } };

function countingTools(outcome: ToolHost["call"]): ToolHost & { made: unknown[] } {
  const made: unknown[] = [];
  const items: ActivityItem[] = [];
  return {
    made,
    specs: () => [spec],
    storeSecrets: async (_tenant, _callId, input) => input,
    closeRun: async () => new Map(),
    closeOrphanedCalls: async () => undefined,
    activity: async () => items,
    sessionActivity: async (_tenant, _session, { runId }) => items.map((item) => ({ ...item, runId })),
    async call(call, context) {
      made.push(call.input);
      context.entered();
      context.started();
      const ended = await outcome(call, context);
      const status = ended.status === "ok" ? "succeeded" : "failed";
      const { callId, toolId } = call;
      items.push({
        cite: `c${items.length + 1}`,
        callId,
        toolId,
        status,
        when: 0,
        receiptRef: "",
        risk: "write",
        summary: `${toolId}: ${status}`,
      });
      return ended;
    },
  };
}

test("EL-2: a message becomes a run, its answer streams, and both stand in the transcript", async () => {
  const r = await rig([says("Good morning.")]);
  const { runId, events, ended } = await r.send("hello");
  expect((await ended).data).toMatchObject({
    text: "Good morning.",
    segments: [{ text: "Good morning.", by: "model" }],
    evidence: "",
    stopReason: "end_turn",
  });
  expect(events.map((e) => e.event)).toEqual(["run.started", "chat.delta", "chat.delta", "chat.final"]);
  const { lines } = await r.stores.transcripts.load(T, r.session);
  expect(lines.map((l) => [l.role, l.run, l.i, l.n, textOf(l)])).toEqual([
    ["user", runId, 0, 2, "hello"],
    ["assistant", runId, 1, 2, "Good morning."],
  ]);
  expect(await r.stores.runs.get(T, runId)).toMatchObject({
    status: "done",
    committed: true,
    model: "test/m",
    laps: 1,
  });
});

test("EL-2: tool calls run, their results go back to the model, and the loop ends with its answer", async () => {
  const tools = countingTools(async (call) => ({ status: "ok", text: `did ${JSON.stringify(call.input)}` }));
  const r = await rig([calls({ a: 1 }, { a: 2 }), says("Both done.")], { tools });
  const { ended, events } = await r.send("do both");
  expect((await ended).data).toMatchObject({
    text: "Both done.",
    evidence: "✓ Ran do test thing ×2",
  });
  expect(tools.made).toEqual([{ a: 1 }, { a: 2 }]);
  const told = r.requests[1]!.messages.at(-1)!;
  expect(told.blocks.map((b) => (b.type === "tool_result" ? b.text : ""))).toEqual([
    '[c1 test.thing.do "a: 1"]\ndid {"a":1}',
    '[c2 test.thing.do "a: 2"]\ndid {"a":2}',
  ]);
  expect(events.filter((e) => e.event.startsWith("tool.")).map((e) => e.event)).toEqual([
    "tool.started",
    "tool.started",
    "tool.finished",
    "tool.finished",
  ]);
});

test("a run that is the first to need tools offers those that the start left asleep", async () => {
  const tools = countingTools(async () => ({ status: "ok", text: "done" }));
  let awake = false;
  tools.ready = async () => void (awake = true);
  tools.specs = () => (awake ? [spec] : []);
  const r = await rig([says("Hello.")], { tools });
  await (
    await r.send("hello")
  ).ended;
  expect(r.requests[0]?.tools).toEqual([spec]);
});

test.each([
  [{ status: "ok", text: "" }, { status: "succeeded" }],
  [{ status: "error", text: "no" }, { status: "failed" }],
  [
    { status: "error", text: "not valid", ended: "refused" },
    { status: "failed", refused: true },
  ],
] as const)(
  "a call that ended with %o is pushed with its status in the activity: %o",
  async (outcome, told) => {
    const tools = countingTools(async () => outcome);
    // A refused call is in no activity.
    if ("ended" in outcome) tools.activity = async () => [];
    const r = await rig([calls({}), says("Well.")], { tools });
    const { ended, events } = await r.send("do it");
    await ended;
    const { data } = events.find(({ event }) => event === "tool.finished")!;
    expect(data).toMatchObject(told);
    if (!("refused" in told)) expect(data).not.toHaveProperty("refused");
  },
);

test("EL-19: a tool that fails goes back to the model as an error result, and the gateway says that it is not done", async () => {
  const tools = countingTools(async () => ({
    status: "error",
    text: "no such file",
  }));
  const r = await rig([calls({}), says("It is not there.")], { tools });
  const { ended } = await r.send("read it");
  expect((await ended).data).toMatchObject({
    text: "It is not there.",
    segments: [
      { text: "It is not there.", by: "model" },
      { text: "◈ Not done, it failed: do test thing.", by: "gateway" },
    ],
  });
  expect(r.requests[1]!.messages.at(-1)!.blocks).toMatchObject([
    { status: "error", text: "[c1 test.thing.do · failed]\nno such file" },
  ]);
});

test("a model that says nothing is asked once more, silently; both tries are paid for, and only a second silence is told", async () => {
  const silent: Step = async function* () {
    yield { type: "done", stopReason: "end_turn", blocks: [], usage, model: "m" };
  };
  const helped = await rig([silent, says("Good morning.")]);
  const first = await helped.send("hello");
  const final = await first.ended;
  expect(final.data).toMatchObject({ text: "Good morning.", usage: { inputTokens: 20, outputTokens: 10 } });
  expect(final.data).not.toHaveProperty("note");
  expect(first.events.map(({ event }) => event)).not.toContain("chat.notice");
  expect(helped.requests).toHaveLength(2);
  expect(helped.requests[1]?.messages).toEqual(helped.requests[0]?.messages);

  const mute = await rig([silent, silent]);
  const second = await mute.send("hello");
  expect((await second.ended).data).toMatchObject({
    text: "",
    note: expect.stringContaining("without saying anything") as string,
  });
  expect(mute.requests).toHaveLength(1 + LIMITS.emptyAnswerRetriesMax);
});

test("a model that makes the same call for ever is stopped after a few, not after hundreds", async () => {
  const tools = countingTools(async () => ({ status: "ok", text: "" }));
  const r = await rig(
    Array.from({ length: 50 }, () => calls({ same: true })),
    { tools },
  );
  const { ended } = await r.send("go");
  expect((await ended).data).toMatchObject({ code: "REPEAT_LIMIT" });
  expect(tools.made).toHaveLength(RUN_LIMITS.identicalCalls);
});

test("a run that goes round and round ends at its lap limit with a sentence", async () => {
  let n = 0;
  const r = await rig(
    Array.from({ length: 9 }, () => calls({ n: n++ })),
    { limits: { laps: 3 } },
  );
  const { ended } = await r.send("go");
  expect((await ended).data).toMatchObject({
    code: "LAPS_LIMIT",
    message: expect.stringContaining("3 rounds"),
  });
  expect(r.requests).toHaveLength(3);
});

test("the day's cost limit stops a run before the model is asked", async () => {
  const r = await rig([says("one"), says("two")], { limits: { dayCostUsd: 0.005 } });
  await (
    await r.send("a")
  ).ended;
  const { ended } = await r.send("b");
  expect((await ended).data).toMatchObject({ code: "DAY_COST_LIMIT" });
  expect(r.requests).toHaveLength(1);
});

test("JV-12: an aborted run keeps what was written, and the next run goes on", async () => {
  const reached = Promise.withResolvers<void>();
  const r = await rig([hangsAfter("Half an", reached.resolve), says("Next.")]);
  const first = await r.send("tell me");
  await reached.promise;
  await r.engine.abort(T, first.runId, OWNER);
  expect((await first.ended).data).toMatchObject({ aborted: true, text: "Half an", stopReason: "aborted" });
  await (
    await r.send("and?")
  ).ended;
  const shown = r.requests[1]!.messages.map(textOf);
  expect(shown[1]).toContain("Half an");
  expect(shown[1]).toContain("The owner stopped this answer here.");
});

test("a queued run can be stopped before it begins, and never reaches the model", async () => {
  const reached = Promise.withResolvers<void>();
  const r = await rig([hangsAfter("x", reached.resolve)]);
  const first = await r.send("one");
  await reached.promise;
  const second = await r.send("two");
  expect(second.events[0]).toMatchObject({ event: "run.queued", data: { ahead: 1 } });
  await r.engine.abort(T, second.runId, OWNER);
  expect((await second.ended).data).toMatchObject({ aborted: true });
  await r.engine.abort(T, first.runId, OWNER);
  await first.ended;
  await r.engine.whenIdle();
  expect(r.requests).toHaveLength(1);
});

test("a run that takes longer than its limit ends by name and keeps its text", async () => {
  const reached = Promise.withResolvers<void>();
  const r = await rig([hangsAfter("Slow", reached.resolve)], { limits: { minutes: 1 } });
  const { ended } = await r.send("go");
  await reached.promise;
  await r.clock.advance(60_000);
  expect((await ended).data).toMatchObject({ code: "TIME_LIMIT", text: "Slow" });
});

test("the same idempotency key is one run; with other words it is refused", async () => {
  const r = await rig([says("once")]);
  const first = await r.send("pay", { key: "k" });
  await first.ended;
  const again = await r.engine.submit({
    ...fromOwner(T),
    sessionId: r.session,
    parts: [{ kind: "text", text: "pay", origin: "owner" }],
    surface: "test",
    idempotencyKey: "k",
  });
  expect(again).toMatchObject({ repeated: true, run: { id: first.runId } });
  await expect(r.send("pay more", { key: "k" })).rejects.toThrow(FailureError);
  expect(r.requests).toHaveLength(1);
});

test("a run cut short by a stop is taken up by the next engine from its last complete step", async () => {
  const reached = Promise.withResolvers<void>();
  const tools = countingTools(async () => ({ status: "ok", text: "made" }));
  const r = await rig([calls({ n: 1 }), hangsAfter("Almo", reached.resolve)], { tools });
  const { runId } = await r.send("go");
  await reached.promise;
  await r.engine.stop();
  expect(await r.stores.runs.get(T, runId)).toMatchObject({ status: "running" });

  const next = await rig([says("Done.")], { stores: r.stores, session: r.session, tools });
  const recovered = next.engine.recover(T);
  expect(await recovered).toEqual({ committed: 0, resumed: 1 });
  await next.engine.whenIdle();
  expect(await r.stores.runs.get(T, runId)).toMatchObject({ status: "done", attempt: 2, committed: true });
  expect(tools.made).toHaveLength(1);
});

test("a call that was running when the engine died goes back to the gate under its old id, and no other", async () => {
  const stuck = Promise.withResolvers<string>();
  const dead = countingTools((call) => {
    stuck.resolve(call.callId);
    return new Promise(() => undefined);
  });
  const r = await rig([calls({ pay: 5 })], { tools: dead });
  const { runId } = await r.send("pay");
  const callId = await stuck.promise; // The plug is pulled here.

  const seen: string[] = [];
  const tools = countingTools(async (call) => {
    seen.push(call.callId);
    return { status: "error", text: "It is unknown whether it took effect." };
  });
  const next = await rig([says("I do not know whether it was paid.")], {
    stores: r.stores,
    session: r.session,
    tools,
  });
  await next.engine.recover(T);
  await next.engine.whenIdle();
  expect(seen).toEqual([callId]);
  expect(await r.stores.runs.get(T, runId)).toMatchObject({ status: "done" });
});

test("a run that waits for a person gives its place away, and its time stands still", async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const tools = countingTools(async (_call, context) => {
    context.waiting(true);
    asked.resolve();
    await answered.promise;
    context.waiting(false);
    return { status: "ok", text: "allowed" };
  });
  const r = await rig([calls({}), says("other"), says("done")], {
    tools,
    limits: { parallelRuns: 1, minutes: 1 },
  });
  const other = "ses_00000000000000000000000002";
  await r.stores.sessions.create(T, { id: other, agentId: "assistant", title: "t", at: 0 });
  const first = await r.send("go");
  await asked.promise;
  expect((await (await r.send("hello", { session: other })).ended).data).toMatchObject({ text: "other" });
  expect(await r.stores.runs.get(T, first.runId)).toMatchObject({ status: "waiting" });
  await r.clock.advance(3_600_000);
  answered.resolve();
  expect((await first.ended).data).toMatchObject({ text: "done" });
});

test("a secret in a message is taken out before the message is kept", async () => {
  const r = await rig([says("ok")]);
  await (
    await r.send("my password is hunter2hunter2")
  ).ended;
  expect(JSON.stringify((await r.stores.transcripts.load(T, r.session)).lines)).not.toContain("hunter2");
  expect(JSON.stringify(r.requests[0]!.messages)).not.toContain("hunter2");
});

test("OA-6: of an answer only secrets, citation tokens and the gateway's glyphs outside code are changed", async () => {
  const r = await rig([says("Here: hunter2hunter2 ✅ ✓ `✓` [c9] — *kept*  as it\n\n> is ❌")]);
  expect((await (await r.send("Show me the line.")).ended).data).toMatchObject({
    text: "Here: [redacted] ✅ (+) `✓` — *kept*  as it\n\n> is ❌",
  });
});

test("OA-6: whatever a model writes, what is delivered is its text after redaction, citation tokens and escaped glyphs, and nothing else", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "I sent it to anna@acme.io [c1].",
      "✓ done ◈ receipts 12",
      "`✓ hunter2hunter2`",
      "hunter2hunter2",
      "```\n[c1] ✓ hunter2hunter2\n```\n",
      "> ✗ quoted [c1]",
      " [c99] ",
      "\n\n",
      "✅ ❌",
      "已发送。[c1]",
    ),
    fc.string({ unit: "grapheme", maxLength: 12 }),
  );
  const drafts = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => `So: ${parts.join("")}.`);
  await fc.assert(
    fc.asyncProperty(drafts, fc.boolean(), async (draft, called) => {
      const r = await rig([...(called ? [calls({ n: 1 })] : []), says(draft)]);
      const { data } = await (await r.send("Tell me about it.")).ended;
      const { text, segments } = data as Pick<Grounded, "text" | "segments">;
      const redacted = draft.replaceAll("hunter2hunter2", "[redacted]");
      // That this is the draft but for citation tokens and escaped glyphs is a property of its own.
      expect(text).toBe(ground({ draft: redacted, activity: [] }).text);
      expect(segments.flatMap(({ by, text: own }) => (by === "model" ? [own] : [])).join("")).toBe(text);
    }),
    { numRuns: 60 },
  );
});

test("a run that kills its gateway again and again is given up with an honest message", async () => {
  const r = await rig([]);
  const { run } = await r.engine.submit({
    ...fromOwner(T),
    sessionId: r.session,
    parts: [{ kind: "text", text: "boom", origin: "owner" }],
    surface: "test",
  });
  for (let i = 0; i < 4; i++) await r.stores.runs.claim(T, run.id, 0);
  await r.engine.recover(T);
  await r.engine.whenIdle();
  expect(await r.stores.runs.get(T, run.id)).toMatchObject({
    status: "failed",
    failure: { reason: "INTERRUPTED" },
  });
  expect(r.requests).toHaveLength(0);
});

test("history merges the file with what the journal still holds", async () => {
  const reached = Promise.withResolvers<void>();
  const r = await rig([says("one"), hangsAfter("tw", reached.resolve)]);
  await (
    await r.send("first")
  ).ended;
  const second = await r.send("second");
  await reached.promise;
  const { messages } = await sessionMessages(r.stores, T, r.session);
  expect(messages.map((m) => textOf(m.message))).toEqual(["first", "one", "second"]);
  await r.engine.abort(T, second.runId, OWNER);
  await second.ended;
});

test("one session's slow answer does not hold up another's", async () => {
  const reached = Promise.withResolvers<void>();
  const r = await rig([hangsAfter("slow", reached.resolve), says("quick")]);
  const other = "ses_00000000000000000000000002";
  await r.stores.sessions.create(T, { id: other, agentId: "assistant", title: "t", at: 0 });
  const slow = await r.send("a");
  await reached.promise;
  const quick = await r.send("b", { session: other });
  expect((await quick.ended).data).toMatchObject({ text: "quick" });
  await r.engine.abort(T, slow.runId, OWNER);
  await slow.ended;
});

test("a running and a queued run that end together leave each message in the transcript once", async () => {
  const reached = Promise.withResolvers<void>();
  const r = await rig([hangsAfter("x", reached.resolve)]);
  const first = await r.send("one");
  await reached.promise;
  const others = await Promise.all([r.send("two"), r.send("three")]);
  const all = [first, ...others];
  await Promise.all(all.map((sent) => r.engine.abort(T, sent.runId, OWNER)));
  await Promise.all(all.map((sent) => sent.ended));
  const { lines } = await r.stores.transcripts.load(T, r.session);
  expect(new Set(lines.map((l) => l.id)).size).toBe(lines.length);
  expect(
    lines
      .filter((l) => l.role === "user")
      .map(textOf)
      .sort(),
  ).toEqual(["one", "three", "two"]);
});

test("a disk that is too full for the end of a run costs no answer: it is told with a note and stored before the next", async () => {
  const stores = faultyStores(memoryStores());
  const r = await rig([says("First."), says("Second.")], { stores });
  stores.failAt("runs.end", "before");
  const first = await r.send("one");
  const told = await first.ended;
  expect(told.event).toBe("chat.final");
  expect(told.data).toMatchObject({ text: "First.", note: expect.stringContaining("could not be stored") });
  const second = await r.send("two");
  expect((await second.ended).data).toMatchObject({ text: "Second." });
  expect((await r.stores.runs.get(T, first.runId))?.status).toBe("done");
  const { messages } = await sessionMessages(r.stores, T, r.session);
  expect(messages.map((m) => textOf(m.message))).toEqual(["one", "First.", "two", "Second."]);
});

test("while an earlier end cannot be stored, the next message fails with words instead of waiting for ever", async () => {
  const stores = faultyStores(memoryStores());
  const r = await rig([says("First."), says("Third.")], { stores });
  for (let i = 0; i < 3; i++) stores.failAt("runs.end", "before");
  await (
    await r.send("one")
  ).ended;
  expect((await (await r.send("two")).ended).data).toMatchObject({
    code: "STORAGE",
    message: expect.stringContaining("Free some space"),
  });
  expect((await (await r.send("three")).ended).data).toMatchObject({ text: "Third." });
  expect(await r.stores.runs.unfinished(T)).toEqual([]);
});

test("a run that breaks off is ended, with what it had said, and its session goes on", async () => {
  const breaks: Step = async function* () {
    yield { type: "text", text: "Half done" };
    throw new Error("a bug");
  };
  const r = await rig([breaks, says("Whole.")]);
  const broken = await r.send("one");
  expect((await broken.ended).data).toMatchObject({ code: "INTERNAL", text: "Half" });
  await r.engine.whenIdle();
  expect((await r.stores.runs.get(T, broken.runId))?.status).toBe("failed");
  expect((await (await r.send("two")).ended).data).toMatchObject({ text: "Whole." });
});

test("a safety copy of half an answer that cannot be written does not stop the answer", async () => {
  const stores = faultyStores(memoryStores());
  const long = "x".repeat(10_000);
  const r = await rig([says(long)], { stores });
  stores.failAt("runs.setPartial", "before");
  expect((await (await r.send("one")).ended).data).toMatchObject({ text: long });
});

test("ends that could not be stored are tried once more when Elwood stops", async () => {
  const stores = faultyStores(memoryStores());
  const r = await rig([says("First.")], { stores });
  stores.failAt("runs.end", "before");
  const { runId, ended } = await r.send("one");
  await ended;
  await r.engine.stop();
  expect((await r.stores.runs.get(T, runId))?.status).toBe("done");
});

test("thinking that holds a secret is left out whole, from the transcript and from what the model is sent next", async () => {
  const thinks = (text: string, data?: string): Step =>
    async function* () {
      const opaque = data === undefined ? {} : { opaque: { provider: "test", data } };
      const blocks: Block[] = [
        { type: "thinking", text, ...opaque },
        { type: "text", text: "Fine." },
      ];
      yield { type: "done", stopReason: "end_turn", blocks, usage, model: "m" };
    };
  const r = await rig([
    thinks("The key is hunter2hunter2."),
    thinks("Signed.", "signed over hunter2hunter2"),
    thinks("Nothing in it.", "signature"),
    says("Bye."),
  ]);
  for (const text of ["one", "two", "three", "four"]) await (await r.send(text)).ended;
  const { lines } = await r.stores.transcripts.load(T, r.session);
  const thoughts = lines.flatMap((line) => line.blocks).filter((block) => block.type === "thinking");
  expect(thoughts.map((block) => block.text)).toEqual(["Nothing in it."]);
  expect(JSON.stringify([lines, r.requests])).not.toContain("hunter2");
});

test("a session's settings go with each request: its addition to the system prompt and its sampling", async () => {
  const r = await rig([says("one"), says("two"), says("three")]);
  await (
    await r.send("hi")
  ).ended;
  await r.stores.sessions.configure(T, r.session, {
    system: "Answer in rhymes.",
    temperature: 0.2,
    topP: 0.9,
  });
  await (
    await r.send("hi")
  ).ended;
  await r.stores.sessions.configure(T, r.session, { system: null, temperature: null, topP: null });
  await (
    await r.send("hi")
  ).ended;
  const [plain, set, back] = r.requests;
  expect(set?.system).toBe(
    `${plain?.system}\n\n# What your owner wants in this conversation\n\nAnswer in rhymes.`,
  );
  expect(set).toMatchObject({ temperature: 0.2, topP: 0.9 });
  expect(back?.system).toBe(plain?.system);
  expect(back).not.toHaveProperty("temperature");
  expect(back).not.toHaveProperty("topP");
});

test("an answer is there before its session is named, and a stop does not wait for the name", async () => {
  const reached = Promise.withResolvers<void>();
  const r = await rig([says("Hello."), hangsAfter("A ti", () => reached.resolve())], {
    namesSessions: true,
  });
  const { ended } = await r.send("good morning to you all", { surface: "web" });
  expect((await ended).event).toBe("chat.final");
  await reached.promise;
  await r.engine.whenIdle();
  expect(await r.engine.stop()).toBe(true);
  expect((await r.stores.sessions.get(T, r.session))?.title).toBe("good morning to you all");
});
