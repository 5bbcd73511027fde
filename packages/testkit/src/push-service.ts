import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
  type ECDH,
} from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A push service on loopback together with the browser's side of it: it takes what RFC 8030 lets an
 * application server send, checks who sent it (RFC 8292), and opens it with the keys that only the
 * browser has (RFC 8291).
 */
export class PushService {
  /** What was pushed, opened. */
  readonly opened: string[] = [];
  /** Why a request was not taken. */
  readonly refused: string[] = [];
  readonly #browser: ECDH = createECDH("prime256v1");
  readonly #auth = randomBytes(16);
  readonly #server = createServer((request, response) => {
    this.#take(request).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        this.refused.push(String(error));
        response.writeHead(400).end();
      },
    );
  });
  /** The key that the application server named when it subscribed; only its signature counts. */
  applicationServerKey = "";

  constructor() {
    this.#browser.generateKeys();
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What a browser tells the application server. */
  get subscription() {
    return {
      endpoint: `${this.url}/push/1`,
      keys: {
        p256dh: this.#browser.getPublicKey().toString("base64url"),
        auth: this.#auth.toString("base64url"),
      },
    };
  }

  async #take(request: IncomingMessage): Promise<number> {
    const { headers, method, url } = request;
    if (method !== "POST" || url !== "/push/1") return 404;
    if (headers["ttl"] === undefined || headers["content-encoding"] !== "aes128gcm")
      throw new Error("A push has a TTL and is sealed with aes128gcm.");
    if (!this.#isSigned(headers.authorization ?? "")) {
      this.refused.push("It is not signed by the key that was named.");
      return 403;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.opened.push(this.#open(Buffer.concat(chunks)));
    return 201;
  }

  /** RFC 8292: a token for this service, signed by the key that was named with the subscription. */
  #isSigned(authorization: string): boolean {
    const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/u.exec(authorization) ?? [];
    const [head = "", claims = "", signature = ""] = token.split(".");
    if (key === "" || key !== this.applicationServerKey) return false;
    const point = Buffer.from(key, "base64url");
    const publicKey = createPublicKey({
      format: "jwk",
      key: {
        kty: "EC",
        crv: "P-256",
        x: point.subarray(1, 33).toString("base64url"),
        y: point.subarray(33).toString("base64url"),
      },
    });
    const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as {
      aud: string;
      exp: number;
    };
    return (
      aud === this.url &&
      exp * 1000 > Date.now() &&
      verify(
        "sha256",
        Buffer.from(`${head}.${claims}`),
        { key: publicKey, dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url"),
      )
    );
  }

  /** RFC 8291 and 8188: one record, whose header holds salt, record size and the sender's key. */
  #open(sealed: Buffer): string {
    const salt = sealed.subarray(0, 16);
    const senderKey = sealed.subarray(21, 21 + sealed.readUInt8(20));
    const body = sealed.subarray(21 + senderKey.length);
    const hkdf = (key: Uint8Array, from: Uint8Array, about: Uint8Array, bytes: number) =>
      Buffer.from(hkdfSync("sha256", key, from, about, bytes));
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#browser.getPublicKey(), senderKey]);
    const input = hkdf(this.#browser.computeSecret(senderKey), this.#auth, info, 32);
    const key = hkdf(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = hkdf(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const decipher = createDecipheriv("aes-128-gcm", key, nonce);
    decipher.setAuthTag(body.subarray(-16));
    const opened = Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]);
    // The last record ends with a 2, and zeros behind it.
    return opened.subarray(0, opened.lastIndexOf(2)).toString();
  }
}
