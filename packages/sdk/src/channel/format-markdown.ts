import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { plainText, type FormattedText, type Span, type Style } from "./formatted-text.ts";

/** Longer text is passed on as it is: reading it would hold up everybody else. */
const MARKDOWN_CHARS_MAX = 200_000;
/** A longer address is shown, not linked. */
const URL_CHARS_MAX = 512;
/** A wider table would wrap on most screens, so each of its rows becomes a list. */
const TABLE_COLUMNS_MAX = 64;

/**
 * Markdown as a model writes it, for chat services. What they have no form for becomes what
 * they have: a table is a block of code or a list, an image is a link (so that no service
 * fetches it), HTML is shown as it is written.
 */
export function formatMarkdown(markdown: string): FormattedText {
  if (markdown.length > MARKDOWN_CHARS_MAX) return plainText(markdown);
  try {
    const writer = new Writer();
    writeTokens(writer, lexer(markdown), 0);
    return writer.formatted();
  } catch (error) {
    // Nested so deeply that reading it runs out of stack: nobody can format that.
    if (error instanceof RangeError) return plainText(markdown);
    throw error;
  }
}

/** Collects text and spans. A break is written once something follows it. */
class Writer {
  #text = "";
  #lineBreaks = 0;
  /** Where the last span began: it does not begin with a break. */
  #opened = 0;
  readonly #spans: Span[] = [];

  write(text: string): void {
    if (text === "") return;
    this.#writeBreaks();
    this.#text += text;
  }

  /** At least so many line breaks before whatever comes next. */
  breakLines(count: number): void {
    if (this.#text.length === this.#opened) return;
    this.#lineBreaks = Math.max(this.#lineBreaks, count);
  }

  style(style: Style, write: () => void): void {
    this.#writeBreaks();
    this.#opened = this.#text.length;
    const at = this.#spans.length;
    const start = this.#text.length;
    write();
    const end = this.#text.length;
    if (end > start) this.#spans.splice(at, 0, { ...style, start, end });
  }

  #writeBreaks(): void {
    this.#text += "\n".repeat(this.#lineBreaks);
    this.#lineBreaks = 0;
  }

