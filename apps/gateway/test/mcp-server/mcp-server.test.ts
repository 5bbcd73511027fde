import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  Client,
  specTypeSchemas,
  StreamableHTTPClientTransport,
  withInputRequired,
  type ElicitRequest,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import { GatewayClient } from "@elwood/sdk/client";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

let model: ScriptedAnthropic;
let started: StartedGateway;
let owner: GatewayClient;
let chatToken: string;
let host: Client;
const ACTIONS = {
  support: {
    kind: "llm",
    task: "chat",
    description: "Helps.",
    mcp_enabled: true,
    name_override: "ask_support",
  },
  // Under one of Elwood's own names.
  "memory.search": { kind: "llm", task: "chat", mcp_enabled: true },
  quiet: { kind: "llm", task: "chat" },
  order: { kind: "http", task: "http", http: { method: "POST", url: "https://shop.example/orders" } },
};

beforeAll(async () => {
  model = await startScriptedAnthropic();
  started = await startTestGateway({
    config: JSON.stringify({ api: { mcp: true }, model: "anthropic/quiet", actions: ACTIONS }),
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
  await client.connect(transportFor(token));
  return client;
}

function transportFor(token: string): StreamableHTTPClientTransport {
  const headers = { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL("/mcp", started.gateway.url), {
    requestInit: { headers },
  });
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
  expect(tools.map(({ name }) => name)).toEqual(["assistant.ask", "assistant.result", "memory.search"]);
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
    const asked = await call("assistant.ask", { message, model: write(), waitSeconds: 3 }, client);
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
        { timeout: 60_000 },
      )
      .toBe("done");
    expect(existsSync(join(started.home, "files", "plan.md"))).toBe(false);
  });
});

/** A host of the newest revision, with a token of its own, that shows its user what the owner is asked. */
async function showing(scopes: readonly ("chat" | "approve")[], answer: ElicitResult, token?: string) {
  const name = `host with ${scopes.join(" and ")}`;
  const given = token ?? (await owner.call("tokens.create", { name, scopes: [...scopes] })).token;
  const client = new Client(
    { name: "modern", version: "1" },
    { capabilities: { elicitation: { form: {}, url: {} } }, versionNegotiation: { mode: "auto" } },
  );
  const shown: ElicitRequest["params"][] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    shown.push(params);
    return answer;
  });
  await client.connect(transportFor(given));
  onTestFinished(() => client.close());
  const path = `shown-${++files}.md`;
  const scripted = `anthropic/${model.play([["files.file.write", { path, content: "x" }]])}`;
  return {
    client,
    shown,
    ask: (waitSeconds = 50) =>
      call("assistant.ask", { message: "Write it", model: scripted, waitSeconds }, client),
    isWritten: () => existsSync(join(started.home, "files", path)),
    input: { message: "Write it", model: scripted },
  };
}
let files = 0;
const ALLOW: ElicitResult = { action: "accept", content: { decision: "allow once" } };

test.each([
  ["a token with the scope chat", undefined],
  ["the owner's own token", "owner"],
])(
  "a host with %s shows the request with a link, and what its user answers decides nothing",
  async (_who, whose) => {
    const asker = await showing(["chat"], ALLOW, whose && started.gateway.ownerToken);
    const asked = await asker.ask(3);
    expect(asker.shown).toMatchObject([{ mode: "url", url: `${started.gateway.url}/approvals` }]);
    expect(asker.shown[0]?.message).toContain("Create shown-");
    expect(asked.structuredContent.status).toBe("waiting");
    expect(asker.isWritten()).toBe(false);
  },
);

test("a host that the owner made a token with approve for shows the card, and the receipt says who decided where", async () => {
  const asker = await showing(["chat", "approve"], ALLOW);
  const asked = await asker.ask();
  expect(asked.structuredContent.status).toBe("done");
  expect(asker.shown).toHaveLength(1);
  expect(asker.shown[0]?.message).toContain("+ x");
  expect(asker.isWritten()).toBe(true);
  const { runId } = asked.structuredContent;
  const { receipts } = await owner.call("receipts.list", { runId });
  expect(receipts).toContainEqual(
    expect.objectContaining({
      actor: "host with chat and approve",
      surface: "mcp",
      type: "tool.call.approved",
    }),
  );
});

test.each<[string, ElicitResult]>([
  ["declines to answer", { action: "decline" }],
  ["closes the question", { action: "cancel" }],
  ["answers something else", { action: "accept", content: { decision: "always" } }],
])("a host whose user %s decides nothing, and is answered at once", async (_what, answer) => {
  const asker = await showing(["chat", "approve"], answer);
  const asked = await asker.ask();
  expect(asked.structuredContent.status).toBe("waiting");
  expect(asker.isWritten()).toBe(false);
});

