/** Looks away from the gateway's own thread; an expression that never ends is ended with this one. */
import { parentPort, workerData } from "node:worker_threads";
import { Look, type LookTask } from "./look.ts";

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
new Look(workerData as LookTask, (news) => parentPort?.postMessage(news)).run();
