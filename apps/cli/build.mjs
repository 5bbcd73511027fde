// node apps/cli/build.mjs: builds the gateway, the command line and their child processes and
// threads into apps/cli/dist, unless what lies there was built from these very sources.
// Runs after an install, before tests, and from the launcher where sources have changed.
//
// Each build is a folder of its own, named after its sources, and manifest.json names the one
// in use: a gateway that runs on loads the rest of its own code, whatever is built meanwhile.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  changedFiles,
  channelFolders,
  CHANNELS,
  integrationFolders,
  INTEGRATIONS,
  readManifest,
} from "./bin/built.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "apps/cli");
const dist = join(cli, "dist");
const ENTRY = join(cli, "src/main.ts");
/** What programs import from the package: the runtime for `@elwood/sdk/local`. */
const RUNTIME = join(root, "apps/gateway/src/local-runtime.ts");
const BUILD_CHARS = 16;
/** Gateways that were started from the builds before this one may still run. */
const BUILDS_KEPT = 5;

/**
 * Packages that are small and used by every start are built in, and so are the clients of model
 * providers, of which a few files of 60 MB are used. All others stay where npm put them: they are
 * large, native, or bring files of their own.
 */
const BUILT_IN = /^(?:@elwood\/|zod$|zod\/|ws$|yaml$|commander$|openai$|@anthropic-ai\/sdk$|turndown$)/;

/**
 * It is only handed documents that are parsed already, so its form for browsers does, without a
 * parser of 9 MB.
 */
const ALIASES = { turndown: join(root, "node_modules/turndown/lib/turndown.browser.es.js") };

/** The folder of threads and processes. */
const CHILDREN = "children";

/**
 * Code that is sent to a process which can read no files, by its source: the folder that all
 * of it lies in, and what the process can import besides.
 *
 * @type {Record<string, { folder: string, beside?: Record<string, string> }>}
 */
const SENT = {
  "packages/isolation/src/quickjs/child.ts": { folder: "sandbox" },
  "packages/isolation/src/tool-host/host.ts": {
    folder: "tool-host",
    beside: { tool: "packages/sdk/src/tool.ts" },
  },
};

/**
 * What a start needs lies in few files, since each costs a look at the disk: what every
 * command uses, what talks to a gateway, and the gateway. The rest is cut by who uses it.
 *
 * @param {readonly string[]} entries
 * @returns {import("rolldown").CodeSplittingGroup[]}
 */
