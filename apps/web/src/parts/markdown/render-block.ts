import type { Token, Tokens } from "marked";
import type { MarkdownBlock } from "./blocks.ts";
import { cleanMarkup } from "./clean-markup.ts";
import type { FrameKind } from "./frame.ts";
import { tokenMarkup, languageOf } from "./token-markup.ts";
import { copyText } from "../small.ts";
import { spokenText } from "./spoken-text.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";

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
    for (const code of elements[i]?.querySelectorAll<HTMLElement>("code.math") ?? [])
      whenIdle(() => void writeFormula(code));
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
    frame.setAttribute("aria-label", say.table);
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const mark of fragment.querySelectorAll<HTMLElement>("sup.footnote-mark")) leadsToNote(mark);
  return fragment;
}

/** Longer code is not highlighted, nor is code with longer lines: it would hold the page up. */
const HIGHLIGHT_CHARS_MAX = 10_000;
const LONG_LINE = /.{1000}/;
const COPIED_MS = 1_500;

/** Code as text, with its language and what can be done with it. Colours come once its fence is closed. */
function codeBlock({ text, lang }: Pick<Tokens.Code, "text" | "lang">, open: boolean): HTMLElement {
  const name = languageOf({ lang });
  const frame = document.createElement("div");
  frame.className = "code-block";
  const head = document.createElement("div");
  head.className = "code-head";
  const label = document.createElement("span");
  label.textContent = name === "" ? say.code : spokenText(name);
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  const code = document.createElement("code");
  code.textContent = text;
  pre.append(code);
  const kind = open ? undefined : FRAMED[name.toLowerCase()];
  head.append(
    label,
    ...(kind ? [framer(kind, text, pre)] : []),
    wrapper(pre),
    saver(text, name),
    copier(text),
  );
  frame.append(head, pre);
  if (!open && name !== "" && text.length <= HIGHLIGHT_CHARS_MAX && !LONG_LINE.test(text))
    whenIdle(() => void colour(code, text, name));
  return frame;
}

function headButton(
  words: string,
  label: string,
  press: (button: HTMLButtonElement) => void,
): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = words;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", () => press(button));
  return button;
}

function copier(text: string): HTMLButtonElement {
  return headButton(say.copy, say.copyTheCode, (button) => void copied(button, text));
}

async function copied(button: HTMLButtonElement, text: string): Promise<void> {
  button.textContent = (await copyText(text)) ? say.copied : say.notAllowedHere;
  window.setTimeout(() => (button.textContent = say.copy), COPIED_MS);
}

/** Long lines scroll, until somebody wants to see them whole. */
function wrapper(pre: HTMLElement): HTMLButtonElement {
  return headButton(say.wrap, say.wrapLongLines, (button) => {
    const wraps = pre.classList.toggle("wraps");
    button.setAttribute("aria-pressed", String(wraps));
  });
}

function saver(text: string, language: string): HTMLButtonElement {
  return headButton(say.download, say.downloadTheCode, () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = `code.${ENDINGS[language.toLowerCase()] ?? "txt"}`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

/** Languages whose files end otherwise than they are called. */
const ENDINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "js ts tsx jsx py rs go java json html css sql md yaml yml toml xml sh csv c cpp rb php diff"
      .split(" ")
      .map((ending) => [ending, ending]),
  ),
  javascript: "js",
  typescript: "ts",
  python: "py",
  rust: "rs",
  bash: "sh",
  shell: "sh",
  markdown: "md",
  mermaid: "mmd",
};

/** What can be looked at as what it describes. */
const FRAMED: Readonly<Record<string, FrameKind>> = { mermaid: "diagram", html: "html" };
const FRAMED_CHARS_MAX = 50_000;

function framer(kind: FrameKind, text: string, pre: HTMLElement): HTMLButtonElement {
  const show = kind === "diagram" ? say.showDiagram : say.preview;
  const button = headButton(show, show, () => void (button.ariaPressed === "true" ? hide() : draw()));
  button.ariaPressed = "false";
  const hide = () => {
    pre.parentElement?.querySelector(".code-frame")?.remove();
    pre.hidden = false;
    button.ariaPressed = "false";
    button.textContent = show;
  };
  const draw = async () => {
    const place = document.createElement("div");
    place.className = "code-frame";
    const failed = (why: string) => {
      const line = document.createElement("p");
      line.className = "line warn";
      line.textContent = fill(say.thisCannotBeDrawn, spokenText(why));
      pre.hidden = false;
      place.replaceChildren(line);
    };
    button.ariaPressed = "true";
    button.textContent = say.showCode;
    pre.hidden = true;
    pre.before(place);
    if (text.length > FRAMED_CHARS_MAX) {
      failed(say.itIsTooLong);
      return;
    }
    try {
      const { frameFor } = await import("./frame.ts");
      place.replaceChildren(frameFor(kind, text, { title: show, failed }));
    } catch {
      failed(say.elwoodCannotBeReachedNow);
    }
  };
  return button;
}

/** A press on a footnote's number goes to the footnote, and from there back. */
function leadsToNote(mark: HTMLElement): void {
  const name = mark.textContent ?? "";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = name;
  button.setAttribute("aria-label", fill(say.footnote, name));
  button.addEventListener("click", () => {
    const notes = button.closest("elwood-markdown")?.querySelectorAll<HTMLElement>(".footnote") ?? [];
    const note = [...notes].find((each) => each.querySelector("sup")?.textContent === name);
    if (!note) return;
    note.tabIndex = -1;
    note.scrollIntoView({ block: "nearest" });
    note.focus();
  });
  mark.replaceChildren(button);
}

async function writeFormula(code: HTMLElement): Promise<void> {
  if (!code.isConnected) return;
  try {
    const { formula } = await import("./math.ts");
    const written = formula(code.textContent ?? "");
    if (written && code.isConnected) code.replaceWith(written);
  } catch {
    return; // the gateway cannot be reached, or was updated: the formula stays as it was written
  }
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
