import { fork } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { FromBackupChild, ToBackupChild } from "./backup-child.ts";

const CHILD = fileURLToPath(new URL("./backup-child.ts", import.meta.url));
/** Whatever else the machine has to do goes first. */
const PRIORITY = 10;

/** Makes a backup in a process of its own, which ends with the signal. */
export async function scheduledBackup(
  request: ToBackupChild,
  stopped: AbortSignal,
): Promise<FromBackupChild> {
  const child = fork(CHILD, [], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // Nothing of the gateway's surroundings is of use to it.
    env: { TMPDIR: process.env["TMPDIR"] ?? "/tmp" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const done = Promise.withResolvers<FromBackupChild>();
  const failed = (why: string) => done.resolve({ problem: `No backup was made: ${why}` });
  child.once("error", (error) => failed(error.message));
  child.once("exit", (code, signal) => failed(`its process ended with ${signal ?? code}.`));
  // Sent by backup-child.ts, which is part of this program.
  child.once("message", (message) => done.resolve(message as FromBackupChild));
  const stop = () => child.kill("SIGKILL");
  stopped.addEventListener("abort", stop, { once: true });
  try {
    if (stopped.aborted) stop();
    lowerPriority(child.pid);
    child.send(request);
    return await done.promise;
  } finally {
    stopped.removeEventListener("abort", stop);
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, PRIORITY);
  } catch {
    // It works at any priority.
  }
}
