import { Assistant, GatewayEngine, Tool } from "@elwood/sdk";
import {
  anthropic,
  ANTHROPIC_ROUTE,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { engineContract, type EngineScript } from "@elwood/testkit/engine-contract";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

let server: AnthropicServer;
let started: StartedGateway;
const scripts: { readonly assistantId: string; readonly script: EngineScript }[] = [];

beforeAll(async () => {
  server = await startAnthropic();
  server.always(ANTHROPIC_ROUTE, (exchange) => {
    const { model, messages } = exchange.request.body as { model: string; messages: { role: string }[] };
    const { assistantId, script } = scripts[Number(model.split("-")[1])]!;
    const step = script[messages.filter(({ role }) => role === "assistant").length];
    if (step === undefined || "say" in step) return anthropic.reply(step?.say ?? "Nothing.")(exchange);
    const id = `toolu_${model}_${messages.length}`;
    return anthropic.tools([{ name: `app__${assistantId}__${step.call}`, input: step.input ?? {}, id }])(
      exchange,
    );
  });
  started = await startTestGateway({
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: server.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
});

afterAll(async () => {
  await started[Symbol.asyncDispose]();
  await server.close();
});

function played(script: EngineScript): { readonly assistantId: string; readonly model: string } {
  const assistantId = `engine-${scripts.length}`;
  scripts.push({ assistantId, script });
  return { assistantId, model: `anthropic/script-${scripts.length - 1}` };
}

engineContract("GatewayEngine", async (script) => {
  const { url, ownerToken: token } = started.gateway;
  return { engine: new GatewayEngine({ url, token }), ...played(script) };
});

test("a connection that breaks in the middle of a tool loses nothing: the tool runs once, and the turn ends once", async () => {
  const { assistantId: id, model } = played([{ call: "work" }, { say: "Done." }]);
  const sockets: WebSocket[] = [];
  const { url, ownerToken: token } = started.gateway;
  const socket = (at: string) => {
    const opened = new WebSocket(at);
    sockets.push(opened);
    return opened;
  };
  const engine = new GatewayEngine({ url, token, socket });
  onTestFinished(() => engine.close());
  let ran = 0;
  const back = Promise.withResolvers<void>();
  const execute = async () => {
    ran += 1;
    sockets.at(-1)!.terminate();
    // It goes on working while there is no connection, and answers once there is one again.
    await back.promise;
    return "worked";
  };
  const work = new Tool({ name: "work", description: "Works.", inputSchema: { type: "object" }, execute });
  const assistant = new Assistant({
    id,
    model,
    name: "A",
    role: "",
    personality: "",
    tools: [work],
    coreEngineClient: engine,
  });
  const conversation = assistant.openConversation(engine.newConversationId());
  const unhear = setInterval(
    () => sockets.length > 1 && sockets[1]!.readyState === WebSocket.OPEN && back.resolve(),
    20,
  );
  onTestFinished(() => clearInterval(unhear));
  const types: string[] = [];
  let status: string | undefined;
  for await (const event of conversation.stream("go")) {
    types.push(event.type);
    if (event.type === "tool_output") ({ status } = event);
    if (event.type === "activity") status = event.activity[0]?.status;
    if (event.type === "human_input_required") await conversation.submitHumanInput("yes", event.inputStepId);
  }
  expect(ran).toBe(1);
  expect(status).toBe("succeeded");
  expect(types.filter((type) => type === "turn_end")).toHaveLength(1);
});
