import { failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { textOf } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { JobScene, says } from "@elwood/testkit/job-scene";
import { TENANT } from "@elwood/testkit/simulation-process";
import { expect, test } from "vitest";
import type { WrittenJob } from "./job-service.ts";

const START = Date.parse("2026-11-16T08:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const iso = (time: number) => new Date(time).toISOString().slice(0, 16);

const reminder = (more: Partial<WrittenJob> = {}): WrittenJob => ({
  kind: "reminder",
  message: "call the landlord",
  at: "2026-11-17T09:00",
  ...more,
});
const hourly = (more: Partial<WrittenJob> = {}): WrittenJob => ({
  kind: "task",
  name: "hourly",
  message: "What is new?",
  every: "1h",
  ...more,
});

/** Ends only once it is told to. */
function waits(): { answer: () => AsyncIterable<ModelEvent>; end: (text: string) => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return {
    answer: async function* () {
      yield* says(await promise);
    },
    end: resolve,
  };
}

async function transcriptOf(scene: JobScene, runId: string | undefined) {
  const { steps } = await scene.world.stores.runs.journal(TENANT, runId ?? "");
  return steps.map((message) => [message.role, message.origin, textOf(message)]);
}

test("a reply of a job goes out with its marks and its evidence, as on every surface", async () => {
  const claim = "I sent the report to anna@example.com.";
  const scene = await JobScene.open({ start: START, answer: () => says(claim) });
  const job = await scene.service.create(hourly({ target: "telegram:7" }), "owner");
  await scene.at(job.nextAt!);
  expect(scene.chat.arrived.map(({ text, evidence }) => `${text}\n${evidence}`)).toEqual([
    expect.stringMatching(
      /^I sent the report to anna@example\.com\. \[not verified: .*\]\n◈ 1 statement is not verified$/u,
    ),
  ]);
});

test("OA-14: a reminder comes at its time as text, with no model asked", async () => {
  const requests: ModelRequest[] = [];
  const answer = (request: ModelRequest) => (requests.push(request), says("never"));
  const scene = await JobScene.open({ start: START, answer });
  const job = await scene.service.create(reminder({ target: "telegram:7" }), "owner");
  expect(job).toMatchObject({ name: "call the landlord", nextAt: Date.parse("2026-11-17T09:00Z") });
  await scene.at(job.nextAt! - 1);
  expect(await scene.history()).toEqual([]);
  await scene.at(job.nextAt!);
  const [due, ...more] = await scene.history();
  expect(more).toEqual([]);
  expect(due).toMatchObject({
    status: "done",
    delivery: "delivered",
    trigger: "schedule",
    dueAt: job.nextAt,
  });
  expect(await transcriptOf(scene, due?.runId)).toEqual([
    ["user", "schedule", "call the landlord"],
    ["assistant", "gateway", "Reminder: call the landlord"],
  ]);
  expect(scene.chat.arrived).toMatchObject([{ target: "telegram:7", text: "Reminder: call the landlord" }]);
  expect(requests).toEqual([]);
  const over = await scene.service.get("call the landlord");
  expect(over.nextAt).toBeUndefined();
  expect(over.endedAt).toBe(job.nextAt);
});

test("a reminder whose time passed while Elwood was off comes at the next start, and says that it is late", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(reminder(), "owner");
  scene.kill();
  scene.clock.set(Date.parse("2026-11-18T12:00Z"));
  await scene.boot();
  await scene.at(scene.clock.now());
  const [due] = await scene.history();
  expect(due).toMatchObject({ status: "done", trigger: "catch-up", dueAt: Date.parse("2026-11-17T09:00Z") });
  expect((await transcriptOf(scene, due?.runId)).at(-1)).toEqual([
    "assistant",
    "gateway",
    "Reminder: call the landlord\n\nIt was due Tue 2026-11-17 09:00; Elwood was not running then.",
  ]);
});

test("a reminder does not wait behind a run of its session that has not ended", async () => {
  const stuck = waits();
  const scene = await JobScene.open({ start: START, answer: stuck.answer });
  await scene.service.create(reminder({ name: "first", at: "2026-11-16T09:00" }), "owner");
  await scene.at(START + HOUR);
  const session = (await scene.history())[0]?.sessionId ?? "";
  const { engine } = scene.process;
  const { run } = await engine.submit({
    principal: { tenant: TENANT, tokenId: "owner", name: "owner", scopes: new Set(["chat", "approve"]) },
    origin: "owner",
    sessionId: session,
    surface: "web",
    parts: [{ kind: "text", text: "Thanks, and now?", origin: "owner" }],
  });
  engine.start(TENANT, run);
  await scene.service.create(reminder({ name: "second", at: "2026-11-16T10:00" }), "owner");
  await scene.at(START + 2 * HOUR);
  const second = (await scene.history()).at(-1);
  expect(second).toMatchObject({ status: "done", delivery: "delivered" });
  expect(second?.sessionId).not.toBe(session);
});

test("a task is sent with the origin schedule, in a session of its own, and its reply is delivered", async () => {
  const requests: ModelRequest[] = [];
  const scene = await JobScene.open({
    start: START,
    answer: (request) => (requests.push(request), says("Nothing new.")),
  });
  await scene.service.create(hourly({ target: "telegram:7", model: "sim/m" }), "owner");
  await scene.at(START + HOUR);
  await scene.at(START + 2 * HOUR);
  const history = await scene.history();
  expect(history.map(({ status, delivery, dueAt }) => [status, delivery, iso(dueAt)])).toEqual([
    ["done", "delivered", "2026-11-16T09:00"],
    ["done", "delivered", "2026-11-16T10:00"],
  ]);
  expect(new Set(history.map(({ sessionId }) => sessionId)).size).toBe(2);
  expect(await transcriptOf(scene, history[0]?.runId)).toEqual([
    ["user", "schedule", "What is new?"],
    ["assistant", "model", "Nothing new."],
  ]);
  expect(scene.chat.arrived.map(({ text }) => text)).toEqual(["Nothing new.", "Nothing new."]);
  const shown = requests[0]?.messages.map(textOf).join("\n");
  expect(shown).toBe(
    '[Mon 2026-11-16 09:00, the scheduled job "hourly", not typed by the owner just now] What is new?',
  );
  const session = await scene.world.stores.sessions.get(TENANT, history[0]?.sessionId ?? "");
  expect(session).toMatchObject({ title: "hourly", agentId: "assistant" });
});

test("a job that shares a session goes on in it, and in a new one where that was deleted", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly({ isolated: false }), "owner");
  await scene.at(START + HOUR);
  await scene.at(START + 2 * HOUR);
  const [first, second] = await scene.history();
  expect(second?.sessionId).toBe(first?.sessionId);
  await scene.world.stores.sessions.trash(TENANT, first?.sessionId ?? "", scene.clock.now());
  await scene.at(START + 3 * HOUR);
  const third = (await scene.history()).at(-1);
  expect(third).toMatchObject({ status: "done" });
  expect(third?.sessionId).not.toBe(first?.sessionId);
});

