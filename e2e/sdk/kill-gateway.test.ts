import { Assistant, GatewayEngine, Tool } from "@elwood/sdk";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";

test("kill -9 of the gateway in the middle of a tool: the program comes back by itself, and the tool has run once", async () => {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const env = { ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000", ANTHROPIC_BASE_URL: model.url };
  const first = await startGatewayProcess({ home: home.path, env });
  const engine = new GatewayEngine({ home: home.path, token: first.token, env: {} });
  onTestFinished(() => engine.close());
  const begun = Promise.withResolvers<void>();
  const restarted = Promise.withResolvers<void>();
  let ran = 0;
  const pay = new Tool({
    name: "pay",
    description: "Pays.",
    inputSchema: { type: "object" },
    idempotent: true,
    async execute() {
      ran += 1;
      begun.resolve();
      await restarted.promise;
      return "paid";
    },
  });
  const about = { id: "till", name: "Till", role: "", personality: "", tools: [pay] };
  const script = model.play([["app.till.pay", {}]]);
  const assistant = new Assistant({ ...about, model: `anthropic/${script}`, coreEngineClient: engine });
  const conversation = assistant.startConversation("pay");
  conversation.on("human_input_required", ({ inputStepId }) => {
    void conversation.submitHumanInput("yes", inputStepId);
  });
  const ended = new Promise<string | undefined>((resolve) => {
    void (async () => {
      let status: string | undefined;
      for await (const event of conversation) {
        if (event.type === "activity") status = event.activity[0]?.status;
        if (event.type === "turn_end") break;
      }
      resolve(status);
    })();
  });
  await begun.promise;
  await first.kill();
  await using _second = await startGatewayProcess({ home: home.path, env });
  restarted.resolve();
  expect(await ended).toBe("succeeded");
  expect(ran).toBe(1);
});
