import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import { ManualClock } from "@elwood/testkit/manual-clock";
import {
  startScriptedAnthropic,
  type CallScript,
  type ScriptedAnthropic,
} from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

const START = Date.parse("2026-11-16T08:00:00Z");
const DAY_MS = 24 * 60 * 60_000;
const WAIT = { timeout: 60_000 };
const clock = new ManualClock({ start: START });
let model: ScriptedAnthropic;
let scene: Scene;
let jobs = 0;

beforeAll(async () => {
  model = await startScriptedAnthropic();
  scene = await openScene(model, {
    clock,
    config: "heartbeat:\n  intervalMinutes: 0\n",
    // Nobody has this name.
    resolve: async () => [],
  });
  mkdirSync(join(scene.files, "notes"), { recursive: true });
  writeFileSync(join(scene.files, "notes", "in.txt"), "what came in\n");
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const write = (path: string, content = "x\n") => ["files.file.write", { path, content }] as const;
const file = (path: string) => join(scene.files, path);

/** A job whose model makes these calls whenever it is run or rehearsed. */
async function jobThat(calls: CallScript): Promise<string> {
  const name = `job ${++jobs}`;
  await scene.call("jobs.create", {
    name,
    message: "Do what you do.",
    every: "1d",
    model: `anthropic/${model.play(calls)}`,
  });
  return name;
}

async function rehearsed(name: string) {
  await scene.call("jobs.rehearse", { name });
  await expect
    .poll(async () => (await scene.call("jobs.rehearsal", { name })).rehearsal?.status, WAIT)
    .toBe("done");
  return (await scene.call("jobs.rehearsal", { name })).rehearsal!;
}

type Constraint = "exact" | "folder" | "host";

/** Rehearses a job and allows the calls with these numbers. */
async function allowed(
  name: string,
  ticks: readonly { readonly at: number; readonly constraint?: Constraint; readonly perRun?: number }[],
) {
  const { runId, calls } = await rehearsed(name);
  const { grants } = await scene.call("jobs.grant", {
    name,
    runId,
    calls: ticks.map(({ at, constraint = "exact", perRun = 1 }) => ({
      plannedId: calls[at]!.plannedId,
      constraint,
      perRun,
      days: 30,
    })),
  });
  return grants;
}

/** Runs a job until it is over, or waits for the owner. */
async function ran(name: string) {
  const { occurrence } = await scene.call("jobs.run", { name });
  const now = async () =>
    (await scene.call("jobs.get", { name })).history.find(
      ({ occurrenceId }) => occurrenceId === occurrence.occurrenceId,
    )!;
  await expect
    .poll(async () => {
      const { waiting, endedAt } = await now();
      return waiting === true || endedAt !== undefined;
    }, WAIT)
    .toBe(true);
  return now();
}

async function waitingIn(sessionKey: string | undefined) {
  const { approvals } = await scene.call("approvals.list", {
    status: "pending",
    sessionKey: sessionKey ?? "",
  });
  return approvals;
}

const statuses = async (runId: string | undefined) =>
  (await scene.call("runs.activity", { runId: runId ?? "" })).activity.map(({ toolId, status, target }) =>
    [toolId, status, target?.split("/").at(-1)].join(" "),
  );

test("a rehearsal reads for real, lists every effect with its preview, and does nothing", async () => {
  const name = await jobThat([
    ["files.file.read", { path: "notes/in.txt" }],
    write("notes/out.txt", "a summary\n"),
    ["memory.note.save", { key: "plumber", content: "Anna, 555" }],
    ["files.file.delete", { path: "notes/in.txt" }],
  ]);
  const rehearsal = await rehearsed(name);
  expect(rehearsal).toMatchObject({ reads: 1, gaps: [], text: "That is all." });
  expect(rehearsal.calls.map(({ card }) => card.title)).toEqual([
    "Create notes/out.txt",
    expect.stringContaining("plumber"),
    "Delete notes/in.txt",
  ]);
  const [out, note, gone] = rehearsal.calls;
  expect(out?.card.body).toMatchObject({ kind: "diff", lines: [{ mark: "+", line: "a summary" }] });
  expect(out?.constraints).toEqual([
    { constraint: "exact", words: "write notes/out.txt" },
    { constraint: "folder", words: "write anything in notes/" },
  ]);
  expect(note?.constraints.map(({ constraint }) => constraint)).toEqual(["exact"]);
  expect(gone).toMatchObject({
    constraints: [],
    never: expect.stringMatching(/^It cannot be allowed ahead\. /),
  });
  expect(existsSync(file("notes/out.txt"))).toBe(false);
  expect(existsSync(file("notes/in.txt"))).toBe(true);
  expect((await scene.call("memory.list", {})).notes).toEqual([]);
  expect(await waitingIn(rehearsal.sessionKey)).toEqual([]);
  // The model read the file, and was told of the rest that it was listed.
  expect(model.lastShown()).toContain("what came in");
  expect(model.lastShown()).toContain("This is a rehearsal: the call was listed and not made");
  const { receipts } = await scene.call("receipts.list", { runId: rehearsal.runId, limit: 100 });
  const of = (type: string) => receipts.filter((each) => each.type === type);
  expect(of("tool.call.started")).toHaveLength(1);
  expect(of("tool.call.denied").map(({ payload }) => payload["decidedBy"])).toEqual(
    Array.from({ length: 3 }, () => ({ kind: "policy", rule: "gate.rehearsal" })),
  );
  expect((await scene.call("jobs.get", { name })).history).toEqual([]);
});

test("what the owner ticked runs unasked and leaves a receipt; a call over the count asks, and the job goes on once it is answered", async () => {
  const name = await jobThat([write("notes/a.txt"), write("notes/a.txt", "y\n"), write("notes/b.txt")]);
  const [grant] = await allowed(name, [{ at: 0 }]);
  expect(grant).toMatchObject({
    words: `write notes/a.txt, in the job “${name}” as it is now, once a run, for 30 days`,
    usesPerRun: 1,
    uses: 0,
    expiresAt: clock.now() + 30 * DAY_MS,
  });
  const waiting = await ran(name);
  expect(waiting).toMatchObject({ waiting: true });
  expect(readFileSync(file("notes/a.txt"), "utf8")).toBe("x\n");
  const { receipts } = await scene.call("receipts.list", { runId: waiting.runId!, types: ["grant.used"] });
  expect(receipts).toMatchObject([{ payload: { grantId: grant!.grantId, toolId: "files.file.write" } }]);
  const [second] = await waitingIn(waiting.sessionKey);
  await scene.call("exec.approve", { approvalId: second!.approvalId });
  await expect
    .poll(async () => (await waitingIn(waiting.sessionKey)).map(({ card }) => card.title), WAIT)
    .toEqual(["Create notes/b.txt"]);
  expect(readFileSync(file("notes/a.txt"), "utf8")).toBe("y\n");
  const [third] = await waitingIn(waiting.sessionKey);
  await scene.call("exec.deny", { approvalId: third!.approvalId });
  await expect
    .poll(async () => (await scene.call("jobs.get", { name })).history[0]?.status, WAIT)
    .toBe("done");
  expect(await statuses(waiting.runId)).toEqual([
    "files.file.write succeeded a.txt",
    "files.file.write succeeded a.txt",
    "files.file.write denied b.txt",
  ]);
  // The count is for one run: the next one has it again.
  const again = await ran(name);
  expect(await statuses(again.runId)).toEqual([
    "files.file.write succeeded a.txt",
    "files.file.write pending a.txt",
  ]);
  await scene.call("chat.abort", { runId: again.runId! });
});

test("a permission for a folder is for whatever lies in it, one for a file for nothing else", async () => {
  const name = await jobThat([write("notes/c.txt"), write("notes/deep/d.txt"), write("e.txt")]);
  await allowed(name, [{ at: 0, constraint: "folder", perRun: 5 }]);
  const waiting = await ran(name);
  expect(await statuses(waiting.runId)).toEqual([
    "files.file.write succeeded c.txt",
    "files.file.write succeeded d.txt",
    "files.file.write pending e.txt",
  ]);
  await scene.call("chat.abort", { runId: waiting.runId! });
  const narrow = await jobThat([write("notes/f.txt"), write("notes/g.txt")]);
  await allowed(narrow, [{ at: 0, perRun: 5 }]);
  const stopped = await ran(narrow);
  expect(await statuses(stopped.runId)).toEqual([
    "files.file.write succeeded f.txt",
    "files.file.write pending g.txt",
  ]);
  await scene.call("chat.abort", { runId: stopped.runId! });
});

test("a permission for a host is for its pages and no other host; a fetch that asks is listed and not made", async () => {
  const fetching = (url: string) => ["web.page.fetch", { url }] as const;
  const name = await jobThat([fetching("https://example.invalid/a"), fetching("https://other.invalid/")]);
  const { calls, runId } = await rehearsed(name);
  expect(calls[0]?.constraints.map(({ constraint, words }) => `${constraint}: ${words}`)).toEqual([
    expect.stringMatching(/^exact: .* https:\/\/example\.invalid\/a$/),
    expect.stringMatching(/^host: .* anywhere on https:\/\/example\.invalid$/),
  ]);
  const plannedId = calls[0]!.plannedId;
  await scene.call("jobs.grant", {
    name,
    runId,
    calls: [{ plannedId, constraint: "host", perRun: 9, days: 1 }],
  });
  // A name that does not exist: it fails, and was not asked about.
  const waiting = await ran(name);
  expect(await statuses(waiting.runId)).toEqual(["web.page.fetch failed a", "web.page.fetch pending "]);
  await scene.call("chat.abort", { runId: waiting.runId! });
});

test("a permission is void once the text of the job is another, says so on the job, and fits again with the old one", async () => {
  const name = await jobThat([write("notes/h.txt")]);
  await allowed(name, [{ at: 0 }]);
  await scene.call("jobs.update", { name, change: { message: "Do something else." } });
  const { job } = await scene.call("jobs.get", { name });
  expect(job.grants).toEqual({
    count: 0,
    problems: [
      "The text of the job has changed since you gave this permission. It is no longer used: such calls ask you. Rehearse the job to give it again.",
    ],
  });
  expect((await scene.call("jobs.grants", { name })).grants).toMatchObject([
    { problem: expect.stringMatching(/^The text of the job has changed/) },
  ]);
  const waiting = await ran(name);
  expect(waiting).toMatchObject({ waiting: true });
  expect(existsSync(file("notes/h.txt"))).toBe(false);
  await scene.call("chat.abort", { runId: waiting.runId! });
  // A rehearsal of the old text allows nothing for the new one.
  const { rehearsal } = await scene.call("jobs.rehearsal", { name });
  expect(rehearsal?.outdated).toMatch(/^The text of the job has changed since this rehearsal\./);
  const tick = {
    plannedId: rehearsal!.calls[0]!.plannedId,
    constraint: "exact",
    perRun: 1,
    days: 1,
  } as const;
  await expect(scene.call("jobs.grant", { name, runId: rehearsal!.runId, calls: [tick] })).rejects.toThrow(
    /has changed since this rehearsal.* Nothing was allowed\./,
  );
  await scene.call("jobs.update", { name, change: { message: "Do what you do." } });
  expect((await scene.call("jobs.get", { name })).job.grants).toEqual({ count: 1, problems: [] });
  expect((await ran(name)).status).toBe("done");
  expect(existsSync(file("notes/h.txt"))).toBe(true);
});

test("a permission ends on its day, is revoked by the owner, and goes with its job", async () => {
  const name = await jobThat([write("notes/i.txt")]);
  const { runId, calls } = await rehearsed(name);
  const tick = { plannedId: calls[0]!.plannedId, constraint: "exact", perRun: 1, days: 1 } as const;
  const give = () => scene.call("jobs.grant", { name, runId, calls: [tick] });
  const asks = async () => {
    const occurrence = await ran(name);
    if (occurrence.waiting) await scene.call("chat.abort", { runId: occurrence.runId! });
    return occurrence.waiting === true;
  };
  const first = await give();
  // Given again, it takes the place of the first.
  const second = await give();
  const { grants } = await scene.call("jobs.grants", { name });
  expect(grants.map(({ grantId }) => grantId)).toEqual([second.grants[0]!.grantId]);
  expect(first.grants[0]!.grantId).not.toBe(second.grants[0]!.grantId);
  expect(await asks()).toBe(false);
  await clock.advance(DAY_MS);
  expect(await asks()).toBe(true);
  const third = await give();
  expect(await asks()).toBe(false);
  await scene.call("grants.revoke", { grantId: third.grants[0]!.grantId });
  expect(await asks()).toBe(true);
  const last = await give();
  await scene.call("jobs.delete", { name });
  const all = (await scene.call("grants.list", { all: true })).grants;
  expect(all.find(({ grantId }) => grantId === last.grants[0]!.grantId)?.revokedAt).toBeDefined();
});

test("what was allowed in a conversation says nothing of jobs, and what a job may do says nothing of conversations", async () => {
  const always = await scene.run({
    says: "hello",
    calls: [write("notes/j.txt")],
    decide: () => "wait",
  });
  await scene.call("exec.approve", { approvalId: always.asks[0]!.approvalId, decision: "always" });
  await expect
    .poll(async () => (await scene.call("runs.get", { runId: always.runId })).run.status, WAIT)
    .toBe("done");
  const name = await jobThat([write("notes/j.txt", "from the job\n"), write("notes/k.txt")]);
  await allowed(name, [{ at: 1 }]);
  const waiting = await ran(name);
  expect(await statuses(waiting.runId)).toEqual(["files.file.write pending j.txt"]);
  // Allowed for longer from the card of a job, it is for that job.
  const [ask] = await waitingIn(waiting.sessionKey);
  await scene.call("exec.approve", { approvalId: ask!.approvalId, decision: "always" });
  await expect
    .poll(async () => (await scene.call("jobs.get", { name })).history[0]?.status, WAIT)
    .toBe("done");
  expect((await scene.call("jobs.grants", { name })).grants.map(({ words }) => words).sort()).toEqual([
    `write notes/j.txt, in the job “${name}” as it is now, until you revoke it`,
    `write notes/k.txt, in the job “${name}” as it is now, once a run, for 30 days`,
  ]);
  expect((await ran(name)).status).toBe("done");
  const { asks } = await scene.run({ says: "hello", calls: [write("notes/k.txt", "z\n")] });
  expect(asks).toHaveLength(1);
});

test("the calls of a program are listed one by one, and each can be allowed", async () => {
  const source = `const text = must(await tools.files.file.read({ path: "notes/in.txt" }));
must(await tools.files.file.write({ path: "notes/l.txt", content: "l" }));
must(await tools.files.file.write({ path: "notes/m.txt", content: "m" }));
return "ok";`;
  const name = await jobThat([["program.code.run", { source }]]);
  const { calls, runId } = await rehearsed(name);
  expect(calls.map(({ card, plannedId, callId }) => [card.title, plannedId.slice(callId.length)])).toEqual([
    ["Create notes/l.txt", "/1"],
    ["Create notes/m.txt", "/2"],
  ]);
  expect(existsSync(file("notes/l.txt"))).toBe(false);
  await scene.call("jobs.grant", {
    name,
    runId,
    calls: calls.map(({ plannedId }) => ({ plannedId, constraint: "exact", perRun: 1, days: 1 })),
  });
  const done = await ran(name);
  expect(done.status).toBe("done");
  expect(existsSync(file("notes/l.txt")) && existsSync(file("notes/m.txt"))).toBe(true);
});

test("the heartbeat is rehearsed with what its file says, and not where it says nothing", async () => {
  const name = "heartbeat";
  await expect
    .poll(async () => (await scene.call("jobs.list", {})).jobs.some((job) => job.name === name), WAIT)
    .toBe(true);
  await expect(scene.call("jobs.rehearse", { name })).rejects.toThrow(/says nothing to look at/);
  mkdirSync(join(scene.home, "workspace"), { recursive: true });
  writeFileSync(join(scene.home, "workspace", "HEARTBEAT.md"), "# Heartbeat\n\nLook at the disk.\n");
  expect(await rehearsed(name)).toMatchObject({ calls: [], reads: 0, text: "That is all." });
  expect(model.lastShown()).toContain("Look at the disk.");
});

test("what cannot be allowed is refused in words, and then nothing is", async () => {
  const name = await jobThat([write("notes/n.txt"), ["files.file.delete", { path: "notes/in.txt" }]]);
  const { runId, calls } = await rehearsed(name);
  const [out, gone] = calls.map(({ plannedId }) => plannedId);
  const give = (plannedId: string, constraint: Constraint, run = runId) =>
    scene.call("jobs.grant", {
      name,
      runId: run,
      calls: [
        { plannedId: out!, constraint: "exact", perRun: 1, days: 1 },
        { plannedId, constraint, perRun: 1, days: 1 },
      ],
    });
  await expect(give(gone!, "exact")).rejects.toThrow(/It cannot be allowed ahead\. .* Nothing was allowed\./);
  await expect(give(out!, "host")).rejects.toThrow(/can be allowed by exact or folder, not by host\./);
  await expect(give("call_nothing", "exact")).rejects.toThrow(/listed no call call_nothing/);
  await expect(give(out!, "exact", "run_other")).rejects.toThrow(/not the last rehearsal/);
  expect((await scene.call("jobs.grants", { name })).grants).toEqual([]);
  const remind = { kind: "reminder", name: "plain", message: "x", at: "2027-11-17T09:00" } as const;
  await scene.call("jobs.create", remind);
  await expect(scene.call("jobs.rehearse", { name: "plain" })).rejects.toThrow(/is a reminder/);
});

test("only a token that may approve rehearses a job and gives a permission; one that may chat sees them", async () => {
  const { token } = await scene.call("tokens.create", { name: "program", scopes: ["chat"] });
  const chat = await GatewayClient.connect({ url: scene.gateway.url, token, client: { name: "program" } });
  const name = await jobThat([write("notes/o.txt")]);
  const { runId, calls } = await rehearsed(name);
  const tick = { plannedId: calls[0]!.plannedId, constraint: "exact", perRun: 1, days: 1 } as const;
  const forbidden = { failure: { reason: "SCOPE_MISSING" } };
  await expect(chat.call("jobs.rehearse", { name })).rejects.toMatchObject(forbidden);
  await expect(chat.call("jobs.grant", { name, runId, calls: [tick] })).rejects.toMatchObject(forbidden);
  expect(await chat.call("jobs.grants", { name })).toEqual({ grants: [] });
  expect((await chat.call("jobs.rehearsal", { name })).rehearsal?.runId).toBe(runId);
  await chat.close();
});

test("the log still verifies, with every permission held against its receipt", async () => {
  const { verdict } = await scene.call("receipts.verify", {});
  expect(verdict.status).toBe("intact");
});
