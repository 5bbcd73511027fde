import { safelyParse } from "@elwood/core/base/safe-parse";
import { transcriptLineSchema, type TranscriptLine } from "@elwood/core/message/message";
import type { Damage } from "../ports/ports.ts";

const NEWLINE = 0x0a;

/** A line as it stands in the file: it ends with a newline and holds none inside. */
export function writeLine(line: TranscriptLine): string {
  return `${JSON.stringify(line)}\n`;
}

/**
 * Reads a transcript from its bytes, in pieces of any size. It never throws: whatever is
 * not a message (a cut tail, garbage, a line too long to be one) is reported and skipped,
 * and reading goes on behind the next newline. A last line that lacks only its newline
 * is whole, and counts.
 */
export class TranscriptReader {
  readonly #lineBytesMax: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #lines: TranscriptLine[] = [];
  readonly #damage: Damage[] = [];
  /** Pieces of the line that has begun; dropped, and only counted, once it is too long. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #line = 1;
  #offset = 0;

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline < 0) break;
      this.#take(chunk.subarray(from, newline));
      this.#finishLine("not-json");
      this.#offset += 1;
      this.#line += 1;
      from = newline + 1;
    }
    // A copy, since the caller may fill its buffer anew.
    if (from < chunk.length) this.#take(chunk.slice(from));
  }

  end(): { lines: readonly TranscriptLine[]; damage: readonly Damage[] } {
    if (this.#bytes > 0) this.#finishLine("torn");
    return { lines: this.#lines, damage: this.#damage };
  }

  #take(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#lineBytesMax) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  #finishLine(ifNotJson: "not-json" | "torn"): void {
    const bytes = this.#bytes;
    const read = bytes > this.#lineBytesMax ? "too-long" : this.#parse();
    if (typeof read === "object") this.#lines.push(read);
    else if (read !== "blank") {
      const what = read === "not-json" ? ifNotJson : "not-a-message";
      this.#damage.push({ line: this.#line, offset: this.#offset, bytes, what });
    }
    this.#offset += bytes;
    this.#pieces = [];
    this.#bytes = 0;
  }

  #parse(): TranscriptLine | "blank" | "not-json" | "not-a-message" {
    let value: unknown;
    try {
      const text = this.#decoder.decode(joined(this.#pieces));
      if (text.trim() === "") return "blank";
      value = JSON.parse(text);
    } catch (error) {
      // TypeError: not UTF-8. SyntaxError: not JSON. Anything else would be a bug of ours.
      if (error instanceof TypeError || error instanceof SyntaxError) return "not-json";
      throw error;
    }
    const line = safelyParse(transcriptLineSchema, value);
    return line.success ? line.data : "not-a-message";
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
