import { ownerTasks } from "./owner-task.ts";
import { TaskScene, type PlayedTask } from "./task-scene.ts";
import { totalsOf } from "./totals.ts";

/** Plays all tasks and prints what they took, as JSON; `npm run bench -- tasks` reads it. */
const tasks = ownerTasks();
const played: PlayedTask[] = [];
await using scene = await TaskScene.start();
for (const task of tasks) {
  played.push(await scene.play(task));
  process.stderr.write(".");
}
process.stderr.write("\n");
const recalledThen = tasks.filter(({ then }) => then.recalled).length;
process.stdout.write(`${JSON.stringify({ totals: totalsOf(tasks, played), recalledThen, played })}\n`);