function groupsFor(entries) {
  return [
    // Without the entries: one waits for its command to end, and whatever imports its file would wait for that.
    { name: "base", tags: ["$initial"], test: (id) => !entries.includes(id), priority: 3 },
    { name: "client", test: /packages\/sdk\/src\/client\.ts$/, priority: 2 },
    {
      name: "gateway",
      test: /apps\/(?:gateway\/src\/(?:gateway|built-in-tools)|cli\/src\/up-command)\.ts$/,
      priority: 1,
    },
  ];
}

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
  /** @type {Set<string>} every module that was read, those of which nothing is left in the build too */
  const seen = new Set();
  const fresh = join(dist, `building-${process.pid}`);
  try {
    const started = await bundle({ main: ENTRY, "local-runtime": RUNTIME }, "", fresh, seen);
    await buildChildren(started, fresh, seen);
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
 * Builds a module of a test that brings a gateway along, which starts three times as fast then.
 *
 * @param {string} entry
 * @returns {Promise<{ path: string, remove: () => void }>}
 */
export async function buildForTest(entry) {
  // As long as any other name of a build: paths in it count on that.
  const build = createHash("sha1").update(`${entry} ${process.pid}`).digest("hex").slice(0, BUILD_CHARS);
  const fresh = join(dist, build);
  const seen = new Set();
  const name = basename(entry, ".ts");
  await buildChildren(await bundle({ [name]: entry }, "", fresh, seen), fresh, seen);
  return { path: join(fresh, `${name}.js`), remove: () => rmSync(fresh, { recursive: true, force: true }) };
}

/**
 * Threads and processes are built apart from the gateway: none of them loads a file of its
 * code for the sake of a function that both use.
 *
 * @param {ReadonlySet<string>} started
 * @param {string} fresh
 * @param {Set<string>} seen
 */
async function buildChildren(started, fresh, seen) {
  const sources = new Set(started);
  const children = [...sources].filter((id) => SENT[relative(root, id)] === undefined);
  if (children.length > 0) {
    const inputs = Object.fromEntries(children.map((id) => [basename(id, ".ts"), id]));
    for (const id of await bundle(inputs, CHILDREN, fresh, seen)) sources.add(id);
  }
  for (const [path, { folder, beside = {} }] of Object.entries(SENT)) {
    const id = join(root, path);
    if (!sources.has(id)) continue;
    const more = Object.entries(beside).map(([name, file]) => [name, join(root, file)]);
    await bundle({ [basename(id, ".ts")]: id, ...Object.fromEntries(more) }, folder, fresh, seen);
  }
}

/**
 * @param {Record<string, string>} input
 * @param {string} folder where in the build it goes
 * @param {string} fresh
 * @param {Set<string>} seen
 * @returns {Promise<ReadonlySet<string>>} the sources that it starts as threads or processes
 */
async function bundle(input, folder, fresh, seen) {
  const { rolldown } = await import("rolldown");
  /** @type {Set<string>} */
  const started = new Set();
  const isMain = folder === "";
  const isSent = !isMain && folder !== CHILDREN;
  const made = await rolldown({
    input,
    platform: "node",
    external: (id, importer) => isLeftOut(id, importer, folder),
    // Where code is sent to, the way around imports is taken away.
    plugins: [
      integrationList(seen),
      channelList(),
      ownPlaces(folder, seen, started),
      englishOnly(),
      ...(isSent ? [] : [plainBuiltins()]),
    ],
    resolve: { alias: ALIASES },
    // Native parts of ws that nobody installs here: it would look for them at each start.
    transform: {
      define: { "process.env.WS_NO_BUFFER_UTIL": "true", "process.env.WS_NO_UTF_8_VALIDATE": "true" },
    },
    logLevel: "warn",
  });
  await made.write({
    dir: join(fresh, folder),
    format: "esm",
    // Of what is sent nobody has a use for a map.
    sourcemap: !isSent,
    // Spaces and comments cost a start 15 ms: every character is read and decoded. Names stay as they are. One character
    // beyond ASCII would double what its file takes in memory for as long as the process runs.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    ...(isMain ? { codeSplitting: { groups: groupsFor(Object.values(input)) } } : {}),
  });
  await made.close();
  return started;
}

/**
 * What a package that is built in needs is built in with it: npm puts it nowhere.
 *
 * @param {string} id
 * @param {string | undefined} importer
 * @param {string} folder
 */
function isLeftOut(id, importer, folder) {
  if (id.startsWith(".") || id.startsWith("/")) return false;
  if (isBuiltin(id)) return true;
  return !importer?.includes("/node_modules/") && !isBuiltIn(id, folder);
}

/**
 * @param {string} id
 * @param {string} folder
 */
function isBuiltIn(id, folder) {
  // The owner's tools and the code around them share one zod.
  return BUILT_IN.test(id) && !(folder === "tool-host" && id === "zod");
}

/**
 * A module asks for files beside it by `import.meta.url`. In a build it lies elsewhere, so it is
 * given the address of its source; a module of ours that it starts as a thread or process is
 * built too, and named by its place in the build.
 *
 * @param {string} folder
 * @param {Set<string>} seen
 * @param {Set<string>} started
 * @returns {import("rolldown").Plugin}
 */
function ownPlaces(folder, seen, started) {
  const out = join(dist, "x".repeat(BUILD_CHARS), folder);
  return {
    name: "elwood-places",
    transform(code, id) {
      seen.add(id);
      if (id.includes("/node_modules/") || !code.includes("import.meta.url")) return null;
      const child = /new URL\(\s*"([^"]+)\.(ts|mjs)",\s*import\.meta\.url\s*,?\s*\)/g;
      const rewritten = code
        .replace(child, (_, path, kind) => {
          const target = join(dirname(id), `${path}.${kind}`);
          const name = basename(path);
          if (kind === "mjs") {
            // Plain JavaScript that stands alone: as it is.
            seen.add(target);
            this.emitFile({ type: "asset", fileName: `${name}.mjs`, source: readFileSync(target) });
            return `new URL("./${name}.mjs", IMPORT_META_URL)`;
          }
          started.add(target);
          const place = join(SENT[relative(root, target)]?.folder ?? CHILDREN, `${name}.js`);
          if (folder === CHILDREN && !SENT[relative(root, target)])
            this.emitFile({ type: "chunk", id: target, name, fileName: `${name}.js` });
          return `new URL("${relative(folder, place).replace(/^(?!\.)/, "./")}", IMPORT_META_URL)`;
        })
        .replaceAll("import.meta.url", `new URL("${relative(out, id)}", IMPORT_META_URL).href`)
        .replaceAll("IMPORT_META_URL", "import.meta.url");
      return { code: rewritten, map: null };
    },
  };
}

