import { linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { matchesGlob } from "./glob.ts";
import { Look, type LookNews, type LookTask } from "./look.ts";
import { makeScene, type Scene } from "./test-scene.ts";

function fill(scene: Scene): void {
  mkdirSync(scene.path("notes/deep"), { recursive: true });
  mkdirSync(scene.path(".hidden"));
  writeFileSync(scene.path("a.md"), "Apple\nbanana\n");
  writeFileSync(scene.path("notes/b.txt"), "an apple a day\r\n");
  writeFileSync(scene.path("notes/deep/c.md"), "pineapple");
  writeFileSync(scene.path(".hidden/d.md"), "apple");
  writeFileSync(scene.path("bin.dat"), Buffer.from("apple\0"));
  symlinkSync(scene.outside, scene.path("way-out"));
  linkSync(join(scene.outside, "secret.txt"), scene.path("twin.txt"));
}

describe("files.file.list", () => {
  test("is told by its folder, and by its pattern where it has one", async () => {
    using scene = makeScene();
    const list = scene.tools().all.find(({ id }) => id === "files.file.list");
    expect(await list?.target?.({ path: ".", glob: "**/*.md" })).toBe("**/*.md in .");
    expect(await list?.target?.({ path: "notes" })).toBe("notes");
  });

  test("lists names with kind, size and time, and counts what it left out", async () => {
    using scene = makeScene();
    fill(scene);
    const { value, text } = await scene.tools().run("list", {});
    expect(value).toMatchObject({ path: scene.root, files: 3, folders: 1, leftOut: 1, complete: true });
    expect((value as { entries: unknown[] }).entries).toContainEqual({
      path: "a.md",
      name: "a.md",
      kind: "file",
      bytes: 13,
      modified: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(text).toContain("notes/");
    expect(text).toContain("way-out (a link, not followed)");
  });

  test("goes as deep as it is told and never through a link", async () => {
    using scene = makeScene();
    fill(scene);
    const paths = async (input: object) =>
      ((await scene.tools().run("list", input)).value as { entries: { path: string }[] }).entries.map(
        ({ path }) => path,
      );
    expect(await paths({ path: "notes" })).toEqual(["notes/b.txt", "notes/deep"]);
    expect(await paths({ path: "notes", depth: 2 })).toEqual([
      "notes/b.txt",
      "notes/deep",
      "notes/deep/c.md",
    ]);
    expect(await paths({ depth: 8, hidden: true })).not.toContain("way-out/secret.txt");
    expect(await paths({ depth: 10, hidden: true })).toContain(".hidden/d.md");
  });

  test("gives paths that the other tools take, wherever it looked", async () => {
    using scene = makeScene();
    fill(scene);
    const tools = scene.tools();
    for (const path of ["notes", "./notes/", scene.path("notes")]) {
      const { value } = await tools.run("list", { path });
      const { entries } = value as { entries: { path: string; name: string }[] };
      expect(entries[0]).toMatchObject({ path: "notes/b.txt", name: "b.txt" });
      expect((await tools.run("read", { path: entries[0]!.path })).value).toMatchObject({ kind: "text" });
    }
    // However deep it lies, its name is its own; the listing has where it is.
    const deep = await tools.run("list", { glob: "**/b.txt" });
    expect(deep.value).toMatchObject({ entries: [{ path: "notes/b.txt", name: "b.txt" }] });
    expect(deep.text).toContain("notes/b.txt");
    const found = await tools.run("search", { query: "a", path: "notes", glob: "b.txt" });
    const { matches } = found.value as { matches: { path: string }[] };
    expect(found.text).toContain("notes/b.txt:1:");
    expect((await tools.run("read", { path: matches[0]!.path })).value).toMatchObject({ kind: "text" });
  });

  test("finds what lies in each of many folders, whichever thread looks there", async () => {
    using scene = makeScene();
    const folders = Array.from({ length: 12 }, (_, i) => `f${String(i).padStart(2, "0")}`);
    for (const folder of folders) {
      mkdirSync(scene.path(`${folder}/deep`), { recursive: true });
      writeFileSync(scene.path(`${folder}/deep/note.md`), "needle\n");
    }
    const tools = scene.tools();
    const wanted = folders.map((folder) => `${folder}/deep/note.md`);
    const listed = (await tools.run("list", { glob: "*.md" })).value as { entries: { path: string }[] };
    expect(listed.entries.map(({ path }) => path)).toEqual(wanted);
    const found = (await tools.run("search", { query: "needle" })).value as { matches: { path: string }[] };
    expect(found.matches.map(({ path }) => path)).toEqual(wanted);
  });

  test("stops at its limits and says so", async () => {
    using scene = makeScene();
    for (let i = 0; i < 30; i++) writeFileSync(scene.path(`f${String(i).padStart(2, "0")}`), "");
    const few = await scene.tools({ limits: { listEntriesMax: 10 } }).run("list", {});
    expect(few.value).toMatchObject({ files: 10, complete: false });
    expect(few.truncated).toBe(true);
    expect((await scene.tools({ limits: { lookedEntriesMax: 10 } }).run("list", {})).value).toMatchObject({
      files: 10,
      complete: false,
    });
  });

  test("shows a name with a line break or a direction mark in it as one harmless line", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a\n[fake line]\u202e.txt"), "");
    const { text } = await scene.tools().run("list", {});
    expect(text?.split("\n")).toHaveLength(2);
    expect(text).toContain("a\\u000a[fake line]\\u202e.txt");
  });
});

test("one of a thing is told in the singular", async () => {
  using scene = makeScene();
  mkdirSync(scene.path("only"));
  writeFileSync(scene.path("only/a.txt"), "Apple");
  const tools = scene.tools();
  expect((await tools.run("list", { path: "only" })).text).toContain(": 1 file, 0 folders.]");
  expect((await tools.run("list", {})).text).toContain(": 0 files, 1 folder.]");
  expect((await tools.run("search", { query: "apple" })).text).toContain("[1 line in 1 file.");
});

describe("files.file.search", () => {
  test("shows small files whole where little was found, since they would be read next", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("trip.md"), "# Lisbon\nFlight at 7.\n");
    writeFileSync(scene.path("long.md"), `Lisbon\n${"x\n".repeat(1_000)}`);
    writeFileSync(scene.path("a.pdf"), "%PDF-1.4\nLisbon\n");
    const { text } = await scene.tools().run("search", { query: "lisbon" });
    expect(text).toBe(
      "a.pdf:2: Lisbon\nlong.md:1: Lisbon\ntrip.md:1: # Lisbon\n[3 lines in 3 files.]\n== trip.md, all of it\n# Lisbon\nFlight at 7.",
    );
  });

  test("finds text whatever its case, in text files only, and never through links", async () => {
    using scene = makeScene();
    fill(scene);
    const tools = scene.tools();
    const { value } = await tools.run("search", { query: "APPLE" });
    expect(value).toMatchObject({
      matches: [
        { path: "a.md", line: 1, text: "Apple" },
        { path: "notes/b.txt", line: 1, text: "an apple a day" },
        { path: "notes/deep/c.md", line: 1, text: "pineapple" },
      ],
      complete: true,
    });
    expect((await tools.run("search", { query: "secret" })).value).toMatchObject({ matches: [] });
    expect((await tools.run("search", { query: "Apple", caseSensitive: true })).value).toMatchObject({
      matches: [{ path: "a.md" }],
    });
    expect(
      (await tools.run("search", { query: "^an.*day$", regex: true, glob: "*.txt" })).value,
    ).toMatchObject({
      matches: [{ path: "notes/b.txt", line: 1 }],
    });
    expect((await tools.run("search", { query: "apple", glob: "notes/**/*.md" })).value).toMatchObject({
      matches: [{ path: "notes/deep/c.md" }],
    });
  });

  test("gives up on an expression that would never end, and says that it did", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), `${"a".repeat(60)}!`);
    const { value, text } = await scene
      .tools({ limits: { searchMs: 300 } })
      .run("search", { query: "(a+)+$", regex: true });
    expect(value).toMatchObject({ matches: [], complete: false });
    expect(text).toContain("stopped before its end");
  });

  test("refuses an expression that is none", async () => {
    using scene = makeScene();
    await expect(scene.tools().run("search", { query: "(", regex: true })).rejects.toMatchObject({
      code: "no-match",
    });
  });

  test("keeps within its limits of matches, bytes and file size", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "hit\n".repeat(50));
    writeFileSync(scene.path("b.txt"), "x".repeat(1_000) + "hit" + "y".repeat(1_000));
    const tools = scene.tools({
      limits: { searchMatchesMax: 5, searchFileBytesMax: 1_500, searchLineCharsMax: 20 },
    });
    const { value } = await tools.run("search", { query: "hit" });
    expect(value).toMatchObject({ complete: false });
    expect((value as { matches: unknown[] }).matches).toHaveLength(5);
    const large = await tools.run("search", { query: "hit", glob: "b.txt" });
    expect(large.text).toContain("1 large file was not searched");
    const long = await scene
      .tools({ limits: { searchLineCharsMax: 20 } })
      .run("search", { query: "hit", glob: "b.txt" });
    expect((long.value as { matches: { text: string }[] }).matches[0]!.text).toMatch(/^…x{5}hity{12}…$/);
  });
});