test("what became of the run and of its delivery are told apart", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly({ target: "telegram:7" }), "owner");
  scene.chat.behaviour = "refuses";
  await scene.at(START + HOUR);
  scene.chat.behaviour = "accepts";
  await scene.at(START + 2 * HOUR);
  expect(await scene.history()).toMatchObject([
    { status: "done", delivery: "failed", deliveryProblem: "The chat is gone. It was not delivered." },
    { status: "done", delivery: "pending" },
  ]);
  scene.chat.tell((await scene.history())[1]!.id, { ok: true, value: "delivered" });
  await scene.quiet();
  expect((await scene.history())[1]).toMatchObject({ delivery: "delivered" });
});

test("a channel that is away gets the reply when it is back, once, also after a restart", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly({ target: "telegram:7" }), "owner");
  scene.chat.behaviour = "is-away";
  await scene.at(START + HOUR);
  await scene.at(START + HOUR + MINUTE);
  expect(await scene.history()).toMatchObject([{ status: "done", delivery: "pending" }]);
  scene.kill();
  await scene.boot();
  scene.chat.behaviour = "arrives";
  await scene.at(START + HOUR + 2 * MINUTE);
  await scene.at(START + HOUR + 3 * MINUTE);
  expect(await scene.history()).toMatchObject([{ status: "done", delivery: "delivered" }]);
  expect(scene.chat.arrived.map(({ text }) => text)).toEqual(["Done."]);
});

