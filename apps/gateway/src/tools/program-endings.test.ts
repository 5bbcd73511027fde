import type { Approval } from "@elwood/core/policy/approval";
import { ALLOW, ASK, makeProcess, makeWorld, TENANT, type World } from "@elwood/testkit/program-world";
import { ManualClock, nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { withinLimit } from "@elwood/runtime/programs/child-result";
import { expect, test } from "vitest";
import { engineModules, InlineSandbox } from "../../test/programs/test-inline-sandbox.ts";

const modules = engineModules();
const OWNER = { id: "owner", surface: "web" };
const NOTE = "tools.notes.note";
const ASKS: World["verdict"] = (id) => (id === "notes.note.read" ? ALLOW : ASK);

function scene(verdict: World["verdict"] = () => ALLOW) {
  const clock = new ManualClock();
  const world = makeWorld(clock);
  world.verdict = verdict;
  const sandbox = new InlineSandbox(clock, modules);
  return { world, clock, sandbox, process: makeProcess(world, sandbox) };
}

const pendingIn = ({ ledger }: World) => ledger.approvals(TENANT, { status: "pending", limit: 50 });

async function pending(world: World): Promise<Approval> {
  await expect.poll(async () => (await pendingIn(world)).length, { interval: 1 }).toBe(1);
  return (await pendingIn(world))[0]!;
}

const made = ({ effects }: World) => effects.map(({ input }) => input);
const states = async ({ ledger }: World) =>
  (await ledger.callsOfRun(TENANT, "run")).map(({ callId, state }) => `${callId} ${state}`);

test("a sleep that nobody waits for any more does not hold up the end of a program", async () => {
  const { process, clock } = scene();
  const began = clock.now();
  const source = `await Promise.race([${NOTE}.save({ n: 1 }), sleep(500_000)]); return 1;`;
  expect((await process.run("call_a", source)).status).toBe("ok");
  expect(clock.now()).toBe(began);
});

test("a listed call with its keys in another order is the same call, and is covered once", async () => {
  const { process, world } = scene(ASKS);
  const running = process.run(
    "call_a",
    `const a = must(await ${NOTE}.save({ a: 1, b: 2 }));
     must(await ${NOTE}.save({ n: 3 }));
     return a.number < 1000 ? (await ${NOTE}.save({ b: 2, a: 1 })).ok : 0;`,
  );
  const plan = await pending(world);
  expect(plan.card.plan?.map(({ input }) => input)).toEqual([{ a: 1, b: 2 }, { n: 3 }]);
  await process.approvals.answer(TENANT, plan.id, OWNER, { decision: "once" });
  const own = await pending(world);
  expect(own.card.input).toEqual({ b: 2, a: 1 });
  await process.approvals.answer(TENANT, own.id, OWNER, { decision: "deny" });
  expect((await running).text).toContain("false");
  expect(made(world)).toEqual([{ a: 1, b: 2 }, { n: 3 }]);
});

test("of two equal calls side by side, the one item that lists them covers one", async () => {
  const { process, world } = scene(ASKS);
  const running = process.run(
    "call_a",
    `const a = must(await ${NOTE}.save({ n: 1 }));
     const twice = a.number > 1000 ? [2] : [2, 2];
     return (await Promise.all(twice.map((n) => ${NOTE}.save({ n })))).map((r) => r.ok);`,
  );
  const plan = await pending(world);
  expect(plan.card.plan?.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }]);
  await process.approvals.answer(TENANT, plan.id, OWNER, { decision: "once" });
  const own = await pending(world);
  expect(own.card.input).toEqual({ n: 2 });
  await expect.poll(() => made(world)).toEqual([{ n: 1 }, { n: 2 }]);
  await process.approvals.answer(TENANT, own.id, OWNER, { decision: "deny" });
  await running;
  expect(made(world)).toEqual([{ n: 1 }, { n: 2 }]);
});

