import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { browserUnavailable } from "./browser-unavailable.ts";

const hasDriver = () => true;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "elwood-browser-off-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("as root, with the sandbox on, the browser tools are off whatever is installed", async () => {
  const searchPath = folder();
  writeFileSync(join(searchPath, "chromium"), "#!/bin/sh\n", { mode: 0o755 });
  const off = await browserUnavailable({ sandbox: true, root: true, searchPath, hasDriver });
  expect(off?.what).toBe("Browser tools are off because Elwood runs as root.");
  expect(off?.fix).toContain("Run Elwood as another user");
  expect(off?.stillOff).toBeUndefined();
  expect(await browserUnavailable({ sandbox: false, root: true, searchPath, hasDriver })).toBeUndefined();
  expect(await browserUnavailable({ sandbox: true, root: false, searchPath, hasDriver })).toBeUndefined();
});

test("without a browser they are off until one is installed", async () => {
  const searchPath = folder();
  const off = await browserUnavailable({ sandbox: true, root: false, searchPath, hasDriver });
  expect(off?.what).toBe("Browser tools are off because there is no browser on this machine.");
  expect(await off?.stillOff?.()).toBe(true);
  writeFileSync(join(searchPath, "google-chrome"), "#!/bin/sh\n", { mode: 0o755 });
  expect(await off?.stillOff?.()).toBe(false);
});

test("without what drives a browser they are off until it is installed", async () => {
  let installed = false;
  const condition = { sandbox: true, root: false, searchPath: folder(), hasDriver: () => installed };
  const off = await browserUnavailable(condition);
  expect(off?.fix).toBe("Install it with: elwood install browser");
  expect(await off?.stillOff?.()).toBe(true);
  installed = true;
  expect(await off?.stillOff?.()).toBe(false);
});
