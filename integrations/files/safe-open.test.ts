import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeScene, OUTSIDE_SECRET, type Scene } from "./test-scene.ts";

const SWAPS_MIN = 10_000;
const ROUNDS_MAX = 20_000;

/** Another process that swaps a folder for a link to the outside and back, as fast as it can. */
function startSwapping(folder: string, outside: string) {
  const source = `
    const fs = require("node:fs");
    const [folder, outside] = process.argv.slice(1);
    let swaps = 0;
    // While the name is free a write may make a folder of that name; it is taken away again.
    const free = (step) => {
      for (;;) {
        try {
          return step();
        } catch (error) {
          if (!["EEXIST", "ENOTEMPTY"].includes(error.code)) throw error;
          try {
            fs.rmSync(folder, { recursive: true, force: true });
          } catch (again) {
            if (again.code !== "ENOTEMPTY") throw again;
          }
        }
      }
    };
    const spin = () => {
      for (let i = 0; i < 50; i++) {
        fs.renameSync(folder, folder + ".real");
        free(() => fs.symlinkSync(outside, folder));
        fs.unlinkSync(folder);
        free(() => fs.renameSync(folder + ".real", folder));
        swaps++;
      }
      process.stdout.write(swaps + "\\n");
      // A short rest, so that some calls get through and the others meet a swap.
      setTimeout(spin, 2);
    };
    process.stdin.on("end", () => process.exit(0)).resume();
    spin();
  `;
  const child = spawn(process.execPath, ["-e", source, folder, outside], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let swaps = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    swaps = Number(chunk.toString("utf8").trim().split("\n").at(-1));
  });
  return {
    swaps: () => swaps,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await ended;
    },
  };
}

/** Reads and writes through the swapped folder until it was swapped often enough. */
async function race(scene: Scene, throughDescriptors: boolean) {
  mkdirSync(scene.path("parent"));
  writeFileSync(scene.path("parent/secret.txt"), "inside");
  const tools = scene.tools({ throughDescriptors });
  const outsideBefore = readdirSync(scene.outside).sort();
  const swapping = startSwapping(scene.path("parent"), scene.outside);
  const seen = { inside: 0, refused: 0, other: [] as string[] };
  const attempt = async (action: string, input: object, judge: (text: string) => void) => {
    try {
      judge((await tools.run(action, input)).text ?? "");
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ToolError") throw error;
      seen.refused++;
    }
  };
  const insideOnly = (text: string) => {
    if (text === "inside") seen.inside++;
    else seen.other.push(text);
  };
  try {
    for (let round = 0; round < ROUNDS_MAX && swapping.swaps() < SWAPS_MIN; round++) {
      await Promise.all([
        attempt("read", { path: "parent/secret.txt" }, insideOnly),
        attempt("write", { path: "parent/new.txt", content: "written" }, () => seen.inside++),
        attempt("edit", { path: "parent/secret.txt", oldText: "outside", newText: "x" }, insideOnly),
        attempt("list", { path: "parent", hidden: true }, (text) => {
          if (text.includes("only-outside")) seen.other.push(text);
        }),
      ]);
    }
  } finally {
    await swapping.stop();
  }
  return { seen, swaps: swapping.swaps(), outsideBefore };
}

describe("a folder that is swapped for a link while it is used", () => {
  test("never leads a read, a write, an edit or a listing outside", { timeout: 60_000 }, async () => {
    using scene = makeScene();
    writeFileSync(join(scene.outside, "only-outside.txt"), "x");
    const { seen, swaps, outsideBefore } = await race(scene, true);
    expect(swaps).toBeGreaterThanOrEqual(SWAPS_MIN);
    expect(seen.other).toEqual([]);
    expect(readdirSync(scene.outside).sort()).toEqual(outsideBefore);
    expect(readFileSync(join(scene.outside, "secret.txt"), "utf8")).toBe(OUTSIDE_SECRET);
    // Both happened, so the race was one.
    expect(seen.inside).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });
});

describe("on a system without descriptors as paths", () => {
  test("reads, writes and refusals are the same", async () => {
    using scene = makeScene();
    const tools = scene.tools({ throughDescriptors: false });
    await tools.run("write", { path: "a/b/c.txt", content: "one" });
    expect((await tools.run("read", { path: "a/b/c.txt" })).text).toBe("one");
    await tools.run("edit", { path: "a/b/c.txt", oldText: "one", newText: "two" });
    await tools.run("move", { from: "a/b", to: "z" });
    expect(readFileSync(scene.path("z/c.txt"), "utf8")).toBe("two");
    await expect(tools.run("read", { path: "../outside/secret.txt" })).rejects.toMatchObject({
      code: "hard.outside-scope",
    });
  });
});
