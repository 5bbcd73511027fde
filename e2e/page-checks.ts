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

/**
 * Runs in the page: boxes that mean nothing, and boxes in boxes. A box has lines around it, or a ground of
 * its own and room within it. One means something where it waits to be decided, quotes code, warns, or holds
 * what somebody said or chose, and where it lies above the page; within it only code stands in another.
 * Controls are no boxes, nor is the row, tab or line that is chosen.
 */
export function boxFaults(): string[] {
  const MEANT =
    ".approval:not(.decided), .line, .own-words, .explanation, .message.you, .composer-box, .choice-card, " +
    "dialog, [popover], .toast, .chip, .read-only, .queued-row, .queued-paused, .upload";
  const CODE = "pre, .code-block, .diff";
  const CONTROL =
    "button, .button, input, select, textarea, label, summary, a, kbd, code, mark, svg, img, iframe, " +
    ".count, .connection, .skip, [aria-selected], [aria-pressed], [aria-current], .session-row";
  const isClear = (colour: string) => /^(?:transparent|rgba\(.+, 0\))$|\/ 0\)$/.test(colour);
  const groundOf = (element: Element | null): string => {
    if (!element) return "";
    const { backgroundColor } = getComputedStyle(element);
    return isClear(backgroundColor) ? groundOf(element.parentElement) : backgroundColor;
  };
  const isBox = (element: Element): boolean => {
    if (!element.checkVisibility() || element.closest(CONTROL)) return false;
    const style = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    if (style.display.startsWith("inline") || width < 24 || height < 16) return false;
    const lines = ["top", "right", "bottom", "left"].filter(
      (side) =>
        parseFloat(style.getPropertyValue(`border-${side}-width`)) > 0 &&
        !isClear(style.getPropertyValue(`border-${side}-color`)),
    );
    if (lines.length > 2) return true;
    const hasGround =
      !isClear(style.backgroundColor) && groundOf(element) !== groundOf(element.parentElement);
    return hasGround && (parseFloat(style.borderRadius) > 0 || parseFloat(style.paddingLeft) > 0);
  };
  const name = ({ localName, classList }: Element) => [localName, ...classList].join(".");
  const faults: string[] = [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.parentElement?.closest(CODE) || !isBox(element)) continue;
    if (!element.matches(`${MEANT}, ${CODE}`)) faults.push(`${name(element)} is a box`);
    let around = element.parentElement;
    while (around && !isBox(around)) around = around.parentElement;
    if (around && !element.matches(CODE)) faults.push(`${name(element)} in ${name(around)}`);
  }
  return [...new Set(faults)];
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
