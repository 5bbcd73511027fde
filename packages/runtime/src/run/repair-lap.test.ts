import { failure } from "@elwood/core/base/failure";
import { LocalTime } from "@elwood/core/base/local-time";
import { RUN_LIMITS, type RunLimits } from "@elwood/core/base/limits";
import { textOf, type Block, type Message } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import type { EventData } from "@elwood/core/protocol/events";
import { err, ok } from "@elwood/core/base/result";
import { faultyStores, type StoreWrite } from "@elwood/testkit/faulty-store";
import { fromOwner } from "@elwood/testkit/principals";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { rig as gateRig, T, tool } from "@elwood/testkit/gate-rig";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { expect, test } from "vitest";
import { Engine } from "./engine.ts";
import type { RunEvent } from "./feed.ts";
import { toModelMessages } from "./history.ts";
import type { Stores } from "../ports/ports.ts";
import { storedEnding } from "./stored-ending.ts";

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
const ASKED = "Remind me tomorrow at 9 to call the bank.";
const LIE = "I set the reminder for tomorrow at 9.";
const NOTE = "[Elwood, not the owner]";

type Says = Extract<ModelEvent, { type: "done" | "failed" }>;
type Lap = (request: ModelRequest) => Says | Promise<Says>;

const says =
  (text: string, stopReason: "end_turn" | "max_tokens" | "refusal" = "end_turn"): Lap =>
  () => ({
    type: "done",
    stopReason,
    blocks: text === "" ? [] : [{ type: "text", text }],
    usage,
    model: "m",
  });
const calls =
  (lead = "", ...inputs: readonly object[]): Lap =>
  () => ({
    type: "done",
    stopReason: "tool_use",
    blocks: [
      ...(lead === "" ? [] : [{ type: "text" as const, text: lead }]),
      ...(inputs.length > 0 ? inputs : [{ what: "call the bank" }]).map((input, i): Block => ({
        type: "tool_use",
        callId: `p${i}`,
        toolId: "reminder.item.create",
        input,
      })),
    ],
    usage,
    model: "m",
  });

/**
 * What the model says depends on the conversation alone, as a real one's answer would: how many
 * calls it sees, and whether it was told what does not fit.
 */
interface Script {
  readonly first?: Lap;
  readonly draft: Lap;
  /** After the note, lap by lap. */
  readonly repair: readonly Lap[];
}

function lapOf({ first = calls(), draft, repair }: Script, messages: readonly Message[]): Lap {
  const noted = messages.findLastIndex(
    (message) => message.role === "user" && textOf(message).includes(NOTE),
  );
  const made = (from: readonly Message[]) =>
    from.filter(({ role, blocks }) => role === "assistant" && blocks.some(({ type }) => type === "tool_use"))
      .length;
  if (noted < 0) return made(messages) === 0 ? first : draft;
  const lap = repair[made(messages.slice(noted))];
  if (!lap) throw new Error("the model was asked once more than expected");
  return lap;
}

