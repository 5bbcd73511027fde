import { ToolError, type ToolContext } from "@elwood/sdk/tool";
import type { Page } from "playwright-core";
import { BLANK } from "./contracts.ts";
import { answer, isTimeout, placeOf, type BrowserKit } from "./kit.ts";
import type { BrowserSession } from "./session.ts";
import { loaded } from "./settle.ts";
import { firstLine, inWords, quoted } from "./words.ts";

export function makeOpenActions(kit: BrowserKit) {
  const { pool, limits, options } = kit;
  /** Waits for the words of the page; pictures and scripts only for a moment. */
  async function go(session: BrowserSession, page: Page, url: string, signal: AbortSignal) {
    const before = session.refused().length;
    try {
      const response = await page.goto(url, {
        waitUntil: "domcontentloaded",
        timeout: limits.openMs,
        signal,
      });
      const whole = await loaded(page, limits);
      if (response?.status() === 403) throwIfRefused(session, before, page.url());
      return { status: response?.status(), whole, sent: false };
    } catch (error) {
      if (error instanceof ToolError || signal.aborted) throw error;
      throwIfRefused(session, before);
      const words = firstLine(error);
      if (/Download is starting|ERR_ABORTED/.test(words))
        return { status: undefined, whole: true, sent: true };
      const why = isTimeout(error)
        ? `it did not answer within ${limits.openMs / 1000} seconds`
        : (/net::(\w+)/.exec(words)?.[1] ?? inWords(words, 160));
      throw new ToolError("unreachable", `${quoted(url, 200)} could not be opened: ${why}.`, {
        retryable: true,
      });
    }
  }

  return {
    async open(call: { readonly url: string; readonly page?: string | undefined }, ctx: ToolContext) {
      const { url, page: wanted } = call;
      // Judged before a browser is started; each request is judged again on its way out.
      const checked = url === BLANK ? ({ ok: true } as const) : await options.check(url, ctx.signal);
      if (!checked.ok && checked.rule !== "unresolved")
        throw new ToolError("address_refused", `${checked.reason} Nothing was sent.`);
      if (!pool.isRunning) ctx.progress("Starting the browser …");
      const session = await pool.session(ctx.session);
      return pool.working(session, async () => {
        const fresh = wanted === "new" || (wanted === undefined && session.current === undefined);
        const tab = fresh ? await session.newTab() : session.use(wanted);
        ctx.progress(`Opening ${inWords(url, 200)} …`);
        session.pass.visit(url);
        try {
          const { status, whole, sent } = await go(session, tab.page, url, ctx.signal);
          const place = await placeOf(kit, tab);
          if (sent && fresh) await session.closeTab(tab.id);
          const code = status === undefined ? "" : ` (status ${status})`;
          const words = sent
            ? `${inWords(url, 200)} sent a file instead of a page.`
            : `Opened ${place.url} as ${tab.id}: ${quoted(place.title, limits.nameCharsMax)}${code}.${whole ? "" : " It is still loading."}`;
          return answer(session, { ...place, ...(status === undefined ? {} : { status }) }, words);
        } catch (error) {
          if (fresh) await session.closeTab(tab.id).catch(() => undefined); // it may be gone with the browser
          else if (!tab.page.isClosed()) await tab.page.goto(BLANK).catch(() => undefined);
          throw error;
        }
      });
    },
  };
}

/** A page that leads to a forbidden address has not been opened, wherever it began. */
function throwIfRefused(session: BrowserSession, before: number, url?: string): void {
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
  const fresh = session.refused().slice(before);
  const own = fresh.find(({ target }) => host === undefined || target === host);
  if (own) throw new ToolError("address_refused", own.reason);
}
