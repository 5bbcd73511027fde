import { ANTHROPIC_ROUTE, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { expect } from "vitest";
import type { Locator, Page } from "playwright-core";
import { connected } from "./page-talk.ts";

/** The message box as tests use it, and what came of it at the provider. */

export function box(page: Page): Locator {
  return page.getByLabel("Message", { exact: true });
}

/** Letters alone are shortcuts in this browser, as Settings can have it. */
export async function withLetters(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.setItem("elwood.letters", "on"));
  await page.reload();
  await connected(page);
}

/** The model that would answer, as a screen reader hears it. */
export async function modelIn(page: Page): Promise<string | undefined> {
  return (await page.locator(".composer-model").textContent())?.replaceAll(/\s+/g, " ").trim();
}

export async function choose(page: Page, name: string): Promise<void> {
  await page.locator(".composer-model").click();
  await page.getByRole("dialog").getByRole("button", { name }).first().click();
  await expect.poll(() => page.locator(".menu").count()).toBe(0);
}

export function announced(page: Page): Promise<string | null> {
  return page.locator("#announcer").textContent();
}

interface AskedBody {
  readonly model: string;
  readonly messages: { readonly role: string; readonly content: string | { readonly text?: string }[] }[];
}

function bodies({ requests }: AnthropicServer): AskedBody[] {
  const questions = requests.filter(({ method, path }) => `${method} ${path}` === ANTHROPIC_ROUTE);
  // The loopback server has checked that they are requests of the Messages API.
  return questions.map(({ body }) => body as AskedBody);
}

/** The models that were asked for, in order. */
export function modelsAsked(server: AnthropicServer): string[] {
  return bodies(server).map(({ model }) => model);
}

/** What the owner said last, in each request. */
export function lastWords(server: AnthropicServer): (string | undefined)[] {
  return bodies(server).map(({ messages }) => {
    const content = messages.findLast(({ role }) => role === "user")?.content;
    return typeof content === "string" ? content : content?.findLast(({ text }) => text !== undefined)?.text;
  });
}
