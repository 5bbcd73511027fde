import { grow, leafHash, type Edge } from "@elwood/core/receipts/merkle";
import { sha256 } from "@elwood/platform/system";
import type { CheckpointReason } from "./checkpoint-signer.ts";

/** Enough that a seal, which is due long before, finds the tree as it is. */
export const FRESH_MAX = 500;

/** What is kept of one tenant's tree. */
export interface Tree {
  edge: Edge;
  /** Hashes of receipts that follow the edge and are not in the tree yet: no call waits for it to grow. */
  fresh: string[];
  sealedSize: number;
  sealedAt: number;
  /** A wait for CHECKPOINT_AFTER_MS is under way. */
  waiting: boolean;
  /** A seal is about to be made. */
  soon: CheckpointReason | undefined;
  /** There are fewer receipts than were signed: nothing more is signed until someone has looked. */
  cut: boolean;
}

export function sizeOf({ edge, fresh }: Tree): number {
  return edge.size + fresh.length;
}

export function grown(tree: Tree): void {
  for (const hash of tree.fresh) tree.edge = grow(tree.edge, leafHash(hash, sha256), sha256);
  tree.fresh = [];
}