test("globs match names and paths, and none is slow", () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ["*.md", "a/b/c.md", true],
    ["*.md", "c.txt", false],
    ["a/*.md", "a/c.md", true],
    ["a/*.md", "a/b/c.md", false],
    ["a/**", "a/b/c.md", true],
    ["**/c.md", "c.md", true],
    ["**/b/**/*.md", "a/b/x/y/c.md", true],
    ["?.md", "é.md", true],
    ["?.md", "ab.md", false],
    ["[a].md", "a.md", true],
    ["[!a-c]?.md", "d1.md", true],
    ["[!a-c]?.md", "b1.md", false],
    ["*.{md,txt}", "x/b.txt", true],
    ["*.{md,txt}", "b.rs", false],
    ["/c.md", "a/c.md", false],
  ];
  for (const [pattern, path, fits] of cases)
    expect(matchesGlob(pattern, path.split("/")), pattern).toBe(fits);
  expect(matchesGlob("*a".repeat(200), ["a".repeat(199)])).toBe(false);
});

describe("what .gitignore leaves out", () => {
  function project(scene: Scene): void {
    mkdirSync(scene.path("src/out"), { recursive: true });
    mkdirSync(scene.path("dist"));
    mkdirSync(scene.path("deep/dist"), { recursive: true });
    writeFileSync(scene.path(".gitignore"), "# built\n/dist/\n*.log\n!keep.log\n\nsrc/out\n");
    writeFileSync(scene.path("deep/.gitignore"), "own.txt\n");
    for (const name of [
      "a.txt",
      "a.log",
      "keep.log",
      "dist/b.txt",
      "deep/dist/c.txt",
      "deep/own.txt",
      "own.txt",
      "src/out/d.txt",
    ])
      writeFileSync(scene.path(name), "needle\n");
  }
  const SEEN = ["a.txt", "keep.log", "own.txt", "deep/dist/c.txt"];

  test("is not searched, and that is said; with hidden it is", async () => {
    using scene = makeScene();
    project(scene);
    const { value, text } = await scene.tools().run("search", { query: "needle" });
    const paths = (found: unknown) =>
      (found as { matches: { path: string }[] }).matches.map(({ path }) => path);
    expect(paths(value).toSorted()).toEqual(SEEN.toSorted());
    expect(text).toContain("Left out by .gitignore: 4");
    expect(paths((await scene.tools().run("search", { query: "needle", hidden: true })).value)).toHaveLength(
      8,
    );
  });

  test("is not listed below a folder, nor by a pattern; of a folder that is named all is listed", async () => {
    using scene = makeScene();
    project(scene);
    const listed = async (input: object) => {
      const { value } = await scene.tools().run("list", input);
      return (value as { entries: { path: string }[] }).entries.map(({ path }) => path);
    };
    expect(await listed({ glob: "*.{txt,log}" })).toEqual(SEEN.toSorted());
    expect(await listed({ glob: "**/c.*" })).toEqual(["deep/dist/c.txt"]);
    expect(await listed({ depth: 2 })).not.toContain("dist");
    expect(await listed({})).toEqual(["a.log", "a.txt", "deep", "dist", "keep.log", "own.txt", "src"]);
    expect((await scene.tools().run("list", { depth: 2 })).text).toContain("left out by .gitignore");
  });
});

