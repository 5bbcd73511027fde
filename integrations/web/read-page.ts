/** Runs in a thread of its own: see page-reader.ts. */
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { bareText } from "./bare-text.ts";

export interface PageTask {
  readonly html: string;
  /** What relative links are relative to. */
  readonly url: string;
  readonly linksMax: number;
  readonly elementsMax: number;
  readonly textCharsMax: number;
}

export interface PageText {
  readonly text: string;
  readonly title?: string;
  readonly byline?: string;
  readonly published?: string;
  readonly site?: string;
  readonly lang?: string;
  /** The page asks for a password. */
  readonly login?: boolean;
  /** More text was there than is kept. */
  readonly cut?: boolean;
  readonly pages?: number;
}

/** The text of a page as Markdown: the article where there is one, else all that a visitor would see. */
export async function readPage(task: PageTask): Promise<PageText> {
  const { html, url, linksMax, textCharsMax, elementsMax } = task;
  const { document } = parseHTML(withBody(html)) as unknown as { document: Document };
  const login = document.querySelector('input[type="password" i]') !== null;
  const lang = document.documentElement?.getAttribute("lang");
  const title = document.querySelector("title")?.textContent;
  absoluteLinks(document, url, linksMax);
  // Readability takes its document apart, and on pages of very many parts it takes minutes.
  const whole = document.cloneNode(true) as Document;
  const simple = document.querySelectorAll("*").length <= elementsMax;
  const article = simple ? new Readability(document).parse() : null;
  const markdown = article?.content ? toMarkdown(article.content) : "";
  const text = markdown.length >= ARTICLE_CHARS_MIN || login ? markdown : "";
  const said = text || toMarkdown(visibleBody(whole)) || bareText(html);
  return {
    text: said.slice(0, textCharsMax),
    cut: said.length > textCharsMax,
    login,
    ...some("title", article?.title || title),
    ...some("byline", article?.byline),
    ...some("published", article?.publishedTime),
    ...some("site", article?.siteName),
    ...some("lang", article?.lang || lang),
  };
}

/** The tree makes an empty body where none was written, though the tags around a page may be left out. */
function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return html;
  const head = /<\/head\s*>|<html(\s[^>]*)?>(?![^]*<\/head\s*>)/i.exec(html);
  if (head === null) return `<html><head></head><body>${html}</body></html>`;
  const at = head.index + head[0].length;
  return `${html.slice(0, at)}<body>${html.slice(at)}`;
}

/** Shorter than this, Readability has more likely picked a corner of the page than its text. */
const ARTICLE_CHARS_MIN = 140;

const UNSEEN =
  'script,style,noscript,template,svg,iframe,object,embed,head,nav,[hidden],[aria-hidden="true"],[style*="display:none"],[style*="display: none"],[style*="visibility:hidden"]';

function visibleBody(document: Document): string {
  for (const unseen of document.querySelectorAll(UNSEEN)) unseen.remove();
  return (document.body ?? document.documentElement)?.innerHTML ?? "";
}

/** Links are kept as whole addresses; those that run something are taken away. */
function absoluteLinks(document: Document, base: string, linksMax: number): void {
  let seen = 0;
  for (const link of document.querySelectorAll("a[href]")) {
    const href = ++seen > linksMax ? undefined : absolute(link.getAttribute("href") ?? "", base);
    if (href === undefined) link.removeAttribute("href");
    else link.setAttribute("href", href);
  }
  for (const image of document.querySelectorAll("img")) image.remove();
}

function absolute(href: string, base: string): string | undefined {
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

function toMarkdown(html: string): string {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
  });
  service.remove(["script", "style", "noscript"]);
  // Words are told as they stand; nobody renders them again.
  service.escape = (text) => text;
  const { document } = parseHTML(`<html><body>${html}</body></html>`) as unknown as { document: Document };
  return service.turndown(document.body).trim();
}

function some<const Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const text = typeof value === "string" ? value.trim().replaceAll(/\s+/g, " ") : "";
  return text === "" ? {} : ({ [name]: text } as Record<Name, string>);
}