/** A world that outlives processes: stores, gate, effects. The service refuses as often as it is told to. */
async function world(
  script: Script,
  { refusals = 1, limits = {} }: { refusals?: number; limits?: Partial<RunLimits> } = {},
) {
  const gate = await gateRig();
  let tries = 0;
  gate.tools.set(
    "reminder.item.create",
    tool("reminder.item.create", "write", async (input) => {
      tries += 1;
      if (tries <= refusals)
        return err({ code: "UPSTREAM", message: "The service said no.", retryable: false });
      gate.effects.push(input);
      return ok({ value: { done: true } });
    }),
  );
  const inner = memoryStores();
  const requests: ModelRequest[] = [];
  const ids = new FixedIds();
  const process = (stores: Stores) => {
    const quiet = { error() {}, warn() {}, info() {}, debug() {} };
    return new Engine({
      stores,
      tools: gate.gate,
      recorder: gate.gate,
      clock: new ManualClock(),
      ids,
      log: quiet,
      hash: (text) => text,
      redact: (text) => text,
      limits: { ...RUN_LIMITS, ...limits },
      prices: [],
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
            maxOutputTokens: 1_000,
            provider: {
              id: "test",
              async *chat(request: ModelRequest): AsyncIterable<ModelEvent> {
                requests.push(request);
                const said = await lapOf(script, request.messages)(request);
                for (const block of said.blocks)
                  if (block.type === "text") yield { type: "text", text: block.text };
                yield said;
              },
            },
          }),
      },
    });
  };
  const { id: sessionId } = await inner.sessions.create(T, {
    id: ids.next("session"),
    agentId: "a",
    title: "",
    at: 0,
  });
  const send = async (engine: Engine, text = ASKED) => {
    const parts = [{ kind: "text" as const, text, origin: "owner" as const }];
    const { run } = await engine.submit({ ...fromOwner(T), sessionId, parts, surface: "web" });
    const events: RunEvent[] = [];
    const ended = new Promise<RunEvent>((resolve) => {
      engine.feeds.get(run.id)?.subscribe((event) => {
        events.push(event);
        if (event.event === "chat.final" || event.event === "chat.error") resolve(event);
      });
    });
    engine.start(T, run);
    return { runId: run.id, events, ended };
  };
  /** One run to its end in one process. */
  const tell = async (text = ASKED) => {
    const engine = process(inner);
    const { runId, events, ended } = await send(engine, text);
    const { event, data } = await ended;
    await engine.whenIdle();
    expect(event).toBe("chat.final");
    return { runId, events, final: data as EventData<"chat.final"> };
  };
  const kept = async () => (await inner.transcripts.load(T, sessionId)).lines;
  const record = async (runId: string) =>
    (await gate.ledger.receipts(T, { runId, types: ["reply.grounded"], limit: 9 })).map(
      ({ payload }) => payload,
    );
  return { gate, inner, process, requests, send, tell, kept, record, sessionId };
}

const marked = ({ segments }: Pick<EventData<"chat.final">, "segments">) =>
  segments.filter(({ verified }) => verified === "unsupported").map(({ text }) => text.trim());
const own = ({ segments }: Pick<EventData<"chat.final">, "segments">) =>
  segments.filter(({ by }) => by === "gateway").map(({ text }) => text);

/** What is kept of the answer: one message holds it whole, and what the model went on from stands beside it, hidden. */
function expectKeptOnce(lines: readonly Message[], answer: string): void {
  const replies = lines.filter(
    ({ role, origin, meta, blocks }) =>
      role === "assistant" &&
      origin === "model" &&
      meta?.continued !== true &&
      !blocks.some(({ type }) => type === "tool_use"),
  );
  expect(replies.map(textOf)).toEqual([answer]);
  expect(lines.filter(({ meta }) => meta?.continued === true)).toHaveLength(1);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
}

test("OA-14: a reply that tells of a call that failed is gone on with: the model makes the call, and the mark is gone", async () => {
  const w = await world({
    draft: says(LIE),
    repair: [calls("Let me try again."), says("The first try failed; the reminder is set now [c2].")],
  });
  const { final, runId, events } = await w.tell();
  expect(final.text).toBe(`${LIE}\n\nThe first try failed; the reminder is set now.`);
  expect(final.segments.map(({ by }) => by)).not.toContain("gateway");
  expect(marked(final)).toEqual([]);
  expect(w.gate.effects).toEqual([{ what: "call the bank" }]);
  // Call, draft, the call again, and the words about it.
  expect(w.requests).toHaveLength(4);
  expect(await w.record(runId)).toMatchObject([{ verdict: "repaired", marks: [], notDone: 0 }]);
  expectKeptOnce(await w.kept(), final.text);
  // What a client is shown while it is written never loses the draft.
  let shown = "";
  for (const { event, data } of events) {
    if (event !== "chat.delta") continue;
    const { text, reset } = data;
    if (shown.includes(LIE) && reset) expect(text).toBe(LIE);
    shown = reset ? text : shown + text;
  }
  expect(shown).toBe(final.text);
});

test("OA-14: the model is told once, as nobody but Elwood, and what it repeats keeps its mark", async () => {
  const w = await world({ draft: says(LIE), repair: [says("It is all set.")] });
  const { final, runId } = await w.tell();
  expect(final.text).toBe(`${LIE}\n\nIt is all set.`);
  expect(marked(final)).toContain(LIE);
  expect(own(final)).toEqual(["◈ Not done, it failed: create reminder item → it."]);
  expect(w.requests).toHaveLength(3);
  const note = w.requests[2]!.messages.at(-1)!;
  expect(note.role).toBe("user");
  expect(textOf(note)).toContain(`${NOTE} Your answer above was delivered as it is.`);
  expect(w.requests[2]!.messages.at(-2)).toMatchObject({ role: "assistant", blocks: [{ text: LIE }] });
  expect(await w.record(runId)).toMatchObject([{ verdict: "repaired", notDone: 1 }]);
});

