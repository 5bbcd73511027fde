import type { Token, Tokens } from "marked";
import type { MarkdownBlock } from "./blocks.ts";
import { cleanMarkup } from "./clean-markup.ts";
import { codeBlock } from "./code-block.ts";
import { tokenMarkup } from "./token-markup.ts";

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
  return token.type === "code" ? "" : tokenMarkup([token]);
}

/** Code inside a list or a quotation looks, and is copied, like any other. */
function innerCode(pre: HTMLPreElement, open: boolean): HTMLElement {
  const language = /^language-(.*)$/.exec(pre.firstElementChild?.className ?? "")?.[1];
  return codeBlock({ text: pre.textContent ?? "", lang: language }, open);
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
