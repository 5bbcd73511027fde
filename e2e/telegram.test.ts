import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { TelegramServer } from "@elwood/testkit/telegram-server";
import { afterAll, beforeAll, expect, test } from "vitest";

const OLGA = { id: 100, first_name: "Olga" };

let home: string;
let telegram: TelegramServer;
let model: AnthropicServer;
let gateway: GatewayProcess;

function start(state: string): Promise<GatewayProcess> {
  return startGatewayProcess({
    home: state,
    config: `telegram:\n  apiRoot: ${telegram.url}\n  approverIds: [100]\n`,
    env: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "elwood-telegram-"));
  telegram = await new TelegramServer().start();
  model = await startAnthropic();
  gateway = await start(home);
});

afterAll(async () => {
  await gateway.stop();
  await telegram.close();
  await model.close();
  rmSync(home, { recursive: true, force: true });
});

const texts = (): string[] => telegram.texts(100);

/** What the log of this gateway's life says of a message that has to wait. */
async function waiting(): Promise<unknown> {
  const answer = await fetch(`${gateway.url}/api/v1/logs`, {
    headers: { authorization: `Bearer ${gateway.token}` },
  });
  const { lines } = await answer.json();
  return lines.findLast(({ message }: { message: string }) => message === "a message to a chat waits")
    ?.fields;
}

test("EL-6: killed between a message and its reply, the gateway replies once after the restart", async () => {
  model.will(async (exchange) => exchange.gone, anthropic.reply("Here I am."));
  telegram.say(OLGA, "are you there?");
  await model.untilRequests(1);
  await gateway.kill();
  gateway = await start(home);
  await expect.poll(texts).toEqual(["Here I am."]);
  await expect.poll(() => telegram.unconfirmed).toBe(0);
});

test("killed between sending and confirmation, the reply comes once more, says that it may be a repeat, and never again", async () => {
  const before = texts().length;
  model.will(anthropic.reply("Only once."));
  telegram.fate("sendMessage", { hang: true });
  telegram.say(OLGA, "say it");
  await expect.poll(() => texts().slice(before)).toEqual(["Only once."]);
  await gateway.kill();
  gateway = await start(home);
  await expect.poll(() => texts().slice(before)).toEqual(["Only once.", "(may be a repeat)\nOnly once."]);
  const client = await GatewayClient.connect({ url: gateway.url, token: gateway.token });
  await expect
    .poll(
      async () => (await client.call("receipts.list", { types: ["reply.delivered"] })).receipts[0]?.payload,
    )
    .toMatchObject({ messages: 1, repeated: true });
  await client.close();
  await gateway.kill();
  gateway = await start(home);
  model.will(anthropic.reply("Go on."));
  telegram.say(OLGA, "and then?");
  await expect.poll(() => texts().at(-1)).toBe("Go on.");
  expect(texts().slice(before)).toHaveLength(3);
});

test("killed while Telegram wants it to wait, the reply comes once, unmarked, after the restart", async () => {
  const before = texts().length;
  model.will(anthropic.reply("After the wait."));
  telegram.fate("sendMessage", {
    error: 429,
    description: "Too Many Requests: retry after 2",
    parameters: { retry_after: 2 },
  });
  const tries = telegram.requestsOf("sendMessage").length;
  telegram.say(OLGA, "take your time");
  await expect.poll(() => telegram.requestsOf("sendMessage").length).toBe(tries + 1);
  // It has read the answer: killed before that, it could not know whether the message arrived.
  await expect.poll(waiting).toMatchObject({ ms: 2000 });
  await gateway.kill();
  gateway = await start(home);
  await expect.poll(() => texts().slice(before), { timeout: 60_000 }).toEqual(["After the wait."]);
});

test("a process that is suspended while the network goes away answers everything once it has both again", async () => {
  const before = texts().length;
  model.will(anthropic.reply("First."), anthropic.reply("Second."));
  process.kill(gateway.pid, "SIGSTOP");
  telegram.say(OLGA, "one");
  const port = await telegram.disconnect();
  telegram.say(OLGA, "two");
  process.kill(gateway.pid, "SIGCONT");
  await telegram.start(port);
  await expect.poll(() => texts().slice(before), { timeout: 60_000 }).toEqual(["First.", "Second."]);
  await expect.poll(() => telegram.unconfirmed).toBe(0);
});

test("two gateways on one bot: both say so with what to do, and no message is lost", async () => {
  const before = texts().length;
  const other = mkdtempSync(join(tmpdir(), "elwood-telegram-"));
  const second = await start(other);
  const clients = await Promise.all(
    [gateway, second].map(({ url, token }) => GatewayClient.connect({ url, token })),
  );
  const told = new Set<number>();
  await expect
    .poll(async () => {
      for (const [i, client] of clients.entries()) {
        const { channels } = await client.call("channels.list", {});
        const { problem = "" } = channels.find(({ name }) => name === "telegram") ?? {};
        if (problem.includes("(409)") && problem.includes("Stop that program")) told.add(i);
      }
      return told.size;
    })
    .toBe(2);
  // Telegram hands it to either of them, and to both where the first has not confirmed it yet.
  model.will(...Array.from({ length: 3 }, () => anthropic.reply("Answered.")));
  telegram.say(OLGA, "who answers?");
  await expect.poll(() => texts().length).toBeGreaterThan(before);
  for (const client of clients) await client.close();
  await second.stop();
  rmSync(other, { recursive: true, force: true });
  await expect.poll(() => telegram.unconfirmed).toBe(0);
  const alone = texts().length;
  expect(alone - before).toBeLessThanOrEqual(2);
  telegram.say(OLGA, "and now?");
  await expect.poll(() => texts().length).toBe(alone + 1);
});
