/** Reads a large index through, off the main thread. Started by index-file.ts; answers with what is wrong, or "". */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { checkIndex, isDamage } from "./open-index.ts";
import { PRAGMAS } from "./schema.ts";

const db = new DatabaseSync((workerData as { path: string }).path);
let wrong = "";
try {
  db.exec(PRAGMAS);
  checkIndex(db);
} catch (error) {
  if (!isDamage(error)) throw error;
  wrong = error instanceof Error ? error.message : String(error);
} finally {
  db.close();
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage(wrong);
