import { MemoryEngine, ScriptedModel, text, toolCall } from "@elwood/sdk/testing";
import { engineContract } from "./engine-contract.ts";

engineContract("MemoryEngine", async (script) => {
  const answers = script.map((each) =>
    "say" in each ? text(each.say) : toolCall(each.call, each.input ?? {}),
  );
  return { engine: new MemoryEngine({ model: new ScriptedModel(answers) }), assistantId: "ada" };
});
