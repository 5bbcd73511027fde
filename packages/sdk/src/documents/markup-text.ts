import { attribute, markupTokens } from "./markup.ts";
import { TextLines } from "./text-lines.ts";

/** What is in these is not for reading. */
const LEFT_OUT = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
  "head",
]);
const EMPTY = new Set([
  "br",
  "hr",
  "img",
  "input",
  "meta",
  "link",
  "col",
  "wbr",
  "source",
  "area",
  "base",
  "embed",
  "track",
]);
const BLOCKS = new Set([
  "p",
  "div",
  "section",
  "article",
  "header",
  "footer",
  "main",
  "aside",
  "nav",
  "ul",
  "ol",
  "li",
  "dl",
  "dt",
  "dd",
  "table",
  "thead",
  "tbody",
  "tfoot",
  "tr",
  "caption",
  "blockquote",
  "pre",
  "figure",
  "figcaption",
  "form",
  "fieldset",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "hr",
  "address",
  "details",
  "summary",
  "body",
  "html",
  "title",
]);
const APART = /^(?:p|h[1-6]|ul|ol|table|pre|blockquote|hr|section|article|figure)$/;

/** HTML as it reads: headings, lists and tables as in Markdown, links with where they lead. */
export function markupText(html: string, charsMax: number): { text: string; title?: string; cut: boolean } {
  const lines = new TextLines(charsMax);
  let line = "";
  let title: string | undefined;
  let cells = 0;
  let pre = 0;
  let href: string | undefined;
  const open: string[] = [];
  let leftOut: { readonly name: string; readonly depth: number } | undefined;
  const flush = (apart = false) => {
    const said = pre > 0 ? line : line.trim();
    if (said !== "") lines.add(said);
    if (apart) lines.add("");
    line = "";
  };
  const say = (text: string) => {
    if (pre > 0) {
      const [first = "", ...more] = text.split("\n");
      line += first;
      for (const each of more) {
        lines.add(line);
        line = each;
      }
      return;
    }
    const plain = text.replaceAll(/\s+/g, " ");
    line += line === "" || line.endsWith(" ") ? plain.trimStart() : plain;
  };
  for (const token of markupTokens(html, "html")) {
    if (lines.full) break;
    if (token.kind === "text") {
      if (open.at(-1) === "title" && !open.includes("svg"))
        title ??= token.text.trim().replaceAll(/\s+/g, " ");
      else if (leftOut === undefined) say(token.text);
      continue;
    }
    const { name } = token;
    if (token.kind === "open") {
      const closed = token.closed || EMPTY.has(name);
      if (!closed) open.push(name);
      // A head that nobody closed ends where the body begins.
      if (name === "body" && leftOut?.name === "head") leftOut = undefined;
      if (leftOut !== undefined) continue;
      if (LEFT_OUT.has(name)) {
        if (!closed) leftOut = { name, depth: open.length };
        continue;
      }
      if (BLOCKS.has(name)) flush(APART.test(name));
      if (/^h[1-6]$/.test(name)) line = `${"#".repeat(Number(name[1]))} `;
      else if (name === "li") line = `${"  ".repeat(Math.max(0, listDepth(open) - 1))}- `;
      else if (name === "blockquote") line = "> ";
      else if (name === "br") flush();
      else if (name === "tr") cells = 0;
      else if (name === "td" || name === "th") line += cells++ === 0 ? "" : " | ";
      else if (name === "pre") pre++;
      else if (name === "a") href = attribute(token.attributes, "href");
      else if (name === "img") say(pictureWords(attribute(token.attributes, "alt")));
      continue;
    }
    const at = open.lastIndexOf(name);
    if (at < 0) continue;
    open.length = at;
    if (leftOut !== undefined) {
      if (open.length < leftOut.depth) leftOut = undefined;
      continue;
    }
    if (name === "a" && href !== undefined && /^(?:https?|mailto):/i.test(href)) {
      if (!line.includes(href)) line += ` (${href})`;
      href = undefined;
    }
    if (name === "pre") {
      flush(true);
      pre = Math.max(0, pre - 1);
    } else if (BLOCKS.has(name)) flush(APART.test(name));
  }
  flush();
  return { text: lines.text(), cut: lines.full, ...(title === undefined || title === "" ? {} : { title }) };
}

function listDepth(open: readonly string[]): number {
  return open.filter((name) => name === "ul" || name === "ol").length;
}

function pictureWords(alt: string | undefined): string {
  const said = alt?.trim() ?? "";
  return said === "" ? "" : `[Picture: ${said}]`;
}
