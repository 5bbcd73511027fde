import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { METHOD_REACH } from "@elwood/core/protocol/method-reach";
import { METHOD_NAMES, type MethodName } from "@elwood/core/protocol/methods";
import { GatewayClient } from "@elwood/sdk/client";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

/** Said, written and saved by the owner; nobody else may ever see it. */
const CANARY = "canaryword";

let model: ScriptedAnthropic;
let scene: Scene;
let acme: GatewayClient;
let acmeToken: string;
const pushed: string[] = [];
let own: Facts;
let theirs: { readonly sessionKey: string };

/** What the owner has: an id of everything that a method may be asked about. */
interface Facts {
  readonly sessionKey: string;
  readonly runId: string;
  readonly callId: string;
  readonly approvalId: string;
  readonly receiptId: string;
  readonly blobId: string;
  readonly grantId: string;
}

beforeAll(async () => {
  model = await startScriptedAnthropic();
  scene = await openScene(model, { config: "api: { actions: true, mcp: true, openai: true }" });
  const { gateway, client } = scene;
  const made = await client.call("tokens.create", {
    name: "acme",
    scopes: ["chat", "approve", "execute"],
    tenant: "acme",
  });
  acmeToken = made.token;
  acme = await GatewayClient.connect({
    url: gateway.url,
    token: acmeToken,
    client: { name: "t", drafts: true },
  });
  acme.onPush((push) => void pushed.push(JSON.stringify(push)));
  own = await ownersFacts();
  theirs = await acme.call("sessions.create", { title: "Of acme" });
});
afterAll(async () => {
  await acme.close();
  await scene[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function ownersFacts(): Promise<Facts> {
  const { client, gateway } = scene;
  await client.call("memory.save", { key: "secrets", content: `The word is ${CANARY}.` });
  const uploaded = await fetch(`${gateway.url}/blobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.ownerToken}`, "content-type": "text/plain" },
    body: CANARY,
  });
  const { blobId } = (await uploaded.json()) as { blobId: string };
  const write = ["files.file.write", { path: `${CANARY}.txt`, content: CANARY }] as const;
  const { sessionKey, runId } = await scene.run({
    says: `keep ${CANARY}`,
    calls: [write],
    decide: () => "allow",
  });
  const { calls } = await client.call("calls.list", { runId });
  const { receipts } = await client.call("receipts.list", { runId });
  const command = ["shell.command.run", { command: `echo ${CANARY} > x; rm x` }] as const;
  const { asks } = await scene.run({ says: CANARY, calls: [command], decide: () => "wait" });
  return {
    sessionKey,
    runId,
    blobId,
    callId: calls[0]!.callId,
    approvalId: asks[0]!.approvalId,
    receiptId: receipts[0]!.id,
    grantId: "grt_01K0000000000000000000000",
  };
}

/** What each method about a tenant's own is asked with: ids of the owner wherever it takes one. */
const QUESTIONS: Readonly<Record<MethodName, ((f: Facts) => readonly object[]) | undefined>> = {
  ...(Object.fromEntries(METHOD_NAMES.map((name) => [name, undefined])) as Record<MethodName, undefined>),
  "health.check": () => [{}],
  "gateway.status": () => [{}],
  "attention.list": () => [{}],
  "usage.summary": () => [{}],
  "agents.list": () => [{}],
  "sessions.create": ({ sessionKey }) => [{}, { sessionKey }],
  "sessions.list": () => [{}, { deleted: true }, { query: CANARY }],
  "sessions.get": ({ sessionKey }) => [{ sessionKey }],
  "sessions.rename": ({ sessionKey }) => [{ sessionKey, title: "taken" }],
  "sessions.pin": ({ sessionKey }) => [{ sessionKey, pinned: true }],
  "sessions.archive": ({ sessionKey }) => [{ sessionKey, archived: true }],
  "sessions.move": ({ sessionKey }) => [{ sessionKey, folder: "taken" }],
  "sessions.version": ({ sessionKey, runId }) => [{ runId }, { runId, sessionKey }],
  "sessions.configure": ({ sessionKey }) => [{ sessionKey, system: "taken" }],
  "sessions.delete": ({ sessionKey }) => [{ sessionKey }],
  "sessions.restore": ({ sessionKey }) => [{ sessionKey }],
  "sessions.search": () => [{ query: CANARY }],
  "sessions.export": ({ sessionKey }) => [{ sessionKey }, { sessionKey, format: "json" }],
  "sessions.compactions": ({ sessionKey }) => [{ sessionKey }],
  "sessions.compact": ({ sessionKey }) => [{ sessionKey }],
  "sessions.uncompact": ({ sessionKey }) => [{ sessionKey, all: true }],
  "sessions.files": ({ sessionKey }) => [{ sessionKey }],
  "sessions.fork": ({ sessionKey, runId }) => [{ sessionKey, runId, include: true }],
  "chat.retry": ({ sessionKey, runId }) => [{ runId }, { runId, sessionKey }],
  "chat.edit": ({ sessionKey, runId }) => [
    { runId, message: "taken" },
    { runId, sessionKey, message: "taken" },
  ],
  "chat.send": ({ sessionKey, blobId }) => [
    { sessionKey, message: "taken" },
    {
      sessionKey: theirs.sessionKey,
      message: "taken",
      parts: [{ kind: "blob", blobId, origin: "attached" }],
    },
  ],
  "chat.history": ({ sessionKey }) => [{ sessionKey }],
  "chat.abort": ({ runId }) => [{ runId }],
  "chat.resume": ({ runId }) => [{ runId }],
  "runs.get": ({ runId }) => [{ runId }],
  "runs.list": ({ sessionKey }) => [{}, { sessionKey }],
  "runs.timeline": ({ runId }) => [{ runId }],
  "runs.activity": ({ runId }) => [{ runId }],
  "exec.approve": ({ approvalId }) => [{ approvalId }, { approvalId, decision: "always" }],
  "exec.deny": ({ approvalId }) => [{ approvalId }],
  "approvals.list": ({ sessionKey }) => [{}, { status: "pending" }, { sessionKey }],
  "approvals.get": ({ approvalId }) => [{ approvalId }],
  "approvals.preview": ({ approvalId }) => [{ approvalId, input: {} }],
  "owner.answer": ({ approvalId }) => [{ questionId: approvalId, answer: "yes" }],
  "owner.ask": ({ sessionKey }) => [{ sessionKey, question: "taken?" }],
  "grants.list": () => [{ all: true }],
  "grants.revoke": ({ grantId }) => [{ grantId }],
  "calls.list": ({ runId }) => [{ runId }],
  "calls.get": ({ callId }) => [{ callId }],
  "calls.undo": ({ callId }) => [{ callId }],
  "policy.explain": ({ sessionKey }) => [{ toolId: "files.file.read", input: { path: "x" }, sessionKey }],
  "tools.list": () => [{}],
  "tools.get": () => [{ toolId: "files.file.read" }],
  "receipts.list": ({ runId, callId }) => [{}, { runId }, { callId }, { after: 0 }],
  "receipts.get": ({ receiptId }) => [{ receiptId }],
  "receipts.checkpoints": () => [{}],
  "receipts.export_ticket": () => [{ bodies: true }],
  "receipts.verify": () => [{}],
  "receipts.prove": ({ receiptId }) => [{ receiptId }],
  "receipts.head": () => [{}],
  "blobs.ticket": ({ blobId }) => [{ blobId }],
  "models.list": () => [{}],
  "models.check": () => [{ model: "anthropic/claude-sonnet-5-5" }],
  "actions.list": () => [{}],
  "actions.get": () => [{ name: "llm.chat" }],
  "actions.execute": () => [{ name: "llm.chat", version: "latest", input: { messages: [] } }],
};

/** What the owner sees of their own; the same before and after somebody else has tried everything. */
async function ownersView() {
  const { client } = scene;
  const { session } = await client.call("sessions.get", { sessionKey: own.sessionKey });
  const { approvals } = await client.call("approvals.list", { status: "pending" });
  const { runs } = await client.call("runs.list", {});
  const { notes } = await client.call("memory.list", {});
  const { size } = await client.call("receipts.head", {});
  const { sessions } = await client.call("sessions.list", {});
  return { session, approvals, runs, notes, size, sessions };
}

test("AC-10: no method shows a tenant anything of another, or changes it", async () => {
  const before = await ownersView();
  for (const method of METHOD_NAMES) {
    if (METHOD_REACH[method] !== "tenant") continue;
    const questions = QUESTIONS[method]?.(own);
    if (!questions) throw new Error(`${method} is about what a tenant has, and nobody asks whose it shows`);
    for (const params of questions) {
      const answer = await acme.call(method, params as never).catch((error: Error) => error.message);
      const text = JSON.stringify(answer);
      expect(text, `${method} ${JSON.stringify(params)}`).not.toContain(CANARY);
      if (typeof answer !== "string")
        for (const id of Object.values(own))
          expect(text, `${method} ${JSON.stringify(params)}`).not.toContain(id);
    }
  }
  expect(await ownersView()).toEqual(before);
  expect(pushed.join("\n")).not.toContain(CANARY);
  for (const id of Object.values(own)) expect(pushed.join("\n")).not.toContain(id);
});

test("AC-10: what is about the installation is refused to a token of a tenant, whatever its scopes", async () => {
  for (const method of METHOD_NAMES) {
    if (METHOD_REACH[method] !== "installation") continue;
    const refused = await acme.call(method, {}).catch((error: Error) => error);
    expect(refused, method).toMatchObject({ failure: { reason: "SCOPE_MISSING" } });
  }
  const admin = scene.client.call("tokens.create", { name: "x", scopes: ["admin"], tenant: "acme" });
  await expect(admin).rejects.toMatchObject({ failure: { reason: "INVALID_INPUT" } });
});

test("AC-10: addresses for programs show a tenant its own alone", async () => {
  const { gateway } = scene;
  const get = async (path: string, token = acmeToken) => {
    const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, text: await answer.text() };
  };
  for (const path of [
    `/api/v1/runs/${own.runId}`,
    `/api/v1/runs/${own.runId}/events`,
    `/api/v1/sessions/${own.sessionKey}/messages`,
    "/api/v1/approvals",
    "/api/v1/receipts",
    `/api/v1/memory/search?query=${CANARY}`,
    "/api/v1/logs",
    `/blobs/${own.blobId}`,
  ]) {
    const { text } = await get(path);
    expect(text, path).not.toContain(CANARY);
    expect(text.replaceAll(path, ""), path).not.toContain(`"${own.runId}"`);
  }
  expect((await get(`/blobs/${own.blobId}`, gateway.ownerToken)).text).toBe(CANARY);
});

