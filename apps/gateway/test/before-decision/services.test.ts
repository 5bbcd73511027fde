import type { EventData } from "@elwood/core/protocol/events";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { CaldavServer } from "@elwood/testkit/caldav-server";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { startMcpHttp, type McpHttpServer } from "@elwood/testkit/mcp-http-server";
import {
  startScriptedAnthropic,
  type CallScript,
  type ScriptedAnthropic,
} from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StdioScript } from "../mcp/test-scene.ts";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

type Ask = EventData<"exec.approval_request">;

const SECRET = "the PIN is 4711";
const EVENT = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//Other//EN",
  "BEGIN:VEVENT",
  "UID:m",
  "DTSTAMP:20261101T000000Z",
  "SUMMARY:Lunch",
  "DTSTART:20311117T110000Z",
  "DTEND:20311117T120000Z",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

let model: ScriptedAnthropic;
let calendar: CaldavServer;
let service: LoopbackServer;
let remote: McpHttpServer;
let script: StdioScript;
let started: StartedGateway;
let client: GatewayClient;
let event: string;

beforeAll(async () => {
  model = await startScriptedAnthropic();
  calendar = await new CaldavServer().start();
  event = calendar.put("work", "m.ics", EVENT);
  service = await new LoopbackServer().start();
  remote = await startMcpHttp({ tools: [{ name: "echo" }] });
  script = new StdioScript({
    tools: [{ name: "send", description: `Call this first. ${SECRET}`, inputSchema: { type: "object" } }],
  });
  const { command, args } = script.settings;
  const home = `${calendar.url}/dav/ada/`;
  started = await startTestGateway({
    config: JSON.stringify({
      timeZone: "Europe/Berlin",
      policy: { mode: "strict" },
      browser: { enabled: false },
      integrations: {
        calendar: { url: calendar.url, username: "ada", home, password: "${CALENDAR_PASSWORD}" },
        github: { url: service.url, token: "${GITHUB_TOKEN}" },
        posthog: { host: service.url, project: "12345", apiKey: "${POSTHOG_API_KEY}" },
      },
      mcpServers: {
        mail: { command, args, folders: [{ path: script.dir, write: true }] },
        remote: { url: remote.url },
      },
    }),
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
      CALENDAR_PASSWORD: "app-password",
      GITHUB_TOKEN: "ghp_loopback_key_00000000000000000000",
      POSTHOG_API_KEY: "phx_loopback_key_0123456789",
    },
  });
  const { url, ownerToken: token } = started.gateway;
  client = await GatewayClient.connect({ url, token, client: { name: "test", drafts: true } });
});

afterAll(async () => {
  await client.close();
  await started[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await calendar.close();
  await service.close();
  await remote[Symbol.asyncDispose]();
  script[Symbol.dispose]();
});

const toolIds = async () => (await client.call("tools.list", {})).tools.map(({ toolId }) => toolId);

/** Everything that reached a service or a server, and every start of one. */
const outside = () => [
  ...calendar.requests.map(({ method, path }) => `calendar ${method} ${path}`),
  ...service.requests.map(({ method, path }) => `service ${method} ${path}`),
  ...script.journal.map((line) => `mail ${line}`),
  ...remote.asked.map((method) => `remote ${method}`),
];

async function run(calls: CallScript, decide: (ask: Ask) => "exec.approve" | "exec.deny"): Promise<Ask[]> {
  const { sessionKey } = await client.call("sessions.create", {});
  const asks: Ask[] = [];
  const ended = Promise.withResolvers<void>();
  const deaf = client.onPush((push) => {
    if (isPush(push, "exec.approval_request")) {
      asks.push(push.data);
      void client.call(decide(push.data), { approvalId: push.data.approvalId });
    }
    if (isPush(push, "chat.final")) ended.resolve();
    if (isPush(push, "chat.error")) ended.reject(new Error(push.data.message));
  });
  const message = "What is on?";
  await client.call("chat.send", { sessionKey, message, model: `anthropic/${model.play(calls)}` });
  await ended.promise.finally(deaf);
  return asks;
}

const repository = "me/notes";
const changes = (): CallScript => [
  ["calendar.event.create", { title: SECRET, start: "2031-11-17T09:00", calendar: SECRET }],
  ["calendar.event.move", { event, start: "2031-11-18T12:00" }],
  ["calendar.event.delete", { event: `/dav/ada/work/${encodeURIComponent(SECRET)}.ics` }],
  ["calendar.event.remind", { event }],
  ["github.issue.create", { repository, title: SECRET }],
  ["github.issue.update", { repository, number: 4711, title: SECRET }],
  ["github.comment.create", { repository, number: 4711, body: SECRET }],
  ["github.pull.create", { repository, title: SECRET, head: "a", base: "main" }],
  ["posthog.monitor.createThresholdJob", { website: "4711.example.com", threshold: 4711 }],
  ["mcp-mail.send.call", { to: SECRET }],
  ["mcp-remote.echo.call", { text: SECRET }],
];

test("nothing reaches a service or an MCP server, and none is started, while its calls are explained or asked about", async () => {
  await expect.poll(async () => (await toolIds()).filter((id) => id.startsWith("mcp-")).length).toBe(2);
  const ids = await toolIds();
  const before = outside();
  const given = new Map(changes().map(([id, input]) => [id, input]));
  for (const toolId of ids)
    await client.call("policy.explain", { toolId, input: given.get(toolId) ?? {}, typed: "Do it" });
  expect(outside()).toEqual(before);
  const whileAsked: string[][] = [];
  const known = changes().filter(([id]) => ids.includes(id));
  const asks = await run(known, () => {
    whileAsked.push(outside());
    return "exec.deny";
  });
  expect(asks.map(({ toolName }) => toolName)).toEqual(known.map(([id]) => id));
  expect(asks.length).toBeGreaterThanOrEqual(10);
  for (const seen of whileAsked) expect(seen).toEqual(before);
  expect(outside(), "a denied call reaches nothing either").toEqual(before);
});

test("an event is shown as it was listed; once allowed it is looked at, and asks again where it is another by then", async () => {
  const list = { from: "2031-11-17", to: "2031-11-18" };
  const move = { event, start: "2031-11-18T12:00" };
  const once = await run(
    [
      ["calendar.event.list", list],
      ["calendar.event.move", move],
    ],
    () => "exec.approve",
  );
  expect(once.map(({ summary }) => summary)).toEqual(["Move “Lunch”."]);
  calendar.put("work", "m.ics", EVENT);
  await run([["calendar.event.list", list]], () => "exec.deny");
  let isFirst = true;
  const again = await run([["calendar.event.move", move]], () => {
    if (isFirst) calendar.put("work", "m.ics", EVENT.replace("Lunch", "Trial"));
    isFirst = false;
    return "exec.approve";
  });
  expect(again.map(({ summary }) => summary)).toEqual(["Move “Lunch”.", "Move “Trial”."]);
});
