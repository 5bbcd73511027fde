import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at, ownerTasks } from "./owner-task.ts";
import { TaskScene, type PlayedTask } from "./task-scene.ts";
import { tokensOf, totalsOf } from "./totals.ts";

/** Set to 1, what is played becomes what is expected; see ../README.md. */
const RECORD = process.env["ELWOOD_RECORD"] === "1";
const EXPECTED = at("played-tasks.json");
/** Ports, folders and times differ a little in length from run to run. */
const SPREAD = 1.02;
/** What memory may add to a request; on a busy machine it comes too late and adds nothing. */
const RECALL_TOKENS = 300;

type Expected = Omit<PlayedTask, "chars" | "recalled"> & { readonly tokens: number };

const TASKS = ownerTasks();
const played: PlayedTask[] = [];
let scene: TaskScene;
let expected: readonly Expected[] = [];
beforeAll(async () => {
  if (!RECORD) expected = JSON.parse(readFileSync(EXPECTED, "utf8")) as Expected[];
  scene = await TaskScene.start();
});
afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  if (!RECORD) return;
  const kept = played.map(({ chars, recalled: _recalled, ...rest }) => ({
    ...rest,
    tokens: tokensOf(chars),
  }));
  writeFileSync(EXPECTED, `${JSON.stringify(kept, null, 2)}\n`);
});

test("there are all of the owner's recorded messages", () => {
  expect(TASKS).toHaveLength(55);
});

test.for(TASKS.map((task) => [task.task, task.owner.slice(0, 60), task] as const))(
  "task %i takes as many laps, cards and tokens as it should, and is told as it was: %s",
  async ([number, , task]) => {
    const { chars, recalled, ...rest } = await scene.play(task);
    played.push({ ...rest, chars, recalled });
    if (RECORD) return;
    const { tokens, ...known } = expected.find((each) => each.task === number)!;
    expect(rest).toEqual(known);
    const memory = recalled ? RECALL_TOKENS * rest.laps : 0;
    expect(tokensOf(chars)).toBeLessThanOrEqual(tokens * SPREAD + memory);
    if (task.owner === "hello") expect(recalled).toBe(false);
  },
);

test("a run of 38 calls, the cards of ordinary work and the laps stay within their goals", () => {
  const { longRun, ordinary, all } = totalsOf(TASKS, played);
  expect(longRun.tokens).toBeLessThanOrEqual(200_000);
  expect(ordinary.runs).toBe(35);
  expect(ordinary.asks).toBeLessThanOrEqual(ASKS_MAX);
  expect(all.laps).toBeLessThan(all.lapsThen);
  expect(ordinary.laps).toBeLessThanOrEqual(ordinary.lapsThen * 0.7);
  expect(all.tokens).toBeLessThan(all.tokensThen * 0.75);
});

/** Of 25 when they were recorded. */
const ASKS_MAX = 12;
