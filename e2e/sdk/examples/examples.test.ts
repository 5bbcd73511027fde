import { readdirSync } from "node:fs";
import { Assistant, type ICoreEngineClient } from "@elwood/sdk";
import { autoApprove, MemoryEngine, ScriptedModel, text, toolCall, type Step } from "@elwood/sdk/testing";
import { expect, test } from "vitest";
import { converse } from "./command-line.ts";
import * as first from "./first-assistant.ts";
import * as handOver from "./hand-over.ts";
import { handler } from "./http-handler.ts";
import * as choice from "./human-choice.ts";
import { report } from "./scheduled-report.ts";
import * as output from "./structured-output.ts";
import * as support from "./support-with-approval.ts";
import { bookings } from "./tool-with-undo.ts";

const engineOf = (...script: Step[]) =>
  new MemoryEngine({ model: new ScriptedModel(script), approvals: autoApprove("stock", "sales") });
const assistantOf = (coreEngineClient: ICoreEngineClient) =>
  new Assistant({ id: "a", name: "A", role: "", personality: "", tools: [], coreEngineClient });

test("first-assistant", async () => {
  const engine = engineOf(toolCall("stock", { kind: "tulip" }), text("Twelve are left."));
  expect(await first.run(engine)).toBe("Twelve are left.");
  expect(engine.receipts()).toMatchObject([{ tool: "stock", status: "succeeded" }]);
});

test("support-with-approval", async () => {
  const script = [toolCall("refund", { order: 7 }), text("You get your money back.")];
  expect(await support.run(async () => "yes", engineOf(...script))).toEqual({
    refunds: [7],
    answer: "You get your money back.",
  });
  expect((await support.run(async () => "no", engineOf(...script))).refunds).toEqual([]);
});

test("structured-output", async () => {
  const engine = engineOf(text('{"customer": "Bob", "cents": 4200}'));
  expect(await output.run("Bob owes us 42 dollars.", engine)).toEqual({ customer: "Bob", cents: 4_200 });
});

test("tool-with-undo", async () => {
  const { tool, booked } = bookings();
  const made: unknown = await tool.execute({ people: 4 }, "c", { idempotencyKey: "k1" });
  expect([...booked]).toEqual([["k1", 4]]);
  expect(await tool.reconcile({ people: 4 }, "k1")).toBe("happened");
  expect(await tool.undo({ people: 4 }, made)).toEqual({ cancelled: true });
  expect(await tool.reconcile({ people: 4 }, "k1")).toBe("did-not-happen");
});

test("human-choice", async () => {
  const model = new ScriptedModel([text("By train or by plane.")]);
  const engine = new MemoryEngine({ model, answers: ({ options }) => options?.[0] });
  expect(await choice.run(engine)).toBe("By train, 12 hours");
});

test("hand-over", async () => {
  const model = new ScriptedModel([text("Tulips are red."), text("Dear Bob, tulips are red.")]);
  expect(await handOver.run("tulips", new MemoryEngine({ model }))).toBe("Dear Bob, tulips are red.");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("Tulips are red.");
});

test("http-handler", async () => {
  const handle = handler(assistantOf(engineOf(text("Hello.", ["Hel", "lo."]))));
  const answer = await handle(new Request("http://localhost/", { method: "POST", body: "hi" }));
  expect([answer.status, await answer.text()]).toEqual([200, "Hello."]);
  expect((await handle(new Request("http://localhost/", { method: "POST", body: " " }))).status).toBe(400);
});

test("command-line", async () => {
  async function* lines() {
    yield "one";
    yield "two";
  }
  const written: string[] = [];
  const assistant = assistantOf(engineOf(text("First."), text("Second.")));
  await converse(assistant, lines(), (piece) => written.push(piece));
  expect(written.join("")).toBe("First.\nSecond.\n");
});

test("scheduled-report", async () => {
  const engine = engineOf(toolCall("sales"), text("Sold for 3 euros."));
  expect(await report(async () => [100, 200], engine)).toBe("Sold for 3 euros.");
});

test("every example is run here", () => {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".ts") && !name.includes(".test."),
  );
  expect(files).toHaveLength(9);
});
