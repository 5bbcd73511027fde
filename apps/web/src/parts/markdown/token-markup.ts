import type { MarkedToken, Token, Tokens } from "marked";
import { escapeProse, escapeText } from "./escape-text.ts";
import { hostToShow, linkTarget } from "./link-words.ts";
import { MARK_SIGN } from "@elwood/sdk/view-state/mark-sign";
import { spokenText } from "./spoken-text.ts";

/**
 * What was read, as markup. All text is escaped here, so that markup in it is shown as it was
 * written; `cleanMarkup` sees to it once more.
 */
export function tokenMarkup(tokens: readonly Token[]): string {
  // The lexer has no other extension than the gateway's marks; what is none of its tokens is shown as it was written.
  return tokens.map((token) => (isMark(token) ? mark(token) : markupOf(token as MarkedToken))).join("");
}

const ADDRESS_CHARS_MAX = 200;

function markupOf(token: MarkedToken): string {
  switch (token.type) {
    case "space":
    case "def":
      return "";
    case "paragraph":
      return within("p", token);
    case "heading":
      // Below the heading of the conversation, one level: sizes tell them apart.
      return `<h3 class="h-${token.depth}">${tokenMarkup(token.tokens)}</h3>`;
    case "blockquote":
    case "strong":
    case "em":
    case "del":
      return within(token.type, token);
    case "list":
      return list(token);
    case "list_item":
      return within("li", token);
    case "checkbox":
      return token.checked ? "[x] " : "[ ] ";
    case "table":
      return table(token);
    case "hr":
    case "br":
      return `<${token.type}>`;
    case "code":
      return `<pre><code class="language-${escapeText(languageOf(token))}">${escapeText(token.text)}</code></pre>`;
    case "codespan":
      return `<code>${escapeText(token.text)}</code>`;
    case "link":
      return link(token);
    case "image":
      return image(token);
    case "text":
      // In its text, references are characters already, whatever they stand for.
      return "tokens" in token && token.tokens ? tokenMarkup(token.tokens) : escapeProse(token.raw);
    case "escape":
      return escapeProse(token.text);
    case "html":
    default:
      return escapeText(token.raw);
  }
}

function within(tag: string, { tokens }: { readonly tokens: readonly Token[] }): string {
  return `<${tag}>${tokenMarkup(tokens)}</${tag}>`;
}

/** The first word behind a fence. */
export function languageOf({ lang }: Pick<Tokens.Code, "lang">): string {
  return (lang ?? "").trim().split(/\s/)[0] ?? "";
}

function list({ ordered, start, items }: Tokens.List): string {
  const tag = ordered ? "ol" : "ul";
  const from = ordered && start !== 1 ? ` start="${start}"` : "";
  return `<${tag}${from}>${tokenMarkup(items)}</${tag}>`;
}

function table({ header, rows }: Tokens.Table): string {
  const body = rows.length === 0 ? "" : `<tbody>${rows.map(row).join("")}</tbody>`;
  return `<table><thead>${row(header)}</thead>${body}</table>`;
}

function row(cells: readonly Tokens.TableCell[]): string {
  return `<tr>${cells.map(cell).join("")}</tr>`;
}

function cell({ tokens, header, align }: Tokens.TableCell): string {
  const tag = header ? "th" : "td";
  const side = align === null ? "" : ` class="to-${align}"`;
  return `<${tag}${side}>${tokenMarkup(tokens)}</${tag}>`;
}

function link({ href, tokens }: Tokens.Link): string {
  const words = tokenMarkup(tokens);
  const target = linkTarget(href);
  if (!target) return `${words} <span class="dead-link">(${escapeText(href)})</span>`;
  const host = hostToShow(plain(tokens), target);
  const real = host === undefined ? "" : ` <span class="link-host">(${escapeText(host)})</span>`;
  return `<a href="${escapeText(target.href)}" title="${escapeText(target.href)}">${words}</a>${real}`;
}

/** Nothing is fetched because a text names it. */
function image({ href, text }: Tokens.Image): string {
  const target = linkTarget(href);
  const words = `Picture${text === "" ? "" : `: ${escapeText(spokenText(text))}`}`;
  if (!target)
    return `<span class="dead-link">${words} (${escapeText(href.slice(0, ADDRESS_CHARS_MAX))})</span>`;
  return `<a href="${escapeText(target.href)}" title="${escapeText(target.href)}">${words} (${escapeText(target.host)})</a>`;
}

/** The marks that `blocks.ts` finds. */
function isMark({ type }: Token): boolean {
  return type === "mark";
}

/** A tick, a citation without one, or the words at a sentence that nothing on record supports. */
function mark({ raw }: Token): string {
  const inside = raw.slice("[".length + MARK_SIGN.length + "✓ ".length, -1);
  if (raw.includes("✓")) return `<span class="tick" title="On record: ${inside}">✓</span>`;
  if (!inside.startsWith("not verified"))
    return `<span class="cited" title="It names this call; what it says was not found there.">${inside}</span>`;
  const why = inside.slice("not verified".length).replace(/^: /, "");
  const title = `Elwood has no record of this${why === "" ? "" : `: ${why}`}.`;
  return `<span class="not-verified" title="${title}">not verified</span>`;
}

function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? String(token.text) : "",
    )
    .join("");
}
