/** Runs expressions away from the gateway's own thread: one that never ends is ended with its thread. */
import { parentPort } from "node:worker_threads";
import { matchLines, type Pattern } from "./match-lines.ts";

export interface MatchTask {
  readonly text: string;
  readonly pattern: Pattern;
  readonly matchesMax: number;
  readonly lineCharsMax: number;
}

parentPort?.on("message", ({ text, pattern, matchesMax, lineCharsMax }: MatchTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(matchLines(text, pattern, matchesMax, lineCharsMax));
});
