import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Assistant, Tool } from "@elwood/sdk";
import { GatewayClient } from "@elwood/sdk/client";
import { LocalEngine } from "@elwood/sdk/local";
import { Cassette, expectReceipts, ScriptedModel, text, toolCall, type Step } from "@elwood/sdk/testing";
import { engineContract } from "@elwood/testkit/engine-contract";
import { expect, onTestFinished, test } from "vitest";
import { openLocalRuntime } from "../../src/local-runtime.ts";
import { memoryFolder } from "../../src/state/memory-folder.ts";

/** No keys, and no settings of whoever runs the tests. */
const env = { HOME: join(tmpdir(), "elwood-nobody") };

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "elwood-local-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

engineContract("LocalEngine in memory", async (script) => {
  const answers = script.map((each) =>
    "say" in each ? text(each.say) : toolCall(each.call, each.input ?? {}),
  );
  return { engine: new LocalEngine({ model: new ScriptedModel(answers), env }), assistantId: "ada" };
});

const paid: string[] = [];
const pay = new Tool({
  name: "pay",
  description: "Pays.",
  inputSchema: { type: "object", properties: { to: { type: "string" } } },
  execute: async ({ to }) => paid.push(String(to)),
});
const about = { id: "till", name: "Till", role: "", personality: "", tools: [pay] };

function engineOn(home: string, ...script: Step[]) {
  const model = new ScriptedModel(script);
  const engine = new LocalEngine({ home, model, env });
  onTestFinished(() => engine.close());
  return { model, engine, assistant: new Assistant({ ...about, coreEngineClient: engine }) };
}

test("what was said and done in a folder is there for the next engine on it, with receipts that verify", async () => {
  const home = temporary();
  const first = engineOn(home, toolCall("pay", { to: "Bob" }), text("Bob is paid."));
  const conversation = first.assistant.startConversation("Pay Bob.");
  for await (const event of conversation) {
    if (event.type === "human_input_required") await conversation.submitHumanInput("yes", event.inputStepId);
    if (event.type === "turn_end") break;
  }
  first.model.assertComplete();
  await first.engine.close();
  expect(paid).toContain("Bob");
  const second = engineOn(home, text("Yes."));
  const again = second.assistant.openConversation(conversation.id);
  const said = (await again.getHistory()).map(({ sender, type }) => `${sender} ${type}`);
  expect(said).toEqual(["user text", "assistant tool_call", "tool tool_output", "assistant text"]);
  await second.engine.close();
  const runtime = await openLocalRuntime({ home, env });
  onTestFinished(() => runtime.close());
  const { token } = runtime;
  const client = await GatewayClient.connect({
    url: "http://localhost",
    token,
    socket: () => runtime.connect(),
  });
  expect(await client.call("receipts.verify", {})).toMatchObject({ verdict: { status: "intact" } });
  const { receipts } = await client.call("receipts.list", {});
  expect(receipts.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      "tool.call.asked",
      "tool.call.approved",
      "tool.call.started",
      "tool.call.succeeded",
    ]),
  );
  await client.close();
});

test("a folder that another engine has is refused in words, and free again once that is closed", async () => {
  const home = temporary();
  const first = engineOn(home, text("Hello."));
  await first.assistant.ask("hi");
  const second = engineOn(home, text("Hello."));
  await expect(second.assistant.ask("hi")).rejects.toMatchObject({
    name: "GatewayUnavailableError",
    code: "CONFLICT",
    message: expect.stringContaining(home),
  });
  await first.engine.close();
  expect((await second.assistant.ask("hi")).text).toBe("Hello.");
});

test("a cassette records the answers behind real policy and receipts, and plays them without the model", async () => {
  const path = join(temporary(), "refund.json");
  for (const real of [new ScriptedModel([toolCall("pay", { to: "Eve" }), text("Eve is paid.")]), undefined]) {
    const cassette = new Cassette(path, { env: {} });
    const engine = new LocalEngine({ cassette, env, ...(real ? { model: real } : {}) });
    const conversation = new Assistant({ ...about, coreEngineClient: engine }).startConversation("Pay Eve.");
    for await (const event of conversation) {
      if (event.type === "human_input_required")
        await conversation.submitHumanInput("yes", event.inputStepId);
      if (event.type === "activity") expectReceipts(event).toMatch([{ tool: "pay", status: "succeeded" }]);
      if (event.type === "turn_end") break;
    }
    await engine.close();
    cassette.assertComplete();
  }
  expect(paid.filter((to) => to === "Eve")).toHaveLength(2);
});

test("no port is opened and no gateway announced", async () => {
  const home = temporary();
  const { assistant } = engineOn(home, text("Hello."));
  const handles = () =>
    process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap" || name === "TCPSocketWrap");
  const before = handles();
  await assistant.ask("hi");
  expect(handles()).toEqual(before);
  // What it looks at would see a server.
  const server = createServer().listen(0);
  expect(handles().length).toBe(before.length + 1);
  server.close();
  expect(existsSync(join(home, "gateway.json"))).toBe(false);
});

test("settings that cannot be used are told all at once, and nothing is left behind", async () => {
  const engine = new LocalEngine({ env: { ...env, ELWOOD_PORT: "a lot" } });
  await expect(engine.define({ ...about })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("Nothing was started"),
  });
  await engine.close();
});

test("a folder in memory is its owner's alone, gone when removed, and swept once its process is gone", () => {
  const place = temporary();
  mkdirSync(join(place, "elwood-memory-999999999-left", "sessions"), { recursive: true });
  mkdirSync(join(place, "elwood-memory-1-used"));
  const folder = memoryFolder(place);
  expect(statSync(folder.path).mode & 0o077).toBe(0);
  expect(existsSync(join(place, "elwood-memory-999999999-left"))).toBe(false);
  folder.remove();
  expect(readdirSync(place)).toEqual(["elwood-memory-1-used"]);
});
