import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Cards of what waits for the owner, as tests press them. */

/** How long a card takes no press after it came. */
const MISFIRE_MS = 400;

export function card(page: Page): Locator {
  return page.locator(".approval").last();
}

export function cardButton(page: Page, name: string): Locator {
  return card(page).getByRole("button", { name, exact: true });
}

/** Presses a button of the last card, once it takes presses. */
export async function press(page: Page, name: string): Promise<void> {
  await takesPresses(page, name);
  await cardButton(page, name).click();
}

/** The guard against presses that were meant for something else is over by then; where the card was drawn anew, it began again. */
export async function takesPresses(page: Page, name = "Deny"): Promise<void> {
  const actions = card(page).locator(".approval-buttons").last();
  await expect
    .poll(async () => {
      await cardButton(page, name).waitFor();
      const before = await actions.elementHandle();
      await page.waitForTimeout(MISFIRE_MS + 50);
      return actions.evaluate((now, then) => now === then, before);
    })
    .toBe(true);
}

export async function outcome(page: Page, words: string | RegExp): Promise<void> {
  await card(page).locator(".approval-outcome", { hasText: words }).waitFor();
}

/** The evidence below a reply, by what it says of its calls. */
export async function evidence(page: Page, words: string): Promise<void> {
  await page.locator(".evidence-line", { hasText: words }).last().waitFor();
}
