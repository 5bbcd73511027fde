import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { layOut } from "./pack.mjs";

/** The package as it is laid out; `npm run test:real` installs and uses it. */
const ROOT = join(import.meta.dirname, "../..");
const PACKAGE_MB_MAX = 10;
let folder: string;
let files: string[];

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "elwood-pack-")), "package");
  await layOut(folder);
  files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
});
afterAll(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

test("JV-10: the package has built JavaScript, the page and templates, no sources, and stays small", () => {
  expect(files.filter((path) => /\.(?:ts|map)$/.test(path))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "apps/web/dist/index.html", "workspace/SOUL.md"]),
  );
  const bytes = files.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
  expect(bytes / 1024 / 1024).toBeLessThan(PACKAGE_MB_MAX);
  expect(files.filter((path) => /secret|\.env$|\.npmrc/.test(path))).toEqual([]);
});

test("what the build imports is a dependency of the package at one exact version, or an optional part", () => {
  const { dependencies, optionalDependencies, scripts } = manifest();
  expect(scripts).toBeUndefined();
  const named = files
    .filter((path) => path.endsWith(".js"))
    .flatMap((path) => [
      ...readFileSync(join(folder, path), "utf8").matchAll(
        /(?:^|[;}])(?:import|export)[^;"`(]*?from"([^".][^"]*)"|\bimport\([`"]([a-z@][\w@/.-]*)[`"]\)/g,
      ),
    ])
    .map((match) =>
      (match[1] ?? match[2] ?? "")
        .split("/")
        .slice(0, (match[1] ?? match[2] ?? "").startsWith("@") ? 2 : 1)
        .join("/"),
    )
    .filter((name) => !name.startsWith("node:"));
  const known = [...Object.keys(dependencies), ...Object.keys(optionalDependencies), "playwright-core"];
  // What tools of the owner's import is handed to them by the tool host.
  const given = ["@elwood/sdk"];
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((name) => !known.includes(name) && !given.includes(name))).toEqual([]);
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("it starts from its own folder, under both of its names", () => {
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const { bin, version } = manifest();
  expect(Object.keys(bin)).toEqual(["elwood", "assistant"]);
  const env = { ...process.env, PATH: `${join(process.execPath, "..")}:${process.env["PATH"]}` };
  const run = (name: string, ...given: string[]) =>
    execFileSync(join(folder, bin[name]!), given, { encoding: "utf8", env }).trim();
  expect([run("elwood", "--version"), run("assistant", "--version")]).toEqual([version, version]);
});

function manifest() {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly version: string;
    readonly bin: Readonly<Record<string, string>>;
    readonly scripts?: unknown;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
}
