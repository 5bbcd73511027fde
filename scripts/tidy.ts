/**
 * The few rules that hold the house up, as functions from a file to its problems: which way
 * imports point, that core and runtime reach the world through ports only, and that nothing
 * of a builder's machine stays behind. All else is taste, not law.
 */
import { posix } from "node:path";
import { parseSync } from "vite";

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** What a part may import beside its own files. Where `packages` is missing, any package will do. */
interface Reach {
  readonly elwood: readonly string[];
  readonly packages?: readonly string[];
  readonly node: boolean;
}

/** What the two processes are made of. */
const PACKAGES = ["core", "runtime", "sdk", "platform", "store-sqlite", "providers", "memory", "isolation"];
/** Parts of the gateway that are given more than an integration is. Those with a manifest are found by their folder, and named nowhere. */
const INTEGRATIONS = [
  "integration-files",
  "integration-shell",
  "integration-web",
  "integration-browser",
  "integration-schedule",
];

/** First match counts. Integrations are named by the composition root alone. A folder that is not listed may import no part but core, runtime, sdk and testkit. */
const REACH: readonly (readonly [RegExp, Reach])[] = [
  [/^packages\/core\//, { elwood: [], packages: ["zod"], node: false }],
  [/^packages\/runtime\//, { elwood: ["core"], packages: ["zod"], node: true }],
  // Its own entry point, which brings the runtime along; nothing else of the SDK imports it.
  [
    /^packages\/sdk\/src\/assistant\/local-engine\.ts$/,
    { elwood: ["core", "gateway/local-runtime"], node: true },
  ],
  [/^packages\/sdk\//, { elwood: ["core"], node: true }],
  [/^packages\/platform\//, { elwood: ["core", "runtime"], node: true }],
  [/^packages\/store-sqlite\//, { elwood: ["core", "runtime", "platform"], node: true }],
  [/^packages\/providers\//, { elwood: ["core", "runtime", "sdk"], node: true }],
  [/^packages\/isolation\//, { elwood: ["core", "runtime", "sdk", "platform"], node: true }],
  [
    /^packages\/memory\/.*(\/test-[^/]*|\.test)\.ts$/,
    { elwood: ["core", "runtime", "sdk", "platform", "store-sqlite", "providers"], node: true },
  ],
  [/^packages\/memory\//, { elwood: ["core", "runtime", "sdk", "platform", "store-sqlite"], node: true }],
  [/^packages\/testkit\//, { elwood: ["core", "runtime", "sdk"], node: true }],
  [
    /^apps\/gateway\/(src\/(gateway|built-in-tools|browser\/open-browser)\.ts|test\/|bench\/)/,
    { elwood: [...PACKAGES, ...INTEGRATIONS, "testkit"], node: true },
  ],
  [/^apps\/gateway\//, { elwood: PACKAGES, node: true }],
  [/^apps\/cli\/src\/test-/, { elwood: [...PACKAGES, "gateway", "testkit"], node: true }],
  [/^apps\/cli\//, { elwood: [...PACKAGES, "gateway"], node: true }],
  [
    /^apps\/web\/src\//,
    {
      elwood: ["core", "sdk/client", "sdk/store", "sdk/view-state"],
      packages: ["lit", "marked", "highlight.js", "temml"],
      node: false,
    },
  ],
  [/^apps\//, { elwood: ["sdk", "core/protocol"], node: true }],
  [/^channels\/.*\/test-[^/]*\.ts$/, { elwood: ["sdk/channel", "testkit"], node: true }],
  [/^channels\//, { elwood: ["sdk/channel"], node: true }],
  [
    /^integrations\/shell\//,
    { elwood: ["sdk/tool", "sdk/documents", "sdk/integration", "platform/bubblewrap"], node: true },
  ],
  [/^integrations\//, { elwood: ["sdk/tool", "sdk/documents", "sdk/integration"], node: true }],
  [/^/, { elwood: ["core", "runtime", "sdk", "testkit"], node: true }],
];

/** Tests may use these on top of what the part they test may use. */
const TEST_REACH = ["testkit", "core", "runtime", "sdk"];

/** Stores and providers, which methods and the server get from gateway.ts. */
const CONCRETE = /^(store-sqlite|providers)\//;
/** Services and ports of the store that methods are written against. */
const SERVED = /^store-sqlite\/(receipts\/|fork-store$|insight$)/;

export function importProblems(file: SourceFile): string[] {
  const problems: string[] = [];
  const unit = unitOf(file.path);
  const reach = REACH.find(([folder]) => folder.test(file.path))![1];
  const test = isTest(file.path);
  for (const name of importsOf(file)) {
    const say = (why: string) => problems.push(`${file.path} imports "${name}": ${why}`);
    if (name.startsWith(".")) {
      const target = posix.join(posix.dirname(file.path), name);
      if (unitOf(target) !== unit) say(`only its own files by path, other parts by their @elwood name`);
    } else if (name.startsWith("@elwood/")) {
      const part = name.slice("@elwood/".length);
      const allowed = test ? [...reach.elwood, ...TEST_REACH] : reach.elwood;
      const inside = (each: string) => part === each || part.startsWith(`${each}/`);
      if (!allowed.some(inside)) say(`${unit} may import ${allowed.join(", ") || "no other part"}`);
      else if (!test && /^apps\/gateway\/src\/(server|methods)\//.test(file.path)) {
        if (CONCRETE.test(part) && !SERVED.test(part)) say("gateway.ts alone names concrete parts");
      }
    } else if (name.startsWith("node:")) {
      if (!reach.node && !test) say(`${unit} uses nothing of Node`);
    } else if (
      reach.packages !== undefined &&
      !test &&
      !reach.packages.some((each) => name === each || name.startsWith(`${each}/`))
    ) {
      say(`${unit} may use the packages ${reach.packages.join(", ")}`);
    }
  }
  return problems;
}

/**
 * What a package lets others import is a list, without patterns, and everything on it has a user
 * outside of the package. That nothing else is imported, Node and the compiler see to.
 */
export function exportProblems(files: readonly SourceFile[]): string[] {
  const used = files
    .filter(({ path }) => /\.(ts|mjs)$/.test(path))
    .map(({ path, text }) => ({ unit: unitOf(path), text }));
  return files
    .filter(({ path }) => /^packages\/[^/]+\/package\.json$/.test(path))
    .flatMap(({ path, text }) => {
      const { name, exports = {} } = JSON.parse(text) as { name: string; exports?: Record<string, string> };
      return Object.keys(exports).flatMap((entry) => {
        if (entry.includes("*")) return [`${path} exports ${entry}: name what others may import`];
        const specifier = `"${name}${entry.slice(1)}"`;
        const wanted = used.some(({ unit, text: code }) => unit !== unitOf(path) && code.includes(specifier));
        return wanted ? [] : [`${path} exports ${entry}, which nobody else imports`];
      });
    });
}

/**
 * Which folder of a part imports which other one; tests do not count. `.` is the part's own top
 * folder, which may import all of it.
 */
export function folderEdges(files: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const from = folderOf(file.path);
    if (from === undefined || from.folder === "." || isTest(file.path) || isForTests(file.path)) continue;
    for (const name of importsOf(file)) {
      if (!name.startsWith(".")) continue;
      const to = folderOf(posix.join(posix.dirname(file.path), name));
      if (to === undefined || to.part !== from.part || to.folder === from.folder) continue;
      const key = `${from.part}/${from.folder}`;
      edges.set(key, (edges.get(key) ?? new Set()).add(to.folder));
    }
  }
  return edges;
}

/** Edges that the table does not allow, and those it lists that are gone. */
export function edgeProblems(files: readonly SourceFile[], allowed: FolderEdges): string[] {
  const edges = folderEdges(files);
  const listed = Object.entries(allowed).flatMap(([from, to]) => to.map((folder) => [from, folder] as const));
  const isListed = (from: string, to: string) => allowed[from]?.includes(to) === true;
  return [
    ...[...edges].flatMap(([from, to]) =>
      [...to]
        .filter((folder) => !isListed(from, folder))
        .map((folder) => `${from} imports ${folder}: not in scripts/folder-edges.ts`),
    ),
    ...listed
      .filter(([from, to]) => edges.get(from)?.has(to) !== true)
      .map(([from, to]) => `${from} no longer imports ${to}: take it out of scripts/folder-edges.ts`),
  ];
}

/** Pairs of folders that import each other. */
export function mutualPairs(allowed: FolderEdges): string[] {
  return Object.entries(allowed)
    .flatMap(([from, to]) => {
      const [part, name] = [posix.dirname(from), posix.basename(from)];
      return to
        .filter((folder) => name < folder && allowed[`${part}/${folder}`]?.includes(name) === true)
        .map((folder) => `${part}: ${name} ↔ ${folder}`);
    })
    .toSorted();
}

export type FolderEdges = Readonly<Record<string, readonly string[]>>;

/** The part whose folders have edges, and the folder in it. */
function folderOf(path: string): { part: string; folder: string } | undefined {
  const found =
    /^(apps\/gateway\/src|packages\/[^/]+\/src)\/(?:([^/]+)\/)?[^/]*$|^(apps\/gateway\/src|packages\/[^/]+\/src)\/([^/]+)\//.exec(
      path,
    );
  const part = found?.[1] ?? found?.[3];
  return part === undefined ? undefined : { part, folder: found?.[2] ?? found?.[4] ?? "." };
}

/** Helpers of tests, and what only measures. */
function isForTests(path: string): boolean {
  return /\/test-[^/]*$|\/src\/(bench|crash)\//.test(path);
}

/** Globals that bring in time, chance, the network or the process; they come by ports instead. */
const AMBIENT_GLOBALS = new Set([
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "process",
  "console",
  "crypto",
  "performance",
  "globalThis",
]);
const AMBIENT_MEMBERS = new Set(["Date.now", "Math.random", "Temporal.Now", "AbortSignal.timeout"]);
const AMBIENT_MODULES =
  /^node:(timers|process|fs|http|https|http2|net|tls|dgram|dns|console|perf_hooks|readline)(\/|$)/;
const AMBIENT_IMPORTS = new Set(["randomUUID", "randomBytes", "randomInt", "webcrypto", "getRandomValues"]);

/** Only for the sources of core and runtime; their tests stand outside. */
export function ambientProblems(file: SourceFile): string[] {
  if (!/^packages\/(core|runtime)\//.test(file.path) || isTest(file.path)) return [];
  const { program, module } = parse(file);
  const found = new Set<string>();
  for (const { moduleRequest, entries } of module.staticImports) {
    if (AMBIENT_MODULES.test(moduleRequest.value)) found.add(moduleRequest.value);
    for (const { importName } of entries) {
      if (importName.name !== null && AMBIENT_IMPORTS.has(importName.name)) found.add(importName.name);
    }
  }
  const own = new Set<string>();
  walk(program, undefined, (node, role) => {
    if (node["type"] === "Identifier" && role === "binding") own.add(String(node["name"]));
  });
  walk(program, undefined, (node, role) => {
    const name = String(node["name"]);
    if (
      node["type"] === "Identifier" &&
      role === "reference" &&
      AMBIENT_GLOBALS.has(name) &&
      !own.has(name)
    ) {
      found.add(name);
    }
    const callee = node["callee"];
    if (node["type"] === "MemberExpression") {
      const member = `${nameOf(node["object"])}.${nameOf(node["property"])}`;
      if (AMBIENT_MEMBERS.has(member)) found.add(member);
    } else if (node["type"] === "CallExpression" && nameOf(callee) === "Date") {
      found.add("Date()");
    } else if (node["type"] === "NewExpression" && nameOf(callee) === "Date" && isEmpty(node["arguments"])) {
      found.add("new Date()");
    }
  });
  return [...found].map((what) => `${file.path} reaches for ${what}: it must come by a port`);
}

/**
 * Files that open connections themselves. Everything else goes through the guarded client: a call
 * site of its own is how a rule on addresses comes to be forgotten. First match counts.
 */
const DIALLERS: readonly (readonly [RegExp, string])[] = [
  [/^apps\/gateway\/src\/web\/(system-dialer|exchange)\.ts$/, "the guarded client itself"],
  [/^apps\/gateway\/src\/browser\/guarded-proxy\.ts$/, "over connections of the guarded dialer"],
  [
    /^packages\/isolation\/src\/quickjs\/child(-bootstrap)?\.(ts|mjs)$/,
    "a pipe to the process that started it",
  ],
  [/^packages\/isolation\/src\/(tool-host\/host-bootstrap\.mjs|reader\/reader-child\.ts)$/, "the same"],
  [
    /^packages\/providers\/src\/(guarded-fetch|detect-local-models)\.ts$/,
    "model servers that the owner named",
  ],
  [/^channels\//, "chat services that the owner connected"],
  [/^apps\/(cli\/|gateway\/src\/doctor\/)/, "the owner's own command, to the gateway"],
  [/^packages\/sdk\/src\/client\.ts$/, "a client of the gateway"],
  [/^packages\/testkit\//, "loopback servers of tests"],
  [/^apps\/web\/src\/(gateway|worker)\//, "the page, inside a browser, to the gateway it came from"],
  [/^(bench|e2e|scripts|apps\/gateway\/bench)\//, "measurements and tests"],
];
const DIALLING_MODULES = /^(undici|node-fetch|axios|got|ky|node:http2|node:dgram)(\/|$)/;
/** What opens a connection, of modules that also serve or hold types. */
const DIALLING_NAMES: Readonly<Record<string, readonly string[]>> = {
  "node:http": ["request", "get"],
  "node:https": ["request", "get"],
  "node:net": ["connect", "createConnection", "Socket"],
  "node:tls": ["connect"],
};

/** Only for sources of the product; tests may reach their own loopback servers. */
export function diallingProblems(file: SourceFile): string[] {
  if (!/\.(ts|mjs)$/.test(file.path) || isTest(file.path)) return [];
  if (DIALLERS.some(([known]) => known.test(file.path)) || /\/(test|crash)-[^/]*\.ts$/.test(file.path))
    return [];
  const { program, module } = parse(file);
  const found = new Set<string>();
  for (const { moduleRequest, entries } of module.staticImports) {
    const name = moduleRequest.value;
    if (DIALLING_MODULES.test(name)) found.add(name);
    for (const { importName, isType } of entries) {
      const whole = importName.kind !== "Name";
      const dials = whole ? name in DIALLING_NAMES : DIALLING_NAMES[name]?.includes(importName.name ?? "");
      if (!isType && dials === true) found.add(`${name}${whole ? "" : `.${importName.name}`}`);
    }
  }
  for (const name of importsOf(file)) {
    const dynamic = !module.staticImports.some(({ moduleRequest }) => moduleRequest.value === name);
    if (dynamic && (DIALLING_MODULES.test(name) || name in DIALLING_NAMES)) found.add(name);
  }
  const own = new Set<string>();
  walk(program, undefined, (node, role) => {
    if (node["type"] === "Identifier" && role === "binding") own.add(String(node["name"]));
  });
  walk(program, undefined, (node, role) => {
    const name = nameOf(node);
    if (role === "reference" && NETWORK_GLOBALS.has(name) && !own.has(name)) found.add(name);
    if (node["type"] === "MemberExpression" && nameOf(node["object"]) === "globalThis") {
      const member = nameOf(node["property"]);
      if (NETWORK_GLOBALS.has(member)) found.add(`globalThis.${member}`);
    }
  });
  return [...found].map(
    (what) => `${file.path} reaches the network by ${what}: use the guarded client in apps/gateway/src/web`,
  );
}

const NETWORK_GLOBALS = new Set(["fetch", "WebSocket", "EventSource", "XMLHttpRequest"]);

/** Written as patterns, none of which matches its own text: this file is looked at too. */
const LEFT_BEHIND: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w~.-])\/work\//, "a path of somebody's machine"],
  [/\/tmp\/bash_jobs/, "a path of somebody's machine"],
  [/\.\.\/shared\b/, "a folder outside the project"],
  [/\bregistry\.npmjs\b|\bdeb\.debian\b/, "a package host"],
];

/** Those that ask a registry because their owner said so. */
const ASKS_REGISTRY: ReadonlySet<string> = new Set(["apps/cli/src/npm-registry.ts", "package.nix"]);

export function wordProblems(file: SourceFile): string[] {
  if (ASKS_REGISTRY.has(file.path)) return [];
  return LEFT_BEHIND.filter(([pattern]) => pattern.test(file.text)).map(
    ([pattern, what]) => `${file.path} holds ${what}: ${pattern.exec(file.text)![0]}`,
  );
}

export function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

/** A package, an app, an integration, or a top folder: what may import itself by path. */
function unitOf(path: string): string {
  const parts = path.split("/");
  return /^(packages|apps|integrations)$/.test(parts[0]!) ? parts.slice(0, 2).join("/") : parts[0]!;
}

function importsOf(file: SourceFile): string[] {
  const { module } = parse(file);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    file.text.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""),
  );
  const reexported = module.staticExports.flatMap(({ entries }) =>
    entries.map((e) => e.moduleRequest?.value ?? ""),
  );
  const names = [...module.staticImports.map((each) => each.moduleRequest.value), ...reexported, ...dynamic];
  return [...new Set(names)].filter((name) => name !== "");
}

function parse(file: SourceFile) {
  const parsed = parseSync(file.path, file.text);
  if (parsed.errors.length > 0) throw new Error(`${file.path}: ${parsed.errors[0]!.message}`);
  return parsed;
}

type Role = "reference" | "binding" | "label";
type SyntaxNode = Readonly<Record<string, unknown>>;

/** Visits expressions and statements, types left out, and says of each identifier what it does there. */
function walk(value: unknown, role: Role | undefined, visit: (node: SyntaxNode, role: Role) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, role, visit);
  if (!isNode(value)) return;
  const type = String(value["type"]);
  if (type.startsWith("TS") && !isNode(value["expression"])) return;
  visit(value, role ?? "reference");
  for (const [key, child] of Object.entries(value)) walk(child, roleOf(type, key, value, role), visit);
}

function roleOf(type: string, key: string, node: SyntaxNode, role: Role | undefined): Role | undefined {
  if (key === "property" || key === "key") return node["computed"] === true ? undefined : "label";
  if (key === "imported" || key === "exported") return "label";
  if (key === "id" || key === "params" || key === "param" || key === "local") return "binding";
  if (type === "LabeledStatement" || type === "BreakStatement" || type === "ContinueStatement") {
    return key === "label" ? "label" : undefined;
  }
  // A pattern passes on that it binds; its default values are ordinary expressions.
  const pattern = type.endsWith("Pattern") || type === "RestElement" || type === "Property";
  return pattern && key !== "right" ? role : undefined;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value;
}

function nameOf(value: unknown): string {
  return isNode(value) && value["type"] === "Identifier" ? String(value["name"]) : "";
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
