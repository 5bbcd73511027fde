import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { GatewayClient } from "@elwood/sdk/client";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

let model: ScriptedAnthropic;
let started: StartedGateway;
let owner: GatewayClient;
let chatToken: string;
let host: Client;
beforeAll(async () => {
  model = await startScriptedAnthropic();
  started = await startTestGateway({
    config: "api: { mcp: true }\nmodel: anthropic/quiet\n",
    env: { ANTHROPIC_API_KEY: "key-of-a-test", ANTHROPIC_BASE_URL: model.url },
  });
  const { url, ownerToken } = started.gateway;
  owner = await GatewayClient.connect({ url, token: ownerToken });
  chatToken = (await owner.call("tokens.create", { name: "an MCP host", scopes: ["chat"] })).token;
  host = await connected(chatToken);
});
afterAll(async () => {
  await host.close();
  await owner.close();
  await started[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function connected(token: string): Promise<Client> {
  const client = new Client({ name: "reference", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", started.gateway.url), { requestInit: { headers } }),
  );
  return client;
}

interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: {
    readonly sessionKey: string;
    readonly runId: string;
    readonly status: string;
    readonly text: string;
    readonly waitingFor?: readonly { readonly link: string }[];
  };
}
const call = async (name: string, input: Record<string, unknown>, client = host) =>
  (await client.callTool({ name, arguments: input })) as unknown as Called;
const write = () => `anthropic/${model.play([["files.file.write", { path: "plan.md", content: "x" }]])}`;

test("AC-9: the reference client finds the tools, each with a schema, and none that decides", async () => {
  const { tools } = await host.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "assistant.ask",
    "assistant.result",
    "llm.chat",
    "memory.search",
    "elwood.execute",
    "openact.execute",
  ]);
  expect(tools.every(({ inputSchema }) => inputSchema.type === "object")).toBe(true);
});

test("a message over MCP is answered, and stored as a program's words", async () => {
  const asked = await call("assistant.ask", { message: "Say something." });
  expect(asked.structuredContent).toMatchObject({ status: "done", text: "That is all." });
  expect(asked.content[0]?.text).toBe("That is all.");
  const { sessionKey } = asked.structuredContent;
  const { messages } = await owner.call("chat.history", { sessionKey });
  expect(messages[0]).toMatchObject({ role: "user", origin: "program" });
  const again = await call("assistant.ask", { message: "And now?", sessionKey });
  expect(again.structuredContent.sessionKey).toBe(sessionKey);
});

test("text comes as progress while it is written, where that is asked for", async () => {
  const heard: string[] = [];
  await host.callTool(
    { name: "assistant.ask", arguments: { message: "Say something." } },
    { onprogress: ({ message = "" }) => heard.push(message) },
  );
  expect(heard.join("")).toContain("That is all.");
});

describe.each(["a token with the scope chat", "the owner's own token"])("with %s", (whose) => {
  test("words that would authorise from the owner authorise nothing: the call waits for the owner, elsewhere", async () => {
    const client = whose.startsWith("a token") ? host : await connected(started.gateway.ownerToken);
    if (client !== host) onTestFinished(() => client.close());
    const message = "Write x into plan.md";
    const asked = await call("assistant.ask", { message, model: write(), waitSeconds: 2 }, client);
    expect(asked.structuredContent).toMatchObject({ status: "waiting", text: "" });
    expect(asked.structuredContent.waitingFor?.[0]?.link).toBe(`${started.gateway.url}/approvals`);
    expect(asked.content[0]?.text).toContain("Nobody else can.");
    const { sessionKey, runId } = asked.structuredContent;
    expect(existsSync(join(started.home, "files", "plan.md"))).toBe(false);
    const { approvals } = await owner.call("approvals.list", { status: "pending", sessionKey });
    await owner.call("exec.deny", { approvalId: approvals[0]!.approvalId });
    await expect
      .poll(
        async () => (await call("assistant.result", { sessionKey, runId }, client)).structuredContent.status,
        { timeout: 20_000 },
      )
      .toBe("done");
    expect(existsSync(join(started.home, "files", "plan.md"))).toBe(false);
  });
});

test("the model alone is asked without tools, and its session goes to the trash", async () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi" },
    { role: "user", content: "And now?" },
  ];
  const asked = await call("llm.chat", { messages });
  expect(asked.content[0]?.text).toBe("That is all.");
  expect(asked.structuredContent).toMatchObject({
    text: "That is all.",
    model: expect.stringContaining("quiet"),
  });
  expect(model.lastTools()).toEqual([]);
  expect(model.lastShown()).toContain("Be brief.");
  expect(model.lastShown()).toContain("assistant: Hi");
  const { sessions } = await owner.call("sessions.list", { deleted: true });
  expect(sessions.map(({ title }) => title)).toContain("llm.chat over MCP");
  const wrong = await call("llm.chat", { messages: messages.slice(0, 3) });
  expect(wrong).toMatchObject({ isError: true, content: [{ text: "The last message must be the user's." }] });
});

