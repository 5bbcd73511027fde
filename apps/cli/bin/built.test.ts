import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changedFiles, readManifest } from "./built.mjs";

/** A small installation with the real launcher, the real builder and a main of two modules. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "elwood-built-"));
  cpSync(join(ROOT, "apps/cli/bin"), join(root, "apps/cli/bin"), { recursive: true });
  cpSync(join(ROOT, "apps/cli/build.mjs"), join(root, "apps/cli/build.mjs"));
  mkdirSync(join(root, "apps/cli/src/part"), { recursive: true });
  writeFileSync(join(root, "package.json"), '{"type":"module"}');
  writeFileSync(join(root, "package-lock.json"), "{}");
  writeFileSync(join(root, "apps/cli/src/part/beside.txt"), "beside");
  thread("thread");
  mkdirSync(join(root, "packages/isolation/src/quickjs"), { recursive: true });
  writeFileSync(
    join(root, "packages/isolation/src/quickjs/other.ts"),
    "export const other: string = 'sent';",
  );
  writeFileSync(
    join(root, "packages/isolation/src/quickjs/child.ts"),
    "import { other } from './other.ts'; export const serve = () => other;",
  );
  writeFileSync(join(root, "packages/isolation/src/quickjs/bootstrap.mjs"), "// begins");
  writeFileSync(
    join(root, "packages/isolation/src/quickjs/start.ts"),
    `import { readFileSync } from "node:fs";
     export const files = [new URL("./child.ts", import.meta.url), new URL("./bootstrap.mjs", import.meta.url)];
     export const stands = files.map((file) => readFileSync(file, "utf8")).every((text) => !text.includes("import"));`,
  );
  writeFileSync(
    join(root, "apps/cli/src/main.ts"),
    `import { readFileSync } from "node:fs";
     import { word } from "./part/word.ts";
     import { files, stands } from "../../../packages/isolation/src/quickjs/start.ts";
     console.log(word, import.meta.url.includes("/src/main.ts"), new Error("x").stack!.includes("/dist/"));
     console.log(readFileSync(new URL("part/beside.txt", import.meta.url), "utf8"));
     await import(new URL("./part/thread.ts", import.meta.url).href);
     console.log(stands, files.map(({ pathname }) => pathname.split("/").slice(-2).join("/")).join(" "));`,
  );
  mkdirSync(join(root, "apps/gateway/src"), { recursive: true });
  writeFileSync(join(root, "apps/gateway/src/local-runtime.ts"), "export const local: boolean = true;");
  say("one");
});
afterEach(() => rmSync(root, { recursive: true }));

const wordFile = () => join(root, "apps/cli/src/part/word.ts");
const say = (word: string) => writeFileSync(wordFile(), `export const word: string = "${word}";`);
const thread = (word: string) =>
  writeFileSync(join(root, "apps/cli/src/part/thread.ts"), `console.log('${word}' as string);`);
const withBuilder = () => symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));

function start() {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, "apps/cli/bin/elwood.mjs")], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], XDG_CACHE_HOME: join(root, "cache") },
  });
  expect(status, stderr).toBe(0);
  return { stdout, stderr };
}

const BUILT = /^one true true\nbeside\nthread\ntrue sandbox\/child\.js [0-9a-f]{16}\/bootstrap\.mjs\n$/;

test("what was not built is built by the first start, which says so; the second says nothing", () => {
  withBuilder();
  const first = start();
  expect(first.stdout).toMatch(BUILT);
  expect(first.stderr).toMatch(/^Elwood was not built yet\. Built the gateway \([\d.]+ s\)\.\n$/);
  expect(start()).toEqual({ stdout: expect.stringMatching(BUILT) as string, stderr: "" });
});

test("a build is kept in memory at one byte for each character, and says what its sources say", () => {
  withBuilder();
  say("größer – ✓ 👍");
  expect(start().stdout).toContain("größer – ✓ 👍 true true\n");
  const dist = join(root, "apps/cli/dist");
  const built = readdirSync(join(dist, readManifest(dist)!.build), { recursive: true, encoding: "utf8" });
  const code = built.filter((path) => path.endsWith(".js"));
  expect(code).toContain("main.js");
  for (const path of code)
    expect(readFileSync(join(dist, readManifest(dist)!.build, path), "utf8"), path).toMatch(/^[\0-\x7f]*$/u);
});

/** One wider character in a file doubles what it takes for as long as the gateway runs. A raw template keeps its characters. */
test("no large file of the gateway's own build has a wider character", () => {
  const dist = join(ROOT, "apps/cli/dist");
  const folder = join(dist, readManifest(dist)!.build);
  const large = readdirSync(folder).filter(
    (path) => path.endsWith(".js") && statSync(join(folder, path)).size > 200_000,
  );
  expect(large.length).toBeGreaterThan(2);
  for (const path of large)
    expect(/[^\0-\xff].{0,40}/u.exec(readFileSync(join(folder, path), "utf8"))?.[0], path).toBeUndefined();
});

test("a build of other sources is not run: it is made again, and that is said", () => {
  withBuilder();
  start();
  say("two");
  const { stdout, stderr } = start();
  expect(stdout).toContain("two true true");
  expect(stderr).toContain("sources have changed since it was built. Built the gateway");
});

test("a thread and code that is sent to a process are built too, and noticed when they change", () => {
  withBuilder();
  start();
  thread("another");
  const afterThread = start();
  expect(afterThread.stdout).toContain("\nanother\n");
  expect(afterThread.stderr).toContain("sources have changed since it was built. Built the gateway");
  const before = readManifest(join(root, "apps/cli/dist"))!.build;
  for (const file of ["other.ts", "bootstrap.mjs"]) {
    appendFileSync(join(root, "packages/isolation/src/quickjs", file), "\n");
    expect(start().stderr, file).toContain("sources have changed since it was built. Built the gateway");
  }
  expect(readManifest(join(root, "apps/cli/dist"))!.build).not.toBe(before);
});

test("a new folder among the integrations is noticed", () => {
  withBuilder();
  start();
  mkdirSync(join(root, "integrations/weather"), { recursive: true });
  expect(start().stderr).toContain("sources have changed since it was built. Built the gateway");
  expect(start().stderr).toBe("");
});

test("a file that was only touched is no other source", () => {
  withBuilder();
  start();
  utimesSync(wordFile(), 1, 1);
  expect(start()).toEqual({ stdout: expect.stringMatching(BUILT) as string, stderr: "" });
});

test("where nothing can be built, the sources run, and an old build does not", () => {
  withBuilder();
  start();
  say("two");
  rmSync(join(root, "node_modules"));
  const { stdout, stderr } = start();
  expect(stdout).toContain("two true false");
  expect(stdout).toContain("quickjs/child.ts quickjs/bootstrap.mjs");
  expect(stderr).toBe("Elwood's sources have changed since it was built. It runs from its sources.\n");
});

test("sources that cannot be built run as they are, and the reason is said", () => {
  withBuilder();
  writeFileSync(join(root, "apps/cli/build.mjs"), 'console.error("No disk is left."); process.exit(1);');
  const { stdout, stderr } = start();
  expect(stdout).toContain("one true false");
  expect(stderr).toBe("No disk is left. It runs from its sources.\n");
});

test("the check names what changed, and knows a file that is gone", () => {
  withBuilder();
  start();
  const manifest = readManifest(join(root, "apps/cli/dist"))!;
  expect(changedFiles(root, manifest)).toEqual([]);
  rmSync(wordFile());
  expect(changedFiles(root, manifest)).toEqual(["apps/cli/src/part/word.ts"]);
});
