import { expect, test } from "vitest";
import { actScene, asked, fileIn, finalOf, receiptsIn, runCalls, tickedIn, WRITE } from "./act-scene.ts";

const ASKING = "policy:\n  mode: strict\n";
const path = (input: unknown) => (input as { path: string }).path;

test("what a reply says of a call is held against the input that the owner made of it, not against the model's", async () => {
  await using scene = await actScene({ config: ASKING });
  const file = fileIn(scene.home, "costs.md");
  const begun = await runCalls(scene, [WRITE("costs.md", "8 people, 40 euros each, 320 euros in all\n")], {
    reply:
      "`costs.md` says: 8 people, 40 euros each, 320 euros in all [c1].\n\n`costs.md` says: 9 people, 45 euros each, 405 euros in all [c1].",
  });
  const { approvalId, details } = await asked(scene.owner, begun.runId);
  const content = "9 people, 45 euros each, 405 euros in all\n";
  await scene.owner.result("exec.approve", { approvalId, input: { path: path(details), content } });
  const final = await finalOf(scene.owner, begun.runId);
  expect(file.text).toBe(content);
  expect(tickedIn(final).map(([text]) => text)).toEqual([
    "`costs.md` says: 9 people, 45 euros each, 405 euros in all.",
  ]);
});

test("a call that the owner made of another file is told under that file: to the model, in the evidence, on record", async () => {
  await using scene = await actScene({ config: ASKING });
  const begun = await runCalls(scene, [WRITE("monday.md", "water\n")], {
    reply: "I wrote monday.md [c1].\n\nI wrote tuesday.md [c1].",
  });
  const { approvalId } = await asked(scene.owner, begun.runId);
  await scene.owner.result("exec.approve", {
    approvalId,
    input: { path: "tuesday.md", content: "water\n" },
  });
  const final = await finalOf(scene.owner, begun.runId);
  expect(fileIn(scene.home, "monday.md").text).toBeUndefined();
  expect(fileIn(scene.home, "tuesday.md").text).toBe("water\n");
  expect(begun.told().at(-1)).toContain('It ran with {"path":"tuesday.md"');
  expect(final.evidence).toContain("✓ Wrote tuesday.md");
  expect(tickedIn(final).map(([text]) => text)).toEqual(["I wrote tuesday.md."]);
  // The words themselves can be forgotten: receipts only commit to them.
  expect(JSON.stringify(receiptsIn(scene.home, { runId: begun.runId }))).not.toContain("tuesday.md");
  const { receipts, targets } = (await scene.owner.result("receipts.list", { runId: begun.runId })) as {
    receipts: { id: string; type: string }[];
    targets: Record<string, string | undefined>;
  };
  // The first receipt commits to what the model asked for, which nobody did.
  const named = ["tool.call.requested", "tool.call.approved"];
  const told = receipts
    .filter(({ type }) => named.includes(type))
    .map(({ id, type }) => [type, targets[id]] as const);
  expect(new Map(told)).toEqual(
    new Map([
      ["tool.call.requested", undefined],
      ["tool.call.approved", "tuesday.md"],
    ]),
  );
});
