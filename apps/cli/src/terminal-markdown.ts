import { CodeColors } from "./code-colors.ts";
import { drawTable, TABLE_RULE } from "./markdown-table.ts";
import type { Paint, Style } from "./paint.ts";
import { displayWidth } from "./terminal-text.ts";

export interface TerminalMarkdownOptions {
  readonly columns: number;
  /** Absent where the terminal shows no colours: then the signs of Markdown stay as they are. */
  readonly paint?: Paint | undefined;
}

/** A sign of Markdown whose end does not come within so many characters is taken for a plain one. */
const HELD_CHARS_MAX = 400;
/** A table is held back until it is whole, unless it grows beyond this. */
const TABLE_CHARS_MAX = 50_000;

/**
 * An answer on a terminal, as it arrives: lines break between words, and headings, lists, bold
 * text, italics and code look like that. What cannot be told yet, such as whether a word still fits, is
 * held back until it can, and a table until its columns are known. Blocks of code keep their
 * lines as they are.
 */
export class TerminalMarkdown {
  readonly #out: (text: string) => void;
  readonly #columns: number;
  readonly #paint: Paint | undefined;
  /** What came and is not read yet. */
  #pending = "";
  /** The word that is being put together, which a line break must not cut. */
  #word: Piece[] = [];
  #space = "";
  #column = 0;
  /** Where the lines after the first one of an entry begin. */
  #hang = 0;
  #lineStart = true;
  #heading = false;
  /** The sign that ends the block of code. */
  #fence: string | undefined;
  /** For the block of code, where its language is known. */
  #colors: CodeColors | undefined;
  /** Inside a table that is written as it is. */
  #inTable = false;

  constructor(out: (text: string) => void, { columns, paint }: TerminalMarkdownOptions) {
    this.#out = out;
    this.#columns = columns;
    this.#paint = paint;
  }

  write(text: string): void {
    this.#pending += text;
    this.#read(false);
  }

  /** Something else is about to be shown: what was held back comes first. More may follow. */
  flush(): void {
    this.#read(true);
    this.#flushWord();
  }

  /** Nothing more comes. */
  end(): void {
    this.flush();
    this.#out(this.#space);
    this.#space = "";
  }

  #read(last: boolean): void {
    while (this.#pending !== "") {
      const before = this.#pending.length;
      if (this.#lineStart) this.#readLineStart(last);
      else this.#readInLine(last);
      // What is left needs more to be understood.
      if (this.#pending.length === before) return;
    }
  }

  #readLineStart(last: boolean): void {
    const end = this.#pending.indexOf("\n");
    const whole = end >= 0 || last || this.#pending.length > HELD_CHARS_MAX;
    const line = end < 0 ? this.#pending : this.#pending.slice(0, end);
    const fence = FENCE.exec(line)?.[1];
    if (this.#fence === undefined && TABLE.test(line) && !this.#inTable) {
      const table = this.#tableAhead(last);
      if (table === "unknown") return;
      if (table !== undefined) return this.#takeTable(table);
    }
    this.#inTable = this.#fence === undefined && TABLE.test(line);
    if (this.#fence !== undefined || fence !== undefined || this.#inTable) {
      if (!whole) return;
      if (fence !== undefined && (this.#fence === undefined || fence.startsWith(this.#fence))) {
        this.#fence = this.#fence === undefined ? fence : undefined;
        this.#colors = this.#fence && this.#paint ? CodeColors.of(line, this.#paint) : undefined;
        this.#takeLine(line, "dim");
      } else if (this.#colors) this.#takeLine(line, undefined, this.#colors.line(line));
      else this.#takeLine(line, this.#fence === undefined ? undefined : "cyan");
      return;
    }
    if (!whole && MAY_BECOME_PREFIX.test(line)) return;
    const [all = "", indent = "", sign = ""] = PREFIX.exec(line) ?? [];
    this.#lineStart = false;
    this.#pending = this.#pending.slice(all.length);
    this.#heading = sign.startsWith("#");
    const shown = this.#paint === undefined ? sign : this.#heading ? "" : sign.replace(/^[-*+]/, "•");
    this.#out(`${indent}${shown}`);
    this.#column = this.#hang = displayWidth(`${indent}${shown}`);
    // An empty line has nothing that would end this one.
    if (all === "" && this.#pending.startsWith("\n")) this.#newLine();
    else if (all === "") this.#readInLine(last);
  }

  /** The lines of a table that begins here; undefined where none does, or none that can be drawn. */
  #tableAhead(last: boolean): readonly string[] | "unknown" | undefined {
    const lines = this.#pending.split("\n");
    const end = lines.findIndex((line) => !TABLE.test(line));
    // The last line may still grow, and an empty one become another row.
    const isWhole = last || (end >= 0 && (end < lines.length - 1 || /\S/.test(lines[end] ?? "")));
    const rows = end < 0 ? lines : lines.slice(0, end);
    const known = rows.length > 2 || (rows.length === 2 && (end >= 0 || last));
    if (known && !TABLE_RULE.test(rows[1] ?? "")) return undefined;
    if (!isWhole) return this.#pending.length <= TABLE_CHARS_MAX ? "unknown" : undefined;
    return rows.length < 2 ? undefined : rows;
  }

  #takeTable(rows: readonly string[]): void {
    const text = rows.join("\n");
    this.#out(drawTable(rows, this.#columns, this.#paint) ?? text);
    this.#pending = this.#pending.slice(text.length);
    this.#lineStart = false;
    this.#column = this.#hang = 0;
  }

  /** A line as it is, which the terminal breaks where it must. */
  #takeLine(line: string, style: Style | undefined, shown = line): void {
    this.#out(style === undefined || this.#paint === undefined ? shown : this.#paint(style, shown));
    this.#pending = this.#pending.slice(line.length);
    this.#lineStart = false;
    this.#column = this.#hang = 0;
  }

