import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cut, raw } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { CHAT_ROUTE, openaiError, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Canaries, filesUnder } from "./canaries.ts";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession } from "./conversation.ts";
import { runElwood } from "./run-elwood.ts";

const canaries = new Canaries();
const KEY = {
  anthropic: canaries.plant("ANTHROPIC_API_KEY"),
  openai: canaries.plant("OPENAI_API_KEY"),
  token: canaries.plant("ELWOOD_TOKEN"),
  header: canaries.plant("a header in providers.local.headers"),
  bearer: canaries.plant("an authorization header in providers.local.headers"),
  profile: canaries.plant("a stored profile's key"),
  refused: canaries.plant("a key that was refused and not stored"),
  foreign: canaries.plant("somebody's key in a provider's error", "sk-proj-"),
  typed: canaries.plant("what the owner typed"),
};

const home = temporaryHome();
let server: AnthropicServer;
let openai: OpenaiServer;
let gateway: GatewayProcess;
let owner: Wire;
let env: Record<string, string>;
const wires: Wire[] = [];
const bodies: string[] = [];

beforeAll(async () => {
  [server, openai] = await Promise.all([startAnthropic(), startOpenai()]);
  env = {
    ANTHROPIC_API_KEY: KEY.anthropic,
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: KEY.openai,
    OPENAI_BASE_URL: openai.baseUrl,
    ELWOOD_TOKEN: KEY.token,
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
  };
  const headers = `      x-gate: ${KEY.header}\n      authorization: Bearer ${KEY.bearer}\n`;
  const local = `  local:\n    baseUrl: ${openai.baseUrl}\n    api: chat\n    headers:\n${headers}`;
  const config = `log:\n  level: debug\nproviders:\n${local}`;
  gateway = await startGatewayProcess({ home: home.path, env, config });
  canaries.know("the ticket of the start screen", new URL(gateway.link).hash.slice(3));
  owner = await connect(KEY.token);
});
afterAll(async () => {
  await gateway.kill();
  await Promise.all([server.close(), openai.close()]);
  home.remove();
});

async function connect(token: string, headers: Record<string, string> = {}): Promise<Wire> {
  const wire = await Wire.open(gateway.url, headers);
  wires.push(wire);
  wire.send({ type: "auth", token });
  await Promise.race([wire.until((f) => f.type === "auth" || f.error !== undefined), wire.closeCode()]);
  return wire;
}