test("OA-14: a correction takes nothing back: the false sentence keeps its mark, on screen and on record, and the correction gets none", async () => {
  const correction = "Correction: it was not done.";
  const w = await world({ first: says("Deleted."), draft: says("never"), repair: [says(correction)] });
  const { final, runId } = await w.tell("delete old.txt");
  expect(final.text).toBe(`Deleted.\n\n${correction}`);
  expect(marked(final)).toEqual(["Deleted."]);
  expect((await w.kept()).at(-1)?.meta?.segments).toEqual(final.segments);
  expect(await w.record(runId)).toMatchObject([{ verdict: "repaired", marks: [{ kind: "no-call" }] }]);
  // It is not asked for once more.
  expect(w.requests).toHaveLength(2);
});

for (const [how, lap] of [
  ["is empty", says("")],
  ["is refused", says("", "refusal")],
  ["fails", (): Says => ({ type: "failed", failure: failure("OVERLOADED", "Busy."), blocks: [] })],
] as const)
  test(`OA-14: a lap that ${how} takes nothing from the draft, which keeps its marks`, async () => {
    const w = await world({ draft: says(LIE), repair: [lap] });
    const { final, runId } = await w.tell();
    expect(final.text).toBe(LIE);
    expect(marked(final)).toEqual([LIE]);
    expect(own(final)).toHaveLength(1);
    expect(final).not.toHaveProperty("note");
    expect(await w.record(runId)).toHaveLength(1);
    const lines = await w.kept();
    expectKeptOnce(lines, LIE);
    expect(lines.at(-1)?.meta?.segments).toEqual(final.segments);
    // Told again from the store it is the same.
    const run = (await w.inner.runs.get(T, runId))!;
    const again = await storedEnding(run, lines, await w.gate.gate.activity(T, runId), 1);
    expect(again.final).toMatchObject({ text: LIE, segments: final.segments, evidence: final.evidence });
  });

test("OA-14: a lap that runs into a limit leaves the draft with its marks, and what its calls did is reported", async () => {
  const limits = { laps: 3 };
  const w = await world(
    { draft: says(LIE), repair: [calls(), says("never asked")] },
    { refusals: 9, limits },
  );
  const { final } = await w.tell();
  expect(w.requests).toHaveLength(3);
  expect(final.text).toBe(LIE);
  expect(marked(final)).toEqual([LIE]);
  expect(own(final)).toEqual(["◈ Not done, it failed: create reminder item → it ×2."]);
  expectKeptOnce(await w.kept(), LIE);
});

test("OA-14: a lap that the owner stops leaves the draft, what had been added, and the marks", async () => {
  const reached = Promise.withResolvers<void>();
  const hangs: Lap = async ({ signal }) => {
    reached.resolve();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return {
      type: "failed",
      failure: failure("ABORTED", "Stopped."),
      blocks: [{ type: "text", text: "Wait, I" }],
    };
  };
  const w = await world({ draft: says(LIE), repair: [hangs] });
  const engine = w.process(w.inner);
  const { runId, ended } = await w.send(engine);
  await reached.promise;
  await engine.abort(T, runId, { id: "owner", surface: "web" });
  const final = (await ended).data as EventData<"chat.final">;
  await engine.whenIdle();
  expect(final).toMatchObject({ aborted: true, text: `${LIE}\n\nWait, I` });
  expect(marked(final)).toEqual([LIE]);
  expect(own(final)).toHaveLength(1);
  const replies = (await w.kept()).filter(
    ({ role, origin, meta }) => role === "assistant" && origin === "model" && !meta?.continued,
  );
  expect(replies.map(textOf)).toEqual(["", final.text]);
});

test("OA-14: a run that is given up after its draft was delivered still delivers it", async () => {
  const w = await world({ draft: says(LIE), repair: [says("never asked")] });
  const dying = faultyStores(w.inner);
  dying.crashAt("runs.addStep", "after", { nth: 4 });
  const { runId } = await w.send(w.process(dying));
  await dying.whenCrashed;
  for (let i = 0; i < 4; i++) await w.inner.runs.claim(T, runId, 0);
  const next = w.process(w.inner);
  await next.recover(T);
  await next.whenIdle();
  expect(await w.inner.runs.get(T, runId)).toMatchObject({
    status: "failed",
    failure: { reason: "INTERRUPTED" },
  });
  expectKeptOnce(await w.kept(), LIE);
});

