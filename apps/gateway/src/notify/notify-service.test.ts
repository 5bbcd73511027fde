import { createECDH } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import type { Approval } from "@elwood/core/policy/approval";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryChannels } from "@elwood/testkit/memory-channels";
import { memoryLog } from "@elwood/testkit/memory-log";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene } from "../../test/methods/test-scene.ts";
import { NotifyService, type NotifyServiceDeps } from "./notify-service.ts";
import type { NotifyChannels } from "./targets.ts";

function browserKeys() {
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const auth = Buffer.alloc(16, 1).toString("base64url");
  return { p256dh: browser.getPublicKey().toString("base64url"), auth };
}

async function pushService(): Promise<LoopbackServer> {
  const server = await new LoopbackServer().start();
  onTestFinished(() => server.close());
  return server;
}

test("a browser that asked for it is woken when a call waits, without the gateway telling its service what for", async () => {
  const service = await pushService();
  service.script("POST /push/1", json(201, {}), json(201, {}));
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  const clock = new ManualClock();
  await using scene = await openScene(model, {
    clock,
    config: `web:\n  allowedOrigins: [${service.url}]\n`,
  });
  const status = await scene.call("notify.status", {});
  expect(status).toMatchObject({ targets: ["page"], browsers: 0 });
  expect(Buffer.from(status.publicKey, "base64url")).toHaveLength(65);
  await scene.call("notify.subscribe", { endpoint: `${service.url}/push/1`, keys: browserKeys() });
  expect(await scene.call("notify.test", {})).toEqual({ results: [{ target: "page", ok: true }] });

  await scene.run({ calls: [["files.file.write", { path: "a.txt", content: "x" }]], decide: () => "wait" });
  await clock.untilAsleep((ms) => ms === LIMITS.notifyDelayMs);
  await clock.advance(LIMITS.notifyDelayMs);
  await service.untilRequests(2);
  expect(JSON.stringify(service.requests)).not.toContain("a.txt");
  expect(await scene.call("notify.unsubscribe", { endpoint: `${service.url}/push/1` })).toEqual({ ok: true });
  expect((await scene.call("notify.status", {})).browsers).toBe(0);
});

function serviceOf(options: Partial<NotifyServiceDeps>): NotifyService {
  return new NotifyService({
    settings: { targets: [] },
    tenant: "default",
    ledger: { approvals: async () => [] },
    approvals: { onEvent: () => () => {} },
    states: memoryChannels().channelStates,
    channels: async () => undefined,
    fetch,
    pageLink: (path) => `http://127.0.0.1:18789${path}`,
    env: {},
    clock: new ManualClock(),
    localTime: new LocalTime("UTC"),
    log: memoryLog(),
    ...options,
  });
}

test("the desktop is told by the program of the system, and a target that cannot be reached says why", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-desktop-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, process.platform === "darwin" ? "osascript" : "notify-send");
  writeFileSync(program, `#!/bin/sh\nfor each in "$@"; do echo "$each"; done > ${folder}/told\n`);
  chmodSync(program, 0o700);
  const env = { PATH: `${folder}:/bin:/usr/bin`, SECRET: "x" };
  const service = serviceOf({ settings: { targets: ["desktop", "telegram:1"] }, env });
  expect(await service.test()).toEqual({
    results: [
      { target: "desktop", ok: true },
      { target: "telegram:1", ok: false, problem: "telegram is not connected" },
    ],
  });
  expect(readFileSync(join(folder, "told"), "utf8")).toContain("Elwood can reach you here");
  const without = serviceOf({ settings: { targets: ["desktop"] }, env: { PATH: join(folder, "nothing") } });
  expect((await without.test()).results[0]).toMatchObject({
    ok: false,
    problem: expect.stringContaining("ENOENT"),
  });
});

test("a chat is shown the card of what waits, and reminded of it in words", async () => {
  const shown: unknown[] = [];
  const channels: NotifyChannels = {
    show: async (approval, channel, chat) => shown.push([approval.id, channel, chat]) > 0,
    announce: async (notice) => shown.push(notice) > 0,
  };
  const clock = new ManualClock();
  const approval = {
    id: "apr_1",
    createdAt: clock.now(),
    card: { kind: "approval", summary: "Write a.txt" },
  };
  const service = serviceOf({
    settings: { targets: ["telegram:-100:7"] },
    channels: async () => channels,
    clock,
    ledger: { approvals: async () => [approval as Approval] },
  });
  const running = service.run();
  await clock.untilAsleep();
  await clock.advance(LIMITS.notifyDelayMs);
  expect(shown).toEqual([["apr_1", "telegram", "-100:7"]]);
  await clock.advance(LIMITS.notifyRemindMs);
  expect(shown.slice(1)).toEqual([
    expect.objectContaining({
      channel: "telegram",
      chat: "-100:7",
      markdown:
        "Reminder: Elwood waits for your decision\nWrite a.txt\nhttp://127.0.0.1:18789/approvals/apr_1",
    }),
  ]);
  service.stop();
  await running;
});

test("only the newest browsers are kept, and only addresses that a push service can have", async () => {
  const service = serviceOf({});
  for (let i = 0; i <= LIMITS.pushSubscriptionsMax; i++)
    await service.subscribe({ endpoint: `https://push.example/${i}`, keys: browserKeys() });
  expect((await service.status()).browsers).toBe(LIMITS.pushSubscriptionsMax);
  expect(await service.unsubscribe("https://push.example/0")).toBe(false);
  expect(await service.unsubscribe("https://push.example/1")).toBe(true);
  const plain = service.subscribe({ endpoint: "http://push.example/1", keys: browserKeys() });
  await expect(plain).rejects.toThrow("https://");
});
