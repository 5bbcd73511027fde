// node scripts/build-page.mjs: builds the page into apps/web/dist, unless what lies there
// was built from these very sources. Runs after an install and before tests. An install that
// lacks what it takes (--omit=dev) is not failed by it: the terminal works without a page, and
// whoever opens the page is told how to build it.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const web = join(root, "apps/web");
const dist = join(web, "dist");
const BUILD_CHARS = 16;

try {
  const built = await buildPage();
  console.log(built ? "Built the page." : "The page is built already.");
} catch (error) {
  const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  console.error(
    `The page was not built: ${why}\nElwood works in the terminal without it. Build it with: npm ci && npm run build`,
  );
  process.exitCode = process.env.npm_lifecycle_event === "postinstall" ? 0 : 1;
}

/** @returns {Promise<boolean>} whether it had to be built */
async function buildPage() {
  const stamp = sourcesStamp();
  if (existsSync(join(dist, "index.html")) && read(join(dist, "sources.txt")) === stamp) return false;
  // Lit is another one for those who develop with it.
  process.env.NODE_ENV = "production";
  const { build } = await import("vite");
  // Beside the old one, and then in its place: a gateway that serves it meets one or the other.
  const fresh = join(web, `dist-${process.pid}`);
  try {
    await build({
      configFile: join(web, "vite.config.ts"),
      logLevel: "warn",
      plugins: [namesBuild(stamp.slice(0, BUILD_CHARS))],
      build: { outDir: fresh, emptyOutDir: true },
    });
    writeFileSync(join(fresh, "sources.txt"), stamp);
    rmSync(dist, { recursive: true, force: true });
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return true;
}

/**
 * The document says which build it is: the gateway says which one lies there, and a page that is
 * older than that asks for a reload.
 *
 * @param {string} build
 * @returns {import("vite").Plugin}
 */
function namesBuild(build) {
  return {
    name: "elwood-build",
    transformIndexHtml: () => [
      { tag: "meta", attrs: { name: "elwood-build", content: build }, injectTo: "head" },
    ],
  };
}

/** Everything that goes into the page: its own files, those of core and the sdk, and the versions of the rest. */
function sourcesStamp() {
  const hash = createHash("sha256");
  for (const folder of ["apps/web", "packages/core/src", "packages/sdk/src"]) {
    const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((name) => !/\/(dist[^/]*|node_modules)\//.test(name) && !name.endsWith(".test.ts"))
      .toSorted();
    for (const name of names) hash.update(name.slice(root.length)).update("\0").update(readFileSync(name));
  }
  return `${hash.update(read(join(root, "package-lock.json"))).digest("hex")}\n`;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not there, which is as good as from other sources
  }
}
