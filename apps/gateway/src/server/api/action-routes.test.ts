import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { LIMITS } from "@elwood/core/base/limits";
import { GatewayClient } from "@elwood/sdk/client";
import { after, gate } from "@elwood/testkit/answers";
import { chat } from "@elwood/testkit/chat-wire";
import { openaiError, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../../../test/test-gateway.ts";

let provider: OpenaiServer;
let started: StartedGateway;
let owner: GatewayClient;
let token: string;
let proxy: Server;
const proxied: string[] = [];
beforeAll(async () => {
  provider = await startOpenai();
  // Nobody answers there any more.
  const gone = await startOpenai();
  const down = gone.url;
  await gone.close();
  proxy = createServer((asked, answer) => {
    proxied.push(asked.url ?? "");
    const { method = "GET", headers } = asked;
    asked.pipe(
      request(asked.url ?? "", { method, headers }, (from) => {
        answer.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(answer);
      }),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  // The document's own example, but for where its provider is.
  const config = `
version: "1.0"
api: { actions: true }
web: { allowedOrigins: ["${down}"] }
connections:
  my-llm:
    kind: llm
    provider: openai
    api_base: ${provider.url}
    authorization: bearer_token
    token: \${OPENAI_API_KEY}
    timeout_ms: 30000
  by-proxy:
    { provider: local, api_base: "${provider.url}", token: "\${OPENAI_API_KEY}", proxy: "${proxyUrl}" }
actions:
  round-about: { connection: by-proxy, model: m }
  chat-support:
    connection: my-llm
    kind: llm
    task: chat
    model: gpt-4o-mini
    system: |
      You are a helpful assistant.
    sampling:
      temperature: 0.2
      max_tokens: 512
    mcp_enabled: true
  chat-live: { connection: my-llm, model: gpt-4o-mini, stream: true }
  looked-at-open: { connection: my-llm, model: m, moderation: { before: { url: "${down}/look", when_down: open } } }
  looked-at-closed: { connection: my-llm, model: m, moderation: { before: { url: "${down}/look" } } }
  embed-search:
    connection: my-llm
    kind: llm
    task: embed
    model: text-embedding-3-small
    mcp_enabled: false
`;
  started = await startTestGateway({ config, env: { OPENAI_API_KEY: "canary-openai-0001" } });
  const { url, ownerToken } = started.gateway;
  owner = await GatewayClient.connect({ url, token: ownerToken });
  token = (await owner.call("tokens.create", { name: "program", scopes: ["execute"] })).token;
});
afterAll(async () => {
  await owner.close();
  await started[Symbol.asyncDispose]();
  await provider.close();
  proxy.close();
  proxy.closeAllConnections();
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${started.gateway.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
const hi = { input: { messages: [{ role: "user", content: "hi" }] } };
const SUPPORT = "/api/v1/actions/chat-support/execute?version=latest";

test("AC-8: the document's example runs as it is written, by name and by resource name", async () => {
  provider.willChat(chat.reply("Hello there"), chat.reply("Again"));
  const response = await post(SUPPORT, hi);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    action: "trn:elwood:default:action/llm/chat-support@v1",
    text: "Hello there",
    tool_calls: [],
    usage: { total_tokens: expect.any(Number) },
    model_info: { provider: "my-llm", finish_reason: "stop" },
  });
  const sent = provider.requests.at(-1);
  expect(sent?.headers["authorization"]).toBe("Bearer canary-openai-0001");
  expect(sent?.body).toMatchObject({ model: "gpt-4o-mini", temperature: 0.2 });
  const byTrn = await post("/api/v1/execute", {
    action_trn: "trn:openact:default:action/llm/chat-support@v1",
    ...hi,
  });
  expect(await byTrn.json()).toMatchObject({ text: "Again" });
});

test.each([
  ["no version", "/api/v1/actions/chat-support/execute", hi, 400, "INVALID_INPUT"],
  ["an unknown version", "/api/v1/actions/chat-support/execute?version=9", hi, 404, "NOT_FOUND"],
  ["an unknown action", "/api/v1/actions/nobody/execute?version=1", hi, 404, "NOT_FOUND"],
  [
    "another tenant",
    "/api/v1/execute",
    { action_trn: "trn:elwood:other:action/llm/chat-support@v1", ...hi },
    404,
    "NOT_FOUND",
  ],
  [
    "a connection",
    "/api/v1/execute",
    { action_trn: "trn:elwood:default:connection/llm/my-llm@v1", ...hi },
    400,
    "INVALID_INPUT",
  ],
  ["an unknown field", SUPPORT, { input: { colour: "red" } }, 400, "INVALID_INPUT"],
  ["another model", SUPPORT, { input: { ...hi.input, model: "gpt-9" } }, 400, "INVALID_INPUT"],
  ["broken JSON", SUPPORT, "{", 400, "BAD_JSON"],
  ["a list", SUPPORT, [], 400, "INVALID_INPUT"],
])(
  "AC-15: what is wrong is a problem with a code, and nothing is sent: %s",
  async (_what, path, body, status, reason) => {
    const before = provider.requests.length;
    const response = await post(path, body);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(await response.json()).toMatchObject({ status, reason });
    expect(provider.requests).toHaveLength(before);
  },
);

test("AC-2: a connection with a proxy is reached through it, whole and as a stream", async () => {
  provider.willChat(chat.reply("Round about"), chat.reply("Again"));
  const path = "/api/v1/actions/round-about/execute";
  expect(await (await post(`${path}?version=latest`, hi)).json()).toMatchObject({ text: "Round about" });
  expect(await (await post(`${path}/stream?version=latest`, hi)).text()).toContain("Again");
  expect(proxied).toEqual(Array(2).fill(`${provider.url}/v1/chat/completions`));
});

test("a provider's refusal is told without its own words or the key", async () => {
  provider.willChat(openaiError(401, { message: "bad key canary-openai-0001" }));
  const response = await post(SUPPORT, hi);
  expect(response.status).toBe(502);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ code: "UPSTREAM_ERROR" });
  expect(text).not.toContain("canary");
});

test("a stream brings text as it comes, and ends with the whole answer", async () => {
  provider.willChat(chat.reply("Streamed answer"));
  const response = await post("/api/v1/actions/chat-support/execute/stream?version=1", hi);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const events = (await response.text()).split("\n\n").filter((each) => each.startsWith("event:"));
  const names = events.map((each) => /^event: (\S+)/.exec(each)?.[1]);
  expect(names.at(-1)).toBe("done");
  expect(names.filter((name) => name === "text").length).toBeGreaterThan(0);
  const last = JSON.parse(events.at(-1)!.split("data: ")[1]!) as { text: string };
  expect(last.text).toBe("Streamed answer");
});

test("AC-13: the same key and body get the stored answer, another body 422, one in flight 409", async () => {
  const door = gate();
  provider.willChat(after(door, chat.reply("Once")));
  const headers = { "idempotency-key": "key-1" };
  const first = post(SUPPORT, hi, headers);
  await expect.poll(() => provider.requests.length).toBeGreaterThan(0);
  await expect.poll(async () => (await post(SUPPORT, hi, headers)).status).toBe(409);
  door.open();
  const answer = await (await first).json();
  const again = await post(SUPPORT, hi, headers);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await again.json()).toEqual(answer);
  expect((await post(SUPPORT, { input: { messages: [] } }, headers)).status).toBe(422);
});

test("a connection is a provider where a model is named, in a chat too", async () => {
  provider.willChat(chat.reply("Through the connection"));
  const { sessionKey } = await owner.call("sessions.create", {});
  await owner.call("chat.send", { sessionKey, message: "hello", model: "my-llm/gpt-4o-mini" });
  const texts = async () => JSON.stringify((await owner.call("chat.history", { sessionKey })).messages);
  await expect.poll(texts, { timeout: 60_000 }).toContain("Through the connection");
  expect(provider.requests.at(-1)?.headers["authorization"]).toBe("Bearer canary-openai-0001");
  const unknown = owner.call("chat.send", { sessionKey, message: "hello", model: "no-llm/x" });
  await expect(unknown).rejects.toThrow(/no provider called no-llm/);
});

const LIVE = "/api/v1/actions/chat-live/execute?version=latest";

test("an action says whether it is streamed, and a request has the last word", async () => {
  provider.willChat(...["a", "b", "c", "d"].map((text) => chat.reply(text)));
  const kinds = await Promise.all(
    [SUPPORT, LIVE, `${SUPPORT}&stream=true`, `${LIVE}&stream=false`].map(async (path) => {
      const response = await post(path, hi);
      await response.text();
      return response.headers.get("content-type")?.split(";")[0];
    }),
  );
  expect(kinds).toEqual(["application/json", "text/event-stream", "text/event-stream", "application/json"]);
  expect((await post(`${LIVE}&stream=maybe`, hi)).status).toBe(400);
});

test("AC-13: a stream under a key is made once too: who lost it gets its end again", async () => {
  const door = gate();
  provider.willChat(after(door, chat.reply("Once")));
  const before = provider.requests.length;
  const headers = { "idempotency-key": "stream-1" };
  const left = new AbortController();
  const first = await post(LIVE, hi, headers, left.signal);
  await expect.poll(() => provider.requests.length).toBe(before + 1);
  expect((await post(LIVE, hi, headers)).status).toBe(409);
  left.abort();
  await expect(first.text()).rejects.toThrow();
  door.open();
  await expect.poll(async () => (await post(LIVE, hi, headers)).status, { timeout: 60_000 }).toBe(200);
  const again = await post(LIVE, hi, headers);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await again.text()).toMatch(/^event: done\ndata: \{.*"text":"Once"/);
  expect(provider.requests).toHaveLength(before + 1);
});

test("a body beyond its limit is refused before it is read, and one that grows beyond it while it is", async () => {
  const before = provider.requests.length;
  const large = "x".repeat(LIMITS.apiBodyBytesMax + 1);
  const said = await post(SUPPORT, large);
  expect(said.status).toBe(413);
  expect(await said.json()).toMatchObject({ reason: "FRAME_TOO_LARGE" });
  const grows = {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: new Blob([large]).stream(),
    duplex: "half",
  };
  const unsaid = await fetch(`${started.gateway.url}${SUPPORT}`, grows);
  expect(unsaid.status).toBe(413);
  expect(provider.requests).toHaveLength(before);
});

test("AC-16: while the hook that looks at texts is down, an action goes on or stops, as it is set, and says so", async () => {
  provider.willChat(chat.reply("Unseen"));
  const open = await post("/api/v1/actions/looked-at-open/execute?version=latest", hi);
  expect(await open.json()).toMatchObject({
    text: "Unseen",
    notes: [{ stage: "before", what: "not looked at", reason: expect.stringContaining("did not answer") }],
  });
  const before = provider.requests.length;
  const closed = await post("/api/v1/actions/looked-at-closed/execute?version=latest", hi);
  expect(closed.status).toBe(403);
  expect(await closed.json()).toMatchObject({ code: "FORBIDDEN", reason: "BLOCKED" });
  expect(provider.requests).toHaveLength(before);
});

test("who hangs up stops a request that nobody keeps", async () => {
  const ended = Promise.withResolvers<void>();
  provider.willChat(async ({ gone }) => {
    await gone;
    ended.resolve();
  });
  const left = new AbortController();
  const before = provider.requests.length;
  const asked = post(SUPPORT, hi, {}, left.signal).catch(() => "hung up");
  await expect.poll(() => provider.requests.length).toBe(before + 1);
  left.abort();
  expect(await asked).toBe("hung up");
  await ended.promise;
});

test("a token with the scope execute executes, and does nothing else; one without it does not execute", async () => {
  const runs = await fetch(`${started.gateway.url}/api/v1/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"message":"hi"}',
  });
  expect(runs.status).toBe(403);
  const chatToken = (await owner.call("tokens.create", { name: "chat", scopes: ["chat"] })).token;
  const response = await post(SUPPORT, hi, { authorization: `Bearer ${chatToken}` });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ reason: "SCOPE_MISSING" });
});

test("AC-4: files are imported in versions, shown as a difference first, exported without secrets, and rolled back", async () => {
  const manifest = (temperature: number) =>
    `actions:\n  brief:\n    connection: my-llm\n    model: gpt-4o-mini\n    sampling: { temperature: ${temperature} }\n`;
  const dry = await owner.call("actions.import", { text: manifest(1), dryRun: true });
  expect(dry.entries).toMatchObject([{ what: "created", trn: "trn:elwood:default:action/llm/brief@v1" }]);
  await expect(owner.call("actions.get", { name: "brief" })).rejects.toThrow(/There is no action/);
  await owner.call("actions.import", { text: manifest(1) });
  const changed = await owner.call("actions.import", { text: manifest(2), strategy: "ReuseIfUnchanged" });
  expect(changed.entries[0]?.diff).toEqual(
    expect.arrayContaining(["-  temperature: 1", "+  temperature: 2"]),
  );
  await owner.call("actions.rollback", { name: "brief", version: 1 });
  expect(await owner.call("actions.get", { name: "brief" })).toMatchObject({
    action: { version: 1, newest: 2 },
    spec: { sampling: { temperature: 1 } },
  });
  const { text } = await owner.call("actions.export", { names: ["brief"] });
  expect(text).toContain("my-llm:");
  expect(text).not.toContain("canary");
  const bad = owner.call("actions.import", {
    text: "connections:\n  x:\n    provider: openai\n    token: abcdef1234567890\n    colour: red\n",
    file: "bad.yaml",
  });
  await expect(bad).rejects.toThrow(/bad\.yaml:5 .*colour/);
  const { connections } = await owner.call("connections.list", {});
  expect(connections).toMatchObject([
    { name: "by-proxy" },
    { name: "my-llm", provider: "openai", source: "stored" },
  ]);
});
