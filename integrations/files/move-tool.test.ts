import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { realDisk } from "./atomic-write.ts";
import { makeScene } from "./test-scene.ts";

describe("files.file.move", () => {
  test("says how large a file is that it moved", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "12345");
    const { text, value } = await scene.tools().run("move", { from: "a.txt", to: "b/a.txt" });
    expect(text).toBe(`Moved ${scene.path("a.txt")} to ${scene.path("b/a.txt")} (5 bytes).`);
    expect(value).toMatchObject({ bytes: 5 });
  });

  test("moves a file, makes the folders, and moves it back", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    const tools = scene.tools();
    const call = { from: "a.txt", to: "old/2031/b.txt" };
    expect(await tools.preview("move", call)).toMatchObject({
      sentence: `Move ${scene.path("a.txt")} to ${scene.path("old/2031/b.txt")}.`,
    });
    const { value } = await tools.run("move", call);
    expect(readFileSync(scene.path("old/2031/b.txt"), "utf8")).toBe("a");
    await tools.undo("move", call, value);
    expect(readdirSync(scene.root)).toEqual(["a.txt"]);
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("a");
  });

  test("moves a folder with all that is in it", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("d/e"), { recursive: true });
    writeFileSync(scene.path("d/e/f.txt"), "f");
    const tools = scene.tools();
    await tools.run("move", { from: "d", to: "g" });
    expect(readFileSync(scene.path("g/e/f.txt"), "utf8")).toBe("f");
    await expect(tools.run("move", { from: "g", to: "g/e/h" })).rejects.toMatchObject({ code: "bad-path" });
    await expect(tools.run("move", { from: "nothing", to: "x" })).rejects.toMatchObject({
      code: "not-found",
    });
    expect(readdirSync(scene.root)).toEqual(["g"]);
  });

  test("shows another state of a folder as soon as something in it changed, so that its approval no longer fits", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("d/e"), { recursive: true });
    writeFileSync(scene.path("d/e/f.txt"), "f");
    const tools = scene.tools();
    const move = { from: "d", to: "g" };
    const remove = { path: "d", recursive: true };
    const states = async () => [
      (await tools.preview("move", move)).before,
      (await tools.preview("delete", remove)).before,
    ];
    const first = await states();
    expect(first[0]).toContain("1 file and 1 folder, 1 byte (state ");
    expect(await states()).toEqual(first);
    const seen = new Set(first);
    const changes = [
      () => writeFileSync(scene.path("d/new.txt"), "n"),
      () => writeFileSync(scene.path("d/e/f.txt"), "ff"),
      () => renameSync(scene.path("d/new.txt"), scene.path("d/newer.txt")),
      () => rmSync(scene.path("d/newer.txt")),
    ];
    for (const change of changes) {
      change();
      for (const state of await states()) expect(seen.has(state), state).toBe(false);
      for (const state of await states()) seen.add(state);
    }
  });

  test("replaces nothing unless it is asked to, and puts the replaced file back when it is taken back", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    writeFileSync(scene.path("b.txt"), "b");
    mkdirSync(scene.path("dir"));
    const tools = scene.tools();
    const call = { from: "a.txt", to: "b.txt" };
    await expect(tools.preview("move", call)).rejects.toMatchObject({ code: "exists" });
    await expect(tools.run("move", call)).rejects.toMatchObject({ code: "exists" });
    await expect(tools.run("move", { from: "a.txt", to: "dir", overwrite: true })).rejects.toMatchObject({
      code: "exists",
    });
    expect(readFileSync(scene.path("b.txt"), "utf8")).toBe("b");
    const over = { ...call, overwrite: true };
    expect(await tools.preview("move", over)).toMatchObject({ before: "b" });
    const { value } = await tools.run("move", over);
    expect(readFileSync(scene.path("b.txt"), "utf8")).toBe("a");
    await tools.undo("move", over, value);
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("a");
    expect(readFileSync(scene.path("b.txt"), "utf8")).toBe("b");
  });

  test("a long file that is replaced is shown by how it begins, so that the move can be allowed", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    writeFileSync(scene.path("log.txt"), "a line of a log\n".repeat(4_000));
    const call = { from: "a.txt", to: "log.txt", overwrite: true };
    const { before, beforeBytes } = await scene.tools().preview("move", call);
    expect(before?.length).toBeLessThan(3_000);
    expect(beforeBytes).toBe(64_000);
    writeFileSync(scene.path("log.txt"), "a line of a log\n".repeat(3_999) + "another line\n");
    expect((await scene.tools().preview("move", call)).before).not.toBe(before);
  });

  test("what is moved to where Elwood's own tools lie is shown as if it were written there, and binds the approval", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("drafts/text"), { recursive: true });
    mkdirSync(scene.path("ws/tools/text"), { recursive: true });
    writeFileSync(scene.path("drafts/count.ts"), "export default one;\n");
    const tools = scene.tools({ workspace: scene.path("ws") });
    const call = { from: "drafts/count.ts", to: "ws/tools/text/count.ts" };
    const shown = await tools.preview("move", call);
    expect(shown).toMatchObject({ creates: true, before: "", after: "export default one;\n" });
    writeFileSync(scene.path("drafts/count.ts"), "export default two;\n");
    expect((await tools.preview("move", call)).after).toBe("export default two;\n");
    // Over a module that is there: what was, and what comes.
    writeFileSync(scene.path("ws/tools/text/count.ts"), "export default zero;\n");
    expect(await tools.preview("move", { ...call, overwrite: true })).toMatchObject({
      creates: false,
      before: "export default zero;\n",
      after: "export default two;\n",
    });
    // A folder brings all that is in it.
    writeFileSync(scene.path("drafts/text/a.ts"), "export const a = 1;\n");
    const folder = await tools.preview("move", { from: "drafts/text", to: "ws/tools/more" });
    expect(folder.after).toContain("1 file and 0 folders");
    expect(folder.after).toContain("a.ts:\nexport const a = 1;");
    // Elsewhere nothing of it is shown.
    const elsewhere = await tools.preview("move", { from: "drafts/count.ts", to: "count.ts" });
    expect(elsewhere.creates).toBeUndefined();
    expect(elsewhere.after).toBe(scene.path("count.ts"));
  });

  test("is not taken back over something new", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    const tools = scene.tools();
    const call = { from: "a.txt", to: "b.txt" };
    const { value } = await tools.run("move", call);
    writeFileSync(scene.path("a.txt"), "new");
    await expect(tools.undo("move", call, value)).rejects.toMatchObject({ code: "exists" });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("new");
    expect(readFileSync(scene.path("b.txt"), "utf8")).toBe("a");
  });

  test("leaves everything where it was when the system refuses", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    const tools = scene.tools({
      disk: {
        ...realDisk,
        rename: () => Promise.reject(Object.assign(new Error("other disk"), { code: "EXDEV" })),
      },
    });
    await expect(tools.run("move", { from: "a.txt", to: "x/b.txt" })).rejects.toMatchObject({ code: "io" });
    expect(readdirSync(scene.root)).toEqual(["a.txt"]);
  });

  test("neither moves a root nor what a root lies in", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("inner/root"), { recursive: true });
    const tools = scene.tools({
      roots: [
        { path: scene.root, write: true },
        { path: scene.path("inner/root"), write: true },
      ],
    });
    for (const path of [".", "inner", "inner/root"]) {
      expect((await tools.facts("move", { from: path, to: "x" }))[0], path).toMatchObject({ kind: "deny" });
      expect((await tools.facts("delete", { path, recursive: true }))[0], path).toMatchObject({
        kind: "deny",
      });
    }
    expect(existsSync(scene.path("inner/root"))).toBe(true);
  });

  test("is settled after a crash by what lies where", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "a");
    const tools = scene.tools();
    const call = { from: "a.txt", to: "b.txt" };
    expect(await tools.reconcile("move", call, "k")).toBe("did-not-happen");
    const { value } = await tools.run("move", call, { key: "k" });
    expect(await tools.reconcile("move", call, "k")).toBe("happened");
    await tools.undo("move", call, value);
    expect(await tools.reconcile("move", call, "k")).toBe("did-not-happen");
  });
});
