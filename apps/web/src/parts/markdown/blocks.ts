import {
  getDefaults,
  Tokenizer,
  type MarkedOptions,
  type Token,
  type TokenizerThis,
  type Tokens,
  type TokensList,
  Lexer,
} from "marked";

/** One block of Markdown: its source, and what it was read as. */
export interface MarkdownBlock {
  readonly raw: string;
  readonly token: Token;
  /** Code whose fence has not been closed yet, or that what follows may still make longer. */
  readonly open: boolean;
}

/** Blocks at the end that more text may still turn into something else. */
const UNSETTLED = 2;
/** A list longer than this is settled item by item. */
const LIST_CHARS_MAX = 2_000;

/**
 * Splits growing Markdown into blocks. What the text has in common with what was split
 * before is not read again, so that a long answer costs no more at its end than at its
 * beginning.
 */
export class MarkdownBlocks {
  #settled: MarkdownBlock[] = [];
  #settledChars = 0;
  #source = "";
  #links: TokensList["links"] = {};

  /** Blocks from the beginning to here are the very same objects as the last time. */
  update(text: string, streaming: boolean): readonly MarkdownBlock[] {
    if (!text.startsWith(this.#source.slice(0, this.#settledChars))) this.#stepBack(text);
    this.#source = text;
    const tail = text.slice(this.#settledChars);
    const read = this.#read(streaming ? withoutHalfFence(tail) : tail, streaming);
    if (!streaming) return [...this.#settled, ...read];
    const before = this.#settled.length;
    const keep = settledCount(read);
    for (const block of read.slice(0, keep)) {
      // Where a block was not read letter by letter, its end in the text is not known.
      if (!text.startsWith(block.raw, this.#settledChars)) break;
      this.#settled.push(block);
      this.#settledChars += block.raw.length;
    }
    return [...this.#settled, ...read.slice(this.#settled.length - before)];
  }

  /** The text is another one: keeps the blocks that it still begins with. */
  #stepBack(text: string): void {
    let chars = 0;
    let count = 0;
    for (const { raw } of this.#settled) {
      if (!text.startsWith(raw, chars)) break;
      chars += raw.length;
      count++;
    }
    this.#settled = this.#settled.slice(0, Math.max(0, count - 1));
    this.#settledChars = this.#settled.reduce((sum, { raw }) => sum + raw.length, 0);
  }

  #read(text: string, streaming: boolean): MarkdownBlock[] {
    const lexer = new PatientLexer(READING);
    Object.assign(lexer.tokens.links, this.#links);
    const tokens = lexer.lex(text);
    this.#links = { ...this.#links, ...tokens.links };
    const blocks: MarkdownBlock[] = [];
    for (const [i, token] of tokens.entries()) {
      const isLast = i === tokens.length - 1;
      if (streaming && token.type === "list" && token.raw.length > LIST_CHARS_MAX)
        blocks.push(...itemBlocks(token as Tokens.List));
      else blocks.push({ raw: token.raw, token, open: isLast && streaming && mayHoldOpenCode(token) });
    }
    return blocks;
  }
}

/** How many of the blocks no further text can change. */
function settledCount(blocks: readonly MarkdownBlock[]): number {
  let left = UNSETTLED;
  let count = blocks.length;
  while (count > 0 && left > 0) {
    count--;
    if (blocks[count]?.token.type !== "space") left--;
  }
  return left > 0 ? 0 : count;
}

/** A long list as lists of one item each. */
function itemBlocks(list: Tokens.List): MarkdownBlock[] {
  return list.items.map((item, i) => ({
    raw: item.raw,
    open: false,
    token: {
      ...list,
      raw: item.raw,
      items: [item],
      start: list.ordered ? (list.start || 1) + i : list.start,
    },
  }));
}

function mayHoldOpenCode(token: Token): boolean {
  if (token.type === "list" || token.type === "blockquote") return /(?:```|~~~)/.test(token.raw);
  if (token.type !== "code") return false;
  const opening = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  if (opening === undefined) return false;
  const lines = token.raw.trimEnd().split("\n");
  return lines.length < 2 || !(lines.at(-1) ?? "").trim().startsWith(opening);
}

/** A fence that is being typed is no text yet, and its language no line of code. */
function withoutHalfFence(text: string): string {
  return text.replace(/(^|\n) {0,3}(?:`{1,2}|~{1,2}|(?:`{3,}|~{3,})[^\n`]*)$/, "$1");
}

class TextTokenizer extends Tokenizer {
  /** Raw HTML is no markup here: it is shown as it was written. */
  override html(): undefined {
    return undefined;
  }

  override tag(): undefined {
    return undefined;
  }
}

export const READING: MarkedOptions = {
  ...getDefaults(),
  breaks: true,
  tokenizer: new TextTokenizer(),
  extensions: {
    block: [mathBlock, footnote],
    startInline: [
      (src) => {
        const at = src.search(/\[(?:\ue0a7|\^)|\\[([]|\$/);
        return at < 0 ? src.length : at;
      },
    ],
    inline: [gatewayMark, footnoteMark, math],
    childTokens: {},
    renderers: {},
  },
};

/** The gateway's marks: nothing but `markedReply` writes their sign. Behind a second sign stand its words, where they are not the usual ones. */
function gatewayMark(src: string): Tokens.Generic | undefined {
  return whole(
    "mark",
    /^\[\ue0a7(?:[✓◈] c\d+(?: c\d+)*(?: ↩?\ue0a7[^\]\ue0a7\n]{1,200})?|◈ not verified(?:: (?:[a-z ]{1,80}|\ue0a7[^\]\ue0a7\n]{1,200}))?)\]/u,
    src,
  );
}

/** Formulas are kept letter by letter: what is a formula's backslash or underscore is no Markdown. */
function math(src: string): Tokens.Generic | undefined {
  const found = whole(
    "math",
    /^(?:\\\([^\n]{1,500}?\\\)|\\\[[^]{1,2000}?\\\]|\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,300}[^\s$]\$(?!\d))/,
    src,
  );
  // Between two amounts of dollars stands no formula.
  const isMoney = found && /^\$[^$]*\$$/.test(found.raw) && !/[\\^_{}=]|^\$\p{L}\$$/u.test(found.raw);
  return isMoney ? undefined : found;
}

/** A formula on lines of its own: signs at their beginnings make no list and no heading. */
function mathBlock(src: string): Tokens.Generic | undefined {
  return whole(
    "math-block",
    /^ {0,3}(?:\$\$(?:[^$\n]|\n(?!\s*\n)){1,2000}\$\$|\\\[(?:[^\n]|\n(?!\s*\n)){1,2000}?\\\])[ \t]*(?:\n|$)/,
    src,
  );
}

/** `[^1]: what is said below` */
function footnote(this: TokenizerThis, src: string): Tokens.Generic | undefined {
  const found = /^ {0,3}\[\^([\w-]{1,20})\]:[ \t]+([^\n]+)(?:\n|$)/.exec(src);
  if (!found) return undefined;
  const [raw, name = "", text = ""] = found;
  return { type: "footnote", raw, text: name, tokens: this.lexer.inlineTokens(text, []) };
}

function footnoteMark(src: string): Tokens.Generic | undefined {
  const [raw, text] = /^\[\^([\w-]{1,20})\](?!:)/.exec(src) ?? [];
  return raw === undefined ? undefined : { type: "footnote-mark", raw, text };
}

function whole(type: string, shape: RegExp, src: string): Tokens.Generic | undefined {
  const raw = shape.exec(src)?.[0];
  return raw === undefined ? undefined : { type, raw, text: raw };
}

/** Quotations and lists inside each other; what lies deeper is text. */
const NESTED_MAX = 16;
/** So much is looked through for emphasis, code and links at once: the work grows with the square of it. */
const INLINE_CHARS_MAX = 2_000;

/** Reads whatever a model writes, in a time that can be waited for: neither depth nor length makes it fail or hang. */
class PatientLexer extends Lexer {
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
