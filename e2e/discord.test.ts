import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startDiscord, type DiscordServer } from "@elwood/testkit/discord-server";
import type { DiscordChannel, DiscordMessage, DiscordUser, Json } from "@elwood/testkit/discord-world";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, expect, test } from "vitest";

let home: string;
let discord: DiscordServer;
let model: AnthropicServer;
let olga: DiscordUser;
let chat: DiscordChannel;
let gateway: GatewayProcess;

async function start(): Promise<void> {
  gateway = await startGatewayProcess({
    home,
    config: `policy: { mode: strict }\ndiscord:\n  apiRoot: ${discord.apiRoot}\n  approverIds: ["${olga.id}"]\n`,
    env: {
      DISCORD_BOT_TOKEN: discord.token,
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
  await discord.until(() => discord.connected);
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "elwood-discord-"));
  discord = await startDiscord({ clock: { now: () => Date.now() } });
  model = await startAnthropic();
  olga = discord.person("Olga");
  chat = discord.privateChat(olga);
  await start();
});

afterAll(async () => {
  await gateway.stop();
  await discord.close();
  await model.close();
  rmSync(home, { recursive: true, force: true });
});

const texts = (): readonly string[] => discord.written(chat.id).map(({ content }) => content);

async function lastCard(): Promise<{ readonly card: DiscordMessage; readonly allow: string }> {
  await discord.until(() => (discord.written(chat.id).at(-1)?.components.length ?? 0) > 0);
  const card = discord.written(chat.id).at(-1)!;
  const [row] = card.components;
  const [allow] = row!["components"] as readonly Json[];
  return { card, allow: String(allow?.["custom_id"]) };
}

test("a gateway without a chat service loads nothing of one", async () => {
  const list = join(home, "loaded.txt");
  const hook = `import { appendFileSync } from "node:fs"; import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => { appendFileSync(${JSON.stringify(list)}, url + "\\n"); return next(url, context); } });`;
  const other = await startGatewayProcess({
    env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` },
  });
  await other.stop();
  const loaded = readFileSync(list, "utf8");
  expect(loaded).toContain("gateway");
  expect(loaded).not.toMatch(/channel|discord|grammy|undici/);
});

test("killed between a message and its reply, the gateway replies once after the restart", async () => {
  model.will(async (exchange) => exchange.gone, anthropic.reply("Here I am."));
  discord.say(olga, chat.id, "are you there?");
  await model.untilRequests(1);
  await gateway.kill();
  await start();
  await discord.until(() => texts().includes("Here I am."));
  expect(texts()).toEqual(["Here I am."]);
});

test("killed between sending and confirmation, the reply is there once", async () => {
  model.will(anthropic.reply("Only once."));
  discord.fault("POST", /messages$/, { kind: "silent" });
  discord.say(olga, chat.id, "say it");
  await discord.until(() => texts().includes("Only once."));
  await gateway.kill();
  const sent = discord.requestsOf("POST", /messages$/).length;
  await start();
  await discord.until(() => discord.requestsOf("POST", /messages$/).at(-1)?.status === 200);
  expect(discord.requestsOf("POST", /messages$/).length).toBeGreaterThan(sent);
  expect(texts().filter((text) => text.includes("Only once."))).toEqual(["Only once."]);
});

test("a button that is pressed while the gateway is down decides once it is up, and the call runs once", async () => {
  const input = { path: "notes/plan.txt", content: "plan" };
  model.will(anthropic.tools([{ name: "files__file__write", input }]), anthropic.reply("Saved."));
  // That the card arrived is never confirmed.
  discord.fault("POST", /messages$/, { kind: "silent" });
  discord.say(olga, chat.id, "what do you think");
  const { card, allow } = await lastCard();
  await gateway.kill();
  discord.press(olga, card.id, allow);
  expect(existsSync(join(home, "files", "notes", "plan.txt"))).toBe(false);
  await start();
  await discord.until(() => texts().some((text) => text.startsWith("Saved.")));
  await discord.until(() => discord.world.messages.get(card.id)?.components.length === 0);
  expect(discord.world.messages.get(card.id)?.content).toMatch(/Allowed by you in Discord/);
  expect(existsSync(join(home, "files", "notes", "plan.txt"))).toBe(true);
});
