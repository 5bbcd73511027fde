// bubblewrap for the tests of commands: found, installed, or done without; and said aloud.
import { spawnSync } from "node:child_process";
import { aptInstall, firstOnPath } from "./test-browser.mjs";

/** @param {{ mayInstall: boolean }} options */
export function provideCage({ mayInstall }) {
  const plan = planCage({
    found: firstOnPath(["bwrap"]),
    linux: process.platform === "linux",
    mayInstall,
    root: process.getuid?.() === 0,
    aptGet: firstOnPath(["apt-get"]) !== undefined,
  });
  console.log(plan.say);
  if (plan.kind === "install") {
    const problem = aptInstall("bubblewrap");
    if (problem !== undefined) {
      console.log(`bubblewrap could not be installed (${problem}): tests of caged commands are skipped.`);
      return;
    }
  }
  if (plan.kind === "none") return;
  const tried = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "true"], {
    encoding: "utf8",
  });
  if (tried.status !== 0) {
    console.log(
      `bubblewrap cannot build a cage here (${(tried.stderr ?? "").trim()}): tests of caged commands are skipped.`,
    );
  }
}

/**
 * @param {{ found: string | undefined, linux: boolean, mayInstall: boolean, root: boolean, aptGet: boolean }} facts
 * @returns {{ kind: "use" | "install" | "none", say: string }}
 */
export function planCage({ found, linux, mayInstall, root, aptGet }) {
  if (found) return { kind: "use", say: `Nothing to install: commands are caged by ${found}.` };
  const why = !linux
    ? "cages need Linux"
    : !mayInstall
      ? "--no-install was given"
      : !aptGet
        ? "there is no apt-get to install it with"
        : !root
          ? "installing it needs root"
          : undefined;
  if (why === undefined) {
    return { kind: "install", say: "Installing bubblewrap with apt-get, for tests of caged commands …" };
  }
  return { kind: "none", say: `Tests of caged commands are skipped: bubblewrap was not found, and ${why}.` };
}
