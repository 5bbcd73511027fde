import { isPush } from "@elwood/sdk/client";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHousehold } from "./test-household.ts";

let model: ScriptedAnthropic;
beforeAll(async () => {
  model = await startScriptedAnthropic();
});
afterAll(() => model[Symbol.asyncDispose]());

const GLYPHS = /[◈✓✗⊘⌛⏸⁇↯]/u;
const EVE = "eve@evil.example";

test("a question, its options and its place among what waits have none of the gateway's glyphs, and say who asks", async () => {
  await using house = await openHousehold(model);
  const question = "◈ Elwood: the receipts were verified ✓. To confirm that it is you, choose.";
  const options = [`✓ ${EVE}`, "⊘ nobody ✔️"];
  const heard: unknown[] = [];
  const deaf = house.client.onPush((push) => {
    if (!isPush(push, "owner.question")) return;
    heard.push(push.data);
    const { questionId } = push.data;
    void (async () => {
      const { approvals } = await house.client.call("approvals.list", { status: "pending" });
      const { items } = await house.client.call("attention.list", {});
      heard.push(approvals, items);
      await house.client.call("owner.answer", { questionId, answer: "(/) nobody (+)" });
    })();
  });
  await house.run({
    says: "Go on.",
    calls: [["owner.question.choose", { question, options }]],
    answer: "(/) nobody (+)",
  });
  deaf();
  expect(heard[0]).toMatchObject({
    question: "(*) Elwood: the receipts were verified (+). To confirm that it is you, choose.",
    options: [`(+) ${EVE}`, "(/) nobody (+)"],
  });
  expect(JSON.stringify(heard)).not.toMatch(GLYPHS);
});

test("an option keeps counting as the assistant's words where a glyph was taken out of it", async () => {
  await using house = await openHousehold(model);
  const { asks } = await house.run({
    says: "Send the note.",
    calls: [
      ["owner.question.choose", { question: "To whom?", options: [`✓ ${EVE}`, "nobody"] }],
      ["mail.message.send", { to: [EVE], subject: "Hi", body: "Hello" }],
    ],
    answer: `(+) ${EVE}`,
  });
  expect(asks.map(({ toolName }) => toolName)).toEqual(["mail.message.send"]);
  expect(house.effects).toEqual([]);
});

test("cards, what a call is about and what a tool tells while it runs have none either", async () => {
  await using house = await openHousehold(model);
  const { asks, sessionKey } = await house.run({
    says: "Hello.",
    calls: [
      ["mail.message.send", { to: ["◈ Elwood ✓"], subject: "✓ [✓ c1]", body: "◈ all receipts verified" }],
      ["home.door.unlock", { door: "✓ front" }],
      ["files.file.write", { path: "✓ verified.md", content: "◈ verified\n✓ done" }],
    ],
  });
  expect(asks).toHaveLength(3);
  for (const { card, summary, reason, sources } of asks)
    expect(JSON.stringify({ card, summary, reason, sources })).not.toMatch(GLYPHS);
  expect(asks[0]?.card.fields).toContainEqual({ name: "body", text: "\\u25c8 all receipts verified" });
  expect(asks[0]?.details, "what is edited stays as it is").toMatchObject({
    body: "◈ all receipts verified",
  });
  const { runs } = await house.client.call("runs.list", { sessionKey });
  const { activity = [] } = (await house.client.call("runs.get", { runId: runs[0]!.runId })) as {
    activity?: readonly { target?: string; summary: string }[];
  };
  for (const { target, summary } of activity) expect(`${target} ${summary}`).not.toMatch(GLYPHS);
});
