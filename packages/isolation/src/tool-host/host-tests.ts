import type { Socket } from "node:net";

/**
 * Runs the tests that lie beside the tools, by Node's own runner, which prints to standard
 * output and sets the exit code. The process ends when the last of them has ended.
 */
export async function runTests(socket: Socket, files: readonly string[]): Promise<void> {
  // Nothing more comes from the gateway; it must not keep a process alive that has done its work.
  socket.unref();
  for (const file of files) {
    if (!/^tool:\/\/\/[^/]+\.test\.(ts|js|mjs)$/.test(file)) continue;
    await import(file);
  }
}
