import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchRow } from "./main.ts";
import { quantile } from "./processes.ts";

const MEASURE = fileURLToPath(new URL("../apps/gateway/bench/browser-cost.ts", import.meta.url));
const COLDS = 3;
const WARMS = 15;

interface BrowserCost {
  readonly coldMs: readonly number[];
  readonly warmMs: readonly number[];
  readonly memoryMb: number;
}

/**
 * What opening and reading a page costs with the browser tools, their proxy and their checks,
 * against the same browser driven bare, on the same loopback page; cold with the start of the
 * browser, warm without.
 */
export async function measure(): Promise<{
  readonly name: string;
  readonly rows: readonly BenchRow[];
  readonly figures: Readonly<Record<string, number>>;
}> {
  const name = "browser";
  const program = findProgram();
  if (program === undefined) {
    return { name, rows: [{ what: "browser", value: "none on PATH, not measured" }], figures: {} };
  }
  const server = createServer((_req, res) => {
    res.setHeader("content-type", "text/html");
    res.end(`<!doctype html><title>Page</title>${"<p>Some <a href=/x>words</a> to read.</p>".repeat(100)}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const bare = await bareCost(site, program);
    const args = [MEASURE, site, program, String(COLDS), String(WARMS)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const cost = JSON.parse(stdout) as BrowserCost;
    const figures = {
      coldMs: quantile(cost.coldMs, 0.5),
      coldBareMs: quantile(bare.coldMs, 0.5),
      warmMs: quantile(cost.warmMs, 0.5),
      warmBareMs: quantile(bare.warmMs, 0.5),
      memoryMb: cost.memoryMb,
    };
    const row = (what: string, ours: number, plain: number): BenchRow => ({
      what: `browser ${what}: open and read (p50)`,
      value: `${ours.toFixed(0)} ms`,
      baseline: `bare browser ${plain.toFixed(0)} ms`,
    });
    const rows = [
      row("cold", figures.coldMs, figures.coldBareMs),
      row("warm", figures.warmMs, figures.warmBareMs),
      { what: "browser: memory of its own, one page", value: `${figures.memoryMb.toFixed(0)} MB` },
    ];
    return { name, rows, figures };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function bareCost(site: string, program: string): Promise<BrowserCost> {
  const { chromium } = await import("playwright-core");
  const coldMs: number[] = [];
  const warmMs: number[] = [];
  for (let round = 0; round < COLDS; round++) {
    const began = performance.now();
    const browser = await chromium.launch({
      executablePath: program,
      chromiumSandbox: process.getuid?.() !== 0,
    });
    const page = await (await browser.newContext()).newPage();
    const openAndRead = async () => {
      await page.goto(`${site}/`);
      await page.ariaSnapshot({ mode: "ai" });
    };
    await openAndRead();
    coldMs.push(performance.now() - began);
    const warms = round === COLDS - 1 ? WARMS : 0;
    for (let warm = 0; warm < warms; warm++) {
      const from = performance.now();
      await openAndRead();
      warmMs.push(performance.now() - from);
    }
    await browser.close();
  }
  return { coldMs, warmMs, memoryMb: 0 };
}

function findProgram(): string | undefined {
  const named = process.env["ELWOOD_TEST_BROWSER"];
  if (named) return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run
  }
}
