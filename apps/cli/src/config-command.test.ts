import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder, type TestFolder } from "@elwood/gateway/test/config/test-folder";
import { checkConfig, showConfig, showConfigPath } from "./config-command.ts";
import { EXIT } from "./io.ts";
import { testIo } from "./test-io.ts";

const NOW = Date.UTC(2026, 10, 15);

function at(f: TestFolder, env: Record<string, string> = {}, flags: Record<string, string> = {}) {
  const io = testIo({ env: { ELWOOD_HOME: join(f.root, "home"), ...env }, cwd: f.root });
  return { io, deps: { flags, userHome: join(f.root, "user"), nowMs: NOW } };
}

test("EL-16: config show --origin says where each value came from", async () => {
  const f = testFolder();
  f.write("home/config.yaml", "model: anthropic/claude-sonnet-5-5\ngateway:\n  port: 1001\n");
  const { io, deps } = at(
    f,
    { ELWOOD_LOG_LEVEL: "debug", OPENAI_API_KEY: "canary-openai-key-9876" },
    { port: "1002" },
  );
  expect(await showConfig(io, deps, { origin: true, json: false })).toBe(EXIT.ok);
  const rows = io
    .out()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(rows[0]).toEqual(["SETTING", "VALUE", "FROM"]);
  expect(rows).toContainEqual(["home", join(f.root, "home"), "environment ELWOOD_HOME"]);
  expect(rows).toContainEqual(["model", "anthropic/claude-sonnet-5-5", "config.yaml:1"]);
  expect(rows).toContainEqual(["gateway.port", "1002", "flag --port"]);
  expect(rows).toContainEqual(["gateway.host", "127.0.0.1", "default"]);
  expect(rows).toContainEqual(["log.level", "debug", "environment ELWOOD_LOG_LEVEL"]);
  expect(rows).toContainEqual(["OPENAI_API_KEY", "…9876", "environment OPENAI_API_KEY"]);
  expect(io.out()).not.toContain("canary");
});

test("config show without --origin is one `key: value` a line", async () => {
  const { io, deps } = at(testFolder());
  await showConfig(io, deps, { origin: false, json: false });
  expect(io.out()).toContain("gateway.port: 18789\n");
  expect(io.out()).toContain("model: (that of the first provider with a key)\n");
});

test("config show --json is one document with values, origins, secrets by their last characters, and notices", async () => {
  const f = testFolder();
  f.write("home/config.yaml", "telegram:\n  token: canary-telegram-token-1\n  allowed_chat_ids: [5]\n");
  const { io, deps } = at(f, { ANTHROPIC_API_KEY: "canary-anthropic-4f2a" });
  expect(await showConfig(io, deps, { origin: false, json: true })).toBe(EXIT.ok);
  expect(io.json()).toMatchObject({
    home: join(f.root, "home"),
    file: join(f.root, "home/config.yaml"),
    values: {
      "gateway.port": { value: 18789, origin: "default" },
      "telegram.token": { value: "…en-1", origin: "config.yaml:2" },
      "telegram.allowedChatIds": { value: ["5"], origin: "config.yaml:3" },
    },
    secrets: [{ name: "ANTHROPIC_API_KEY", hint: "…4f2a", source: "environment ANTHROPIC_API_KEY" }],
  });
  expect(io.out()).not.toContain("canary");
  expect(io.err()).toBe("");
});

test("EL-16: config show hides headers, environments of servers and tokens, wherever they stand", async () => {
  const f = testFolder();
  f.write(
    "home/config.yaml",
    [
      "providers: {openai: {headers: {x-one: canary-header-value-1}}}",
      "mcp_servers: {a: {command: x, env: {KEY: canary-env-value-2}, headers: {h: canary-header-3}}}",
      "connections: {c: {token: canary-token-value-4, default_headers: {h: canary-header-5}, proxy: 'http://u:canary@p'}}",
    ].join("\n"),
  );
  for (const json of [true, false]) {
    const { io, deps } = at(f);
    expect(await showConfig(io, deps, { origin: true, json })).toBe(EXIT.ok);
    expect(io.out() + io.err()).not.toContain("canary");
  }
});

test("config check answers 0 and says what has no effect, or 1 and says all that is wrong", async () => {
  const f = testFolder();
  f.write("home/config.yaml", "security:\n  auditLog: true\n");
  const fine = at(f);
  expect(await checkConfig(fine.io, fine.deps, { json: false })).toBe(EXIT.ok);
  expect(fine.io.out()).toBe(`${join(f.root, "home/config.yaml")} is fine.\n`);
  expect(fine.io.err()).toContain("config.yaml:1 `security` is understood, but has no effect yet");
  const path = f.write("home/config.yaml", "heartbeat:\n  interval_minutes: 30m\nmodle: x\n");
  const wrong = at(f);
  expect(await checkConfig(wrong.io, wrong.deps, { json: false })).toBe(EXIT.failed);
  expect(wrong.io.err()).toBe(
    'config.yaml:2 `heartbeat.interval_minutes` must be a whole number from 0 to 10080, found "30m". Did you mean 30?\n' +
      "config.yaml:3 `modle` is not a setting that Elwood knows. Did you mean `model`?\n" +
      `\nThe file is ${path}\n`,
  );
  const forProgram = at(f);
  expect(await checkConfig(forProgram.io, forProgram.deps, { json: true })).toBe(EXIT.failed);
  expect(forProgram.io.json()).toMatchObject({
    error: {
      reason: "INVALID_INPUT",
      problems: [
        { line: 2, column: 3, file: path },
        { line: 3, key: "modle" },
      ],
    },
  });
});

test("config check refuses a host beyond this machine without a token of the owner's", async () => {
  const f = testFolder();
  const open = at(f, { ELWOOD_HOST: "0.0.0.0" });
  expect(await checkConfig(open.io, open.deps, { json: false })).toBe(EXIT.failed);
  expect(open.io.err()).toContain("ELWOOD_TOKEN");
  const held = at(f, { ELWOOD_HOST: "0.0.0.0", ELWOOD_TOKEN: "a-long-token-of-mine" });
  expect(await checkConfig(held.io, held.deps, { json: false })).toBe(EXIT.ok);
});

test("config path names the file that is read, or the one a first start makes, even where it is broken", async () => {
  const f = testFolder();
  const none = at(f);
  expect(await showConfigPath(none.io, none.deps, { json: false })).toBe(EXIT.ok);
  expect(none.io.out()).toBe(`${join(f.root, "home/config.yaml")}\n`);
  expect(none.io.err()).toContain("does not exist yet");
  const path = f.write("home/config.json", "{ broken");
  const there = at(f);
  await showConfigPath(there.io, there.deps, { json: true });
  expect(there.io.json()).toEqual({ file: path, exists: true, home: join(f.root, "home") });
  const gone = at(f, {}, { config: "gone.yaml" });
  expect(await showConfigPath(gone.io, gone.deps, { json: false })).toBe(EXIT.failed);
});
