import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnvironment, collectOutput, LAUNCHER } from "./gateway-process.ts";

export interface ElwoodOptions {
  /** The state directory. */
  readonly home: string;
  /** Added to an environment that holds no key, no token and no configuration of whoever runs the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** What is piped into standard input; without it there is nothing to read. */
  readonly stdin?: string;
  readonly cwd?: string;
}

/** How a command ended. `code` is null where a signal killed it. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that may still run. */
export interface RunningElwood {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  signal(name: NodeJS.Signals): void;
  /** Waits until its standard output (or error) matches; throws where it ends first. */
  until(pattern: RegExp, stream?: "stdout" | "stderr"): Promise<void>;
}

const COMMAND_MS_MAX = 60_000;
const POLL_MS = 10;

/** Runs `elwood` with these arguments to its end. */
export function elwood(args: readonly string[], options: ElwoodOptions): Promise<Ended> {
  return startElwood(args, options).ended;
}

/**
 * Starts the real launcher as a person's shell would. Like a gateway process it never
 * outlives the tests, and one that does not end by itself is killed.
 */
export function startElwood(args: readonly string[], options: ElwoodOptions): RunningElwood {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    env: cleanEnvironment(options.home, options.env),
    cwd: options.cwd ?? tmpdir(),
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const output = collectOutput(child);
  child.stdin?.on("error", () => undefined); // it need not read what it is given
  child.stdin?.end(options.stdin);
  const orphaned = () => child.kill("SIGKILL");
  process.once("exit", orphaned);
  const tooLong = setTimeout(orphaned, COMMAND_MS_MAX);
  let running = true;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      running = false;
      clearTimeout(tooLong);
      process.off("exit", orphaned);
      resolve({ code, ...output() });
    });
  });
  return {
    pid: child.pid ?? -1,
    ended,
    signal: (name) => child.kill(name),
    async until(pattern, stream = "stdout") {
      while (!pattern.test(output()[stream])) {
        if (!running) throw new Error(`elwood ended before ${pattern} came: ${JSON.stringify(output())}`);
        await sleep(POLL_MS);
      }
    },
  };
}
