import { inflateRawSync } from "node:zlib";
import { Unreadable } from "./unreadable.ts";

/** The first bytes of a ZIP archive, which documents of today are. */
export const ZIP_START = "PK\u0003\u0004";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 0xffff;
const ENTRIES_MAX = 20_000;
const STORED = 0;
const DEFLATED = 8;

interface ZipEntry {
  readonly method: number;
  readonly packed: number;
  readonly offset: number;
  readonly encrypted: boolean;
}

/**
 * Reads parts of an archive, by name. What a part says of its size is not believed: unpacking stops
 * at the limit, which holds for all parts that are read together.
 */
export class Zip {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, ZipEntry>();
  #left: number;

  constructor(bytes: Uint8Array, unpackedBytesMax: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#left = unpackedBytesMax;
    this.#list();
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Undefined where there is no such part. */
  text(name: string): string | undefined {
    const bytes = this.#read(name);
    if (bytes === undefined) return undefined;
    const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
    return new TextDecoder(utf16 ? "utf-16le" : "utf-8").decode(bytes);
  }

  #list(): void {
    const bytes = this.#bytes;
    const from = Math.max(0, bytes.length - END_BYTES - COMMENT_BYTES_MAX);
    let end = bytes.length - END_BYTES;
    while (end >= from && bytes.readUInt32LE(end) !== END) end--;
    if (end < from) throw damaged("its list of parts is missing");
    const count = bytes.readUInt16LE(end + 10);
    if (count > ENTRIES_MAX) throw new Unreadable("bomb", `it has ${count} parts`);
    let at = bytes.readUInt32LE(end + 16);
    for (let i = 0; i < count; i++) {
      if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY)
        throw damaged("its list of parts is broken");
      const nameBytes = bytes.readUInt16LE(at + 28);
      const name = bytes.toString("utf8", at + 46, at + 46 + nameBytes).replaceAll("\\", "/");
      this.#entries.set(name, {
        encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        method: bytes.readUInt16LE(at + 10),
        packed: bytes.readUInt32LE(at + 20),
        offset: bytes.readUInt32LE(at + 42),
      });
      at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
  }

  #read(name: string): Uint8Array | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.encrypted) throw new Unreadable("encrypted", "a part of it opens only with a password");
    const bytes = this.#bytes;
    const { offset, packed, method } = entry;
    if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== LOCAL)
      throw damaged(`${name} is not where it should be`);
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const data = bytes.subarray(start, start + packed);
    if (data.length < packed) throw damaged(`${name} is cut off`);
    if (method === STORED) return this.#counted(data);
    if (method !== DEFLATED) throw damaged(`${name} is packed in a way that is not known`);
    return this.#counted(this.#unpacked(data, name));
  }

  #unpacked(data: Uint8Array, name: string): Uint8Array {
    try {
      return inflateRawSync(data, { maxOutputLength: Math.max(1, this.#left) });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") throw bomb();
      throw damaged(`${name} cannot be unpacked`);
    }
  }

  #counted(bytes: Uint8Array): Uint8Array {
    this.#left -= bytes.length;
    if (this.#left < 0) throw bomb();
    return bytes;
  }
}

function damaged(why: string): Unreadable {
  return new Unreadable("damaged", why);
}

function bomb(): Unreadable {
  return new Unreadable("bomb", "it unpacks to more than is read of one");
}
