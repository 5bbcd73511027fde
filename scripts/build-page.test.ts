import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elwood-build-"));
  for (const name of ["scripts", "apps/web", "packages/core/src", "packages/sdk/src"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "package-lock.json"), "{}");
  const script = fileURLToPath(new URL("build-page.mjs", import.meta.url));
  cpSync(script, join(folder, "scripts/build-page.mjs"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function build(event: string) {
  const { PATH = "" } = process.env;
  return spawnSync(process.execPath, [join(folder, "scripts/build-page.mjs")], {
    env: { PATH, npm_lifecycle_event: event },
    encoding: "utf8",
  });
}

test("an install without what builds the page succeeds, and says what is missing and how to mend it", () => {
  const { status, stderr } = build("postinstall");
  expect(status).toBe(0);
  expect(stderr).toContain("The page was not built");
  expect(stderr).toContain("vite");
  expect(stderr).toContain("npm ci && npm run build");
  expect(stderr).not.toMatch(/\n\s+at /);
});

test("whoever asks for the build itself is told by the exit code too", () => {
  expect(build("build").status).toBe(1);
});
