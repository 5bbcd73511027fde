import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchOptions, BenchReport } from "./main.ts";

const PLAY = fileURLToPath(new URL("../e2e/recorded/tasks/main.ts", import.meta.url));

const BY_HAND = fileURLToPath(new URL("../e2e/recorded/tasks/by-hand.ts", import.meta.url));

/** Measured when the tasks were recorded. */
const ASKS_THEN = 25;
const LONG_RUN_TOKENS_MAX = 200_000;
const ASKS_MAX = 12;
const LAPS_SHARE_MAX = 0.7;

interface Sum {
  readonly tokensThen: number;
  readonly tokens: number;
  readonly lapsThen: number;
  readonly laps: number;
}

interface Played {
  readonly totals: {
    readonly all: Sum;
    readonly longRun: Sum;
    readonly ordinary: Sum & { readonly runs: number; readonly asks: number };
  };
  readonly recalledThen: number;
  readonly played: readonly { readonly task: number; readonly recalled: boolean }[];
}

/**
 * The owner's recorded messages, played again with what a strong model answered to them: what it is given to read,
 * how often it is asked, and how often the owner is. Answers to trouble that is gone are left out.
 */
export async function bench(args: readonly string[], options: BenchOptions): Promise<BenchReport> {
  if (typeof options["by-hand"] === "string") return byHand(options["by-hand"], args);
  const { stdout } = await promisify(execFile)(process.execPath, [PLAY], { maxBuffer: 64 * 1024 * 1024 });
  // Printed by the script itself, in this shape.
  const { totals, recalledThen, played } = JSON.parse(stdout) as Played;
  const { all, longRun, ordinary } = totals;
  const recalled = played.filter((each) => each.recalled).map(({ task }) => task);
  const n = (count: number) => count.toLocaleString("en");
  return {
    name: "tasks",
    played,
    rows: [
      {
        what: "tokens read in the run of 38 calls",
        value: n(longRun.tokens),
        baseline: n(longRun.tokensThen),
        reach: `≤ ${n(LONG_RUN_TOKENS_MAX)}`,
        ok: longRun.tokens <= LONG_RUN_TOKENS_MAX,
      },
      { what: "tokens read in all 55 messages", value: n(all.tokens), baseline: n(all.tokensThen) },
      {
        what: `cards in ${ordinary.runs} ordinary runs`,
        value: n(ordinary.asks),
        baseline: n(ASKS_THEN),
        reach: `≤ ${ASKS_MAX}`,
        ok: ordinary.asks <= ASKS_MAX,
      },
      {
        what: "laps of ordinary runs",
        value: n(ordinary.laps),
        baseline: n(ordinary.lapsThen),
        reach: `≤ ${Math.floor(ordinary.lapsThen * LAPS_SHARE_MAX)}`,
        ok: ordinary.laps <= ordinary.lapsThen * LAPS_SHARE_MAX,
      },
      { what: "laps of all", value: n(all.laps), baseline: n(all.lapsThen) },
      {
        what: "messages that memory is added to",
        value: `${recalled.length}${recalled.length > 0 ? ` (${recalled.join(", ")})` : ""}`,
        baseline: n(recalledThen),
      },
    ],
  };
}

/** `npm run bench -- tasks --by-hand <folder> [first] [last]`: whoever watches the folder is the model. */
function byHand(folder: string, range: readonly string[]): BenchReport {
  const { status } = spawnSync(process.execPath, [BY_HAND, folder, ...range], { stdio: "inherit" });
  return { name: "tasks by hand", rows: [{ what: "played to the end", value: "", ok: status === 0 }] };
}
