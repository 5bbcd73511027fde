// node scripts/screenshots.mjs: takes the pictures of the page that the README shows.
//
// It starts a gateway in demo mode on a state directory of its own, asks for one change that
// needs no question, asks for another that does, and photographs it, light and dark.
// The browser is the one in ELWOOD_TEST_BROWSER, else /usr/bin/chromium.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const PICTURE_BYTES_MAX = 150 * 1024;
const READY_MS_MAX = 20_000;
const size = { width: 1100, height: 860 };

const home = mkdtempSync(join(tmpdir(), "elwood-screenshots-"));
const gateway = spawn(
  process.execPath,
  [join(root, "apps/gateway/bin/elwood.mjs"), "up", "--no-open", "--port", "0"],
  {
    env: { PATH: process.env.PATH, HOME: join(home, "user"), ELWOOD_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  },
);
const browser = await chromium.launch({
  executablePath: process.env.ELWOOD_TEST_BROWSER || "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
try {
  const page = await browser.newPage({ viewport: size });
  await page.goto(await loginLink());
  await say(page, "write 'milk, bread' to shopping.txt");
  await page.getByText("✓ files.file.write").waitFor();
  await say(page, "delete shopping.txt");
  await page.getByRole("button", { name: "Deny", exact: true }).last().waitFor();
  mkdirSync(join(root, "docs/images"), { recursive: true });
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const path = join(root, `docs/images/page-${colorScheme}.png`);
    await page.screenshot({ path });
    const { size: bytes } = statSync(path);
    console.log(`${path}: ${Math.round(bytes / 1024)} KB`);
    if (bytes > PICTURE_BYTES_MAX) throw new Error(`${path} is too large for a README.`);
  }
} finally {
  await browser.close();
  gateway.kill("SIGTERM");
  if (gateway.exitCode === null) await once(gateway, "exit");
  rmSync(home, { recursive: true, force: true });
}

/** @returns {Promise<string>} */
function loginLink() {
  let printed = "";
  return new Promise((resolve, reject) => {
    const tooLong = setTimeout(() => reject(new Error(`No login link came:\n${printed}`)), READY_MS_MAX);
    gateway.stderr.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const link = /https?:\/\/\S+#t=\S+/.exec(printed)?.[0];
      if (link === undefined) return;
      clearTimeout(tooLong);
      resolve(link);
    });
  });
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} words
 */
async function say(page, words) {
  await page.fill("#message", words);
  await page.press("#message", "Enter");
}
