import { isSignedBy, parseNote, type LogKey } from "@elwood/core/receipts/checkpoint";
import { fail } from "@elwood/core/base/failure";
import { inclusionProof, leafHash, verifyInclusion } from "@elwood/core/receipts/merkle";
import { receiptHash, type StoredReceipt } from "@elwood/core/receipts/receipt";
import { sha256 } from "@elwood/platform/system";
import type { ReceiptLog } from "../receipt-log.ts";

/** Shows to anyone with the public key that one receipt is in the log, without showing another. */
export interface ReceiptProof {
  readonly receipt: StoredReceipt;
  readonly index: number;
  readonly size: number;
  readonly path: readonly string[];
  /** The signed note over `size` receipts. */
  readonly checkpoint: string;
}

export function proveReceipt(log: ReceiptLog, receipt: StoredReceipt): ReceiptProof {
  // Under the key of today, also where the receipt is older than it.
  const since = log.rotations(receipt.tenant).at(-1)?.seq ?? 0;
  const checkpoint = log.checkpointOver(receipt.tenant, Math.max(receipt.seq, since));
  if (!checkpoint) {
    fail(
      "CONFLICT",
      `Receipt ${receipt.id} is not under a signature yet, so there is nothing to prove it with. Signatures are made when a run ends and at the latest after ten minutes; try again then.`,
    );
  }
  const { size, note } = checkpoint;
  const leaves = log.hashes(receipt.tenant, 0, size).map((hash) => leafHash(hash, sha256));
  if (leaves.length !== size) {
    fail("STORAGE", "Receipts are missing, so nothing can be proven. Run: elwood receipts verify", {
      retryable: false,
    });
  }
  const index = receipt.seq - 1;
  return { receipt, index, size, path: inclusionProof(leaves, index, sha256), checkpoint: note };
}

/** undefined where the proof holds; else what is wrong with it. Needs no database. */
export function proofProblem(proof: ReceiptProof, key: LogKey): string | undefined {
  const { hash, ...rest } = proof.receipt;
  if (receiptHash(rest, sha256) !== hash) return "the receipt's content does not have its hash";
  const note = parseNote(proof.checkpoint);
  if (!note.ok) return `its checkpoint cannot be read: ${note.error}`;
  if (!isSignedBy(note.value, key)) return `its checkpoint is not signed by ${key.origin}`;
  const { size, root } = note.value.checkpoint;
  const { index, path } = proof;
  if (size !== proof.size || index !== proof.receipt.seq - 1) return "it is about another place in the log";
  return verifyInclusion({ leaf: leafHash(hash, sha256), index, size, path, root }, sha256)
    ? undefined
    : "the receipt is not under the signed root";
}
