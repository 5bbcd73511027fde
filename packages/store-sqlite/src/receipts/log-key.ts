import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  checkpointText,
  formatNote,
  keyIdOf,
  logIdOf,
  originOf,
  type Checkpoint,
  type LogKey,
} from "@elwood/core/receipts/checkpoint";
import { fail } from "@elwood/core/base/failure";
import { encodedKey } from "@elwood/core/receipts/rotation";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { sha256 } from "@elwood/platform/system";
import { isMissing } from "@elwood/platform/system-error";

/** The key that signs this house's logs, and what is known of it without its secret half. */
export interface SigningKey {
  readonly publicPem: string;
  /** A checkpoint of a tenant's log, as a signed note. */
  signCheckpoint(tenant: string, head: Omit<Checkpoint, "origin">): string;
  verifier(tenant: string): LogKey;
  /** Raw, in base64. */
  readonly publicKey: string;
  /** In base64; for what is not a checkpoint, such as handing over to another key. */
  sign(text: string): string;
}

/** The last checkpoint that was signed, kept beside the key: the database cannot be cut behind it unseen. */
export function lastSignedPath(keys: string): string {
  return join(keys, "receipts.head");
}

/** undefined where nothing was signed yet. */
export function readLastSigned(keys: string): string | undefined {
  try {
    return readFileSync(lastSignedPath(keys), "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export interface KeyPaths {
  readonly secret: string;
  readonly public: string;
  /** A key that is about to take over. */
  readonly next: string;
}

export function keyPaths(keys: string): KeyPaths {
  return {
    secret: join(keys, "receipts.key"),
    public: join(keys, "receipts.pub"),
    next: join(keys, "receipts.key.next"),
  };
}

/** Made on first use, for the owner alone. Two processes that start at once use one key. */
export async function openSigningKey(keys: string): Promise<SigningKey> {
  const paths = keyPaths(keys);
  let secret = readIfThere(paths.secret);
  if (secret === undefined) {
    if (readIfThere(paths.public) !== undefined) lostKey(paths.secret, paths.public);
    mkdirSync(keys, { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ format: "pem", type: "pkcs8" });
    await writeFileAtomic(paths.secret, pem, { mode: 0o600, create: true });
    secret = readFileSync(paths.secret, "utf8");
  }
  chmodSync(paths.secret, 0o600);
  const privateKey = readKey(() => createPrivateKey(secret), paths.secret);
  const publicPem = createPublicKey(privateKey).export({ format: "pem", type: "spki" }).toString();
  const kept = readIfThere(paths.public);
  if (kept === undefined) await writeFileAtomic(paths.public, publicPem, { mode: 0o644 });
  else if (!samePublicKey(kept, publicPem, paths.public)) lostKey(paths.secret, paths.public);
  return signingKey(privateKey);
}

/** Reading a key takes longer than signing with it. */
const VERIFIERS_MAX = 100;

export function signingKey(privateKey: KeyObject): SigningKey {
  const known = createPublicKey(privateKey);
  const publicPem = known.export({ format: "pem", type: "spki" }).toString();
  const verifiers = new Map<string, LogKey>();
  const verifier = (tenant: string): LogKey => {
    const made = verifiers.get(tenant) ?? logKey(publicPem, tenant);
    if (verifiers.size >= VERIFIERS_MAX) verifiers.clear();
    verifiers.set(tenant, made);
    return made;
  };
  return {
    publicPem,
    publicKey: encodedKey(rawBytes(known)),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64"),
    verifier,
    signCheckpoint(tenant, { size, root }) {
      const { origin, keyId } = verifier(tenant);
      const text = checkpointText({ origin, size, root });
      return formatNote(text, [
        { name: origin, keyId, signature: sign(null, Buffer.from(text), privateKey) },
      ]);
    },
  };
}

/** A public key as the verifier of a tenant's log. */
export function logKey(publicPem: string, tenant: string): LogKey {
  const key = readKey(() => createPublicKey(publicPem), "the public key");
  const raw = rawBytes(key);
  const origin = originOf(logIdOf(raw, sha256), tenant);
  return {
    origin,
    keyId: keyIdOf(origin, raw, sha256),
    verify: (text, signature) => verify(null, Buffer.from(text), key, signature),
  };
}

/** The same from the bytes of a key, as receipts hold them. */
export function logKeyFrom(publicKey: Uint8Array, tenant: string): LogKey {
  return logKey(publicPemOf(publicKey), tenant);
}

export function publicPemOf(publicKey: Uint8Array): string {
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, publicKey]), format: "der", type: "spki" });
  return key.export({ format: "pem", type: "spki" }).toString();
}

/** undefined where nothing was ever sealed here. */
export function readPublicKey(keys: string): string | undefined {
  return readIfThere(keyPaths(keys).public);
}

const RAW_BYTES = 32;
/** What stands before the bytes of an Ed25519 key in its DER form. */
const SPKI_HEAD = Buffer.from("302a300506032b6570032100", "hex");

function rawBytes(key: KeyObject): Uint8Array {
  // The last 32 bytes of the DER form are the key itself.
  return key.export({ format: "der", type: "spki" }).subarray(-RAW_BYTES);
}

function samePublicKey(kept: string, pem: string, path: string): boolean {
  const key = readKey(() => createPublicKey(kept), path);
  return Buffer.from(rawBytes(key)).equals(rawBytes(createPublicKey(pem)));
}

export function readKey(read: () => KeyObject, path: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  if (key?.asymmetricKeyType === "ed25519") return key;
  return fail("STORAGE", `${path} holds no Ed25519 key, so nothing can be checked or signed with it.`, {
    retryable: false,
  });
}

function lostKey(secret: string, known: string): never {
  fail(
    "STORAGE",
    `The key that signs receipts (${secret}) is not the one that signed them until now (${known}). Nothing was changed. Put the old key back. If it is lost, keep ${known} elsewhere to check what it signed, move it out of the keys folder and move elwood.db away: a new log begins.`,
    { retryable: false },
  );
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
