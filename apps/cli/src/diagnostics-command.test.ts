import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, onTestFinished, test } from "vitest";
import { diagnostics } from "./diagnostics-command.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

/** Of every kind that Elwood knows: by name, by shape, and one that only the settings know. */
const SECRETS = {
  anthropic: "sk-ant-api03-canarycanarycanarycanary",
  openai: "sk-proj-Canary0aB1cD2eF3gH4iJ5kL6mN7oP8qR9",
  github: "ghp_canarycanarycanarycanarycanary012345",
  aws: "AKIACANARYCANARY0001",
  telegram: "123456789:AAcanarycanarycanarycanarycanary0123",
  elwood: "elw_canarycanarycanarycanarycanarycanary",
  bearer: "Bearer canarycanarycanarycanary",
  address: "https://me:canarypassword@host.example/",
  own: "canary of the settings",
};

const NOTHING = {
  costUsd: 0,
  tokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  laps: 0,
  unpriced: 0,
};

async function scene() {
  const { client } = await testGateway({
    "gateway.doctor": () => fail("STORAGE", `The disk is gone. ${SECRETS.own}`),
    "attention.list": () => ({
      items: [{ id: "run_1", kind: "run_failed", severity: "error", text: "canary: said to Elwood" }],
    }),
    "usage.summary": () => ({
      since: 0,
      timeZone: "UTC",
      days: [],
      models: [],
      sessions: [{ title: "canary: a title", runs: 1, ...NOTHING }],
      actions: [],
      profiles: [],
      total: NOTHING,
      caps: { todayUsd: 0, dayCostUsd: 20, runCostUsd: 2, runTokens: 1 },
    }),
    "gateway.logs": () => ({
      lines: [
        { n: 1, ts: 1, level: "info", message: "canary: an ordinary line" },
        ...Object.values(SECRETS).map((secret, i) => ({
          n: i + 2,
          ts: 2,
          level: "error" as const,
          message: `could not use ${secret}`,
          fields: { deep: [{ value: secret }] },
        })),
      ],
      last: 20,
      missed: 0,
    }),
    "auth.list": () => ({
      profiles: [
        {
          id: "openai:work",
          provider: "openai",
          type: "api_key",
          hint: "…canary",
          source: "auth-profiles.json",
          preferred: true,
        },
      ],
    }),
  });
  const cwd = mkdtempSync(join(tmpdir(), "elwood-diagnostics-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const clock = new ManualClock({ start: Date.parse("2026-11-16T08:00:00Z") });
  return { cwd, io: testIo({ cwd }), deps: { client, clock, secrets: [SECRETS.own] } };
}

test("AC-12: diagnostics says what would be in it, and writes nothing until it is told where", async () => {
  const { io, deps, cwd } = await scene();
  expect(await diagnostics(io, deps, { out: undefined })).toBe(0);
  expect(io.out()).toContain("keys: names, kinds and states of model keys (1)");
  expect(io.out()).toContain("doctor: what was checked, and what is wrong; could not be had");
  expect(io.out()).toContain("Nothing was written.");
  expect(existsSync(join(cwd, "elwood.json"))).toBe(false);
});

test("AC-12: the bundle tells how the installation stands, nothing that was said, and no secret of any kind", async () => {
  const { io, deps, cwd } = await scene();
  expect(await diagnostics(io, deps, { out: "elwood.json" })).toBe(0);
  const path = join(cwd, "elwood.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, "utf8");
  expect(text).not.toMatch(/canary/i);
  expect(JSON.parse(text)).toMatchObject({
    kind: "elwood.diagnostics",
    parts: {
      doctor: { failed: expect.stringContaining("STORAGE: The disk is gone.") as string },
      keys: [{ id: "openai:work" }],
      attention: [{ kind: "run_failed" }],
      log: Object.keys(SECRETS).map(() => ({ level: "error" })),
    },
  });
});
