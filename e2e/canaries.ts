import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Secret values that are found again wherever a piece of one has got to, in any usual spelling. */
export class Canaries {
  readonly #values = new Map<string, string>();

  /** A new secret; `prefix` gives it a vendor's shape. */
  plant(name: string, prefix = ""): string {
    const value = `${prefix}${randomBytes(20).toString("hex")}`;
    this.#values.set(name, value);
    return value;
  }

  /** A new secret of a shape that has a length of its own: `length` characters of `alphabet` after the prefix. */
  shape(name: string, prefix: string, length: number, alphabet: string): string {
    const letters = [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]!);
    const value = `${prefix}${letters.join("")}`;
    this.#values.set(name, value);
    return value;
  }

  /** A secret that somebody else made. */
  know(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** The names of all secrets of which at least a third stands in the bytes. */
  foundIn(bytes: string | Uint8Array): string[] {
    const text = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("latin1");
    return [...this.#values]
      .filter(([, value]) => spellings(value).some((s) => text.includes(s)))
      .map(([n]) => n);
  }
}

const PIECE = 14;

/** Pieces of the secret, plain, in base64 at each of its three alignments, and in hex. */
function spellings(value: string): string[] {
  const bare = value.replace(/^(sk-proj-|elw_)/, "");
  const pieces: string[] = [];
  for (let at = 0; at + PIECE <= bare.length; at++) pieces.push(bare.slice(at, at + PIECE));
  const base64 = [0, 1, 2].map((shift) => Buffer.from(bare.slice(shift)).toString("base64").slice(0, 24));
  return [...pieces, ...base64, Buffer.from(bare).toString("hex")];
}

interface FoundFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

/** A folder in use is listed again when a file was renamed or removed between the listing and the reading. */
const LISTINGS_MAX = 50;

/** Every file under a folder: its path from there, its content and its mode. */
export function filesUnder(folder: string): FoundFile[] {
  for (let listing = 1; ; listing++) {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFound(folder, join(entry.parentPath, entry.name)));
    } catch (error) {
      const renamed = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!renamed || listing === LISTINGS_MAX) throw error;
    }
  }
}

function readFound(folder: string, path: string): FoundFile {
  return { path: relative(folder, path), bytes: readFileSync(path), mode: statSync(path).mode & 0o777 };
}
