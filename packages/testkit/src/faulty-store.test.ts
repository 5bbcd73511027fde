import type { Stores } from "@elwood/runtime/ports/ports";
import { expect, test } from "vitest";
import { faultyStores, SimulatedCrash, STORE_WRITES } from "./faulty-store.ts";
import { memoryStores } from "./memory-stores.ts";
import { failsWith, StoreScript, TENANT } from "./store-script.ts";

test("without a fault, stores behave as they are and tell what was written", async () => {
  const stores = faultyStores(memoryStores());
  const script = new StoreScript(stores);
  const { id } = await script.session();
  await script.turn(id);
  expect(await stores.sessions.get(TENANT, id)).toMatchObject({ messageCount: 2 });
  expect(stores.happened).toEqual([
    "sessions.create",
    "runs.accept",
    "runs.claim",
    "runs.end",
    "transcripts.append",
    "runs.commit",
  ]);
});

test("a write that fails before it happened has stored nothing; it fails once", async () => {
  const stores = faultyStores(memoryStores());
  const script = new StoreScript(stores);
  const { id } = await script.session();
  stores.failAt("runs.accept", "before");
  await expect(script.accepted(id)).rejects.toMatchObject(failsWith("STORAGE_FULL"));
  expect(await stores.runs.unfinished(TENANT)).toEqual([]);
  await script.accepted(id);
});

test("a write that fails after it happened is stored, though nobody was told", async () => {
  const stores = faultyStores(memoryStores());
  const script = new StoreScript(stores);
  const { id } = await script.session();
  stores.failAt("runs.accept", "after", { error: new Error("mine") });
  await expect(script.accepted(id)).rejects.toThrow("mine");
  expect(await stores.runs.unfinished(TENANT)).toHaveLength(1);
});

test("the nth time is counted", async () => {
  const stores = faultyStores(memoryStores());
  const script = new StoreScript(stores);
  stores.failAt("sessions.create", "before", { nth: 3 });
  await script.session();
  await script.session();
  await expect(script.session()).rejects.toMatchObject(failsWith("STORAGE_FULL"));
});

test("after a crash nothing answers, and what had been written is there for the next process", async () => {
  const inner = memoryStores();
  const stores = faultyStores(inner);
  const script = new StoreScript(stores);
  const { id } = await script.session();
  stores.crashAt("runs.end", "after");
  await expect(script.turn(id)).rejects.toThrow(SimulatedCrash);
  await stores.whenCrashed;
  expect(stores.crashed).toBe(true);
  await expect(stores.sessions.get(TENANT, id)).rejects.toThrow("the process died after runs.end");
  await expect(stores.blobs.put(TENANT, new Uint8Array(1), "x", 1)).rejects.toThrow(SimulatedCrash);
  expect(await inner.runs.uncommitted(TENANT)).toHaveLength(1);
});

test("every method of the stores that writes is named", () => {
  const reads =
    /\.(get|list|findByKey|keyOf|idsOfSession|shownRuns|placeOf|openings|inbounds|trashed|search|unfinished|journal|uncommitted|spentSince|tree|hidden|hiddenEffects|load|size|info|read|findByHash|files)$/;
  const stores: Stores = memoryStores();
  const methods = Object.entries(stores).flatMap(([part, store]) =>
    Object.keys(store as object).map((method) => `${part}.${method}`),
  );
  expect(methods.filter((name) => !reads.test(name)).toSorted()).toEqual(STORE_WRITES.toSorted());
});
