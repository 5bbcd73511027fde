import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { acquireLock } from "@elwood/platform/lock";
import { statePaths } from "@elwood/platform/state-paths";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../../test/test-gateway.ts";
import { pruneState } from "./prune-state.ts";
import { stateSize } from "./state-size.ts";

const DAY_MS = 24 * 60 * 60_000;
const SILENT = { error() {}, warn() {}, info() {}, debug() {} };
let root: string;
let home: string;
let sessions: string[];
let blobs: Record<"said" | "unsaid", string>;

/** Two conversations, one of them pinned; two attachments, one of which is talked about. */
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "elwood-prune-"));
  home = join(root, "home");
  mkdirSync(home, { mode: 0o700 });
  const paths = statePaths(home);
  const clock = new ManualClock({ start: Date.now() });
  const stores = await openStores({ paths, clock, log: SILENT });
  const put = async (text: string) =>
    (await stores.blobs.put(DEFAULT_TENANT, Buffer.from(text), "text/plain", clock.now())).blobId;
  blobs = { said: await put("said"), unsaid: await put("never sent") };
  await stores.close();
  await using started = await startTestGateway({ home });
  const { url, ownerToken: token } = started.gateway;
  const owner = await GatewayClient.connect({ url, token });
  sessions = [];
  for (const message of [`about ${blobs.said}`, "hello"]) {
    const { sessionKey } = await owner.call("sessions.create", {});
    const ended = Promise.withResolvers<void>();
    const off = owner.onPush((push) => isPush(push, "chat.final") && ended.resolve());
    await owner.call("chat.send", { sessionKey, message });
    await ended.promise;
    off();
    sessions.push(sessionKey);
  }
  await owner.call("sessions.pin", { sessionKey: sessions[1]!, pinned: true });
  await owner.close();
  mkdirSync(join(home, "cache"), { recursive: true });
  writeFileSync(join(home, "cache", "x"), "x".repeat(1_000));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const prune = (days: number, more: { idleMs?: number; dryRun?: boolean } = {}) =>
  pruneState({
    paths: statePaths(home),
    clock: new ManualClock({ start: Date.now() + days * DAY_MS }),
    dryRun: false,
    ...more,
  });

test("the size of the data folder is told by what it holds, and adds up", async () => {
  const { parts, bytes, freeBytes } = await stateSize(home);
  expect(parts.reduce((sum, part) => sum + part.bytes, 0)).toBe(bytes);
  const of = (name: string) => parts.find((part) => part.name === name);
  expect(of("attachments")).toEqual({ name: "attachments", files: 2, bytes: 14 });
  expect(of("cache")).toMatchObject({ bytes: 1_000 });
  expect(of("conversations")).toMatchObject({ files: 2 });
  expect(freeBytes).toBeGreaterThan(0);
});

test("what nothing names goes, idle conversations go to the trash and later for good, and the receipts verify", async () => {
  expect((await prune(1)).attachments.count).toBe(0);
  mkdirSync(join(home, "cache"), { recursive: true });

  const dry = await prune(40, { idleMs: 30 * DAY_MS, dryRun: true });
  expect(dry.conversations.map(({ id }) => id)).toEqual([sessions[0]]);
  expect(dry.attachments).toEqual({ count: 1, bytes: 10 });
  expect(readdirSync(join(home, "blobs"))).toHaveLength(2);

  const first = await prune(40, { idleMs: 30 * DAY_MS });
  expect(first).toMatchObject({ conversations: dry.conversations, attachments: dry.attachments, emptied: 0 });
  expect(first).toMatchObject({ compacted: "yes", receipts: { status: "intact" } });
  expect(first.receipts.status === "intact" && first.receipts.size).toBeGreaterThan(1);
  expect(existsSync(join(home, "cache"))).toBe(false);
  // In the trash it can still be restored, with what it names.
  expect(readdirSync(join(home, "blobs"))).toHaveLength(1);

  const later = await prune(80, { idleMs: 30 * DAY_MS });
  expect(later).toMatchObject({ conversations: [], emptied: 1, attachments: { count: 1, bytes: 4 } });
  expect(later.receipts).toMatchObject({
    status: "intact",
    size: first.receipts.status === "intact" && first.receipts.size,
  });
  expect(readdirSync(join(home, "sessions", DEFAULT_TENANT))).toEqual([`${sessions[1]}.jsonl`]);
});

test("nothing is removed beside a gateway that runs", async () => {
  const lock = acquireLock(statePaths(home).gatewayLock)!;
  onTestFinished(() => lock.release());
  await expect(prune(40, { idleMs: DAY_MS })).rejects.toThrow(
    /Elwood runs on .*Nothing was removed\. Stop it/,
  );
});
