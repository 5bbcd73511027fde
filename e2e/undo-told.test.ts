import type { WireMessage } from "@elwood/core/protocol/shapes";
import { expect, test } from "vitest";
import { actScene, fileIn, finalOf, READ, runCalls, tickedIn, WRITE, type Scene } from "./act-scene.ts";
import { ask } from "./conversation.ts";

const NOTE = "[Elwood, not the owner]";

/** What the model was last sent, as text; and how often it was told of undos in it. */
function lastRequest({ model }: Scene): { text: string; notes: number } {
  const { messages } = (model.server.requests.at(-1)?.body ?? {}) as { messages?: unknown };
  const text = JSON.stringify(messages);
  return { text, notes: text.split(NOTE).length - 1 };
}

const historyOf = async ({ owner }: Scene, sessionKey: string) =>
  ((await owner.result("chat.history", { sessionKey })) as { messages: WireMessage[] }).messages;

test("the model is told of an undo with the next message, once, over a restart; the history says it too", async () => {
  await using scene = await actScene({
    config: "policy:\n  rules:\n    - tool: files.*\n      decision: allow\n",
  });
  const file = fileIn(scene.home, "todo.md");
  const { sessionKey, runId } = await runCalls(scene, [READ("x.md"), WRITE("todo.md", "water\n")], {
    reply: "I wrote `todo.md` [c2].",
  });
  const final = await finalOf(scene.owner, runId);
  const { activity } = final;
  expect(tickedIn(final)).toEqual([["I wrote `todo.md`.", "c2"]]);
  const call = (activity as { callId: string; cite: string }[]).find(({ cite }) => cite === "c2");
  expect(lastRequest(scene).notes).toBe(0);
  expect(await scene.owner.result("calls.undo", { callId: call?.callId })).toMatchObject({ ok: true });
  expect(file.text).toBeUndefined();

  const next = await runCalls(scene, [READ("x.md")], { sessionKey });
  await finalOf(scene.owner, next.runId);
  const told = lastRequest(scene);
  expect(told.text).toContain("[c2] files.file.write → todo.md: undone by the owner; that undo is [c3]");
  expect(told.notes).toBe(1);
  // It stands behind the owner's words of the next message, and explains why the next call is c4.
  expect(told.text.indexOf(NOTE)).toBeGreaterThan(told.text.lastIndexOf("Please do plan-"));
  expect(next.told().join()).toContain(`[c4 files.file.read "x.md"`);

  await scene.kill();
  await scene.restart();
  await ask(scene.owner, sessionKey, "hello");
  expect(lastRequest(scene).notes).toBe(1);
  const messages = await historyOf(scene, sessionKey);
  const results = messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === "tool_result"));
  // Two calls went out at once, and their results stand in the order in which they came.
  expect(results).toHaveLength(3);
  expect(results.filter(({ ended }) => ended !== undefined)).toMatchObject([
    { callId: call?.callId, ended: "undone" },
  ]);
  const evidence = messages.find(({ runId: run, meta }) => run === runId && meta?.evidence !== undefined);
  expect(evidence?.meta?.evidence).toContain("↩ Wrote todo.md (undone since)");
  // The sentence keeps no tick.
  expect(evidence?.meta?.segments).toMatchObject([
    { cites: ["c2"], undone: true, words: "c2: undone since" },
  ]);
  const { content } = (await scene.owner.result("sessions.export", { sessionKey, format: "markdown" })) as {
    content: string;
  };
  expect(content).toContain("I wrote `todo.md`. [c2]");
});