test("a rehearsal that was cut short is made anew: no read of it is answered with what another one was told", async () => {
  const { world, clock, sandbox } = scene(ASKS);
  const source = `const now = must(await ${NOTE}.read({ at: Date.now() })).saved.at;
    for (const n of [1, 2]) must(await ${NOTE}.save({ n, now }));`;
  const hung: World["gate"] = () => new Promise(() => undefined);
  void makeProcess(world, sandbox, { gate: hung }).run("call_a", source);
  await expect.poll(() => states(world)).toEqual(["call_a.r1 started"]);
  // The process is gone; the next one begins a minute later.
  clock.set(clock.now() + 60_000);
  const process = makeProcess(world, new InlineSandbox(clock, modules));
  const running = process.run("call_a", source);
  const plan = await pending(world);
  expect(plan.card.plan?.map(({ input }) => input)).toEqual([1, 2].map((n) => ({ n, now: clock.now() })));
  await process.approvals.answer(TENANT, plan.id, OWNER, { decision: "once" });
  expect((await running).status).toBe("ok");
  // What the first one left has its end too.
  expect(await states(world)).toContain("call_a.r1 failed");
});

test("a stop of the gateway in the middle of a rehearsal loses no plan: the next start rehearses again", async () => {
  const { world, clock, sandbox, process } = scene(ASKS);
  const source = `must(await ${NOTE}.read({})); for (const n of [1, 2]) must(await ${NOTE}.save({ n }));`;
  const controller = new AbortController();
  const reading = Promise.withResolvers<void>();
  world.gate = () => reading.promise;
  const running = process.run("call_a", source, controller);
  await expect.poll(() => states(world)).toEqual(["call_a.r1 started"]);
  controller.abort("shutdown");
  reading.resolve();
  expect((await running).status).toBe("deferred");
  const next = makeProcess(world, new InlineSandbox(clock, modules));
  const again = next.run("call_a", source);
  const plan = await pending(world);
  expect(plan.card.plan).toHaveLength(2);
  await next.approvals.answer(TENANT, plan.id, OWNER, { decision: "once" });
  expect((await again).status).toBe("ok");
  await sandbox.close();
});

test("a program that takes another way after a restart leaves no question and no call in the middle", async () => {
  const { world, clock, sandbox, process } = scene(ASKS);
  const source = `must(await ${NOTE}.read({ n: 1 })); must(await ${NOTE}.save({ n: 2 }));`;
  const controller = new AbortController();
  const running = process.run("call_a", source, controller);
  await pending(world);
  controller.abort("shutdown");
  await running;
  await sandbox.close();
  const { start } = (await world.journal.find(TENANT, "call_a"))!;
  await world.journal.drop(TENANT, "call_a");
  await world.journal.begin(TENANT, { ...start, javascript: "return 1;" });
  await world.journal.intend(TENANT, "call_a", { index: 0, kind: "tool", requestHash: "h", at: 1 });
  const outcome = await makeProcess(world, new InlineSandbox(clock, modules)).run("call_a", source);
  expect(outcome).toMatchObject({ status: "error", code: "program.diverged" });
  expect(await states(world)).toEqual([
    "call_a.r1 succeeded",
    "call_a failed",
    "call_a.1 succeeded",
    "call_a.2 denied",
  ]);
  expect(await pendingIn(world)).toEqual([]);
  expect(await world.journal.held(TENANT)).toEqual([]);
});

test("a program whose end was on record when the process died leaves no journal behind", async () => {
  const { world, process } = scene();
  await process.run("call_a", "return 1;");
  const start = { callId: "call_a", runId: "run", startedAt: 1, seed: "s", javascript: "return 1;" };
  await world.journal.begin(TENANT, { ...start, toolIds: [], sourceHash: "", declarationsHash: "" });
  expect((await process.run("call_a", "return 1;")).status).toBe("ok");
  expect(await world.journal.held(TENANT)).toEqual([]);
});

