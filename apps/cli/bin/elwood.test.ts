import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { cacheDirectory, isNewEnough } from "./node-version.mjs";
import { explanation, findBundledNode } from "./old-node.mjs";

/**
 * Each test lays out a small copy of the installation: the real launcher beside a main.ts
 * that reports what it was given, and node_modules as npm would have left them.
 */
const scratch = mkdtempSync(join(tmpdir(), "elwood-launcher-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const MAIN = `
const found: { argv: string[]; version: string } = { argv: process.argv.slice(2), version: process.versions.node };
const how: string = found.argv[0] ?? "";
if (how === "exit") process.exit(Number(found.argv[1]));
if (how === "die") process.kill(process.pid, "SIGKILL");
if (how === "wait") {
  process.on("SIGTERM", () => { console.log("got SIGTERM"); process.exit(7); });
  process.on("SIGINT", () => { console.log("got SIGINT"); process.exit(8); });
  setInterval(() => undefined, 1_000);
}
console.log(JSON.stringify(found));
`;

const BUNDLED = join("node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");

const BUNDLED_SCRIPTS = {
  working: `#!/bin/sh\nexec '${process.execPath}' "$@"\n`,
  broken: "#!/no/such/interpreter\n",
  /** What a system without the usual loader answers. */
  loaderless: "#!/bin/sh\nexit 127\n",
};

function installation(name: string, bundled: "none" | keyof typeof BUNDLED_SCRIPTS): string {
  const root = join(scratch, name);
  cpSync(import.meta.dirname, join(root, "apps/cli/bin"), { recursive: true });
  mkdirSync(join(root, "apps/cli/src"), { recursive: true });
  writeFileSync(join(root, "apps/cli/src/main.ts"), MAIN);
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  if (bundled === "none") return root;
  mkdirSync(join(root, BUNDLED, ".."), { recursive: true });
  writeFileSync(join(root, BUNDLED), BUNDLED_SCRIPTS[bundled], { mode: 0o755 });
  return root;
}

const launcherOf = (root: string) => join(root, "apps/cli/bin/elwood.mjs");
const environment = { PATH: process.env["PATH"], XDG_CACHE_HOME: join(scratch, "cache") };

function run(node: string, root: string, ...args: string[]) {
  return spawnSync(node, [launcherOf(root), ...args], { encoding: "utf8", env: environment });
}

/** The machine's own Node, behind the one that npm put first on the path, if it is too old for Elwood. */
function oldNode(): string | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const node = join(folder, "node");
    if (folder.includes("node_modules") || !existsSync(node)) continue;
    try {
      accessSync(node, constants.X_OK);
      const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim().slice(1);
      if (!isNewEnough(version)) return node;
    } catch {
      continue; // not a program that runs here: look further along the path
    }
  }
  return undefined;
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    if (text.includes("\n")) break;
  }
  return text.trim();
}

describe("with a Node that is new enough", () => {
  test("the command line runs in the same process, with its arguments, and nothing else is printed", () => {
    const result = run(process.execPath, installation("new", "none"), "hello there", "--json");
    expect(result.stderr).toBe("");
    expect(JSON.parse(result.stdout)).toEqual({
      argv: ["hello there", "--json"],
      version: process.versions.node,
    });
    expect(result.status).toBe(0);
  });

  test("an experimental warning of Node stays away from the person, any other warning does not", () => {
    const root = installation("warnings", "none");
    writeFileSync(
      join(root, "apps/cli/src/main.ts"),
      'process.emitWarning("shaky", "ExperimentalWarning"); process.emitWarning("old", "DeprecationWarning");',
    );
    const result = run(process.execPath, root);
    expect(result.stderr).not.toContain("shaky");
    expect(result.stderr).toContain("old");
  });

  test("compiled code is kept in the user's cache directory", () => {
    run(process.execPath, installation("cached", "none"), "exit", "0");
    expect(readdirSync(join(scratch, "cache/elwood"))).not.toEqual([]);
  });

  test("a cache directory that cannot be written is no reason to fail", () => {
    const root = installation("uncached", "none");
    writeFileSync(join(root, "a-file"), "");
    const result = spawnSync(process.execPath, [launcherOf(root)], {
      encoding: "utf8",
      env: { ...environment, XDG_CACHE_HOME: join(root, "a-file") },
    });
    expect(result.stderr).toBe("");
    expect(result.status).toBe(0);
  });
});

const old = oldNode();
// oxlint-disable-next-line no-console
if (old === undefined) console.log("Skipped: the launcher under an old Node (this machine has none).");

