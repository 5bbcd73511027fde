import {
  Assistant,
  GatewayEngine,
  HumanInTheLoop,
  Tool,
  ToolExecutionError,
  type StreamEvent,
} from "@elwood/sdk";
import { GatewayClient, isPush } from "@elwood/sdk/client";
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

function engineOf(token = scene.gateway.ownerToken): GatewayEngine {
  const engine = new GatewayEngine({ url: scene.gateway.url, token, name: "shop" });
  onTestFinished(() => engine.close());
  return engine;
}

const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

function weather(ran: string[], execute?: () => Promise<unknown>): Tool {
  return new Tool({
    name: "get_weather",
    description: "The weather in a city.",
    inputSchema: CITY,
    execute: async ({ city }, conversationId) => {
      ran.push(`${String(city)} ${conversationId}`);
      return execute ? execute() : { sky: "clear" };
    },
  });
}

let made = 0;
function assistantOf(
  tools: Tool[],
  given: { calls?: [string, unknown][]; engine?: GatewayEngine; id?: string } = {},
) {
  const id = given.id ?? `bot-${(made += 1)}`;
  const calls = (given.calls ?? []).map(([name, input]) => [`app.${id}.${name}`, input] as const);
  return new Assistant({
    id,
    name: "Ada",
    role: "helps customers of a flower shop",
    personality: "dry wit",
    tools,
    model: `anthropic/${model.play(calls)}`,
    coreEngineClient: given.engine ?? engineOf(),
  });
}

/** Decides every approval of a conversation. */
async function answered(
  assistant: Assistant,
  decision: "yes" | "no",
  prompt = "How is the weather in Rome?",
) {
  const conversation = assistant.startConversation(prompt);
  const events: StreamEvent[] = [];
  for await (const event of conversation) {
    events.push(event);
    if (event.type === "human_input_required" && event.kind === "approval")
      await conversation.submitHumanInput(decision, event.inputStepId);
    if (event.type === "turn_end") break;
  }
  const activity = events.find((event) => event.type === "activity")?.activity ?? [];
  return { conversation, events, activity };
}

test("an assistant answers as who it is, with what its program keeps for it, and nobody in it speaks as the owner", async () => {
  const assistant = assistantOf([]);
  await assistant.updateContext({ season: "tulips" });
  expect(await assistant.getContext()).toEqual({ season: "tulips" });
  const answer = await assistant.ask("Who are you?");
  expect(answer).toMatchObject({ text: "That is all.", activity: [], evidence: "", output: undefined });
  expect(answer.usage?.outputTokens).toBeGreaterThan(0);
  const shown = model.lastShown();
  for (const words of ["Ada", "flower shop", "dry wit", "tulips"]) expect(shown).toContain(words);
  const { run } = await scene.call("runs.get", { runId: answer.runId });
  const { messages } = await scene.call("chat.history", { sessionKey: run.sessionKey });
  expect(messages[0]).toMatchObject({ role: "user", origin: "program", content: "Who are you?" });
  expect(messages[0]?.blocks).toMatchObject([{ origin: "program" }]);
});

test("a tool in the program's process asks before it runs, runs once, and leaves receipts like any other", async () => {
  const ran: string[] = [];
  const assistant = assistantOf([weather(ran)], { calls: [["get_weather", { city: "Rome" }]] });
  const { conversation, events, activity } = await answered(assistant, "yes");
  expect(ran).toEqual([`Rome ${conversation.id}`]);
  expect(events.find(({ type }) => type === "human_input_required")).toMatchObject({
    kind: "approval",
    input: { city: "Rome" },
  });
  expect(activity).toMatchObject([{ toolId: `app.${assistant.id}.get_weather`, status: "succeeded" }]);
  expect(model.lastShown()).toContain("clear");
  const { receipts } = await scene.call("receipts.list", { callId: activity[0]!.callId });
  expect(receipts.map(({ type }) => type).reverse()).toEqual([
    "tool.call.requested",
    "tool.call.asked",
    "tool.call.approved",
    "tool.call.started",
    "tool.call.succeeded",
  ]);
  const seqs = events
    .filter(({ runId, type }) => runId !== "" && !type.startsWith("human_"))
    .map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  const history = await conversation.getHistory();
  expect(history.map(({ sender, type }) => `${sender} ${type}`)).toEqual([
    "user text",
    "assistant tool_call",
    "tool tool_output",
    "assistant text",
  ]);
});

