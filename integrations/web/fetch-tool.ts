import { defineTool, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { fetchPage, type Readers } from "./fetch-page.ts";
import { PageReader } from "./page-reader.ts";
import { addressFacts, requestPreview, type WebKit } from "./kit.ts";

const ACCEPT = "text/html, application/xhtml+xml, application/pdf, text/*, application/json;q=0.9, */*;q=0.1";
export const PAGE_HEADERS = { accept: ACCEPT, "user-agent": "Elwood" };

export function fetchTool({ judge, limits, documents }: WebKit): ToolDefinition {
  const input = z.strictObject({
    url: z.string().min(1).max(8_192),
    maxChars: z.int().min(100).max(limits.charsMax).default(limits.charsDefault),
    offset: z.int().min(0).default(0),
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
  let readers: Readers | undefined;
  return defineTool({
    id: "web.page.fetch",
    description: "Fetches an address as readable Markdown: pages, PDF, text, JSON.",
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
      local: ["maxChars", "offset"],
      sensitive: false,
    },
    idempotent: true,
    timeoutMs: 90_000,
    target: ({ url }) => (URL.canParse(url) ? new URL(url).href : url),
    facts: ({ url }) => addressFacts(judge, url),
    preview: ({ url }) => {
      const read = new URL(url);
      read.hash = "";
      return requestPreview(`Fetches a page from ${read.host}.`, read, PAGE_HEADERS);
    },
    async handler(asking, ctx) {
      readers ??= { pages: new PageReader(limits), documents };
      return fetchPage(asking, ctx, PAGE_HEADERS, limits, readers);
    },
  });
}
