import { browserUnavailable } from "../browser/browser-unavailable.ts";
import { findBrowser } from "../browser/find-browser.ts";
import { findDriver } from "../browser/find-driver.ts";
import { type Check, type Finding, finding, ok } from "./finding.ts";

/** Whether there is a browser for the browser tools, and whether it can be started. */
export const browser: Check = {
  area: "browser",
  async run({ loaded, uid, searchPath, paths }) {
    if (!loaded.ok) return [];
    const { enabled, executable, sandbox } = loaded.value.config.browser;
    if (!enabled) return [ok("browser.off", "The browser tools are switched off.", "browser.enabled: false")];
    const found = await findBrowser(executable, searchPath);
    const findings: Finding[] = found.ok
      ? [ok("browser.found", "There is a browser for the browser tools.", found.path)]
      : [];
    const hasDriver = () => findDriver(paths.home) !== undefined;
    const off = await browserUnavailable({ executable, sandbox, root: uid === 0, searchPath, hasDriver });
    if (off !== undefined) {
      const { what, fix } = off;
      if (uid === 0 && sandbox)
        findings.push(finding("info", "browser.root", what, "running as root, browser.sandbox: true", fix));
      else if (!hasDriver()) findings.push(finding("info", "browser.driver", what, "playwright-core", fix));
      else if (executable === undefined)
        findings.push(finding("info", "browser.missing", what, "no Chromium or Chrome on PATH", fix));
      else findings.push(finding("warning", "browser.executable", what, executable, fix));
    }
    if (!sandbox) {
      findings.push(
        finding(
          "info",
          "browser.sandbox",
          "Pages run without Chromium's own sandbox, as the configuration says.",
          "browser.sandbox: false",
          "Remove that setting unless this machine is itself a cage.",
        ),
      );
    }
    return findings;
  },
};

/** As the command line's launcher says it, which cannot share code with what a too old Node could not read. */
const NODE_NEEDED = "24.15";

export const nodeVersion: Check = {
  area: "node",
  async run({ nodeVersion: version }) {
    if (isNewEnough(version)) return [ok("node.version", "Node is new enough.", `v${version}`)];
    return [
      finding(
        "error",
        "node.version",
        `Node is older than ${NODE_NEEDED}, the oldest that Elwood is tested on.`,
        `v${version}`,
        `Install Node ${NODE_NEEDED} or newer; in a checkout, npm ci brings one along.`,
      ),
    ];
  },
};

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [majorNeeded = 0, minorNeeded = 0] = NODE_NEEDED.split(".").map(Number);
  return major > majorNeeded || (major === majorNeeded && minor >= minorNeeded);
}

/** Whether commands run in a cage, and what follows where they cannot. */
export const commands: Check = {
  area: "commands",
  async run({ loaded, cage }) {
    if (!loaded.ok) return [];
    const found = await cage();
    if (found.ok) return [ok("commands.cage", "Commands run in a cage.", "bubblewrap")];
    const what = loaded.value.config.shell.requireCage
      ? "Commands are off because they cannot be caged here, and shell.requireCage is set."
      : "Commands cannot be caged here: none runs unasked, and one that you allow can do all that Elwood can.";
    const fix = found.reason.includes("not installed")
      ? "Install bubblewrap, for example with: apt install bubblewrap"
      : found.reason.includes("Linux")
        ? "Run Elwood on Linux to have commands caged, or set shell.requireCage: true to run none."
        : "Allow this user to make user namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0; in a container, its seccomp profile).";
    return [finding("warning", "commands.cage", what, found.reason, fix)];
  },
};
