import {
  ASK,
  makeProcess,
  makeWorld as worldAt,
  TENANT,
  type Process,
  type World,
} from "@elwood/testkit/program-world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Approval } from "@elwood/core/policy/approval";
import { confirmWord } from "@elwood/core/card/confirm-word";
import { toWireApproval } from "@elwood/core/protocol/approval-shapes";
import { approvalPush } from "../server/approval-push.ts";
import { SandboxPool } from "@elwood/isolation/quickjs/pool";
import { systemClock } from "@elwood/platform/system";

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
let sandbox: SandboxPool;
beforeAll(() => {
  sandbox = new SandboxPool({ clock: systemClock, log: quiet });
});
afterAll(() => sandbox.close());

const makeWorld = () => worldAt(systemClock);
const OWNER = { id: "owner", surface: "web" };

async function pending({ ledger }: World, count = 1): Promise<readonly Approval[]> {
  return expect
    .poll(async () => {
      const found = await ledger.approvals(TENANT, { status: "pending", limit: 50 });
      return found.length >= count ? found : undefined;
    })
    .toBeDefined()
    .then(() => ledger.approvals(TENANT, { status: "pending", limit: 50 }));
}

/** Rehearsals read too; what counts is what was changed. */
const inputs = ({ effects }: World) =>
  effects.filter(({ toolId }) => toolId !== "notes.note.read").map(({ input }) => input);
const reads = ({ effects }: World) => effects.filter(({ toolId }) => toolId === "notes.note.read").length;
const receipts = async ({ ledger }: World, types: readonly string[]) =>
  (await ledger.receipts(TENANT, { limit: 200 })).filter(({ type }) => types.includes(type)).toReversed();

describe("OA-1: a program", () => {
  test("makes its calls through the gate, as children of its own call, and its result is what it returns", async () => {
    const world = makeWorld();
    const process = makeProcess(world, sandbox);
    const outcome = await process.run(
      "call_a",
      `const r = await tools.notes.note.save({ n: 1 });
       console.log("saved", r.ok);
       const [a, b] = await Promise.all([tools.notes.note.read({ n: 2 }), tools.notes.note.save({ n: 3 })]);
       return { first: r.value.saved, ok: a.ok && b.ok };`,
    );
    expect(outcome.status).toBe("ok");
    expect(outcome.text).toContain('"ok":true');
    expect(process.lines).toEqual(["saved true"]);
    expect(inputs(world)).toEqual([{ n: 1 }, { n: 3 }]);
    const requested = (await receipts(world, ["tool.call.requested"])).filter(
      ({ payload }) => payload["rehearsal"] === undefined,
    );
    expect(requested.map(({ callId, payload }) => [callId, payload["parent"]])).toEqual([
      ["call_a", undefined],
      ["call_a.1", "call_a"],
      ["call_a.2", "call_a"],
      ["call_a.3", "call_a"],
    ]);
    expect(requested[0]?.payload).toMatchObject({ declarationsHash: "d", sourceHash: expect.any(String) });
    const all = await process.gate.activity(TENANT, "run");
    expect(all.filter(({ rehearsal }) => rehearsal).map(({ callId }) => callId)).toEqual(["call_a.r1"]);
    const activity = all.filter(({ rehearsal }) => rehearsal === undefined);
    expect(activity.map(({ callId, status, parent }) => [callId, status, parent])).toEqual([
      ["call_a", "succeeded", undefined],
      ["call_a.1", "succeeded", "call_a"],
      ["call_a.2", "succeeded", "call_a"],
      ["call_a.3", "succeeded", "call_a"],
    ]);
    expect(await world.journal.held(TENANT)).toEqual([]);
  });

  test("that returns a text is told as that text, not as JSON", async () => {
    const outcome = await makeProcess(makeWorld(), sandbox).run("call_a", String.raw`return "one\n\"two\"";`);
    expect(outcome.text).toContain('The program returned:\none\n"two"');
  });

  test("is told of what failed, was invalid or was denied as data, and goes on", async () => {
    const world = makeWorld();
    world.verdict = (id) =>
      id === "notes.note.erase"
        ? { ...ASK, decision: "deny", rule: "owner.deny", reason: "No." }
        : { ...ASK, decision: "allow" };
    const { text } = await makeProcess(world, sandbox).run(
      "call_a",
      `const all = [await tools.notes.note.save({ fail: 1 }), await tools.notes.note.save({ bad: 1 }), await tools.notes.note.erase({})];
       return all.map((r) => r.ok ? "ok" : r.error.status + " " + r.error.code);`,
    );
    expect(text).toContain('"failed no"');
    expect(text).toContain('"invalid invalid"');
    expect(text).toContain('"denied denied"');
  });

  test("that has mistakes is refused before anything of it is on record as running, and no more than five times a run", async () => {
    const world = makeWorld();
    const process = makeProcess(world, sandbox);
    for (let i = 0; i < 5; i++)
      expect((await process.run(`call_${i}`, "//bad")).text).toContain("line 1: this is bad");
    expect((await process.run("call_x", "return 1")).text).toContain("no further one");
    expect(await receipts(world, ["tool.call.started"])).toEqual([]);
  });

  test("that throws ends as failed, and what it did before stays done", async () => {
    const world = makeWorld();
    const outcome = await makeProcess(world, sandbox).run(
      "call_a",
      `must(await tools.notes.note.save({ n: 1 })); must(await tools.notes.note.save({ fail: 1 })); return 1;`,
    );
    expect(outcome.status).toBe("error");
    expect(outcome.text).toContain("did not finish");
    expect(inputs(world)).toEqual([{ n: 1 }, { fail: 1 }]);
    const ends = await receipts(world, ["tool.call.succeeded", "tool.call.failed"]);
    expect(ends.map(({ callId, type }) => [callId, type])).toEqual([
      ["call_a.1", "tool.call.succeeded"],
      ["call_a.2", "tool.call.failed"],
      ["call_a", "tool.call.failed"],
    ]);
  });
});

