import { base64ToBytes, bytesToBase64 } from "../base/bytes.ts";
import type { LogKey } from "./checkpoint.ts";
import type { StoredReceipt } from "./receipt.ts";

/**
 * A log changes its key by a receipt that both keys signed: the old one hands over, the new
 * one takes over what was signed until then. Whoever trusts any key of a log can so follow
 * it to all others, and nobody without the old key can bring in one of their own.
 */
export interface Rotation {
  /** Public keys, raw, in base64. */
  readonly from: string;
  readonly to: string;
  /** The last checkpoint that the old key signed. */
  readonly size: number;
  readonly root: string;
  /** In base64, over `rotationText`. */
  readonly signedByOld: string;
  readonly signedByNew: string;
}

/** From which receipt on a log is signed by which key. */
export interface KeySpan {
  readonly since: number;
  readonly key: LogKey;
}

export type KeyFrom = (publicKey: Uint8Array) => LogKey;

export const ROTATIONS_MAX = 1_000;
const RAW_BYTES = 32;

/** What both keys sign. */
export function rotationText(
  tenant: string,
  { from, to, size, root }: Omit<Rotation, "signedByOld" | "signedByNew">,
): string {
  return `elwood.rotation.v1\n${tenant}\n${size}\n${root}\n${from}\n${to}\n`;
}

/** undefined where the receipt changes no key. What it claims is not checked here. */
export function rotationOf({ type, payload }: Pick<StoredReceipt, "type" | "payload">): Rotation | undefined {
  const claimed = payload["rotation"];
  if (type !== "log.checkpoint" || typeof claimed !== "object" || claimed === null) return undefined;
  const { from, to, size, root, signedByOld, signedByNew } = claimed as Record<string, unknown>;
  return {
    from: String(from),
    to: String(to),
    size: Number(size),
    root: String(root),
    signedByOld: String(signedByOld),
    signedByNew: String(signedByNew),
  };
}

/** The keys of a log by its rotations, as they claim to be; where there are none, the one that is known. */
export function keySpans(
  known: LogKey,
  rotations: readonly Pick<StoredReceipt, "seq" | "type" | "payload">[],
  keyFrom: KeyFrom,
): readonly KeySpan[] {
  const spans: KeySpan[] = [];
  for (const receipt of rotations.slice(0, ROTATIONS_MAX)) {
    const rotation = rotationOf(receipt);
    if (!rotation) continue;
    if (spans.length === 0) spans.push({ since: 0, key: keyOr(known, rotation.from, keyFrom) });
    spans.push({ since: receipt.seq, key: keyOr(known, rotation.to, keyFrom) });
  }
  return spans.length > 0 ? spans : [{ since: 0, key: known }];
}

export function keyAt(spans: readonly KeySpan[], size: number): LogKey | undefined {
  return spans.findLast(({ since }) => since <= size)?.key;
}

/** undefined where the change is in order; else what is wrong with it. `sealed` is the last checkpoint before it. */
export function rotationProblem(
  tenant: string,
  rotation: Rotation,
  keys: { readonly old: LogKey; readonly fresh: LogKey },
  sealed: { readonly size: number; readonly root: string },
  keyFrom: KeyFrom,
): string | undefined {
  const [from, to] = [rawKey(rotation.from), rawKey(rotation.to)];
  if (!from || !to || keyFrom(from).origin !== keys.old.origin || keyFrom(to).origin !== keys.fresh.origin)
    return "it hands the log to another key than the one that follows";
  if (rotation.size !== sealed.size || rotation.root !== sealed.root)
    return "it was made for another state of the log";
  const text = rotationText(tenant, rotation);
  const isBy = (key: LogKey, signature: string) => {
    const bytes = base64ToBytes(signature);
    return bytes !== undefined && key.verify(text, bytes);
  };
  if (!isBy(keys.old, rotation.signedByOld)) return "the old key did not sign that another follows it";
  if (!isBy(keys.fresh, rotation.signedByNew)) return "the new key did not sign that it follows the old one";
  return undefined;
}

export function encodedKey(publicKey: Uint8Array): string {
  return bytesToBase64(publicKey);
}

/** A claim that is no key stands for one that signed nothing; the receipt that claims it is found out when it is read. */
function keyOr(known: LogKey, encoded: string, keyFrom: KeyFrom): LogKey {
  const raw = rawKey(encoded);
  return raw ? keyFrom(raw) : { ...known, verify: () => false };
}

function rawKey(encoded: string): Uint8Array | undefined {
  const bytes = base64ToBytes(encoded);
  return bytes?.length === RAW_BYTES ? bytes : undefined;
}
