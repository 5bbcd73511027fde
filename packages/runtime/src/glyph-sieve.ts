import type * as Reserved from "@elwood/core/grounding/reserved";

/**
 * Takes the gateway's own glyphs out of text that comes in pieces. Only an end whose
 * meaning depends on what follows is held back, so that a draft still appears as it is written.
 */
export class GlyphSieve {
  readonly #reserved: Pick<typeof Reserved, "escapeGlyphs" | "fenceAfter">;
  #fence: string | undefined;
  /** How the line being written begins; a fence of code shows there. */
  #head = "";
  #held = "";

  constructor(reserved: Pick<typeof Reserved, "escapeGlyphs" | "fenceAfter">) {
    this.#reserved = reserved;
  }

  push(text: string): string {
    const lines = `${this.#held}${text}`.split("\n");
    const last = lines.pop() ?? "";
    let out = "";
    for (const line of lines) {
      out += `${this.#escaped(line)}\n`;
      this.#fence = this.#reserved.fenceAfter(this.#head, this.#fence);
      this.#head = "";
    }
    this.#held = last.length > HELD_CHARS_MAX ? "" : (OPEN_END.exec(last)?.[0] ?? "");
    return out + this.#escaped(last.slice(0, last.length - this.#held.length));
  }

  /** The rest, once nothing follows. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#escaped(rest);
  }

  /** A new answer begins. */
  drop(): void {
    this.#fence = undefined;
    this.#head = "";
    this.#held = "";
  }

  #escaped(piece: string): string {
    if (this.#head.length < HEAD_CHARS) this.#head = (this.#head + piece).slice(0, HEAD_CHARS);
    const inCode =
      this.#fence !== undefined || this.#reserved.fenceAfter(this.#head, this.#fence) !== undefined;
    return this.#reserved.escapeGlyphs(piece.toWellFormed(), inCode);
  }
}

const HEAD_CHARS = 8;
const HELD_CHARS_MAX = 16_384;
/** The last character that is no plain letter, with what may still be stacked on it: half a character, a glyph and its variant. */
const OPEN_END = /(?:√[\p{M}\ufe00-\ufe0f\u200d]{0,64})?[^\u0000-\u024f][\p{M}\ufe00-\ufe0f\u200d]{0,64}$/u;
