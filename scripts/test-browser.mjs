// A browser for the tests that need one: found, installed, or done without; and said aloud.
import { spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Names the browser to tests; where it is not set, they skip. */
export const BROWSER_VARIABLE = "ELWOOD_TEST_BROWSER";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const UPDATE_MS_MAX = 60_000;
const INSTALL_MS_MAX = 180_000;

/**
 * @param {string} root
 * @param {{ mayInstall: boolean }} options
 * @returns {string | undefined} the browser's path
 */
export function provideBrowser(root, { mayInstall }) {
  const plan = planBrowser({
    needed: testsNeedBrowser(root),
    found: process.env[BROWSER_VARIABLE] || firstOnPath(NAMES),
    mayInstall,
    root: process.getuid?.() === 0,
    aptGet: firstOnPath(["apt-get"]) !== undefined,
  });
  console.log(plan.say);
  if (plan.kind !== "install") return plan.path;
  const problem = aptInstall("chromium");
  if (problem !== undefined) {
    console.log(`Chromium could not be installed (${problem}): tests that drive a browser are skipped.`);
    return undefined;
  }
  const path = firstOnPath(NAMES);
  console.log(
    path ? `Installed Chromium: ${path}` : "Chromium was installed but not found: browser tests are skipped.",
  );
  return path;
}

/**
 * @param {{ needed: boolean, found: string | undefined, mayInstall: boolean, root: boolean, aptGet: boolean }} facts
 * @returns {{ kind: "use" | "install" | "none", path?: string, say: string }}
 */
export function planBrowser({ needed, found, mayInstall, root, aptGet }) {
  if (!needed) return { kind: "none", say: "Nothing to install: no test drives a browser." };
  if (found) return { kind: "use", path: found, say: `Nothing to install: tests drive ${found}.` };
  const why = !mayInstall
    ? "--no-install was given"
    : !aptGet
      ? "there is no apt-get to install one with"
      : !root
        ? "installing one needs root"
        : undefined;
  if (why === undefined) {
    return {
      kind: "install",
      say: "Installing Chromium with apt-get, for tests that drive a browser (about 400 MB) …",
    };
  }
  const help = `install Chromium yourself, or name a browser in ${BROWSER_VARIABLE}`;
  return {
    kind: "none",
    say: `Tests that drive a browser are skipped: none was found, and ${why}. To run them, ${help}.`,
  };
}

/**
 * @param {string} name of a Debian package
 * @returns {string | undefined} what went wrong
 */
export function aptInstall(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const quiet = ["-qq", "-o", "DPkg::Lock::Timeout=30"];
  const steps = [
    { args: [...quiet, "update"], timeout: UPDATE_MS_MAX },
    { args: [...quiet, "install", "-y", "--no-install-recommends", name], timeout: INSTALL_MS_MAX },
  ];
  for (const { args, timeout } of steps) {
    const result = spawnSync("apt-get", args, {
      encoding: "utf8",
      env,
      timeout,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (result.status === 0) continue;
    if (result.signal !== null) return `apt-get took longer than ${timeout / 1000} s`;
    return (result.stderr ?? "").trim().split("\n").at(-1) || "apt-get failed";
  }
  return undefined;
}

/** @param {readonly string[]} names */
export function firstOnPath(names) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => isProgram(path));
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run
  }
}

/**
 * Four hundred megabytes are not installed for nothing: some file must read the variable.
 *
 * @param {string} root
 */
function testsNeedBrowser(root) {
  return ["packages", "apps", "e2e", "bench"].some((folder) => mentionsBrowser(join(root, folder)));
}

/**
 * @param {string} folder
 * @returns {boolean}
 */
function mentionsBrowser(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return false; // a folder that does not exist yet
  }
  return entries.some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name !== "node_modules" && mentionsBrowser(path);
    return (
      entry.isFile() && entry.name.endsWith(".ts") && readFileSync(path, "utf8").includes(BROWSER_VARIABLE)
    );
  });
}
