import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { piecesOf } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { chromium, type Browser, type Page } from "playwright-core";
import type { BenchReport, BenchRow } from "./main.ts";
import { measureLong, TURNS } from "./page-long.ts";
import { emptySite, longMarkdown } from "./page-scenes.ts";
import { ALL_KB_MAX, allScripts, FIRST_ROUTE_KB_MAX, scriptKb } from "./page-size.ts";
import { openPage, say } from "./page-tab.ts";
import { leastDisturbed, longestTaskOf, ROUNDS, type LongestTask } from "./page-tasks.ts";
import { quantile } from "./processes.ts";

const READING = fileURLToPath(new URL("../apps/web/src/bench/reading-cost.ts", import.meta.url));
const ANSWER_CHARS = 40 * 1024;
const PIECE_CHARS = 40;
const LOADS = 7;
const TASK_MS_MAX = 50;
const OPEN_MS_MAX = 300;

/**
 * The popup of an address bar, which a headless window loads as well, and which would be measured with the page.
 * Chromium takes the last of such lists: the others are Playwright's.
 */
const LEFT_OUT = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "HttpsUpgrades",
  "OptimizationHints",
  "PaintHolding",
];

/** The page in headless Chromium, against a real gateway and a provider on this machine. */
export async function bench(): Promise<BenchReport> {
  const server = await startAnthropic();
  const browser = await chromium.launch({
    executablePath: process.env["ELWOOD_TEST_BROWSER"] ?? "/usr/bin/chromium",
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      `--disable-features=${LEFT_OUT.join(",")}`,
    ],
  });
  const env = {
    ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
    ANTHROPIC_BASE_URL: server.url,
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
  };
  try {
    const gateway = await startGatewayProcess({ env });
    const loads = await measureLoads(browser, gateway);
    const sizes = {
      firstRouteKb: scriptKb(loads.scripts),
      allKb: scriptKb(allScripts()),
    };
    const streamed = await leastDisturbed(() => measureStream(browser, gateway, server));
    await gateway.stop();
    const long = await measureLong(browser, env, server);
    const reading = measureReading();
    const rows = [
      ...streamRows(streamed, reading),
      ...loadRows(loads),
      ...sizeRows(sizes),
      ...longRows(long),
    ];
    return { name: "page", rows, streamed, reading, loads, sizes, long };
  } finally {
    await browser.close();
    await server.close();
  }
}

async function measureLoads(browser: Browser, gateway: GatewayProcess) {
  await using empty = await emptySite();
  const paint: number[] = [];
  const interactive: number[] = [];
  const emptyPaint: number[] = [];
  let scripts: string[] = [];
  for (let round = 0; round <= LOADS; round++) {
    const bare = await (await browser.newContext()).newPage();
    await bare.goto(empty.url);
    const page = await openPage(browser, gateway);
    await page.goto(gateway.url);
    await page.waitForFunction(() => performance.getEntriesByName("interactive").length > 0);
    // The first one warms the disk cache of the machine; it does not count.
    if (round > 0) {
      emptyPaint.push(await firstPaint(bare));
      paint.push(await firstPaint(page));
      interactive.push(await page.evaluate(() => performance.getEntriesByName("interactive")[0]!.startTime));
    }
    await page.waitForLoadState("networkidle");
    scripts = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => new URL(name).pathname.slice(1))
        .filter((name) => name.endsWith(".js")),
    );
    await bare.context().close();
    await page.context().close();
  }
  const p50 = (of: number[]) => quantile(of, 0.5);
  return { paintMs: p50(paint), interactiveMs: p50(interactive), emptyPaintMs: p50(emptyPaint), scripts };
}

async function firstPaint(page: Page): Promise<number> {
  const read = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  return (await page.evaluate(read)) ?? 0;
}

async function measureStream(browser: Browser, gateway: GatewayProcess, server: AnthropicServer) {
  const text = longMarkdown(ANSWER_CHARS);
  const events = anthropic.events({ content: [{ type: "text", text, pieces: piecesOf(text, PIECE_CHARS) }] });
  server.will(anthropic.stream(events));
  const page = await openPage(browser, gateway);
  await page.goto(`${gateway.url}/c/new`);
  await page.waitForFunction(() => performance.getEntriesByName("interactive").length > 0);
  const longest = await longestTaskOf(browser, page, async () => {
    await say(page, "At length, please.");
    await page.locator(".evidence, .reply-facts").waitFor();
  });
  await page.context().close();
  return longest;
}

/** Reading a growing text in flushes, and reading it whole each time, where the page's own code is. */
function measureReading(): { blocksMs: number; wholeMs: number; flushes: number } {
  const { stdout } = spawnSync(process.execPath, [READING], { input: longMarkdown(ANSWER_CHARS) });
  return JSON.parse(stdout.toString()) as ReturnType<typeof measureReading>;
}

type Reading = ReturnType<typeof measureReading>;
type Loads = Awaited<ReturnType<typeof measureLoads>>;
type Long = Awaited<ReturnType<typeof measureLong>>;

function streamRows(streamed: LongestTask, { blocksMs, wholeMs, flushes }: Reading): BenchRow[] {
  return [
    taskRow(
      `longest task while ${ANSWER_CHARS / 1024} KB of Markdown stream in (best of ${ROUNDS})`,
      streamed,
    ),
    {
      what: `reading ${ANSWER_CHARS / 1024} KB of Markdown in ${flushes} flushes`,
      value: `${blocksMs.toFixed(0)} ms`,
      baseline: `whole text each time ${wholeMs.toFixed(0)} ms`,
      reach: `${(wholeMs / blocksMs).toFixed(1)}× less`,
    },
  ];
}

function loadRows({ paintMs, interactiveMs, emptyPaintMs }: Loads): BenchRow[] {
  const baseline = `an empty page ${emptyPaintMs.toFixed(0)} ms`;
  const row = (what: string, ms: number) => ({
    what,
    value: `${ms.toFixed(0)} ms`,
    baseline,
    reach: `${(ms / emptyPaintMs).toFixed(1)}×`,
  });
  return [
    row("first paint, nothing cached (p50)", paintMs),
    row("connected and ready to be typed in (p50)", interactiveMs),
  ];
}

function sizeRows({ firstRouteKb, allKb }: { firstRouteKb: number; allKb: number }): BenchRow[] {
  const row = (what: string, kb: number, max: number) => ({
    what,
    value: `${kb.toFixed(1)} KB`,
    reach: `≤ ${max} KB`,
    ok: kb <= max,
  });
  return [
    row("script of the first route, gzipped", firstRouteKb, FIRST_ROUTE_KB_MAX),
    row("script of all routes, gzipped", allKb, ALL_KB_MAX),
  ];
}

function longRows({ openMs, shortMs, scrolled, messages }: Long): BenchRow[] {
  return [
    {
      what: `opening a session of ${(TURNS * 2).toLocaleString("en")} messages (p50)`,
      value: `${openMs.toFixed(0)} ms`,
      baseline: `one of 2 messages ${shortMs.toFixed(0)} ms`,
      reach: `≤ ${OPEN_MS_MAX} ms`,
      ok: openMs <= OPEN_MS_MAX,
    },
    taskRow(
      `longest task while all ${messages.toLocaleString("en")} are scrolled through (best of ${ROUNDS})`,
      scrolled,
    ),
  ];
}

function taskRow(what: string, { ms, cpuMs }: LongestTask): BenchRow {
  return {
    what,
    value: `${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of work)`,
    reach: `≤ ${TASK_MS_MAX} ms`,
    ok: ms <= TASK_MS_MAX,
  };
}
