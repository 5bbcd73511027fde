import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Assistant, GatewayEngine, HumanInTheLoop, Tool, type Conversation } from "@elwood/sdk";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../methods/test-scene.ts";

let model: ScriptedAnthropic;
let scene: Scene;

beforeAll(async () => {
  model = await startScriptedAnthropic();
  scene = await openScene(model);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function begun(engine: GatewayEngine): Promise<Conversation> {
  onTestFinished(() => engine.close());
  const assistant = new Assistant({
    id: "clerk",
    name: "Clerk",
    role: "",
    personality: "",
    tools: [],
    model: `anthropic/${model.play([])}`,
    coreEngineClient: engine,
  });
  const conversation = assistant.startConversation("hello");
  for await (const event of conversation) if (event.type === "turn_end") break;
  return conversation;
}

function engineOf(token = scene.gateway.ownerToken): GatewayEngine {
  return new GatewayEngine({ url: scene.gateway.url, token });
}

/** The owner answers whatever is asked in a conversation, on a surface of their own. */
function ownerAnswers(conversation: Conversation, ...answers: string[]): string[] {
  const asked: string[] = [];
  const unhear = scene.client.onPush((push) => {
    if (!isPush(push, "owner.question") || push.data.sessionKey !== conversation.id) return;
    asked.push(push.data.question);
    const answer = answers.shift();
    if (answer !== undefined)
      void scene.client.call("owner.answer", { questionId: push.data.questionId, answer });
  });
  onTestFinished(unhear);
  return asked;
}

test("a question, an approval and a choice are answered by the owner, who sees which token asks", async () => {
  const { token } = await scene.call("tokens.create", { name: "till", scopes: ["chat", "admin"] });
  const conversation = await begun(engineOf(token));
  const asked = ownerAnswers(conversation, "Anna", "yes", "no", "Roses", "maybe");
  expect(await HumanInTheLoop.ask(conversation, "Who is it for?")).toBe("Anna");
  expect(await HumanInTheLoop.getApproval(conversation, "Pack it?")).toBe(true);
  expect(await HumanInTheLoop.getApproval(conversation, "Send it?")).toBe(false);
  const flowers = [
    { name: "Roses", price: 3 },
    { name: "Tulips", price: 2 },
  ];
  expect(await HumanInTheLoop.selectOption(conversation, "Which?", flowers)).toBe(flowers[0]);
  await expect(HumanInTheLoop.selectOption(conversation, "Which?", ["red", "white"])).rejects.toMatchObject({
    code: "other_answer",
    cause: "maybe",
  });
  expect(asked[0]).toBe("till asks: Who is it for?");
});

test("a question that nobody answers in time ends in a HumanInputTimeoutError", async () => {
  const conversation = await begun(engineOf());
  await expect(HumanInTheLoop.ask(conversation, "Anybody?", { timeoutMs: 50 })).rejects.toMatchObject({
    name: "HumanInputTimeoutError",
    code: "human_input_timeout",
  });
});

test("a program can answer its own question only with a token that may approve", async () => {
  const { token } = await scene.call("tokens.create", { name: "till-2", scopes: ["chat", "admin"] });
  const conversation = await begun(engineOf(token));
  const answer = HumanInTheLoop.ask(conversation, "May I?");
  for await (const event of conversation) {
    if (event.type !== "human_input_required") continue;
    expect(event).toMatchObject({ kind: "question", prompt: "till-2 asks: May I?" });
    await expect(conversation.submitHumanInput("yes", event.inputStepId)).rejects.toMatchObject({
      code: "SCOPE_MISSING",
    });
    const owner = new GatewayEngine({ url: scene.gateway.url, token: scene.gateway.ownerToken });
    onTestFinished(() => owner.close());
    await owner.submit(event.inputStepId, "you may");
    await expect(owner.submit(event.inputStepId, "you may not")).rejects.toMatchObject({
      code: "already_decided",
    });
    break;
  }
  expect(await answer).toBe("you may");
});

test("a question under a key is asked once, whichever process asks it, and another under that key is refused", async () => {
  const conversation = await begun(engineOf());
  const asked = ownerAnswers(conversation, "blue");
  const ask = (from: Conversation, words: string) => HumanInTheLoop.ask(from, words, { key: "colour" });
  expect(await ask(conversation, "Which colour?")).toBe("blue");
  const again = await begun(engineOf());
  const other = new GatewayEngine({ url: scene.gateway.url, token: scene.gateway.ownerToken });
  onTestFinished(() => other.close());
  expect(await other.askOwner(conversation.id, { question: "Which colour?", key: "colour" })).toBe("blue");
  await expect(ask(conversation, "Which size?")).rejects.toMatchObject({ code: "CONFLICT" });
  expect(asked).toHaveLength(1);
  expect(again.id).not.toBe(conversation.id);
});

test("a question outlives the program that asked: the next one waits for the same row, and gets the answer", async () => {
  const first = engineOf();
  const conversation = await begun(first);
  HumanInTheLoop.ask(conversation, "Which colour?", { key: "paint" }).catch(() => undefined);
  for await (const event of conversation) if (event.type === "human_input_required") break;
  await first.close();
  const second = engineOf();
  onTestFinished(() => second.close());
  const answer = second.askOwner(conversation.id, { question: "Which colour?", key: "paint" });
  const { approvals } = await scene.call("approvals.list", {
    status: "pending",
    sessionKey: conversation.id,
  });
  expect(approvals).toHaveLength(1);
  await scene.call("owner.answer", { questionId: approvals[0]!.approvalId, answer: "green" });
  expect(await answer).toBe("green");
});

test("a question outlives a restart of the gateway: the program that waits gets the answer", async () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-question-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  const first = await openScene(model, { home });
  const token = first.gateway.ownerToken;
  const conversation = await begun(new GatewayEngine({ home, token, env: {} }));
  const answer = HumanInTheLoop.ask(conversation, "Still there?");
  for await (const event of conversation) if (event.type === "human_input_required") break;
  await first[Symbol.asyncDispose]();
  await using second = await openScene(model, { home });
  const { approvals } = await second.call("approvals.list", { status: "pending" });
  expect(approvals).toMatchObject([{ kind: "question", sessionKey: conversation.id }]);
  const client = await GatewayClient.connect({ url: second.gateway.url, token, client: { name: "phone" } });
  onTestFinished(() => client.close());
  await client.call("owner.answer", { questionId: approvals[0]!.approvalId, answer: "yes, still" });
  expect(await answer).toBe("yes, still");
});

test("a tool that asks the owner in the middle of its call does not run out of time while they think", async () => {
  const clock = new ManualClock({ autoAdvance: (ms) => ms < 1_000 });
  await using slow = await openScene(model, { clock });
  const { url, ownerToken: token } = slow.gateway;
  const engine = new GatewayEngine({ url, token });
  onTestFinished(() => engine.close());
  const assistant = new Assistant({
    id: "asker",
    name: "Asker",
    role: "",
    personality: "",
    tools: [],
    model: `anthropic/${model.play([["app.asker.book", {}]])}`,
    coreEngineClient: engine,
  });
  const conversation = assistant.openConversation(engine.newConversationId());
  const execute = async () => HumanInTheLoop.ask(conversation, "For how many?");
  const inputSchema = { type: "object" };
  assistant.registerTool(
    new Tool({ name: "book", description: "Books.", inputSchema, timeoutMs: 5_000, execute }),
  );
  let status: string | undefined;
  for await (const event of conversation.stream("book a table")) {
    if (event.type === "tool_output") status = event.status;
    if (event.type !== "human_input_required") continue;
    if (event.kind === "question") await clock.advance(60_000);
    await conversation.submitHumanInput(event.kind === "question" ? "four" : "yes", event.inputStepId);
  }
  expect(status).toBe("succeeded");
  expect(model.lastShown()).toContain("four");
});