test("a call that is denied never reaches the program", async () => {
  const ran: string[] = [];
  const assistant = assistantOf([weather(ran)], { calls: [["get_weather", { city: "Rome" }]] });
  const { activity } = await answered(assistant, "no");
  expect(activity).toMatchObject([{ status: "denied" }]);
  expect(ran).toEqual([]);
});

test("only the assistant that a tool belongs to sees it, and the gateway's tools only where they are named", async () => {
  const assistant = assistantOf([weather([])]);
  await assistant.ask("hello");
  expect(model.lastTools()).toEqual([`app__${assistant.id}__get_weather`]);
  await assistantOf([]).ask("hello");
  expect(model.lastTools()).toEqual([]);
  await scene.run({ says: "hello" });
  expect(model.lastTools().filter((name) => name.startsWith("app__"))).toEqual([]);
});

test("a token without the scope approve sees an approval and cannot decide it", async () => {
  const { token } = await scene.call("tokens.create", { name: "shop-1", scopes: ["chat", "admin"] });
  const ran: string[] = [];
  const assistant = assistantOf([weather(ran)], {
    calls: [["get_weather", { city: "Rome" }]],
    engine: engineOf(token),
  });
  const conversation = assistant.startConversation("How is the weather in Rome?");
  for await (const event of conversation) {
    if (event.type !== "human_input_required") continue;
    await expect(conversation.submitHumanInput("yes", event.inputStepId)).rejects.toMatchObject({
      name: "GatewayUnavailableError",
      code: "SCOPE_MISSING",
    });
    // The card names the program whose tool it is.
    expect(event.prompt).toContain("shop-1");
    await scene.call("exec.approve", { approvalId: event.inputStepId });
    break;
  }
  for await (const event of conversation) if (event.type === "turn_end") break;
  expect(ran).toHaveLength(1);
});

test("a tool that says it failed has failed; one that throws anything else is unknown, and the owner is asked", async () => {
  const outcomes: string[] = [];
  for (const error of [
    new ToolExecutionError("closed", "The station is closed."),
    new Error("socket hang up"),
  ]) {
    const assistant = assistantOf([weather([], () => Promise.reject(error))], {
      calls: [["get_weather", { city: "Rome" }]],
    });
    const { activity } = await answered(assistant, "yes");
    outcomes.push(activity[0]?.status ?? "none");
  }
  expect(outcomes).toEqual(["failed", "unknown"]);
});

test("a tool that never answers is stopped when its time is over, and what it did is unknown", async () => {
  const stopped = Promise.withResolvers<unknown>();
  const slow = new Tool({
    name: "slow",
    description: "Takes for ever.",
    inputSchema: { type: "object" },
    timeoutMs: 100,
    execute: (_args, _id, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => stopped.resolve(signal.reason))),
  });
  const assistant = assistantOf([slow], { calls: [["slow", {}]] });
  const { activity } = await answered(assistant, "yes");
  expect(activity).toMatchObject([{ status: "unknown" }]);
  expect(await stopped.promise).toContain("timeout");
});

test("an answer that is too large to travel is left out, and the call has still succeeded", async () => {
  const assistant = assistantOf([weather([], async () => "x".repeat(3_000_000))], {
    calls: [["get_weather", { city: "Rome" }]],
  });
  const { activity } = await answered(assistant, "yes");
  expect(activity).toMatchObject([{ status: "succeeded" }]);
  expect(model.lastShown()).toContain("was left out");
});

