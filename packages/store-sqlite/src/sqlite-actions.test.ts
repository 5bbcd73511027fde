import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActionSpec } from "@elwood/core/action/action-spec";
import { FailureError } from "@elwood/core/base/failure";
import type { EraseScope, EraseTarget } from "@elwood/core/erase/scope";
import { wordTerms } from "@elwood/core/erase/search-terms";
import { LIMITS } from "@elwood/core/base/limits";
import { NO_USAGE } from "@elwood/core/message/message";
import type { KeyedRequest } from "@elwood/runtime/ports/action-ports";
import { statePaths } from "@elwood/platform/state-paths";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { expect, onTestFinished, test } from "vitest";
import { openStores } from "./open-stores.ts";

const spec: ActionSpec = { kind: "llm", task: "chat", model: "demo" };
const TENANT = "default";

async function scene() {
  const home = await mkdtemp(join(tmpdir(), "elwood-actions-"));
  const open = () => openStores({ paths: statePaths(home), clock: new ManualClock(), log: memoryLog() });
  let stores = await open();
  onTestFinished(async () => {
    await stores.close();
    await rm(home, { recursive: true });
  });
  const reopen = async () => {
    await stores.close();
    stores = await open();
    return stores;
  };
  return { stores, reopen };
}

const create = (version: number, digest = `d${version}`) =>
  ({ kind: "create", type: "action", name: "ask", version, spec, digest }) as const;

test("versions are added one after another, all of an import or none, and stay over a restart", async () => {
  const { stores, reopen } = await scene();
  await stores.actions.apply(TENANT, [create(1), create(2)], "owner", 5);
  const twice = stores.actions.apply(TENANT, [create(3), create(3)], "owner", 6);
  await expect(twice).rejects.toBeInstanceOf(FailureError);
  await stores.actions.apply(
    TENANT,
    [{ kind: "point", type: "action", name: "ask", version: 1 }],
    "owner",
    7,
  );
  const { actions } = await reopen();
  expect(await actions.heads(TENANT, "action")).toEqual([
    { type: "action", name: "ask", newest: { version: 2, digest: "d2" }, current: 1, updatedAt: 7 },
  ]);
  expect(await actions.version(TENANT, "action", "ask", "latest")).toMatchObject({ version: 1, spec });
  expect((await actions.versions(TENANT, "action", "ask")).map(({ version }) => version)).toEqual([2, 1]);
  expect(await actions.version("other", "action", "ask", 1)).toBeUndefined();
  const nowhere = actions.apply(
    TENANT,
    [{ kind: "point", type: "action", name: "ask", version: 9 }],
    "owner",
    8,
  );
  await expect(nowhere).rejects.toMatchObject({ failure: { reason: "NOT_FOUND" } });
});

const request: KeyedRequest = { tokenId: "t", key: "k", requestHash: "h", processId: "p1", repeatable: true };

test("AC-13: one of two requests with one key is done, the other is told so, and the answer is kept over a restart", async () => {
  const { stores, reopen } = await scene();
  const { actions } = stores;
  expect(await actions.begin(TENANT, request, 1)).toEqual({ kind: "fresh" });
  expect(await actions.begin(TENANT, request, 2)).toEqual({ kind: "in-flight" });
  expect(await actions.begin(TENANT, { ...request, requestHash: "x" }, 2)).toEqual({ kind: "other-request" });
  expect(await actions.begin(TENANT, { ...request, tokenId: "u", requestHash: "x" }, 2)).toEqual({
    kind: "fresh",
  });
  await actions.finish(TENANT, request, { status: 200, body: "{}" }, 3);
  const again = (await reopen()).actions;
  expect(await again.begin(TENANT, request, 4)).toEqual({
    kind: "answered",
    answer: { status: 200, body: "{}" },
  });
  expect(await again.begin(TENANT, request, 5 + LIMITS.keptAnswerMs)).toEqual({ kind: "fresh" });
});

test("a request that its gateway died under is done again only where that changes nothing", async () => {
  const { stores } = await scene();
  const { actions } = stores;
  const acting = { ...request, key: "acting", repeatable: false };
  await actions.begin(TENANT, request, 1);
  await actions.begin(TENANT, acting, 1);
  expect(await actions.begin(TENANT, { ...request, processId: "p2" }, 2)).toEqual({ kind: "fresh" });
  expect(await actions.begin(TENANT, { ...request, processId: "p2" }, 2)).toEqual({ kind: "in-flight" });
  expect(await actions.begin(TENANT, { ...acting, processId: "p2" }, 2)).toEqual({ kind: "unknown" });
  await actions.finish(TENANT, acting, undefined, 3);
  expect(await actions.begin(TENANT, acting, 4)).toEqual({ kind: "fresh" });
});

test("cached answers end with their time, belong to their tenant, and the oldest goes for one too many", async () => {
  const { stores } = await scene();
  const { actions } = stores;
  const vector = Float32Array.from([0.5, -1]);
  const answer = { scope: "s", key: "k0", body: "kept", vector, expiresAt: 100 };
  await actions.keep(TENANT, answer, 1);
  expect(await actions.findExact(TENANT, "k0", 99)).toBe("kept");
  expect(await actions.findExact(TENANT, "k0", 100)).toBeUndefined();
  expect(await actions.findExact("other", "k0", 99)).toBeUndefined();
  expect(await actions.findScope(TENANT, "s", 99, 10)).toEqual([{ vector, body: "kept" }]);
  for (let i = 1; i <= LIMITS.cachedAnswersMax; i++)
    await actions.keep(TENANT, { scope: "s", key: `k${i}`, body: "x", expiresAt: 1e9 }, 1 + i);
  expect(await actions.findExact(TENANT, "k0", 99)).toBeUndefined();
  expect(await actions.findExact(TENANT, "k1", 99)).toBe("x");
});

test("AC-11: an execution is stored with what it used", async () => {
  const { stores } = await scene();
  const execution = {
    id: "exe_1",
    action: "trn:elwood:default:action/llm/ask@v1",
    tokenId: "t",
    surface: "http",
    status: "done",
    model: "demo/scripted",
    usage: { ...NO_USAGE, inputTokens: 3 },
    costUsd: 0.25,
    startedAt: 1,
    endedAt: 2,
  } as const;
  await stores.actions.noteExecution(TENANT, execution);
  expect(await stores.actions.executions(TENANT, 10)).toEqual([execution]);
});

test("what is forgotten takes kept answers along", async () => {
  const { stores } = await scene();
  const { actions } = stores;
  await actions.keep(TENANT, { scope: "s", key: "k", body: "secret", expiresAt: 1e9 }, 1);
  await actions.begin(TENANT, request, 1);
  await actions.finish(TENANT, request, { status: 200, body: "secret" }, 1);
  const store = await stores.forgetting.open();
  const target: EraseTarget = {
    kind: "word",
    needles: wordTerms("secret"),
    messages: [],
    calls: [],
    runs: [],
    sessions: [],
    notes: [],
    places: [],
    said: [],
    summaries: [],
    blobs: [],
    wordBlobs: [],
    backups: false,
  };
  const scope: EraseScope = {
    everything: false,
    matches: () => false,
    messages: new Set(),
    calls: new Set(),
    wordBlobs: new Set(),
    recalls: () => false,
  };
  store.erase(TENANT, target, await store.find(TENANT, { target, scope, messages: [] }), 2);
  expect(await store.standsIn((text) => text.includes("secret"))).toEqual([]);
  expect(await actions.begin(TENANT, request, 3)).toEqual({ kind: "unknown" });
});
