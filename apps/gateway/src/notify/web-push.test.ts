import { createECDH } from "node:crypto";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { PushService } from "@elwood/testkit/push-service";
import { expect, onTestFinished, test } from "vitest";
import { encryptPush, makeVapidKeys, sendPush } from "./web-push.ts";

const NOW = Date.UTC(2026, 10, 16, 14);

test("a message is sealed as in the example of RFC 8291", () => {
  const sender = createECDH("prime256v1");
  sender.setPrivateKey(Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"));
  const sealed = encryptPush(
    "When I grow up, I want to be a watermelon",
    {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
    { sender, salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url") },
  );
  expect(sealed.toString("base64url")).toBe(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
  );
});

test("a push service that checks who sends takes it, and the browser alone can read it", async () => {
  const service = await new PushService().start();
  onTestFinished(() => service.close());
  const [vapid, other] = [makeVapidKeys(), makeVapidKeys()];
  service.applicationServerKey = vapid.publicKey;
  const options = { fetch, now: () => Date.now(), signal: AbortSignal.timeout(60_000) };
  expect(await sendPush(service.subscription, "Delete 3 files?", { ...options, vapid })).toEqual({
    kind: "sent",
  });
  expect(await sendPush(service.subscription, "forged", { ...options, vapid: other })).toMatchObject({
    kind: "failed",
  });
  expect([service.opened, service.refused]).toEqual([
    ["Delete 3 files?"],
    ["It is not signed by the key that was named."],
  ]);
  const sender = createECDH("prime256v1");
  sender.generateKeys();
  const sealed = encryptPush("Delete 3 files?", service.subscription.keys, {
    sender,
    salt: Buffer.alloc(16, 3),
  });
  expect(sealed.toString("latin1")).not.toContain("Delete");
});

test("a push service is told when and how urgent, and a browser that took it back is gone", async () => {
  const server = await new LoopbackServer().start();
  onTestFinished(() => server.close());
  server.script("POST /push/1", json(201, {}), json(410, {}), json(500, {}));
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const keys = {
    p256dh: browser.getPublicKey().toString("base64url"),
    auth: Buffer.alloc(16, 7).toString("base64url"),
  };
  const push = () =>
    sendPush({ endpoint: `${server.url}/push/1`, keys }, "hello", {
      fetch,
      vapid: makeVapidKeys(),
      now: () => NOW,
      signal: AbortSignal.timeout(60_000),
    });
  expect(await push()).toEqual({ kind: "sent" });
  const { headers } = server.requests[0]!;
  const [, token = ""] = /^vapid t=([^,]+), k=/.exec(String(headers["authorization"])) ?? [];
  expect(JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString())).toMatchObject({
    aud: server.url,
    exp: NOW / 1000 + 3600,
  });
  expect(headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high" });
  expect(await push()).toEqual({ kind: "gone" });
  expect(await push()).toMatchObject({ kind: "failed" });
});
