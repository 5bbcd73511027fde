import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeScene } from "./test-scene.ts";

test("a path that was given whole is told from the folder it lies in, another as it was given", async () => {
  using scene = makeScene();
  const workspace = join(scene.home, "workspace");
  mkdirSync(join(workspace, "tools"), { recursive: true });
  const roots = [scene.root, workspace].map((path) => ({ path, write: true }));
  const { all } = scene.tools({ roots });
  const told = (action: string, input: object) =>
    all.find(({ id }) => id === `files.file.${action}`)?.target?.(input);
  for (const action of ["read", "write", "edit", "delete", "list"]) {
    expect(await told(action, { path: join(workspace, "tools/words.ts") })).toBe("workspace/tools/words.ts");
    expect(await told(action, { path: "notes/a.txt" })).toBe("notes/a.txt");
    // Where it cannot be opened it is named as it is.
    const secret = join(scene.state, "keys");
    expect(await told(action, { path: secret })).toBe(secret);
  }
  expect(await told("move", { from: join(workspace, "a.ts"), to: "b.ts" })).toBe("workspace/a.ts to b.ts");
});
