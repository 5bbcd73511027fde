import { z } from "zod";
import { expect, expectTypeOf, test } from "vitest";
import { disconnect, error, text, thinking, toolCall, type Step } from "../model-script/steps.ts";
import { autoApprove, MemoryEngine, type MemoryEngineOptions } from "../testing/memory-engine.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { Assistant } from "./assistant.ts";
import { HumanInTheLoop } from "./human-in-the-loop.ts";
import { Tool } from "./tool.ts";

const doubled = new Tool({
  name: "double",
  description: "Doubles a number.",
  inputSchema: z.object({ n: z.number() }),
  execute: async ({ n }) => ({ twice: n * 2 }),
});

function scripted(script: readonly (Step | readonly Step[])[], more: Partial<MemoryEngineOptions> = {}) {
  const model = new ScriptedModel(script);
  const engine = new MemoryEngine({ model, approvals: autoApprove(), ...more });
  const about = { id: "ada", name: "Ada", role: "counts", personality: "exact" };
  const assistant = new Assistant({ ...about, tools: [doubled], coreEngineClient: engine });
  return { model, engine, assistant };
}

test("an assistant and its tools are tested without a gateway: the model is a script, and all of it must be used", async () => {
  const { model, engine, assistant } = scripted([toolCall("double", { n: 21 }), text("It is 42.")]);
  const { text: said, activity, runId } = await assistant.ask("Double 21");
  expect(said).toBe("It is 42.");
  expect(activity).toMatchObject([{ toolId: "double", status: "succeeded" }]);
  expect(engine.receipts(runId)).toMatchObject([{ tool: "double", status: "succeeded", input: { n: 21 } }]);
  expect(model.requests[0]?.system).toContain("exact");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('{\\"twice\\":42}');
  model.assertComplete();
});

test("with a schema the answer is a checked value of its type, asked for again once where it does not fit", async () => {
  const schema = z.object({ total: z.number() });
  const { model, assistant } = scripted([text("about forty"), text('```json\n{ "total": 42 }\n```')]);
  const { output } = await assistant.ask("Total?", { output: schema });
  expectTypeOf(output).toEqualTypeOf<{ total: number }>();
  expect(output).toEqual({ total: 42 });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("total");
  const stubborn = scripted([text("forty"), text('{"total": "forty"}')]).assistant;
  await expect(stubborn.ask("Total?", { output: schema })).rejects.toMatchObject({
    name: "ConversationError",
    code: "output_invalid",
    cause: '{"total": "forty"}',
  });
});

test("an output schema that is none is refused in words before anything is sent", async () => {
  const { model, assistant } = scripted([]);
  const none = { type: "strin" } as const;
  await expect(assistant.ask("Total?", { output: none })).rejects.toMatchObject({
    name: "ConversationError",
    code: "invalid_schema",
    message: expect.stringContaining("Nothing was sent"),
  });
  expect(model.requests).toEqual([]);
});

test("what happens before anybody listens waits for the first who does", async () => {
  const { assistant, engine } = scripted([[thinking("hm"), text("Hello.", ["Hel", "lo."])]]);
  const conversation = assistant.startConversation("hi");
  const over = Promise.withResolvers<void>();
  engine.listen(conversation.id, ({ type }) => type === "turn_end" && over.resolve());
  await over.promise;
  const heard: unknown[] = [];
  conversation.on("message", ({ content }) => heard.push(content));
  conversation.on("end", () => heard.push("end"));
  await conversation.end();
  expect(heard).toEqual(["Hello.", "end"]);
});

test("a conversation is a stream of numbered events, and one message's stream ends with its turn", async () => {
  const { assistant } = scripted([[thinking("hm"), text("One.")], text("Two.")]);
  const first = assistant.startConversation("1");
  const types: string[] = [];
  for await (const event of first) {
    types.push(`${event.seq} ${event.type}`);
    if (event.type === "turn_end") break;
  }
  expect(types).toEqual(["1 thinking", "2 text_delta", "3 message", "4 activity", "5 usage", "6 turn_end"]);
  const second: string[] = [];
  for await (const event of first.stream("2")) if (event.type === "text_delta") second.push(event.text);
  expect(second.join("")).toBe("Two.");
  expect((await first.getHistory()).map(({ sender, content }) => [sender, content])).toEqual([
    ["user", "1"],
    ["assistant", "One."],
    ["user", "2"],
    ["assistant", "Two."],
  ]);
});

