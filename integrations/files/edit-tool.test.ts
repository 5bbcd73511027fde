import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { realDisk } from "./atomic-write.ts";
import { makeScene } from "./test-scene.ts";

describe("files.file.edit", () => {
  test("replaces one exact piece and leaves every other byte as it is", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    const cases: readonly (readonly [string, string, string, string])[] = [
      ["no newline at the end", "end", "END", "no newline at the END"],
      ["a\r\nb\r\nc\r\n", "b\nc", "B\nC\nD", "a\r\nB\r\nC\r\nD\r\nc\r\n".replace("c\r\n", "")],
      ["a\r\nb\nc\n", "b\n", "B\n", "a\r\nB\nc\n"],
      ["\ufeffwith a mark\n", "mark", "Mark", "\ufeffwith a Mark\n"],
      ["$& and $1", "$&", "$1", "$1 and $1"],
      ["x", "x", "", ""],
    ];
    for (const [before, oldText, newText, after] of cases) {
      writeFileSync(scene.path("a.txt"), before);
      await tools.run("edit", { path: "a.txt", oldText, newText });
      expect(readFileSync(scene.path("a.txt"), "utf8"), JSON.stringify(before)).toBe(after);
    }
  });

  test("refuses text that is missing, or there twice, and says how often", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "one two two");
    const tools = scene.tools();
    const edit = (oldText: string, more: object = {}) =>
      tools.run("edit", { path: "a.txt", oldText, newText: "X", ...more });
    await expect(edit("three")).rejects.toMatchObject({ code: "no-match" });
    await expect(edit("two")).rejects.toThrow("2 times");
    await expect(edit("X")).rejects.toMatchObject({ code: "no-match" });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("one two two");
    const { value } = await edit("two", { replaceAll: true });
    expect(value).toMatchObject({ count: 2 });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("one X X");
  });

  test("shows the lines that change, with a few around them", async () => {
    using scene = makeScene();
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`);
    writeFileSync(scene.path("a.txt"), lines.join("\n"));
    const tools = scene.tools();
    expect(
      await tools.preview("edit", { path: "a.txt", oldText: "line 50\n", newText: "fifty\nand a half\n" }),
    ).toEqual({
      sentence: `Change ${scene.path("a.txt")} at line 50.`,
      before: "line 47\nline 48\nline 49\nline 50\nline 51\nline 52\nline 53",
      after: "line 47\nline 48\nline 49\nfifty\nand a half\nline 51\nline 52\nline 53",
      subject: scene.path("a.txt"),
      base: scene.root,
      creates: false,
      undoable: true,
    });
    await expect(tools.preview("edit", { path: "a.txt", oldText: "no", newText: "x" })).rejects.toMatchObject(
      {
        code: "no-match",
      },
    );
    await expect(tools.preview("edit", { path: "none", oldText: "no", newText: "x" })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  test("says on which lines a text stands that occurs more than once", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("todo.md"), `# Home\n- call\n# Office\n- call\n`);
    writeFileSync(scene.path("many"), "x\n".repeat(30));
    const tools = scene.tools();
    await expect(tools.run("edit", { path: "todo.md", oldText: "- call\n", newText: "" })).rejects.toThrow(
      "holds the old text 2 times, at lines 2, 4. Give more",
    );
    await expect(tools.run("edit", { path: "many", oldText: "x", newText: "y" })).rejects.toThrow(
      "at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more.",
    );
  });

  test("changes a file around a secret that the model cannot see, and brings no marker in", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("c.yaml"), "key: the-real-one\nmode: a\n");
    const tools = scene.tools();
    await tools.run("edit", { path: "c.yaml", oldText: "mode: a", newText: "mode: b" });
    expect(readFileSync(scene.path("c.yaml"), "utf8")).toBe("key: the-real-one\nmode: b\n");
    const bad = { path: "c.yaml", oldText: "mode: b", newText: "key: [redacted openai-key]" };
    expect((await tools.facts("edit", bad))[0]?.rule).toBe("hard.redaction-marker");
    await expect(tools.run("edit", bad)).rejects.toMatchObject({ code: "hard.redaction-marker" });

    writeFileSync(scene.path("memo.txt"), "Name: [redacted], born 1970");
    await tools.run("edit", {
      path: "memo.txt",
      oldText: "[redacted], born 1970",
      newText: "[redacted], born 1971",
    });
    expect(readFileSync(scene.path("memo.txt"), "utf8")).toBe("Name: [redacted], born 1971");
  });

  test("leaves alone what is not text, and what is too large", async () => {
    using scene = makeScene();
    const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
    writeFileSync(scene.path("latin.txt"), latin);
    writeFileSync(scene.path("large.txt"), "x".repeat(101));
    const tools = scene.tools({ limits: { fileBytesMax: 100 } });
    const edit = (path: string, oldText: string, newText: string) =>
      tools.run("edit", { path, oldText, newText });
    await expect(edit("latin.txt", "caf", "Caf")).rejects.toMatchObject({ code: "wrong-kind" });
    await expect(edit("large.txt", "x", "y")).rejects.toMatchObject({ code: "too-large" });
    expect(readFileSync(scene.path("latin.txt"))).toEqual(latin);
  });

  test("many at once on one file all land", async () => {
    using scene = makeScene();
    const words = Array.from({ length: 40 }, (_, i) => `<${i}>`);
    writeFileSync(scene.path("a.txt"), words.join(" "));
    const tools = scene.tools();
    await Promise.all(
      words.map((word, i) =>
        tools.run("edit", { path: i % 2 ? "a.txt" : "./a.txt", oldText: word, newText: `done${i};` }),
      ),
    );
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe(words.map((_, i) => `done${i};`).join(" "));
  });

  test("gives way to somebody else who writes the file at the same time", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "mine");
    const tools = scene.tools({
      disk: {
        ...realDisk,
        async write(handle, bytes) {
          await realDisk.write(handle, bytes);
          writeFileSync(scene.path("a.txt"), "theirs");
        },
      },
    });
    await expect(
      tools.run("edit", { path: "a.txt", oldText: "mine", newText: "ours" }),
    ).rejects.toMatchObject({
      code: "conflict",
      retryable: true,
    });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("theirs");
    expect(readdirSync(scene.root)).toEqual(["a.txt"]);
  });

  test("is taken back to the very bytes, and settled after a crash", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "one\r\ntwo");
    const tools = scene.tools();
    const call = { path: "a.txt", oldText: "one", newText: "ONE" };
    expect(await tools.reconcile("edit", call, "k")).toBe("did-not-happen");
    const { value } = await tools.run("edit", call, { key: "k" });
    expect(await tools.reconcile("edit", call, "k")).toBe("happened");
    await tools.undo("edit", call, value);
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("one\r\ntwo");
    expect(await tools.reconcile("edit", call, "k")).toBe("did-not-happen");
  });
});
