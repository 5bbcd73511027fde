import { GatewayClient } from "@elwood/sdk/client";
import { json, never } from "@elwood/testkit/answers";
import { chat } from "@elwood/testkit/chat-wire";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { startOpenai } from "@elwood/testkit/openai-server";
import { expect, test } from "vitest";

test("AC-13: killed in flight, a key gets its stored answer, or a new one where nothing was done, and never a second effect", async () => {
  const provider = await startOpenai();
  const shop = await new LoopbackServer({}).start();
  shop.script("POST /orders", never());
  shop.always("POST /orders", json(200, { ordered: true }));
  const folder = temporaryHome();
  const config = `
api: { actions: true }
web: { allowedOrigins: ["${shop.url}"] }
providers: { here: { baseUrl: ${provider.baseUrl} } }
actions:
  helper: { model: here/local-1 }
  order: { kind: http, task: http, http: { method: POST, url: "${shop.url}/orders" } }
`;
  const start = () => startGatewayProcess({ home: folder.path, config });
  let gateway = await start();
  const post = async (action: string, key: string, input: object) => {
    const response = await fetch(`${gateway.url}/api/v1/actions/${action}/execute?version=latest`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${gateway.token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({ input }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const hi = { messages: [{ role: "user", content: "hi" }] };

  provider.willChat(chat.reply("Once"));
  const answered = await post("helper", "answered", hi);
  expect(answered).toMatchObject({ status: 200, body: { text: "Once" } });
  provider.willChat(never());
  const cut = [post("helper", "asked", hi), post("order", "ordered", {})].map((each) =>
    each.catch(() => "cut off"),
  );
  const owner = await GatewayClient.connect({ url: gateway.url, token: gateway.token });
  const pending = async () => (await owner.call("approvals.list", { status: "pending" })).approvals;
  await expect.poll(async () => (await pending()).length, { timeout: 60_000 }).toBe(1);
  for (const { approvalId } of await pending()) await owner.call("exec.approve", { approvalId });
  await expect.poll(() => shop.requests.length, { timeout: 60_000 }).toBe(1);
  await expect.poll(() => provider.requests.length, { timeout: 60_000 }).toBe(2);
  await gateway.kill();
  expect(await Promise.all(cut)).toEqual(["cut off", "cut off"]);
  await owner.close();

  gateway = await start();
  expect(await post("helper", "answered", hi)).toEqual(answered);
  expect(provider.requests).toHaveLength(2);
  for (let again = 0; again < 2; again++)
    expect(await post("order", "ordered", {})).toMatchObject({
      status: 409,
      body: { reason: "OUTCOME_UNKNOWN", retryable: false },
    });
  expect(shop.requests).toHaveLength(1);
  provider.willChat(chat.reply("Asked again"));
  const second = await post("helper", "asked", hi);
  expect(second).toMatchObject({ status: 200, body: { text: "Asked again" } });
  expect(await post("helper", "asked", hi)).toEqual(second);
  expect(provider.requests).toHaveLength(3);

  await gateway.kill();
  await shop.close();
  await provider.close();
  folder.remove();
});
