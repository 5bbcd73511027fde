import { replySegments } from "@elwood/core/message/message";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { expect, test } from "vitest";
import { actScene, fileIn, finalOf, READ, runCalls } from "./act-scene.ts";

test("calls are numbered through the session, over runs and a restart; a fork begins at c1, and copies no citation", async () => {
  await using scene = await actScene();
  fileIn(scene.home, "a.txt").put("a\n");
  const one = async (sessionKey: string | undefined, cite: string) => {
    const reply = `I read the file [${cite}].`;
    const begun = await runCalls(scene, [READ("a.txt")], { reply, ...(sessionKey ? { sessionKey } : {}) });
    const final = await finalOf(scene.owner, begun.runId);
    const { activity } = (await scene.owner.result("runs.activity", { runId: begun.runId })) as {
      activity: { cite: string }[];
    };
    expect(activity).toMatchObject([{ cite, toolId: "files.file.read", status: "succeeded" }]);
    expect(final.activity).toEqual(activity);
    expect(begun.told().at(-1)).toContain(`[${cite} files.file.read "a.txt" · untrusted `);
    expect(final.segments).toMatchObject([{ cites: [cite] }]);
    return begun;
  };
  const { sessionKey } = await one(undefined, "c1");
  await one(sessionKey, "c2");
  await scene.kill();
  await scene.restart();
  const last = await one(sessionKey, "c3");

  const fork = (await scene.owner.result("sessions.fork", {
    sessionKey,
    runId: last.runId,
    include: true,
  })) as { sessionKey: string };
  const segmentsOf = async (key: string) => {
    const history = (await scene.owner.result("chat.history", { sessionKey: key })) as {
      messages: WireMessage[];
    };
    return history.messages.flatMap((message) => replySegments(message) ?? []);
  };
  const kept = await segmentsOf(sessionKey);
  expect(kept.map(({ cites }) => cites)).toEqual([["c1"], ["c2"], ["c3"]]);
  const copied = await segmentsOf(fork.sessionKey);
  expect(copied.flatMap(({ cites }) => cites ?? [])).toEqual([]);
  expect(copied.map(({ text }) => /\((c\d)\)/u.exec(text)?.[1])).toEqual(["c1", "c2", "c3"]);
  await one(fork.sessionKey, "c1");
  await one(sessionKey, "c4");
});
