import type { Gate } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { freePort, startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import type { Answer } from "@elwood/testkit/loopback-server";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { openTab, type Tab } from "./page-browser.ts";

/** A gateway that talks to a loopback Anthropic. */
export function anthropicEnv(server: AnthropicServer): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
    ANTHROPIC_BASE_URL: server.url,
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
  };
}

/** The beginning of an answer. A space follows: the last word of a text is shown once it is known to be over. */
export function opening(words: string): string[] {
  const text = `${words} `;
  return anthropic.events({ content: [{ type: "text", text, pieces: [text] }] }).slice(0, 4);
}

/** An answer that waits at the door after its first half, which ends between two words. */
export function inTwo(first: string, rest: string, door: Gate): Answer {
  const events = anthropic.events({ content: [{ type: "text", text: first + rest, pieces: [first, rest] }] });
  return anthropic.stream([...events.slice(0, 4), { wait: door }, ...events.slice(4)]);
}

/** Opens the page in a tab that is logged in already: typing the token takes as long as many a test, and has its own. */
export async function logIn(page: Page, url: string, token: string): Promise<void> {
  await page.addInitScript((value) => {
    // Once: who logs out is not let in again by a reload.
    if (location.protocol === "about:" || sessionStorage.getItem("test.logged-in") !== null) return;
    sessionStorage.setItem("test.logged-in", "yes");
    sessionStorage.setItem("elwood.token", value);
  }, token);
  await page.goto(url);
  await connected(page);
}

export async function logInByHand(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("paste a link or a token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await connected(page);
}

export async function connected(page: Page): Promise<void> {
  const english = page.getByText("Connected", { exact: true });
  await english.or(page.getByText("Verbunden", { exact: true })).waitFor();
}

/** The page knows that its gateway is gone: “Connected” means the next one from here on. */
export async function broken(page: Page): Promise<void> {
  await page.getByText("Reconnecting…").first().waitFor();
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

/** Waits until the last reply of the model's reads exactly so. */
export async function replyIs(page: Page, text: string): Promise<void> {
  const reply = page.locator("article.elwood .text");
  await expect
    .poll(async () => (await reply.allTextContents()).at(-1)?.trim(), { timeout: 60_000 })
    .toBe(text);
}

/** What stands in the conversation, in its order. */
export async function texts(page: Page): Promise<string[]> {
  return (await page.locator("article .text").allTextContents()).map((text) => text.trim());
}

interface SentFrame {
  readonly method?: string;
  readonly params?: unknown;
}

export function framesSent(page: Page): SentFrame[] {
  const frames: SentFrame[] = [];
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => frames.push(JSON.parse(String(payload)) as SentFrame));
  });
  return frames;
}

export interface World extends AsyncDisposable {
  readonly server: AnthropicServer;
  readonly tab: Tab;
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** A gateway that can go and come back on the same port and folder, and a tab that is logged in. */
export async function startWorld(browser: Browser): Promise<World> {
  const home = temporaryHome();
  const port = await freePort();
  const server = await startAnthropic();
  let gateway = await startGatewayProcess({ home: home.path, port, env: anthropicEnv(server) });
  const tab = await openTab(browser);
  await logIn(tab.page, gateway.url, gateway.token);
  return {
    server,
    tab,
    url: gateway.url,
    async start() {
      gateway = await startGatewayProcess({ home: home.path, port, env: anthropicEnv(server) });
    },
    async stop() {
      await gateway.stop();
    },
    kill: () => gateway.kill(),
    async [Symbol.asyncDispose]() {
      await tab[Symbol.asyncDispose]();
      await gateway.kill();
      await server.close();
      home.remove();
    },
  };
}

/** The button is gone as soon as a try of the page's own succeeds. */
export function alreadyBack(error: unknown): void {
  if (!(error instanceof Error) || error.name !== "TimeoutError") throw error;
}
