import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "@elwood/core/message/message";
import { statePaths } from "@elwood/platform/state-paths";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { StoreScript, TENANT } from "@elwood/testkit/store-script";
import { expect, onTestFinished, test } from "vitest";
import { openStores } from "./open-stores.ts";

async function opened() {
  const home = mkdtempSync(join(tmpdir(), "elwood-forks-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const stores = await openStores({ paths: statePaths(home), clock: new ManualClock(), log: memoryLog() });
  onTestFinished(() => stores.close());
  const script = new StoreScript(stores);
  const copy = async (from: string, ...runIds: readonly string[]) => {
    const id = script.ids.next("session");
    const runs: { runId: string; messages: readonly Message[] }[] = [];
    for (const runId of runIds)
      runs.push({ runId, messages: (await stores.runs.journal(TENANT, runId)).steps });
    const { agentId } = (await stores.sessions.get(TENANT, from))!;
    const more = {
      title: "Copy",
      titledBy: "owner" as const,
      atRun: runIds.at(-1)!,
      runs,
      at: script.tick(),
    };
    await stores.forks.finish(TENANT, { id, from: { id: from, agentId }, ...more });
    return id;
  };
  const purge = async (sessionId: string) => {
    await stores.sessions.trash(TENANT, sessionId, script.tick());
    await stores.sessions.purge(TENANT, sessionId);
  };
  return { stores, script, copy, purge };
}

/** A run for which something was recalled. */
async function recallingRun({ stores, script }: Awaited<ReturnType<typeof opened>>, sessionId: string) {
  const { id } = await script.running(sessionId, "Where is the key?");
  const recalled: Message = { ...script.user("the key is with Ann"), role: "tool", origin: "recalled" };
  await stores.runs.addStep(TENANT, id, recalled);
  await stores.runs.end(TENANT, id, [script.assistant("With Ann.")], script.ending());
  await stores.runs.commit(TENANT, id, (await stores.runs.journal(TENANT, id)).steps, script.tick());
  return id;
}

test("how a run began is known as long as there is a copy of its session", async () => {
  const scene = await opened();
  const { stores, script, copy, purge } = scene;
  const { id: sessionId } = await script.session();
  const first = (await script.turn(sessionId, "Hello")).id;
  const second = await recallingRun(scene, sessionId);
  const asked = [first, second, "run_none"];
  const ask = async () => {
    const openings = await stores.runs.openings(TENANT, asked);
    const ended = [...openings].map(([id, { message }]) => [id, { message, hasEnded: true }] as const);
    expect(await stores.runs.inbounds(TENANT, asked)).toEqual(new Map(ended));
    return openings;
  };
  const before = await ask();
  expect(before.get(second)).toMatchObject({ recalled: { origin: "recalled" }, state: "ended" });
  // Nobody has a copy yet; from the first one on they are looked for.
  const copies = [await copy(sessionId, first, second), await copy(sessionId, first, second)];
  expect(await ask()).toEqual(before);
  await purge(sessionId);
  expect(await ask()).toEqual(before);
  expect(await stores.runs.idsOfSession(TENANT, copies[0]!, 9)).toEqual([second, first]);
  for (const each of copies) await purge(each);
  expect(await ask()).toEqual(new Map());
});

test("runs that a session was copied with stand before its own", async () => {
  const { stores, script, copy, purge } = await opened();
  const { runs } = stores;
  const { id: sessionId } = await script.session();
  const first = (await script.turn(sessionId, "one")).id;
  const second = (await script.turn(sessionId, "two")).id;
  const copied = await copy(sessionId, first, second);
  const shown = async () => {
    const { runs: found, ...state } = await runs.shownRuns(TENANT, copied, 9);
    for (const { id, place } of found)
      expect(await runs.placeOf(TENANT, copied, id)).toEqual({ place, ...state });
    expect(found.toSorted((a, b) => a.place - b.place)).toEqual(found);
    return { ids: found.map(({ id }) => id), state };
  };
  const before = await shown();
  expect(before.ids).toEqual([first, second]);
  const third = (await script.turn(copied, "three")).id;
  const after = await shown();
  expect(after.ids).toEqual([first, second, third]);
  expect(after.state.last).toBeGreaterThan(before.state.last);
  expect(after.state.hidden).toBe(before.state.hidden);
  expect(await runs.placeOf(TENANT, sessionId, third)).toBeUndefined();
  await purge(sessionId);
  expect((await shown()).ids).toEqual(after.ids);
  expect(await runs.placeOf(TENANT, sessionId, first)).toBeUndefined();
});
