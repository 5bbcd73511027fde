import { createServer } from "node:http";
import { once } from "node:events";
import { GatewayClient } from "@elwood/sdk/client";
import { expect, test } from "vitest";
import { startTestGateway } from "../../test/test-gateway.ts";

test("AC-7: an http action is a call behind the gate: it waits for the owner, is made once, and its host is fixed", async () => {
  const asked: string[] = [];
  const service = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/json").end('{"done":true}');
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = service.address() as { port: number };
  const origin = `http://127.0.0.1:${port}`;
  const config = `
web: { allowedOrigins: ["${origin}"] }
actions:
  close-ticket: { kind: http, task: http, http: { method: POST, url: "${origin}/tickets/{{id}}/close" } }
`;
  await using started = await startTestGateway({ config });
  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken });
  const input = { id: "../7?x=1" };
  const running = owner.call("actions.execute", { name: "close-ticket", version: "latest", input });
  await expect
    .poll(async () => (await owner.call("approvals.list", { status: "pending" })).approvals.length)
    .toBe(1);
  expect(asked).toEqual([]);
  const [approval] = (await owner.call("approvals.list", { status: "pending" })).approvals;
  await owner.call("exec.approve", { approvalId: approval!.approvalId });
  expect(await running).toMatchObject({
    bridge: [{ tool: "action.http.close-ticket", status: "succeeded" }],
  });
  expect(asked).toEqual(["POST /tickets/..%2F7%3Fx%3D1/close"]);
  await owner.close();
  service.close();
});

test("an OpenAPI document becomes actions that ask for every call, reading ones too, until the owner has granted them", async () => {
  const asked: string[] = [];
  const service = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.setHeader("content-type", "application/json").end('{"open":true}');
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const origin = `http://127.0.0.1:${(service.address() as { port: number }).port}`;
  await using started = await startTestGateway({
    config: `
web: { allowedOrigins: ["${origin}"] }
tools: { secrets: { DESK_TOKEN: [action.http.desk-list] } }
`,
    env: { DESK_TOKEN: "canary-desk-0001" },
  });
  const { url, ownerToken } = started.gateway;
  const owner = await GatewayClient.connect({ url, token: ownerToken });
  const document = (path: string) =>
    JSON.stringify({
      openapi: "3.0.3",
      info: { title: "Desk", version: "1" },
      servers: [{ url: origin }],
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      paths: {
        [path]: { get: { operationId: "list", parameters: [{ name: "page", in: "query" }] } },
      },
    });
  const take = (path: string) =>
    owner.call("actions.import", { text: document(path), file: "desk.json", format: "openapi" });
  expect(await take("/tickets")).toMatchObject({ entries: [{ name: "desk-list", what: "created" }] });
  const run = () =>
    owner.call("actions.execute", { name: "desk-list", version: "latest", input: { page: "2 & 3" } });
  const pending = async () => (await owner.call("approvals.list", { status: "pending" })).approvals;
  const allowed = async () => {
    const running = run();
    await expect.poll(async () => (await pending()).length, { timeout: 60_000 }).toBe(1);
    await owner.call("exec.approve", { approvalId: (await pending())[0]!.approvalId });
    return running;
  };
  expect((await allowed()).text).toContain('{"open":true}');
  expect(asked).toEqual(["GET /tickets?page=2+%26+3 Bearer canary-desk-0001"]);
  const tool = async () => (await owner.call("tools.get", { toolId: "action.http.desk-list" })).tool;
  const { toolId, contractHash, standing } = await tool();
  expect(standing).toBe("new");
  await owner.call("tools.grant", { toolId, contractHash });
  expect((await tool()).standing).toBe("granted");
  // Another request is another tool, whatever its name.
  await take("/tickets/all");
  expect((await tool()).standing).toBe("changed");
  await owner.close();
  service.close();
});
