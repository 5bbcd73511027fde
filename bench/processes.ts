import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** Processes under measurement: started, watched until they are ready, read from /proc, and stopped. */

export interface Measured {
  readonly child: ChildProcess;
  readonly readyMs: number;
}

const READY_MS_MAX = 60_000;
const POLL_MS = 1;

export async function startAndTime(
  command: string,
  args: readonly string[],
  url: string,
  env: NodeJS.ProcessEnv,
): Promise<Measured> {
  const began = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += data.toString()));
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - began > READY_MS_MAX) {
      throw new Error(`${command} ${args.join(" ")} did not get ready:\n${output.slice(-2000)}`);
    }
    await wait(POLL_MS);
  }
  return { child, readyMs: performance.now() - began };
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("error", () => resolve(false));
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  process.kill(-child.pid, "SIGTERM");
  await Promise.race([gone, wait(5_000, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
}

/** Proportional set size in MB: shared pages count by their share. */
export function pssMb(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
}

/** Resident set size in MB, as most tools show it. */
export function rssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

const TICKS_PER_SECOND = 100;

export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The process itself, or the first of its descendants that listens for us: npm starts a shell that starts the gateway. */
export function descendant(pid: number, matches: (commandLine: string) => boolean): number {
  const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  if (matches(line)) return pid;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  for (const child of children) {
    const found = descendant(Number(child), matches);
    if (found) return found;
  }
  return 0;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}
