// node scripts/screenshots.mjs [folder]: takes pictures of every page, from demo mode.
//
// It starts a gateway in demo mode on a state directory of its own, lets the demo model do a few
// errands, and photographs each page light and dark, wide and narrow, into the folder
// (test-results/screenshots unless given). Those that the docs show go to docs/images as well.
// The browser is the one in ELWOOD_TEST_BROWSER, else /usr/bin/chromium.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = process.argv[2] ?? join(root, "test-results/screenshots");
const PICTURE_BYTES_MAX = 150 * 1024;
const READY_MS_MAX = 20_000;
const RUN_MS_MAX = 15_000;
const SIZES = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 844 } };
/** Shown by the README and the docs, wide, in both themes. */
const TRIED = JSON.stringify({ path: "notes.txt", content: "Water the plants.\n" }, null, 2);
const IN_DOCS = ["chat", "run", "receipts", "welcome"];

// Answers may name the folder: with ELWOOD_PICTURES_HOME, an empty one such as /home/ada/.elwood, that reads well.
const named = process.env.ELWOOD_PICTURES_HOME;
if (named) mkdirSync(named, { recursive: true, mode: 0o700 });
const home = named || mkdtempSync(join(tmpdir(), "elwood-"));
const gateway = spawn(
  process.execPath,
  [join(root, "apps/cli/bin/elwood.mjs"), "up", "--no-open", "--port", "0"],
  {
    env: { PATH: process.env.PATH, HOME: join(home, "user"), ELWOOD_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  },
);
const browser = await chromium.launch({
  executablePath: process.env.ELWOOD_TEST_BROWSER || "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
mkdirSync(folder, { recursive: true });
try {
  const { origin } = new URL(await loginLink());
  const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
  // Before anybody has said anything.
  await photograph("welcome", origin, token, { path: "/welcome", ready: ".choice-card", welcome: true });
  const { session, run, approval } = await scenarios(origin, token);
  /** @type {Record<string, Shot>} */
  const pages = {
    chat: { path: `/c/${session}`, ready: ".approval-buttons" },
    tour: { path: "/welcome", ready: ".tour-say", press: "Try the demo", welcome: true },
    approvals: { path: "/approvals", ready: ".approval-buttons, .queue-row" },
    approval: { path: `/approvals/${approval}`, ready: ".approval-buttons" },
    runs: { path: "/runs", ready: "table a, .run-row, .row" },
    run: { path: `/runs/${run}`, ready: ".timeline-row", press: "Wrote " },
    receipts: { path: `/receipts?run=${run}&verify=1`, ready: ".verdict" },
    tools: { path: "/tools", ready: ".tool-row" },
    tool: { path: "/tools/files.file.write", ready: "#try-input ~ *", press: "Explain", type: TRIED },
    memory: { path: "/memory", ready: "h1" },
    usage: { path: "/usage", ready: "h1" },
    connections: { path: "/connections", ready: "#connect-provider" },
    doctor: { path: "/doctor", ready: ".finding, .findings, table" },
    settings: { path: "/settings", ready: ".facts" },
  };
  for (const [name, shot] of Object.entries(pages)) await photograph(name, origin, token, shot);
} finally {
  await browser.close();
  gateway.kill("SIGTERM");
  if (gateway.exitCode === null) await once(gateway, "exit");
  rmSync(home, { recursive: true, force: true });
}

/**
 * @typedef {{ path: string, ready: string, press?: string, type?: string, welcome?: boolean }} Shot
 * @param {string} name
 * @param {string} origin
 * @param {string} token
 * @param {Shot} shot
 */
async function photograph(name, origin, token, { path, ready, press, type, welcome = false }) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
    await context.addInitScript(
      ([secret, away]) => {
        sessionStorage.setItem("elwood.token", secret ?? "");
        if (away === "yes") localStorage.setItem("elwood.welcome", '{"dismissed":true}');
      },
      [token, welcome ? "no" : "yes"],
    );
    const page = await context.newPage();
    await page.goto(origin + path);
    await page.getByText("Connected", { exact: true }).waitFor({ state: "attached" });
    // A page that this gateway does not have is the chat.
    if (new URL(page.url()).pathname === path.split("?")[0] || path.includes("?")) {
      if (type) await page.locator("textarea").first().fill(type);
      if (press) await page.getByRole("button", { name: press }).first().click();
      await page
        .locator(ready)
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => console.log(`${name}: no ${ready}`));
      await page.waitForLoadState("networkidle");
      await page.evaluate(() => document.fonts.ready);
    }
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const file = join(folder, `${name}-${size}-${colorScheme}.png`);
      await page.screenshot({ path: file });
      const { size: bytes } = statSync(file);
      if (size !== "wide" || !IN_DOCS.includes(name)) continue;
      if (bytes > PICTURE_BYTES_MAX) throw new Error(`${file} is too large for the docs: ${bytes} bytes.`);
      mkdirSync(join(root, "docs/images"), { recursive: true });
      copyFileSync(file, join(root, `docs/images/${name}-${colorScheme}.png`));
    }
    await context.close();
  }
  console.log(name);
}

/**
 * A list is made and allowed, a folder looked into, a command runs, and two more changes wait.
 *
 * @param {string} origin
 * @param {string} token
 */
async function scenarios(origin, token) {
  const rpc = await connect(origin, token);
  const { sessionKey: session } = await rpc("sessions.create", {});
  const say = async (/** @type {string} */ message, /** @type {string} */ until) => {
    const { runId } = await rpc("chat.send", { sessionKey: session, message });
    await reached(rpc, runId, until);
    return String(runId);
  };
  const other = await rpc("sessions.create", {});
  for (const message of ["what can you do?", "what does it cost?", "run date"]) {
    const { runId } = await rpc("chat.send", { sessionKey: other.sessionKey, message });
    await reached(rpc, runId, "done");
  }
  const run = await say("make me a demo list", "waiting");
  const { approvals } = await rpc("approvals.list", { status: "pending" });
  await rpc("exec.approve", { approvalId: approvals[0].approvalId });
  await reached(rpc, run, "done");
  await say("what files are here", "done");
  const { sessionKey: second } = await rpc("sessions.create", {});
  const sorting = await rpc("chat.send", { sessionKey: second, message: "sort my demo list" });
  await reached(rpc, sorting.runId, "waiting");
  await say("tidy my demo folder", "waiting");
  const waiting = await rpc("approvals.list", { status: "pending" });
  return { session, run, approval: waiting.approvals[0].approvalId };
}

/**
 * @param {(method: string, params: object) => Promise<any>} rpc
 * @param {string} runId
 * @param {string} until
 */
async function reached(rpc, runId, until) {
  for (const end = Date.now() + RUN_MS_MAX; Date.now() < end;) {
    const { run } = await rpc("runs.get", { runId });
    if (run.status === until) return;
    if (["failed", "aborted"].includes(run.status)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The run ${runId} did not come to ${until}.`);
}

/**
 * @param {string} origin
 * @param {string} token
 * @returns {Promise<(method: string, params: object) => Promise<any>>}
 */
async function connect(origin, token) {
  const socket = new WebSocket(`${origin.replace("http", "ws")}/ws`);
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  /** @type {Map<string, { resolve: (result: unknown) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
  });
  socket.send(JSON.stringify({ type: "auth", token }));
  let next = 1;
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = String(next++);
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
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
