import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { cleanEnvironment, LAUNCHER } from "@elwood/testkit/gateway-process";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const RUN_MS_MAX = 60_000;

/** Runs a command of Elwood's to its end, as a process of its own. One that does not end is killed. */
export async function runElwood(
  args: readonly string[],
  options: { home: string; env?: Record<string, string> },
): Promise<Ended> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    env: cleanEnvironment(options.home, options.env),
    cwd: tmpdir(),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS_MAX,
    killSignal: "SIGKILL",
  });
  const heard = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (heard[name] += text));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  return { code, ...heard };
}
