import type { FileHandle } from "node:fs/promises";
import type { FileLine } from "./transcript-turns.ts";

const NEWLINE = 0x0a;

/** A line with the bytes that its hash is made of, newline included. */
export interface RawLine extends FileLine {
  readonly raw: Uint8Array;
}

/**
 * Cuts bytes into lines. A last line without its newline waits: whoever writes it may not
 * be done. Of a line longer than `lineBytesMax` only the beginning is kept in `raw`.
 */
export class LineCutter {
  readonly #lineBytesMax: number;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #at: number;
  #line: number;

  constructor(at: number, line: number, lineBytesMax: number) {
    this.#at = at;
    this.#line = line;
    this.#lineBytesMax = lineBytesMax;
  }

  push(chunk: Uint8Array): RawLine[] {
    const lines: RawLine[] = [];
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline < 0) break;
      this.#take(chunk.subarray(from, newline + 1));
      lines.push(this.#finish());
      from = newline + 1;
    }
    // A copy, since the caller fills its buffer anew.
    if (from < chunk.length) this.#take(chunk.slice(from));
    return lines;
  }

  #take(piece: Uint8Array): void {
    this.#held += piece.length;
    // Of a line that is no message only its beginning is kept; it still has to be told from another.
    if (this.#held <= this.#lineBytesMax) this.#pieces.push(piece);
  }

  #finish(): RawLine {
    const whole = this.#held <= this.#lineBytesMax;
    const raw = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const start = this.#at;
    const end = start + this.#held;
    this.#line += 1;
    const line: RawLine = {
      line: this.#line,
      start,
      end,
      raw,
      ...(whole ? { bytes: raw.subarray(0, raw.length - 1) } : {}),
    };
    this.#at = end;
    this.#pieces = [];
    this.#held = 0;
    return line;
  }
}

/** The lines between two places of a file, as many at a time as `readBytes` hold. */
export async function* linesBetween(
  file: FileHandle,
  place: { readonly from: number; readonly to: number; readonly line: number },
  limits: { readonly readBytes: number; readonly lineBytesMax: number },
): AsyncGenerator<readonly RawLine[]> {
  const cutter = new LineCutter(place.from, place.line, limits.lineBytesMax);
  const buffer = new Uint8Array(limits.readBytes);
  for (let at = place.from; at < place.to;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, place.to - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield cutter.push(buffer.subarray(0, bytesRead));
  }
}
