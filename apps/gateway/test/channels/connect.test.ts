import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import { TelegramServer } from "@elwood/testkit/telegram-server";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

test("a channel is connected, its first person becomes the owner there, and it is disconnected, while the gateway runs", async () => {
  const telegram = await new TelegramServer().start();
  onTestFinished(() => telegram.close());
  const started = await startTestGateway({
    config: `# mine\ntelegram:\n  apiRoot: ${telegram.url}\n`,
    env: {},
  });
  onTestFinished(() => started[Symbol.asyncDispose]());
  const { url, ownerToken: token } = started.gateway;
  const owner = await GatewayClient.connect({ url, token });
  onTestFinished(() => owner.close());
  const config = () => readFileSync(join(started.home, "config.yaml"), "utf8");
  const channel = async () =>
    (await owner.call("channels.list", {})).channels.find(({ name }) => name === "telegram");

  expect(await channel()).toMatchObject({ state: "off" });
  await expect(owner.call("channels.connect", { name: "telegram", token: "1:wrong" })).rejects.toMatchObject({
    message: expect.stringContaining("refuses the bot's token (401)"),
  });
  await expect(owner.call("channels.connect", { name: "pigeon", token: "x" })).rejects.toThrow("no channel");
  expect(config()).not.toContain("token");

  const connected = await owner.call("channels.connect", { name: "telegram", token: telegram.token });
  expect(connected.channel.account).toMatchObject({ name: "elwood_bot" });
  expect(config()).toContain("# mine");
  expect(config()).toContain("${TELEGRAM_BOT_TOKEN}");
  expect(config()).not.toContain(telegram.token);
  expect(statSync(join(started.home, "secrets.env")).mode & 0o777).toBe(0o600);
  await expect.poll(channel).toMatchObject({ state: "connected" });

  telegram.say({ id: 100, first_name: "Olga" }, "hello");
  await expect.poll(() => telegram.texts(100)).toHaveLength(1);
  const code = /pair approve ([0-9A-Z]{8})/.exec(telegram.texts(100)[0] ?? "")?.[1] ?? "";
  const admin = await owner.call("tokens.create", { name: "helper", scopes: ["chat", "admin"] });
  const helper = await GatewayClient.connect({ url, token: admin.token });
  onTestFinished(() => helper.close());
  await expect(helper.call("pairing.approve", { code, approver: true })).rejects.toMatchObject({
    reason: "SCOPE_MISSING",
  });
  expect(await owner.call("pairing.approve", { code, approver: true })).toMatchObject({ approver: true });
  expect(await channel()).toMatchObject({ approverIds: ["100"] });
  telegram.say({ id: 100, first_name: "Olga" }, "/status");
  await expect.poll(() => telegram.texts(100).at(-1)).toMatch(/Running: 0/);

  await owner.call("pairing.remove", { channel: "telegram", senderId: "100" });
  expect(await channel()).toMatchObject({ approverIds: [] });
  expect(await owner.call("channels.disconnect", { name: "telegram" })).toMatchObject({
    channel: { state: "off" },
  });
  expect(readFileSync(join(started.home, "secrets.env"), "utf8")).not.toContain(telegram.token);
  const { receipts } = await owner.call("receipts.list", { types: ["settings.changed"] });
  expect(receipts.length).toBeGreaterThanOrEqual(4);
});
