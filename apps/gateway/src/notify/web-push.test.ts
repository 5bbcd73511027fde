import { createDecipheriv, createECDH, createPublicKey, hkdfSync, verify } from "node:crypto";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
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

async function service() {
  const server = await new LoopbackServer().start();
  onTestFinished(() => server.close());
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const auth = Buffer.alloc(16, 7);
  const keys = { p256dh: browser.getPublicKey().toString("base64url"), auth: auth.toString("base64url") };
  const vapid = makeVapidKeys();
  const push = (text: string) =>
    sendPush({ endpoint: `${server.url}/push/1`, keys }, text, {
      fetch,
      vapid,
      now: () => NOW,
      signal: AbortSignal.timeout(5_000),
    });
  return { server, browser, auth, vapid, push };
}

test("a push service gets a signed word about who sends, and a browser that took it back is gone", async () => {
  const { server, vapid, push } = await service();
  server.script("POST /push/1", json(201, {}), json(410, {}), json(500, {}));
  expect(await push("hello")).toEqual({ kind: "sent" });
  const [request] = server.requests;
  const [, token = "", key] =
    /^vapid t=([^,]+), k=(.+)$/.exec(String(request?.headers["authorization"])) ?? [];
  expect(key).toBe(vapid.publicKey);
  const [head, claims, signature] = token.split(".");
  const point = Buffer.from(vapid.publicKey, "base64url");
  const publicKey = createPublicKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
  const bytes = Buffer.from(signature!, "base64url");
  expect(
    verify("sha256", Buffer.from(`${head}.${claims}`), { key: publicKey, dsaEncoding: "ieee-p1363" }, bytes),
  ).toBe(true);
  expect(JSON.parse(Buffer.from(claims!, "base64url").toString())).toMatchObject({
    aud: server.url,
    exp: NOW / 1000 + 3600,
  });
  expect(request?.headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high" });
  expect(await push("hello")).toEqual({ kind: "gone" });
  expect(await push("hello")).toMatchObject({ kind: "failed" });
});

test("what is sent can be read by the browser alone", async () => {
  const { browser, auth } = await service();
  const sender = createECDH("prime256v1");
  sender.generateKeys();
  const keys = { p256dh: browser.getPublicKey().toString("base64url"), auth: auth.toString("base64url") };
  const sealed = encryptPush("Delete 3 files?", keys, { sender, salt: Buffer.alloc(16, 3) });
  expect(sealed.toString("latin1")).not.toContain("Delete");
  const senderKey = sealed.subarray(21, 21 + 65);
  const hkdf = (key: Uint8Array, salt: Uint8Array, about: Uint8Array, n: number) =>
    Buffer.from(hkdfSync("sha256", key, salt, about, n));
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), senderKey]);
  const input = hkdf(browser.computeSecret(senderKey), auth, about, 32);
  const salt = sealed.subarray(0, 16);
  const key = hkdf(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = hkdf(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const opened = Buffer.concat([decipher.update(sealed.subarray(86, -16)), decipher.final()]);
  expect(opened.subarray(0, -1).toString()).toBe("Delete 3 files?");
});
