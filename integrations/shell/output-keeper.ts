import { SHELL_LIMITS } from "./limits.ts";

/**
 * Keeps the beginning and the end of what a command writes, in the order in which it
 * arrived, within a fixed size. The beginning says what it is about, the end how it went.
 */
export class OutputKeeper {
  readonly #headMax: number;
  readonly #tailMax: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  bytes = 0;

  constructor(max: number = SHELL_LIMITS.outputBytesMax) {
    this.#headMax = Math.floor(max / 2);
    this.#tailMax = max - this.#headMax;
  }

  add(data: Buffer): void {
    this.bytes += data.length;
    const room = this.#headMax - this.#headBytes;
    if (room > 0) {
      this.#head.push(data.subarray(0, room));
      this.#headBytes += Math.min(room, data.length);
    }
    if (data.length <= room) return;
    const rest = data.subarray(Math.max(0, room));
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#tailMax) this.#trim();
  }

  text(): { text: string; truncated: boolean } {
    this.#trim();
    const left = this.bytes - this.#headBytes - this.#tailBytes;
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (left === 0) return { text: Buffer.concat([head, tail]).toString("utf8"), truncated: false };
    const mark = `\n[… ${left} bytes left out …]\n`;
    return { text: `${upTo(head).toString("utf8")}${mark}${from(tail).toString("utf8")}`, truncated: true };
  }

  #trim(): void {
    if (this.#tailBytes <= this.#tailMax) return;
    const kept = Buffer.concat(this.#tail).subarray(-this.#tailMax);
    this.#tail = [Buffer.from(kept)];
    this.#tailBytes = kept.length;
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without a character that was cut at the end. */
function upTo(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}

/** Without a character that was cut at the beginning. */
function from(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}
