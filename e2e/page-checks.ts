import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** Runs in the page: what sticks out of it, is too small to hit, or makes a phone zoom in. */
export function layoutFaults(): string[] {
  const faults: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  for (const element of document.querySelectorAll<HTMLElement>(
    "button, input, textarea, p, li, article, dd",
  )) {
    if (!element.checkVisibility() || element.classList.contains("unseen")) continue;
    const { left, right, width, height } = element.getBoundingClientRect();
    const name = `${element.tagName} "${(element.textContent ?? "").slice(0, 20)}"`;
    if (left < -0.5 || right > innerWidth + 0.5) faults.push(`${name} is cut off`);
    if (element.tagName === "BUTTON" && (width < 24 || height < 24)) faults.push(`${name} is too small`);
    const typed = element.matches("textarea, input:not([type=checkbox], [type=radio])");
    if (typed && parseFloat(getComputedStyle(element).fontSize) < 16)
      faults.push(`${name} has small letters`);
  }
  return faults;
}

/** Runs in the page: pairs of colours that are hard to tell apart, by WCAG's measure. */
export function contrastFaults(): string[] {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  const luminance = (name: string) => {
    canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => {
      const c = v / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const ratio = (a: string, b: string) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light! + 0.05) / (dark! + 0.05);
  };
  const grounds = ["--ground", "--surface", "--sunken", "--hover"];
  const pairs: [string, string, number][] = [
    ...grounds.flatMap((ground): [string, string, number][] => [
      ["--text", ground, 7],
      ["--muted", ground, 4.5],
    ]),
    ["--on-accent", "--accent", 4.5],
    ["--on-accent", "--accent-hover", 4.5],
    ["--muted", "--accent-tint", 4.5],
    ["--accent", "--warn-tint", 4.5],
    ["--warn", "--warn-tint", 4.5],
    ["--bad", "--bad-tint", 4.5],
    ["--accent", "--surface", 3],
    ["--edge", "--surface", 3],
    ["--ok", "--surface", 3],
  ];
  return pairs
    .map(([a, b, least]) => ({ pair: `${a} on ${b}`, has: ratio(a, b), least }))
    .filter(({ has, least }) => has < least)
    .map(({ pair, has, least }) => `${pair}: ${has.toFixed(2)} of ${least}`);
}

/** What to have axe look at: where only the colours changed, or only the width, the rest is as it was. */
const AXE_RULES = {
  all: {},
  colours: { runOnly: ["color-contrast"] },
  shape: { rules: { "color-contrast": { enabled: false } } },
};

/** What axe finds on the page as it stands, in words. Its script is handed over, not fetched: the page's policy has no room for it. */
export async function axeFaults(page: Page, look: keyof typeof AXE_RULES = "all"): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page);
  const evaluate = async (expression: string): Promise<unknown> => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", options);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  if ((await evaluate("typeof axe")) === "undefined")
    await evaluate(
      `${await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")};0`,
    );
  const options = JSON.stringify({ resultTypes: ["violations"], ...AXE_RULES[look] });
  const faults = await evaluate(`axe.run(document, ${options}).then(({ violations }) => violations.map(
    ({ id, help, nodes }) => id + ": " + help + " (" + nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ") + ")"))`);
  await cdp.detach();
  return faults as string[];
}
