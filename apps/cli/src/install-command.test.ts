import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { expect, onTestFinished, test } from "vitest";
import { installPart, PARTS } from "./install-command.ts";
import { fetchArchive, filesIn } from "./npm-registry.ts";
import { testIo } from "./test-io.ts";
import { compareVersions, sectionsOf, update } from "./update-command.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A registry on loopback that has these things, by their addresses. */
async function registry(things: Readonly<Record<string, Buffer | string | number>>): Promise<string> {
  const server = createServer((request, response) => {
    const thing = things[request.url ?? ""] ?? 404;
    if (typeof thing === "number") response.writeHead(thing).end();
    else response.end(thing);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function archive(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

const integrityOf = (bytes: Buffer) => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "elwood-install-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("the parts that can be installed are those that Elwood is tested with", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string; integrity: string; dependencies?: unknown }>;
  };
  expect(Object.keys(PARTS)).toEqual(["browser"]);
  for (const { name, version, integrity } of Object.values(PARTS).flat()) {
    expect(packages[`node_modules/${name}`]).toMatchObject({ version, integrity });
    expect(packages[`node_modules/${name}`]).not.toHaveProperty("dependencies");
  }
});

test("an archive whose hash is another, that is not there, or that reaches outside, is refused in words", async () => {
  const bytes = await archive({ "package/index.mjs": "export const x = 1;\n" });
  const url = await registry({ "/part/-/part-1.0.0.tgz": bytes, "/broken/-/broken-1.0.0.tgz": 500 });
  const wanted = { name: "part", version: "1.0.0", integrity: integrityOf(bytes) };
  expect(await fetchArchive(url, wanted)).toEqual(bytes);
  await expect(fetchArchive(url, { ...wanted, integrity: "sha512-AAAA" })).rejects.toThrow(
    "is not what Elwood was tested with",
  );
  await expect(fetchArchive(url, { ...wanted, version: "2.0.0" })).rejects.toThrow(
    "does not have part 2.0.0",
  );
  await expect(fetchArchive(url, { ...wanted, name: "broken" })).rejects.toThrow("answered 500");
  await expect(fetchArchive("http://127.0.0.1:1", wanted)).rejects.toThrow("cannot be reached");
  const outside = await archive({ "package/../../evil": "x" });
  await expect(filesIn(outside).next()).rejects.toThrow("does not belong in a package");
});

test("a part that is no part is named, and one that is built in is left alone", async () => {
  const home = folder();
  await expect(installPart(testIo(), { home }, "moon")).rejects.toThrow("There is: browser");
  const io = testIo();
  // The driver is there in a clone.
  expect(await installPart(io, { home }, "browser")).toBe(0);
  expect(io.out()).toContain("It is part of this Elwood");
  expect(readdirSync(home)).toEqual([]);
});

test("newer versions are told with their notes, only when asked, and a stranger of the same name is none", async () => {
  const changelog = "# Changelog\n\n## 0.3.0\n\n- Third\n\n## 0.2.0\n\n- Second\n\n## 0.1.0\n\n- First\n";
  const bytes = await archive({ "package/CHANGELOG.md": changelog });
  const manifest = {
    name: "elwood",
    version: "0.3.0",
    bin: { elwood: "apps/cli/bin/elwood.mjs" },
    dist: { integrity: integrityOf(bytes) },
  };
  const url = await registry({
    "/elwood/latest": JSON.stringify(manifest),
    "/elwood/-/elwood-0.3.0.tgz": bytes,
  });
  const own = join(folder(), "CHANGELOG.md");
  writeFileSync(own, changelog);
  const said = async (version: string, flags: object, env = { npm_config_registry: url }) => {
    const io = testIo({ env });
    const all = { check: true, notes: false, json: false, ...flags };
    await update(io, { version, changelog: own }, all);
    return io.out();
  };
  expect(await said("0.1.0", {})).toContain("Elwood 0.3.0 is there; this is 0.1.0. Nothing was changed.");
  const notes = await said("0.1.0", { notes: true });
  expect([notes.includes("Third"), notes.includes("Second"), notes.includes("First")]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await said("0.3.0", {})).toBe("Elwood 0.3.0 is the newest there is.\n");
  expect(JSON.parse(await said("0.10.0", { json: true }))).toMatchObject({ isNewer: false });
  // Nobody is asked: there is no registry at that address.
  const alone = await said(
    "0.1.0",
    { check: false, notes: true },
    { npm_config_registry: "http://127.0.0.1:1" },
  );
  expect(alone).toContain("asks nobody by itself");
  const other = await registry({ "/elwood/latest": JSON.stringify({ ...manifest, bin: {} }) });
  await expect(said("0.1.0", {}, { npm_config_registry: other })).rejects.toThrow(
    "has no package of this Elwood",
  );
  const noise = await registry({ "/elwood/latest": "<html>" });
  await expect(said("0.1.0", {}, { npm_config_registry: noise })).rejects.toThrow("cannot be understood");
});

test("versions are compared by their numbers, and a changelog is cut at one", () => {
  const sorted = ["1.10.0", "1.9.0", "1.9.0-beta", "0.20.1"];
  expect(sorted.toReversed().toSorted(compareVersions).toReversed()).toEqual(sorted);
  expect(sectionsOf("# C\n\n## Unreleased\n\na\n\n## 1.0.0\n\nb\n", ["1.0.0"])).toEqual([
    "## Unreleased\n\na\n\n",
  ]);
  expect(existsSync(join(ROOT, "CHANGELOG.md"))).toBe(true);
});
