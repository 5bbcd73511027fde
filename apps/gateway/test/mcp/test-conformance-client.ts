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
/** What an owner would have written into the settings for the suite's servers. */
const given = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Record<
  string,
  string | undefined
>;
const registered = given["client_id"];
const document = "https://conformance-test.local/client-metadata.json";
const id = process.env["MCP_CONFORMANCE_SCENARIO"] === "auth/basic-cimd" ? document : registered;
const oauth = id === undefined ? undefined : { id, ...pick(given["client_secret"]) };
const scene = await openScene({ suite: { url, ...(oauth && { oauth }) } }, { home, isOpened: () => true });
/** An owner who is asked to log in again and again stops doing so. */
const LOGINS_MAX = 3;
let logins = 0;

function pick(secret: string | undefined) {
  return secret === undefined ? {} : { secret };
}

async function logIn(): Promise<void> {
  const { url: address } = await scene.servers.beginLogin("suite");
  const answer = await fetch(address, { redirect: "manual" });
  await fetch(answer.headers.get("location") ?? "");
}

/** Tries it again after a login, where one is wanted. */
async function loggedIn(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (logins >= LOGINS_MAX || scene.servers.view("suite").login !== "needed") throw error;
      logins += 1;
      await logIn();
    }
  }
}

try {
  await loggedIn(() => scene.servers.test("suite"));
  for (const { id: toolId } of scene.servers.group().tools)
    // What a question leaves open takes the server's own default.
    await loggedIn(async () =>
      scene.tool(toolId).handler({ a: 5, b: 3 }, { ...testContext(), ask: async () => "-" }),
    );
} finally {
  await scene[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
}
process.exit(0);