test("a run that fails is told as failed, with its reason, to the target too", async () => {
  const fails = async function* (): AsyncIterable<ModelEvent> {
    yield {
      type: "failed",
      failure: { reason: "BILLING", message: "There is no credit left.", retryable: false },
      blocks: [],
    };
  };
  const scene = await JobScene.open({ start: START, answer: fails });
  await scene.service.create(hourly({ target: "telegram:7" }), "owner");
  await scene.at(START + HOUR);
  expect(await scene.history()).toMatchObject([
    { status: "failed", reason: "There is no credit left.", delivery: "delivered" },
  ]);
  expect(scene.chat.arrived[0]?.text).toBe("The job “hourly” failed. There is no credit left.");
  expect(scene.news).toMatchObject([{ job: { name: "hourly" }, occurrence: { status: "failed" } }]);
});

test.each([
  ["skip", ["missed 3"]],
  ["once", ["missed 2", "done"]],
] as const)("times that passed while Elwood was off, with catch-up %s", async (catchUp, expected) => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly({ catchUp }), "owner");
  scene.kill();
  scene.clock.set(START + 3 * HOUR + 20 * MINUTE);
  await scene.boot();
  await scene.at(scene.clock.now());
  const told = (await scene.history()).map(({ status, count }) => (count ? `${status} ${count}` : status));
  expect(told).toEqual(expected);
  await scene.at(START + 4 * HOUR);
  const last = (await scene.history()).at(-1);
  expect(last).toMatchObject({ status: "done", trigger: "schedule", dueAt: START + 4 * HOUR });
});

test("a job that is noticed a little late runs as if it were on time", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly(), "owner");
  await scene.at(START + HOUR + LIMITS.jobLateMs);
  expect(await scene.history()).toMatchObject([{ status: "done", trigger: "schedule", dueAt: START + HOUR }]);
});

test("while the run before has not ended, a time is skipped, or waits in turn, up to a limit", async () => {
  const [a, b] = [waits(), waits()];
  const answers = [a, b];
  const scene = await JobScene.open({
    start: START,
    answer: (request) =>
      textOf(request.messages[0]!).includes("skip me") ? answers[0]!.answer() : answers[1]!.answer(),
  });
  await scene.service.create(hourly({ name: "skips", message: "skip me" }), "owner");
  await scene.service.create(hourly({ name: "queues", overlap: "queue" }), "owner");
  for (let n = 1; n <= LIMITS.jobQueueMax + 2; n++) await scene.at(START + n * HOUR);
  const of = async (name: string) => {
    const { id } = await scene.service.get(name);
    return (await scene.history()).filter(({ jobId }) => jobId === id).map(({ status }) => status);
  };
  expect(await of("skips")).toEqual(["running", ...Array<string>(LIMITS.jobQueueMax + 1).fill("skipped")]);
  expect(await of("queues")).toEqual([
    "running",
    ...Array<string>(LIMITS.jobQueueMax).fill("queued"),
    "skipped",
  ]);
  a.end("Done.");
  b.end("Done.");
  for (let n = 0; n < 20; n++) await scene.quiet();
  expect((await of("skips")).filter((status) => status === "done").length).toBe(1);
  expect((await of("queues")).filter((status) => status === "done").length).toBe(1 + LIMITS.jobQueueMax);
});

