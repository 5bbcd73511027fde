import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeScene, type Scene } from "./test-scene.ts";

/** What may lie at a path outside of the working folder; a look at it could tell one from the other. */
const OUTSIDE: readonly ((path: string, scene: Scene) => void)[] = [
  () => undefined,
  (path) => writeFileSync(path, "#!/bin/sh\n"),
  (path) => {
    writeFileSync(path, "#!/bin/sh\necho other\n");
    chmodSync(path, 0o755);
  },
  (path) => mkdirSync(path),
  (path, { root }) => symlinkSync(root, path),
  (path, { state }) => symlinkSync(state, path),
  (path) => symlinkSync("/usr/bin/bash", path),
  (path) => symlinkSync(path, path),
];

test("what lies outside of the working folder makes no difference before a decision: nobody looks", async () => {
  using scene = makeScene();
  const away = join(scene.base, "away");
  scene.put("run.sh", "#!/bin/sh\n");
  symlinkSync(away, scene.path("link"));
  symlinkSync("../../away", scene.path("near"));
  const tool = scene.tool();
  const commands = [
    { argv: ["cat", away] },
    { argv: ["cat", "link"] },
    { argv: ["cat", "near"] },
    { argv: ["cat", "link/owner-token"] },
    { argv: ["cat", `${away}/owner-token`] },
    { argv: [away, "run.sh"] },
    { argv: ["./link", away] },
    { argv: ["bash", away] },
    { argv: ["bash", "link/run.sh"] },
    { command: `bash ${away} && cat near/x` },
    { argv: ["ls"], cwd: away },
    { argv: ["ls"], cwd: "link" },
    { argv: ["git", "diff", away, "link"] },
  ];
  const judged: unknown[][] = commands.map(() => []);
  for (const put of OUTSIDE) {
    rmSync(away, { recursive: true, force: true });
    put(away, scene);
    for (const [at, command] of commands.entries()) {
      const shown = await tool.preview(command).catch((error: unknown) => String(error));
      judged[at]!.push([await tool.facts(command), shown, await tool.keys(command)]);
    }
  }
  for (const [at, each] of judged.entries())
    for (const other of each) expect(other, JSON.stringify(commands[at])).toEqual(each[0]);
});

test("a program outside of the working folder asks, and is looked for only by the call itself", async () => {
  using scene = makeScene();
  const tool = scene.tool();
  const missing = { argv: [join(scene.base, "tool")] };
  expect(await tool.verdict(missing)).toBe("ask");
  expect((await tool.preview(missing)).after).toContain("its content is not bound");
  await expect(tool.run(missing)).rejects.toThrow(/There is no program/);
});

test("a link that leads back into the folder, or to Elwood's own files, is followed to its end", async () => {
  using scene = makeScene();
  scene.put("notes/a.txt");
  symlinkSync("notes/../notes", scene.path("here"));
  symlinkSync(join(scene.state, "owner-token"), scene.path("token"));
  symlinkSync("..", scene.path("up"));
  const tool = scene.tool();
  expect(await tool.verdict({ argv: ["ls"], cwd: "here" })).not.toBe("deny");
  for (const word of ["token", "up/owner-token", `${scene.root}/up/owner-token`, "here/../../up/owner-token"])
    expect(await tool.verdict({ argv: ["cat", word] }), word).not.toBe("allow");
  expect(await tool.verdict({ argv: ["cat", "token"] })).toBe("deny");
  expect(await tool.verdict({ argv: ["cat", "up/owner-token"] })).toBe("deny");
});
