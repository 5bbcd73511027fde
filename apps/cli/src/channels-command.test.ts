import { FailureError } from "@elwood/core/base/failure";
import { expect, test } from "vitest";
import { inviteChannel } from "./channels-command.ts";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

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
