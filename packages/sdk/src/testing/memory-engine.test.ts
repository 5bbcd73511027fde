import { expect, test } from "vitest";
import { Conversation } from "../assistant/conversation.ts";
import { HumanInTheLoop } from "../assistant/human-in-the-loop.ts";
import { delay, text } from "../model-script/steps.ts";
import { fakeClock } from "./manual-clock.ts";
import { autoApprove, MemoryEngine } from "./memory-engine.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { Assistant } from "../assistant/assistant.ts";

test("with a fake clock an owner who takes days and a model that takes an hour cost a test nothing", async () => {
  const clock = fakeClock();
  const model = new ScriptedModel([[delay(3_600_000), text("At last.")]], { clock });
  const engine = new MemoryEngine({ model, clock });
  const week = 7 * 24 * 3_600_000;
  const question = HumanInTheLoop.ask(new Conversation("c", "a", engine), "Anybody?", { timeoutMs: week });
  const late = expect(question).rejects.toMatchObject({ name: "HumanInputTimeoutError" });
  await clock.advance(week);
  await late;
  const about = { id: "a", name: "A", role: "", personality: "", tools: [] };
  const answer = new Assistant({ ...about, coreEngineClient: engine }).ask("hi");
  await clock.untilAsleep();
  await clock.advance(3_600_000);
  expect((await answer).text).toBe("At last.");
});

test("calls are allowed by the tool's name, by a rule of the test, or all of them; the others ask", () => {
  const cheap = ({ input }: { readonly input: unknown }) => (input as { cents: number }).cents < 100;
  const rule = autoApprove("stock", cheap);
  const decided = [
    { tool: "stock", input: { cents: 500 } },
    { tool: "pay", input: { cents: 50 } },
    { tool: "pay", input: { cents: 500 } },
  ].map(rule);
  expect(decided).toEqual(["allow", "allow", "ask"]);
  expect(autoApprove()({ tool: "pay", input: {} })).toBe("allow");
});
