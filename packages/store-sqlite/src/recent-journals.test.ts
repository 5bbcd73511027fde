import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, StoreScript, TENANT } from "@elwood/testkit/store-script";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, onTestFinished, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { RecentJournals } from "./recent-journals.ts";

async function opened() {
  const home = mkdtempSync(join(tmpdir(), "elwood-journals-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const deps = { paths: statePaths(home), clock: new ManualClock(), log: memoryLog() };
  const stores = await openStores(deps);
  onTestFinished(() => stores.close());
  /** A process that has accepted nothing itself reads what is stored. */
  const other = await openStores(deps);
  onTestFinished(() => other.close());
  return { script: new StoreScript(stores), stores, other };
}

test("a journal that is kept is what another process reads, at every step of a run", async () => {
  const { script, stores, other } = await opened();
  const { id } = await script.session();
  const same = async (runId: string, count: number) => {
    const kept = await stores.runs.journal(TENANT, runId);
    expect(kept.steps).toHaveLength(count);
    expect(kept).toEqual(await other.runs.journal(TENANT, runId));
  };
  const run = await script.running(id, "where is it?");
  await same(run.id, 1);
  await stores.runs.setPartial(TENANT, run.id, "It is");
  await same(run.id, 1);
  await stores.runs.addStep(TENANT, run.id, script.assistant("It is being looked for."));
  await same(run.id, 2);
  await stores.runs.end(TENANT, run.id, [script.assistant("It is here.")], script.ending());
  await same(run.id, 3);
  const late = stores.runs.addStep(TENANT, run.id, script.assistant("And there."));
  await expect(late).rejects.toMatchObject(failsWith("CONFLICT"));
  await same(run.id, 3);
  const { steps } = await stores.runs.journal(TENANT, run.id);
  await stores.runs.commit(TENANT, run.id, steps, script.tick());
  await same(run.id, 3);
});

test("what was read before is not changed by a later step", async () => {
  const { script, stores } = await opened();
  const { id } = await script.session();
  const run = await script.running(id, "one");
  const before = await stores.runs.journal(TENANT, run.id);
  await stores.runs.addStep(TENANT, run.id, script.assistant("two"));
  expect(before.steps).toHaveLength(1);
});

test("a session that is purged leaves no journal behind", async () => {
  const { script, stores } = await opened();
  const { id } = await script.session();
  const run = await script.running(id, "one");
  await stores.sessions.purge(TENANT, id);
  await expect(stores.runs.journal(TENANT, run.id)).rejects.toMatchObject(failsWith("NOT_FOUND"));
});

test("only so much is kept, and what was given back makes room again", () => {
  const journals = new RecentJournals();
  const half = JSON.stringify("x".repeat(2 * 1024 * 1024 - 2));
  const kept = () => ["run_1", "run_2", "run_3"].map((id) => journals.of(TENANT, id)?.length);
  journals.keep(TENANT, "run_1", [half]);
  journals.keep(TENANT, "run_2", [half]);
  journals.keep(TENANT, "run_3", ["1"]);
  expect(kept()).toEqual([1, 1, undefined]);
  journals.take(TENANT, "run_1");
  journals.keep(TENANT, "run_3", [half]);
  expect(kept()).toEqual([undefined, 1, 1]);
  expect(journals.of("other", "run_2")).toBeUndefined();
});
