import { renameSync, writeFileSync } from "node:fs";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { isSignedBy, parseNote, SHORT_ROOT_CHARS, type LogKey } from "@elwood/core/receipts/checkpoint";
import { fail, FailureError } from "@elwood/core/base/failure";
import { EMPTY_EDGE, type Edge, edgeRoot, grow, isEdge, leafHash } from "@elwood/core/receipts/merkle";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import { keyAt, keySpans, rotationOf } from "@elwood/core/receipts/rotation";
import { mustWrite } from "@elwood/runtime/gate/must-write";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";
import type { CheckpointWriter, ReceiptLog, StoredCheckpoint } from "../receipt-log.ts";
import { lastSignedPath, logKeyFrom, type SigningKey } from "./log-key.ts";
import { handOver, installNextKey, makeNextKey } from "./next-key.ts";

/** Receipts without a signature over them: at most so many, for at most so long. */
export const CHECKPOINT_EVERY_RECEIPTS = 50;
export const CHECKPOINT_AFTER_MS = 10 * 60_000;
/** How long a run that ended waits for others that are about to. */
export const CHECKPOINT_SHARED_MS = 250;
export const CHECKPOINT_DAILY_MS = 24 * 60 * 60_000;

export type CheckpointReason = "run" | "count" | "time" | "daily" | "asked" | "stop";

export interface LogHead {
  readonly size: number;
  readonly root: string;
  /** The first 16 digits of the root: what a reply shows. */
  readonly shortRoot: string;
  readonly sealedSize: number;
}

export interface CheckpointSignerDeps {
  readonly log: ReceiptLog;
  readonly checkpoints: CheckpointWriter;
  readonly ledger: Pick<Ledger, "write">;
  readonly key: SigningKey;
  /** Where the keys lie; without it the key cannot be changed. */
  readonly keys?: string;
  readonly clock: Clock;
  readonly logger: Log;
  /** Told of each new checkpoint: the daily one is shown to the owner whole, who so keeps a copy elsewhere. */
  readonly sealed?: (tenant: string, checkpoint: StoredCheckpoint) => void;
}

/**
 * Signs the head of each log: when a run ends, or a moment later where others are under way;
 * after 50 receipts, ten minutes after the first
 * unsigned one, and once a day even where nothing happened, so that silence is vouched for
 * too. Signing is never part of a write: if it fails, the receipt
 * stays, and signing is retried at the next occasion.
 *
 * The right edge of the tree lies in every checkpoint, so a start reads only the receipts
 * after the last one. What was signed is never hashed again: a history that was rewritten
 * behind a checkpoint cannot get into the tree this way.
 */
export class CheckpointSigner {
  readonly #deps: CheckpointSignerDeps;
  readonly #trees = new Map<string, Tree>();
  readonly #stop = new AbortController();
  #key: SigningKey;
  #others: () => boolean = () => false;
  /** While one key hands over to the other nothing is signed. */
  #rotating: "no" | "begun" | "handing over" = "no";

  constructor(deps: CheckpointSignerDeps) {
    this.#deps = deps;
    this.#key = deps.key;
  }

  /** The key that signs now. */
  get key(): SigningKey {
    return this.#key;
  }

  /** Signs what an earlier process left unsigned, then signs at least daily until `stop`. */
  start(tenant: string): void {
    const tree = this.#tree(tenant);
    if (sizeOf(tree) > tree.sealedSize) this.#wait(tenant, tree);
    void this.#daily(tenant, tree);
  }

