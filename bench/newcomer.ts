import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, collectOutput, freePort, temporaryHome } from "@elwood/testkit/gateway-process";
import { chromium, type Page } from "playwright-core";
import type { BenchReport, BenchRow } from "./main.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const START_MS_MAX = 60_000;
const STEP_MS_MAX = 30_000;
const GOAL_S = 60;
/** Of somebody who reads everything that is new on the screen, and looks for each button. */
const WORDS_A_MINUTE = 240;
const PRESS_S = 1;
const CARD_READ_MS = 1_000;

interface Step {
  readonly what: string;
  /** Since the command was given. */
  readonly atMs: number;
  readonly clicks: number;
  /** New ones on the screen. */
  readonly words: number;
}

/**
 * A newcomer's minute: the README's command in an empty home, the link that it prints, and the tour up to the first
 * change that was allowed, made and put on record; then on to its proof. `npm run bench -- newcomer [folder]`
 * leaves a picture of each step in the folder.
 */
export async function bench([pictures]: readonly string[]): Promise<BenchReport> {
  const home = temporaryHome();
  const begun = performance.now();
  const child = spawn("npm", ["start", "--", "--no-open", "--port", String(await freePort())], {
    cwd: ROOT,
    env: cleanEnvironment(home.path),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const output = collectOutput(child);
  const browser = await chromium.launch({
    executablePath: process.env["ELWOOD_TEST_BROWSER"] ?? "/usr/bin/chromium",
    args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-gpu"],
  });
  try {
    const link = await linkIn(() => output().stdout + output().stderr);
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(STEP_MS_MAX);
    const steps = await walk(page, link, begun, pictures);
    return { name: "newcomer", rows: rowsOf(steps), steps };
  } finally {
    await browser.close();
    // npm and what it started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await new Promise((resolve) =>
      child.exitCode === null ? child.once("exit", resolve) : resolve(undefined),
    );
    home.remove();
  }
}

async function linkIn(output: () => string): Promise<string> {
  const until = performance.now() + START_MS_MAX;
  while (performance.now() < until) {
    const link = /http:\/\/\S+#\S+/.exec(output())?.[0];
    if (link !== undefined) return link;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`No link to the page was printed:\n${output()}`);
}

async function walk(page: Page, link: string, begun: number, pictures: string | undefined): Promise<Step[]> {
  const steps: Step[] = [];
  const read = new Set<string>();
  let clicks = 0;
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
  const seen = async (what: string) => {
    const atMs = performance.now() - begun;
    const lines = (await page.locator("main").innerText()).split("\n").map((line) => line.trim());
    const fresh = lines.filter((line) => line !== "" && !read.has(line));
    for (const line of fresh) read.add(line);
    const words = fresh.reduce((sum, line) => sum + line.split(/\s+/).length, 0);
    if (pictures !== undefined)
      await page.screenshot({
        path: join(pictures, `${steps.length + 1}-${what.replaceAll(/\W+/g, "-")}.png`),
      });
    steps.push({ what, atMs, clicks, words });
  };
  const press = async (name: string | RegExp) => {
    await page.getByRole("button", { name }).first().click();
    clicks++;
  };
  await page.goto(link);
  await page.getByRole("heading", { name: "Welcome to Elwood" }).waitFor();
  await seen("welcome");
  await press("Try the demo");
  await page.getByRole("button", { name: "Send it" }).waitFor();
  await seen("the tour begins");
  await press("Send it");
  await page.locator(".approval").waitFor();
  await seen("a change waits");
  await decide(page, /^Allow/);
  clicks++;
  await page.getByText("You allowed it, once.").waitFor();
  await page.locator(".evidence-line").last().waitFor();
  await seen("first proven action");
  await press(/^Next/);
  await press("Send it");
  await page.locator(".approval").last().waitFor();
  await seen("a deletion waits");
  await decide(page, /^Deny/);
  clicks++;
  await page.getByText("You denied it, and nothing was changed.").waitFor();
  await seen("denied");
  await press(/^Next/);
  await press("Send it");
  await page.getByText("Nothing was asked").waitFor();
  await seen("it looked");
  await press(/^Next/);
  await press("Verify in this browser");
  await page.locator(".verdict.ok").waitFor();
  await seen("verified");
  return steps;
}

/** A card takes no press that may have been meant for what stood there before it: nobody is that fast. */
async function decide(page: Page, name: RegExp): Promise<void> {
  await page.waitForTimeout(CARD_READ_MS);
  await page.locator(".approval").last().getByRole("button", { name }).first().click();
}

function rowsOf(steps: readonly Step[]): BenchRow[] {
  const rows: BenchRow[] = [];
  let words = 0;
  for (const step of steps) {
    words += step.words;
    const human = step.atMs / 1_000 + (words / WORDS_A_MINUTE) * 60 + step.clicks * PRESS_S;
    const isGoal = step.what === "first proven action";
    rows.push({
      what: step.what,
      value: `${(step.atMs / 1_000).toFixed(1)} s, ${step.clicks} clicks, ${words} words`,
      baseline: `${human.toFixed(0)} s for a reader`,
      ...(isGoal ? { reach: `≤ ${GOAL_S} s`, ok: human <= GOAL_S } : {}),
    });
  }
  return rows;
}