/** A program that speaks the protocol itself, so that a test can break it off anywhere. */
async function program(
  assistantId: string,
  clientId: string,
  { description = "Pays.", canReconcile = false } = {},
) {
  const { url, ownerToken: token } = scene.gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "raw", drafts: true } });
  onTestFinished(() => client.close());
  const invoked: { invocationId: string; what: string; input: unknown; idempotencyKey: string }[] = [];
  const waiting: (() => void)[] = [];
  client.onPush((push) => {
    if (!isPush(push, "tool.invoke")) return;
    invoked.push(push.data);
    waiting.splice(0).forEach((wake) => wake());
  });
  const tools = [{ name: "pay", description, inputSchema: { type: "object" }, canReconcile }];
  const register = () => client.call("tools.register", { assistantId, clientId, tools });
  return {
    client,
    register,
    async invocation(n = 0) {
      while (invoked.length <= n) await new Promise<void>((resolve) => waiting.push(resolve));
      return invoked[n]!;
    },
  };
}

/** A run whose model calls `pay`; resolves with how that ended. */
async function payment(assistantId: string, onAsk: () => Promise<unknown> = async () => {}) {
  const { sessionKey } = await scene.call("sessions.create", { agentId: `app.${assistantId}` });
  const ended = Promise.withResolvers<string>();
  const unhear = scene.client.onPush((push) => {
    if (isPush(push, "exec.approval_request") && push.data.sessionKey === sessionKey)
      void onAsk().then(() => scene.client.call("exec.approve", { approvalId: push.data.approvalId }));
    if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey)
      ended.resolve(push.data.activity.at(-1)?.status ?? "none");
  });
  onTestFinished(unhear);
  await scene.call("chat.send", {
    sessionKey,
    message: "pay",
    model: `anthropic/${model.play([[`app.${assistantId}.pay`, {}]])}`,
  });
  return ended.promise;
}

async function defined(): Promise<string> {
  const assistantId = `raw-${(made += 1)}`;
  const about = { name: "Raw", role: "", personality: "" };
  await scene.call("assistant.define", { assistantId, ...about });
  return assistantId;
}

test("a program that loses its connection in the middle of a call and comes back is asked again under the same id", async () => {
  const assistantId = await defined();
  const first = await program(assistantId, "client-aaaa");
  await first.register();
  const ended = payment(assistantId);
  const before = await first.invocation();
  await first.client.close();
  const second = await program(assistantId, "client-aaaa");
  await second.register();
  const { invocationId } = await second.invocation();
  expect(invocationId).toBe(before.invocationId);
  const outcome = { kind: "succeeded" as const, value: "paid" };
  expect(await second.client.call("tool.result", { invocationId, outcome })).toEqual({ accepted: true });
  expect(await ended).toBe("succeeded");
  expect(await second.client.call("tool.result", { invocationId, outcome })).toEqual({ accepted: false });
});

test("a program that was started again in the middle of a call does not know of it: the call is unknown, and not made twice", async () => {
  const assistantId = await defined();
  const first = await program(assistantId, "client-aaaa");
  await first.register();
  const ended = payment(assistantId);
  await first.invocation();
  await first.client.close();
  const second = await program(assistantId, "client-bbbb");
  await second.register();
  expect(await ended).toBe("unknown");
});

test.each([
  ["happened", "succeeded"],
  ["did-not-happen", "failed"],
] as const)(
  "where its tool can tell, a program that was started again says that a call %s",
  async (told, status) => {
    const assistantId = await defined();
    const first = await program(assistantId, "client-aaaa", { canReconcile: true });
    await first.register();
    const ended = payment(assistantId);
    const { idempotencyKey } = await first.invocation();
    await first.client.close();
    const second = await program(assistantId, "client-bbbb", { canReconcile: true });
    await second.register();
    const asked = await second.invocation();
    expect(asked).toMatchObject({ what: "reconcile", idempotencyKey });
    const outcome = { kind: "succeeded" as const, value: told };
    await second.client.call("tool.result", { invocationId: asked.invocationId, outcome });
    expect(await ended).toBe(status);
  },
);

test("what a program's tool did is taken back by the program, with what it was given and what it answered", async () => {
  const undone: unknown[] = [];
  const book = new Tool({
    name: "book",
    description: "Books a table.",
    inputSchema: { type: "object", properties: { people: { type: "number" } } },
    execute: async () => ({ table: 3 }),
    undo: async (args, output) => undone.push([args, output]),
  });
  const assistant = assistantOf([book], { calls: [["book", { people: 4 }]] });
  const { activity } = await answered(assistant, "yes");
  await scene.call("calls.undo", { callId: activity[0]!.callId });
  expect(undone).toEqual([[{ people: 4 }, { table: 3 }]]);
});

