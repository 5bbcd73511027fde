import { parentPort } from "node:worker_threads";
import { readPage, type PageTask, type PageText } from "./read-page.ts";

parentPort?.on("message", (task: PageTask) => {
  void readPage(task).then(
    (page) => answer({ page }),
    (cause: unknown) => answer({ problem: cause instanceof Error ? cause.message : "unknown" }),
  );
});

function answer(said: { readonly page: PageText } | { readonly problem: string }): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(said);
}
