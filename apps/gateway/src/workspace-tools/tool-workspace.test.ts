import { describe, expect, test } from "vitest";
import { moduleOf, workspaceScene } from "./test-scene.ts";

describe("OA-7: a tool in the workspace", () => {
  test("is found, described by its schema, and run in a process of its own", async () => {
    using scene = workspaceScene();
    scene.put(
      "notes/count.ts",
      moduleOf(
        "notes.word.count",
        `return { words: (input.text ?? "").split(" ").length, env: Object.keys(process.env).length };`,
      ),
    );
    const t0 = performance.now();
    expect(await scene.load()).toEqual([]);
    console.log(performance.now() - t0);
    expect(scene.tool("notes.word.count").contract).toMatchObject({
      hosts: [],
      code: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await scene.call("notes.word.count", { text: "one two" })).toEqual({
      ok: true,
      value: { value: { words: 2, env: 0 } },
    });
    const t1 = performance.now();
    for (let i = 0; i < 100; i++) await scene.call("notes.word.count", { text: "one two" });
    console.log((performance.now() - t1) / 100);
  });
});
