import { base64ToBytes, bytesToHex } from "@elwood/core/base/bytes";
import { keyIdOf, logIdOf, originOf, type LogKey } from "@elwood/core/receipts/checkpoint";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import { rotationOf } from "@elwood/core/receipts/rotation";
import { LogVerification, type LogVerdict, type Unreadable } from "@elwood/core/receipts/verify-log";
import { sha256 } from "./sha256.ts";

/** The log as the gateway handed it over. */
export interface FetchedLog {
  readonly tenant: string;
  /** In their order; rows that are no receipts any more stand in their places. */
  readonly receipts: readonly (StoredReceipt | Unreadable)[];
  readonly checkpoints: readonly string[];
  /** Today's key, as PEM; undefined where there is none yet. */
  readonly publicKey: string | undefined;
}

export interface BrowserVerdict {
  readonly verdict: LogVerdict;
  /** False where this browser cannot check Ed25519: then only hashes and order were. */
  readonly signatures: boolean;
}

/** Checks one signature; undefined where it cannot be done here. */
export type VerifySignature = (
  publicKey: Uint8Array,
  text: string,
  signature: Uint8Array,
) => Promise<boolean | undefined>;

interface Claim {
  readonly publicKey: Uint8Array;
  readonly text: string;
  readonly signature: Uint8Array;
}

/**
 * The same check as on the command line, with nothing of the gateway's but the bytes.
 * A browser checks signatures only asynchronously, and the check is not: so it is made once
 * as if all of them were good, then those that were met are checked, and if one is bad it
 * is made again with what is known now.
 */
export async function verifyFetched(
  log: FetchedLog,
  verifySignature: VerifySignature,
  turn: (done: number) => Promise<void>,
): Promise<BrowserVerdict> {
  const met = new Map<string, Claim>();
  const bad = new Set<string>();
  const keyFrom = (publicKey: Uint8Array): LogKey => {
    const origin = originOf(logIdOf(publicKey, sha256), log.tenant);
    return {
      origin,
      keyId: keyIdOf(origin, publicKey, sha256),
      verify(text, signature) {
        const name = `${bytesToHex(publicKey)} ${bytesToHex(signature)} ${text}`;
        met.set(name, { publicKey, text, signature });
        return !bad.has(name);
      },
    };
  };
  const first = await walk(log, keyFrom, turn);
  let signatures = true;
  for (const [name, { publicKey, text, signature }] of met) {
    const good = await verifySignature(publicKey, text, signature);
    if (good === undefined) signatures = false;
    else if (!good) bad.add(name);
  }
  return { verdict: bad.size === 0 ? first : await walk(log, keyFrom, turn), signatures };
}

const TURN_EVERY = 100;

async function walk(
  { tenant, receipts, checkpoints, publicKey }: FetchedLog,
  keyFrom: (publicKey: Uint8Array) => LogKey,
  turn: (done: number) => Promise<void>,
): Promise<LogVerdict> {
  const raw = publicKey === undefined ? undefined : rawKey(publicKey);
  const verification = new LogVerification({
    tenant,
    sha256,
    checkpoints,
    ...(raw ? { key: keyFrom(raw) } : {}),
    rotations: receipts.filter(
      (each): each is StoredReceipt => !("unreadable" in each) && rotationOf(each) !== undefined,
    ),
    keyFrom,
  });
  for (const [i, receipt] of receipts.entries()) {
    if (!verification.add(receipt)) break;
    if (i % TURN_EVERY === TURN_EVERY - 1) await turn(i + 1);
  }
  return verification.finish();
}

const RAW_BYTES = 32;

/** An Ed25519 key in SubjectPublicKeyInfo ends with its 32 bytes. */
function rawKey(pem: string): Uint8Array | undefined {
  const body = pem.replace(/-----[^-]+-----/g, "").replace(/\s+/g, "");
  return base64ToBytes(body)?.slice(-RAW_BYTES);
}

/** Through the browser's own cryptography; older ones, and pages over plain HTTP, have none. */
export const verifyEd25519: VerifySignature = async (publicKey, text, signature) => {
  try {
    const { subtle } = crypto;
    const key = await subtle.importKey("raw", publicKey.slice(), "Ed25519", false, ["verify"]);
    return await subtle.verify("Ed25519", key, signature.slice(), new TextEncoder().encode(text));
  } catch {
    return undefined; // not known here; the verdict says so
  }
};
