import { isSignedBy, parseNote, SHORT_ROOT_CHARS, type SavedHead, type LogKey } from "./checkpoint.ts";
import { keyAt, keySpans, rotationOf, rotationProblem, type KeyFrom, type KeySpan } from "./rotation.ts";
import { EMPTY_EDGE, edgeRoot, grow, leafHash, type Edge } from "./merkle.ts";
import { FIRST_PREV_HASH, receiptHash, type StoredReceipt, type Sha256 } from "./receipt.ts";

/** A row of the log that is not even a receipt any more. */
export interface Unreadable {
  readonly seq: number;
  readonly id: string;
  readonly unreadable: string;
}

export type LogVerdict =
  | {
      readonly status: "intact";
      readonly size: number;
      readonly root: string;
      /** Receipts up to here are under a signature; what comes after could be changed unseen. */
      readonly sealedSize: number;
      readonly unsealed: number;
    }
  | {
      readonly status: "altered";
      /** The first receipt that is not what it was, or may not be: see `to`. */
      readonly seq: number;
      readonly id?: string;
      /** Set where only a signed root gives it away: the change lies somewhere from `seq` to here. */
      readonly to?: number;
      readonly why: string;
    }
  | {
      readonly status: "truncated";
      /** How many receipts there are, and how many there were when the checkpoint was signed. */
      readonly size: number;
      readonly expected: number;
      readonly why: string;
    };

interface Expected {
  readonly size: number;
  fits(root: string): boolean;
  /** Whose word it is. */
  readonly whose: "stored" | "held";
  /** Set where the checkpoint itself is bad, whatever the receipts say. */
  readonly bad?: string;
}

/**
 * Checks a log while it is read, oldest receipt first: that every receipt still has its hash
 * and follows the one before it, and that the tree had the signed root at every checkpoint.
 * Knows nothing of databases; what it is given is what it judges.
 */
export class LogVerification {
  readonly #tenant: string;
  readonly #sha256: Sha256;
  readonly #expected: Expected[];
  #edge: Edge = EMPTY_EDGE;
  #prevHash = FIRST_PREV_HASH;
  /** Up to here a signature has vouched. */
  #vouched = 0;
  #sealed = 0;
  #sealedRoot = "";
  readonly #keyFrom: KeyFrom | undefined;
  /** The keys of the log, by the rotations that are still to be met. */
  readonly #keys: readonly KeySpan[];
  /** Of the first receipt after the last checkpoint that fitted, and of the very first. */
  #suspect: string | undefined;
  #first: string | undefined;
  #verdict: LogVerdict | undefined;

