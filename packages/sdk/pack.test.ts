import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENTRIES, layOut } from "./pack.mjs";

/** The package as it is laid out; `npm run test:real -- sdk` installs and uses it. */
const ROOT = join(import.meta.dirname, "../..");
const CLIENT_GZ_BYTES_MAX = 15 * 1024;
let project: string;
let folder: string;
let files: readonly string[];

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "elwood-sdk-"));
  folder = join(project, "node_modules/@elwood/sdk");
  await layOut(folder);
  files = readdirSync(folder, { recursive: true, encoding: "utf8" });
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

function manifest() {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
    readonly [field: string]: unknown;
  };
}

test("every entry point has code with a source map and types; what they name is in the package or a dependency of it", () => {
  const { exports, ...rest } = manifest();
  expect(rest).toMatchObject({ type: "module", sideEffects: false, engines: { node: ">=20" } });
  expect(Object.keys(exports)).toEqual([...Object.keys(ENTRIES), "./package.json"]);
  for (const target of Object.values(exports))
    if (typeof target !== "string") expect(files).toEqual(expect.arrayContaining(namedBy(target)));
  expect(files.filter((path) => /(?<!\.d)\.ts$/.test(path))).toEqual([]);
  const missing = files
    .filter((path) => path.endsWith(".d.ts"))
    .flatMap((path) => importsOf(path).map((name) => [path, name] as const))
    .filter(([path, name]) => !isThere(path, name));
  expect(missing).toEqual([]);
});

function namedBy(target: { readonly types: string; readonly default: string }): string[] {
  const code = target.default.slice(2);
  const maps = readFileSync(join(folder, code), "utf8").includes("sourceMappingURL") ? [`${code}.map`] : [];
  return [code, ...maps, target.types.slice(2)];
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(folder, path), "utf8");
  return [...text.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, name = ""]) => name);
}

function isThere(path: string, name: string): boolean {
  if (!name.startsWith(".")) return name === "zod" || name === "marked";
  return files.includes(join(dirname(path), name).replace(/\.js$/, ".d.ts"));
}

test("the client is small, and loads nothing of Node, no Zod and nothing of the runtime", () => {
  const loaded = new Set(["dist/client.js"]);
  for (const path of loaded)
    for (const name of staticImportsOf(path)) {
      expect(name).toMatch(/^\.\//);
      loaded.add(join(dirname(path), name));
    }
  const code = [...loaded].map((path) => readFileSync(join(folder, path), "utf8")).join("");
  expect(gzipSync(code).length).toBeLessThan(CLIENT_GZ_BYTES_MAX);
});

test("nothing but ./local names the runtime, and that only once it is used", () => {
  const naming = files.filter(
    (path) =>
      path.endsWith(".js") && readFileSync(join(folder, path), "utf8").includes("elwood/local-runtime"),
  );
  expect(naming).toEqual(["dist/local.js"]);
  expect(staticImportsOf("dist/local.js").filter((name) => !name.startsWith("."))).toEqual([]);
});

function staticImportsOf(path: string): string[] {
  const text = readFileSync(join(folder, path), "utf8");
  return [...text.matchAll(/^(?:import|export)\b[^"]*?(?:from )?"([^"]+)";$/gm)].map(([, name = ""]) => name);
}

test("outside of this repository all of it is imported and an assistant is asked, also by an older Node", () => {
  for (const name of ["zod", "marked"]) {
    mkdirSync(join(project, "node_modules"), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
  }
  writeFileSync(join(project, "use.mjs"), USE);
  for (const node of [process.execPath, ...olderNodes()]) {
    const said = execFileSync(node, ["use.mjs"], { cwd: project, encoding: "utf8", env: {} });
    expect(said.trim().split("\n")).toEqual(["Twelve are left.", "GatewayUnavailableError no_runtime"]);
  }
});

/** The machine's own, where it is one that the SDK runs on. */
function olderNodes(): string[] {
  return ["/usr/bin/node", "/usr/local/bin/node"].filter((path) => {
    try {
      return /^v2[0-3]\./.test(execFileSync(path, ["--version"], { encoding: "utf8", stdio: "pipe" }));
    } catch {
      // There is none.
      return false;
    }
  });
}

const USE = `
import { Assistant, Tool } from "@elwood/sdk";
import "@elwood/sdk/channel";
import "@elwood/sdk/client";
import { LocalEngine } from "@elwood/sdk/local";
import { autoApprove, expectReceipts, MemoryEngine, ScriptedModel, text, toolCall } from "@elwood/sdk/testing";
import "@elwood/sdk/tool";

const stock = new Tool({
  name: "stock",
  description: "How many flowers of a kind there are.",
  inputSchema: { type: "object", properties: { kind: { type: "string" } } },
  execute: async ({ kind }) => ({ kind, left: 12 }),
});
const model = new ScriptedModel([toolCall("stock", { kind: "tulip" }), text("Twelve are left.")]);
const coreEngineClient = new MemoryEngine({ model, approvals: autoApprove("stock") });
const about = { id: "florist", name: "Flora", role: "sells flowers", personality: "cheerful" };
const answer = await new Assistant({ ...about, tools: [stock], coreEngineClient }).ask("How many?");
expectReceipts(answer).toMatch([{ tool: "stock", status: "succeeded" }]);
console.log(answer.text);
const local = new Assistant({ ...about, tools: [], coreEngineClient: new LocalEngine() });
await local.ask("hi").catch(({ name, code }) => console.log(name, code));
`;
