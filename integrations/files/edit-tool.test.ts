import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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

  test("adds lines at the end, or under a heading, and shows what is there now", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    const cases: readonly (readonly [string, object, string])[] = [
      ["", { newText: "a" }, "a\n"],
      ["a", { newText: "b" }, "a\nb\n"],
      ["a\n", { newText: "b\nc\n" }, "a\nb\nc\n"],
      ["a\r\nb\r\n", { newText: "c\nd" }, "a\r\nb\r\nc\r\nd\r\n"],
      [
        "# Home\n\n- a\n\n# Office\n- b\n",
        { under: "home", newText: "- c" },
        "# Home\n\n- a\n- c\n\n# Office\n- b\n",
      ],
      [
        "# Home\n- a\n## Deep\n- b\n# Office",
        { under: "Home", newText: "- c" },
        "# Home\n- a\n## Deep\n- b\n- c\n# Office",
      ],
      [
        "# Home\n- a\n# Office\n- b",
        { under: "# Office", newText: "- c" },
        "# Home\n- a\n# Office\n- b\n- c\n",
      ],
      ["one\ntwo\nthree\n", { under: "two", newText: "2.5" }, "one\ntwo\n2.5\nthree\n"],
      [
        "# Home\n- [ ] a\n# Office\n- [ ] a\n",
        { under: "Office", oldText: "[ ] a", newText: "[x] a" },
        "# Home\n- [ ] a\n# Office\n- [x] a\n",
      ],
    ];
    for (const [before, change, after] of cases) {
      writeFileSync(scene.path("a.md"), before);
      const call = { path: "a.md", ...change };
      const { value } = await tools.run("edit", call, { key: after });
      expect(readFileSync(scene.path("a.md"), "utf8"), JSON.stringify(before)).toBe(after);
      expect(await tools.reconcile("edit", call, after)).toBe("happened");
      await tools.undo("edit", call, value);
      expect(readFileSync(scene.path("a.md"), "utf8")).toBe(before);
    }
    writeFileSync(scene.path("a.md"), "# Todo\n- a\n- b\n- c\n");
    const { text, value } = await tools.run("edit", { path: "a.md", newText: "- d" });
    expect(text).toBe(
      `Changed ${scene.path("a.md")} in one place (23 bytes, 5 lines now). It reads:\n(under # Todo)\n3: - b\n4: - c\n5: - d`,
    );
    expect(value).toMatchObject({ fromLine: 3, text: "- b\n- c\n- d" });
    // The heading of what changed, not of the lines before it.
    writeFileSync(scene.path("b.md"), "# Home\n- a\n\n# Office\n- b\n");
    const below = await tools.run("edit", { path: "b.md", oldText: "- b", newText: "- c" });
    expect(below.text).toMatch(/It reads:\n3: \n4: # Office\n5: - c$/);
    expect(await tools.preview("edit", { path: "a.md", newText: "- e" })).toMatchObject({
      before: "- b\n- c\n- d\n",
      after: "- b\n- c\n- d\n- e\n",
    });
    const edit = (more: object) => tools.run("edit", { path: "a.md", newText: "x", ...more });
    await expect(edit({ under: "Office" })).rejects.toThrow("No line of");
    await expect(edit({ under: "-" })).rejects.toThrow("at lines 2, 3, 4, 5. Give more of the line.");
    await expect(edit({ under: "Todo", oldText: "z" })).rejects.toThrow("below line 1");
    await expect(edit({ newText: "" })).rejects.toThrow("no text to add");
    await expect(edit({ path: "none.md" })).rejects.toMatchObject({ code: "not-found" });
  });

  test("a name alone means the only file called so, and none where there are two", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("notes/old"), { recursive: true });
    writeFileSync(scene.path("notes/todo.md"), "- a\n");
    const tools = scene.tools();
    const call = { path: "todo.md", newText: "- b" };
    expect((await tools.preview("edit", call)).subject).toBe(scene.path("notes/todo.md"));
    const { value } = await tools.run("edit", call, { key: "k" });
    expect(value).toMatchObject({ path: scene.path("notes/todo.md") });
    expect(await tools.reconcile("edit", call, "k")).toBe("happened");
    writeFileSync(scene.path("notes/old/todo.md"), "- c\n");
    await expect(tools.run("edit", call)).rejects.toThrow(
      "does not exist. There is notes/old/todo.md and notes/todo.md.",
    );
    expect(readFileSync(scene.path("notes/todo.md"), "utf8")).toBe("- a\n- b\n");
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
