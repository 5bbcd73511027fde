import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, test } from "vitest";
import { openScene } from "../../test/methods/test-scene.ts";

const KEY = "environment:ANTHROPIC_API_KEY";

test("OA-9: a session or a message names the key that pays, and one that is not there is refused before anything is stored", async () => {
  await using model = await startScriptedAnthropic();
  await using scene = await openScene(model);
  const { sessionKey } = await scene.run({ says: "hello" });
  const { session } = await scene.call("sessions.configure", { sessionKey, profile: KEY });
  expect(session.profile).toBe(KEY);
  await scene.run({ says: "again", sessionKey });
  const refused = { message: expect.stringContaining("There is no stored key anthropic:gone") as string };
  const gone = { sessionKey, profile: "anthropic:gone" };
  await expect(scene.client.call("sessions.configure", gone)).rejects.toMatchObject(refused);
  await expect(scene.client.call("chat.send", { ...gone, message: "x" })).rejects.toMatchObject(refused);
  await expect(scene.client.call("auth.prefer", { profileId: "anthropic:gone" })).rejects.toMatchObject(
    refused,
  );
  const { messages } = await scene.call("chat.history", { sessionKey });
  expect(messages.filter(({ role }) => role === "user")).toHaveLength(2);
  expect((await scene.call("sessions.configure", { sessionKey, profile: null })).session).not.toHaveProperty(
    "profile",
  );
});
