import { Parser, Renderer, type Token, type Tokens } from "marked";
import { markdown, type MarkdownBlock } from "./blocks.ts";
import { cleanMarkup } from "./clean-markup.ts";
import { codeBlock } from "./code-block.ts";
import { escapeProse, escapeText } from "./escape-text.ts";
import { hostToShow, linkTarget } from "./link-words.ts";
import { spokenText } from "./spoken-text.ts";

/**
 * The elements of blocks, one for each, in their order. All of them go through `cleanMarkup`
 * together, which costs less than one by one; code needs not: it is text.
 */
export function renderBlocks(blocks: readonly MarkdownBlock[]): HTMLElement[] {
  const markup = blocks.map(({ token }) => `<div class="block">${markupOf(token)}</div>`).join("");
  const elements = [...finished(cleanMarkup(markup)).children].filter((each) => each instanceof HTMLElement);
  for (const [i, { token, open }] of blocks.entries()) {
    if (token.type === "code") elements[i]?.append(codeBlock(token as Tokens.Code, open));
    else for (const pre of elements[i]?.querySelectorAll("pre") ?? []) pre.replaceWith(innerCode(pre, open));
  }
  return elements;
}

function markupOf(token: Token): string {
  if (["code", "space", "def"].includes(token.type)) return "";
  return new Parser({ ...markdown.defaults, renderer }).parse([token]);
}

/** Code inside a list or a quotation looks, and is copied, like any other. */
function innerCode(pre: HTMLPreElement, open: boolean): HTMLElement {
  const language = /^language-(.*)$/.exec(pre.firstElementChild?.className ?? "")?.[1];
  return codeBlock({ text: (pre.textContent ?? "").replace(/\n$/, ""), lang: language }, open);
}

/** Links go out of the page, and tables scroll inside themselves. */
function finished(fragment: DocumentFragment): DocumentFragment {
  for (const link of fragment.querySelectorAll("a")) {
    link.rel = "noopener noreferrer";
    link.target = "_blank";
  }
  for (const table of fragment.querySelectorAll("table")) {
    const frame = document.createElement("div");
    frame.className = "table-scroll";
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", "Table");
    table.replaceWith(frame);
    frame.append(table);
  }
  return fragment;
}

class TextRenderer extends Renderer {
  override text(token: Tokens.Text | Tokens.Escape): string {
    if ("tokens" in token && token.tokens) return this.parser.parseInline(token.tokens);
    // In its text, references are characters already, whatever they stand for.
    return escapeProse(token.type === "text" ? token.raw : token.text);
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    // Below the heading of the conversation, one level: sizes tell them apart.
    return `<h3 class="h-${depth}">${this.parser.parseInline(tokens)}</h3>`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const words = this.parser.parseInline(tokens);
    const target = linkTarget(href);
    if (!target) return `${words} <span class="dead-link">(${escapeText(href)})</span>`;
    const host = hostToShow(plain(tokens), target);
    const real = host === undefined ? "" : ` <span class="link-host">(${escapeText(host)})</span>`;
    return `<a href="${escapeText(target.href)}" title="${escapeText(target.href)}">${words}</a>${real}`;
  }

  /** Nothing is fetched because a text names it. */
  override image({ href, text }: Tokens.Image): string {
    const target = linkTarget(href);
    const words = `Picture${text === "" ? "" : `: ${escapeText(spokenText(text))}`}`;
    if (!target)
      return `<span class="dead-link">${words} (${escapeText(href.slice(0, ADDRESS_CHARS_MAX))})</span>`;
    return `<a href="${escapeText(target.href)}" title="${escapeText(target.href)}">${words} (${escapeText(target.host)})</a>`;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeText(text);
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? "[x] " : "[ ] ";
  }

  override tablecell({ tokens, header, align }: Tokens.TableCell): string {
    const tag = header ? "th" : "td";
    const side = align === null ? "" : ` class="to-${align}"`;
    return `<${tag}${side}>${this.parser.parseInline(tokens)}</${tag}>`;
  }
}

const ADDRESS_CHARS_MAX = 200;
const renderer = new TextRenderer(markdown.defaults);

function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? String(token.text) : "",
    )
    .join("");
}
