import { chat } from "@elwood/testkit/chat-wire";
import { startOpenai } from "@elwood/testkit/openai-server";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

test("a session is named by the model that answered, until the owner turns that off; a program pays for no name", async () => {
  const server = await startOpenai();
  onTestFinished(() => server.close());
  await using started = await startTestGateway({
    config: `providers:\n  tiny:\n    baseUrl: ${server.baseUrl}\n    api: chat\n`,
    env: { ELWOOD_MODEL: "tiny/qwen3:4b", ELWOOD_SESSION_TITLES: "" },
  });
  const { url, ownerToken: token } = started.gateway;
  const page = await GatewayClient.connect({ url, token, client: { name: "web" } });
  const program = await GatewayClient.connect({ url, token, client: { name: "script" } });
  onTestFinished(() => Promise.all([page.close(), program.close()]).then(() => undefined));
  const titleOf = async (sessionKey: string) =>
    (await page.call("sessions.list", {})).sessions.find((each) => each.sessionKey === sessionKey)?.title;
  const say = async (client: GatewayClient, message: string, ...answers: string[]) => {
    server.willChat(...answers.map((text) => chat.reply(text)));
    const { sessionKey } = await client.call("sessions.create", {});
    const ended = Promise.withResolvers<string>();
    const deaf = client.onPush((push) => {
      if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) ended.resolve(push.data.runId);
    });
    await client.call("chat.send", { sessionKey, message });
    const runId = await ended.promise;
    deaf();
    return { sessionKey, runId };
  };
  const asked = () =>
    server.requests
      .filter(({ method }) => method === "POST")
      .map(({ body }) => body as Record<string, unknown>);

  const first = await say(
    page,
    "Where do I find a flat with a garden?",
    "Here are three.",
    "Flats with a garden",
  );
  await expect.poll(() => titleOf(first.sessionKey)).toBe("Flats with a garden");
  expect(asked()).toHaveLength(2);
  expect(asked()[1]).toMatchObject({ model: "qwen3:4b" });
  expect(asked()[1]).not.toHaveProperty("tools");
  expect(Object.values(asked()[1]!)).toContain(60);
  const [run] = (await page.call("runs.list", { sessionKey: first.sessionKey })).runs;
  expect(run?.laps).toBe(1);

  await page.call("settings.set", { key: "sessions.titles", value: false, expected: true });
  const unnamed = await say(page, "And one with a balcony?", "Here are two.");
  await page.call("settings.set", { key: "sessions.titles", value: true, expected: false });
  await say(program, "One of a program", "Done.");
  const last = await say(page, "And one by the sea?", "Here is one.", "A flat by the sea");
  await expect.poll(() => titleOf(last.sessionKey)).toBe("A flat by the sea");
  expect(await titleOf(unnamed.sessionKey)).toBe("And one with a balcony?");
  expect(asked()).toHaveLength(6);
  expect(started.complaints).toEqual([]);
});
