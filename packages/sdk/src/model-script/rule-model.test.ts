import type { Block, Message } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { describe, expect, test } from "vitest";
import { makeRuleModel, readTurn, type Rule } from "./rule-model.ts";
import { toolCall } from "./steps.ts";

const message = (role: Message["role"], ...blocks: Block[]): Message => ({
  id: "1",
  ts: 0,
  role,
  origin: "owner",
  blocks,
});
const text = (words: string): Block => ({ type: "text", text: words });
const request = (...messages: Message[]): ModelRequest => ({
  model: "m",
  system: "",
  messages,
  tools: [],
  maxOutputTokens: 1,
  readBlob: async () => undefined,
  writeBlob: async () => "",
  signal: new AbortController().signal,
});

const rules: Rule[] = [
  { name: "twice", when: ({ plain, earlier }) => plain === "hello" && earlier.length > 0, answer: "Again?" },
  { name: "hello", when: /^hello\b/, answer: "Hello." },
  {
    name: "list",
    when: /\blist\b/,
    answer: ({ results }) =>
      results.length === 0
        ? [toolCall("files.file.list", { path: "." })]
        : `I found: ${results.map((r) => r.text).join()}`,
  },
  {
    name: "broken",
    when: /broken/,
    answer: () => {
      throw new Error("oops");
    },
  },
];
const model = makeRuleModel({ id: "rules", model: "r1", rules, otherwise: "I do not know." });

async function last(...messages: Message[]): Promise<ModelEvent> {
  let event: ModelEvent | undefined;
  for await (const e of model.chat(request(...messages))) event = e;
  return event!;
}

describe("a model of rules", () => {
  test("answers by the first rule that fits, else otherwise", async () => {
    expect(await last(message("user", text("Hello, you!")))).toMatchObject({
      type: "done",
      model: "r1",
      blocks: [{ text: "Hello." }],
    });
    expect(await last(message("user", text("what?")))).toMatchObject({
      blocks: [{ text: "I do not know." }],
    });
  });

  test("sees the whole conversation", async () => {
    const hello = message("user", text("hello"));
    expect(await last(hello, message("assistant", text("Hello.")), hello)).toMatchObject({
      blocks: [{ text: "Again?" }],
    });
  });

  test("a rule can call a tool and answer with what came back", async () => {
    const asked = message("user", text("list my files"));
    const call = await last(asked);
    expect(call).toMatchObject({
      stopReason: "tool_use",
      blocks: [{ type: "tool_use", toolId: "files.file.list" }],
    });
    const result: Block = { type: "tool_result", callId: "c", status: "ok", text: "a.txt" };
    expect(await last(asked, message("assistant", toolUse), message("tool", result))).toMatchObject({
      blocks: [{ text: "I found: a.txt" }],
    });
  });

  test("results of an earlier question are not taken for this one's", () => {
    const result: Block = { type: "tool_result", callId: "c", status: "ok", text: "old" };
    const turn = readTurn(
      request(
        message("user", text("list")),
        message("assistant", toolUse),
        message("tool", result),
        message("user", text("list")),
      ),
    );
    expect(turn.results).toEqual([]);
    expect(turn.earlier).toEqual(["list"]);
  });

  test("a rule that breaks down is a failure, not an exception", async () => {
    expect(await last(message("user", text("broken")))).toMatchObject({
      type: "failed",
      failure: { reason: "INTERNAL" },
    });
  });

  test("a conversation without an owner is answered too", async () => {
    expect(await last()).toMatchObject({ type: "done" });
  });
});

const toolUse: Block = { type: "tool_use", callId: "c", toolId: "files.file.list", input: {} };