  formatted(): FormattedText {
    return { text: this.#text, spans: this.#spans };
  }
}

/** `depth` counts the lists around. */
function writeTokens(writer: Writer, tokens: readonly Token[] | undefined, depth: number): void {
  for (const each of tokens ?? []) writeToken(writer, each as MarkedToken, depth);
}

function writeToken(writer: Writer, token: MarkedToken, depth: number): void {
  const inner = (style: Style): void =>
    writer.style(style, () => writeTokens(writer, "tokens" in token ? token.tokens : [], 0));
  switch (token.type) {
    case "space":
      // A blank line within a list only says that it is a loose one.
      writer.breakLines(depth > 0 ? 1 : 2);
      return;
    case "heading":
      writer.breakLines(2);
      inner({ kind: "heading", level: token.depth });
      writer.breakLines(1);
      return;
    case "paragraph":
      writer.breakLines(1);
      writeTokens(writer, token.tokens, depth);
      writer.breakLines(1);
      return;
    case "code":
      writeCode(writer, token.text, token.lang?.trim().split(/\s/)[0]);
      return;
    case "blockquote":
      writer.breakLines(1);
      inner({ kind: "quote" });
      writer.breakLines(1);
      return;
    case "list":
      writeList(writer, token, depth);
      return;
    case "list_item":
      writeItem(writer, token, depth);
      return;
    case "table":
      writeTable(writer, token);
      return;
    case "hr":
      writer.breakLines(2);
      writer.write("———");
      writer.breakLines(2);
      return;
    case "checkbox":
      writer.write(token.checked ? "☑ " : "☐ ");
      return;
    case "html":
      if (token.block) writer.breakLines(1);
      writer.write(/^<br\s*\/?>$/i.test(token.text) ? "\n" : token.text.trimEnd());
      if (token.block) writer.breakLines(1);
      return;
    case "text":
      if (token.tokens) {
        writeTokens(writer, token.tokens, depth);
        writer.breakLines(1);
      } else writer.write(decodeEntities(token.text));
      return;
    case "strong":
      inner({ kind: "bold" });
      return;
    case "em":
      inner({ kind: "italic" });
      return;
    case "del":
      inner({ kind: "strike" });
      return;
    case "codespan":
      writer.style({ kind: "code" }, () => writer.write(token.text));
      return;
    case "link":
      writeLink(writer, token.href, token.text, () => writeTokens(writer, token.tokens, depth));
      return;
    case "image": {
      const alt = token.text === "" ? "image" : token.text;
      writeLink(writer, token.href, alt, () => writer.write(alt));
      return;
    }
    case "br":
      writer.write("\n");
      return;
    case "escape":
      writer.write(token.text);
      return;
    case "def":
      return;
    default:
      token satisfies never;
  }
}

function writeCode(writer: Writer, code: string, language: string | undefined): void {
  writer.breakLines(1);
  const named = language !== undefined && /^[\w+#.-]{1,32}$/.test(language);
  writer.style({ kind: "pre", ...(named ? { language } : {}) }, () => writer.write(code));
  writer.breakLines(1);
}

function writeList(writer: Writer, list: Tokens.List, depth: number): void {
  const indent = "  ".repeat(depth);
  const first = typeof list.start === "number" ? list.start : 1;
  writer.breakLines(1);
  for (const [i, item] of list.items.entries()) {
    writer.breakLines(1);
    writer.write(indent);
    if (list.ordered) writer.write(`${first + i}. `);
    else {
      writer.style({ kind: "bullet" }, () => writer.write("•"));
      writer.write(" ");
    }
    writeItem(writer, item, depth);
  }
  writer.breakLines(1);
}

/** The first block stands beside the bullet; whatever follows begins a line. */
function writeItem(writer: Writer, item: Tokens.ListItem, depth: number): void {
  for (const each of item.tokens) {
    const token = each as MarkedToken;
    if (token.type === "paragraph" || token.type === "text") {
      writeTokens(writer, token.tokens ?? [token], depth + 1);
      writer.breakLines(1);
    } else writeToken(writer, token, depth + 1);
  }
}

function writeTable(writer: Writer, table: Tokens.Table): void {
  const header = table.header.map(cellText);
  const rows = table.rows.map((row) => row.map(cellText));
  const widths = header.map((name, i) => Math.max(width(name), ...rows.map((row) => width(row[i] ?? ""))));
  if (widths.reduce((sum, each) => sum + each + 3, 0) > TABLE_COLUMNS_MAX) {
    writeRecords(writer, header, rows);
    return;
  }
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell + " ".repeat(Math.max(0, (widths[i] ?? 0) - width(cell))))
      .join(" | ")
      .trimEnd();
  const rule = widths.map((each) => "-".repeat(each)).join("-|-");
  writeCode(writer, [line(header), rule, ...rows.map(line)].join("\n"), undefined);
}

function writeRecords(writer: Writer, header: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const row of rows) {
    writer.breakLines(2);
    for (const [i, cell] of row.entries()) {
      writer.breakLines(1);
      writer.style({ kind: "bold" }, () => writer.write(`${header[i] ?? ""}:`));
      writer.write(` ${cell}`);
    }
  }
  writer.breakLines(2);
}

function cellText(cell: Tokens.TableCell): string {
  const writer = new Writer();
  writeTokens(writer, cell.tokens, 0);
  return writer.formatted().text.replaceAll("\n", " ");
}

function width(text: string): number {
  return Array.from(text).length;
}

/** A link says where it goes: words that look like another address do not cover it. */
function writeLink(writer: Writer, href: string, words: string, write: () => void): void {
  const url = href.length <= URL_CHARS_MAX && URL.canParse(href) ? new URL(href) : undefined;
  if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) {
    write();
    if (words !== href) writer.write(` (${href})`);
    return;
  }
  if (looksLikeAnother(words, url)) {
    write();
    writer.write(" (");
    writer.style({ kind: "link", url: url.href }, () => writer.write(url.href));
    writer.write(")");
    return;
  }
  writer.style({ kind: "link", url: url.href }, write);
}

function looksLikeAnother(words: string, url: URL): boolean {
  const host = /(?:^|[\s/@(])((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24})(?![\p{L}\p{N}])/u.exec(words)?.[1];
  if (host === undefined) return false;
  const own = url.protocol === "mailto:" ? (url.pathname.split("@").at(-1) ?? "") : url.hostname;
  return host.toLowerCase() !== own.toLowerCase();
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:(amp|lt|gt|quot|apos|nbsp)|#39);/g, (_, name: string | undefined) =>
    name === undefined ? "'" : (ENTITIES[name] ?? ""),
  );
}
