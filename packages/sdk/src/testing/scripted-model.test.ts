import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { describe, expect, test } from "vitest";
import { ScriptedModel } from "./scripted-model.ts";
import {
  delay,
  disconnect,
  error,
  image,
  retry,
  stop,
  text,
  thinking,
  toolCall,
  usage,
  wait,
} from "../model-script/steps.ts";

function ask(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "m",
    system: "s",
    messages: [{ id: "1", ts: 0, role: "user", origin: "owner", blocks: [{ type: "text", text: "hello" }] }],
    tools: [],
    maxOutputTokens: 100,
    readBlob: async () => undefined,
    writeBlob: async () => "blob_1",
    signal: new AbortController().signal,
    ...change,
  };
}

async function hear(model: ScriptedModel, request = ask()): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.chat(request)) events.push(event);
  return events;
}

describe("ScriptedModel", () => {
  test("plays text in chunks that add up, and one answer a call", async () => {
    const model = new ScriptedModel([text("One two three."), [thinking("hm"), text("Four.", ["Fo", "ur."])]]);
    const first = await hear(model);
    expect(first.filter((e) => e.type === "text").map((e) => e.text)).toEqual(["One ", "two ", "three."]);
    expect(first.at(-1)).toMatchObject({
      type: "done",
      stopReason: "end_turn",
      blocks: [{ type: "text", text: "One two three." }],
    });
    const second = await hear(model);
    expect(second.map((e) => e.type)).toEqual(["thinking", "text", "text", "done"]);
    model.assertComplete();
  });

  test("calls tools, with arguments streamed for progress and whole at the end", async () => {
    const model = new ScriptedModel([
      [
        toolCall("files.file.read", { path: "a" }),
        toolCall("clock.now"),
        toolCall("x.y", {}, { callId: "own", malformed: "{oops" }),
      ],
    ]);
    const events = await hear(model);
    expect(events.at(-1)).toMatchObject({
      stopReason: "tool_use",
      blocks: [
        { type: "tool_use", toolId: "files.file.read", input: { path: "a" } },
        { type: "tool_use", toolId: "clock.now", input: {} },
        { callId: "own", malformed: "{oops" },
      ],
    });
    const args = events.flatMap((e) => (e.type === "tool_args" && e.index === 0 ? [e.json] : [])).join("");
    expect(JSON.parse(args)).toEqual({ path: "a" });
  });

  test("fails, breaks off, tries again and stops as told", async () => {
    const model = new ScriptedModel([
      [text("so far"), error("OVERLOADED", "Busy.", 5_000)],
      [text("half"), disconnect()],
      [text("void"), retry(), text("good")],
      [text("x"), stop("refusal", "No."), usage({ inputTokens: 3 })],
      image(new Uint8Array([1])),
    ]);
    expect((await hear(model)).at(-1)).toMatchObject({
      type: "failed",
      failure: { reason: "OVERLOADED", retryAfterMs: 5_000 },
      blocks: [{ text: "so far" }],
    });
    expect((await hear(model)).at(-1)).toMatchObject({
      failure: { reason: "NETWORK" },
      blocks: [{ text: "half" }],
    });
    expect((await hear(model)).at(-1)).toMatchObject({ type: "done", blocks: [{ text: "good" }] });
    expect((await hear(model)).at(-1)).toMatchObject({
      stopReason: "refusal",
      note: "No.",
      usage: { inputTokens: 3, outputTokens: 0 },
    });
    expect((await hear(model)).at(-1)).toMatchObject({ blocks: [{ type: "image", blobId: "blob_1" }] });
  });

  test("an abort is heard between two words, while waiting, and before the first", async () => {
    const stopper = new AbortController();
    const model = new ScriptedModel([text("one two three"), wait(new Promise(() => {})), text("never")]);
    const events: ModelEvent[] = [];
    for await (const event of model.chat(ask({ signal: stopper.signal }))) {
      events.push(event);
      stopper.abort();
    }
    expect(events).toMatchObject([
      { text: "one " },
      { type: "failed", failure: { reason: "ABORTED" }, blocks: [{ text: "one " }] },
    ]);
    const waiting = new AbortController();
    const running = hear(model, ask({ signal: waiting.signal }));
    waiting.abort();
    expect(await running).toMatchObject([{ failure: { reason: "ABORTED" } }]);
    expect(await hear(model, ask({ signal: AbortSignal.abort() }))).toMatchObject([
      { failure: { reason: "ABORTED" }, blocks: [] },
    ]);
  });

  test("a call beyond the script fails the run, and the test", async () => {
    const model = new ScriptedModel([text("only one")]);
    await hear(model);
    expect(await hear(model)).toMatchObject([
      {
        type: "failed",
        failure: { reason: "INTERNAL", message: expect.stringContaining("did not expect call 2") },
      },
    ]);
    expect(() => model.assertComplete()).toThrow("called 2 times; its script has 1");
  });

  test("an answer nobody asked for fails the test", () => {
    expect(() => new ScriptedModel([text("a"), text("b")]).assertComplete()).toThrow(
      "2 of 2 scripted answers were never asked for",
    );
  });

  test("requests are recorded, frozen and untouched by what happens later", async () => {
    const model = new ScriptedModel([text("ok")]);
    const request = ask();
    await hear(model, request);
    (request.messages[0]!.blocks[0] as { text: string }).text = "changed";
    expect(model.requests[0]?.messages[0]?.blocks).toEqual([{ type: "text", text: "hello" }]);
    expect(() => Object.assign(model.requests[0]!, { system: "x" })).toThrow(TypeError);
    expect(() => Object.assign(model.requests[0]!.messages[0]!, { role: "tool" })).toThrow(TypeError);
  });

  test("delays go through the clock it is given; without one they are refused", async () => {
    const slept: number[] = [];
    const clock = { sleep: async (ms: number) => void slept.push(ms) };
    await hear(new ScriptedModel([[delay(50), text("a b")]], { clock, paceMs: 5 }));
    expect(slept).toEqual([50, 5, 5]);
    expect(() => new ScriptedModel([delay(1)])).toThrow("needs a clock");
  });

  test("a step that breaks down is a failure, not an exception", async () => {
    const model = new ScriptedModel([wait(Promise.reject(new Error("boom")))]);
    expect(await hear(model)).toMatchObject([{ type: "failed", failure: { reason: "INTERNAL" } }]);
  });
});