test("AC-10: a tenant has runs, receipts, files of conversations and usage of its own, and none of the owner's notes", async () => {
  const run = await scene.run({
    says: "look it up",
    calls: [["memory.note.search", { query: "the word" }]],
    sessionKey: theirs.sessionKey,
    sender: acme,
  });
  const { activity } = await acme.call("runs.activity", { runId: run.runId });
  // It is not offered, and a model that names it all the same is told that there is no such tool.
  expect(activity).toEqual([]);
  const offered = model.lastTools();
  expect(offered).toContain("files__file__read");
  expect(offered.filter((name) => /^(memory|schedule)__/.test(name))).toEqual([]);
  expect(model.lastShown()).not.toContain(CANARY);
  const { receipts } = await acme.call("receipts.list", { after: 0 });
  expect(receipts[0]).toMatchObject({ seq: 1, tenant: "acme" });
  expect(await acme.call("receipts.verify", {})).toMatchObject({
    verdict: { status: "intact" },
  });
  expect((await acme.call("usage.summary", {})).total.laps).toBeGreaterThan(0);
  expect(await acme.call("usage.summary", {})).not.toHaveProperty("tenants");
  const folders = readdirSync(join(scene.home, "sessions")).toSorted();
  expect(folders).toEqual(["acme", "default"]);
  const transcript = join(scene.home, "sessions", "acme", `${theirs.sessionKey}.jsonl`);
  expect(existsSync(transcript) && readFileSync(transcript, "utf8")).not.toContain(CANARY);
  const owners = await scene.client.call("sessions.list", {});
  expect(owners.sessions.map(({ sessionKey }) => sessionKey)).not.toContain(theirs.sessionKey);
});