describe("a program that waits for an approval", () => {
  const source = `const first = await tools.notes.note.read({ n: 1 });
    const when = Date.now();
    const saved = await tools.notes.note.save({ when, chance: Math.random(), first: first.value.number });
    const last = await tools.notes.note.read({ n: 2 });
    return { saved: saved.ok, last: last.ok, same: when };`;

  async function parked(world: World): Promise<Process> {
    world.verdict = (id) => (id === "notes.note.save" ? ASK : { ...ASK, decision: "allow" });
    const controller = new AbortController();
    const process = makeProcess(world, sandbox);
    const running = process.run("call_a", source, controller);
    await pending(world);
    controller.abort("shutdown");
    expect((await running).status).toBe("deferred");
    return process;
  }

  test("goes on in another process after a restart, and does nothing twice", async () => {
    const world = makeWorld();
    await parked(world);
    expect(inputs(world)).toEqual([]);
    const before = reads(world);
    const [approval] = await pending(world);
    const next = makeProcess(world, sandbox);
    await next.approvals.answer(TENANT, approval!.id, OWNER, { decision: "once" });
    const outcome = await next.run("call_a", source);
    expect(outcome.status).toBe("ok");
    // What was approved is what ran: the program met the same time and the same chance again.
    expect(inputs(world)).toEqual([approval!.card.input]);
    expect(reads(world)).toBe(before + 1);
    expect(await receipts(world, ["run.diverged"])).toEqual([]);
  });

  test("and that would ask for something else after the restart is stopped by name before it does anything", async () => {
    const world = makeWorld();
    await parked(world);
    const [approval] = await pending(world);
    const { start } = (await world.journal.find(TENANT, "call_a"))!;
    await world.journal.drop(TENANT, "call_a");
    await world.journal.begin(TENANT, { ...start, seed: "another" });
    const next = makeProcess(world, sandbox);
    await world.journal.intend(TENANT, "call_a", { index: 0, kind: "tool", requestHash: "other", at: 1 });
    await next.approvals.answer(TENANT, approval!.id, OWNER, { decision: "once" });
    const outcome = await next.run("call_a", source);
    expect(outcome).toMatchObject({ status: "error", code: "program.diverged" });
    expect(inputs(world)).toEqual([]);
    expect(await receipts(world, ["run.diverged"])).toHaveLength(1);
  });

  test("is stopped by the owner: nothing further of it happens, and its question is withdrawn", async () => {
    const world = makeWorld();
    world.verdict = () => ASK;
    const controller = new AbortController();
    const process = makeProcess(world, sandbox);
    const running = process.run(
      "call_a",
      `try { await tools.notes.note.save({ n: 1 }); } catch {} finally { await tools.notes.note.save({ n: 2 }); } return 1;`,
      controller,
    );
    await pending(world);
    controller.abort("owner");
    expect((await running).status).toBe("error");
    expect(world.effects).toEqual([]);
    expect(await world.ledger.approvals(TENANT, { status: "pending", limit: 5 })).toEqual([]);
  });
});

