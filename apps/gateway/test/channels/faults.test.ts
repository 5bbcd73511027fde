import { GatewayClient } from "@elwood/sdk/client";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { TelegramServer } from "@elwood/testkit/telegram-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

/** What happens to networks and clocks, on a whole gateway whose clock the tests move. */
const OLGA = { id: 100, first_name: "Olga" };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The first waits between two tries pass by themselves. */
const clock = new ManualClock({ autoAdvance: (ms) => ms === 1_000 || ms === 2_000 });
let telegram: TelegramServer;
let model: AnthropicServer;
let started: StartedGateway;
let owner: GatewayClient;

beforeAll(async () => {
  telegram = await new TelegramServer().start();
  model = await startAnthropic();
  started = await startTestGateway({
    clock,
    config: `timeZone: UTC
heartbeat: { intervalMinutes: 0 }
telegram:
  apiRoot: ${telegram.url}
  approverIds: [100]
  allowedChatIds: [200]
`,
    env: {
      TELEGRAM_BOT_TOKEN: telegram.token,
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
  const { url, ownerToken: token } = started.gateway;
  owner = await GatewayClient.connect({ url, token, client: { name: "web" } });
});

afterAll(async () => {
  await owner.close();
  await started[Symbol.asyncDispose]();
  await telegram.close();
  await model.close();
});

beforeEach(() => {
  telegram.messages.length = 0;
});

const texts = (): string[] => telegram.texts(100);

/** Time passes, a minute at a time, until it is so. */
async function timePassesUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect
    .poll(async () => {
      if (await isSo()) return true;
      await clock.advance(60_000);
      return isSo();
    })
    .toBe(true);
}

/** The wait that the reply got has begun. */
const waitsFor = (ms: number): Promise<void> => clock.untilAsleep((each) => each === ms);

test("429 with retry_after 126: nothing is sent for so long, then the whole reply, once", async () => {
  telegram.fate("sendMessage", {
    error: 429,
    description: "Too Many Requests: retry after 126",
    parameters: { retry_after: 126 },
  });
  const before = telegram.requestsOf("sendMessage").length;
  model.will(anthropic.reply("Worth waiting for."));
  telegram.say(OLGA, "hello");
  await waitsFor(126_000);
  await clock.advance(125_999);
  expect(telegram.requestsOf("sendMessage")).toHaveLength(before + 1);
  await clock.advance(1);
  await expect.poll(texts).toEqual(["Worth waiting for."]);
});

test("a network that is gone for an hour: what was said meanwhile is answered, and nothing is there twice", async () => {
  const released = Promise.withResolvers<void>();
  model.will(async (exchange) => {
    await released.promise;
    await anthropic.reply("Good morning.")(exchange);
  });
  const asked = model.requests.length;
  telegram.say(OLGA, "before");
  await model.untilRequests(asked + 1);
  const told = started.complaints.length;
  const port = await telegram.disconnect();
  released.resolve();
  const channel = async () =>
    (await owner.call("channels.list", {})).channels.find(({ name }) => name === "telegram");
  await expect.poll(channel).toMatchObject({
    state: "waiting",
    problem: "Telegram cannot be reached. Elwood tries again by itself.",
  });
  for (let i = 0; i < 4; i += 1) await clock.advance(HOUR_MS / 4);
  // One line, not one for every try.
  expect(started.complaints.slice(told)).toEqual(["Telegram cannot be reached; it is tried again"]);
  telegram.say(OLGA, "meanwhile");
  model.will(anthropic.reply("Good evening."));
  await telegram.start(port);
  await timePassesUntil(() => texts().length >= 2);
  expect(texts().toSorted()).toEqual(["Good evening.", "Good morning."]);
  await timePassesUntil(async () => (await channel())?.state === "connected");
});

test("a clock that is moved by a day, either way, neither holds a reply up for a day nor gives it up", async () => {
  for (const by of [-DAY_MS, DAY_MS]) {
    const before = texts().length;
    telegram.fate("sendMessage", {
      error: 429,
      description: "Too Many Requests: retry after 60",
      parameters: { retry_after: 60 },
    });
    model.will(anthropic.reply("First."), anthropic.reply("Second."));
    telegram.say(OLGA, "one");
    await waitsFor(60_000);
    clock.set(clock.now() + by);
    telegram.say(OLGA, "two");
    // Whatever comes next looks at the clock again.
    const limit = clock.now() + HOUR_MS;
    await timePassesUntil(() => texts().length >= before + 2);
    expect(clock.now()).toBeLessThan(limit);
    expect(texts().slice(before)).toEqual(["First.", "Second."]);
  }
});

test("a machine that is suspended for a night goes on: the wait ends, the reply comes, messages are answered", async () => {
  telegram.fate("sendMessage", {
    error: 429,
    description: "Too Many Requests: retry after 30",
    parameters: { retry_after: 30 },
  });
  model.will(anthropic.reply("Good morning."), anthropic.reply("Awake."));
  telegram.say(OLGA, "good night");
  await waitsFor(30_000);
  clock.set(clock.now() + 8 * HOUR_MS);
  telegram.say(OLGA, "awake?");
  await timePassesUntil(() => texts().length >= 2);
  expect(texts()).toEqual(["Good morning.", "Awake."]);
});

test("a chat that was deleted takes no reply: it is undeliverable with a receipt, listed, and other chats go on", async () => {
  telegram.closedChats.set(200, { error: 400, description: "Bad Request: chat not found" });
  model.will(anthropic.reply("Nobody is there."));
  telegram.say({ id: 200, first_name: "Mia" }, "hello");
  await expect
    .poll(
      async () =>
        (await owner.call("receipts.list", { types: ["reply.undeliverable"] })).receipts[0]?.payload,
    )
    .toMatchObject({ why: "gone" });
  const { items } = await owner.call("attention.list", {});
  expect(items.find(({ kind }) => kind === "reply")?.text).toMatch(/chat not found/);
  model.will(anthropic.reply("Here."));
  telegram.say(OLGA, "and you?");
  await expect.poll(texts).toEqual(["Here."]);
});

test("a hostile name is a name: it is not read, not formatted, and written out where it is listed", async () => {
  const asked = model.requests.length;
  telegram.say(
    { id: 666, first_name: "Olga\u202e <b>x</b> [y](tg://user?id=100)", last_name: "\u0007*" },
    "hi",
  );
  await expect.poll(() => telegram.texts(666)).toHaveLength(1);
  expect(telegram.messages.find(({ chat }) => chat === 666)).toMatchObject({ entities: [] });
  expect(telegram.texts(666)[0]).not.toContain("Olga");
  const { people } = await owner.call("pairing.list", {});
  const [eve] = people.filter(({ senderId }) => senderId === "666");
  // eslint-disable-next-line no-control-regex -- that is what is looked for
  expect(eve?.name).not.toMatch(/[\u0000-\u001f\u202e]/);
  expect(model.requests).toHaveLength(asked);
});
