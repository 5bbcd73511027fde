import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { realDisk, type Disk } from "./atomic-write.ts";
import { FILE_LIMITS } from "./limits.ts";
import { makeScene } from "./test-scene.ts";
import { sweepUndo } from "./undo-store.ts";

const full = Object.assign(new Error("no space"), { code: "ENOSPC" });

describe("files.file.write", () => {
  test("EL-9: write_file writes within its scope, makes the folders, and the file can be read back", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    const { value, text } = await tools.run("write", { path: "notes/2031/a.md", content: "# Hi\n" });
    expect(readFileSync(scene.path("notes/2031/a.md"), "utf8")).toBe("# Hi\n");
    expect(value).toMatchObject({ path: scene.path("notes/2031/a.md"), created: true, bytes: 5 });
    expect(text).toBe(`Created ${scene.path("notes/2031/a.md")} (5 bytes, 1 line).`);
    expect((await tools.run("read", { path: "notes/2031/a.md" })).text).toBe("# Hi\n");
  });

  test("shows what would change and changes nothing", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "old");
    const tools = scene.tools();
    expect(await tools.preview("write", { path: "a.txt", content: "new!" })).toEqual({
      sentence: `Replace all of ${scene.path("a.txt")} (3 bytes before, 4 bytes after).`,
      before: "old",
      after: "new!",
      subject: scene.path("a.txt"),
      base: scene.root,
      creates: false,
      undoable: true,
    });
    expect(await tools.preview("write", { path: "x/b.txt", content: "new" })).toMatchObject({
      sentence: `Create ${scene.path("x/b.txt")} (3 bytes).`,
      before: "",
    });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("old");
    expect(readdirSync(scene.root)).toEqual(["a.txt"]);
    expect(existsSync(scene.undoDir)).toBe(false);
  });

  test("names what is too large or not text by its hash, so that the approval is bound to it", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("bin"), Buffer.from([0, 1, 2]));
    writeFileSync(scene.path("long"), "x".repeat(500));
    const tools = scene.tools({ limits: { previewCharsMax: 100 } });
    const binary = await tools.preview("write", { path: "bin", content: "y" });
    expect(binary.before).toMatch(/^\(not text: 3 bytes, sha256 [0-9a-f]{64}\)$/);
    const long = await tools.preview("write", { path: "long", content: "y" });
    expect(long.before).toMatch(/^x{100}\n\(cut here: 500 bytes, sha256 [0-9a-f]{64}\)$/);
  });

  test("keeps the permissions of the file it replaces and refuses one that is read-only", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("run.sh"), "old");
    chmodSync(scene.path("run.sh"), 0o750);
    writeFileSync(scene.path("fixed"), "old");
    chmodSync(scene.path("fixed"), 0o444);
    const tools = scene.tools();
    await tools.run("write", { path: "run.sh", content: "new" });
    expect(statSync(scene.path("run.sh")).mode & 0o777).toBe(0o750);
    await expect(tools.run("write", { path: "fixed", content: "new" })).rejects.toMatchObject({
      code: "not-allowed",
    });
    expect(readFileSync(scene.path("fixed"), "utf8")).toBe("old");
  });

  test("refuses text in which a secret was taken out, before anybody is asked", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("config.yaml"), "key: the-real-one\n");
    const tools = scene.tools();
    for (const content of ["key: [redacted]\n", "key: [redacted openai-key]\n", "key: [REDACTED]"]) {
      expect(await tools.facts("write", { path: "config.yaml", content })).toEqual([
        { kind: "deny", rule: "hard.redaction-marker", reason: expect.stringContaining("files.file.edit") },
      ]);
      await expect(tools.run("write", { path: "config.yaml", content })).rejects.toMatchObject({
        code: "hard.redaction-marker",
      });
    }
    expect(
      await tools.facts("write", { path: "config.yaml", content: "a [redactedly] odd word" }),
    ).toMatchObject([{ kind: "undoable" }]);
    expect(readFileSync(scene.path("config.yaml"), "utf8")).toBe("key: the-real-one\n");
  });

  test("refuses more text than its limit, and a folder as a file", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("folder"));
    const tools = scene.tools({ limits: { fileBytesMax: 10 } });
    await expect(tools.run("write", { path: "a", content: "x".repeat(11) })).rejects.toMatchObject({
      code: "too-large",
    });
    await expect(tools.run("write", { path: "folder", content: "x" })).rejects.toMatchObject({
      code: "wrong-kind",
    });
    await expect(tools.run("write", { path: ".", content: "x" })).rejects.toMatchObject({
      code: "wrong-kind",
    });
    expect(readdirSync(scene.root)).toEqual(["folder"]);
  });

  test("takes names in any script, and finds a name that lies on disk in another Unicode form", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    for (const path of ["日本語/メモ（草稿）.md", "Straße 🧾.txt", "नमस्ते.txt", "👩‍🚀.txt"]) {
      await tools.run("write", { path, content: path });
      expect((await tools.run("read", { path })).text).toBe(path);
    }
    writeFileSync(scene.path("cafe\u0301.txt"), "decomposed");
    expect((await tools.run("read", { path: "caf\u00e9.txt" })).text).toBe("decomposed");
    await tools.run("write", { path: "caf\u00e9.txt", content: "again" });
    expect(readFileSync(scene.path("cafe\u0301.txt"), "utf8")).toBe("again");
    expect(existsSync(scene.path("caf\u00e9.txt"))).toBe(false);
  });

  test("stops before it changes anything when it is told to", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    const signal = AbortSignal.abort();
    await expect(tools.run("write", { path: "a", content: "x" }, { signal })).rejects.toMatchObject({
      code: "stopped",
    });
    expect(readdirSync(scene.root)).toEqual([]);
  });
});

