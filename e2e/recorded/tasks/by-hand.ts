import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { HandModel } from "./hand-model.ts";
import { isOrdinary, ownerTasks } from "./owner-task.ts";
import { TaskScene, type PlayedTask } from "./task-scene.ts";
import { tokensOf } from "./totals.ts";

/**
 * Plays the ordinary ones of the owner's messages, of a range, with a model whose answers are written by hand;
 * all before them as they were recorded. `node by-hand.ts <folder> [first] [last]`
 */
const [folder = "", first = "1", last = "55"] = process.argv.slice(2);
const [from, to] = [Number(first), Number(last)];
const tasks = ownerTasks().filter(({ task }) => task <= to);
const isByHand = (number: number) => number >= from && isOrdinary({ task: number });
let model: HandModel | undefined;
await using scene = await TaskScene.start(async () => (model = await HandModel.byHand(folder, isByHand)), {
  unexpected: true,
});
const rows: string[] = [];
const played: PlayedTask[] = [];
for (const task of tasks) {
  const done = await scene.play(task);
  if (!isByHand(task.task)) continue;
  played.push(done);
  const program = model?.firstProgram(task.task) ?? "";
  rows.push(
    [task.task, done.laps, task.then.laps, done.asks.length, tokensOf(done.chars), program, done.ended].join(
      "\t",
    ),
  );
  process.stderr.write(`${rows.at(-1)}\n`);
}
const sum = (of: (each: PlayedTask) => number) => played.reduce((total, each) => total + of(each), 0);
const then = tasks.filter(({ task }) => isByHand(task)).reduce((total, task) => total + task.then.laps, 0);
const programs = played.map(({ task }) => model?.firstProgram(task)).filter((each) => each !== undefined);
const taken = programs.filter((each) => each === "taken").length;
const report = [
  ["task", "laps", "then", "asks", "tokens", "first program", "ended"].join("\t"),
  ...rows,
  `${played.length} messages: ${sum(({ laps }) => laps)} laps (${then} then), ${sum(({ asks }) => asks.length)} asks, ${tokensOf(sum(({ chars }) => chars))} tokens, first programs ${taken} of ${programs.length}`,
].join("\n");
writeFileSync(join(folder, "done.txt"), `${report}\n`);
process.stdout.write(`${report}\n`);
