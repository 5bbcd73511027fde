// node apps/cli/build.mjs: builds the gateway, the command line and their child processes and
// threads into apps/cli/dist, unless what lies there was built from these very sources.
// Runs after an install, before tests, and from the launcher where sources have changed.
//
// Each build is a folder of its own, named after its sources, and manifest.json names the one
// in use: a gateway that runs on loads the rest of its own code, whatever is built meanwhile.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { changedFiles, readManifest } from "./bin/built.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "apps/cli");
const dist = join(cli, "dist");
const ENTRY = join(cli, "src/main.ts");
const BUILD_CHARS = 16;
/** Gateways that were started from the builds before this one may still run. */
const BUILDS_KEPT = 5;

/**
 * Packages that are small and used by every start are built in; all others stay where npm put
 * them: they are large, native, or bring files of their own.
 */
const BUILT_IN = /^(?:@elwood\/|zod$|zod\/|ws$|yaml$|commander$)/;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const started = performance.now();
    const built = await buildGateway();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(built ? `Built the gateway (${seconds} s).\n` : "The gateway is built already.\n");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`The gateway was not built: ${why}\n`);
    process.exitCode = process.env.npm_lifecycle_event === "postinstall" ? 0 : 1;
  }
}

/** @returns {Promise<boolean>} whether it had to be built */
export async function buildGateway() {
  const manifest = readManifest(dist);
  if (manifest && changedFiles(root, manifest).length === 0) {
    // Only touched: the next start need not compare their bytes again.
    writeManifest(manifest.build, Object.keys(manifest.files));
    return false;
  }
  const { rolldown } = await import("rolldown");
  /** @type {Set<string>} every module that was read, those of which nothing is left in the build too */
  const seen = new Set();
  const fresh = join(dist, `building-${process.pid}`);
  const out = join(dist, "x".repeat(BUILD_CHARS));
  try {
    const bundle = await rolldown({
      input: { main: ENTRY },
      platform: "node",
      external: (id) => !id.startsWith(".") && !id.startsWith("/") && !BUILT_IN.test(id),
      plugins: [ownPlaces(out, seen), englishOnly()],
      logLevel: "warn",
    });
    await bundle.write({
      dir: fresh,
      format: "esm",
      sourcemap: true,
      minify: false,
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
    });
    await bundle.close();
    const own = [...seen]
      .map((id) => relative(root, id))
      .filter((path) => !path.startsWith("..") && !path.includes("node_modules") && !path.startsWith("\0"))
      .toSorted();
    const files = [...own, "package-lock.json", "apps/cli/build.mjs"];
    const build = stamp(files);
    rmSync(join(dist, build), { recursive: true, force: true });
    renameSync(fresh, join(dist, build));
    writeManifest(build, files);
    removeOld(build);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
}

/**
 * A module asks for files beside it by `import.meta.url`. In a build it lies elsewhere, so it is
 * given the address of its source; a module of ours that it starts as a thread or process is
 * built too, and named by its place in the build.
 *
 * @param {string} out a folder as deep as the one the build will lie in
 * @param {Set<string>} seen
 * @returns {import("rolldown").Plugin}
 */
function ownPlaces(out, seen) {
  return {
    name: "elwood-places",
    transform(code, id) {
      seen.add(id);
      if (id.includes("/node_modules/") || !code.includes("import.meta.url")) return null;
      const started = /new URL\(\s*"([^"]+\.ts)",\s*import\.meta\.url\s*,?\s*\)/g;
      const rewritten = code
        .replace(started, (_, path) => {
          const target = join(dirname(id), path);
          const name = basename(target, ".ts");
          this.emitFile({ type: "chunk", id: target, name, fileName: `${name}.js` });
          return `new URL("./${name}.js", IMPORT_META_URL)`;
        })
        .replaceAll("import.meta.url", `new URL("${relative(out, id)}", IMPORT_META_URL).href`)
        .replaceAll("IMPORT_META_URL", "import.meta.url");
      return { code: rewritten, map: null };
    },
  };
}

/**
 * Of the sixty languages of Zod's messages one is spoken here.
 *
 * @returns {import("rolldown").Plugin}
 */
function englishOnly() {
  return {
    name: "elwood-english",
    async resolveId(source, importer) {
      if (source !== "../locales/index.js" || !importer?.includes("/node_modules/zod/")) return null;
      return { id: "\0zod-english", moduleSideEffects: false };
    },
    load(id) {
      if (id !== "\0zod-english") return null;
      const english = fileURLToPath(import.meta.resolve("zod/v4/locales/en.js"));
      return `export { default as en } from ${JSON.stringify(english)};`;
    },
  };
}

/** @param {readonly string[]} files */
function stamp(files) {
  const hash = createHash("sha256");
  for (const path of files)
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)));
  return hash.digest("hex").slice(0, BUILD_CHARS);
}

/**
 * What the build was made of, with what a start compares: sizes and times, and where these
 * differ, the bytes.
 *
 * @param {string} build
 * @param {readonly string[]} paths
 */
function writeManifest(build, paths) {
  const files = Object.fromEntries(
    paths.map((path) => {
      const { size, mtimeMs } = statSync(join(root, path));
      const hash = createHash("sha256")
        .update(readFileSync(join(root, path)))
        .digest("hex");
      return [path, [size, mtimeMs, hash]];
    }),
  );
  mkdirSync(dist, { recursive: true });
  const fresh = join(dist, `manifest-${process.pid}.json`);
  writeFileSync(fresh, JSON.stringify({ build, files }));
  renameSync(fresh, join(dist, "manifest.json"));
}

/** @param {string} build */
function removeOld(build) {
  const builds = readdirSync(dist, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== build && /^[0-9a-f]{16}$/.test(entry.name))
    .map((entry) => ({ path: join(dist, entry.name), at: statSync(join(dist, entry.name)).mtimeMs }))
    .toSorted((a, b) => b.at - a.at);
  for (const { path } of builds.slice(BUILDS_KEPT - 1)) rmSync(path, { recursive: true, force: true });
}
