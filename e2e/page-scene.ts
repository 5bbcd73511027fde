import { startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { closeTabs, launchBrowser, openTab, type Tab } from "./page-browser.ts";
import { anthropicEnv, connected, logIn } from "./page-talk.ts";

export interface PageScene {
  readonly browser: Browser;
  readonly server: AnthropicServer;
  readonly gateway: GatewayProcess;
  /**
   * The one tab of the file that is logged in, loaded anew at an empty conversation. A profile of
   * its own costs a test more than most of what it does; those that bend the wire, or change what
   * the browser keeps, open one.
   */
  readonly chat: () => Promise<Tab>;
}

/** A browser, and a gateway whose model is a scripted one, for all tests of a file. */
export function withPageScene(use: (scene: PageScene) => void): void {
  let server: AnthropicServer | undefined;
  let browser: Browser | undefined;
  let gateway: GatewayProcess | undefined;
  beforeAll(async () => {
    server = await startAnthropic();
    browser = await launchBrowser();
    gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    use({ browser, server, gateway, chat: chatOf(browser, gateway) });
  });
  afterAll(async () => {
    await gateway?.kill();
    await server?.close();
    await closeTabs(browser);
  });
}

function chatOf(browser: Browser, gateway: GatewayProcess): () => Promise<Tab> {
  let tab: Tab | undefined;
  return async () => {
    if (tab) {
      await tab.page.goto(`${gateway.url}/c/new`);
      await connected(tab.page);
    } else {
      tab = await openTab(browser);
      await logIn(tab.page, `${gateway.url}/c/new`, gateway.token);
    }
    return tab;
  };
}