  constructor(options: {
    readonly tenant: string;
    readonly sha256: Sha256;
    /** A key of the log that is trusted: the one of today, or an earlier one that was kept elsewhere. */
    readonly key?: LogKey;
    /** Receipts that say they change the key, oldest first, and how to read a key in them. */
    readonly rotations?: readonly StoredReceipt[];
    readonly keyFrom?: KeyFrom;
    /** Stored notes, as they are stored. */
    readonly checkpoints?: readonly string[];
    readonly held?: SavedHead;
  }) {
    this.#tenant = options.tenant;
    this.#sha256 = options.sha256;
    const { key, keyFrom, rotations = [] } = options;
    this.#keyFrom = keyFrom;
    this.#keys = key && keyFrom ? keySpans(key, rotations, keyFrom) : key ? [{ since: 0, key }] : [];
    const stored = (options.checkpoints ?? []).map((note) => storedCheckpoint(note, this.#keys));
    const held = options.held ? [heldCheckpoint(options.held, this.#keys)] : [];
    const foreign =
      key && !this.#keys.some((span) => span.key.origin === key.origin)
        ? [bad("stored", 0, `this log was never signed by ${key.origin}`)]
        : [];
    this.#expected = [...foreign, ...stored, ...held].sort((a, b) => a.size - b.size);
    this.#compare(undefined);
  }

  /** False once the verdict is certain; further receipts need not be read. */
  add(entry: StoredReceipt | Unreadable): boolean {
    if (this.#verdict) return false;
    const seq = this.#edge.size + 1;
    const why = this.#wrongWith(entry, seq);
    if (why !== undefined) {
      // Where one is missing, what stands in its place is another one.
      const id = entry.seq > seq ? {} : { id: entry.id };
      this.#verdict = { status: "altered", seq, ...id, why };
      return false;
    }
    // #wrongWith has found it to be a receipt.
    const { id, hash } = entry as StoredReceipt;
    this.#prevHash = hash;
    this.#edge = grow(this.#edge, leafHash(hash, this.#sha256), this.#sha256);
    this.#suspect ??= id;
    this.#first ??= id;
    this.#compare(id);
    return this.#verdict === undefined;
  }

  finish(): LogVerdict {
    if (this.#verdict) return this.#verdict;
    const { size } = this.#edge;
    const beyond = this.#expected.at(-1);
    if (beyond) {
      const whose = beyond.whose === "held" ? "the checkpoint you hold" : "a stored checkpoint";
      return {
        status: "truncated",
        size,
        expected: beyond.size,
        why: `${whose} vouches for ${beyond.size} receipts, and there are ${size}`,
      };
    }
    const root = edgeRoot(this.#edge, this.#sha256);
    return { status: "intact", size, root, sealedSize: this.#sealed, unsealed: size - this.#sealed };
  }

  #wrongWith(entry: StoredReceipt | Unreadable, seq: number): string | undefined {
    if ("unreadable" in entry) return entry.unreadable;
    if (entry.seq !== seq) {
      return entry.seq < seq
        ? `it stands where receipt ${seq} belongs, but says it is receipt ${entry.seq}`
        : `receipt ${seq} is missing`;
    }
    if (entry.tenant !== this.#tenant) return "it belongs to another log";
    const { hash, ...rest } = entry;
    if (hashOf(rest, this.#sha256) !== hash) return "its content does not have its hash";
    if (entry.prevHash !== this.#prevHash) return "it does not follow the receipt before it";
    return this.#keyFrom && this.#wrongRotation(entry, this.#keyFrom);
  }

  #wrongRotation(entry: StoredReceipt, keyFrom: KeyFrom): string | undefined {
    const rotation = rotationOf(entry);
    if (!rotation || this.#keys.length === 0) return undefined;
    const old = keyAt(this.#keys, entry.seq - 1);
    const fresh = this.#keys.find(({ since }) => since === entry.seq)?.key;
    if (!old || !fresh) return "it changes the log's key, and no key follows";
    const sealed = { size: this.#sealed, root: this.#sealedRoot };
    return rotationProblem(this.#tenant, rotation, { old, fresh }, sealed, keyFrom);
  }

  /** Holds the tree, as far as it has grown, against the checkpoints of this size. */
  #compare(id: string | undefined): void {
    const { size } = this.#edge;
    while (!this.#verdict && this.#expected[0] !== undefined && this.#expected[0].size <= size) {
      const expected = this.#expected.shift()!;
      const where = id === undefined ? {} : { id };
      if (expected.bad !== undefined) {
        this.#verdict = { status: "altered", seq: expected.size, ...where, why: expected.bad };
      } else if (!expected.fits(edgeRoot(this.#edge, this.#sha256))) {
        // Where a checkpoint from elsewhere disagrees, no signature in the database can be believed.
        const held = expected.whose === "held";
        const suspect = held ? this.#first : this.#suspect;
        const whose = held ? "the checkpoint you hold" : "the signed checkpoint";
        this.#verdict = {
          status: "altered",
          seq: held ? Math.min(1, size) : this.#vouched + 1,
          ...(suspect === undefined ? {} : { id: suspect }),
          to: size,
          why: `the receipts up to ${size} are not those that ${whose} vouches for`,
        };
      } else {
        this.#vouched = size;
        this.#suspect = undefined;
        if (expected.whose === "stored") {
          this.#sealed = size;
          this.#sealedRoot = edgeRoot(this.#edge, this.#sha256);
        }
      }
    }
  }
}

/** The whole log at once. */
export function verifyLog(
  receipts: Iterable<StoredReceipt | Unreadable>,
  options: ConstructorParameters<typeof LogVerification>[0],
): LogVerdict {
  const verification = new LogVerification(options);
  for (const receipt of receipts) if (!verification.add(receipt)) break;
  return verification.finish();
}

function storedCheckpoint(text: string, keys: readonly KeySpan[]): Expected {
  const parsed = parseNote(text);
  if (!parsed.ok) return bad("stored", 0, `a stored checkpoint was changed: ${parsed.error}`);
  const { size, root } = parsed.value.checkpoint;
  const key = keyAt(keys, size);
  if (!key || !isSignedBy(parsed.value, key))
    return bad("stored", size, `the stored checkpoint of ${size} receipts is not signed by this log's key`);
  return { whose: "stored", size, fits: (actual) => actual === root };
}

function heldCheckpoint(held: SavedHead, keys: readonly KeySpan[]): Expected {
  if (held.kind === "line") {
    const { size, shortRoot } = held;
    return { whose: "held", size, fits: (root) => root.slice(0, SHORT_ROOT_CHARS) === shortRoot };
  }
  const { origin, size, root } = held.note.checkpoint;
  const key = keyAt(keys, size);
  if (key && origin !== key.origin)
    return bad("held", 0, `the checkpoint you hold is of ${origin}, and this log is ${key.origin}`);
  if (key && !isSignedBy(held.note, key))
    return bad("held", 0, "the checkpoint you hold is not signed by this log's key");
  return { whose: "held", size, fits: (actual) => actual === root };
}

/** One that nothing can satisfy. */
function bad(whose: Expected["whose"], size: number, why: string): Expected {
  return { whose, size, fits: () => false, bad: why };
}

/** undefined where it holds what a receipt cannot hold. */
function hashOf(receipt: Omit<StoredReceipt, "hash">, sha256: Sha256): string | undefined {
  try {
    return receiptHash(receipt, sha256);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
