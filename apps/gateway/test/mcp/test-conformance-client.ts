/**
 * Elwood's MCP client as the conformance suite drives it: the last argument is the address of the suite's server. It
 * connects, logs in where that is wanted (the suite's browser says yes at once), and calls every tool.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testContext } from "@elwood/sdk/tool";
import { openScene } from "./test-scene.ts";

const url = process.argv.at(-1) ?? "";
const home = mkdtempSync(join(tmpdir(), "elwood-conformance-"));
const scene = await openScene({ suite: { url } }, { home, isOpened: () => true });
const LOGINS_MAX = 3;

async function logIn(): Promise<void> {
  const { url: address } = await scene.servers.beginLogin("suite");
  const answer = await fetch(address, { redirect: "manual" });
  await fetch(answer.headers.get("location") ?? "");
}

try {
  for (let tries = 0; ; tries++) {
    try {
      await scene.servers.test("suite");
      break;
    } catch (error) {
      if (tries >= LOGINS_MAX || scene.servers.view("suite").login !== "needed") throw error;
      await logIn();
    }
  }
  for (const tool of scene.servers.group().tools)
    // What a question leaves open takes the server's own default.
    await tool.handler({ a: 5, b: 3 }, { ...testContext(), ask: async () => "-" });
} finally {
  await scene[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}
process.exit(0);