test.each(["elwood.execute", "openact.execute"])(
  "%s runs a tool by its name, and refuses what does not fit it",
  async (name) => {
    const ran = await call(name, { action: "memory.search", input: { query: "nothing" } });
    expect(ran.structuredContent).toEqual({ found: expect.any(Array) });
    const wrong = await call(name, { action: "memory.search", input: { query: "" } });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("does not fit memory.search") }],
    });
  },
);

test("conversations and receipts can be read as resources", async () => {
  const { resources } = await host.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(["elwood://sessions", "elwood://receipts"]);
  const read = async (uri: string) =>
    JSON.parse(
      (await host.readResource({ uri })).contents.map((each) => ("text" in each ? each.text : "")).join(""),
    ) as Record<string, unknown[]>;
  const { sessions } = await read("elwood://sessions");
  const [{ sessionKey }] = sessions as [{ sessionKey: string }];
  expect((await read(`elwood://sessions/${sessionKey}`))["messages"]).toEqual(expect.any(Array));
  expect((await read("elwood://receipts"))["receipts"]?.length).toBeGreaterThan(0);
});

const post = (
  headers: Record<string, string>,
  body = '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  url = started.gateway.url,
) =>
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  });

test.each([
  ["no token", {}, 401],
  ["a wrong token", { authorization: "Bearer nobody" }, 401],
  ["another page", { origin: "https://evil.example", authorization: "the right one" }, 403],
])("%s is refused before anything is read", async (_what, headers: Record<string, string>, status) => {
  const given =
    headers["authorization"] === "the right one"
      ? { ...headers, authorization: `Bearer ${chatToken}` }
      : headers;
  expect((await post(given)).status).toBe(status);
});

test("what is no JSON-RPC is refused, and the next request is answered", async () => {
  const authorization = `Bearer ${chatToken}`;
  expect((await post({ authorization }, "{broken")).status).toBe(400);
  expect((await post({ authorization }, '{"hello":1}')).status).toBe(400);
  expect((await host.listTools()).tools.length).toBeGreaterThan(0);
});

test("it is closed until the settings open it, but for the command that makes a token of its own", async () => {
  await using closed = await startTestGateway();
  const admin = await GatewayClient.connect({ url: closed.gateway.url, token: closed.gateway.ownerToken });
  onTestFinished(() => admin.close());
  const token = async (name: string) => (await admin.call("tokens.create", { name, scopes: ["chat"] })).token;
  const initialize = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  });
  const { url } = closed.gateway;
  const refused = await post({ authorization: `Bearer ${await token("other")}` }, initialize, url);
  expect(refused.status).toBe(404);
  expect(await refused.text()).toContain("api.mcp: true");
  expect((await post({ authorization: `Bearer ${await token("mcp serve")}` }, initialize, url)).status).toBe(
    200,
  );
});
