import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "@elwood/platform/system";
import { watchTools } from "@elwood/isolation/tool-host/watch-tools";

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

function watched(make = true) {
  const folder = mkdtempSync(join(tmpdir(), "elwood-watch-"));
  const toolsDir = join(folder, "tools");
  if (make) mkdirSync(join(toolsDir, "a"), { recursive: true });
  const stop = new AbortController();
  let changes = 0;
  // Waits for the watcher's own pause, and no longer.
  const clock = {
    ...systemClock,
    sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(5, signal),
  };
  watchTools({
    toolsDir,
    clock,
    log: quiet,
    signal: stop.signal,
    onChange: async () => void changes++,
  });
  onTestFinished(() => {
    stop.abort();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    toolsDir,
    /** What is done, and whether it was noticed. */
    after: async (change: () => void) => {
      const before = changes;
      change();
      await expect.poll(() => changes, { interval: 10, timeout: 60_000 }).toBeGreaterThan(before);
    },
  };
}

test("a file that is written, renamed into place or deleted is noticed", async () => {
  const { toolsDir, after } = watched();
  const file = join(toolsDir, "a", "x.ts");
  await after(() => writeFileSync(file, "1"));
  await after(() => {
    writeFileSync(`${file}.tmp`, "2");
    renameSync(`${file}.tmp`, file);
  });
  await after(() => rmSync(file));
});

test("a folder that is new is noticed, and so is what is put into it later", async () => {
  const { toolsDir, after } = watched();
  await after(() => mkdirSync(join(toolsDir, "b", "lib"), { recursive: true }));
  await after(() => writeFileSync(join(toolsDir, "b", "x.ts"), "1"));
  await after(() => writeFileSync(join(toolsDir, "b", "lib", "y.ts"), "1"));
  await after(() => renameSync(join(toolsDir, "b"), join(toolsDir, "c")));
  await after(() => writeFileSync(join(toolsDir, "c", "x.ts"), "2"));
});

test("the folder itself may come, go, and come again as another one", async () => {
  const { toolsDir, after } = watched(false);
  await after(() => mkdirSync(join(toolsDir, "a"), { recursive: true }));
  await after(() => writeFileSync(join(toolsDir, "a", "x.ts"), "1"));
  await after(() => rmSync(toolsDir, { recursive: true }));
  await after(() => mkdirSync(join(toolsDir, "a"), { recursive: true }));
  await after(() => writeFileSync(join(toolsDir, "a", "x.ts"), "2"));
});

test("changes that come together are one change", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-watch-"));
  const stop = new AbortController();
  onTestFinished(() => {
    stop.abort();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "tools"));
  const pauses: (() => void)[] = [];
  let changes = 0;
  watchTools({
    toolsDir: join(folder, "tools"),
    clock: { now: () => 0, sleep: () => new Promise((resolve) => pauses.push(resolve)) },
    log: quiet,
    signal: stop.signal,
    onChange: async () => void changes++,
  });
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, "tools", `${i}.ts`), "1");
  await expect.poll(() => pauses.length).toBe(1);
  pauses.shift()!();
  // Whatever came during the first pause is waited for once more; then nothing comes.
  await expect.poll(() => pauses.length + changes).toBeGreaterThan(0);
  for (const go of pauses.splice(0)) go();
  await expect.poll(() => changes).toBe(1);
});
