import { result, ToolError, type ToolContext } from "@elwood/sdk/tool";
import { asked, readAtMost } from "./answer.ts";
import { bareText } from "./bare-text.ts";
import type { WebToolLimits } from "./limits.ts";
import type { DocumentReader } from "@elwood/sdk/documents/document-reader";
import { documentKind } from "@elwood/sdk/documents/read-document";
import type { PageReader } from "./page-reader.ts";
import type { PageText } from "./read-page.ts";
import { statusProblem } from "./status-words.ts";
import { textOfBytes } from "./text-of-bytes.ts";

export interface Readers {
  readonly pages: PageReader;
  readonly documents: DocumentReader;
}

/** Fetches and reads one address; what it gives is the tool's output, and its text for the model. */
export function fetchPage(
  { url, maxChars, offset }: { readonly url: string; readonly maxChars: number; readonly offset: number },
  ctx: ToolContext,
  headers: Readonly<Record<string, string>>,
  limits: WebToolLimits,
  readers: Readers,
) {
  return asked(async () => {
    const response = await ctx.fetch(url, { headers: { ...headers }, signal: ctx.signal });
    const { status } = response;
    const contentType = (response.headers.get("content-type") ?? "").slice(0, limits.fieldCharsMax);
    if (!response.ok) {
      await response.body?.cancel();
      throw statusProblem(new URL(response.url).host, response);
    }
    ctx.progress(`reading ${new URL(response.url).host}`);
    const { bytes, cut } = await readAtMost(
      response,
      mayBePdf(contentType) ? limits.pdfBytesMax : limits.pageBytesMax,
    );
    const kind = kindOf(contentType, bytes);
    const about = { url, finalUrl: response.url, status, contentType, kind, bytes: bytes.length };
    if (kind === "binary") {
      const text = `[${about.finalUrl} is a file of the kind ${contentType || "unknown"} (${bytes.length} bytes${cut ? " or more" : ""}). Such files are not read.]`;
      return result({ ...about, text: "", chars: 0, truncated: false }, { text });
    }
    const page = await read(kind, bytes, cut, contentType, response.url, ctx, limits, readers);
    return told(about, page, maxChars, offset, limits);
  });
}

async function read(
  kind: "page" | "pdf" | "text",
  bytes: Uint8Array,
  cut: boolean,
  contentType: string,
  url: string,
  ctx: ToolContext,
  limits: WebToolLimits,
  { pages, documents }: Readers,
): Promise<PageText> {
  if (kind === "pdf") {
    if (cut) {
      throw new ToolError(
        "too_large",
        `The PDF is larger than ${limits.pdfBytesMax} bytes and was not read.`,
      );
    }
    const { text, title, author, ...pdf } = await documents.read(bytes, url, ctx.signal);
    return {
      text,
      cut: pdf.cut,
      ...(pdf.pages !== undefined && { pages: pdf.pages }),
      ...(title !== undefined && { title }),
      ...(author !== undefined && { byline: author }),
    };
  }
  const shorter = bytes.subarray(0, limits.pageBytesMax);
  const text = textOfBytes(shorter, contentType);
  const partly = cut || bytes.length > shorter.length;
  if (kind === "text") return { text: text.slice(0, limits.textCharsMax), cut: partly };
  try {
    const page = await pages.read({ html: text, url }, ctx.signal);
    return { ...page, cut: partly || page.cut === true };
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    // Built so that reading takes too long; its bare words still do.
    return { text: bareText(text).slice(0, limits.textCharsMax), cut: partly };
  }
}

function told(
  about: object & { finalUrl: string },
  page: PageText,
  maxChars: number,
  offset: number,
  limits: WebToolLimits,
) {
  const { text: whole, cut = false, login, pages, ...fields } = page;
  const said = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value.slice(0, limits.fieldCharsMax)]),
  );
  const text = whole.slice(offset, offset + maxChars);
  const next = offset + text.length;
  const more = next < whole.length;
  const value = {
    ...about,
    ...said,
    ...(pages !== undefined && { pages }),
    ...(login === true && { login }),
    text,
    chars: whole.length,
    truncated: more || cut,
    ...(more && { nextOffset: next }),
  };
  const head = [
    `Address: ${about.finalUrl}`,
    ...Object.entries(said).map(([name, value]) => `${name[0]!.toUpperCase()}${name.slice(1)}: ${value}`),
    ...(login === true ? ["[This page asks for a sign-in. What is behind it was not seen.]"] : []),
  ];
  const tail = more
    ? [`[The text goes on: ${whole.length} characters in all. Go on with offset ${next}.]`]
    : cut
      ? ["[The page is longer than what Elwood reads of one, and ends here.]"]
      : [];
  const body =
    text === "" ? (offset > 0 ? "[No text from there on.]" : "[The page holds no text to read.]") : text;
  return result(value, { text: [...head, "", body, ...tail].join("\n"), truncated: more || cut });
}

function mayBePdf(contentType: string): boolean {
  return /^\s*(application\/(pdf|octet-stream)\b|;|$)/i.test(contentType);
}

function kindOf(contentType: string, bytes: Uint8Array): "page" | "pdf" | "text" | "binary" {
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (documentKind(bytes.subarray(0, 512), "") === "pdf") return "pdf";
  if (type === "application/pdf") return "binary";
  if (type === "text/html" || type === "application/xhtml+xml") return "page";
  if (/^text\/|[/+](json|xml|yaml|x-yaml|javascript|x-ndjson|toml|markdown)$/.test(type)) return "text";
  if (type !== "" && type !== "application/octet-stream") return "binary";
  if (/^\s*<(!doctype html|html|head|body)/i.test(start)) return "page";
  const wide = bytes[0] === 0xfe || bytes[0] === 0xff;
  return !wide && (start.includes("\0") || type !== "") ? "binary" : "text";
}
