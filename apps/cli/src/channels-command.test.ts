import { FailureError } from "@elwood/core/base/failure";
import { expect, test } from "vitest";
import type { MethodResult } from "@elwood/core/protocol/results";
import {
  approveCode,
  connectChannel,
  disconnectChannel,
  inviteChannel,
  listChannels,
  listPeople,
  removePerson,
  testChannel,
} from "./channels-command.ts";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { TEST_NOW, testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

type Channel = MethodResult<"channels.list">["channels"][number];
type Person = MethodResult<"pairing.list">["people"][number];

const telegram = (more: Partial<Channel> = {}): Channel => ({
  name: "telegram",
  title: "Telegram",
  state: "off",
  approverIds: [],
  allowedChatIds: [],
  ...more,
});
const mia: Person = {
  channel: "telegram",
  senderId: "7",
  name: "Mia\u001b[31m",
  state: "paired",
  at: TEST_NOW,
};

async function gateway(channel: Channel, people: readonly Person[] = []) {
  const connected = telegram({
    state: "connecting",
    account: { id: "1", name: "elwood_bot", link: "https://t.me/elwood_bot" },
  });
  const { client, calls } = await testGateway({
    "channels.list": () => ({ channels: [channel] }),
    "channels.test": () => ({ ok: false, problem: "Telegram refuses the bot's token (401)." }),
    "channels.connect": () => ({ channel: connected }),
    "channels.disconnect": () => ({ channel }),
    "pairing.list": () => ({ people: [...people] }),
    "pairing.approve": ({ approver }) => ({ person: mia, approver: approver === true }),
    "pairing.remove": () => ({ ok: true }),
  });
  return { deps: { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" }, calls };
}

test("channels list says how each is doing and who may approve, and how to connect one", async () => {
  const { deps } = await gateway(telegram());
  const io = testIo();
  expect(await listChannels(io, deps, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("telegram");
  expect(io.err()).toContain("elwood channels connect telegram");
  const failed = await gateway(telegram({ state: "failed", problem: "Another program asks too (409)." }));
  const told = testIo();
  await listChannels(told, failed.deps, { json: false });
  expect(told.out()).toContain("not working");
  expect(told.err()).toContain("Telegram: Another program asks too (409).");
});

test("channels test says what is wrong, with exit code 1", async () => {
  const { deps } = await gateway(telegram());
  const io = testIo();
  expect(await testChannel(io, deps, { name: "telegram", json: false })).toBe(EXIT.failed);
  expect(io.err()).toContain("refuses the bot's token");
});

test("channels connect takes the token from standard input, never shows it, and says what comes next", async () => {
  const { deps, calls } = await gateway(telegram());
  const io = testIo();
  io.type("123:secret\n");
  io.hangUp();
  expect(await connectChannel(io, deps, { name: "telegram", tokenStdin: true, json: false })).toBe(EXIT.ok);
  expect(calls.at(-1)?.params).toEqual({ name: "telegram", token: "123:secret" });
  expect(io.out()).toContain("https://t.me/elwood_bot");
  expect(io.out()).toContain("elwood pair approve CODE");
  expect(`${io.out()}${io.err()}`).not.toContain("123:secret");
});

test("channels connect uses a token that a variable has, and knows which channels there are", async () => {
  const { deps, calls } = await gateway(telegram({ tokenFrom: "environment TELEGRAM_BOT_TOKEN" }));
  const io = testIo();
  await connectChannel(io, deps, { name: "telegram", tokenStdin: false, json: true });
  expect(calls.at(-1)?.params).toEqual({ name: "telegram" });
  const code = await reporting(io, false, () =>
    connectChannel(io, deps, { name: "pigeon", tokenStdin: false, json: false }),
  );
  expect(code).toBe(EXIT.failed);
  expect(io.err()).toContain('There is no channel "pigeon". There are telegram.');
});

test("channels disconnect says that the token is gone", async () => {
  const { deps } = await gateway(telegram());
  const io = testIo();
  await disconnectChannel(io, deps, { name: "telegram", json: false });
  expect(io.out()).toContain("its token is removed");
});

test("pair approve lets somebody chat; nobody becomes an approver without a typed word at the terminal", async () => {
  const { deps, calls } = await gateway(telegram());
  const io = testIo();
  expect(await approveCode(io, deps, { code: "7K3M9QXA", json: false })).toBe(EXIT.ok);
  expect(calls.at(-1)?.params).toEqual({ code: "7K3M9QXA" });
  expect(io.out()).toContain("They cannot allow anything.");
  expect(io.out()).not.toContain("\u001b[31m");
});

test("pair list and remove name people by channel and id", async () => {
  const { deps, calls } = await gateway(telegram(), [mia]);
  const io = testIo();
  await listPeople(io, deps, { json: false });
  expect(io.out()).toContain("telegram:7");
  await removePerson(io, deps, { person: "7", json: false });
  expect(calls.at(-1)?.params).toEqual({ channel: "telegram", senderId: "7" });
  const code = await reporting(io, false, () => removePerson(io, deps, { person: "8", json: false }));
  expect(code).toBe(EXIT.failed);
  expect(io.err()).toContain("Nobody with the id 8");
});

const LINK = "https://discord.com/oauth2/authorize?client_id=1&scope=bot+applications.commands&permissions=2";

test("the invitation of a bot is a link alone, and what it allows is told beside it", async () => {
  const gateway = await testGateway({
    "channels.test": () => ({ ok: true, account: { id: "1", name: "elwood", link: LINK }, notes: [] }),
  });
  const deps = { client: gateway.client, clock: { now: () => 0 }, timeZone: "UTC" };
  const io = testIo();
  expect(await inviteChannel(io, deps, { name: "discord", json: false })).toBe(EXIT.ok);
  expect(io.out()).toBe(`${LINK}\n`);
  expect(io.err()).toContain("these permissions and no others");
  const json = testIo();
  await inviteChannel(json, deps, { name: "discord", json: true });
  expect(JSON.parse(json.out())).toEqual({ link: LINK });
  expect(gateway.calls[0]).toEqual({ method: "channels.test", params: { name: "discord" } });
});

test("without a token that works there is no invitation, and the reason is given", async () => {
  const problem = "There is no token. Set DISCORD_BOT_TOKEN to your bot's token.";
  const gateway = await testGateway({ "channels.test": () => ({ ok: false, problem }) });
  const deps = { client: gateway.client, clock: { now: () => 0 }, timeZone: "UTC" };
  const io = testIo();
  const refused = await inviteChannel(io, deps, { name: "discord", json: false }).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(FailureError);
  expect(refused).toMatchObject({ message: `There is no link: ${problem}` });
  expect(io.out()).toBe("");
});
