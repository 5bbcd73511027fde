import { readFileSync } from "node:fs";

export interface ProcessUsage {
  /** It computes, or would if it had a processor; false where it waits for something or was stopped. */
  readonly runnable: boolean;
  /** What all its threads have computed so far. */
  readonly cpuMs: number;
}

/** How Linux counts the time in `stat`, whatever the kernel's own clock: USER_HZ, see proc_pid_stat(5). */
const TICK_MS = 10;

/** undefined where the system does not say: no Linux, or no such process. */
export function processUsage(pid: number): ProcessUsage | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the program's name in brackets, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  return Number.isNaN(cpuMs) ? undefined : { runnable: fields[0] === "R" || fields[0] === "D", cpuMs };
}