  #readInLine(last: boolean): void {
    const text = this.#pending;
    if (text.startsWith("\n")) return this.#newLine();
    const [blank] = /^[ \t]+/.exec(text) ?? [];
    if (blank !== undefined) {
      this.#pending = text.slice(blank.length);
      this.#flushWord();
      this.#space += blank.replaceAll("\t", "    ");
      return;
    }
    if (this.#paint === undefined) return this.#take(/^\S+/.exec(text)?.[0] ?? "");
    const sign = SPAN_START.exec(text)?.[0];
    // Two asterisks between letters or digits are a sign of arithmetic.
    const before = this.#word.at(-1)?.text ?? "";
    if (sign === "**" && /[a-z0-9]$/i.test(before)) this.#take(sign);
    // Inside of a word one sign is part of a name, a path or a sum.
    else if ((sign === "*" || sign === "_") && !/^$|[([{"'“‘«]$/u.test(before)) this.#take(sign);
    else if (sign !== undefined) this.#readSpan(sign, last);
    else {
      const [plain = ""] = PLAIN.exec(text) ?? [];
      // The end may be the beginning of a sign.
      const held =
        !last && plain.length === text.length ? (/(?:\*{1,2}|_)$/.exec(plain)?.[0].length ?? 0) : 0;
      this.#take(plain.slice(0, plain.length - held));
    }
  }

  #take(plain: string): void {
    this.#pending = this.#pending.slice(plain.length);
    this.#add(plain, undefined);
  }

  /** Bold text, italics or code from its first sign to its last; nothing where more must come first. */
  #readSpan(sign: string, last: boolean): void {
    const text = this.#pending;
    const end = text.indexOf("\n");
    const line = end < 0 ? text : text.slice(0, end);
    const close = closeOf(line, sign);
    const content = close < 0 ? "" : line.slice(sign.length, close);
    if (close < 0 && end < 0 && !last && line.length <= HELD_CHARS_MAX) return;
    const isSpan = content !== "" && content.trim() === content;
    this.#pending = text.slice(isSpan ? close + sign.length : sign.length);
    if (!isSpan) this.#add(sign, undefined);
    else if (sign.startsWith("`")) this.#add(content, "cyan");
    else this.#add(content.replaceAll(/`|\*\*/g, ""), sign === "**" ? "bold" : "italic");
  }

  #add(text: string, style: Style | undefined): void {
    const painted = this.#heading ? "bold" : style;
    for (const [i, word] of text.split(" ").entries()) {
      if (i > 0) {
        this.#flushWord();
        this.#space += " ";
      }
      if (word === "") continue;
      // Scripts without spaces break anywhere.
      if (displayWidth(word) === word.length) this.#word.push({ text: word, style: painted });
      else
        for (const character of word) {
          this.#word.push({ text: character, style: painted });
          if (displayWidth(character) > 1) this.#flushWord();
        }
    }
  }

  #flushWord(): void {
    if (this.#word.length === 0) return;
    const width = this.#word.reduce((sum, { text }) => sum + displayWidth(text), 0);
    if (this.#column > this.#hang && this.#column + this.#space.length + width > this.#columns) {
      this.#out(`\n${" ".repeat(this.#hang)}`);
      this.#column = this.#hang;
    } else {
      this.#out(this.#space);
      this.#column += this.#space.length;
    }
    this.#space = "";
    for (const { text, style } of this.#word)
      this.#out(style === undefined || this.#paint === undefined ? text : this.#paint(style, text));
    this.#column += width;
    this.#word = [];
  }

  #newLine(): void {
    this.#flushWord();
    this.#out("\n");
    this.#pending = this.#pending.slice(1);
    this.#space = "";
    this.#column = this.#hang = 0;
    this.#lineStart = true;
    this.#heading = false;
  }
}

/** Where a span ends that begins the line with this sign; a single one ends only where a word does. */
function closeOf(line: string, sign: string): number {
  if (sign !== "*" && sign !== "_") return line.indexOf(sign, sign.length);
  const end = sign === "*" ? ITALIC_END.STAR : ITALIC_END.LINE;
  const found = end.exec(line.slice(1));
  return found ? found.index + 1 : -1;
}

const ITALIC_END = {
  STAR: /(?<=[^\s*])\*(?![\p{L}\p{N}*])/u,
  LINE: /(?<=[^\s_])_(?![\p{L}\p{N}_])/u,
} as const;

interface Piece {
  readonly text: string;
  readonly style: Style | undefined;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TABLE = /^\s*\|/;
/** Of a heading, an entry of a list, or a quotation. */
const PREFIX = /^([ \t]*)(#{1,6} +|[-*+] +|\d{1,3}[.)] +|> ?)?/;
const MAY_BECOME_PREFIX = /^[ \t]*(?:#{1,6} *|[-+*] *|\d{1,3}[.)]? *|`{1,2}|~{1,2}|> ?)?$/;
/** One or two asterisks or a low line before a character, or a run of backticks. */
const SPAN_START = /^(?:\*{1,2}(?=[^\s*])|_(?=[^\s_])|`+)/;
/** Up to what may begin one. */
const PLAIN = /^(?:(?!\*{1,2}[^\s*]|_[^\s_]|`)\S)+/u;
