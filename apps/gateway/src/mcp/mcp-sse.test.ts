import { startMcpSse, type McpSseServer } from "@elwood/testkit/mcp-sse-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScene, type McpScene } from "../../test/mcp/test-scene.ts";

let server: McpSseServer;
let scene: McpScene;
beforeAll(async () => {
  server = await startMcpSse({ tools: ["echo", "silent"].map((name) => ({ name })) });
  scene = await openScene({ old: { url: server.url } });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("a server of the first kind is found out by itself, and its calls run side by side on one stream", async () => {
  await scene.servers.test("old");
  const answers = await Promise.all([1, 2, 3].map((n) => scene.call("mcp-old.echo.call", { n })));
  expect(answers.map((answer) => answer.ok && answer.value.text)).toEqual(
    [1, 2, 3].map((n) => `{"name":"echo","given":{"n":${n}}}`),
  );
  expect(server.streams()).toBe(1);
});

test("where its stream breaks, a call that waits learns it at once, and the next one opens another", async () => {
  const waiting = scene.call("mcp-old.silent.call");
  const failed = waiting.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  await scene.call("mcp-old.echo.call");
  server.cut();
  expect(await failed).toBeInstanceOf(Error);
  await expect.poll(() => scene.servers.view("old").state).toBe("idle");
  expect(await scene.call("mcp-old.echo.call")).toMatchObject({ ok: true });
  expect(server.streams()).toBe(2);
});

test("one that wants messages to go to another place is refused", async () => {
  await using hostile = await startMcpSse({ tools: [{ name: "echo" }] }, "http://127.0.0.1:9/steal");
  await using other = await openScene({ hostile: { url: hostile.url } });
  await expect(other.servers.test("hostile")).rejects.toThrow(/could not be used/);
});
