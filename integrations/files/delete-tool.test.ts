import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeScene, OUTSIDE_SECRET, type Scene } from "./test-scene.ts";

function tree(scene: Scene): void {
  mkdirSync(scene.path("d/e"), { recursive: true });
  writeFileSync(scene.path("d/a.txt"), "a");
  writeFileSync(scene.path("d/e/b.bin"), Buffer.from([0, 255]));
  chmodSync(scene.path("d/a.txt"), 0o640);
  symlinkSync(scene.outside, scene.path("d/way-out"));
}

describe("files.file.delete", () => {
  test("deletes a file, and puts it back with its permissions", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    chmodSync(scene.path("a.txt"), 0o640);
    const tools = scene.tools();
    const call = { path: "a.txt" };
    expect(await tools.preview("delete", call)).toEqual({
      sentence: `Delete ${scene.path("a.txt")} (1 byte).`,
      before: "a",
      after: "",
      subject: scene.path("a.txt"),
      base: scene.root,
      undoable: true,
    });
    const { value, text } = await tools.run("delete", call);
    expect(text).toBe(`Deleted ${scene.path("a.txt")} (1 byte). A copy is kept: the owner can undo it.`);
    expect(existsSync(scene.path("a.txt"))).toBe(false);
    await tools.undo("delete", call, value);
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("a");
    expect(statSync(scene.path("a.txt")).mode & 0o777).toBe(0o640);
  });

  test("deletes a folder that is not empty only with the word for it, and counts what goes", async () => {
    using scene = makeScene();
    tree(scene);
    mkdirSync(scene.path("empty"));
    const tools = scene.tools();
    await tools.run("delete", { path: "empty" });
    await expect(tools.run("delete", { path: "d" })).rejects.toThrow("3 files and 1 folder");
    expect((await tools.preview("delete", { path: "d", recursive: true })).sentence).toBe(
      `Delete the folder ${scene.path("d")} with 3 files and 1 folder in it (3 bytes).`,
    );
    expect(readdirSync(scene.root)).toEqual(["d"]);
  });

  test("takes a whole folder away and puts it back, links as links, and touches nothing they lead to", async () => {
    using scene = makeScene();
    tree(scene);
    const tools = scene.tools();
    const call = { path: "d", recursive: true };
    const { value } = await tools.run("delete", call);
    expect(readdirSync(scene.root)).toEqual([]);
    expect(readFileSync(join(scene.outside, "secret.txt"), "utf8")).toBe(OUTSIDE_SECRET);
    await tools.undo("delete", call, value);
    expect(readFileSync(scene.path("d/a.txt"), "utf8")).toBe("a");
    expect(statSync(scene.path("d/a.txt")).mode & 0o777).toBe(0o640);
    expect(readFileSync(scene.path("d/e/b.bin"))).toEqual(Buffer.from([0, 255]));
    expect(readlinkSync(scene.path("d/way-out"))).toBe(scene.outside);
  });

  test("is not taken back over something new", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    const tools = scene.tools();
    const call = { path: "a.txt" };
    const { value } = await tools.run("delete", call);
    writeFileSync(scene.path("a.txt"), "new");
    await expect(tools.undo("delete", call, value)).rejects.toMatchObject({ code: "cannot-undo" });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("new");
  });

  test("a long file is shown by how it begins, its size and its hash, so that its deletion can be allowed", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("log.txt"), "a line of a log\n".repeat(4_000));
    const { before, beforeBytes } = await scene.tools().preview("delete", { path: "log.txt" });
    expect(beforeBytes).toBe(64_000);
    expect(before?.length).toBeLessThan(3_000);
    expect(before).toMatch(/^a line of a log\n/);
    expect(before).toMatch(/cut here: .*sha256 [0-9a-f]{64}/);
  });

  test("says beforehand and afterwards when it cannot be taken back", async () => {
    using scene = makeScene();
    tree(scene);
    linkSync(scene.path("d/a.txt"), scene.path("twin.txt"));
    writeFileSync(scene.path("large"), "x".repeat(1_000));
    const tools = scene.tools({ limits: { undoBytesMax: 500 } });
    for (const path of ["large", "d"]) {
      const call = { path, recursive: true };
      expect((await tools.preview("delete", call)).sentence).toContain("cannot be taken back");
      const { value, text } = await tools.run("delete", call);
      expect(text).toContain("cannot be taken back");
      await expect(tools.undo("delete", call, value)).rejects.toMatchObject({ code: "cannot-undo" });
    }
    expect(readdirSync(scene.root)).toEqual(["twin.txt"]);
  });

  test("refuses a folder with too much in it, whole", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("many"));
    for (let i = 0; i < 20; i++) writeFileSync(scene.path(`many/${i}`), "");
    const tools = scene.tools({ limits: { visitedEntriesMax: 10 } });
    await expect(tools.run("delete", { path: "many", recursive: true })).rejects.toMatchObject({
      code: "too-large",
    });
    expect(readdirSync(scene.path("many"))).toHaveLength(20);
  });

  test("is settled after a crash by what is still there", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    const tools = scene.tools();
    const call = { path: "a.txt" };
    expect(await tools.reconcile("delete", call, "k")).toBe("did-not-happen");
    await tools.run("delete", call, { key: "k" });
    expect(await tools.reconcile("delete", call, "k")).toBe("happened");
    writeFileSync(scene.path("a.txt"), "another");
    expect(await tools.reconcile("delete", call, "k")).toBe("unknown");
  });
});

test("a folder that can only be deleted in part is put back whole", async () => {
  using scene = makeScene();
  tree(scene);
  const tools = scene.tools();
  // What appears in the folder while it is being emptied makes the last step fail.
  const before = readdirSync(scene.path("d"), { recursive: true }).map(String);
  const racing = tools.run("delete", { path: "d", recursive: true });
  const late = (async () => {
    while (existsSync(scene.path("d/a.txt"))) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(scene.path("d/late.txt"), "late");
  })();
  await expect(racing).rejects.toMatchObject({ name: "ToolError", code: "io" });
  await late;
  expect(new Set(readdirSync(scene.path("d"), { recursive: true }).map(String))).toEqual(
    new Set([...before, "late.txt"]),
  );
});