test("AC-17: what is on record is found and read by whoever may read it, and by nobody else", async () => {
  const { gateway, client } = scene;
  const execute = async (action: string, input: object, token = gateway.ownerToken) => {
    const answer = await fetch(`${gateway.url}/api/v1/actions/${action}/execute?version=latest`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ input }),
    });
    return { status: answer.status, body: (await answer.json()) as Read };
  };
  const found = await execute("resources.search", { query: CANARY });
  const { resources } = found.body.output;
  expect(new Set(resources.map(({ place }) => place))).toEqual(new Set(["memory", "sessions", "receipts"]));
  expect(found.body.text).toContain(`The word is ${CANARY}.`);
  for (const { uri } of resources) {
    const { body } = await execute("resources.get", { uri });
    expect(body.output.resources, uri).toHaveLength(1);
    expect(body.text, uri).toContain(CANARY);
  }
  const only = await execute("resources.search", { query: CANARY, in: ["memory"], limit: 1 });
  expect(only.body.output.resources).toMatchObject([{ place: "memory" }]);
  const over = await client.call("actions.execute", {
    name: "resources.search",
    version: "latest",
    input: { query: CANARY },
  });
  expect(over.text).toContain(CANARY);

  const theirs = await execute("resources.search", { query: CANARY }, acmeToken);
  expect(theirs.status).toBe(200);
  expect(JSON.stringify(theirs.body)).not.toContain(CANARY);
  for (const { uri } of resources) {
    const { status, body } = await execute("resources.get", { uri }, acmeToken);
    expect(status, uri).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body).replaceAll(uri, "")).not.toContain(CANARY);
  }
  const { token } = await client.call("tokens.create", { name: "blind", scopes: ["execute"] });
  const blind = await execute("resources.search", { query: CANARY }, token);
  expect(blind).toMatchObject({ status: 403, body: { reason: "SCOPE_MISSING" } });
  const wrong = await execute("resources.get", { uri: "file:/etc/passwd" });
  expect(wrong).toMatchObject({ status: 400, body: { reason: "INVALID_INPUT" } });
});

interface Read {
  readonly text: string;
  readonly output: { readonly resources: readonly { readonly uri: string; readonly place: string }[] };
}
