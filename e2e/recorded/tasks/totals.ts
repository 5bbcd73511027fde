import { isOrdinary, type OwnerTask } from "./owner-task.ts";
import type { PlayedTask } from "./task-scene.ts";

/** What a model's provider counts is not known here: four characters are taken for one token, then and now. */
const CHARS_PER_TOKEN = 4;

export interface Totals {
  readonly messages: number;
  /** The run of 38 searches, one after the other. */
  readonly longRun: Sum;
  readonly all: Sum;
  /** The ordinary runs alone. */
  readonly ordinary: Sum & { readonly runs: number; readonly asks: number };
}

interface Sum {
  readonly tokensThen: number;
  readonly tokens: number;
  readonly lapsThen: number;
  readonly laps: number;
}

export const LONG_RUN = 51;

export function totalsOf(tasks: readonly OwnerTask[], played: readonly PlayedTask[]): Totals {
  const byTask = new Map(played.map((each) => [each.task, each]));
  const sum = (some: readonly OwnerTask[]): Sum => ({
    tokensThen: tokensOf(some.reduce((chars, { then }) => chars + then.chars, 0)),
    tokens: tokensOf(some.reduce((chars, { task }) => chars + (byTask.get(task)?.chars ?? 0), 0)),
    lapsThen: some.reduce((laps, { then }) => laps + then.laps, 0),
    laps: some.reduce((laps, { task }) => laps + (byTask.get(task)?.laps ?? 0), 0),
  });
  const ordinary = tasks.filter(isOrdinary);
  return {
    messages: tasks.length,
    longRun: sum(tasks.filter(({ task }) => task === LONG_RUN)),
    all: sum(tasks),
    ordinary: {
      ...sum(ordinary),
      runs: ordinary.length,
      asks: ordinary.reduce((asks, { task }) => asks + (byTask.get(task)?.asks.length ?? 0), 0),
    },
  };
}

export function tokensOf(chars: number): number {
  return Math.round(chars / CHARS_PER_TOKEN);
}
