import type * as Reserved from "@elwood/core/grounding/reserved";

/**
 * Takes the gateway's own glyphs out of text that comes in pieces. Only a character whose
 * meaning depends on the next one is held back, so that a draft still appears as it is written.
 */
export class GlyphSieve {
  readonly #reserved: Pick<typeof Reserved, "escapeGlyphs" | "fenceAfter">;
  #fence: string | undefined;
  /** The line being written, and how much of its escaped form was handed out. */
  #line = "";
  #shown = 0;

  constructor(reserved: Pick<typeof Reserved, "escapeGlyphs" | "fenceAfter">) {
    this.#reserved = reserved;
  }

  push(text: string): string {
    const [first = "", ...rest] = text.split("\n");
    let out = this.#add(first, rest.length > 0);
    for (const [index, line] of rest.entries()) {
      this.#fence = this.#reserved.fenceAfter(this.#line, this.#fence);
      this.#line = "";
      this.#shown = 0;
      out += `\n${this.#add(line, index < rest.length - 1)}`;
    }
    return out;
  }

  /** The rest, once nothing follows. */
  flush(): string {
    return this.#add("", true);
  }

  /** A new answer begins. */
  drop(): void {
    this.#fence = undefined;
    this.#line = "";
    this.#shown = 0;
  }

  #add(text: string, whole: boolean): string {
    this.#line += text;
    const settled = whole ? this.#line : this.#line.replace(OPEN, "");
    const inCode =
      this.#fence !== undefined || this.#reserved.fenceAfter(this.#line, this.#fence) !== undefined;
    const escaped = this.#reserved.escapeGlyphs(settled.toWellFormed(), inCode);
    const news = escaped.slice(this.#shown);
    this.#shown = Math.max(this.#shown, escaped.length);
    return news;
  }
}

/** Half a character, or a sign that is reserved only where no number follows it. */
const OPEN = /(?:[\ud800-\udbff]|√)$/;