test("once and off hear no more than they should, and an ended conversation takes no message", async () => {
  const { assistant } = scripted([text("One."), text("Two.")]);
  const conversation = assistant.startConversation("1");
  const heard: string[] = [];
  const always = () => heard.push("off");
  conversation.once("message", () => heard.push("once"));
  conversation.on("message", always);
  conversation.off("message", always);
  for await (const event of conversation) if (event.type === "turn_end") break;
  for await (const { type } of conversation.stream("2")) if (type === "error") heard.push(type);
  expect(heard).toEqual(["once"]);
  await conversation.end();
  await expect(conversation.sendMessage("3")).rejects.toMatchObject({
    name: "ConversationError",
    code: "ended",
  });
});

test("a failure of the model is an error with a code, and a broken start is an event", async () => {
  await expect(scripted([error("OVERLOADED")]).assistant.ask("hi")).rejects.toMatchObject({
    name: "ConversationError",
    code: "OVERLOADED",
  });
  await expect(scripted([disconnect()]).assistant.ask("hi")).rejects.toMatchObject({
    name: "ConversationError",
  });
  const { assistant } = scripted([]);
  const types: string[] = [];
  const conversation = assistant.startConversation("hi");
  for await (const event of conversation) {
    types.push(event.type);
    if (event.type === "turn_end") break;
  }
  expect(types).toEqual(["error", "turn_end"]);
});

test("a call that no rule allows asks, and is made only after a yes", async () => {
  for (const [answer, status] of [
    ["yes", "succeeded"],
    ["no", "denied"],
  ] as const) {
    const { assistant, engine } = scripted([toolCall("double", { n: 1 }), text("done")], {
      approvals: () => "ask",
    });
    const conversation = assistant.startConversation("go");
    for await (const event of conversation) {
      if (event.type === "human_input_required") {
        await expect(conversation.submitHumanInput("hm", event.inputStepId)).rejects.toMatchObject({
          code: "invalid_response",
        });
        await conversation.submitHumanInput(answer, event.inputStepId);
        await expect(conversation.submitHumanInput("no", event.inputStepId)).rejects.toMatchObject({
          code: "already_decided",
        });
      }
      if (event.type === "turn_end") break;
    }
    expect(engine.receipts().map((receipt) => receipt.status)).toEqual([status]);
  }
});

test("a tool can ask the owner in the middle of its work", async () => {
  const { assistant, engine } = scripted([toolCall("greet"), text("done")], {
    answers: ({ question, options }) => (question === "Who?" ? "Bob" : options?.[1]),
  });
  const asked: unknown[] = [];
  const conversation = assistant.openConversation("c-1");
  assistant.registerTool(
    new Tool({
      name: "greet",
      description: "Greets somebody.",
      inputSchema: { type: "object" },
      async execute() {
        asked.push(await HumanInTheLoop.ask(conversation, "Who?"));
        asked.push(await HumanInTheLoop.selectOption(conversation, "How?", ["loudly", "quietly"]));
        asked.push(await HumanInTheLoop.getApproval(conversation, "Now?"));
      },
    }),
  );
  for await (const { type } of conversation.stream("greet")) if (type === "error") asked.push(type);
  expect(asked).toEqual(["Bob", "quietly", false]);
  expect(engine.receipts()).toMatchObject([{ tool: "greet", status: "succeeded" }]);
});

test("an answer that does not come in time is a HumanInputTimeoutError", async () => {
  const { assistant } = scripted([]);
  const question = HumanInTheLoop.ask(assistant.openConversation("c"), "Anybody?", { timeoutMs: 1 });
  await expect(question).rejects.toMatchObject({ name: "HumanInputTimeoutError" });
});

test("a run is stopped by a signal, before it begins and in the middle of it", async () => {
  const { assistant } = scripted([toolCall("double", { n: 1 })], { approvals: () => "ask" });
  await expect(assistant.ask("go", { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "aborted",
  });
  const stop = new AbortController();
  const { assistant: second } = scripted([toolCall("double", { n: 1 })], {
    approvals: () => {
      queueMicrotask(() => stop.abort());
      return "ask";
    },
  });
  await expect(second.ask("go", { signal: stop.signal })).rejects.toMatchObject({ code: "aborted" });
});

test("ids and tools that cannot be right are refused at once, in words", () => {
  const about = { name: "A", role: "", personality: "" };
  const make = (id: string, tools: Tool[] = []) => new Assistant({ id, tools, ...about });
  expect(() => make("Support Bot")).toThrow(/is not an id/);
  expect(() => make("a".repeat(25))).toThrow(/24 characters/);
  const again = new Tool({ ...doubled.config, inputSchema: { type: "object" }, execute: async () => 1 });
  expect(() => make("a", [doubled, again])).toThrow(/two tools called "double"/);
  expect(make("a", [doubled]).getTool("double")).toBe(doubled);
  expect(make("a").getTool("double")).toBeUndefined();
});
