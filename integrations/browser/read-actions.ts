import { result, ToolError, type ToolContext } from "@elwood/sdk/tool";
import { answer, isTimeout, readOnly, placeOf, type BrowserKit } from "./kit.ts";
import type { BrowserSession, Tab } from "./session.ts";
import { withoutSecrets } from "./secret-field.ts";
import { quoted, sizeInWords } from "./words.ts";

interface OfPage {
  readonly page?: string | undefined;
}

export function makeReadActions(kit: BrowserKit) {
  const { pool, limits } = kit;
  /** Work on one page of the conversation, in its turn. */
  function atPage<T>(
    what: string,
    { page }: OfPage,
    ctx: ToolContext,
    work: (tab: Tab, session: BrowserSession) => Promise<T>,
  ): Promise<T> {
    return readOnly(what, async () => {
      const session = pool.existing(ctx.session);
      return pool.working(session, () => work(session.use(page), session));
    });
  }

  return {
    read: (call: OfPage & { readonly offset: number }, ctx: ToolContext) =>
      atPage("Reading the page", call, ctx, async (tab, session) => {
        const { signal } = ctx;
        const tree = await tab.page.ariaSnapshot({ mode: "ai", timeout: limits.actMs, signal });
        const lines = await withoutSecrets(tab.page, tree.toWellFormed().split("\n"), limits);
        const taken = fitting(lines.slice(call.offset - 1), limits.readCharsMax);
        const next = call.offset + taken.length;
        const more = next <= lines.length;
        const place = await placeOf(kit, tab);
        const content = taken.join("\n");
        const foot = more ? `\n[${lines.length - next + 1} more lines; go on with offset ${next}]` : "";
        return answer(
          session,
          { ...place, content, ...(more ? { nextOffset: next } : {}) },
          `${tab.id} ${place.url}\nTitle: ${place.title}\n\n${content || "(nothing to read)"}${foot}`,
          more ? { truncated: true } : {},
        );
      }),

    screenshot: (call: OfPage & { readonly fullPage: boolean }, ctx: ToolContext) =>
      atPage("The picture", call, ctx, async (tab, session) => {
        const { fullPage } = call;
        const { width = 0 } = tab.page.viewportSize() ?? {};
        const options = {
          fullPage,
          timeout: limits.actMs,
          signal: ctx.signal,
          scale: "css" as const,
          ...(fullPage ? { clip: { x: 0, y: 0, width, height: limits.screenshotHeightMax } } : {}),
        };
        let mimeType = "image/png";
        let bytes = await tab.page.screenshot({ ...options, type: "png" });
        if (bytes.length > limits.screenshotBytesMax) {
          mimeType = "image/jpeg";
          bytes = await tab.page.screenshot({ ...options, type: "jpeg", quality: 60 });
        }
        if (bytes.length > limits.screenshotBytesMax) {
          const size = sizeInWords(limits.screenshotBytesMax);
          throw new ToolError("too_large", `The picture would be larger than ${size}. Leave fullPage out.`);
        }
        const place = await placeOf(kit, tab);
        const name = `${tab.id}.${mimeType === "image/png" ? "png" : "jpg"}`;
        return answer(
          session,
          { ...place, mimeType, bytes: bytes.length },
          `A picture of ${tab.id} ${place.url} (${sizeInWords(bytes.length)}).`,
          { attachments: [{ type: "image", mimeType, data: bytes.toString("base64"), name }] },
        );
      }),

    wait: (call: OfPage & { readonly text: string; readonly timeoutMs: number }, ctx: ToolContext) =>
      atPage("Waiting", call, ctx, async (tab, session) => {
        const shown = quoted(call.text, limits.nameCharsMax);
        ctx.progress(`Waiting for ${shown} …`);
        const first = tab.page.getByText(call.text).first();
        try {
          await first.waitFor({ state: "visible", timeout: call.timeoutMs, signal: ctx.signal });
        } catch (error) {
          if (!isTimeout(error)) throw error;
          const words = `The page did not show ${shown} within ${call.timeoutMs} ms.`;
          throw new ToolError("timeout", words, { retryable: true });
        }
        return answer(session, await placeOf(kit, tab), `The page ${tab.id} shows ${shown}.`);
      }),

    list: (ctx: ToolContext) =>
      readOnly("Listing the pages", async () => {
        const session = pool.peek(ctx.session);
        if (!session)
          return result({ pages: [], downloads: [] }, { text: "No page is open in this conversation." });
        const pages = await Promise.all(
          session.tabs.map(async (tab) => ({
            ...(await placeOf(kit, tab)),
            current: tab.id === session.current,
          })),
        );
        const downloads = session.downloads.list();
        const lines = pages.map(
          ({ page, url, title, current }) =>
            `${page} ${url} ${quoted(title, limits.nameCharsMax)}${current ? " (used last)" : ""}`,
        );
        const held = downloads.map((line) => `Held back: ${line}`);
        return answer(session, { pages, downloads }, [...lines, ...held].join("\n") || "No page is open.");
      }),

    closePage: (call: OfPage & { readonly all: boolean }, ctx: ToolContext) =>
      readOnly("Closing the page", async () => {
        const session = pool.existing(ctx.session);
        return pool.working(session, async () => {
          const closed = call.all ? session.tabs.map(({ id }) => id) : [session.tab(call.page).id];
          if (call.all) await pool.forget(ctx.session);
          else for (const id of closed) await session.closeTab(id);
          return result({ closed }, { text: `Closed ${closed.join(", ") || "what was left of it"}.` });
        });
      }),
  };
}

/** As many lines as fit; of a single line that is too long, its beginning. */
function fitting(lines: readonly string[], max: number): string[] {
  let chars = 0;
  const taken: string[] = [];
  for (const line of lines) {
    if (chars + line.length > max) {
      if (taken.length === 0) taken.push(`${line.slice(0, max)}…`);
      break;
    }
    chars += line.length + 1;
    taken.push(line);
  }
  return taken;
}