test("a second program is refused an assistant whose tools another one serves, and its answers are not taken", async () => {
  const assistantId = await defined();
  const first = await program(assistantId, "client-aaaa");
  await first.register();
  const second = await program(assistantId, "client-bbbb");
  await expect(second.register()).rejects.toMatchObject({ reason: "CONFLICT" });
  const ended = payment(assistantId);
  const { invocationId } = await first.invocation();
  const outcome = { kind: "succeeded" as const, value: "stolen" };
  expect(await second.client.call("tool.result", { invocationId, outcome })).toEqual({ accepted: false });
  await first.client.call("tool.result", {
    invocationId,
    outcome: { kind: "failed", code: "no", message: "no" },
  });
  expect(await ended).toBe("failed");
});

test("a tool that its program changes in the middle of a run is not called in that run", async () => {
  const assistantId = await defined();
  const first = await program(assistantId, "client-aaaa");
  await first.register();
  const changed = await program(assistantId, "client-aaaa", { description: "Pays twice." });
  expect(await payment(assistantId, () => changed.register())).toBe("failed");
  expect(model.lastShown()).toContain("has changed in its program");
});

test("a schema that is none is refused, and what was registered before stays", async () => {
  const assistantId = await defined();
  const { client, register } = await program(assistantId, "client-aaaa");
  await register();
  const tools = [{ name: "pay", description: "", inputSchema: { type: "string" } }];
  await expect(
    client.call("tools.register", { assistantId, clientId: "client-aaaa", tools }),
  ).rejects.toMatchObject({
    reason: "INVALID_INPUT",
    message: expect.stringContaining("named arguments"),
  });
  const { tool } = await scene.call("tools.get", { toolId: `app.${assistantId}.pay` });
  expect(tool).toMatchObject({ source: "client", standing: "new", risk: "destructive" });
});

test("what a program says of its tool lowers nothing; the owner's label does, until the tool changes", async () => {
  const ran: string[] = [];
  const calls: [string, unknown][] = [["read_log", {}]];
  const reading = (description: string) =>
    new Tool({
      name: "read_log",
      description,
      inputSchema: { type: "object" },
      risk: "read",
      sends: false,
      execute: async () => ran.push("x"),
    });
  const engine = engineOf();
  const id = `bot-${(made += 1)}`;
  const first = assistantOf([reading("Reads.")], { calls, engine, id });
  await answered(first, "yes");
  const { tool } = await scene.call("tools.get", { toolId: `app.${id}.read_log` });
  expect(tool).toMatchObject({
    risk: "destructive",
    egress: "third_party",
    labelling: { suggested: "reads" },
  });
  await scene.call("mcp.label", { toolId: tool.toolId, contractHash: tool.contractHash, label: "reads" });
  const asks = async (assistant: Assistant) =>
    (await answered(assistant, "yes")).events.filter(({ type }) => type === "human_input_required").length;
  expect(await asks(assistantOf([reading("Reads.")], { calls, engine, id }))).toBe(0);
  expect(await asks(assistantOf([reading("Reads all.")], { calls, engine, id }))).toBe(1);
});

