import { Lexer, type Token, type TokensList } from "marked";

/** Quotations and lists inside each other; what lies deeper is text. */
const NESTED_MAX = 16;
/** So much is looked through for emphasis, code and links at once: the work grows with the square of it. */
const INLINE_CHARS_MAX = 2_000;

/** Reads whatever a model writes, in a time that can be waited for: neither depth nor length makes it fail or hang. */
export class PatientLexer extends Lexer {
  #depth = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.#depth >= NESTED_MAX) {
      const text: Token = { type: "text", raw: src, text: src, escaped: false };
      tokens.push({ type: "paragraph", raw: src, text: src, tokens: [text] });
      return tokens;
    }
    this.#depth++;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.#depth--;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    let rest = src;
    while (rest.length > INLINE_CHARS_MAX) {
      const piece = rest.slice(0, cutAt(rest));
      super.inlineTokens(piece, tokens);
      rest = rest.slice(piece.length);
    }
    return super.inlineTokens(rest, tokens);
  }
}

/** Between two words, where there is such a place. */
function cutAt(text: string): number {
  const at = Math.max(text.lastIndexOf("\n", INLINE_CHARS_MAX), text.lastIndexOf(" ", INLINE_CHARS_MAX));
  return at > 0 ? at : INLINE_CHARS_MAX;
}