describe("a full disk", () => {
  const failing = (step: keyof Disk): Disk => ({
    ...realDisk,
    async write(handle, bytes) {
      if (step !== "write") return realDisk.write(handle, bytes);
      await realDisk.write(handle, bytes.subarray(0, 1));
      throw full;
    },
    async sync(handle) {
      if (step === "sync") throw full;
      await realDisk.sync(handle);
    },
    async rename(from, to) {
      if (step === "rename") throw full;
      await realDisk.rename(from, to);
    },
  });

  for (const step of ["write", "sync", "rename"] as const) {
    test(`at ${step} leaves the old file whole and nothing beside it`, async () => {
      using scene = makeScene();
      writeFileSync(scene.path("a.txt"), "old");
      const tools = scene.tools({ disk: failing(step) });
      await expect(tools.run("write", { path: "a.txt", content: "new" })).rejects.toMatchObject({
        code: "disk-full",
      });
      await expect(tools.run("write", { path: "new/b.txt", content: "new" })).rejects.toMatchObject({
        code: "disk-full",
      });
      expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("old");
      expect(readdirSync(scene.root)).toEqual(["a.txt"]);
    });
  }
});

describe("taking a write back", () => {
  test("puts the old bytes back, also those that are no text", async () => {
    using scene = makeScene();
    const old = Buffer.from([0, 255, 13, 10, 128]);
    writeFileSync(scene.path("a.bin"), old);
    const tools = scene.tools();
    const call = { path: "a.bin", content: "new" };
    const { value } = await tools.run("write", call);
    expect(value).toMatchObject({ undoable: true, created: false });
    await tools.undo("write", call, value);
    expect(readFileSync(scene.path("a.bin"))).toEqual(old);
  });

  test("removes a new file and the folders that were made for it, as far as they are empty", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    const call = { path: "x/y/z.txt", content: "new" };
    const { value } = await tools.run("write", call);
    await tools.undo("write", call, value);
    expect(readdirSync(scene.root)).toEqual([]);

    const again = await tools.run("write", call);
    writeFileSync(scene.path("x/other.txt"), "mine");
    await tools.undo("write", call, again.value);
    expect(readdirSync(scene.path("x"))).toEqual(["other.txt"]);
  });

  test("is refused when the file was changed or removed since", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "old");
    const tools = scene.tools();
    const call = { path: "a.txt", content: "new" };
    const { value } = await tools.run("write", call);
    writeFileSync(scene.path("a.txt"), "by hand");
    await expect(tools.undo("write", call, value)).rejects.toMatchObject({ code: "cannot-undo" });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("by hand");
  });

  test("is refused when the old content is no longer kept, or was tampered with", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "old");
    const tools = scene.tools();
    const call = { path: "a.txt", content: "new" };
    const { value } = await tools.run("write", call);
    const kept = join(scene.undoDir, "content", (value as { before: string }).before);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    writeFileSync(kept, "odd");
    await expect(tools.undo("write", call, value)).rejects.toMatchObject({ code: "cannot-undo" });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("new");
  });

  test("ends when its time is over: what is too old is swept away, and that is said plainly", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    writeFileSync(scene.path("a.txt"), "old");
    writeFileSync(scene.path("b.txt"), "older");
    const remove = { path: "b.txt" };
    const { value: written } = await tools.run("write", { path: "a.txt", content: "new" });
    const { value: removed } = await tools.run("delete", remove);
    const { undoKeptMs } = FILE_LIMITS;
    expect(await sweepUndo(join(scene.base, "none"), Date.now())).toBe(0);
    expect(await sweepUndo(scene.undoDir, Date.now() + undoKeptMs - 60_000)).toBe(0);
    expect(await sweepUndo(scene.undoDir, Date.now() + undoKeptMs + 60_000)).toBeGreaterThan(2);
    expect(readdirSync(join(scene.undoDir, "content"))).toEqual([]);
    expect(readdirSync(join(scene.undoDir, "intents"))).toEqual([]);
    const words = "can no longer be taken back";
    await expect(tools.undo("write", { path: "a.txt", content: "new" }, written)).rejects.toThrow(words);
    await expect(tools.undo("delete", remove, removed)).rejects.toThrow(words);
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("new");
  });

  test("sweeping keeps to the room there is, too", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    for (let n = 0; n < 5; n++) await tools.run("write", { path: "a.txt", content: `version ${n}` });
    await sweepUndo(scene.undoDir, Date.now(), { ...FILE_LIMITS, undoBytesMax: 20 });
    expect(readdirSync(join(scene.undoDir, "content")).length).toBeLessThanOrEqual(2);
  });

  test("costs bounded room: the oldest content goes first", async () => {
    using scene = makeScene();
    const tools = scene.tools({ limits: { undoItemsMax: 10, intentsMax: 10 } });
    const call = (n: number) => ({ path: "a.txt", content: `version ${n}` });
    const values: unknown[] = [];
    for (let n = 0; n < 40; n++) values.push((await tools.run("write", call(n))).value);
    expect(readdirSync(join(scene.undoDir, "content")).length).toBeLessThanOrEqual(10);
    expect(readdirSync(join(scene.undoDir, "intents")).length).toBeLessThanOrEqual(10);
    await tools.undo("write", call(39), values[39]);
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("version 38");
  });
});

