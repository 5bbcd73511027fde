// tmux for the tests of the terminal chat with real keys: found, installed, or done without; and said aloud.
import { aptInstall, firstOnPath } from "./test-browser.mjs";

/** @param {{ mayInstall: boolean }} options */
export function provideTmux({ mayInstall }) {
  const plan = planTmux({
    found: firstOnPath(["tmux"]),
    mayInstall,
    root: process.getuid?.() === 0,
    aptGet: firstOnPath(["apt-get"]) !== undefined,
  });
  console.log(plan.say);
  if (plan.kind !== "install") return;
  const problem = aptInstall("tmux");
  if (problem !== undefined)
    console.log(`tmux could not be installed (${problem}): tests of the chat in tmux are skipped.`);
}

/**
 * @param {{ found: string | undefined, mayInstall: boolean, root: boolean, aptGet: boolean }} facts
 * @returns {{ kind: "use" | "install" | "none", say: string }}
 */
export function planTmux({ found, mayInstall, root, aptGet }) {
  if (found) return { kind: "use", say: `Nothing to install: the chat is driven in ${found}.` };
  const why = !mayInstall
    ? "--no-install was given"
    : !aptGet
      ? "there is no apt-get to install it with"
      : !root
        ? "installing it needs root"
        : undefined;
  if (why === undefined)
    return { kind: "install", say: "Installing tmux with apt-get, for tests of the chat …" };
  return { kind: "none", say: `Tests of the chat in tmux are skipped: tmux was not found, and ${why}.` };
}
