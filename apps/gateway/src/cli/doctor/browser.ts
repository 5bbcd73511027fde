import { findBrowser, HOW_TO_GET_ONE } from "../../browser/find-browser.ts";
import { finding, ok, type Check, type Finding } from "./finding.ts";

/** Whether there is a browser for the browser tools, and whether it can be started. */
export const browser: Check = {
  area: "browser",
  async run({ loaded, uid, searchPath }) {
    if (!loaded.ok) return [];
    const { enabled, executable, sandbox } = loaded.value.config.browser;
    if (!enabled) return [ok("browser.off", "The browser tools are switched off.", "browser.enabled: false")];
    const found = await findBrowser(executable, searchPath);
    if (!found.ok && executable !== undefined) {
      const what = "The browser that the configuration names cannot be run.";
      return [finding("warning", "browser.executable", what, executable, found.message)];
    }
    if (!found.ok) {
      const what = "There is no browser, so the browser tools do nothing but say so.";
      return [finding("info", "browser.missing", what, "no Chromium or Chrome on PATH", HOW_TO_GET_ONE)];
    }
    const findings: Finding[] = [
      ok("browser.found", "There is a browser for the browser tools.", found.path),
    ];
    if (uid === 0 && sandbox) {
      findings.push(
        finding(
          "info",
          "browser.root",
          "The browser cannot be started: as root it has no sandbox for pages.",
          "running as root, browser.sandbox: true",
          "Run Elwood as another user; or, where this machine is itself a cage, set browser.sandbox: false.",
        ),
      );
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
