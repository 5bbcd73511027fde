import { escapeGlyphs, fenceAfter, type OpenFence, withoutCitations } from "@elwood/core/grounding/reserved";

/**
 * Takes the gateway's own glyphs and citations out of text that comes in pieces, so that what is
 * shown while it is written is what is shown in the end. Only an end whose meaning depends on
 * what follows is held back.
 */
export class GlyphFilter {
  #fence: OpenFence | undefined;
  /** How the line being written begins; a fence of code or a quotation shows there. */
  #head = "";
  #held = "";

  push(text: string): string {
    const lines = `${this.#held}${text}`.split("\n");
    const last = lines.pop() ?? "";
    let out = "";
    for (const line of lines) {
      out += `${this.#plain(line)}\n`;
      this.#fence = fenceAfter(this.#head, this.#fence);
      this.#head = "";
    }
    this.#held = last.length > HELD_CHARS_MAX ? "" : (OPEN_END.exec(last)?.[0] ?? "");
    return out + this.#plain(last.slice(0, last.length - this.#held.length));
  }

  /** The rest, once nothing follows. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#plain(rest);
  }

  /** A new answer begins. */
  drop(): void {
    this.#fence = undefined;
    this.#head = "";
    this.#held = "";
  }

  #plain(piece: string): string {
    if (this.#head.length < HEAD_CHARS) this.#head = (this.#head + piece).slice(0, HEAD_CHARS);
    const whole = piece.toWellFormed();
    // The line that opens a block is still prose: what follows may show that it opens none.
    if (this.#fence !== undefined) return whole;
    const cited = /^\s{0,3}>/u.test(this.#head) ? whole : withoutCitations(whole);
    return escapeGlyphs(cited);
  }
}

const HEAD_CHARS = 200;
const HELD_CHARS_MAX = 16_384;
/** The last character that is no plain letter with what may still be stacked on it, or what may become a citation. */
const OPEN_END = /(?:[^\u0000-\u024f][\p{M}\ufe00-\ufe0f\u200d]{0,64}|\s{0,2}[[［][^\]］]{0,80}|\s{1,2})$/u;
