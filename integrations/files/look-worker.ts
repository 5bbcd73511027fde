/** Looks away from the gateway's own thread, for one task after the other. */
import { parentPort } from "node:worker_threads";
import { Look, type LookTask } from "./look.ts";

parentPort?.on("message", (task: LookTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  new Look(task, (news) => parentPort?.postMessage(news)).run();
});