test("that a journal cannot be removed does not undo the end of its program", async () => {
  const { world, sandbox } = scene();
  const drop = () => Promise.reject(new Error("disk"));
  const journal = { ...world.journal, drop };
  const outcome = await makeProcess(world, sandbox, { journal }).run("call_a", "return 1;");
  expect(outcome.status).toBe("ok");
});

test("a program that its run's end cuts off is not told to have changed nothing", async () => {
  const { world, process, sandbox } = scene();
  const held = Promise.withResolvers<void>();
  world.gate = () => held.promise;
  void process.run("call_a", `must(await ${NOTE}.save({ n: 1 }));`).catch(() => undefined);
  await expect.poll(() => states(world)).toEqual(["call_a started", "call_a.1 started"]);
  const run = { runId: "run", sessionId: "ses", surface: "test", by: "gateway" as const };
  const outcomes = await process.gate.closeRun(TENANT, run);
  expect(outcomes.get("call_a")?.text).toContain("Calls that it made stay as they are");
  expect(await world.journal.held(TENANT)).toEqual([]);
  await sandbox.close();
  held.resolve();
  await nextEventLoopTurn();
});

test("its process lost while a call waits for the owner, a program goes on once that is answered", async () => {
  const { world, clock, process, sandbox } = scene((id) => (id === "notes.note.save" ? ASK : ALLOW));
  const running = process.run(
    "call_a",
    `const [a, b] = await Promise.all([${NOTE}.erase({ n: 1 }), ${NOTE}.save({ n: 2 })]);
     return [a.ok, b.ok, (await ${NOTE}.erase({ n: 3 })).ok];`,
  );
  const asked = await pending(world);
  sandbox.lose();
  await nextEventLoopTurn();
  await process.approvals.answer(TENANT, asked.id, OWNER, { decision: "once" });
  await clock.untilAsleep((ms) => ms === 500);
  await clock.advance(500);
  expect((await running).status).toBe("ok");
  expect(made(world)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
});

test("what a program prints is told without secrets", async () => {
  const { process } = scene();
  await process.run("call_a", `console.log("the key is secret-1"); return 1;`);
  expect(process.lines).toEqual(["the key is [redacted]"]);
});

test("a plan lists no more than its card can show whole; what comes after that asks for itself", async () => {
  const listed = 8;
  const { process, world } = scene(ASKS);
  const controller = new AbortController();
  const source = `for (let n = 0; n < 120; n++) must(await ${NOTE}.save({ n, text: "x".repeat(2_000) }));`;
  const running = process.run("call_a", source, controller);
  const plan = await pending(world);
  expect(plan.card.plan?.length).toBe(listed);
  expect(plan.card.showable).toBe(true);
  await process.approvals.answer(TENANT, plan.id, OWNER, { decision: "once" });
  const own = await pending(world);
  expect(own.card.input).toMatchObject({ n: listed });
  expect(made(world)).toHaveLength(listed);
  controller.abort("owner");
  await running;
});

test("a result that is too large for a program lies in the blob store, and the program gets where", async () => {
  const stores = { blobs: memoryStores().blobs, clock: new ManualClock() };
  const value = { text: "x".repeat(1_000) };
  // The words around the value count too: what passes here must pass into the sandbox.
  const whole = JSON.stringify({ ok: true, value }).length;
  expect(await withinLimit({ ok: true, value }, whole, stores, TENANT)).toEqual({ ok: true, value });
  const cut = await withinLimit({ ok: true, value }, whole - 1, stores, TENANT);
  const { large } = (cut.ok ? cut.value : {}) as { large: { blobId: string; bytes: number } };
  const kept = await stores.blobs.read(TENANT, large.blobId);
  expect(JSON.parse(new TextDecoder().decode(kept))).toEqual(value);
  expect(large.bytes).toBe(JSON.stringify(value).length);
});