test("a jitter moves the moment by the same for the same time, and never the due time", async () => {
  const scene = await JobScene.open({ start: START });
  const job = await scene.service.create(hourly({ jitterSeconds: 600 }), "owner");
  expect(job.nextAt).toBe(START + HOUR);
  expect(job.fireAt).toBeGreaterThan(START + HOUR);
  expect(job.fireAt).toBeLessThan(START + HOUR + 10 * MINUTE);
  await scene.at(job.fireAt! - 1);
  expect(await scene.history()).toEqual([]);
  await scene.at(job.fireAt!);
  expect(await scene.history()).toMatchObject([{ dueAt: START + HOUR, at: job.fireAt, status: "done" }]);
});

test("a clock that is set back by a day runs nothing twice, and puts nothing off for a day", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly(), "owner");
  for (let n = 1; n <= 26; n++) await scene.at(START + n * HOUR);
  expect((await scene.history()).length).toBe(26);
  await scene.at(START + 2 * HOUR + MINUTE);
  for (let n = 3; n <= 26; n++) await scene.at(START + n * HOUR);
  expect((await scene.history()).length).toBe(26);
  await scene.at(START + 27 * HOUR);
  expect((await scene.history()).at(-1)).toMatchObject({ status: "done", dueAt: START + 27 * HOUR });
});

test("a clock that jumps ahead by a day is downtime; back again, the next hour is the next run", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly(), "owner");
  await scene.at(START + 24 * HOUR + 10 * MINUTE);
  expect(await scene.history()).toMatchObject([{ status: "missed", count: 24 }]);
  await scene.at(START + 10 * MINUTE);
  expect((await scene.service.get("hourly")).nextAt).toBe(START + HOUR);
});

test("a machine that sleeps is noticed within half a minute of its waking", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.boot({ loop: true });
  await scene.service.create(hourly({ catchUp: "once" }), "owner");
  await scene.quiet();
  // Asleep: timers stand still while the clock on the wall goes on.
  scene.clock.set(START + 5 * HOUR + 10 * MINUTE);
  await scene.clock.advance(LIMITS.jobClockCheckMs);
  await scene.quiet();
  expect(await scene.history()).toMatchObject([
    { status: "missed", count: 4 },
    { status: "done", trigger: "catch-up", dueAt: START + 5 * HOUR },
  ]);
  await scene.scheduler.stop();
});

test("the scheduler waits for the next due time by itself, and hears of a job that is added meanwhile", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.boot({ loop: true });
  await scene.service.create(reminder({ at: "2026-11-16T08:00:20" }), "owner");
  await scene.quiet();
  await scene.clock.advance(20_000);
  await scene.quiet();
  expect(await scene.history()).toMatchObject([{ status: "done", at: START + 20_000 }]);
  await scene.scheduler.stop();
});

test("paused, a job does nothing; resumed, it goes on with the next time; run by hand, it runs at once", async () => {
  const scene = await JobScene.open({ start: START });
  await scene.service.create(hourly(), "owner");
  await scene.service.pause("hourly");
  await scene.at(START + 3 * HOUR);
  expect(await scene.history()).toEqual([]);
  const { occurrence } = await scene.service.runNow("hourly");
  await scene.quiet();
  expect(await scene.history()).toMatchObject([{ id: occurrence.id, status: "done", trigger: "manual" }]);
  expect((await scene.service.resume("HOURLY")).nextAt).toBe(START + 4 * HOUR);
});

