import type { GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";

/** A tab that is logged in and has seen the welcome. */
export async function openPage(browser: Browser, { token }: GatewayProcess): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.addInitScript((secret) => {
    sessionStorage.setItem("elwood.token", secret);
    localStorage.setItem("elwood.welcome", '{"dismissed":true}');
    const timer = setInterval(() => {
      if (!document.querySelector('.connection[data-state="ready"]') || !document.querySelector("#message"))
        return;
      performance.mark("interactive");
      clearInterval(timer);
    }, 1);
  }, token);
  return context.newPage();
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}
