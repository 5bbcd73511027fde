import { access, constants, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { failure, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { StorageTrouble } from "@elwood/core/protocol/results";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { errorCode, isMissing } from "@elwood/platform/system-error";

/** What a look at the disk found. */
export type StorageLook = "writable" | "full" | "readonly";

export interface StorageWatchDeps {
  /** The state directory. */
  readonly home: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when writing became impossible, and when it is possible again. */
  readonly changed: () => void;
  /** A process that ends with its answer goes on with nothing: whoever wants something asks again. */
  readonly endsSoon?: boolean;
  readonly look?: (home: string, thorough: boolean) => Promise<StorageLook>;
}

/**
 * Whether the state directory can be written. Where it cannot, Elwood reads only: nothing new is
 * begun, and what is under way has the last of the room to end in.
 *
 * W1 Whoever wants something new is refused by how the disk is now, not by how it was.
 * W2 What was accepted is not touched: decisions, endings and receipts are still written.
 * W3 It ends by itself, once a file could really be written again.
 */
export class StorageWatch {
  readonly #deps: StorageWatchDeps;
  readonly #look: NonNullable<StorageWatchDeps["look"]>;
  #trouble: StorageTrouble | undefined;
  #lookedAt: number | undefined;
  #looking: Promise<StorageTrouble | undefined> | undefined;
  /** A write failed for want of room, whatever the disk says of itself. */
  #suspect = false;

  constructor(deps: StorageWatchDeps) {
    this.#deps = deps;
    this.#look = deps.look ?? lookAtDisk;
  }

  /** As the last look found it. */
  get trouble(): StorageTrouble | undefined {
    return this.#trouble;
  }

  /** W1 */
  async refusal(what = "Your message was not accepted."): Promise<Failure | undefined> {
    const now = this.#deps.clock.now();
    const fresh = this.#lookedAt !== undefined && Math.abs(now - this.#lookedAt) < LIMITS.storageFreshMs;
    const trouble = fresh && !this.#trouble ? undefined : await this.look();
    if (!trouble) return undefined;
    const full = trouble.state === "full";
    return failure(full ? "STORAGE_FULL" : "STORAGE", `${what} ${trouble.text}`, {
      retryable: full,
    });
  }

  /** Something could not be written: looks whether that is so for everything. */
  failed({ reason }: Failure): void {
    if (reason !== "STORAGE_FULL" && reason !== "STORAGE") return;
    this.#suspect = true;
    void this.look();
  }

  /** Looks now; several who ask at once share one look. */
  look(): Promise<StorageTrouble | undefined> {
    return (this.#looking ??= this.#lookOnce().finally(() => (this.#looking = undefined)));
  }

  /** Looks from time to time until the signal fires: nobody may be asking when the disk runs full. */
  async run(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const trouble = await this.look();
      await this.#deps.clock.sleep(trouble ? LIMITS.storageLookAgainMs : LIMITS.storageLookMs, stopped);
    }
  }

  async #lookOnce(): Promise<StorageTrouble | undefined> {
    const { home, clock, log, endsSoon = false } = this.#deps;
    const thorough = this.#suspect || this.#trouble !== undefined;
    this.#suspect = false;
    let found: StorageLook;
    try {
      found = await this.#look(home, thorough);
    } catch (error) {
      // What cannot be looked at says itself what is wrong when it is used.
      log.warn("the disk could not be looked at", { error });
      return this.#trouble;
    }
    const now = clock.now();
    this.#lookedAt = now;
    const before = this.#trouble?.state;
    if (found === (before ?? "writable")) return this.#trouble;
    this.#trouble =
      found === "writable" ? undefined : { state: found, text: wordsOf(found, home, endsSoon), since: now };
    if (this.#trouble) log.error(this.#trouble.text);
    else log.info("The data folder can be written again. Elwood goes on.");
    this.#deps.changed();
    return this.#trouble;
  }
}

function wordsOf(state: Exclude<StorageLook, "writable">, home: string, endsSoon: boolean): string {
  const rest = "What was accepted before is kept, and everything can be read.";
  const next = endsSoon ? ", then try again." : "; Elwood then goes on by itself.";
  return state === "full"
    ? `The disk is full: Elwood takes on nothing new. ${rest} Free some space on the disk that holds ${home}${next}`
    : `${home} cannot be written: Elwood takes on nothing new. ${rest} Make it writable again${next}`;
}

/** So much is left for what is under way: a small share of a small disk, and never more than this. */
export function reserveOf(totalBytes: number): number {
  return Math.min(LIMITS.storageReserveBytes, Math.floor(totalBytes / RESERVE_SHARE));
}

const RESERVE_SHARE = 50;
const FULL = new Set(["ENOSPC", "EDQUOT"]);
const READ_ONLY = new Set(["EROFS", "EACCES", "EPERM"]);

/** A thorough look writes, too: quotas do not show otherwise (W3). */
export async function lookAtDisk(home: string, thorough: boolean): Promise<StorageLook> {
  try {
    await access(home, constants.W_OK);
    const { bavail, bfree, blocks, bsize, files, ffree } = await statfs(home);
    // What is set aside for root is root's to use.
    const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
    if (free < reserveOf(blocks * bsize)) return "full";
    // Some file systems do not count files at all.
    if (files > 0 && ffree === 0) return "full";
    if (thorough) await writeSome(join(home, ".room"));
    return "writable";
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (FULL.has(code)) return "full";
    if (READ_ONLY.has(code)) return "readonly";
    // Moved away, or never made: whatever is written says so itself.
    if (isMissing(error)) return "writable";
    throw error;
  }
}

async function writeSome(path: string): Promise<void> {
  try {
    const file = await open(path, "w", 0o600);
    try {
      await file.writeFile(Buffer.alloc(PROBE_BYTES));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}

const PROBE_BYTES = 64 * 1024;