/**
 * In place of looking for integrations on the disk, the list of them: what each says of itself, and how
 * to load it. Each is a file of its own, which a start reads only where the integration is set up.
 *
 * @param {Set<string>} seen
 * @returns {import("rolldown").Plugin}
 */
function integrationList(seen) {
  const looked = join(root, "apps/gateway/src/integrations/integration-folders.ts");
  return {
    name: "elwood-integrations",
    load(id) {
      if (id !== looked) return null;
      const names = integrationFolders(root).filter((name) =>
        existsSync(join(root, INTEGRATIONS, name, "manifest.json")),
      );
      const rows = names.map((name) => {
        const path = join(root, INTEGRATIONS, name, "manifest.json");
        seen.add(path);
        const load = `() => import(${JSON.stringify(join(root, INTEGRATIONS, name, "index.ts"))})`;
        return `[${JSON.stringify(name)}, ${JSON.stringify(JSON.parse(readFileSync(path, "utf8")))}, ${load}]`;
      });
      return {
        moduleType: "js",
        code: `import { readManifest } from "@elwood/core/integration/manifest";
const LIST = [${rows.join(",")}];
export function integrationFolders() {
  return {
    manifests: async () => LIST.map(([name, value]) => readManifest(value, name)).flatMap((read) => (read.ok ? [read.value] : [])),
    load: async (name) => (await LIST.find(([each]) => each === name)[2]()).default,
  };
}`,
      };
    },
  };
}

/**
 * The same for chat services: a package has no sources that could be loaded by the name of their folder.
 *
 * @returns {import("rolldown").Plugin}
 */
function channelList() {
  const looked = join(root, "apps/gateway/src/channels/channel-folders.ts");
  return {
    name: "elwood-channels",
    load(id) {
      if (id !== looked) return null;
      const names = channelFolders(root).filter((name) => existsSync(join(root, CHANNELS, name, "index.ts")));
      const rows = names.map(
        (name) =>
          `[${JSON.stringify(name)}, () => import(${JSON.stringify(join(root, CHANNELS, name, "index.ts"))})]`,
      );
      return {
        moduleType: "js",
        code: `const LIST = [${rows.join(",")}];
export async function channelNames() {
  return LIST.map(([name]) => name);
}
export async function loadChannel(name) {
  return (await LIST.find(([each]) => each === name)[1]()).default;
}`,
      };
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

/**
 * An import of one of Node's modules reads everything that the module has, also what Node loads
 * only when it is read: `node:http` brings the whole of `fetch`. Taken by name it costs what is used.
 *
 * @returns {import("rolldown").Plugin}
 */
function plainBuiltins() {
  return {
    name: "elwood-builtins",
    renderChunk(code) {
      const line = /^import (?:(?:\* as )?([\w$]+))?(?:, )?(?:\{ (.+) \})? from "(node:[\w/]+)";$/gm;
      return {
        code: code.replace(line, (_, whole, names, from) => {
          // A bundled module may have a `process` of its own.
          const module = `globalThis.process.getBuiltinModule("${from}")`;
          const parts = [whole, names && `{ ${names.replaceAll(" as ", ": ")} }`].filter(Boolean);
          return parts.map((part) => `const ${part} = ${module};`).join(" ");
        }),
        map: null,
      };
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
  const integrations = integrationFolders(root);
  writeFileSync(fresh, JSON.stringify({ build, files, integrations }));
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
