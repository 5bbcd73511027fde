import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { createRequire, findPackageJSON } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { knownModule } from "./own-modules.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const IMPORT = /(?:from|import)\s*\(?\s*"((?:\.|@elwood\/)[^"]+)"/g;

/** Imports of a source file, each with where Node finds it. */
function importsOf(path: string): { specifier: string; parent: string; found: string }[] {
  const parent = pathToFileURL(join(ROOT, path)).href;
  const resolve = createRequire(parent).resolve;
  return [...readFileSync(join(ROOT, path), "utf8").matchAll(IMPORT)].map(([, specifier = ""]) => ({
    specifier,
    parent,
    found: pathToFileURL(resolve(specifier)).href,
  }));
}

test("every import of the sources that needs no search is found where Node finds it", () => {
  const sources = globSync("{apps/gateway/src,packages/{core,runtime,sdk}/src,integrations/*}/**/*.ts", {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules") || path.endsWith(".test.ts"),
  });
  const imports = sources.flatMap(importsOf);
  const known = imports.filter(({ specifier, parent }) => knownModule(specifier, parent) !== undefined);
  expect(known.length).toBeGreaterThan(1_000);
  for (const { specifier, parent, found } of known)
    expect({ parent, url: knownModule(specifier, parent)?.url }).toEqual({ parent, url: found });
});

test.each([
  ["a module of Node", "node:fs"],
  ["a library", "ws"],
  ["an integration", "@elwood/integration-files"],
  ["a package of ours that only tests use", "@elwood/testkit/manual-clock"],
  ["a name that leads out of a package", "@elwood/core/../../secret"],
  ["JavaScript beside it", "./old-node.mjs"],
])("%s is left to Node", (_, specifier) => {
  expect(knownModule(specifier, import.meta.url)).toBeUndefined();
});

test("of Zod's languages only the one spoken here is loaded, and all else of it works", () => {
  const script = `
    import module from "node:module";
    import { findModulesFast } from ${JSON.stringify(new URL("own-modules.mjs", import.meta.url).href)};
    findModulesFast(module);
    const { z } = await import("zod");
    const { error } = z.strictObject({ a: z.string() }).safeParse({ a: 1 });
    console.log(JSON.stringify([Object.keys(z.locales), error.issues[0].message, z.toJSONSchema(z.string()).type]));`;
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
  });
  expect(JSON.parse(told)).toEqual([["en"], "Invalid input: expected string, received number", "string"]);
  // The list that is replaced is where it was when this was written.
  const zod = findPackageJSON("zod", import.meta.url) ?? "";
  expect(readFileSync(join(zod, "../v4/core/index.js"), "utf8")).toContain('"../locales/index.js"');
});
