import type { Block } from "@elwood/core/message/message";
import { isEnded } from "@elwood/core/message/session";
import { firstPending } from "@elwood/testkit/first-pending";
import { fixedId } from "@elwood/testkit/fixed-ids";
import { fromOwner } from "@elwood/testkit/principals";
import { nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { loadAhead } from "@elwood/testkit/simulation";
import {
  SimulatedProcess,
  simulatedWorld,
  TENANT,
  type SimulatedWorld,
} from "@elwood/testkit/simulation-process";
import { worldProblems } from "@elwood/testkit/world-count";
import { beforeAll, expect, test } from "vitest";
import type { ToolCallContext } from "../ports/ports.ts";

const OWNER = { id: "owner", surface: "web" };
const SESSION = fixedId("session", 1);
const USAGE = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Goes wrong at these writes (`before runs.end`), each the first time only. */
function world(...faults: string[]): SimulatedWorld {
  const left = new Set(faults);
  return simulatedWorld({ fate: (write, moment) => (left.delete(`${moment} ${write}`) ? "fail" : "fine") });
}

function contextWith(signal: AbortSignal): ToolCallContext {
  const nothing = () => undefined;
  return {
    tenant: TENANT,
    sessionId: SESSION,
    runId: "run",
    surface: "test",
    signal,
    entered: nothing,
    progress: nothing,
    started: nothing,
    waiting: nothing,
  };
}

const pending = ({ ledger }: SimulatedWorld) => firstPending(ledger, TENANT);

/** A run whose model asks for these tools at once, and then is done. */
async function runOf(
  w: SimulatedWorld,
  ...toolIds: string[]
): Promise<{ process: SimulatedProcess; runId: string }> {
  let laps = 0;
  const answer: SimulatedWorld["answer"] = async function* () {
    laps += 1;
    const blocks: Block[] =
      laps === 1
        ? toolIds.map((toolId, i) => ({
            type: "tool_use",
            callId: `p${i}`,
            toolId,
            input: { question: "?", i },
          }))
        : [{ type: "text", text: "Done." }];
    yield {
      type: "done",
      stopReason: laps === 1 ? "tool_use" : "end_turn",
      blocks,
      usage: USAGE,
      model: "m",
    };
  };
  const process = new SimulatedProcess({ ...w, answer });
  const at = w.clock.now();
  await w.stores.sessions.create(TENANT, { id: SESSION, agentId: "assistant", title: "New session", at });
  const parts = [{ kind: "text" as const, text: "do it", origin: "owner" as const }];
  const { run } = await process.engine.submit({
    ...fromOwner(TENANT),
    sessionId: SESSION,
    parts,
    surface: "web",
  });
  process.engine.start(TENANT, run);
  return { process, runId: run.id };
}

/** Loaded by the first run and reply of a process; here before, since these tests count turns and not time. */
beforeAll(loadAhead);

async function counted(w: SimulatedWorld): Promise<string[]> {
  for (let i = 0; i < 200; i++) {
    const runs = (await w.stores.runs.list(TENANT, { limit: 10 })).runs;
    if (runs.every((run) => isEnded(run.status) && run.committed)) break;
    await w.clock.advance(1_000);
    await nextEventLoopTurn();
  }
  return worldProblems({ ...w, tenant: TENANT, idempotent: new Set() });
}

test("an approval that the disk took, though it said otherwise, lets the call go on", async () => {
  const w = world("after ledger:approved");
  const { gate, approvalService } = new SimulatedProcess(w);
  const outcome = gate.call(
    { callId: fixedId("call", 1), toolId: "sim.note.write", input: {} },
    contextWith(new AbortController().signal),
  );
  const id = await pending(w);
  await expect(approvalService.allow(TENANT, id, OWNER, { decision: "once" })).rejects.toThrow(
    "disk is full",
  );
  expect(await outcome).toMatchObject({ status: "ok" });
  expect(w.effects).toHaveLength(1);
});

test("a run that is stopped in the moment of its approval does nothing more", async () => {
  const w = world();
  const { gate, approvalService } = new SimulatedProcess(w);
  const run = new AbortController();
  const call = { callId: fixedId("call", 1), toolId: "sim.note.write", input: {} };
  const outcome = gate.call(call, contextWith(run.signal));
  const id = await pending(w);
  const allowed = approvalService.allow(TENANT, id, OWNER, { decision: "once" });
  run.abort({ stoppedBy: OWNER });
  expect((await allowed).status).toBe("approved");
  expect(await outcome).toMatchObject({ status: "error" });
  expect(w.effects).toEqual([]);
});

test("no call begins while the gateway stops; it is left for the next start", async () => {
  const w = world();
  const { gate } = new SimulatedProcess(w);
  const call = { callId: fixedId("call", 1), toolId: "sim.free.write", input: {} };
  expect(await gate.call(call, contextWith(AbortSignal.abort("shutdown")))).toMatchObject({
    status: "deferred",
  });
  expect(await w.ledger.call(TENANT, call.callId)).toBeUndefined();
});

test("a run that breaks off before its calls are made says of each that it was not", async () => {
  const w = world("after runs.addStep");
  await runOf(w, "sim.free.write", "sim.note.write");
  expect(await counted(w)).toEqual([]);
  expect(w.effects).toEqual([]);
  const { lines } = await w.stores.transcripts.load(TENANT, SESSION);
  const results = lines.flatMap((line) => line.blocks).filter((block) => block.type === "tool_result");
  expect(results.map((result) => result.text)).toEqual(
    Array(2).fill(expect.stringContaining("was not made")),
  );
});

test("stopping a run withdraws the questions it asked the owner", async () => {
  const w = world();
  const { process, runId } = await runOf(w, "owner.question.ask", "sim.note.write");
  await pending(w);
  await nextEventLoopTurn();
  await process.engine.abort(TENANT, runId, OWNER);
  expect(await counted(w)).toEqual([]);
  expect(await w.ledger.approvals(TENANT, { status: "pending", limit: 10 })).toEqual([]);
});

test.each(["before", "after"])(
  "EL-14: a disk that fails %s an outcome is written leaves the call unknown, not open",
  async (moment) => {
    const w = world(`${moment} ledger:succeeded`);
    await runOf(w, "sim.free.write", "sim.note.read");
    expect(await counted(w)).toEqual([]);
    expect(w.effects).toHaveLength(1);
    const { lines } = await w.stores.transcripts.load(TENANT, SESSION);
    const results = lines.flatMap((line) => line.blocks).filter((block) => block.type === "tool_result");
    expect(results.map(({ status, ended }) => ended ?? status)).toContain(
      moment === "before" ? "unknown" : "ok",
    );
  },
);

test.each(["runs.setWaiting", "vault.drop", "ledger:run.finished", "runs.end"])(
  "a disk that fails at %s ends no run and no process",
  async (write) => {
    const w = world(`before ${write}`, `after ${write}`);
    const { process } = await runOf(w, "sim.note.write");
    await process.approvalService.allow(TENANT, await pending(w), OWNER, { decision: "once" });
    await nextEventLoopTurn();
    await process.engine.stop();
    await new SimulatedProcess(w).start();
    expect(await counted(w)).toEqual([]);
    expect(w.effects).toHaveLength(1);
  },
);

test("an effect is taken back once, however often and fast it is asked for", async () => {
  const w = world();
  const { gate } = new SimulatedProcess(w);
  const context = contextWith(new AbortController().signal);
  // Far from the ids that the process itself gives out: the undo is a call with an id of its own.
  const callId = fixedId("call", 1_000);
  await gate.call({ callId, toolId: "sim.undo.do", input: {} }, context);
  const tries = await Promise.allSettled([
    gate.undo(TENANT, callId, context, OWNER),
    gate.undo(TENANT, callId, context, OWNER),
  ]);
  expect(tries.map((each) => each.status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(w.effects).toHaveLength(2);
});

test("the activity of a run is whole, however many receipts it has", async () => {
  const w = world();
  const { gate } = new SimulatedProcess(w);
  for (let n = 1; n <= 120; n++)
    await gate.call(
      { callId: fixedId("call", n), toolId: "sim.note.read", input: {} },
      contextWith(new AbortController().signal),
    );
  expect(await gate.activity(TENANT, "run")).toHaveLength(120);
});

test("secrets of calls that never came on record are gone after a start", async () => {
  const w = world();
  await w.vault.storeSecrets(TENANT, fixedId("call", 1), { key: "secret-1" });
  await new SimulatedProcess(w).start();
  expect(await w.vault.held(TENANT)).toEqual([]);
});

test.each(["before", "after"])(
  "a run whose last receipt went wrong %s it was written has exactly one after the next start",
  async (moment) => {
    const w = world(`${moment} ledger:run.finished`);
    const { process, runId } = await runOf(w, "sim.free.write");
    await process.engine.whenIdle();
    for (let starts = 0; starts < 2; starts++) await new SimulatedProcess(w).start();
    const finished = await w.ledger.receipts(TENANT, { runId, types: ["run.finished"], limit: 5 });
    expect(finished.map(({ payload }) => payload["status"])).toEqual(["done"]);
    expect(await worldProblems({ ...w, tenant: TENANT, idempotent: new Set(), recovered: true })).toEqual([]);
  },
);

test("a run that has ended and waits for the disk is not ended again by a stop", async () => {
  const w = world("before runs.end");
  const { process, runId } = await runOf(w, "sim.free.write");
  await process.engine.whenIdle();
  await process.engine.abort(TENANT, runId, OWNER);
  await process.engine.stop();
  const finished = await w.ledger.receipts(TENANT, { runId, types: ["run.finished"], limit: 5 });
  expect(finished.map(({ payload }) => payload["status"])).toEqual(["done"]);
  expect(await w.stores.runs.get(TENANT, runId)).toMatchObject({ status: "done" });
});
