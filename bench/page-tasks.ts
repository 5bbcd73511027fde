import type { Browser, Page } from "playwright-core";

/** The longest task of a page's main thread: how long it took, and how much of that it worked. */
export interface LongestTask {
  readonly ms: number;
  /** Time on a processor: what is left of `ms` when other programs had none of it. */
  readonly cpuMs: number;
  readonly tasks: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Whatever the page does meanwhile, task by task, from Chromium's own trace. */
export async function longestTaskOf(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<LongestTask> {
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
  let traced: Buffer;
  try {
    await act();
  } finally {
    traced = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(traced.toString()) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === "X" && name === "RunTask" && threads.has(`${pid}/${tid}`),
  );
  if (tasks.length === 0) throw new Error("The browser told of no task.");
  const longest = tasks.reduce((a, b) => ((a.dur ?? 0) >= (b.dur ?? 0) ? a : b));
  const ms = (longest.dur ?? 0) / 1_000;
  const cpuMs = Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
  return { ms, cpuMs, tasks: tasks.length };
}

export const ROUNDS = 3;

/** The round in which other programs on the machine were least in the way. */
export async function leastDisturbed(measure: () => Promise<LongestTask>): Promise<LongestTask> {
  const found: LongestTask[] = [];
  for (let round = 0; round < ROUNDS; round++) found.push(await measure());
  return found.reduce((a, b) => (a.ms <= b.ms ? a : b));
}
