// What happens when Elwood is started by a Node that is too old: the Node that came
// through the lockfile takes over, or the person reads what to do.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { NODE_NEEDED } from "./node-version.mjs";

/** How a shell, or a system's stand-in for a missing loader, says that a program could not be run. */
const COULD_NOT_RUN = [126, 127];

export async function heal() {
  const launcher = fileURLToPath(new URL("elwood.mjs", import.meta.url));
  const bundled = findBundledNode(dirname(launcher), process);
  if (bundled === undefined) return explain("missing");
  const ending = await rerun(bundled, [...process.execArgv, launcher, ...process.argv.slice(2)]);
  if (ending.kind === "not-run") return explain("broken");
  if (ending.kind === "exited") {
    process.exitCode = ending.code;
    return;
  }
  // Die of the same signal, so that a shell or service manager sees what really happened.
  process.kill(process.pid, ending.signal);
  process.exitCode = 128 + (constants.signals[ending.signal] || 0);
}

/**
 * The Node in the nearest node_modules at or above a folder; never the one that is running.
 *
 * @param {string} from
 * @param {{ platform: string, arch: string, execPath: string }} running
 * @returns {string | undefined}
 */
export function findBundledNode(from, running) {
  for (let folder = from; ; folder = dirname(folder)) {
    const node = join(folder, "node_modules", `node-${running.platform}-${running.arch}`, "bin", "node");
    if (existsSync(node) && realpathSync(node) !== realpathSync(running.execPath)) return node;
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * Runs a program in this one's place: same terminal, same signals, same ending.
 *
 * Keys typed in a terminal (Ctrl-C, Ctrl-\) reach both processes at once, so that passing
 * them on would press them twice; there this process merely outlives them.
 *
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<{ kind: "exited", code: number } | { kind: "signalled", signal: NodeJS.Signals } | { kind: "not-run" }>}
 */
export function rerun(program, args) {
  const child = spawn(program, args, { stdio: "inherit" });
  const fromKeyboard = [0, 1, 2].some((fd) => isatty(fd)) ? ["SIGINT", "SIGQUIT"] : [];
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    if (!fromKeyboard.includes(signal)) child.kill(signal);
  };
  const signals = /** @type {const} */ (["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR2"]);
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve) => {
    child.on("error", () => {
      if (child.pid === undefined) resolve({ kind: "not-run" });
    });
    child.on("exit", (code, signal) => {
      for (const name of signals) process.removeListener(name, forward);
      if (signal !== null) resolve({ kind: "signalled", signal });
      else if (code === null || COULD_NOT_RUN.includes(code)) resolve({ kind: "not-run" });
      else resolve({ kind: "exited", code });
    });
  });
}

/** @param {"missing" | "broken"} bundled */
function explain(bundled) {
  // A clone has it, a package does not: npm ci brings nothing there.
  const clone = existsSync(fileURLToPath(new URL("../../../package-lock.json", import.meta.url)));
  process.stderr.write(`${explanation(process, bundled, clone)}\n`);
  process.exitCode = 1;
}

/**
 * @param {{ version: string, platform: string, arch: string }} running
 * @param {"missing" | "broken"} bundled
 * @param {boolean} [clone] whether this is a clone of the repository
 * @returns {string}
 */
export function explanation(running, bundled, clone = true) {
  const shipped =
    clone && running.platform === "linux" && (running.arch === "x64" || running.arch === "arm64");
  const needs = `Elwood needs Node ${NODE_NEEDED} or newer, and this is Node ${running.version.replace(/^v/, "")}; nothing was started.`;
  const install =
    "install Node 24 from your system's packages or from https://nodejs.org, then start Elwood again";
  if (bundled === "broken") {
    return `${needs} The Node that came with Elwood does not run on this system. Please ${install}.`;
  }
  return shipped
    ? `${needs} Run "npm ci" in Elwood's folder, which brings a fitting Node along, or ${install}.`
    : `${needs} Please ${install}.`;
}
