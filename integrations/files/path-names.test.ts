import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { makeScene, type Scene } from "./test-scene.ts";

function put(scene: Scene, ...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(scene.path(path)), { recursive: true });
    writeFileSync(scene.path(path), "x");
  }
}

/** By what names the owner may mean the file that a write is about. */
async function namesOf(scene: Scene, path: string) {
  const write = scene.tools().all.find(({ id }) => id === "files.file.write")!;
  return write.names!({ path, content: "y" });
}

describe("a file may be meant", () => {
  test("by its name alone where nothing else in the folders is called so, in whatever case", async () => {
    using scene = makeScene();
    put(scene, "lists/todo.md", "lists/other.md");
    expect((await namesOf(scene, "lists/todo.md")).aliases).toEqual({
      path: [scene.path("lists/todo.md"), "lists/todo.md", "todo.md"],
    });
    put(scene, "archive/TODO.md");
    expect((await namesOf(scene, "lists/todo.md")).aliases).toEqual({
      path: [scene.path("lists/todo.md"), "lists/todo.md"],
    });
  });

  test("by what people call such a file, where no other has its name", async () => {
    using scene = makeScene();
    put(scene, "lists/todo.md", "book-club.md", "photo.jpg");
    const called = async (path: string) => (await namesOf(scene, path)).described?.["path"] ?? [];
    expect(await called("lists/todo.md")).toEqual(
      expect.arrayContaining(["todo list", "to-do list", "todo-liste"]),
    );
    expect(await called("lists/todo.md")).not.toContain("todo");
    expect(await called("book-club.md")).toContain("book club notes");
    expect([await called("photo.jpg"), await called("new.md")]).toEqual([[], []]);
    put(scene, "old/todo.txt");
    expect(await called("lists/todo.md")).toEqual([]);
  });

  test("by its path alone where there is too much to look through", async () => {
    using scene = makeScene();
    put(scene, "todo.md", "a/b/c/d/e/f/g/h/i.md");
    expect((await namesOf(scene, "todo.md")).aliases).toEqual({ path: [scene.path("todo.md"), "todo.md"] });
    put(scene, "x/todo.txt");
    expect((await namesOf(scene, "x/todo.txt")).aliases).toEqual({
      path: [scene.path("x/todo.txt"), "x/todo.txt"],
    });
  });

  test("by its folder where it would be new there, and by no name that it does not have yet", async () => {
    using scene = makeScene();
    put(scene, "poems/old.md");
    const { aliases, newIn } = await namesOf(scene, "poems/spring/rain.md");
    expect(newIn).toEqual({ path: ["poems/spring", "spring"] });
    expect(aliases).toEqual({ path: [scene.path("poems/spring/rain.md"), "poems/spring/rain.md"] });
    expect((await namesOf(scene, "poems/old.md")).newIn).toEqual({});
  });

  test("by no name at all where it lies outside of the folders", async () => {
    using scene = makeScene();
    expect(await namesOf(scene, `${scene.outside}/secret.txt`)).toEqual({ aliases: {}, newIn: {} });
  });
});