/** Under any Node, what the launcher does under an old one. */
const AS_IF_OLD = 'import { heal } from "./old-node.mjs";\nawait heal();\n';

describe.each([
  { by: "an old Node", node: old, entry: "elwood.mjs" },
  { by: "any Node, as if it were old", node: process.execPath, entry: "as-if-old.mjs" },
])("started by $by", ({ by, node = "", entry }) => {
  const it = test.skipIf(node === "");
  const prepare = (name: string, bundled: Parameters<typeof installation>[1]): string => {
    const root = installation(`${name} ${by}`, bundled);
    const folder = join(root, "apps/cli/bin");
    writeFileSync(join(folder, "as-if-old.mjs"), AS_IF_OLD);
    return join(folder, entry);
  };
  const run = (script: string, ...args: string[]) =>
    spawnSync(node, [script, ...args], { encoding: "utf8", env: environment });

  it("the Node from the lockfile takes over, arguments and exit code included", () => {
    const script = prepare("healed", "working");
    const result = run(script, "what", "--now");
    expect(result.stderr).toBe("");
    expect(JSON.parse(result.stdout)).toEqual({ argv: ["what", "--now"], version: process.versions.node });
    expect(run(script, "exit", "3").status).toBe(3);
  });

  it("a death by signal is passed on as the same signal", () => {
    expect(run(prepare("signalled", "working"), "die").signal).toBe("SIGKILL");
  });

  it.each([
    ["SIGTERM", 7],
    ["SIGINT", 8],
  ] as const)("%s reaches the process that took over, which decides how to end", async (signal, code) => {
    const child = spawn(node, [prepare(`forwards ${signal}`, "working"), "wait"], {
      stdio: ["ignore", "pipe", "ignore"],
      env: environment,
    });
    const exit = once(child, "exit");
    await firstLine(child);
    child.kill(signal);
    expect(await exit).toEqual([code, null]);
  });

  it("without another Node it says which was found, which is needed and how to get it", () => {
    const result = run(prepare("unhealed", "none"));
    expect(result.stdout).toBe("");
    expect(result.stderr).toMatch(/needs Node 24\.15 or newer, and this is Node \d+\.\d+\.\d+;/);
    expect(result.stderr).toContain("https://nodejs.org");
    expect(result.stderr).not.toContain("    at ");
    expect(result.status).toBe(1);
  });

  it.each(["broken", "loaderless"] as const)("a %s Node from the lockfile is explained", (how) => {
    const result = run(prepare(how, how));
    expect(result.stderr).toContain("The Node that came with Elwood does not run on this system.");
    expect(result.status).toBe(1);
  });
});

test.each([
  ["14.21.3", false],
  ["20.20.2", false],
  ["24.9.0", false],
  ["24.14.1", false],
  ["24.15.0", true],
  ["24.15.0-rc.1", true],
  ["24.100.0", true],
  ["25.0.0", true],
  ["26.0.0-nightly20260401", true],
  ["100.0.0", true],
  ["", false],
  ["unknown", false],
])("Node %s is new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

test("the cache lies where XDG says, else in the home directory, else nowhere", () => {
  expect(cacheDirectory({ XDG_CACHE_HOME: "/c", HOME: "/home/a" })).toBe("/c/elwood");
  expect(cacheDirectory({ XDG_CACHE_HOME: "relative", HOME: "/home/a" })).toBe("/home/a/.cache/elwood");
  expect(cacheDirectory({ XDG_CACHE_HOME: "", HOME: "/home/a" })).toBe("/home/a/.cache/elwood");
  expect(cacheDirectory({})).toBeUndefined();
});

test("the search for a Node climbs to the root and never finds the Node that is running", () => {
  const root = installation("climb", "working");
  const from = join(root, "apps/cli/bin");
  const running = { platform: process.platform, arch: process.arch, execPath: process.execPath };
  expect(findBundledNode(from, running)).toBe(join(root, BUNDLED));
  expect(findBundledNode(from, { ...running, execPath: join(root, BUNDLED) })).toBeUndefined();
  expect(findBundledNode(from, { ...running, arch: "riscv64" })).toBeUndefined();
});

test("the explanation speaks of npm ci only where npm ci would bring a Node", () => {
  const linux = { version: "v20.1.0", platform: "linux", arch: "x64" };
  expect(explanation(linux, "missing")).toContain('Run "npm ci"');
  expect(explanation({ ...linux, platform: "darwin" }, "missing")).not.toContain("npm ci");
  expect(explanation(linux, "broken")).not.toContain("npm ci");
  expect(explanation(linux, "missing", false)).not.toContain("npm ci");
});
