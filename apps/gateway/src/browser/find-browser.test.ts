import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { findBrowser } from "./find-browser.ts";

function folderWith(...names: string[]): string {
  const { root } = testFolder();
  mkdirSync(root, { recursive: true });
  for (const name of names) writeFileSync(join(root, name), "#!/bin/sh\n", { mode: 0o755 });
  return root;
}

test("a browser is found on PATH, Chromium before Chrome", async () => {
  const [a, b] = [folderWith("google-chrome"), folderWith("chromium")];
  expect(await findBrowser(undefined, [a, "relative", b].join(delimiter))).toEqual({
    ok: true,
    path: join(b, "chromium"),
  });
});

test("the one that the owner named is used, or told to be wrong", async () => {
  const folder = folderWith("mine", "chromium");
  expect(await findBrowser(join(folder, "mine"), folder)).toEqual({ ok: true, path: join(folder, "mine") });
  expect(await findBrowser(join(folder, "other"), folder)).toMatchObject({
    ok: false,
    message: expect.stringContaining("browser.executable") as string,
  });
});

test("where there is none, it is told how to get one", async () => {
  writeFileSync(join(folderWith(), "chromium"), "not a program", { mode: 0o644 });
  expect(await findBrowser(undefined, folderWith())).toMatchObject({
    ok: false,
    message: expect.stringContaining("apt install chromium") as string,
  });
});
