import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { base64ToBytes } from "@elwood/core/base/bytes";
import { rotationOf, rotationText, type Rotation } from "@elwood/core/receipts/rotation";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import type { ReceiptLog } from "../receipt-log.ts";
import {
  keyPaths,
  logKeyFrom,
  publicPemOf,
  readIfThere,
  readKey,
  signingKey,
  type KeyPaths,
  type SigningKey,
} from "./log-key.ts";

/**
 * A change of key on disk, step by step, so that a plug that is pulled at any moment leaves
 * one key in force: the new key lies beside the old one, the receipt that hands over is
 * written, and only then does the new one take the old one's place. The receipt decides.
 */
export async function makeNextKey(keys: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  await writeFileAtomic(keyPaths(keys).next, pem, { mode: 0o600 });
  return signingKey(privateKey);
}

/** What both keys say of the change. `head` is what the old one has signed last. */
export function handOver(
  tenant: string,
  old: SigningKey,
  fresh: SigningKey,
  { size, root }: { readonly size: number; readonly root: string },
): Rotation {
  const claim = { from: old.publicKey, to: fresh.publicKey, size, root: size === 0 ? "" : root };
  const text = rotationText(tenant, claim);
  return { ...claim, signedByOld: old.sign(text), signedByNew: fresh.sign(text) };
}

/** The old key's secret half is gone after this; its public half stays under its log's name. */
export async function installNextKey(
  keys: string,
  rotation: { readonly from: string; readonly to: string },
): Promise<void> {
  const paths = keyPaths(keys);
  const [from, to] = [base64ToBytes(rotation.from), base64ToBytes(rotation.to)];
  if (!from || !to) throw new TypeError("a rotation of this gateway names two keys");
  const former = logKeyFrom(from, DEFAULT_TENANT).origin.replace("elwood/", "");
  await writeFileAtomic(join(keys, `receipts-${former}.pub`), publicPemOf(from), { mode: 0o644 });
  if (readIfThere(paths.next) !== undefined) renameSync(paths.next, paths.secret);
  await writeFileAtomic(paths.public, publicPemOf(to), { mode: 0o644 });
}

/** At the start, before the key is opened: ends what a dead process began, by what the log says. */
export async function settleNextKey(keys: string, log: ReceiptLog, tenant: string): Promise<void> {
  const paths = keyPaths(keys);
  const [next, secret, known] = [paths.next, paths.secret, paths.public].map(readIfThere);
  const half = next === undefined ? secret : next;
  // Nothing was begun, or all was done.
  if (half === undefined || known === undefined || publicPem(half, paths) === known) return;
  const last = log.rotations(tenant).at(-1);
  const rotation = last && rotationOf(last);
  if (rotation && publicPem(half, paths) === publicPemOf(base64ToBytes(rotation.to) ?? new Uint8Array()))
    await installNextKey(keys, rotation);
  else rmSync(paths.next, { force: true });
}

function publicPem(secretPem: string, { secret }: KeyPaths): string {
  return signingKey(readKey(() => createPrivateKey(secretPem), secret)).publicPem;
}
