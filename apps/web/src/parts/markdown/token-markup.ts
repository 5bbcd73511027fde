import type { MarkedToken, Token, Tokens } from "marked";
import { MARK_SIGN, UNDONE } from "@elwood/sdk/view-state/mark-sign";
import { spokenText } from "./spoken-text.ts";

/**
 * What was read, as markup. All text is escaped here, so that markup in it is shown as it was
 * written; `cleanMarkup` sees to it once more.
 */
export function tokenMarkup(tokens: readonly Token[]): string {
  return tokens.map((token) => addedMarkup(token) ?? markupOf(token as MarkedToken)).join("");
}

/** Of what `blocks.ts` adds to the library's tokens; the library's own it leaves alone. */
function addedMarkup(token: Token): string | undefined {
  switch (token.type) {
    case "mark":
      return mark(token);
    case "math":
      return `<code class="math">${escapeText(token.raw)}</code>`;
    case "math-block":
      return `<p><code class="math">${escapeText(token.raw.trim())}</code></p>`;
    case "footnote-mark":
      return `<sup class="footnote-mark">${escapeText(textIn(token))}</sup>`;
    case "footnote":
      return `<p class="footnote"><sup>${escapeText(textIn(token))}</sup> ${tokenMarkup(childrenOf(token))}</p>`;
    default:
      return undefined;
  }
}

function childrenOf(token: Token): readonly Token[] {
  return "tokens" in token ? (token.tokens ?? []) : [];
}

function textIn(token: Token): string {
  return "text" in token ? String(token.text) : "";
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
      return token.task ? `<li class="task">${tokenMarkup(token.tokens)}</li>` : within("li", token);
    case "checkbox":
      // Its letters are there for whoever copies or hears them; what is seen is a box.
      return `<span class="box${token.checked ? " checked" : ""}"><span class="unseen">[${token.checked ? "x" : " "}] </span></span>`;
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

/** A tick, a citation without one, or the words at a sentence that nothing on record supports. */
function mark({ raw }: Token): string {
  const [inside = "", words] = raw.slice("[".length + MARK_SIGN.length + "✓ ".length, -1).split(MARK_SIGN);
  const named = escapeText(inside.trim());
  const said = words === undefined ? undefined : escapeText(words);
  if (raw.includes("✓"))
    return inside.endsWith(UNDONE)
      ? `<span class="tick undone" title="${said}">${UNDONE}</span>`
      : `<span class="tick" title="${said ?? `On record: ${named}`}">✓</span>`;
  if (!inside.startsWith(NOT_VERIFIED))
    return `<span class="cited" title="${said ?? "It names this call, which failed or does not hold what it says."}">${named}</span>`;
  const why = named.slice(NOT_VERIFIED.length).replace(/^: ?/, "");
  // “nicht belegt: du hast es abgelehnt”
  const [, chip = NOT_VERIFIED, reason] = /^(.+?) ?[:：] ?(.+)$/.exec(said ?? "") ?? [];
  const title = reason ?? (why === "" ? "Elwood has no record of this." : `On record: ${why}.`);
  return `<span class="not-verified" title="${title}">${chip}</span>`;
}

const NOT_VERIFIED = "not verified";

function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ("tokens" in token && token.tokens ? plain(token.tokens) : textIn(token)))
    .join("");
}

/** Text as markup that shows it, letter by letter; a mark that came to stand in code shows without its sign. */
function escapeText(text: string): string {
  return text.replaceAll(MARK_SIGN, "").replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * The same for prose, where a reference such as `&nbsp;` stands for its character. One that
 * could turn or hide text, or forge a mark of Elwood's, is shown as it was written: what is
 * checked in a text is its letters, and a reference must be no way around that.
 */
export function escapeProse(text: string): string {
  return text
    .replaceAll(MARK_SIGN, "")
    .replace(/&[^\s&;]{1,10};|[&<>"']/g, (found) =>
      found.length > 1 && isHarmless(found) ? found : escapeText(found),
    );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const NAMED =
  /^&(?:amp|lt|gt|quot|apos|nbsp|copy|reg|trade|hellip|[mn]dash|times|divide|plusmn|deg|euro|pound|middot|bull|[lr]arr|[lr][sd]?quo|ouml|auml|uuml|szlig|eacute);$/;

function isHarmless(reference: string): boolean {
  if (NAMED.test(reference)) return true;
  const [, hex, decimal] = /^&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));$/i.exec(reference) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff && code !== 0xad);
}

/** Where a link of somebody else's text may lead: elsewhere on the web, or to a mail. Undefined: it is no link. */
export function linkTarget(href: string): URL | undefined {
  const url = URL.parse(href.trim());
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined;
}

/** The host that a link really leads to, where its words look like another address. */
export function hostToShow(words: string, target: URL): string | undefined {
  if (target.protocol === "mailto:") return undefined;
  // A name before an @ reads like the host, and letters of other scripts like those of ours.
  const deceives = target.username !== "" || target.hostname.includes("xn--");
  const others = words.split(/[\s"'“”()<>]+/).filter((word) => namesOther(word, target));
  return deceives || others.length > 0 ? target.host : undefined;
}

function namesOther(word: string, target: URL): boolean {
  const named = hostIn(word);
  return named !== undefined && !sameHost(named, target.hostname);
}

/** The host that a word names, if it looks like an address at all. */
function hostIn(word: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(word) ? URL.parse(word) : undefined;
  if (url) return url.hostname;
  const host = /^(?:www\.)?([\p{L}\p{N}-]+\.)+\p{L}{2,}(?=[/:?#.,;!]|$)/iu.exec(word)?.[0];
  return host === undefined ? undefined : (URL.parse(`https://${host}`)?.hostname ?? host);
}

function sameHost(a: string, b: string): boolean {
  return bare(a) === bare(b);
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^www\./, "");
}
