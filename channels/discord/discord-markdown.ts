import type { FormattedText, Span } from "@elwood/sdk/channel/formatted-text";

/**
 * Formatted text in Discord's own Markdown. Everything that is not a span is escaped, so that
 * no word of a model or a stranger becomes a mention, a spoiler or a link by accident.
 */
export function toDiscord({ text, spans }: FormattedText): string {
  return writeLines(write(text, spans, 0, text.length));
}

/** A piece of output. Inside code nothing is escaped or put at the start of lines. */
interface Piece {
  readonly text: string;
  readonly raw?: true;
  /** Written at the start of each of its lines. */
  readonly prefix?: string;
}

function write(text: string, spans: readonly Span[], start: number, end: number): Piece[] {
  const pieces: Piece[] = [];
  let at = start;
  for (let i = 0; i < spans.length;) {
    const span = spans[i];
    if (!span) break;
    if (span.start > at) pieces.push({ text: escapeText(text.slice(at, span.start), atLineStart(text, at)) });
    const next = spans.findIndex((each, j) => j > i && each.start >= span.end);
    const inner = spans.slice(i + 1, next < 0 ? spans.length : next);
    pieces.push(...writeSpan(text, span, inner));
    at = span.end;
    i = next < 0 ? spans.length : next;
  }
  if (at < end) pieces.push({ text: escapeText(text.slice(at, end), atLineStart(text, at)) });
  return pieces;
}

function writeSpan(text: string, span: Span, inner: readonly Span[]): Piece[] {
  const words = text.slice(span.start, span.end);
  const within = (): Piece[] => write(text, inner, span.start, span.end);
  switch (span.kind) {
    case "bold":
      return wrap("**", within());
    case "italic":
      // An underscore would join with the words beside it.
      return wrap("*", within());
    case "strike":
      return wrap("~~", within());
    case "code":
      return [{ text: inlineCode(words), raw: true }];
    case "pre":
      return [{ text: codeBlock(words, span.language), raw: true }];
    case "bullet":
      return [{ text: "-" }];
    case "heading":
      // Discord has three levels.
      return span.level <= 3 ? [{ text: `${"#".repeat(span.level)} ` }, ...within()] : wrap("**", within());
    case "quote":
      return within().map((piece) => ({ ...piece, prefix: `> ${piece.prefix ?? ""}` }));
    case "link":
      return words === span.url
        ? [{ text: `<${linkTarget(span.url)}>`, raw: true }]
        : [{ text: "[" }, ...within(), { text: `](<${linkTarget(span.url)}>)`, raw: true }];
    default:
      return span satisfies never;
  }
}

function wrap(sign: string, pieces: readonly Piece[]): Piece[] {
  return [{ text: sign }, ...pieces, { text: sign }];
}

/** Puts prefixes at the start of lines. */
function writeLines(pieces: readonly Piece[]): string {
  let out = "";
  for (const { text, prefix } of pieces) {
    if (prefix === undefined) {
      out += text;
      continue;
    }
    const start = out === "" || out.endsWith("\n") ? prefix : "";
    out += start + text.replaceAll("\n", `\n${prefix}`);
  }
  return out;
}

function atLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === "\n";
}

/** Signs that mean something anywhere. */
const SIGNS = /[\\*_~`|]/g;
/** Mentions, emoji, times and commands: `<@1>`, `<#1>`, `<:a:1>`, `<t:1>`, `</a:1>`, `<id:guide>`. */
const TAG = /<(?=@|#|:|a:|t:|\/|id:)/g;
const MASKED_LINK = /\](?=\()/g;
const ADDRESS = /https?:\/\/[^\s<>]*[^\s<>.,;:!?)\]}'"]/g;
/** Heading, small text, quote, list. A number stays as it is: a list of Discord's shows the same. */
const LINE_START = /^(\s*)(#{1,3}(?=\s)|-#(?=\s)|>{1,3}(?=\s)|[-+](?=\s))/gm;

/** Text as it is read. An address stays whole, since signs escaped inside one would become part of it. */
export function escapeText(text: string, lineStart = true): string {
  let out = "";
  let at = 0;
  for (const found of text.matchAll(ADDRESS)) {
    out += escapeWords(text.slice(at, found.index));
    out += `<${linkTarget(found[0])}>`;
    at = found.index + found[0].length;
  }
  out += escapeWords(text.slice(at));
  if (lineStart) return out.replaceAll(LINE_START, "$1\\$2");
  const [first = "", ...rest] = out.split("\n");
  return [first, ...rest.map((line) => line.replace(LINE_START, "$1\\$2"))].join("\n");
}

function escapeWords(text: string): string {
  return text
    .replaceAll(SIGNS, String.raw`\$&`)
    .replaceAll(TAG, String.raw`\<`)
    .replaceAll(MASKED_LINK, String.raw`\]`);
}

function linkTarget(url: string): string {
  return url.replaceAll(
    /[()<>\s\\]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}

function inlineCode(code: string): string {
  const line = code.replaceAll("\n", " ");
  if (!line.includes("`")) return `\`${line}\``;
  // Two signs hold one; Discord knows no more of them.
  return `\`\` ${breakFences(line).replaceAll("``", "`\u200b`")} \`\``;
}

function codeBlock(code: string, language = ""): string {
  return `\`\`\`${language}\n${breakFences(code)}\n\`\`\``;
}

/** Discord ends a block at the next three signs, and knows no longer fence: an invisible character keeps them apart. */
function breakFences(code: string): string {
  return code.replaceAll("```", "``\u200b`");
}
