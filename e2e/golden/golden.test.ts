import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { GoldenRun } from "./golden-run.ts";
import { GoldenScene, SAME_EVERYWHERE, Recording } from "./golden-scene.ts";
import { RUNS } from "./runs/index.ts";

/** Set to 1, what happens becomes what is expected; see README.md. */
const RECORD = process.env["ELWOOD_RECORD"] === "1";
const TRANSCRIPTS = fileURLToPath(new URL("./transcripts/", import.meta.url));

/** What a model is told of commands, and what asks, differs where they cannot be caged. */
const CAGED =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "true"]).status === 0;

describe.runIf(CAGED)("golden transcripts", () => {
  let shared: Promise<GoldenScene> | undefined;
  afterAll(async () => {
    await (await shared)?.[Symbol.asyncDispose]();
  });

  test("every run has a name of its own, and every transcript belongs to one", () => {
    const ids = RUNS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(30);
    if (!RECORD)
      expect(readdirSync(TRANSCRIPTS).toSorted()).toEqual(ids.map((id) => `${id}.json`).toSorted());
  });

  test.for(RUNS.map((run) => [run.id, run] as const))("%s", async ([, run]) => {
    const text = run.own ? await playAlone(run, run.own) : await play(run, await (shared ??= start({})));
    if (RECORD) {
      mkdirSync(TRANSCRIPTS, { recursive: true });
      writeFileSync(fileOf(run), text);
    } else expect(text, run.about).toBe(read(run));
  });
});

function start({ config = "", demo = false }: NonNullable<GoldenRun["own"]>): Promise<GoldenScene> {
  return GoldenScene.start(`${SAME_EVERYWHERE}${config}`, { demo });
}

async function playAlone(run: GoldenRun, own: NonNullable<GoldenRun["own"]>): Promise<string> {
  await using scene = await start(own);
  return await play(run, scene);
}

async function play(run: GoldenRun, scene: GoldenScene): Promise<string> {
  const recording = await Recording.begin(scene);
  try {
    await run.play(recording);
  } finally {
    await recording.end();
  }
  return recording.text();
}

function fileOf({ id }: GoldenRun): string {
  return `${TRANSCRIPTS}${id}.json`;
}

function read(run: GoldenRun): string {
  if (!existsSync(fileOf(run)))
    throw new Error(`Nothing was recorded for ${run.id}. Record it: ELWOOD_RECORD=1`);
  return readFileSync(fileOf(run), "utf8");
}
