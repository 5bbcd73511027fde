import { DEFAULT_TENANT } from "../base/tenant.ts";
import { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes } from "../base/bytes.ts";
import type { Sha256 } from "./receipt.ts";
import { err, ok, type Result } from "../base/result.ts";

/**
 * The head of a log, as text that can be pasted into a chat, a mail or a git commit and
 * still be checked: a signed note as C2SP writes them. Three lines say which log, how many
 * receipts and which root; after an empty line come the signatures over those three.
 */
export interface Checkpoint {
  /** Which log: `elwood/<logId>`. */
  readonly origin: string;
  readonly size: number;
  /** Root of the tree, in hex. */
  readonly root: string;
}

export interface NoteSignature {
  readonly name: string;
  /** Eight hex digits that tell keys of one name apart. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

export interface SignedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** What was signed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** The key a log is signed with, as far as a verifier needs it. */
export interface LogKey {
  readonly origin: string;
  readonly keyId: string;
  verify(text: string, signature: Uint8Array): boolean;
}

const NOTE_CHARS_MAX = 4_096;
const SIGNATURES_MAX = 16;
const ED25519 = 1;

/** One key signs the logs of all tenants, so the name of a log says whose it is. */
export function originOf(logId: string, tenant: string): string {
  return tenant === DEFAULT_TENANT ? `elwood/${logId}` : `elwood/${logId}/${tenant}`;
}

/** A log is named by its key, so nobody can sign as it with another one. */
export function logIdOf(publicKey: Uint8Array, sha256: Sha256): string {
  return sha256(publicKey).slice(0, 32);
}

export function keyIdOf(name: string, publicKey: Uint8Array, sha256: Sha256): string {
  const head = new TextEncoder().encode(`${name}\n`);
  const bytes = new Uint8Array(head.length + 1 + publicKey.length);
  bytes.set(head);
  bytes[head.length] = ED25519;
  bytes.set(publicKey, head.length + 1);
  return sha256(bytes).slice(0, 8);
}

/** What is signed. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${bytesToBase64(hexToBytes(root))}\n`;
}

export function formatNote(text: string, signatures: readonly NoteSignature[]): string {
  const lines = signatures.map(({ name, keyId, signature }) => {
    const id = hexToBytes(keyId);
    const bytes = new Uint8Array(id.length + signature.length);
    bytes.set(id);
    bytes.set(signature, id.length);
    return `— ${name} ${bytesToBase64(bytes)}\n`;
  });
  return `${text}\n${lines.join("")}`;
}

/** Takes what `formatNote` writes and nothing else; the error says what is wrong with it. */
export function parseNote(note: string): Result<SignedCheckpoint, string> {
  if (note.length > NOTE_CHARS_MAX) return err("it is too long to be a checkpoint");
  const cut = note.indexOf("\n\n");
  if (cut < 0 || !note.endsWith("\n")) return err("it is not a signed note");
  const text = note.slice(0, cut + 1);
  const [origin = "", size = "", root = "", ...extra] = text.split("\n");
  if (!/^elwood\/[0-9a-f]{32}(\/[a-z0-9][a-z0-9_-]{0,63})?$/.test(origin))
    return err("its first line names no log of Elwood's");
  if (!/^(0|[1-9][0-9]{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)))
    return err("its second line is not a number of receipts");
  const bytes = base64ToBytes(root);
  if (bytes?.length !== 32) return err("its third line is not a root");
  if (extra.join("") !== "") return err("it has more lines than a checkpoint");
  const lines = note.slice(cut + 2, -1).split("\n");
  const signatures = lines.slice(0, SIGNATURES_MAX).map(parseSignature);
  const whole = signatures.filter((signature) => signature !== undefined);
  if (whole.length !== lines.length) return err("a signature of it cannot be read");
  return ok({
    checkpoint: { origin, size: Number(size), root: bytesToHex(bytes) },
    text,
    signatures: whole,
  });
}

/** Whether the log's own key signed it. Other signatures (of witnesses) neither help nor harm. */
export function isSignedBy(note: SignedCheckpoint, key: LogKey): boolean {
  if (note.checkpoint.origin !== key.origin) return false;
  return note.signatures.some(
    ({ name, keyId, signature }) =>
      name === key.origin && keyId === key.keyId && key.verify(note.text, signature),
  );
}

/** What a person kept: a whole note, or the line that a reply shows. */
export type SavedHead =
  | { readonly kind: "note"; readonly note: SignedCheckpoint }
  | { readonly kind: "line"; readonly size: number; readonly shortRoot: string };

export const SHORT_ROOT_CHARS = 16;

/** `receipts 1204 · 9f3a17c2e0b4d658`: short enough for every reply, long enough not to be met by chance. */
export function headLine(size: number, root: string): string {
  return `receipts ${size} · ${root.slice(0, SHORT_ROOT_CHARS)}`;
}

export function parseSavedHead(text: string): Result<SavedHead, string> {
  const line = /(?:\breceipts|◈ [\p{L}]{1,20}) (\d{1,15}) · ([0-9a-f]{16})\b/u.exec(text);
  if (line) return ok({ kind: "line", size: Number(line[1]), shortRoot: line[2]! });
  // A reply as JSON, or many of them: the last one vouches for the most.
  const logs = [...text.matchAll(LOG_OF_REPLY)].map(([, size, root]) => ({
    size: Number(size),
    root: root!,
  }));
  const last = logs.toSorted((a, b) => a.size - b.size).at(-1);
  if (last) return ok({ kind: "line", size: last.size, shortRoot: last.root.slice(0, SHORT_ROOT_CHARS) });
  // Pasted text gains blanks and loses its last line end.
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const first = lines.findIndex((each) => each.trim().startsWith("elwood/"));
  if (first < 0)
    return err(
      "it holds neither a checkpoint, nor a line such as “receipts 12 · 0123456789abcdef”, nor a reply as JSON",
    );
  const kept = lines.slice(first).map((each) => each.trim());
  while (kept.at(-1) === "") kept.pop();
  const note = parseNote(`${kept.join("\n")}\n`);
  return note.ok ? ok({ kind: "note", note: note.value }) : note;
}

/** `log` as replies carry it, however it was written out. */
const LOG_OF_REPLY = /"log"\s*:\s*\{\s*"size"\s*:\s*(\d{1,15})\s*,\s*"root"\s*:\s*"([0-9a-f]{64})"/gu;

function parseSignature(line: string): NoteSignature | undefined {
  const [dash, name, encoded, ...rest] = line.split(" ");
  if (dash !== "—" || !name || encoded === undefined || rest.length > 0) return undefined;
  const bytes = base64ToBytes(encoded);
  if (!bytes || bytes.length < 5) return undefined;
  return { name, keyId: bytesToHex(bytes.subarray(0, 4)), signature: bytes.slice(4) };
}