describe("settling a write after a crash", () => {
  test("tells from the content whether it happened", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "old");
    const tools = scene.tools();
    const call = { path: "a.txt", content: "new" };
    expect(await tools.reconcile("write", call, "k")).toBe("did-not-happen");
    await tools.run("write", call, { key: "k" });
    expect(await tools.reconcile("write", call, "k")).toBe("happened");
    writeFileSync(scene.path("a.txt"), "somebody else");
    expect(await tools.reconcile("write", call, "k")).toBe("unknown");
  });

  test("of one that was cut off before its last step says so, and clears what it left", async () => {
    using scene = makeScene();
    writeFileSync(scene.path("a.txt"), "old");
    const call = { path: "a.txt", content: "new" };
    const never = new Promise<never>(() => undefined);
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const dying = scene.tools({
      disk: {
        ...realDisk,
        rename: () => {
          resolve();
          return never;
        },
      },
    });
    void dying.run("write", call, { key: "k" });
    await reached;
    expect(readdirSync(scene.root)).toHaveLength(2);
    expect(await scene.tools().reconcile("write", call, "k")).toBe("did-not-happen");
    expect(readdirSync(scene.root)).toEqual(["a.txt"]);
    // The same call with the same key goes through afterwards.
    await scene.tools().run("write", call, { key: "k" });
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("new");
  });
});

describe("what is kept for a call that nobody was asked about", () => {
  const promised = { undoPromised: true };
  const few = { undoItemsMax: 10, undoPromisedItemsMax: 4, intentsMax: 10 };

  test("stays for all of its time, however much else is kept meanwhile", async () => {
    using scene = makeScene();
    const tools = scene.tools({ limits: few });
    mkdirSync(scene.path("old"));
    writeFileSync(scene.path("old", "one.txt"), "one");
    const call = { path: "old", recursive: true };
    const { value } = await tools.run("delete", call, promised);
    for (let n = 0; n < 40; n++) await tools.run("write", { path: "a.txt", content: `version ${n}` });
    const { undoKeptMs } = FILE_LIMITS;
    await sweepUndo(scene.undoDir, Date.now() + undoKeptMs - 60_000, { ...FILE_LIMITS, undoBytesMax: 1 });
    await tools.undo("delete", call, value);
    expect(readFileSync(scene.path("old", "one.txt"), "utf8")).toBe("one");
    expect(await sweepUndo(scene.undoDir, Date.now() + undoKeptMs + 60_000)).toBeGreaterThanOrEqual(2);
    expect(readdirSync(join(scene.undoDir, "promised"))).toEqual([]);
  });

  test("has room of its own: where there is none the call changes nothing, and asks next time", async () => {
    using scene = makeScene();
    const tools = scene.tools({ limits: few });
    for (let n = 0; n < 4; n++) {
      writeFileSync(scene.path("a.txt"), `old ${n}`);
      await tools.run("write", { path: "a.txt", content: "new" }, promised);
    }
    const kinds = async (action: string, input: object) =>
      (await tools.facts(action, input)).map(({ kind }) => kind);
    for (const [action, more] of [
      ["write", { content: "newer" }],
      ["edit", { oldText: "new", newText: "newer" }],
      ["delete", {}],
    ] as const) {
      const call = { path: "a.txt", ...more };
      expect(await kinds(action, call), action).toEqual([]);
      await expect(tools.run(action, call, promised), action).rejects.toThrow("Nothing was changed.");
    }
    writeFileSync(scene.path("b.txt"), "b");
    const over = { from: "b.txt", to: "a.txt", overwrite: true };
    await expect(tools.run("move", over, promised)).rejects.toThrow("Nothing was changed.");
    expect(readFileSync(scene.path("a.txt"), "utf8")).toBe("new");
    await tools.run("write", { path: "a.txt", content: "approved" });
    await sweepUndo(scene.undoDir, Date.now() + FILE_LIMITS.undoKeptMs + 60_000);
    expect(await kinds("delete", { path: "a.txt" })).toEqual(["undoable"]);
  });
});
