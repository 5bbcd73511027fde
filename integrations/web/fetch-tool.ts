import { defineTool, result, ToolError, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { bareText } from "./bare-text.ts";
import { addressFacts, asked, readAtMost, requestPreview, type WebKit } from "./kit.ts";
import { readInThread } from "./page-reader.ts";
import type { PageText } from "./read-page.ts";
import { statusProblem } from "./status-words.ts";
import { textOfBytes } from "./text-of-bytes.ts";

const ACCEPT = "text/html, application/xhtml+xml, application/pdf, text/*, application/json;q=0.9, */*;q=0.1";
const HEADERS = { accept: ACCEPT, "user-agent": "Elwood" };

export function fetchTool({ check, limits }: WebKit): ToolDefinition {
  const input = z.strictObject({
    url: z.string().min(1).max(8_192).describe("A whole address, beginning with https:// or http://"),
    maxChars: z
      .int()
      .min(100)
      .max(limits.charsMax)
      .default(limits.charsDefault)
      .describe("How much text at most"),
    offset: z.int().min(0).default(0).describe("Where in the text to begin, to go on in a long page"),
  });
  const output = z.strictObject({
    url: z.string(),
    finalUrl: z.string(),
    status: z.number(),
    contentType: z.string(),
    kind: z.enum(["page", "pdf", "text", "binary"]),
    bytes: z.number(),
    title: z.string().optional(),
    byline: z.string().optional(),
    published: z.string().optional(),
    site: z.string().optional(),
    lang: z.string().optional(),
    pages: z.number().optional(),
    login: z.boolean().optional(),
    text: z.string(),
    /** Of all that there is to read; `text` may be a part of it. */
    chars: z.number(),
    truncated: z.boolean(),
    /** Where to go on; absent at the end. */
    nextOffset: z.number().optional(),
  });
  return defineTool({
    id: "web.page.fetch",
    description:
      "Fetches one address of the web and gives its readable text as Markdown, with its links. Reads pages, PDF, plain text and JSON; other files are not read. It runs no scripts and signs in nowhere.",
    risk: "read",
    input,
    output,
    labels: {
      egress: "third_party",
      output: "untrusted",
      critical: ["url"],
      ids: {},
      content: [],
      time: [],
      sensitive: false,
    },
    idempotent: true,
    timeoutMs: 90_000,
    target: ({ url }) => (URL.canParse(url) ? new URL(url).href : url),
    facts: ({ url }) => addressFacts(check, url),
    preview: ({ url }) => {
      const read = new URL(url);
      read.hash = "";
      return requestPreview(`Fetches a page from ${read.host}.`, read, HEADERS);
    },
    handler: ({ url, maxChars, offset }, ctx) => asked(() => fetchPage(url, maxChars, offset, ctx)),
  });

  async function fetchPage(url: string, maxChars: number, offset: number, ctx: ToolContext) {
    const response = await ctx.fetch(url, { headers: HEADERS, signal: ctx.signal });
    const { status } = response;
    const contentType = (response.headers.get("content-type") ?? "").slice(0, limits.fieldCharsMax);
    if (!response.ok) {
      await response.body?.cancel();
      throw statusProblem(new URL(response.url).host, response);
    }
    ctx.progress(`reading ${new URL(response.url).host}`);
    const { bytes, cut } = await readAtMost(response, limits.pdfBytesMax);
    const kind = kindOf(contentType, bytes);
    const about = { url, finalUrl: response.url, status, contentType, kind, bytes: bytes.length };
    if (kind === "binary") {
      const text = `[${about.finalUrl} is a file of the kind ${contentType || "unknown"} (${bytes.length} bytes${cut ? " or more" : ""}). Such files are not read.]`;
      return result({ ...about, text: "", chars: 0, truncated: false }, { text });
    }
    const page = await read(kind, bytes, cut, contentType, response.url, ctx);
    return told(about, page, maxChars, offset);
  }

  async function read(
    kind: "page" | "pdf" | "text",
    bytes: Uint8Array,
    cut: boolean,
    contentType: string,
    url: string,
    ctx: ToolContext,
  ): Promise<PageText> {
    if (kind === "pdf") {
      if (cut) {
        throw new ToolError(
          "too_large",
          `The PDF is larger than ${limits.pdfBytesMax} bytes and was not read.`,
        );
      }
      return readInThread({ kind: "pdf", bytes, url }, limits, ctx.signal);
    }
    const shorter = bytes.subarray(0, limits.pageBytesMax);
    const text = textOfBytes(shorter, contentType);
    const partly = cut || bytes.length > shorter.length;
    if (kind === "text") return { text: text.slice(0, limits.textCharsMax), cut: partly };
    try {
      const page = await readInThread({ kind: "html", html: text, url }, limits, ctx.signal);
      return { ...page, cut: partly || page.cut === true };
    } catch (cause) {
      if (!(cause instanceof ToolError)) throw cause;
      // Built so that reading takes too long; its bare words still do.
      return { text: bareText(text).slice(0, limits.textCharsMax), cut: partly };
    }
  }

  function told(about: object & { finalUrl: string }, page: PageText, maxChars: number, offset: number) {
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
}

function kindOf(contentType: string, bytes: Uint8Array): "page" | "pdf" | "text" | "binary" {
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  const start = Buffer.from(bytes.subarray(0, 512)).toString("latin1");
  if (start.startsWith("%PDF-")) return "pdf";
  if (type === "application/pdf") return "binary";
  if (type === "text/html" || type === "application/xhtml+xml") return "page";
  if (/^text\/|[/+](json|xml|yaml|x-yaml|javascript|x-ndjson|toml|markdown)$/.test(type)) return "text";
  if (type !== "" && type !== "application/octet-stream") return "binary";
  if (/^\s*<(!doctype html|html|head|body)/i.test(start)) return "page";
  const wide = bytes[0] === 0xfe || bytes[0] === 0xff;
  return !wide && (start.includes("\0") || type !== "") ? "binary" : "text";
}
