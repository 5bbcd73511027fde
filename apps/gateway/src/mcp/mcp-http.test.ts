import { systemClock } from "@elwood/platform/system";
import type { Clock } from "@elwood/runtime/ports/ports";
import { ToolError } from "@elwood/sdk/tool";
import { startMcpHttp, type McpHttpServer } from "@elwood/testkit/mcp-http-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { declaredOnly } from "../web/declared-hosts.ts";
import { makeGuardedFetch } from "../web/guarded-client.ts";
import { systemDialer } from "../web/system-dialer.ts";
import { openScene, type McpScene } from "../../test/mcp/test-scene.ts";

const MEGABYTE = 1024 * 1024;
const failure = async (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (cause: unknown) => cause,
  );

function fetchFrom(origin: string) {
  const dialer = systemDialer({ allowedOrigins: [origin], ownPorts: () => [], ownHosts: [], ownOrigins: [] });
  return makeGuardedFetch({ dialer: declaredOnly(dialer, [origin]), limits: { bodyBytesMax: 8 * MEGABYTE } });
}

describe.each([
  ["of the revisions with initialize", false],
  ["of the revision of 2026-07-28", true],
])("a server over HTTP, %s", (_what, modern) => {
  let server: McpHttpServer;
  let scene: McpScene;
  beforeAll(async () => {
    const tools = ["echo", "huge", "endless", "crash", "silent", "refuse"].map((name) => ({ name }));
    server = await startMcpHttp({ modern, tools });
    const headers = { authorization: "Bearer a-token" };
    scene = await openScene({ remote: { url: server.url, headers } }, { fetchFrom });
    await scene.servers.readNew();
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test("is asked with the headers of its settings, and says where its calls go", async () => {
    expect(scene.servers.view("remote")).toMatchObject({ protocol: modern ? "2026-07-28" : "2025-11-25" });
    expect(await scene.call("mcp-remote.echo.call", { a: 1 })).toMatchObject({
      value: { text: '{"name":"echo","given":{"a":1}}' },
    });
    expect(server.headers()).toMatchObject({ authorization: "Bearer a-token" });
    expect(scene.tool("mcp-remote.echo.call").hosts).toEqual([new URL(server.url).origin]);
  });

  test("that sends 100 MB, never ends, or breaks off fails that call and no other", async () => {
    const other = scene.call("mcp-remote.silent.call", {}, AbortSignal.timeout(60_000));
    let otherEnded = false;
    void failure(other).then(() => (otherEnded = true));
    for (const [tool, why] of [
      ["huge", "larger than 8388608 bytes"],
      ["endless", "larger than 8388608 bytes"],
      ["crash", "broke off in the middle of its answer"],
    ] as const) {
      const failed = await failure(scene.call(`mcp-remote.${tool}.call`));
      expect(failed, tool).not.toBeInstanceOf(ToolError);
      expect(String(failed), tool).toContain(why);
    }
    expect(otherEnded).toBe(false);
    expect(await scene.call("mcp-remote.echo.call")).toMatchObject({ ok: true });
  });

  test("that refuses has not been called, and says what to do", async () => {
    server.refuse(401);
    expect(await failure(scene.call("mcp-remote.echo.call"))).toMatchObject({
      name: "ToolError",
      message: expect.stringContaining("does not let Elwood in (HTTP 401). The call was not made."),
    });
    server.refuse(undefined);
    expect(await failure(scene.call("mcp-remote.refuse.call"))).toMatchObject({ name: "ToolError" });
  });
});

describe("a server of the revisions with initialize, over HTTP", () => {
  let server: McpHttpServer;
  let scene: McpScene;
  /** What is waited for before a stream is opened again takes no time. */
  const clock: Clock = {
    now: () => systemClock.now(),
    sleep: (ms, signal) => (ms <= 100 ? Promise.resolve() : systemClock.sleep(ms, signal)),
  };
  beforeAll(async () => {
    const tools = ["echo", "ask", "later", "never"].map((name) => ({ name }));
    server = await startMcpHttp({ tools });
    scene = await openScene({ remote: { url: server.url } }, { fetchFrom, clock, ask: async () => "blue" });
    await scene.servers.readNew();
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test("may ask on the stream beside the calls, and the answer is the owner's", async () => {
    await expect.poll(() => server.asked).toContain("stream");
    expect(await scene.call("mcp-remote.ask.call")).toMatchObject({
      value: { text: '{"action":"accept","content":{"colour":"blue"}}' },
    });
  });

  test("says on it that its tools changed, and is asked for them", async () => {
    server.script = { tools: [...server.script.tools, { name: "newer" }] };
    await server.tell({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await expect
      .poll(() => scene.servers.group().tools.map(({ id }) => id))
      .toContain("mcp-remote.newer.call");
  });

  test("may end the stream of an answer early, and is asked for the rest; not for ever", async () => {
    expect(await scene.call("mcp-remote.later.call")).toMatchObject({
      value: { text: '{"name":"later","given":{}}' },
    });
    const failed = await failure(scene.call("mcp-remote.never.call"));
    expect(failed).not.toBeInstanceOf(ToolError);
    expect(String(failed)).toContain("it ended the stream of its answer too often");
    expect(await scene.call("mcp-remote.echo.call")).toMatchObject({ ok: true });
  });
});

test("a server that cannot be reached is told as such, and nothing was sent", async () => {
  const server = await startMcpHttp({ tools: [] });
  const { url } = server;
  await server[Symbol.asyncDispose]();
  await using scene = await openScene({ remote: { url } }, { fetchFrom });
  await expect(scene.servers.test("remote")).rejects.toMatchObject({
    failure: { reason: "UPSTREAM_ERROR", message: expect.stringContaining("Nothing was sent to it.") },
  });
});
