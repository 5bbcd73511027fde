import { createPublicKey, verify } from "node:crypto";
import { LIMITS } from "@elwood/core/base/limits";
import type { Clock, TokenInfo } from "@elwood/runtime/ports/ports";
import { newToken, sha256 } from "@elwood/platform/system";
import { browserLogin } from "./browser-login.ts";
import { Tickets } from "./tickets.ts";

const DEVICE_MS = 90 * 86_400_000;

/** What a browser proves that it holds the key of its device. */
export interface DeviceProof {
  readonly deviceId: string;
  readonly challenge: string;
  /** Over `signedText`, as ECDSA of P-256 with SHA-256, both numbers one after the other. */
  readonly signature: string;
}

/**
 * Browsers that stay logged in. Each is a row among the tokens with the public half of a key that
 * its browser cannot hand out; for what it signs it gets a token that lives in memory only, so that
 * after a restart it signs again.
 *
 * D1 A challenge is signed once, soon, and for one device.
 * D2 The row decides: once it is revoked or has expired, neither its key nor its tokens open anything.
 */
export class DeviceLogins {
  readonly #clock: Clock;
  readonly #challenges: Tickets<true>;
  readonly #tokens = new Map<string, { readonly deviceId: string; readonly expiresAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#challenges = new Tickets(clock, LIMITS.deviceChallengeMs, LIMITS.deviceChallengesMax);
  }

  challenge(): { readonly challenge: string; readonly expiresAt: number } {
    const { ticket, expiresAt } = this.#challenges.issue(true);
    return { challenge: ticket, expiresAt };
  }

  /** Whether the proof is by the key of this device (D1). The challenge is used up in any case. */
  proves({ deviceId, challenge, signature }: DeviceProof, device: TokenInfo | undefined): boolean {
    const isFresh = this.#challenges.use(challenge) !== undefined;
    if (!isFresh || device?.publicKey === undefined || device.id !== deviceId || !this.isOpen(device))
      return false;
    const key = keyOf(device.publicKey);
    return (
      key !== undefined &&
      verify(
        "sha256",
        Buffer.from(signedText(deviceId, challenge)),
        { key, dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url"),
      )
    );
  }

  /** A token for a device that has proved itself. */
  open({ id, expiresAt }: TokenInfo): { readonly token: string; readonly expiresAt: number } {
    const oldest = this.#tokens.keys().next();
    if (this.#tokens.size >= LIMITS.deviceTokensMax && !oldest.done) this.#tokens.delete(oldest.value);
    const token = newToken();
    const until = Math.min(browserLogin(this.#clock.now()).expiresAt, expiresAt ?? Number.MAX_SAFE_INTEGER);
    this.#tokens.set(sha256(token), { deviceId: id, expiresAt: until });
    return { token, expiresAt: until };
  }

  /** The device that a token was given to, by its digest, and until when; the row has to be looked at yet (D2). */
  ownerOf(digest: string): { readonly deviceId: string; readonly expiresAt: number } | undefined {
    const held = this.#tokens.get(digest);
    if (held && held.expiresAt > this.#clock.now()) return held;
    this.#tokens.delete(digest);
    return undefined;
  }

  isOpen({ expiresAt }: TokenInfo): boolean {
    return expiresAt === undefined || expiresAt > this.#clock.now();
  }
}

/** What a browser that stays logged in may do: the same as one that followed a link, for longer. */
export function deviceLogin(createdAt: number): ReturnType<typeof browserLogin> {
  return { ...browserLogin(createdAt), expiresAt: createdAt + DEVICE_MS };
}

/** Names what it is for and whom it is from, so that a signature is good for nothing else. */
export function signedText(deviceId: string, challenge: string): string {
  return `elwood.login.v1\n${deviceId}\n${challenge}`;
}

/** The key, where it is one of P-256. */
export function keyOf(publicKey: string): ReturnType<typeof createPublicKey> | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64url"), format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined; // no key at all
  }
}