describe("a plan", () => {
  const closing = `const list = must(await tools.notes.note.read({}));
    for (let n = 1; n <= 3; n++) must(await tools.notes.note.save({ close: n }));
    return list.number;`;
  const asking = (world: World) => {
    world.verdict = (id) => (id === "notes.note.read" ? { ...ASK, decision: "allow" } : ASK);
  };

  test("lists what a program would ask for; allowed once, all of it runs and nothing else is asked", async () => {
    const world = makeWorld();
    asking(world);
    const process = makeProcess(world, sandbox);
    const running = process.run("call_a", closing);
    const [plan] = await pending(world);
    expect(plan?.card).toMatchObject({ rule: "ask.plan", showable: true, decisions: ["once"] });
    expect(plan?.card.plan?.map(({ toolId, input }) => [toolId, input])).toEqual([
      ["notes.note.save", { close: 1 }],
      ["notes.note.save", { close: 2 }],
      ["notes.note.save", { close: 3 }],
    ]);
    // Only the read was made, which asks for nothing.
    expect([reads(world), inputs(world)]).toEqual([1, []]);
    await process.approvals.answer(TENANT, plan!.id, OWNER, { decision: "once" });
    expect((await running).status).toBe("ok");
    expect(inputs(world)).toEqual([{ close: 1 }, { close: 2 }, { close: 3 }]);
    const approved = await receipts(world, ["tool.call.approved"]);
    expect(approved.map(({ callId, payload }) => [callId, payload["decidedBy"]])).toEqual([
      ["call_a", { kind: "owner", ...OWNER }],
      ["call_a.2", { kind: "owner", ...OWNER }],
      ["call_a.3", { kind: "owner", ...OWNER }],
      ["call_a.4", { kind: "owner", ...OWNER }],
    ]);
  });

  test.each([
    ["a text", `{ title: made.id }`],
    ["part of an address", `{ url: "https://example.com/?q=" + encodeURIComponent(made.id) }`],
    ["a number", `{ n: made.number + 1 }`],
  ])(
    "never reads with what is only planned, here as %s, and says what it could not know",
    async (_, input) => {
      const world = makeWorld();
      asking(world);
      const process = makeProcess(world, sandbox);
      const running = process.run(
        "call_a",
        `const made = must(await tools.notes.note.save({ n: 1 }));
         const seen = must(await tools.notes.note.read(${input}));
         must(await tools.notes.note.save({ n: 2 }));
         return must(await tools.notes.note.save({ depends: seen.number })).ok;`,
      );
      const [plan] = await pending(world);
      expect(world.effects).toEqual([]);
      expect(plan?.card.plan?.map((item) => item.input)).toEqual([{ n: 1 }, { n: 2 }]);
      expect(plan?.card.reason).toContain(
        "Not known yet: 2 calls whose input is made of results that only come with the run: notes.note.read (1), notes.note.save (1).",
      );
      await process.approvals.answer(TENANT, plan!.id, OWNER, { decision: "once" });
      const [depends] = await pending(world);
      // Made with what the first call really answered.
      expect(JSON.stringify(world.effects)).not.toContain("planned");
      expect(reads(world)).toBe(1);
      await process.approvals.answer(TENANT, depends!.id, OWNER, { decision: "once" });
      expect((await running).status).toBe("ok");
    },
  );

  test("says where it had to end: at a read that asks, whose answer decides what comes next", async () => {
    const world = makeWorld();
    world.verdict = () => ASK;
    const controller = new AbortController();
    const running = makeProcess(world, sandbox).run(
      "call_a",
      `must(await tools.notes.note.save({ n: 1 })); must(await tools.notes.note.read({ n: 2 })); must(await tools.notes.note.save({ n: 3 }));`,
      controller,
    );
    const [plan] = await pending(world);
    expect(plan?.card.plan).toHaveLength(2);
    expect(plan?.card.reason).toContain("what the program does after notes.note.read has answered");
    controller.abort("owner");
    await running;
  });

  test("says where it could not see to the end: the program failed on results that were not real, or the list is full", async () => {
    for (const [source, words] of [
      [
        `must(await tools.notes.note.save({ n: 1 }));
         const made = must(await tools.notes.note.save({ n: 2 }));
         if (made.number > 1000) throw new Error("That is not what was saved.");
         must(await tools.notes.note.save({ n: 3 }));`,
        "The rehearsal did not see its end, because the program could not go on without their real results.",
      ],
      [
        "for (let n = 0; n < 101; n++) must(await tools.notes.note.save({ n }));",
        "The rehearsal did not see its end, because the list is full.",
      ],
    ] as const) {
      const world = makeWorld();
      asking(world);
      const controller = new AbortController();
      const running = makeProcess(world, sandbox).run("call_a", source, controller);
      const [plan] = await pending(world);
      expect(plan?.card.reason).toContain(words);
      expect(inputs(world)).toEqual([]);
      controller.abort("owner");
      await running;
    }
  });

  test("says nothing of an end where it saw all of it", async () => {
    const world = makeWorld();
    asking(world);
    const controller = new AbortController();
    const running = makeProcess(world, sandbox).run("call_a", closing, controller);
    const [plan] = await pending(world);
    expect(plan?.card.reason).not.toMatch(/Not known yet|Not listed/);
    controller.abort("owner");
    await running;
  });

  test("shows the highest risk of its list, to every client and in the push", async () => {
    const world = makeWorld();
    world.verdict = () => ASK;
    for (const [made, risk] of [
      [["save", "save"], "write"],
      [["save", "erase", "save"], "destructive"],
    ] as const) {
      const controller = new AbortController();
      const running = makeProcess(world, sandbox).run(
        `call_${risk}`,
        made.map((name, n) => `must(await tools.notes.note.${name}({ n: ${n} }));`).join("\n"),
        controller,
      );
      const [plan] = await pending(world);
      expect(toWireApproval(plan!).risk).toBe(risk);
      const push = approvalPush({ kind: "requested", approval: plan! });
      expect(push.data).toMatchObject({ approvalId: plan!.id, risk });
      controller.abort("owner");
      await running;
    }
  });

  test("that is denied runs nothing", async () => {
    const world = makeWorld();
    asking(world);
    const process = makeProcess(world, sandbox);
    const running = process.run("call_a", closing);
    const [plan] = await pending(world);
    await process.approvals.answer(TENANT, plan!.id, OWNER, { decision: "deny" });
    expect(await running).toMatchObject({ status: "error", code: "denied" });
    expect(inputs(world)).toEqual([]);
  });

  test("covers each call as often as it is listed: what depends on a result, or comes once more, asks for itself", async () => {
    const world = makeWorld();
    asking(world);
    const process = makeProcess(world, sandbox);
    const running = process.run(
      "call_a",
      `const a = must(await tools.notes.note.save({ n: 1 }));
       await tools.notes.note.save({ n: 2 });
       if (a.number < 1000) { await tools.notes.note.save({ n: 2 }); }
       return (await tools.notes.note.save({ after: a.number })).ok;`,
    );
    const [plan] = await pending(world);
    expect(plan?.card.plan?.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }]);
    await process.approvals.answer(TENANT, plan!.id, OWNER, { decision: "once" });
    const [again] = await pending(world);
    expect(again?.card.input).toEqual({ n: 2 });
    expect(inputs(world)).toEqual([{ n: 1 }, { n: 2 }]);
    await process.approvals.answer(TENANT, again!.id, OWNER, { decision: "deny" });
    const [depends] = await pending(world);
    expect(depends?.card.input).toEqual({ after: 1 });
    await process.approvals.answer(TENANT, depends!.id, OWNER, { decision: "once" });
    expect((await running).text).toContain("true");
    expect(inputs(world)).toEqual([{ n: 1 }, { n: 2 }, { after: 1 }]);
  });

  test("covers its calls in their order: what was shown last does not run first", async () => {
    // A program can tell the rehearsal from the real run by the made-up answer.
    const swapped = `const probe = must(await tools.notes.note.save({ n: 1 }));
       const real = probe.saved !== undefined && !JSON.stringify(probe).includes("planned");
       for (const n of real ? [4, 3, 2] : [2, 3, 4]) { const r = await tools.notes.note.save({ n }); if (!r.ok) return n; }
       return "done";`;
    const world = makeWorld();
    world.verdict = () => ASK;
    const process = makeProcess(world, sandbox);
    const running = process.run("call_a", swapped);
    const [plan] = await pending(world);
    expect(plan?.card.plan?.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
    await process.approvals.answer(TENANT, plan!.id, OWNER, { decision: "once" });
    const [early] = await pending(world);
    expect(early?.card.plan, "it asks for itself").toBeUndefined();
    expect(inputs(world), "nothing but the first has run").toEqual([{ n: 1 }]);
    await process.approvals.answer(TENANT, early!.id, OWNER, { decision: "deny" });
    await running;
    expect(inputs(world)).toEqual([{ n: 1 }]);
  });

  test("covers nothing behind a call that was left out or denied", async () => {
    const skipping = `const probe = must(await tools.notes.note.save({ n: 1 }));
       const real = !JSON.stringify(probe).includes("planned");
       if (!real) must(await tools.notes.note.save({ n: 2 }));
       const r = await tools.notes.note.save({ n: 3 });
       return r.ok;`;
    const world = makeWorld();
    world.verdict = () => ASK;
    const process = makeProcess(world, sandbox);
    const running = process.run("call_a", skipping);
    const [plan] = await pending(world);
    expect(plan?.card.plan?.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await process.approvals.answer(TENANT, plan!.id, OWNER, { decision: "once" });
    const [asked] = await pending(world);
    expect(asked?.card.plan).toBeUndefined();
    await process.approvals.answer(TENANT, asked!.id, OWNER, { decision: "deny" });
    await running;
    expect(inputs(world)).toEqual([{ n: 1 }]);
  });

  test("of one call is that call's own question", async () => {
    const world = makeWorld();
    asking(world);
    const process = makeProcess(world, sandbox);
    const running = process.run("call_a", `return (await tools.notes.note.save({ n: 1 })).ok;`);
    const [approval] = await pending(world);
    expect(approval).toMatchObject({ callId: "call_a.1", toolId: "notes.note.save" });
    await process.approvals.answer(TENANT, approval!.id, OWNER, { decision: "once" });
    expect((await running).status).toBe("ok");
  });

  test("that destroys something wants a typed word", async () => {
    const world = makeWorld();
    world.verdict = () => ASK;
    const controller = new AbortController();
    const process = makeProcess(world, sandbox);
    const running = process.run(
      "call_a",
      `must(await tools.notes.note.erase({ n: 1 })); must(await tools.notes.note.erase({ n: 2 }));`,
      controller,
    );
    const [plan] = await pending(world);
    expect(plan?.card.confirm).toBe("run");
    const wire = toWireApproval(plan!);
    // The word that every other destructive call wants: the verb that its card begins with.
    expect(confirmWord(wire.card)).toBe(wire.confirm);
    controller.abort("owner");
    await running;
    expect(world.effects).toEqual([]);
  });

  test("is not made of a call that holds a secret: that asks for itself", async () => {
    const world = makeWorld();
    asking(world);
    const controller = new AbortController();
    const running = makeProcess(world, sandbox).run(
      "call_a",
      `await tools.notes.note.save({ n: 1 }); await tools.notes.note.save({ key: "secret-1" }); await tools.notes.note.save({ n: 3 });`,
      controller,
    );
    const [plan] = await pending(world);
    expect(JSON.stringify(plan)).not.toContain("secret-1");
    expect(plan?.card.plan?.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 3 }]);
    controller.abort("owner");
    await running;
  });
});

test("a program that asks again and again is told to end after twenty questions", async () => {
  const world = makeWorld();
  world.verdict = (id) => (id === "notes.note.save" ? ASK : { ...ASK, decision: "allow" });
  const process = makeProcess(world, sandbox);
  process.approvals.onEvent((event) => {
    if (event.kind === "requested")
      void process.approvals.answer(TENANT, event.approval.id, OWNER, {
        decision: event.approval.card.plan ? "deny" : "once",
      });
  });
  // The name is hidden, so that there is no plan.
  const { text } = await process.run(
    "call_a",
    `const t = tools.notes["note"]; let last; for (let n = 0; n < 22; n++) last = await t["save"]({ n }); return last.error.message;`,
  );
  expect(world.effects).toHaveLength(20);
  expect(text).toContain("asked the owner too often");
});