test("a process that dies at any write leaves a job that runs once", async () => {
  const MOMENTS = 400;
  let finished = false;
  for (let moment = 1; moment < MOMENTS && !finished; moment++) {
    let writes = 0;
    const scene = await JobScene.open({
      start: START,
      fate: () => {
        writes += 1;
        return writes === moment ? "die" : "fine";
      },
    });
    await Promise.race([scene.service.create(hourly({ target: "telegram:7" }), "owner"), scene.process.died]);
    // Whoever asked for the job got no answer, and asks again.
    if (scene.process.dead) await scene.boot();
    if ((await scene.jobs.list(TENANT)).length === 0)
      await scene.service.create(hourly({ target: "telegram:7" }), "owner");
    await scene.at(START + HOUR);
    finished = !scene.process.dead && writes < moment;
    if (scene.process.dead) await scene.boot();
    await scene.at(START + HOUR + 1_000);
    await scene.quiet();
    const told = (await scene.history()).map(({ status, delivery }) => `${status} ${delivery}`);
    expect(told, `died at write ${moment}`).toEqual(["done delivered"]);
    expect(
      scene.chat.arrived.map(({ text }) => text),
      `died at write ${moment}`,
    ).toEqual(["Done."]);
    const { runs } = await scene.world.stores.runs.list(TENANT, { limit: 9 });
    expect(runs.length, `died at write ${moment}`).toBe(1);
  }
  expect(finished).toBe(true);
});

test("while nothing new may be begun, due times wait, and a reminder comes once that is over", async () => {
  const disk = { full: true };
  const scene = await JobScene.open({
    start: START,
    refusal: async () => (disk.full ? failure("STORAGE_FULL", "The disk is full.") : undefined),
  });
  await scene.service.create(reminder({ target: "telegram:7" }), "owner");
  await scene.at(Date.parse("2026-11-17T09:00:00Z"));
  expect([scene.chat.arrived, scene.news]).toEqual([[], []]);
  disk.full = false;
  await scene.at(Date.parse("2026-11-17T09:30:00Z"));
  expect(scene.chat.arrived.map(({ text }) => text)).toEqual([expect.stringContaining("call the landlord")]);
});

const backup = { name: "elwood-backup", kind: "backup", message: "", isolated: true } as const;
const nightly = {
  ...backup,
  schedule: { kind: "every", everyMs: 24 * HOUR },
  target: "telegram:7",
  catchUp: "once",
  overlap: "skip",
} as const;

test("a backup is made at its time and asks no model; one that fails is told where the owner wants it", async () => {
  const requests: ModelRequest[] = [];
  const outcomes: Result<string, string>[] = [ok("Wrote a.tar.gz."), err("The folder is not there.")];
  const scene = await JobScene.open({
    start: START,
    answer: (request) => (requests.push(request), says("never")),
    backUp: async () => outcomes.shift()!,
  });
  await scene.service.configure([nightly]);
  const job = await scene.service.get(backup.name);
  await scene.at(job.nextAt!);
  await scene.at(job.nextAt! + 24 * HOUR);
  const history = await scene.service.history({ limit: 5 });
  expect(history.map(({ status, reason }) => [status, reason])).toEqual([
    ["failed", "The folder is not there."],
    ["done", "Wrote a.tar.gz."],
  ]);
  expect(scene.chat.arrived.map(({ text }) => text)).toEqual([
    "The job “elwood-backup” failed. The folder is not there.",
  ]);
  expect(requests).toEqual([]);
  await expect(scene.service.remove(backup.name)).rejects.toMatchObject({
    failure: { message: expect.stringContaining("in the configuration (backup)") },
  });
});

test("a backup that a crash broke off is made anew, and one that a stop broke off too", async () => {
  const endings: (() => void)[] = [];
  const backUp = () =>
    new Promise<Result<string, string>>((resolve) => endings.push(() => resolve(ok("Wrote b.tar.gz."))));
  const scene = await JobScene.open({ start: START, backUp });
  await scene.service.configure([nightly]);
  const job = await scene.service.get(backup.name);
  await scene.at(job.nextAt!);
  expect(endings).toHaveLength(1);
  scene.kill();
  await scene.boot();
  expect(endings).toHaveLength(2);
  endings[1]!();
  await scene.quiet();
  const [only, ...others] = await scene.service.history({ limit: 5 });
  expect([only?.status, others]).toEqual(["done", []]);
});
