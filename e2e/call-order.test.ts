import { expect, test } from "vitest";
import { actScene, asked, DELETE, fileIn, finalOf, ownOf, runCalls, trail, WRITE } from "./act-scene.ts";

test("calls of one answer on the same file keep their order: what is written first can be deleted next", async () => {
  await using scene = await actScene({ config: "policy:\n  mode: strict\n" });
  const file = fileIn(scene.home, "x.md");
  const calls = [WRITE("x.md", "x\n"), DELETE("x.md"), WRITE("other.md", "y\n")];
  const { runId } = await runCalls(scene, calls);
  // The file that nothing else is about waits for nobody; the deletion is not asked about yet.
  const first = [await asked(scene.owner, runId, 0), await asked(scene.owner, runId, 1)];
  expect(first.map(({ toolName }) => toolName)).toEqual(["files.file.write", "files.file.write"]);
  for (const { approvalId } of first) await scene.owner.result("exec.approve", { approvalId });
  const { approvalId, toolName } = await asked(scene.owner, runId, 2);
  expect([toolName, file.text]).toEqual(["files.file.delete", "x\n"]);
  await scene.owner.result("exec.approve", { approvalId });
  const final = await finalOf(scene.owner, runId);
  expect(file.text).toBeUndefined();
  expect(ownOf(final)).toEqual([]);
  expect(trail(scene.home, runId).filter((each) => each === "succeeded")).toHaveLength(3);
});

test("an effect that could not be made as things stood has a number, is told to the model, and is reported as not done", async () => {
  await using scene = await actScene({ config: "policy:\n  mode: strict\n" });
  const { runId, told } = await runCalls(scene, [DELETE("gone.md")], { reply: "I left the file alone." });
  const final = await finalOf(scene.owner, runId);
  expect(told().join()).toContain('[c1 files.file.delete "gone.md" · failed]');
  expect(ownOf(final)).toEqual([expect.stringMatching(/^◈ Not done, it failed: delete file → gone\.md\.$/u)]);
  expect(trail(scene.home, runId)).toEqual(["requested", "refused"]);
});

test("input that no tool takes is refused as before: it is no call that could have been made", async () => {
  await using scene = await actScene();
  const { runId } = await runCalls(scene, [{ tool: "files.file.delete", input: { nonsense: 1 } }]);
  const final = await finalOf(scene.owner, runId);
  expect([final.activity, ownOf(final)]).toEqual([[], []]);
});
