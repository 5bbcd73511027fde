import { parentPort } from "node:worker_threads";
import type { ThreadAnswer } from "./reading-thread.ts";

/**
 * Makes the module that calls it the inside of a ReadingThread: one task after another, each answered
 * once. Tasks come from the ReadingThread of the same type, so that `read` says what they are.
 */
export function answerTasks(read: (task: never) => Promise<unknown>): void {
  parentPort?.on("message", (task: unknown) => {
    void read(task as never).then(
      (answer) => say({ answer }),
      (cause: unknown) => say({ problem: cause instanceof Error ? cause.message : "unknown" }),
    );
  });
}

function say(said: ThreadAnswer<unknown>): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(said);
}
