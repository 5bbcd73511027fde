// node apps/cli/pack.mjs [folder]: builds Elwood as the npm package `elwood` and packs it into one
// .tgz, whose path is the last line printed. The package has built JavaScript, the page and the
// workspace's templates, laid out as in this repository, and no sources: Node strips no types
// below node_modules. What runs is what is tested: the same build, without its source maps.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildGateway } from "./build.mjs";
import { readManifest } from "./bin/built.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Parts that few need and that are large: their owner adds them with `elwood install`. */
const OPTIONAL_PARTS = new Set(["playwright-core"]);
/** Built in, and needed by nothing that is not. */
const BUILT_IN = new Set(["ws", "yaml", "commander", "openai", "@anthropic-ai/sdk", "turndown"]);
/** Of the page, which is built. */
const PAGE_ONLY = "apps/web";

const FILES = [
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "SECURITY.md",
  ".env.example",
  "bin/assistant",
  "apps/cli/bin/elwood.mjs",
  "apps/cli/bin/built.mjs",
  "apps/cli/bin/node-version.mjs",
  "apps/cli/bin/old-node.mjs",
  "apps/cli/src/completion/elwood.bash",
  "apps/cli/src/completion/elwood.fish",
  "apps/cli/src/completion/elwood.zsh",
  "apps/web/dist",
  "workspace",
  "docs",
];

/**
 * Lays the package out in a folder.
 *
 * @param {string} folder
 */
export async function layOut(folder) {
  execFileSync(process.execPath, [join(root, "scripts/build-page.mjs")], { stdio: "pipe" });
  await buildGateway();
  const built = readManifest(join(root, "apps/cli/dist"));
  if (!built) throw new Error("the gateway was not built");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const filter = (/** @type {string} */ path) => !path.endsWith("docs/images");
  for (const path of FILES) cpSync(join(root, path), join(folder, path), { recursive: true, filter });
  const build = join("apps/cli/dist", built.build);
  cpSync(join(root, build), join(folder, build), {
    recursive: true,
    filter: (path) => !path.endsWith(".map"),
  });
  // No sources to compare the build with.
  write(join(folder, "apps/cli/dist/manifest.json"), { build: built.build, files: {} });
  write(join(folder, "package.json"), manifest(build));
}

/** @param {string} build the folder of the build */
function manifest(build) {
  const own = read("package.json");
  return {
    name: "elwood",
    version: own.version,
    description: own.description,
    license: own.license,
    type: "module",
    bin: { elwood: "apps/cli/bin/elwood.mjs", assistant: "bin/assistant" },
    exports: { "./local-runtime": `./${build}/local-runtime.js`, "./package.json": "./package.json" },
    engines: own.engines,
    files: ["apps", "bin", "docs", "workspace", ".env.example", "CHANGELOG.md", "SECURITY.md"],
    ...dependencies(),
  };
}

/** What the build imports and does not contain, at the versions that it was tested with. */
function dependencies() {
  /** @type {Record<string, string>} */
  const needed = {};
  /** @type {Record<string, string>} */
  const optional = {};
  for (const folder of ["packages", "apps", "integrations", "channels"]) {
    for (const name of readdirSync(join(root, folder))) {
      const path = `${folder}/${name}/package.json`;
      if (!existsSync(join(root, path)) || path.startsWith(PAGE_ONLY) || name === "testkit") continue;
      const own = read(path);
      Object.assign(needed, own.dependencies);
      Object.assign(optional, own.optionalDependencies);
    }
  }
  /** @param {string} name */
  const kept = (name) => !name.startsWith("@elwood/") && !OPTIONAL_PARTS.has(name) && !BUILT_IN.has(name);
  /** @param {Record<string, string>} all */
  const sorted = (all) =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([name]) => kept(name))
        .toSorted(([a], [b]) => a.localeCompare(b, "en")),
    );
  const dependencies = sorted(needed);
  for (const [name, version] of Object.entries(dependencies))
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name} has no exact version: ${version}`);
  return { dependencies, optionalDependencies: sorted(optional) };
}

/** @param {string} path */
function read(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function write(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = resolve(process.argv[2] ?? join(root, "dist-package"));
  const folder = join(out, "package");
  await layOut(folder);
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", out], {
    cwd: folder,
    encoding: "utf8",
  });
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed);
  process.stderr.write(`${entryCount} files, ${mb(size)} packed, ${mb(unpackedSize)} unpacked\n`);
  process.stdout.write(`${join(out, filename)}\n`);
}

/** @param {number} bytes */
function mb(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
