import { browserUnavailable } from "../browser/browser-unavailable.ts";
import { findBrowser } from "../browser/find-browser.ts";
import { finding, ok, type Check, type Finding } from "./finding.ts";

/** Whether there is a browser for the browser tools, and whether it can be started. */
export const browser: Check = {
  area: "browser",
  async run({ loaded, uid, searchPath }) {
    if (!loaded.ok) return [];
    const { enabled, executable, sandbox } = loaded.value.config.browser;
    if (!enabled) return [ok("browser.off", "The browser tools are switched off.", "browser.enabled: false")];
    const found = await findBrowser(executable, searchPath);
    const findings: Finding[] = found.ok
      ? [ok("browser.found", "There is a browser for the browser tools.", found.path)]
      : [];
    const off = await browserUnavailable({ executable, sandbox, root: uid === 0, searchPath });
    if (off !== undefined) {
      const { what, fix } = off;
      if (uid === 0 && sandbox)
        findings.push(finding("info", "browser.root", what, "running as root, browser.sandbox: true", fix));
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