test("weak evidence asks nothing more of the model", async () => {
  // Nothing but a look failed, and the reply does not tell of an effect that the owner asked for.
  const w = await world({ draft: says("It could not be set: the service refused it."), repair: [] });
  const { final, runId } = await w.tell();
  expect(w.requests).toHaveLength(2);
  expect(final.segments.some(({ verified }) => verified === "unsupported")).toBe(false);
  expect(own(final)).toHaveLength(1);
  expect(await w.record(runId)).toMatchObject([{ verdict: "clear", marks: [], notDone: 1 }]);
});

test("an effect that the owner asked for and no call made is asked for once, and done", async () => {
  const w = await world(
    {
      first: says("Done, I set the reminder for tomorrow at 9."),
      draft: says("never"),
      repair: [calls(), says("The reminder is set [c1].")],
    },
    { refusals: 0 },
  );
  const { final } = await w.tell();
  expect(final.text).toBe("Done, I set the reminder for tomorrow at 9.\n\nThe reminder is set.");
  expect(marked(final)).toEqual([]);
  expect(w.gate.effects).toHaveLength(1);
});

test("a cut-off draft is not gone on with: its marks are all that is added", async () => {
  const w = await world({ draft: says(LIE, "max_tokens"), repair: [] });
  const { final } = await w.tell();
  expect(w.requests).toHaveLength(2);
  expect(marked(final)).toEqual([LIE]);
});

test("later the model is shown its answer once, whole, without the note and without a word of Elwood's", async () => {
  const w = await world({ draft: says(LIE), repair: [says("In fact it was not set: the service said no.")] });
  const { final } = await w.tell();
  const shown = toModelMessages(await w.kept(), new LocalTime("UTC"));
  expect(shown.map(textOf).filter((text) => text.includes(LIE))).toEqual([final.text]);
  const words = JSON.stringify(shown.map(({ blocks }) => blocks));
  expect(words).not.toContain("Elwood, not the owner");
  expect(words).not.toContain("◈");
});

/** Every write between the call of the run and its end, and both sides of each. */
test("OA-14: a process that dies anywhere in the lap costs no call and no word: the answer is delivered once", async () => {
  const script: Script = {
    draft: says(LIE),
    repair: [calls("Let me try again."), says("The reminder is set now [c2].")],
  };
  const whole = await world(script);
  await whole.tell();
  // Steps of the run: the answer with the call, its result, the draft, the note, the call, its result; then the end.
  const writes: readonly (readonly [StoreWrite, number])[] = [
    ...[1, 2, 3, 4, 5, 6].map((nth) => ["runs.addStep", nth] as const),
    ["runs.end", 1],
    ["transcripts.append", 1],
    ["runs.commit", 1],
  ];
  for (const [write, nth] of writes)
    for (const moment of ["before", "after"] as const) {
      const w = await world(script);
      const dying = faultyStores(w.inner);
      dying.crashAt(write, moment, { nth });
      const { runId } = await w.send(w.process(dying));
      await dying.whenCrashed;
      const next = w.process(w.inner);
      await next.recover(T);
      await next.whenIdle();
      const where = `${moment} ${write} ${nth}`;
      expect(await w.inner.runs.get(T, runId), where).toMatchObject({ status: "done", committed: true });
      expect(w.gate.effects, where).toEqual([{ what: "call the bank" }]);
      expect(
        (await w.gate.gate.activity(T, runId)).map(({ status }) => status),
        where,
      ).toEqual(["failed", "succeeded"]);
      expectKeptOnce(await w.kept(), `${LIE}\n\nThe reminder is set now.`);
      expect(await w.record(runId), where).toMatchObject([{ verdict: "repaired", marks: [] }]);
      // However often it was begun, no request ends with the model's own words.
      for (const { messages } of w.requests) expect(messages.at(-1)?.role, where).not.toBe("assistant");
      const notes = (await w.kept()).filter((line) => textOf(line).startsWith(NOTE));
      expect(notes, where).toHaveLength(1);
    }
});