test("a message brings its session along: it is opened once, announced, and with that agent alone", async () => {
  const agentId = `app.${await defined()}`;
  const sessionKey = engineOf().newConversationId();
  const heard: string[] = [];
  const ended = Promise.withResolvers<void>();
  const unhear = scene.client.onPush((push) => {
    if (isPush(push, "session.changed") && push.data.sessionKey === sessionKey) heard.push(push.data.what);
    if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) ended.resolve();
  });
  onTestFinished(unhear);
  const given = { sessionKey, agentId, model: `anthropic/${model.play([])}` };
  const { runId } = await scene.call("chat.send", { ...given, message: "hello", idempotencyKey: "h" });
  expect(await scene.call("chat.send", { ...given, message: "hello", idempotencyKey: "h" })).toEqual({
    runId,
    repeated: true,
  });
  await ended.promise;
  expect(heard.filter((what) => what === "created")).toHaveLength(1);
  const { session, messages } = await scene.call("sessions.get", { sessionKey });
  expect([session.agentId, messages[0]?.origin]).toEqual([agentId, "program"]);
  const refused = async (more: object) =>
    scene.call("chat.send", { ...given, message: "hello", ...more }).catch((error: unknown) => error);
  expect(await refused({ agentId: "assistant" })).toMatchObject({ reason: "CONFLICT" });
  expect(await refused({ sessionKey: "mine" })).toMatchObject({ reason: "INVALID_INPUT" });
  const unknown = { agentId: "app.nobody", sessionKey: engineOf().newConversationId() };
  expect(await refused(unknown)).toMatchObject({ reason: "NOT_FOUND" });
});

test("a program whose token lacks the scope admin can neither define an assistant nor register tools", async () => {
  const { token } = await scene.call("tokens.create", { name: "shop-0", scopes: ["chat", "approve"] });
  const refused = { name: "GatewayUnavailableError", code: "SCOPE_MISSING" };
  await expect(assistantOf([weather([])], { engine: engineOf(token) }).ask("hello")).rejects.toMatchObject(
    refused,
  );
  const { url } = scene.gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "raw" } });
  onTestFinished(() => client.close());
  const given = { assistantId: await defined(), clientId: "client-aaaa", tools: [] };
  await expect(client.call("tools.register", given)).rejects.toMatchObject({ reason: "SCOPE_MISSING" });
});

test("a token that was revoked ends in an error that says so, and nothing was sent", async () => {
  const { token, info } = await scene.call("tokens.create", { name: "shop-2", scopes: ["chat", "admin"] });
  await scene.call("tokens.revoke", { tokenId: info.id });
  await expect(assistantOf([], { engine: engineOf(token) }).ask("hello")).rejects.toMatchObject({
    name: "GatewayUnavailableError",
    code: "UNAUTHENTICATED",
  });
});

test("a token that is revoked in the middle of a call ends the program's part in words; the call is not made twice", async () => {
  const { token, info } = await scene.call("tokens.create", { name: "shop-3", scopes: ["chat", "admin"] });
  const ran: string[] = [];
  const begun = Promise.withResolvers<void>();
  const tool = weather(ran, () => {
    begun.resolve();
    return new Promise(() => {});
  });
  const engine = engineOf(token);
  const assistant = assistantOf([tool], { calls: [["get_weather", { city: "Rome" }]], engine });
  const conversation = assistant.startConversation("How is the weather in Rome?");
  conversation.on("human_input_required", ({ kind, inputStepId }) => {
    if (kind === "approval") void scene.call("exec.approve", { approvalId: inputStepId });
  });
  await begun.promise;
  const waiting = assistant.ask("How is it in Oslo?");
  waiting.catch(() => undefined);
  const answer = HumanInTheLoop.ask(conversation, "May I?");
  answer.catch(() => undefined);
  for await (const event of conversation)
    if (event.type === "human_input_required" && event.kind === "question") break;
  await scene.call("tokens.revoke", { tokenId: info.id });
  const refused = { code: "UNAUTHENTICATED" };
  await expect(conversation.sendMessage("and now?")).rejects.toMatchObject({
    name: "GatewayUnavailableError",
    ...refused,
  });
  // Nobody is left waiting for what will not be heard.
  await expect(waiting).rejects.toMatchObject(refused);
  await expect(answer).rejects.toMatchObject(refused);
  expect(ran).toHaveLength(1);
});

test("a run is stopped by a signal, and says so", async () => {
  const assistant = assistantOf([weather([])], { calls: [["get_weather", { city: "Rome" }]] });
  const stop = new AbortController();
  const unhear = scene.client.onPush((push) => {
    if (isPush(push, "exec.approval_request") && push.data.toolName.includes(assistant.id)) stop.abort();
  });
  onTestFinished(unhear);
  await expect(assistant.ask("How is the weather?", { signal: stop.signal })).rejects.toMatchObject({
    code: "aborted",
  });
});