test("a question that was shown to one host cannot be answered by another, nor one that was made up", async () => {
  const mine = await showing(["chat", "approve"], ALLOW);
  const other = await showing(["chat", "approve"], ALLOW);
  const request = (client: Client, more: Record<string, unknown> = {}) =>
    client.request(
      { method: "tools/call", params: { name: "assistant.ask", arguments: mine.input, ...more } },
      withInputRequired(specTypeSchemas.CallToolResult),
      { allowInputRequired: true },
    );
  const asked = (await request(mine.client)) as { readonly requestState: string };
  for (const requestState of [asked.requestState, `${asked.requestState.slice(0, -4)}AAAA`])
    await expect(
      request(other.client, { requestState, inputResponses: { approval: ALLOW } }),
    ).rejects.toThrow("Invalid or expired requestState");
  expect(mine.isWritten()).toBe(false);
});

const hello = { messages: [{ role: "user", content: "Hello" }] };

test("AC-9, OA-13: whoever may execute has the model, vectors, actions that say so, and any other by name", async () => {
  const program = await executing();
  const { tools } = await program.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "action.memory.search",
    "ask_support",
    "llm.chat",
    "llm.embed",
    "elwood.execute",
    "openact.execute",
  ]);
  expect(tools[1]).toMatchObject({ description: "Helps.", annotations: { readOnlyHint: true } });
  const heard: string[] = [];
  const asked = await program.callTool(
    { name: "ask_support", arguments: hello },
    { onprogress: ({ message = "" }) => heard.push(message) },
  );
  expect(asked.content).toEqual([{ type: "text", text: "That is all." }]);
  expect(asked.structuredContent).toMatchObject({
    action: "trn:elwood:default:action/llm/support@v1",
    text: "That is all.",
    usage: { total_tokens: expect.any(Number) },
    model_info: { finish_reason: "stop" },
  });
  expect(heard.join("")).toBe("That is all.");
  expect(model.lastTools()).toEqual([]);
});

test.each(["elwood.execute", "openact.execute"])(
  "%s executes an action by resource name or by name and version, and says what does not fit",
  async (name) => {
    const program = await executing();
    const run = (input: Record<string, unknown>) => call(name, input, program);
    const trn = "trn:openact:default:action/llm/quiet@v1";
    expect((await run({ action_trn: trn, input: hello })).structuredContent.text).toBe("That is all.");
    const byName = await run({ action: "llm.chat", version: "latest", input: { ...hello, stream: true } });
    expect(byName.structuredContent.text).toBe("That is all.");
    for (const [input, words] of [
      [{ action: "quiet", input: hello }, "Say which version of quiet"],
      [{ action: "suport", version: "latest" }, "Did you mean support?"],
      [{ action: "quiet", version: "latest", input: { messages: "Hello" } }, 'quiet: "messages"'],
    ] as const)
      expect(await run(input)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(words) }],
      });
  },
);

test("an action that changes something waits for the owner, who can deny it", async () => {
  const program = await executing();
  const ordering = call("elwood.execute", { action: "order", version: "latest" }, program);
  const asked = async () => {
    const { approvals } = await owner.call("approvals.list", { status: "pending" });
    return approvals.find(({ toolName }) => toolName.includes("order"));
  };
  await expect.poll(asked).toBeDefined();
  await owner.call("exec.deny", { approvalId: (await asked())!.approvalId });
  expect(await ordering).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/denied/i) }],
  });
});

test("a token has the tools of its scopes and no others", async () => {
  const program = await executing();
  const asked = await call("assistant.ask", { message: "Hello" }, program).catch(String);
  expect(JSON.stringify(asked)).toContain("assistant.ask");
  expect(JSON.stringify(await program.listResources().catch(String))).not.toContain("elwood://sessions");
  expect(JSON.stringify(await call("llm.chat", hello).catch(String))).toContain("llm.chat");
  const { token } = await owner.call("tokens.create", { name: "decides", scopes: ["approve"] });
  expect((await post({ authorization: `Bearer ${token}` })).status).toBe(403);
});

/** A program with a token that may execute actions and nothing else. */
async function executing(): Promise<Client> {
  const { token } = await owner.call("tokens.create", { name: "a program", scopes: ["execute"] });
  const client = await connected(token);
  onTestFinished(() => client.close());
  return client;
}

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
