import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAnthropic, anthropic } from "@elwood/testkit/anthropic-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

const START = Date.parse("2026-11-16T08:00:00Z");
const ZONE = "timeZone: Europe/Berlin\n";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

/** The last due time of a job, once it is over. */
async function over(scene: Scene, name: string, clock?: ManualClock) {
  const last = async () => {
    // A scheduler that was not asleep when time passed sleeps for a moment more.
    await clock?.advance(1_000);
    return (await scene.call("jobs.get", { name })).history[0];
  };
  await expect.poll(async () => (await last())?.endedAt).toBeDefined();
  return (await last())!;
}

async function lastOf(scene: Scene, name: string, status: string) {
  await expect.poll(async () => (await scene.call("jobs.get", { name })).history[0]?.status).toBe(status);
  return (await scene.call("jobs.get", { name })).history[0]!;
}

test("EL-13: a job of the configuration has its next times in both zones, and is changed only there", async () => {
  const clock = new ManualClock({ start: START });
  const config = `${ZONE}cron:\n  - name: Morning\n    schedule: "0 9 * * 1-5"\n    message: What is new?\n`;
  await using scene = await open({ clock, config });
  await expect.poll(async () => (await scene.call("jobs.list", {})).jobs.length).toBe(2);
  const { job } = await scene.call("jobs.get", { name: "morning" });
  expect(job).toMatchObject({ source: "config", kind: "task", isolated: true, status: "active" });
  expect(job.when).toBe("every weekday at 09:00");
  expect(job.next.map(({ local }) => local)).toEqual([
    "Tue 2026-11-17 09:00",
    "Wed 2026-11-18 09:00",
    "Thu 2026-11-19 09:00",
    "Fri 2026-11-20 09:00",
    "Mon 2026-11-23 09:00",
  ]);
  await expect(scene.call("jobs.delete", { name: "Morning" })).rejects.toThrow(
    /set in the configuration \(cron\)/,
  );
  const tokyo = await scene.call("jobs.create", {
    message: "Stand-up",
    cron: "30 9 * * *",
    timeZone: "Asia/Tokyo",
  });
  expect(tokyo.job.next[0]).toMatchObject({
    local: "Tue 2026-11-17 01:30",
    there: "Tue 2026-11-17 09:30 Asia/Tokyo",
  });
});

test("a reminder is delivered at its time although the provider is gone and the budget is spent", async () => {
  const clock = new ManualClock({ start: START });
  const config = `${ZONE}limits:\n  dayCostUsd: 0.000001\n`;
  await using scene = await openScene({ url: "http://127.0.0.1:9", play: () => "never" }, { clock, config });
  const { job } = await scene.call("jobs.create", {
    kind: "reminder",
    message: "call the landlord",
    at: "2026-11-16T09:30",
  });
  expect(job.next).toMatchObject([{ local: "Mon 2026-11-16 09:30" }]);
  await clock.advance(30 * 60_000);
  const last = await over(scene, job.name, clock);
  expect(last.status).toBe("done");
  expect(last).toMatchObject({ delivery: "delivered", trigger: "schedule" });
  const { session, messages } = await scene.call("sessions.get", { sessionKey: last.sessionKey ?? "" });
  expect(session.title).toBe("Reminders");
  expect(messages.map(({ role, origin, content }) => [role, origin, content])).toEqual([
    ["user", "schedule", "call the landlord"],
    ["assistant", "gateway", "Reminder: call the landlord"],
  ]);
  const { run } = await scene.call("runs.get", { runId: last.runId ?? "" });
  expect(run).toMatchObject({ surface: "schedule", status: "done", laps: 0 });
  expect((await scene.call("jobs.get", { name: job.name })).job.status).toBe("over");
});

