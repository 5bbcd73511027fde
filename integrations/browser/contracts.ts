import { defineTool, type ToolDefinition, type TrustLabels } from "@elwood/sdk/tool";
import { z } from "zod";
import type { BrowserActions } from "./actions.ts";
import type { BrowserLimits } from "./limits.ts";
import type { BrowserOptions } from "./options.ts";

export interface ContractParts {
  readonly limits: BrowserLimits;
  readonly judge: BrowserOptions["judge"];
  /** Loads what does the work. */
  readonly actions: () => Promise<BrowserActions>;
  /** The same where it is loaded already: before that there is no page to look at. */
  readonly made: () => Promise<BrowserActions | undefined>;
}

export const BLANK = "about:blank";
export const CLICK = "browser.page.click";
export const TYPE = "browser.page.type";

/** Whatever a page says was written by somebody else. Looking at what the browser holds sends nothing. */
const LOOK: TrustLabels = {
  egress: "none",
  output: "untrusted",
  critical: [],
  ids: {},
  content: [],
  time: [],
  sensitive: true,
};

/** Makes the page or its site do something. */
const ACT: TrustLabels = { ...LOOK, egress: "third_party" };

/** What the tools promise; what they do is loaded by the first call. */
export function browserContracts({ limits, judge, actions, made }: ContractParts): ToolDefinition[] {
  const timeoutMs = limits.callMs;
  const place = { page: z.string(), url: z.string() };
  const more = { title: z.string(), notes: z.array(z.string()).optional() };
  const page = z
    .string()
    .regex(/^p\d{1,6}$/, { error: "must be a page's name, such as p1" })
    .optional()
    .describe("Such as p1; the last one if left out");
  const target = z
    .string()
    .min(1)
    .max(limits.targetCharsMax)
    .describe('A ref (e12), a role and name (button "Send"), or a name');
  const looks = { risk: "read", labels: LOOK, idempotent: true, timeoutMs } as const;
  /** What a ref means is different on every page, so no such call is allowed for longer than once. */
  const grantKeys = () => [];
  /** A page writes its own names and leads where it wants: that somebody said a word does not mean this button. */
  const policy = { default: "ask" } as const;

  return [
    defineTool({
      id: "browser.page.open",
      description:
        "Opens an address in a browser, for pages that need one (scripts, forms). To only read, web.page.fetch is quicker.",
      risk: "read",
      input: z.strictObject({
        url: z.string().min(1).max(limits.urlCharsMax),
        page: z
          .string()
          .regex(/^(p\d{1,6}|new)$/, { error: 'must be a page\'s name, such as p1, or "new"' })
          .optional()
          .describe('Such as p1, or "new"; the last one if left out'),
      }),
      output: z.strictObject({ ...place, ...more, status: z.number().optional() }),
      labels: { ...ACT, critical: ["url"], local: ["page"] },
      policy,
      timeoutMs,
      target: ({ url }) => url,
      async facts({ url }) {
        if (url === BLANK) return [];
        const refused = await judge(url);
        return refused ? [{ kind: "deny", rule: refused.rule, reason: refused.reason }] : [];
      },
      preview({ url, page: where }) {
        const { host } = URL.canParse(url) ? new URL(url) : { host: "" };
        const place = where === undefined ? "the page used last" : where === "new" ? "a new page" : where;
        return {
          sentence: `Open ${url} in the browser.`,
          after: `Address: ${url}\nHost: ${host}\nIn: ${place}`,
          subject: host,
        };
      },
      handler: async (call, ctx) => (await actions()).open(call, ctx),
    }),
    defineTool({
      id: "browser.page.read",
      description:
        "Tells what an open page shows: text, links, buttons and fields, with refs such as e12 to click and type by.",
      ...looks,
      input: z.strictObject({
        page,
        offset: z.int().min(1).default(1).describe("First line, from 1"),
      }),
      /** `nextOffset` says where to go on; it is absent at the end of the page. */
      output: z.strictObject({
        ...place,
        ...more,
        content: z.string(),
        nextOffset: z.number().optional(),
      }),
      handler: async (call, ctx) => (await actions()).read(call, ctx),
    }),
    defineTool({
      id: CLICK,
      description: "Clicks an element of an open page. Read the page first.",
      risk: "write",
      input: z.strictObject({ target, page }),
      output: z.strictObject({ ...place, ...more }),
      labels: { ...ACT, critical: ["target"] },
      policy,
      timeoutMs,
      grantKeys,
      preview: async (call, signal, about) => (await actions()).clickPreview(call, signal, about),
      handler: async (call, ctx) => (await actions()).click(call, ctx),
    }),
    defineTool({
      id: TYPE,
      description: "Puts text into a field in place of what it holds, or chooses from a list.",
      risk: "write",
      input: z.strictObject({
        target,
        text: z.string().max(limits.typedCharsMax),
        submit: z.boolean().default(false).describe("Press Enter afterwards"),
        page,
      }),
      output: z.strictObject({ ...place, ...more }),
      labels: { ...ACT, critical: ["target"], content: ["text"] },
      policy,
      timeoutMs,
      grantKeys,
      facts: async (call, about) => (await made())?.typeFacts(call, about) ?? [],
      preview: async (call, signal, about) => (await actions()).typePreview(call, signal, about),
      handler: async (call, ctx) => (await actions()).type(call, ctx),
    }),
    defineTool({
      id: "browser.page.screenshot",
      description: "Makes a picture of an open page.",
      ...looks,
      input: z.strictObject({
        page,
        fullPage: z.boolean().default(false),
      }),
      output: z.strictObject({ ...place, ...more, mimeType: z.string(), bytes: z.number() }),
      handler: async (call, ctx) => (await actions()).screenshot(call, ctx),
    }),
    defineTool({
      id: "browser.page.wait",
      description: "Waits until an open page shows a text.",
      ...looks,
      input: z.strictObject({
        text: z.string().min(1).max(limits.targetCharsMax),
        page,
        timeoutMs: z.int().min(100).max(limits.waitMsMax).default(10_000),
      }),
      output: z.strictObject({ ...place, ...more }),
      handler: async (call, ctx) => (await actions()).wait(call, ctx),
    }),
    defineTool({
      id: "browser.page.list",
      description: "Lists open pages, and files that pages sent.",
      ...looks,
      input: z.strictObject({}),
      output: z.strictObject({
        pages: z.array(z.strictObject({ ...place, title: z.string(), current: z.boolean() })),
        downloads: z.array(z.string()),
        notes: z.array(z.string()).optional(),
      }),
      handler: async (_, ctx) => (await actions()).list(ctx),
    }),
    defineTool({
      id: "browser.page.close",
      description:
        "Closes a page; with all, every page of this conversation, cookies and held downloads too.",
      risk: "write",
      input: z.strictObject({ page, all: z.boolean().default(false) }),
      output: z.strictObject({ closed: z.array(z.string()) }),
      labels: { ...LOOK, output: "trusted", sensitive: false },
      idempotent: true,
      timeoutMs,
      facts: () => [
        {
          kind: "harmless",
          rule: "browser.close",
          reason: "It only closes pages that this conversation itself opened.",
        },
      ],
      handler: async (call, ctx) => (await actions()).closePage(call, ctx),
    }),
    defineTool({
      id: "browser.download.save",
      description: "Saves a file that a page sent into the folder downloads.",
      risk: "write",
      input: z.strictObject({
        download: z
          .string()
          .regex(/^d\d{1,6}$/, { error: "must be a download's name, such as d1" })
          .describe("Such as d1; see browser.page.list"),
        name: z.string().min(1).max(limits.nameCharsMax).optional(),
      }),
      output: z.strictObject({ path: z.string(), bytes: z.number(), sha256: z.string() }),
      labels: { ...LOOK, critical: ["download"], content: ["name"], sensitive: false },
      timeoutMs,
      grantKeys,
      facts: () => [
        {
          kind: "ask",
          rule: "ask.download",
          reason: "It puts a file from the web onto this machine, and that is always asked.",
        },
      ],
      preview: async (call, _signal, about) => (await actions()).savePreview(call, about),
      handler: async (call, ctx) => (await actions()).save(call, ctx),
    }),
  ];
}
