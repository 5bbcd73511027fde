import { LIMITS } from "@elwood/core/base/limits";
import { raw, stream } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { guardedFetch, ReplyTooLarge } from "./guarded-fetch.ts";

let server: LoopbackServer;
beforeEach(async () => {
  server = await new LoopbackServer().start();
});
afterEach(() => server.close());

test("lines are signs of life, bytes are not", async () => {
  let lines = 0;
  server.script("GET /a", stream([{ drip: "no line yet" }]));
  await (await guardedFetch(() => lines++)(`${server.url}/a`)).text();
  expect(lines).toBe(0);
  server.script("GET /a", stream([": ping\n\n", "data: x\n\n"]));
  expect(await (await guardedFetch(() => lines++)(`${server.url}/a`)).text()).toBe(": ping\n\ndata: x\n\n");
  expect(lines).toBeGreaterThan(0);
});

test("a redirect is handed back, not followed: the key would go along", async () => {
  server.script("GET /a", raw(302, "", { location: `${server.url}/b` }));
  const response = await guardedFetch(() => {})(`${server.url}/a`, { headers: { "x-api-key": "secret" } });
  expect(response.status).toBe(302);
  expect(server.requests).toHaveLength(1);
});

test("an error's body is read only so far", async () => {
  server.script("GET /a", raw(500, "x".repeat(LIMITS.modelErrorBytesMax * 4)));
  const text = await (await guardedFetch(() => {})(`${server.url}/a`)).text();
  expect(text.length).toBeLessThan(LIMITS.modelErrorBytesMax * 3);
});

test("an answer without end is cut off", async () => {
  server.script("GET /a", async (exchange) => {
    exchange.head(200);
    const block = "y".repeat(4 * 1024 * 1024);
    while (!exchange.request.hungUp) await exchange.write(block);
  });
  const response = await guardedFetch(() => {})(`${server.url}/a`);
  await expect(response.text()).rejects.toBeInstanceOf(ReplyTooLarge);
});

test.each([
  ['{"object":"error","message":"too long","code":400}', { message: "too long" }],
  ['{"detail":"Not Found"}', { message: "Not Found" }],
])("an error at the top level is put where the SDK looks for it", async (body, error) => {
  server.script("GET /a", raw(400, body));
  expect(await (await guardedFetch(() => {})(`${server.url}/a`)).json()).toMatchObject({ error });
});

test("an error in its usual place, or no JSON at all, is left as it is", async () => {
  server.script("GET /a", raw(400, '{"error":{"message":"m"}}'), raw(502, "<html>"));
  expect(await (await guardedFetch(() => {})(`${server.url}/a`)).json()).toEqual({ error: { message: "m" } });
  expect(await (await guardedFetch(() => {})(`${server.url}/a`)).text()).toBe("<html>");
});
