import { METHODS, type MethodSpec } from "@elwood/core/protocol/methods";
import { RESULTS } from "@elwood/core/protocol/results";
import { GatewayClient } from "@elwood/sdk/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../../../test/test-gateway.ts";

let started: StartedGateway;
let owner: GatewayClient;
let chatToken: string;
beforeAll(async () => {
  started = await startTestGateway();
  const { url, ownerToken } = started.gateway;
  owner = await GatewayClient.connect({ url, token: ownerToken });
  chatToken = (await owner.call("tokens.create", { name: "program", scopes: ["chat"] })).token;
  await owner.call("sessions.create", { title: "one" });
  await owner.call("sessions.create", { title: "two" });
});
afterAll(async () => {
  await owner.close();
  await started[Symbol.asyncDispose]();
});

const ask = async (path: string, init: { token?: string; method?: string; body?: string } = {}) => {
  const { token = started.gateway.ownerToken, ...rest } = init;
  const headers: Record<string, string> = {
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(init.body === undefined ? {} : { "content-type": "application/json" }),
  };
  return fetch(`${started.gateway.url}${path}`, { ...rest, headers });
};

test("every address of the method table answers what its method answers", async () => {
  // Those with a free part in their path, or that need more than none, have tests of their own.
  const routes = Object.entries<MethodSpec>(METHODS).filter(
    ([, { http, params }]) =>
      http?.verb === "GET" && !http.path.includes("{") && params().safeParse({}).success,
  );
  expect(routes.map(([, { http }]) => http?.path)).toEqual(
    expect.arrayContaining(["/api/v1/sessions", "/api/v1/runs", "/api/v1/logs"]),
  );
  for (const [name, { http }] of routes) {
    const response = await ask(http!.path);
    expect(response.status, name).toBe(200);
    expect(RESULTS[name as keyof typeof RESULTS].safeParse(await response.json()).success, name).toBe(true);
  }
});

test("a query is read as the method's params are", async () => {
  const sessions = await (await ask("/api/v1/sessions?limit=1")).json();
  expect(sessions).toMatchObject({ sessions: [{ title: "two" }], next: expect.any(String) });
  expect(await (await ask("/api/v1/sessions?deleted=true")).json()).toEqual({ sessions: [] });
  expect((await ask("/api/v1/sessions", { method: "HEAD" })).status).toBe(200);
});

test.each([
  ["no token", "/api/v1/sessions", { token: "" }, 401, "UNAUTHENTICATED", "UNAUTHENTICATED"],
  ["a wrong token", "/api/v1/sessions", { token: "x".repeat(40) }, 401, "UNAUTHENTICATED", "UNAUTHENTICATED"],
  ["an unknown address", "/api/v1/nothing", {}, 404, "NOT_FOUND", "NOT_FOUND"],
  ["another verb", "/api/v1/logs", { method: "POST" }, 405, "INVALID_INPUT", "INVALID_INPUT"],
  ["a wrong number", "/api/v1/sessions?limit=many", {}, 400, "INVALID_INPUT", "INVALID_INPUT"],
  ["an unknown parameter", "/api/v1/runs?colour=red", {}, 400, "INVALID_INPUT", "INVALID_INPUT"],
  ["a parameter given twice", "/api/v1/runs?limit=1&limit=2", {}, 400, "INVALID_INPUT", "INVALID_INPUT"],
])("what goes wrong is a problem document: %s", async (_what, path, init, status, code, reason) => {
  const response = await ask(path, init);
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({ type: "about:blank", status, code, reason, retryable: false });
  expect(problem["requestId"]).toBe(response.headers.get("x-request-id"));
  if (status === 405) expect(response.headers.get("allow")).toBe("GET, HEAD");
});

test("a token without the scope admin is refused, though the method itself needs less", async () => {
  const response = await ask("/api/v1/sessions", { token: chatToken });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: "FORBIDDEN", reason: "SCOPE_MISSING" });
});

test("a job is run by its name, and a part of the path goes before the body", async () => {
  await owner.call("jobs.create", { name: "call home", kind: "reminder", message: "call home", every: "1d" });
  const run = async (name: string, body?: string) =>
    ask(`/api/v1/jobs/${name}/run`, { method: "POST", ...(body === undefined ? {} : { body }) });
  expect(await (await run("call%20home")).json()).toMatchObject({ occurrence: { trigger: "manual" } });
  expect((await run("call%20home", '{"name": "another"}')).status).toBe(200);
  expect((await run("nobody")).status).toBe(404);
  expect((await run("call%20home", "{")).status).toBe(400);
  expect((await run("call%20home", "[]")).status).toBe(400);
  expect((await ask("/api/v1/heartbeat", { method: "POST", token: chatToken })).status).toBe(403);
});
