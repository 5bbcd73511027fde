import { restReason } from "@elwood/core/model/rest-reason";
import { GatewayClient } from "@elwood/sdk/client";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic } from "@elwood/testkit/anthropic-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../../test/test-gateway.ts";

const NAMES = ["first", "second", "third"] as const;
const secretOf = (name: string) => `sk-ant-api03-loopback-${name}-0000000000`;

let server: Awaited<ReturnType<typeof startAnthropic>>;
let started: StartedGateway;
let client: GatewayClient;
/** The status that each key is answered with; 200 where there is none. */
const storm = new Map<string, number>();
const asked: string[] = [];

beforeAll(async () => {
  server = await startAnthropic();
  server.always(ANTHROPIC_ROUTE, (exchange) => {
    const key = exchange.request.headers["x-api-key"] ?? "";
    const name = NAMES.find((each) => secretOf(each) === key) ?? "nobody";
    asked.push(name);
    const status = storm.get(name);
    const answer = status === undefined ? anthropic.reply(`By ${name}.`) : anthropic.error(status);
    return answer(exchange);
  });
  started = await startTestGateway({
    env: { ANTHROPIC_BASE_URL: server.url, ELWOOD_MODEL: "anthropic/claude-sonnet-5-5" },
  });
  const { url, ownerToken: token } = started.gateway;
  client = await GatewayClient.connect({ url, token });
});
afterAll(async () => {
  await client.close();
  await started[Symbol.asyncDispose]();
  await server.close();
});

/** Sends a message in a session of its own, and answers what came of it. */
async function said(): Promise<{ readonly runId: string; readonly text: string }> {
  const { sessionKey } = await client.call("sessions.create", {});
  const ended = Promise.withResolvers<string>();
  const deaf = client.onPush(({ event, data }) => {
    const { sessionKey: of, text, message } = data as Record<string, string>;
    if (of !== sessionKey) return;
    if (event === "chat.final") ended.resolve(text ?? "");
    if (event === "chat.error") ended.resolve(`failed: ${message}`);
  });
  const { runId } = await client.call("chat.send", { sessionKey, message: "hello" });
  const text = await ended.promise.finally(deaf);
  return { runId, text };
}

test.each([
  [2, 401, "AUTH"],
  [2, 402, "BILLING"],
  [2, 429, "RATE_LIMITED"],
  [2, 529, "OVERLOADED"],
  [3, 401, "AUTH"],
  [3, 402, "BILLING"],
  [3, 429, "RATE_LIMITED"],
  [3, 529, "OVERLOADED"],
] as const)(
  "OA-10: of %i keys all but the last answer %i: the last one takes over in the same run, and receipts say why",
  async (count, status, why) => {
    storm.clear();
    const names = NAMES.slice(0, count);
    for (const name of names)
      await client.call("auth.set", { provider: "anthropic", name, secret: secretOf(name), replace: true });
    await client.call("auth.prefer", { profileId: "anthropic:first" });
    for (const name of names.slice(0, -1)) storm.set(name, status);
    asked.length = 0;
    const pushed = Promise.withResolvers<void>();
    const deaf = client.onPush(({ event, data }) => {
      if (event === "attention.changed" && data.count >= count - 1) pushed.resolve();
    });
    const { runId, text } = await said();
    const last = names.at(-1)!;
    expect(text).toContain(`By ${last}.`);
    expect(asked).toEqual(names);
    const { receipts } = await client.call("receipts.list", { runId, types: ["auth.profile.rotated"] });
    expect(receipts.toReversed().map(({ payload }) => payload)).toMatchObject(
      names.slice(0, -1).map((name, i) => ({
        from: `anthropic:${name}`,
        to: `anthropic:${names[i + 1]}`,
        why,
        restsUntil: expect.any(Number) as number,
      })),
    );
    const { profiles } = await client.call("auth.list", {});
    const resting = profiles.filter(({ cooldownUntil }) => cooldownUntil !== undefined).map(({ id }) => id);
    expect(resting.toSorted()).toEqual(
      names
        .slice(0, -1)
        .map((name) => `anthropic:${name}`)
        .toSorted(),
    );
    const { items } = await client.call("attention.list", {});
    expect(items.flatMap(({ kind, text: shown }) => (kind === "auth" ? [shown] : [])).toSorted()).toEqual(
      names
        .slice(0, -1)
        .map((name) => `The key anthropic:${name} rests: ${restReason(why)}.`)
        .toSorted(),
    );
    await pushed.promise.finally(deaf);
    const { profiles: paid } = await client.call("usage.summary", {});
    expect(paid.map(({ profile }) => profile)).toContain(`anthropic:${last}`);
    for (const name of names) await client.call("auth.remove", { profileId: `anthropic:${name}` });
  },
);
