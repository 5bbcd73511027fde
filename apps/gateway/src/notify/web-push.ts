import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  hkdfSync,
  randomBytes,
  sign,
  type ECDH,
} from "node:crypto";

/** A browser that asked to be woken, as it describes itself (Push API). */
export interface PushSubscription {
  readonly endpoint: string;
  /** Both in base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The key pair by which push services know this gateway (RFC 8292), in base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export type PushOutcome =
  | { readonly kind: "sent" }
  /** The browser took its subscription back. */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly why: string };

export interface PushDeps {
  readonly fetch: typeof globalThis.fetch;
  readonly vapid: VapidKeys;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** How long a push service keeps a message for a browser that is off. */
const TTL_SECONDS = 12 * 60 * 60;
const TOKEN_SECONDS = 60 * 60;

/** Sends a small text to a browser through its push service, which cannot read it. */
export async function sendPush(
  subscription: PushSubscription,
  text: string,
  { fetch: send, vapid, now, signal }: PushDeps,
): Promise<PushOutcome> {
  const sender = createECDH(CURVE);
  sender.generateKeys();
  const body = encryptPush(text, subscription.keys, { sender, salt: randomBytes(SALT_BYTES) });
  const response = await send(subscription.endpoint, {
    method: "POST",
    redirect: "error",
    headers: {
      authorization: `vapid t=${vapidToken(subscription.endpoint, vapid, now())}, k=${vapid.publicKey}`,
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(TTL_SECONDS),
      urgency: "high",
    },
    body: new Uint8Array(body),
    signal,
  });
  await response.body?.cancel();
  if (response.ok) return { kind: "sent" };
  if (response.status === 404 || response.status === 410) return { kind: "gone" };
  return { kind: "failed", why: `the push service answered ${response.status}` };
}

export function makeVapidKeys(): VapidKeys {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return {
    publicKey: pair.getPublicKey().toString("base64url"),
    privateKey: pair.getPrivateKey().toString("base64url"),
  };
}

const CURVE = "prime256v1";
const SALT_BYTES = 16;
const RECORD_BYTES = 4096;

/** RFC 8291 over RFC 8188: one record, readable only by the browser that made the keys. */
export function encryptPush(
  text: string,
  keys: PushSubscription["keys"],
  { sender, salt }: { readonly sender: ECDH; readonly salt: Uint8Array },
): Buffer {
  const receiverKey = Buffer.from(keys.p256dh, "base64url");
  const senderKey = sender.getPublicKey();
  const shared = sender.computeSecret(receiverKey);
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), receiverKey, senderKey]);
  const input = hkdf(shared, Buffer.from(keys.auth, "base64url"), about, 32);
  const key = hkdf(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = hkdf(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  // 2 marks the last record.
  const sealed = Buffer.concat([
    cipher.update(Buffer.concat([Buffer.from(text), Buffer.from([2])])),
    cipher.final(),
  ]);
  const head = Buffer.alloc(SALT_BYTES + 5);
  Buffer.from(salt).copy(head);
  head.writeUInt32BE(RECORD_BYTES, SALT_BYTES);
  head.writeUInt8(senderKey.length, SALT_BYTES + 4);
  return Buffer.concat([head, senderKey, sealed, cipher.getAuthTag()]);
}

function hkdf(key: Uint8Array, salt: Uint8Array, about: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, about, bytes));
}

/** A signed word that this message comes from whom the browser subscribed to. It names no person. */
function vapidToken(endpoint: string, { publicKey, privateKey }: VapidKeys, nowMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const expires = Math.floor(nowMs / 1000) + TOKEN_SECONDS;
  const claims = { aud: new URL(endpoint).origin, exp: expires, sub: "https://elwood.invalid/" };
  const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
  const point = Buffer.from(publicKey, "base64url");
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      d: privateKey,
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33, 65).toString("base64url"),
    },
  });
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
