import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { GatewayClient } from "@elwood/sdk/client";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { examine } from "../doctor/examine.ts";
import { doctorDocument } from "../doctor/document.ts";
import { doctorContextOf } from "../doctor/outside.ts";
import type { GatewayStores } from "../gateway.ts";
import { makeLog } from "../log/log.ts";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 10, 15, 12);

test("usage is told by day and model, with the dearest sessions and the caps; purged sessions count on", async () => {
  const clock = new ManualClock({ start: NOON - 2 * DAY });
  let stores: GatewayStores | undefined;
  await using scene = await open({
    clock,
    config: "timeZone: UTC\n",
    wrapStores: (opened) => (stores = opened),
  });
  const first = await scene.run({ says: "one" });
  await clock.advance(2 * DAY);
  const second = await scene.run({ says: "two" });
  await scene.run({ says: "three", sessionKey: second.sessionKey });
  await stores!.sessions.purge("default", first.sessionKey);

  const usage = await scene.call("usage.summary", { days: 4 });
  expect(usage.days.map(({ day }) => day)).toEqual(["2026-11-12", "2026-11-13", "2026-11-14", "2026-11-15"]);
  expect(usage.days.map(({ models }) => models.reduce((n, { laps }) => n + laps, 0))).toEqual([0, 1, 0, 2]);
  expect(usage.total.laps).toBe(3);
  expect(usage.total.tokens).toBe(usage.models.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(usage.sessions).toHaveLength(2);
  expect(usage.sessions.find(({ sessionKey }) => sessionKey === second.sessionKey)).toMatchObject({
    runs: 2,
    title: "two",
  });
  expect(usage.sessions.find(({ sessionKey }) => sessionKey === undefined)).toMatchObject({ runs: 1 });
  expect(usage.caps).toMatchObject({ dayCostUsd: 20, runCostUsd: 2 });
  expect((await scene.call("usage.summary", { days: 1 })).total.laps).toBe(2);
});

test("settings are shown with their origin, and of secrets only names", async () => {
  await using scene = await open({
    config:
      "log:\n  level: debug\nproviders:\n  mine:\n    baseUrl: http://127.0.0.1:9/v1\n    headers: { x-key: canary-in-config }\n",
    env: { OPENAI_API_KEY: "sk-canary-in-environment-0000" },
  });
  const shown = await scene.call("config.show", {});
  expect(shown.settings.find(({ key }) => key === "log.level")).toMatchObject({
    value: "debug",
    origin: expect.stringContaining("config.yaml"),
  });
  expect(shown.settings.find(({ key }) => key === "gateway.host")).toMatchObject({ origin: "default" });
  expect(shown.secrets.map(({ name }) => name)).toContain("OPENAI_API_KEY");
  expect(shown.settings.find(({ key }) => key.includes("headers"))).toMatchObject({
    value: null,
    secret: true,
  });
  expect(JSON.stringify(shown)).not.toContain("canary");
  expect(shown.file).toBe(join(scene.home, "config.yaml"));
});

test("models on this machine are found, and keys by name; nobody elsewhere is asked", async () => {
  const local = await new LoopbackServer().start();
  onTestFinished(() => local.close());
  const names = Array.from({ length: LIMITS.detectedModelsMax + 3 }, (_, i) => ({ name: `m${i}` }));
  local.always("GET /api/tags", json(200, { models: names }));
  await using scene = await open({
    config: `providers:\n  ollama:\n    baseUrl: ${local.url}/v1\n  lmstudio:\n    baseUrl: http://lm.example/v1\n`,
    env: { OPENAI_API_KEY: "sk-canary-in-environment-0000" },
  });
  const found = await scene.call("auth.detect", {});
  expect(found.local).toMatchObject([
    { provider: "ollama", name: "Ollama", url: `${local.url}/v1`, leftOut: 3 },
  ]);
  expect(found.local[0]?.models).toHaveLength(LIMITS.detectedModelsMax);
  expect(found.keys).toContainEqual({
    name: "OPENAI_API_KEY",
    provider: "openai",
    found: true,
    source: expect.any(String),
  });
  expect(found.keys).toContainEqual({ name: "OPENROUTER_API_KEY", provider: "openrouter", found: false });
  expect(found).toMatchObject({ model: "anthropic/claude-sonnet-5-5", demo: false });
  expect(JSON.stringify(found)).not.toContain("canary");
});

test("the doctor tells over the socket what it tells on the command line", async () => {
  const outside = { flags: {}, env: {} as Record<string, string>, cwd: "/", version: "test" };
  await using scene = await open({ outside });
  Object.assign(outside.env, { ELWOOD_HOME: scene.home, HOME: join(scene.home, "user"), PATH: "/usr/bin" });
  writeFileSync(join(scene.home, "config.yaml"), "log:\n  level: lowd\n", { mode: 0o600 });
  const { at: _at, ...told } = await scene.call("gateway.doctor", {});
  const context = await doctorContextOf(outside);
  const models = () => Promise.reject(new Error("no model is asked"));
  const { findings } = await examine({ ...context, live: false, models }, false);
  // Times and sizes may have moved on in between.
  const facts = (all: readonly { id: string; severity: string }[]) =>
    all.map(({ id, severity }) => [id, severity]);
  expect(facts(told.findings)).toEqual(facts(doctorDocument(context, findings).findings));
  expect(
    told.findings.some(
      ({ severity, evidence, what }) => severity === "error" && `${evidence}${what}`.includes("lowd"),
    ),
  ).toBe(true);
  expect(told.counts.error).toBeGreaterThan(0);
});

test("the last lines of the log are told from a number on, without secrets, and say what is no longer kept", async () => {
  const written: string[] = [];
  const { log, learnSecrets, tail } = makeLog({
    stream: { write: (line: string) => written.push(line) },
    level: "warn",
    format: "json",
    clock: { now: () => NOON },
  });
  await using scene = await open({ logTail: tail });
  log.info("began", { step: 1 });
  log.debug("not kept");
  log.warn("late-canary is in here", { list: ["late-canary"], "late-canary": 1 });
  learnSecrets(["late-canary"]);
  const { lines, last, missed } = await scene.call("gateway.logs", {});
  expect(lines.map(({ n, level, message }) => [n, level, message])).toEqual([
    [1, "info", "began"],
    [2, "warn", "[redacted] is in here"],
  ]);
  expect(lines[0]).toMatchObject({ ts: NOON, fields: { step: 1 } });
  expect(JSON.stringify(lines)).not.toContain("canary");
  expect([last, missed]).toEqual([2, 0]);
  expect(written).toHaveLength(1);
  for (let i = 0; i < LIMITS.logLinesKept + 5; i++) log.info("more");
  const later = await scene.call("gateway.logs", { after: 2, limit: 10 });
  expect(later.lines).toHaveLength(10);
  expect(later.lines.at(-1)?.n).toBe(later.last);
  expect(later.missed).toBe(LIMITS.logLinesKept + 5 - 10);
  expect((await scene.call("gateway.logs", { after: later.last })).lines).toEqual([]);
});

test("a token for chat alone sees neither settings nor log nor health", async () => {
  await using scene = await open();
  const { token } = await scene.call("tokens.create", { name: "small", scopes: ["chat"] });
  const client = await GatewayClient.connect({ url: scene.gateway.url, token });
  onTestFinished(() => client.close());
  for (const method of ["gateway.doctor", "gateway.logs", "config.show", "auth.detect"] as const)
    await expect(client.call(method, {})).rejects.toThrow('needs a token with the scope "admin"');
  await client.call("usage.summary", {});
});
