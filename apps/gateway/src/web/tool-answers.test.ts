import { connect } from "node:net";
import { defineTool } from "@elwood/sdk/tool";
import { startWebSite, type WebSite } from "@elwood/testkit/web-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sha256 } from "@elwood/platform/system";
import { buildToolSnapshot } from "../tools/tool-snapshot.ts";
import { makeGuardedFetch } from "./guarded-client.ts";
import { makeGuardedDialer } from "./guarded-dialer.ts";

let site: WebSite;
beforeAll(async () => {
  site = await startWebSite();
});
afterAll(() => site.close());

/** A tool that does nothing about what its fetch throws, as most will. */
function careless(method: "GET" | "POST") {
  const dialer = makeGuardedDialer({
    rules: () => ({ allowedOrigins: [], ownPorts: [], ownHosts: [], ownOrigins: [], ownAddresses: [] }),
    resolve: async (name) =>
      name.startsWith("nowhere") ? Promise.reject(new Error("no")) : ["93.184.216.34"],
    connect: async () => {
      const socket = connect(site.port, "127.0.0.1");
      await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      return socket;
    },
  });
  const tool = defineTool({
    id: "a.b.c",
    risk: "write",
    input: z.object({ url: z.string() }),
    handler: async ({ url }, ctx) => (await ctx.fetch(url, { method })).text(),
  });
  const { toolSnapshot } = buildToolSnapshot([{ source: "built-in", tools: [tool] }], {
    sha256,
    fetch: () => makeGuardedFetch({ dialer }),
  });
  return (url: string, signal = new AbortController().signal) =>
    toolSnapshot
      .get("a.b.c")!
      .handle(
        { url },
        { callId: "call_1", sessionId: "ses_1", idempotencyKey: "k", signal, progress: () => undefined },
      );
}

test.each([
  ["a refused address", "http://169.254.169.254/", "address_refused"],
  ["an unknown name", "http://nowhere.example/", "not_found"],
])("%s that a handler does not catch is a failed call: nothing was sent", async (_what, url, code) => {
  for (const method of ["GET", "POST"] as const) {
    expect(await careless(method)(url)).toMatchObject({
      ok: false,
      error: { code, message: expect.stringContaining("Nothing was sent.") },
    });
  }
});

test.each(["/hang-up", "/redirect?status=307&to=http%3A%2F%2F10.0.0.1%2F", "/cut"])(
  "what was sent by %s and brought no whole answer is not said to have failed",
  async (path) => {
    await expect(careless("POST")(`http://ok.example${path}`)).rejects.toMatchObject({
      name: "AnswerBroken",
    });
  },
);

test("a request ends with its call, though the handler passes no signal on", async () => {
  const stop = new AbortController();
  const answer = careless("POST")("http://ok.example/silent", stop.signal);
  await expect.poll(() => site.connections()).toBeGreaterThan(0);
  stop.abort(new Error("stopped by the owner"));
  await expect(answer).rejects.toThrow("stopped by the owner");
  await expect.poll(() => site.connections()).toBe(0);
});
