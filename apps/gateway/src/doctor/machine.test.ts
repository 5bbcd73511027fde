import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { err } from "@elwood/core/base/result";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, test } from "vitest";
import { loadConfig } from "../config/load.ts";
import { testFolder } from "../../test/config/test-folder.ts";
import { browser } from "./machine.ts";
import type { DoctorContext } from "./finding.ts";

/** What the check says of a configuration, on a machine that has these programs. */
async function said(config: string, programs: readonly string[], uid = 1000): Promise<Map<string, string>> {
  const { root } = testFolder();
  const [home, searchPath] = [join(root, "home"), join(root, "bin")];
  for (const folder of [home, searchPath]) mkdirSync(folder, { recursive: true });
  for (const name of programs) writeFileSync(join(searchPath, name), "#!/bin/sh\n", { mode: 0o755 });
  writeFileSync(join(home, "config.yaml"), config);
  const loaded = await loadConfig({ flags: { home }, env: {}, cwd: root, userHome: root });
  // The check looks at nothing else of its context.
  const findings = await browser.run({
    loaded,
    uid,
    searchPath,
    paths: statePaths(home),
  } as unknown as DoctorContext);
  return new Map(findings.map(({ id, severity, what, fix }) => [id, `${severity}: ${what} ${fix}`]));
}

test("the doctor says whether there is a browser, and how to get one", async () => {
  expect([...(await said("", ["chromium"])).keys()]).toEqual(["browser.found"]);
  expect((await said("", [])).get("browser.missing")).toMatch(/^info: .*apt install chromium/);
  expect((await said("browser: { executable: /nowhere/chrome }", [])).get("browser.executable")).toMatch(
    /^warning: .*browser\.executable/,
  );
  expect([...(await said("browser: { enabled: false }", [])).keys()]).toEqual(["browser.off"]);
});

test("the doctor says that root has no sandbox for pages, and that one was switched off", async () => {
  expect((await said("", ["chromium"], 0)).get("browser.root")).toMatch(
    /^info: Browser tools are off because Elwood runs as root\. Run Elwood as another user/,
  );
  expect((await said("browser: { sandbox: false }", ["chromium"], 0)).has("browser.root")).toBe(false);
  expect((await said("browser: { sandbox: false }", ["chromium"])).has("browser.sandbox")).toBe(true);
});

test("a configuration that cannot be read is told by its own check", async () => {
  expect(await browser.run({ loaded: err([]) } as unknown as DoctorContext)).toEqual([]);
});
