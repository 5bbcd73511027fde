import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPush } from "@elwood/sdk/client";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

let model: Awaited<ReturnType<typeof startScriptedAnthropic>>;
let scene: Scene;
beforeAll(async () => {
  model = await startScriptedAnthropic();
  scene = await openScene(model);
});
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
});

const UNDO = (...calls: string[]) => ["session.call.undo", { calls }] as const;
const PATH = (name: string) => join(scene.files, name);

/** What the calls of a run said, in their order. */
async function resultsOf(runId: string) {
  const { calls } = await scene.call("calls.list", { runId });
  const whole = await Promise.all(calls.map(({ callId }) => scene.call("calls.get", { callId })));
  return whole.map(({ call }) => call);
}

/** The conversation with all that the model was told. */
async function toldIn(sessionKey: string): Promise<string> {
  return JSON.stringify(await scene.call("chat.history", { sessionKey }));
}

/** A conversation in which a file was changed. */
async function changed(name: string) {
  writeFileSync(PATH(name), "old\n");
  const calls = [["files.file.write", { path: PATH(name), content: "new\n" }]] as const;
  return scene.run({ calls, decide: () => "allow" });
}

test("“undo that” asks, and takes back what the cited call changed, by whom the owner is", async () => {
  const { sessionKey, runId } = await changed("a.txt");
  const told: unknown[] = [];
  const deaf = scene.client.onPush((push) => isPush(push, "call.undone") && told.push(push.data));
  const undo = await scene.run({ sessionKey, says: "undo that", calls: [UNDO("c1")], decide: () => "allow" });
  deaf();
  expect(undo.asks).toMatchObject([{ toolName: "session.call.undo", rule: "ask.undo" }]);
  expect(JSON.stringify(undo.asks[0]?.preview)).toMatch(/Undo: Wrote a file, .*a\.txt\./);
  expect(readFileSync(PATH("a.txt"), "utf8")).toBe("old\n");
  const [written, undoing] = await resultsOf(runId);
  expect(written).toMatchObject({ undone: true, canUndo: false });
  expect(undoing).toMatchObject({ undoes: written?.callId, status: "succeeded" });
  expect(told).toEqual([{ callId: written?.callId, runId, sessionKey }]);
  expect((await resultsOf(undo.runId))[0]?.output).toMatchObject({ status: "ok", text: "Undone: c1." });
});

test("denied, nothing is undone", async () => {
  const { sessionKey } = await changed("b.txt");
  const { asks } = await scene.run({ sessionKey, calls: [UNDO("c1")] });
  expect(asks).toHaveLength(1);
  expect(readFileSync(PATH("b.txt"), "utf8")).toBe("new\n");
});

test("what cannot be undone is told by its number, and nobody is asked", async () => {
  const { sessionKey } = await changed("c.txt");
  const decide = () => "allow" as const;
  await scene.run({ sessionKey, calls: [UNDO("c1")], decide });
  const { runId, asks } = await scene.run({
    sessionKey,
    calls: [["files.file.read", { path: PATH("c.txt") }], UNDO("c1"), UNDO("c4"), UNDO("c77")],
    decide,
  });
  expect(asks).toEqual([]);
  expect(await resultsOf(runId)).toHaveLength(4);
  expect(await toldIn(sessionKey)).toMatch(
    /Call c1 was undone before\.[^]*files\.file\.read cannot be undone\.[^]*There is no call c77 in this conversation\./,
  );
  expect(readFileSync(PATH("c.txt"), "utf8")).toBe("old\n");
});

test("a number counts in its own conversation only", async () => {
  await changed("d.txt");
  const { sessionKey, asks } = await scene.run({ calls: [UNDO("c9")], decide: () => "allow" });
  expect(asks).toEqual([]);
  expect(await toldIn(sessionKey)).toContain("There is no call c9");
  expect(readFileSync(PATH("d.txt"), "utf8")).toBe("new\n");
});

test("of a program, all that it changed is taken back on one card, what was done last first", async () => {
  const source = `for (const name of ["x", "y"]) must(await tools.files.file.write({ path: name + ".txt", content: name }));
must(await tools.files.file.move({ from: "y.txt", to: "z.txt" }));`;
  const decide = () => "allow" as const;
  const { sessionKey } = await scene.run({ calls: [["program.code.run", { source }]], decide });
  expect([existsSync(PATH("x.txt")), existsSync(PATH("z.txt"))]).toEqual([true, true]);
  const { asks, runId } = await scene.run({ sessionKey, calls: [UNDO("c1")], decide });
  expect(asks).toMatchObject([{ preview: { sentence: "Undo 3 changes." } }]);
  expect(JSON.stringify(asks[0]?.preview)).toMatch(
    /Moved a file, .*Wrote a file, .*y\.txt.*Wrote a file, .*x\.txt/,
  );
  expect((await resultsOf(runId))[0]?.output).toMatchObject({ status: "ok" });
  const { evidence } = await scene.call("chat.resume", { runId }).then(({ snapshot }) => snapshot.final!);
  expect(evidence).toContain("Undid: c1");
  expect(["x.txt", "y.txt", "z.txt"].filter((name) => existsSync(PATH(name)))).toEqual([]);
});