test("times in a listing are those of the owner's clock", async () => {
  using scene = makeScene();
  writeFileSync(scene.path("a.txt"), "x");
  const at = new Date("2026-11-17T13:26:05.900Z");
  utimesSync(scene.path("a.txt"), at, at);
  const { value, text } = await scene.tools({ timeZone: "Asia/Tokyo" }).run("list", {});
  expect(value).toMatchObject({ entries: [{ path: "a.txt", modified: "2026-11-17T22:26:05+09:00" }] });
  expect(text).toContain("a.txt  1 byte  2026-11-17 22:26\n");
  const other = await scene.tools({ timeZone: "America/St_Johns" }).run("list", {});
  expect(other.value).toMatchObject({ entries: [{ modified: "2026-11-17T09:56:05-03:30" }] });
});

test("looking through folders can be stopped, and leaves nothing behind", async () => {
  using scene = makeScene();
  writeFileSync(scene.path("a.txt"), `${"a".repeat(40)}!\n`);
  const stop = new AbortController();
  const searching = scene.tools().run("search", { query: "^(a+)+$", regex: true }, { signal: stop.signal });
  stop.abort(new Error("stopped by the owner"));
  await expect(searching).rejects.toThrow("stopped by the owner");
});

test("a folder that is moved away while it is looked through gives nothing", async () => {
  using scene = makeScene();
  mkdirSync(scene.path("in"));
  writeFileSync(scene.path("in/a.txt"), "needle");
  const handle = await open(scene.path("in"));
  try {
    const news: LookNews[] = [];
    const task: LookTask = {
      folder: { path: scene.path("elsewhere"), fd: handle.fd },
      throughDescriptors: true,
      closed: [],
      deniedIdentities: [],
      depthMax: 3,
      hidden: false,
      ignoring: true,
      entriesMax: 10,
      visitedMax: 10,
      until: Number.MAX_SAFE_INTEGER,
      search: {
        pattern: { query: "needle", regex: false, caseSensitive: false },
        keys: false,
        fileBytesMax: 100,
        bytesMax: 1_000,
        lineCharsMax: 100,
      },
    };
    new Look(task, (each) => news.push(each)).run();
    expect(news).toEqual([
      { entries: [], matches: [], searched: 0 },
      { over: { complete: false, leftOut: 0, ignored: 0, large: 0 } },
    ]);
  } finally {
    await handle.close();
  }
});
