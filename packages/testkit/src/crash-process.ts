import { spawn } from "node:child_process";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnvironment, collectOutput } from "./gateway-process.ts";

/** A gateway that may be dead by the next moment. */
export interface CrashProcess {
  /** Where it can be reached; undefined where it died before it could say so. */
  readonly reached: Promise<{ url: string; token: string } | undefined>;
  readonly dying: boolean;
  /** Kills it from outside, at once, and waits until it is gone. */
  kill(): Promise<void>;
  /** A connection may break a moment before the process is seen to be gone. */
  diesSoon(): Promise<boolean>;
  /** Asks it to stop where it should, waits for its end, and says what ended it. */
  end(stop: boolean): Promise<NodeJS.Signals | null>;
  errors(): string;
}

/** Hundreds of starts need not compile the same code anew. */
const COMPILED = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "elwood",
  "compiled-for-tests",
);
const END_MS_MAX = 60_000;
const SOON_MS = 10_000;

export async function startCrashProcess(
  module: string,
  home: string,
  env: Readonly<Record<string, string>>,
): Promise<CrashProcess> {
  const child = spawn(process.execPath, [module], {
    env: { NODE_COMPILE_CACHE: COMPILED, ...cleanEnvironment(home, env) },
    cwd: tmpdir(),
    // The channel closes with whoever started it, and the child ends with the channel.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const output = collectOutput(child);
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_, signal) => resolve(signal));
  });
  const reached = new Promise<{ url: string; token: string } | undefined>((resolve) => {
    child.stdout?.on("data", () => {
      const [line, rest] = output().stdout.split("\n");
      if (line !== undefined && rest !== undefined)
        resolve(JSON.parse(line) as { url: string; token: string });
    });
    void exited.then(() => resolve(undefined));
  });
  const within = (ms: number) => Promise.race([exited.then(() => true), sleep(ms, false, { ref: false })]);
  return {
    reached,
    get dying() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    diesSoon: () => within(SOON_MS),
    async end(stop) {
      if (stop) child.kill("SIGTERM");
      // One that was to die at an instant that never came lives on.
      if (!(await within(stop ? END_MS_MAX : SOON_MS))) child.kill(stop ? "SIGKILL" : "SIGTERM");
      if (!(await within(END_MS_MAX))) child.kill("SIGKILL");
      return exited;
    },
    errors: () => output().stderr.slice(-2_000),
  };
}
