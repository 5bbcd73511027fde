import { startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launchBrowser } from "./page-browser.ts";
import { anthropicEnv } from "./page-talk.ts";

export interface PageScene {
  readonly browser: Browser;
  readonly server: AnthropicServer;
  readonly gateway: GatewayProcess;
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
    use({ browser, server, gateway });
  }, 60_000);
  afterAll(async () => {
    await gateway?.kill();
    await server?.close();
    await browser?.close();
  });
}