  /** Listens to the ledger. */
  noted(tenant: string, receipts: readonly StoredReceipt[]): void {
    const tree = this.#tree(tenant);
    for (const receipt of receipts) {
      if (receipt.seq === sizeOf(tree) + 1) tree.fresh.push(receipt.hash);
    }
    // Another process has written between.
    if (sizeOf(tree) !== receipts.at(-1)?.seq) this.#catchUp(tenant, tree);
    if (tree.fresh.length >= FRESH_MAX) grown(tree);
    const unsealed = sizeOf(tree) - tree.sealedSize;
    if (unsealed <= 0) return;
    const ended = receipts.some((receipt) => receipt.type === "run.finished");
    if (ended && !this.#others()) this.#soon(tenant, tree, "run");
    else if (unsealed >= CHECKPOINT_EVERY_RECEIPTS) this.#soon(tenant, tree, "count");
    else if (ended) void this.#together(tenant, tree);
    else this.#wait(tenant, tree);
  }

  /** Runs that end while this says that others are under way share a signature. */
  shareWhile(others: () => boolean): void {
    this.#others = others;
  }

  head(tenant: string): LogHead {
    const tree = this.#tree(tenant);
    this.#catchUp(tenant, tree);
    const root = edgeRoot(tree.edge, sha256);
    return {
      size: tree.edge.size,
      root,
      shortRoot: root.slice(0, SHORT_ROOT_CHARS),
      sealedSize: tree.sealedSize,
    };
  }

  /** Signs the head as it is; does nothing where it is signed already. Throws where it cannot be stored. */
  signNow(tenant: string, reason: CheckpointReason): LogHead {
    const { checkpoints, clock } = this.#deps;
    const tree = this.#tree(tenant);
    const head = this.head(tenant);
    if (tree.cut || this.#rotating === "handing over" || head.size === tree.sealedSize) return head;
    const at = clock.now();
    const note = this.#key.signCheckpoint(tenant, head);
    const checkpoint = { size: head.size, note, edge: tree.edge, at, reason };
    checkpoints.add(tenant, checkpoint);
    tree.sealedSize = head.size;
    tree.sealedAt = at;
    this.#keepElsewhere(tenant, note);
    this.#deps.sealed?.(tenant, checkpoint);
    return { ...head, sealedSize: head.size };
  }

  /** On disk in the database by now, so that this copy is never ahead of it. Where it fails, an older one stays. */
  #keepElsewhere(tenant: string, note: string): void {
    const { keys, logger } = this.#deps;
    if (keys === undefined || tenant !== DEFAULT_TENANT) return;
    const path = lastSignedPath(keys);
    try {
      writeFileSync(`${path}.new`, note, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    } catch (error) {
      logger.warn("the last checkpoint could not be kept beside the key", { error });
    }
  }

  /**
   * Signs from now on with another key: what there is is sealed with the old one, a receipt
   * that both signed hands over, and the first seal of the new one covers that.
   */
  async rotate(tenant: string, by: { readonly actor: string; readonly surface: string }): Promise<void> {
    const { keys, log, ledger } = this.#deps;
    if (keys === undefined || this.#rotating !== "no")
      fail("CONFLICT", "The key of the receipts cannot be changed now. Nothing was done.");
    const others = [...this.#trees].filter(([name, tree]) => name !== tenant && sizeOf(tree) > 0);
    if (others.length > 0)
      fail(
        "CONFLICT",
        `The key signs the receipts of ${others.map(([name]) => name).join(", ")} too, which would no longer verify. It was not changed.`,
      );
    this.#rotating = "begun";
    try {
      const fresh = await makeNextKey(keys);
      const { size, sealedSize } = this.signNow(tenant, "asked");
      if (size !== sealedSize)
        fail(
          "CONFLICT",
          "The receipts could not be signed first, so their key was not changed. Run: elwood receipts verify",
        );
      this.#rotating = "handing over";
      try {
        const payload = { rotation: handOver(tenant, this.#key, fresh, this.head(tenant)) };
        const receipt = { type: "log.checkpoint", runId: "log", ...by, payload } as const;
        await mustWrite(ledger, tenant, "the change of the signing key", {
          receipts: [receipt],
          changes: [],
        });
      } catch (error) {
        // A disk may have taken it and say otherwise; the log alone decides which key follows.
        const last = log.rotations(tenant).at(-1);
        if (!last || rotationOf(last)?.to !== fresh.publicKey) throw error;
      }
      const from = this.#key.publicKey;
      this.#key = fresh;
      await installNextKey(keys, { from, to: fresh.publicKey });
    } finally {
      this.#rotating = "no";
      this.#try(tenant, "asked");
    }
  }

  /** Signs the rest and stops all timers. The database must still be open. */
  stop(): void {
    this.#stop.abort();
    for (const tenant of this.#trees.keys()) this.#try(tenant, "stop");
  }

  #tree(tenant: string): Tree {
    let tree = this.#trees.get(tenant);
    if (!tree) {
      tree = this.#load(tenant);
      this.#trees.set(tenant, tree);
      this.#catchUp(tenant, tree);
    }
    return tree;
  }

  #load(tenant: string): Tree {
    const { log, clock, logger } = this.#deps;
    const fresh = { fresh: [], waiting: false, sharing: false, soon: undefined };
    const last = log.lastCheckpoint(tenant);
    if (!last) return { ...fresh, edge: EMPTY_EDGE, sealedSize: 0, sealedAt: clock.now(), cut: false };
    const sealed = { ...fresh, sealedSize: last.size, sealedAt: last.at };
    const size = log.size(tenant);
    const cut = size < last.size;
    if (cut) {
      logger.error("receipts are missing, so nothing more is signed; run: elwood receipts verify", {
        receipts: size,
        signed: last.size,
      });
    }
    return { ...sealed, edge: !cut && this.#vouched(tenant, last) ? last.edge : EMPTY_EDGE, cut };
  }

  /** Whether the stored edge is the one that was signed. Where not, the tree is built from the receipts. */
  #vouched(tenant: string, { note, edge }: StoredCheckpoint): boolean {
    const parsed = parseNote(note);
    const vouched =
      parsed.ok &&
      (isSignedBy(parsed.value, this.#key.verifier(tenant)) ||
        isSignedBy(parsed.value, this.#keyAt(tenant, edge.size))) &&
      parsed.value.checkpoint.size === edge.size &&
      isEdge(edge) &&
      edgeRoot(edge, sha256) === parsed.value.checkpoint.root;
    if (!vouched) this.#deps.logger.error("the last checkpoint is damaged; run: elwood receipts verify");
    return vouched;
  }

  /** The last checkpoint may be one of a key before. */
  #keyAt(tenant: string, size: number): LogKey {
    const known = this.#key.verifier(tenant);
    const spans = keySpans(known, this.#deps.log.rotations(tenant), (raw) => logKeyFrom(raw, tenant));
    return keyAt(spans, size) ?? known;
  }

  #catchUp(tenant: string, tree: Tree): void {
    grown(tree);
    const size = this.#deps.log.size(tenant);
    if (size <= tree.edge.size) return;
    tree.fresh = this.#deps.log.hashes(tenant, tree.edge.size, size);
    grown(tree);
  }

  /** Asynchronously, so that no write waits for it; several reasons make one checkpoint. */
  #soon(tenant: string, tree: Tree, reason: CheckpointReason): void {
    const waiting = tree.soon !== undefined;
    tree.soon ??= reason;
    if (waiting) return;
    setImmediate(() => {
      const why = tree.soon ?? reason;
      tree.soon = undefined;
      if (!this.#stop.signal.aborted) this.#try(tenant, why);
    });
  }

  /** A signature costs a sync of its own: where runs end one upon the other, one is made for several. */
  async #together(tenant: string, tree: Tree): Promise<void> {
    if (tree.sharing) return;
    tree.sharing = true;
    await this.#deps.clock.sleep(CHECKPOINT_SHARED_MS, this.#stop.signal);
    tree.sharing = false;
    if (!this.#stop.signal.aborted) this.#try(tenant, "run");
  }

  #wait(tenant: string, tree: Tree): void {
    if (tree.waiting) return;
    tree.waiting = true;
    void this.#sealLater(tenant, tree);
  }

  async #sealLater(tenant: string, tree: Tree): Promise<void> {
    await this.#deps.clock.sleep(CHECKPOINT_AFTER_MS, this.#stop.signal);
    tree.waiting = false;
    if (!this.#stop.signal.aborted) this.#try(tenant, "time");
  }

  async #daily(tenant: string, tree: Tree): Promise<void> {
    const { clock, ledger } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const left = tree.sealedAt + CHECKPOINT_DAILY_MS - clock.now();
      if (left > 0) {
        await clock.sleep(left, signal);
        continue;
      }
      try {
        const { size, shortRoot } = this.head(tenant);
        const payload = { size, shortRoot };
        const receipt = { type: "log.checkpoint", runId: "log", actor: "gateway", surface: "log" } as const;
        await mustWrite(ledger, tenant, "the daily checkpoint", {
          receipts: [{ ...receipt, payload }],
          changes: [],
        });
        if (!signal.aborted && this.#try(tenant, "daily")) continue;
      } catch (error) {
        this.#failed(error);
      }
      await clock.sleep(CHECKPOINT_AFTER_MS, signal);
    }
  }

  #try(tenant: string, reason: CheckpointReason): boolean {
    try {
      const { size, sealedSize } = this.signNow(tenant, reason);
      return size === sealedSize;
    } catch (error) {
      this.#failed(error);
      if (!this.#stop.signal.aborted) this.#wait(tenant, this.#tree(tenant));
      return false;
    }
  }

  #failed(error: unknown): void {
    if (!(error instanceof FailureError)) throw error;
    const { reason, message } = error.failure;
    this.#deps.logger.warn("the receipts could not be sealed; it is tried again", { reason, message });
  }
}

/** Enough that a seal, which is due long before, finds the tree as it is. */
const FRESH_MAX = 500;

/** What is kept of one tenant's tree. */
interface Tree {
  edge: Edge;
  /** Hashes of receipts that follow the edge and are not in the tree yet: no call waits for it to grow. */
  fresh: string[];
  sealedSize: number;
  sealedAt: number;
  /** A wait for CHECKPOINT_AFTER_MS is under way. */
  waiting: boolean;
  /** One for CHECKPOINT_SHARED_MS is. */
  sharing: boolean;
  /** A seal is about to be made. */
  soon: CheckpointReason | undefined;
  /** There are fewer receipts than were signed: nothing more is signed until someone has looked. */
  cut: boolean;
}

function sizeOf({ edge, fresh }: Tree): number {
  return edge.size + fresh.length;
}

function grown(tree: Tree): void {
  for (const hash of tree.fresh) tree.edge = grow(tree.edge, leafHash(hash, sha256), sha256);
  tree.fresh = [];
}
