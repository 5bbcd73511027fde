// npm test: the checks, then every test, then one line with the numbers.
//
//   npm test                       everything
//   npm test -- <filter> [-t …]    only what vitest selects by it; the checks are left out
//   npm test -- --no-install       installs nothing
//
// It installs nothing but Chromium, for the tests that drive a browser, and bubblewrap, for
// those that run commands in a cage, and only as root on a system with apt-get; elsewhere
// those tests are skipped, and it says so.
//
// A browser on a busy machine is late now and then. Where a few browser tests are all that
// failed, their files get a second look, alone; what passes then is named as unsteady, and
// is to be mended. No other test gets one: what kills processes and counts effects must
// hold in any company.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check, withTools } from "./check.mjs";
import { BROWSER_VARIABLE, provideBrowser } from "./test-browser.mjs";
import { provideCage } from "./test-cage.mjs";
import { closingLine, failedTitles, mergeReports, secondLook, skippedTitles, tally } from "./test-report.mjs";

/** A run takes about twenty minutes on two idle cores; past this something hangs. */
const TESTS_MS_MAX = 40 * 60_000;
const SKIPPED_SHOWN_MAX = 40;

const root = fileURLToPath(new URL("..", import.meta.url));
const selection = process.argv.slice(2).filter((argument) => argument !== "--no-install");
const started = performance.now();

const mayInstall = !process.argv.includes("--no-install");
const browser = provideBrowser(root, { mayInstall });
provideCage({ mayInstall });
if (selection.length > 0)
  console.log("Checks (format, lint, types): left out, since only some tests were asked for.");
const checks = selection.length > 0 ? { passed: 0, failed: 0 } : check();
const tests = await runTests(browser);

for (const title of tests.skippedTitles.slice(0, SKIPPED_SHOWN_MAX)) console.log(`Skipped: ${title}`);
if (tests.skippedTitles.length > SKIPPED_SHOWN_MAX) {
  console.log(`Skipped: ${tests.skippedTitles.length - SKIPPED_SHOWN_MAX} more`);
}
for (const title of tests.unsteady) console.log(`Unsteady: ${title} (failed beside others, passed alone)`);
const counts = {
  passed: checks.passed + tests.passed,
  failed: checks.failed + tests.failed,
  skipped: tests.skipped,
};
const parts = selection.length > 0 ? "" : " (the three checks are counted too)";
console.log(`${((performance.now() - started) / 1000).toFixed(0)} s in all${parts}`);
console.log(closingLine(counts));
process.exitCode = counts.failed > 0 ? 1 : 0;

/** @param {string | undefined} browser */
async function runTests(browser) {
  try {
    const first = await vitest(browser, selection);
    const again = secondLook(first.report);
    if (again.length === 0) return summary(first, []);
    console.log(`Failed beside others, now alone: ${again.map((path) => path.replace(root, "")).join(", ")}`);
    // Options keep their values; names of files give way to those that failed.
    const options = selection.filter((word, i) => word.startsWith("-") || selection[i - 1]?.startsWith("-"));
    const second = await vitest(browser, [...options, "--maxWorkers=1", ...again]);
    const still = new Set(failedTitles(second.report, root));
    const unsteady =
      second.report === "" ? [] : failedTitles(first.report, root).filter((t) => !still.has(t));
    return summary({ report: mergeReports(first.report, second.report), content: second.content }, unsteady);
  } catch (error) {
    console.log(`The test runner could not be started (${String(error)}). Run "npm ci" first.`);
    return { passed: 0, failed: 1, skipped: 0, skippedTitles: [], unsteady: [] };
  }
}

/**
 * @param {string | undefined} browser
 * @param {readonly string[]} words
 */
async function vitest(browser, words) {
  const folder = mkdtempSync(join(tmpdir(), "elwood-test-"));
  const report = join(folder, "report.json");
  try {
    const env = withTools(process.env);
    if (browser !== undefined) env[BROWSER_VARIABLE] = browser;
    const reporting = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const runner = spawn("vitest", ["run", ...reporting, ...words], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env,
      timeout: Math.max(1, Math.ceil(TESTS_MS_MAX - (performance.now() - started))),
    });
    const [code, signal] = await once(runner, "exit");
    if (signal !== null) console.log(`The tests were stopped by ${signal}.`);
    return { report: read(report), content: code === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {{ report: string, content: boolean }} run
 * @param {string[]} unsteady
 */
function summary({ report, content }, unsteady) {
  return { ...tally(report, content), skippedTitles: skippedTitles(report, root), unsteady };
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the runner ended before it wrote a report, which counts as a failure
  }
}
