// node packages/sdk/pack.mjs [folder]: builds the SDK as the npm package `@elwood/sdk` and packs it into one
// .tgz, whose path is the last line printed. The package has built JavaScript with source maps, and types. What
// of `core` it uses is built in. The runtime is not: `./local` loads it from the package `elwood`.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = "packages/sdk/src";

/** What programs import, and the source of each. */
export const ENTRIES = {
  ".": "index",
  "./client": "client",
  "./tool": "tool",
  "./channel": "channel",
  "./testing": "testing",
  "./local": "local",
};

/** The client, and all but `./local`, run on what is older than the product itself. */
const NODE_MIN = ">=20";
/** The runtime, as it is named here and in the package that has it. */
const RUNTIME = { here: "@elwood/gateway/local-runtime", published: "elwood/local-runtime" };

/**
 * Lays the package out in a folder.
 *
 * @param {string} folder
 */
export async function layOut(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await buildCode(join(folder, "dist"));
  writeTypes(join(folder, "types"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  // Links into this repository lead nowhere from a package.
  const guide = readFileSync(join(root, "docs/sdk.md"), "utf8").replace(
    /\[([^\]]+)\]\((?!https?:)[^)]*\)/g,
    "$1",
  );
  writeFileSync(join(folder, "README.md"), guide);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest() {
  const { version, license } = read("package.json");
  const { dependencies, devDependencies } = read("packages/sdk/package.json");
  return {
    name: "@elwood/sdk",
    version,
    description: "Assistants as code: their calls ask first, are made once, and leave receipts.",
    license,
    type: "module",
    sideEffects: false,
    exports: Object.fromEntries([
      ...Object.entries(ENTRIES).map(([entry, name]) => [
        entry,
        { types: `./types/sdk/${name}.d.ts`, default: `./dist/${name}.js` },
      ]),
      ["./package.json", "./package.json"],
    ]),
    files: ["dist", "types"],
    engines: { node: NODE_MIN },
    // `zod` is behind the types of the protocol, and checks plain JSON Schemas where one is used.
    dependencies: { marked: dependencies.marked, zod: devDependencies.zod },
    peerDependencies: { elwood: version },
    peerDependenciesMeta: { elwood: { optional: true } },
  };
}

/** @param {string} folder */
async function buildCode(folder) {
  const { rolldown } = await import("rolldown");
  const input = Object.fromEntries(
    Object.values(ENTRIES).map((name) => [name, join(root, SOURCES, `${name}.ts`)]),
  );
  const made = await rolldown({
    input,
    platform: "neutral",
    external: (id) => isBuiltin(id) || id === RUNTIME.published || /^(?:zod|marked)(?:\/|$)/.test(id),
    resolve: { conditionNames: ["import", "default"] },
    plugins: [publishedNames(), olderNode()],
    treeshake: { moduleSideEffects: false },
    logLevel: "warn",
  });
  await made.write({
    dir: folder,
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await made.close();
}

/**
 * The runtime lies in a package of its own.
 *
 * @returns {import("rolldown").Plugin}
 */
function publishedNames() {
  return {
    name: "sdk-names",
    resolveId: (id) => (id === RUNTIME.here ? { id: RUNTIME.published, external: true } : null),
  };
}

/**
 * `Promise.withResolvers` is younger than the oldest Node that the client runs on.
 *
 * @returns {import("rolldown").Plugin}
 */
function olderNode() {
  const own = "\0with-resolvers";
  return {
    name: "sdk-older-node",
    resolveId: (id) => (id === own ? own : null),
    load: (id) =>
      id === own
        ? `export function withResolvers() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}`
        : null,
    transform(code, id) {
      if (id === own || !code.includes("Promise.withResolvers")) return null;
      const used = code.replaceAll("Promise.withResolvers", "withResolvers");
      return { code: `import { withResolvers } from ${JSON.stringify(own)};${used}`, map: null };
    },
  };
}

/**
 * Types of the entries and of all that they name, laid out as the sources are.
 *
 * @param {string} folder
 */
function writeTypes(folder) {
  const made = emitTypes();
  try {
    /** @type {Set<string>} from the project's root */
    const wanted = new Set(Object.values(ENTRIES).map((name) => `${SOURCES}/${name}.ts`));
    for (const source of wanted) {
      const path = placeOf(source);
      const text = readFileSync(join(made, source.replace(/\.ts$/, ".d.ts")), "utf8");
      const named = /(from |import\()"([^"]+)"/g;
      const rewritten = text.replace(named, (whole, before, name) => {
        const target = sourceOf(name, source);
        if (target === undefined) return whole;
        wanted.add(target);
        const to = relative(dirname(path), placeOf(target)).replace(/\.d\.ts$/, ".js");
        return `${before}"${to.startsWith(".") ? to : `./${to}`}"`;
      });
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), rewritten);
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/**
 * Where the types of a source go.
 *
 * @param {string} source
 */
function placeOf(source) {
  return source.replace(/^packages\/([^/]+)\/src\//, "$1/").replace(/\.ts$/, ".d.ts");
}

/**
 * The source behind a name in another one; undefined for what stays a package.
 *
 * @param {string} name
 * @param {string} from
 */
function sourceOf(name, from) {
  if (name.startsWith(".")) return join(dirname(from), name);
  const [, part = "", rest] = /^@elwood\/([^/]+)\/(.+)$/.exec(name) ?? [];
  if (rest === undefined) return undefined;
  const target = read(`packages/${part}/package.json`).exports[`./${rest}`];
  return join(`packages/${part}`, target);
}

/** @returns {string} a temporary folder */
function emitTypes() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-types-"));
  const runtime = join(folder, "runtime.d.ts");
  // No type of the runtime is seen from outside, and all of it would be read.
  writeFileSync(runtime, "export declare function openLocalRuntime(options: unknown): Promise<never>;\n");
  const config = join(folder, "tsconfig.json");
  const options = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: root,
    outDir: folder,
    typeRoots: [join(root, "node_modules/@types")],
    paths: {
      [RUNTIME.here]: [runtime],
      // By their place: of a package, no types are written.
      "@elwood/core/*": [join(root, "packages/core/src/*.ts")],
    },
  };
  const files = Object.values(ENTRIES).map((name) => join(root, SOURCES, `${name}.ts`));
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions: options, files, include: [] }),
  );
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  if (!existsSync(compiler)) throw new Error("the compiler is not installed: npm ci");
  execFileSync(process.execPath, [compiler, "-p", config], { stdio: ["ignore", "inherit", "inherit"] });
  return folder;
}

/** @param {string} path */
function read(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = resolve(process.argv[2] ?? join(root, "dist-sdk"));
  const folder = join(out, "package");
  await layOut(folder);
  const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", out], {
    cwd: folder,
    encoding: "utf8",
  });
  const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed);
  const kb = (/** @type {number} */ bytes) => `${Math.round(bytes / 1024)} KB`;
  process.stderr.write(`${entryCount} files, ${kb(size)} packed, ${kb(unpackedSize)} unpacked\n`);
  process.stdout.write(`${join(out, filename)}\n`);
}