async function visit(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${gateway.url}${path}`, init);
  bodies.push(`${JSON.stringify([...response.headers])} ${await response.clone().text()}`);
  return response;
}

async function failsWith(code: string, model?: string): Promise<void> {
  const key = await openSession(owner);
  const { runId } = (await owner.result("chat.send", {
    sessionKey: key,
    message: "go",
    ...(model ? { model } : {}),
  })) as { runId: string };
  const end = await owner.until((f) => f.event === "chat.error" && f.data?.["runId"] === runId);
  expect(end.data!["code"]).toBe(code);
}

describe("EL-18 AC-15: every way to fail that can be provoked from outside", () => {
  test("a provider that refuses a key and repeats it, by status and in the middle of an answer", async () => {
    const message = `invalid x-api-key ${KEY.anthropic}; did you mean ${KEY.foreign}?`;
    server.will(
      anthropic.error(401, { message, headers: { "x-echo": KEY.anthropic } }),
      anthropic.error(400, { message, details: { key: KEY.anthropic } }),
      anthropic.stream([anthropic.start(), anthropic.errorEvent("invalid_request_error", message)]),
      raw(418, `<pre>Authorization: ${KEY.anthropic} ${KEY.foreign}</pre>`, { "content-type": "text/html" }),
      raw(302, "", { location: `${openai.url}/?key=${KEY.anthropic}` }),
    );
    await failsWith("AUTH");
    for (let i = 0; i < 4; i++) await failsWith("BAD_REQUEST");
    openai.willRespond(
      openaiError(401, { message: `Incorrect API key provided: ${KEY.openai}`, code: "invalid_api_key" }),
    );
    await failsWith("AUTH", "openai/gpt-5.5");
  });

  test("a provider of the owner's own with secret headers", async () => {
    openai.willChat(openaiError(403, { message: `bad x-gate ${KEY.header} for ${KEY.bearer}` }));
    await failsWith("AUTH", "local/some-model");
    expect(openai.last(CHAT_ROUTE).headers["x-gate"]).toBe(KEY.header);
  });

  test("a connection that breaks, and the tries after it", async () => {
    server.will(cut(), anthropic.error(401, { message: KEY.anthropic }));
    await failsWith("AUTH");
  });

  test("keys that are handed in: one that passes and is stored, one that does not and is not", async () => {
    server.will(anthropic.reply("ok"));
    expect(
      (await owner.ask("auth.set", { provider: "anthropic", secret: KEY.profile, name: "work" })).error,
    ).toBeUndefined();
    server.will(anthropic.error(401, { message: `no: ${KEY.refused}` }));
    const refused = await owner.ask("auth.set", {
      provider: "anthropic",
      secret: KEY.refused,
      name: "other",
    });
    expect(refused.error?.message).toMatch(/Nothing was saved/);
    await owner.result("auth.list");
    server.will(anthropic.error(401, { message: KEY.profile }));
    expect((await owner.ask("auth.test", { profileId: "anthropic:work" })).error?.data?.reason).toBe("AUTH");
    // The key of the environment takes over from the refused one, and is refused too.
    server.will(
      anthropic.error(401, { message: KEY.profile }),
      anthropic.error(401, { message: KEY.anthropic }),
    );
    await failsWith("AUTH");
    await owner.ask("auth.set", { provider: `x ${KEY.profile}`, secret: KEY.profile });
    await owner.ask("auth.set", {
      provider: "anthropic",
      secret: `${KEY.profile}\n`,
      baseUrl: `http://u:${KEY.profile}@127.0.0.1:1`,
    });
  });

  test("tokens that are nearly right, and right ones in the wrong places", async () => {
    for (const token of [KEY.token.slice(0, -1), `${KEY.token}x`, KEY.token.toUpperCase()])
      await connect(token);
    await owner.ask(KEY.token);
    await owner.ask("sessions.get", { sessionKey: KEY.token });
    await owner.ask("sessions.get", { [KEY.token]: 1 });
    await owner.ask("chat.resume", { runId: KEY.token });
    await owner.ask("sessions.create", { agentId: KEY.token });
    await expect(connect(KEY.token, { origin: `http://${KEY.token}.example` })).rejects.toThrow("403");
    for (const path of [
      `/${KEY.token}`,
      `/health?token=${KEY.token}`,
      `/blobs/${KEY.token}?ticket=${KEY.token}`,
    ])
      await visit(path);
    await visit("/blobs", { method: "POST", headers: { authorization: `Bearer ${KEY.token}x` }, body: "x" });
    await visit("/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ticket: KEY.token }),
    });
  });

  test("login links and tokens for programs, given once and used up", async () => {
    const { url } = (await owner.result("login.link")) as { url: string };
    const ticket = new URL(url).hash.slice(3);
    const login = () =>
      fetch(`${gateway.url}/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ticket }),
      });
    const given = (await (await login()).json()) as { token: string };
    bodies.push(await (await login()).text());
    const made = (await owner.result("tokens.create", { name: "script", scopes: ["chat"] })) as {
      token: string;
      info: { id: string };
    };
    // The two answers that hand them out are the only ones that may hold them.
    owner.frames.splice(
      0,
      Infinity,
      ...owner.frames.filter(
        (f) => !JSON.stringify(f).includes(ticket) && !JSON.stringify(f).includes(made.token),
      ),
    );
    canaries.know("a login ticket", ticket);
    canaries.know("a browser's token", given.token);
    canaries.know("a program's token", made.token);
    for (const token of [given.token, made.token]) await (await connect(token)).result("sessions.list");
    await owner.result("tokens.list");
    await owner.result("tokens.revoke", { tokenId: made.info.id });
    await connect(made.token);
  });

  test("a fault of the disk in the middle of a run", async () => {
    server.will(anthropic.reply("fine"));
    const key = await openSession(owner);
    mkdirSync(join(home.path, "sessions/default", `${key}.jsonl`), { recursive: true });
    const end = await ask(owner, key, `my key is ${KEY.typed}`);
    expect(end.data!["code"] ?? end.data!["note"]).toBeDefined();
    rmSync(join(home.path, "sessions/default", `${key}.jsonl`), { recursive: true });
  });
});

describe("EL-18: afterwards no secret, nor a piece of one,", () => {
  test("is in the log, though it tells everything", () => {
    const { stdout, stderr } = gateway.output();
    expect(stdout).toContain('"level":"DEBUG"');
    expect(canaries.foundIn(stdout)).toEqual([]);
    // The start screen shows its link to the owner, and nothing else.
    expect(canaries.foundIn(stderr.replace(gateway.link, ""))).toEqual([]);
  });

  test("is in any frame or HTTP answer", () => {
    expect(wires.reduce((count, wire) => count + wire.frames.length, 0)).toBeGreaterThan(50);
    for (const wire of wires) {
      for (const frame of wire.frames)
        expect(canaries.foundIn(JSON.stringify(frame)), JSON.stringify(frame)).toEqual([]);
    }
    for (const body of bodies) expect(canaries.foundIn(body), body).toEqual([]);
  });

  test("is in a file, but for those made for it; and all files are the owner's alone", () => {
    expect(statSync(home.path).mode & 0o777).toBe(0o700);
    const typed = /^(elwood\.db(-wal)?|sessions\/)/;
    for (const { path, bytes, mode } of filesUnder(home.path)) {
      // A public key is made to be handed out; the folder around it is closed all the same.
      if (!path.endsWith(".pub")) expect(mode & 0o077, path).toBe(0);
      if (path === "auth-profiles.json" || path.startsWith("keys/")) continue;
      const found = canaries
        .foundIn(bytes)
        .filter(
          (name) =>
            !(path === "config.yaml" && name.includes("providers.local.headers")) &&
            !(typed.test(path) && name.startsWith("what the owner")),
        );
      expect(found, path).toEqual([]);
    }
  });

  test.each(["status --json", "config show --origin", "auth list --json", "doctor", "token list"])(
    "is printed by: elwood %s",
    async (command) => {
      const { stdout, stderr } = await runElwood(command.split(" "), { home: home.path, env });
      expect(stdout.length + stderr.length).toBeGreaterThan(10);
      expect(canaries.foundIn(stdout + stderr)).toEqual([]);
    },
  );

  test.each([
    ["a line that is no YAML", (k: string) => `providers:\n  local:\n    headers: {x-gate: "${k}\n`],
    ["a header that is a list", (k: string) => `providers:\n  local:\n    headers:\n      x-gate: [${k}]\n`],
    ["a misspelt group", (k: string) => `provders:\n  local:\n    headers:\n      x-gate: ${k}\n`],
    ["a key in the place of a model", () => `model: ${KEY.foreign}\n`],
    ["a key in the place of a port", () => `gateway:\n  port: ${KEY.foreign}\n`],
  ])("is repeated by a start that fails over %s", async (_what, config) => {
    const other = temporaryHome();
    writeFileSync(join(other.path, "config.yaml"), config(KEY.header));
    const { code, stdout, stderr } = await runElwood(["up", "--no-open", "--port", "0"], {
      home: other.path,
      env,
    });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/config\.yaml:\d/);
    expect(canaries.foundIn(stdout + stderr)).toEqual([]);
    other.remove();
  });
});