test("jobs are added, changed, paused, run by hand and removed; what cannot be is refused in words", async () => {
  await using scene = await open({ config: ZONE });
  const refused = (params: Parameters<typeof scene.call<"jobs.create">>[1], words: RegExp) =>
    expect(scene.call("jobs.create", params)).rejects.toThrow(words);
  await refused({ message: "x" }, /needs one of at \(once\), every/);
  await refused({ message: "x", at: "2020-01-01T09:00" }, /has passed already/);
  await refused({ message: "x", at: "tomorrow" }, /is no date and time/);
  await refused({ message: "x", every: "10s" }, /is no interval/);
  await refused({ message: "x", cron: "0 9 * *" }, /has 4 parts and needs 5/);
  await refused({ message: "x", cron: "0 9 30 2 *" }, /never comes/);
  await refused({ message: "x", every: "1h", timeZone: "Mars/Base" }, /is no time zone/);
  await refused({ message: "x", every: "1h", target: "fax:1" }, /Nothing can be delivered to/);
  await refused({ message: "x", every: "1h", name: "Heartbeat" }, /is taken by Elwood's own job/);
  await refused({ message: "x", every: "1h", agentId: "nobody" }, /There is no agent "nobody"/);
  const { job } = await scene.call("jobs.create", { name: "look", message: "Look.", every: "2h" });
  expect(job).toMatchObject({ when: "every 2 hours", status: "active", target: "page" });
  await refused({ message: "x", every: "1h", name: "LOOK" }, /is a job called "LOOK" already/);
  const changed = await scene.call("jobs.update", { name: "look", change: { every: "1d", message: "See." } });
  expect(changed.job).toMatchObject({ when: "every day", message: "See.", jobId: job.jobId });
  expect((await scene.call("jobs.pause", { name: "look" })).job).toMatchObject({
    status: "paused",
    next: [],
  });
  const begun = await scene.call("jobs.run", { name: "look" });
  expect(begun.occurrence).toMatchObject({ trigger: "manual", status: "running" });
  expect(await lastOf(scene, "look", "done")).toMatchObject({ runId: begun.occurrence.runId });
  expect((await scene.call("jobs.resume", { name: "look" })).job.status).toBe("active");
  const { occurrences } = await scene.call("jobs.history", {});
  expect(occurrences).toMatchObject([{ job: "look", status: "done", trigger: "manual" }]);
  await scene.call("jobs.delete", { name: "look" });
  await expect(scene.call("jobs.get", { name: "look" })).rejects.toThrow(/There is no job "look"/);
});

test("EL-12: the heartbeat asks no model while its file says nothing; what has nothing to report is kept and not delivered", async () => {
  const replies = ["HEARTBEAT_OK", "Shall I look at the disk more often?"];
  const server = await startAnthropic();
  onTestFinished(() => server.close());
  const clock = new ManualClock({ start: START });
  await using scene = await openScene({ url: server.url, play: () => "never" }, { clock, config: ZONE });
  const asked = await scene.call("heartbeat.run", {});
  expect(asked).toEqual({ note: expect.stringMatching(/HEARTBEAT\.md .* says nothing to look at/) });
  // Once this one has come, the heartbeat before it was looked at too.
  await scene.call("jobs.create", {
    name: "after",
    kind: "reminder",
    message: "x",
    at: "2026-11-16T09:30:30",
  });
  await clock.advance(31 * 60_000);
  await over(scene, "after", clock);
  expect((await scene.call("jobs.history", {})).occurrences).toMatchObject([{ job: "after" }]);
  expect(server.requests).toEqual([]);
  mkdirSync(join(scene.home, "workspace"), { recursive: true });
  writeFileSync(join(scene.home, "workspace", "HEARTBEAT.md"), "# Heartbeat\n\nLook at the disk.\n");
  for (const reply of replies) {
    server.will(anthropic.reply(reply));
    await scene.call("heartbeat.run", {});
    const ended = await over(scene, "heartbeat");
    expect(ended.reason).toBeUndefined();
    expect(ended.status).toBe("done");
  }
  const { occurrences } = await scene.call("jobs.history", { name: "heartbeat" });
  expect(occurrences).toMatchObject([{ delivery: "delivered" }, { quiet: true, delivery: "none" }]);
  expect(occurrences[0]?.sessionKey).toBe(occurrences[1]?.sessionKey);
  const { session } = await scene.call("sessions.get", { sessionKey: occurrences[0]?.sessionKey ?? "" });
  expect(session.title).toBe("heartbeat");
});

test("a job whose last run failed is listed among what wants the owner, until one does better", async () => {
  const server = await startAnthropic();
  onTestFinished(() => server.close());
  await using scene = await openScene({ url: server.url, play: () => "never" }, { config: ZONE });
  await scene.call("jobs.create", { name: "look", message: "Look.", every: "2h" });
  const told = async () =>
    (await scene.call("attention.list", {})).items
      .filter(({ kind }) => kind === "job")
      .map(({ text }) => text);
  server.will(anthropic.error(400, { message: "no" }));
  await scene.call("jobs.run", { name: "look" });
  await over(scene, "look");
  expect(await told()).toEqual([expect.stringMatching(/^The job “look” failed\. /)]);
  server.will(anthropic.reply("What shall I look at?"));
  await scene.call("jobs.run", { name: "look" });
  await lastOf(scene, "look", "done");
  expect(await told()).toEqual([]);
});

test("a panic stop pauses every job, and says how many", async () => {
  await using scene = await open({ config: ZONE });
  await scene.call("jobs.create", { name: "look", message: "Look.", every: "2h" });
  await expect.poll(async () => (await scene.call("jobs.list", {})).jobs.length).toBe(2);
  expect(await scene.call("gateway.stop_all", {})).toMatchObject({ jobsPaused: 2 });
  const { jobs } = await scene.call("jobs.list", {});
  expect(jobs.map(({ name, status }) => [name, status])).toEqual([
    ["heartbeat", "paused"],
    ["look", "paused"],
  ]);
});
