import type { Token, Tokens } from "marked";
import type { MarkdownBlock } from "./blocks.ts";
import { cleanMarkup } from "./clean-markup.ts";
import { tokenMarkup, languageOf } from "./token-markup.ts";
import { copyText } from "../small.ts";
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

/** Longer code is not highlighted, nor is code with longer lines: it would hold the page up. */
const HIGHLIGHT_CHARS_MAX = 10_000;
const LONG_LINE = /.{1000}/;
const COPIED_MS = 1_500;

/** Code as text, with its language and a button that copies it. Colours come once its fence is closed. */
function codeBlock({ text, lang }: Pick<Tokens.Code, "text" | "lang">, open: boolean): HTMLElement {
  const name = languageOf({ lang });
  const frame = document.createElement("div");
  frame.className = "code-block";
  const head = document.createElement("div");
  head.className = "code-head";
  const label = document.createElement("span");
  label.textContent = name === "" ? "Code" : spokenText(name);
  head.append(label, copier(text));
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  const code = document.createElement("code");
  code.textContent = text;
  pre.append(code);
  frame.append(head, pre);
  if (!open && name !== "" && text.length <= HIGHLIGHT_CHARS_MAX && !LONG_LINE.test(text))
    whenIdle(() => void colour(code, text, name));
  return frame;
}

function copier(text: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy the code");
  button.addEventListener("click", () => void copied(button, text));
  return button;
}

async function copied(button: HTMLButtonElement, text: string): Promise<void> {
  button.textContent = (await copyText(text)) ? "Copied" : "Not allowed here";
  window.setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
}

async function colour(code: HTMLElement, text: string, language: string): Promise<void> {
  if (!code.isConnected) return;
  try {
    const { highlighted } = await import("./highlight.ts");
    const coloured = highlighted(text, language);
    if (coloured && code.isConnected) code.replaceChildren(coloured);
  } catch {
    return; // the gateway cannot be reached, or was updated: the code stays as it is
  }
}

function whenIdle(act: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(act, { timeout: 2_000 });
  else setTimeout(act, 50);
}
