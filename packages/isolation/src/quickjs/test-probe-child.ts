/** In the place of a sandbox process, for tests: it tries what such a process must not be able to do. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { encodeFrame } from "./frames.ts";

export function serve(socket: Socket): void {
  socket.on("close", () => process.exit(0));
  socket.once("data", () => {
    const found = {
      passwd: outcome(() => readFileSync("/etc/passwd")),
      project: outcome(() => readFileSync(new URL("../../../../package.json", import.meta.url))),
      own: outcome(() => readFileSync(new URL("child.ts", import.meta.url))),
      write: outcome(() => writeFileSync(join(tmpdir(), "elwood-probe"), "x")),
      child: outcome(() => spawnSync("true")),
      worker: outcome(() => new Worker("", { eval: true })),
      env: Object.keys(process.env),
    };
    const over = { t: "over", p: 0, cpuMs: 0, calls: 0, dropped: 0, detached: 0 };
    socket.write(encodeFrame(over, JSON.stringify(found)));
  });
  socket.write(encodeFrame({ t: "ready" }));
  socket.resume();
}

function outcome(attempt: () => unknown): string {
  try {
    attempt();
    return "done";
  } catch (error) {
    return (error as { code?: string }).code ?? "refused";
  }
}
