import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchReport } from "./main.ts";

const TASKS = fileURLToPath(new URL("../apps/gateway/bench/recall-tasks.ts", import.meta.url));
const SHOWN_CHARS = 100;

interface TaskRecall {
  readonly task: number;
  readonly message: string;
  readonly recalled: readonly string[];
}

/**
 * What an owner's recorded messages recall, one conversation after the other, without a model. Whether a recall
 * helps, does nothing or misleads is for a person to say, so each is printed.
 */
export async function bench([file]: readonly string[]): Promise<BenchReport> {
  if (file === undefined)
    throw new Error("Name the file of recorded messages: npm run bench -- recall <file.jsonl>");
  const { stdout } = await promisify(execFile)(process.execPath, [TASKS, file], {
    maxBuffer: 64 * 1024 * 1024,
  });
  // Printed by the script itself, in this shape.
  const { recalls } = JSON.parse(stdout) as { recalls: readonly TaskRecall[] };
  const some = recalls.filter(({ recalled }) => recalled.length > 0);
  return {
    name: "recall",
    messages: recalls.length,
    recalls: some,
    rows: [
      {
        what: "messages that recall something",
        value: `${some.length} of ${recalls.length}`,
        baseline: `${some.reduce((sum, { recalled }) => sum + recalled.length, 0)} lines in all`,
      },
      ...some.flatMap(({ task, message, recalled }) => [
        { what: `${task}`, value: message.slice(0, SHOWN_CHARS) },
        ...recalled.map((line) => ({ what: "", value: line.slice(0, SHOWN_CHARS) })),
      ]),
    ],
  };
}
