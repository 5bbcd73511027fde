import { ManualClock } from "@elwood/testkit/manual-clock";
import { startScriptedAnthropic, type ScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

const START = Date.parse("2026-11-16T08:00:00Z");
let model: ScriptedAnthropic;
let scene: Scene;

beforeAll(async () => {
  model = await startScriptedAnthropic();
  scene = await openScene(model, {
    clock: new ManualClock({ start: START }),
    config: "timeZone: Europe/Berlin\nheartbeat:\n  intervalMinutes: 0\n",
  });
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const named = async (name: string) =>
  (await scene.call("jobs.list", {})).jobs.find((job) => job.name === name);

test.each([
  ["Remind me tomorrow at 9 to call the landlord.", "call the landlord", "2026-11-17T09:00"],
  ["Remind me tonight at 9 to lock the door", "lock the door", "2026-11-16T21:00"],
  ["Remind me on Friday at 15:30 to water the plants", "water the plants", "2026-11-20T15:30"],
  ["Erinnere mich morgen um 9 Uhr daran, Milch zu kaufen", "Milch kaufen", "2026-11-17T09:00"],
])(
  "a reminder whose time and text the owner typed is set unasked, and can be undone: %s",
  async (says, message, at) => {
    const { asks, runId } = await scene.run({ says, calls: [["schedule.job.create", { message, at }]] });
    expect(asks).toEqual([]);
    const job = await named(message);
    expect(job).toMatchObject({ kind: "reminder", source: "agent", status: "active", message });
    expect(job?.next).toMatchObject([{ local: expect.stringContaining(at.replace("T", " ")) }]);
    const { activity } = await scene.call("runs.activity", { runId });
    expect(activity).toMatchObject([{ toolId: "schedule.job.create", status: "succeeded" }]);
    await scene.call("calls.undo", { callId: activity[0]!.callId });
    expect(await named(message)).toBeUndefined();
  },
);

test.each([
  [
    "another time",
    "Remind me tomorrow at 9 to call the landlord.",
    { message: "call the landlord", at: "2026-11-17T21:00" },
  ],
  [
    "another day",
    "Remind me tomorrow at 9 to call the landlord.",
    { message: "call the landlord", at: "2026-12-17T09:00" },
  ],
  [
    "another text",
    "Remind me tomorrow at 9 to call the landlord.",
    { message: "send 500 euros to Eve", at: "2026-11-17T09:00" },
  ],
  [
    "nothing that asks for it",
    "What is on my list?",
    { message: "call the landlord", at: "2026-11-17T09:00" },
  ],
])("a reminder with %s asks", async (_what, says, input) => {
  const { asks } = await scene.run({ says, calls: [["schedule.job.create", input]] });
  expect(asks).toHaveLength(1);
  expect(await named(input.message)).toBeUndefined();
});

test("a job that repeats asks, and shows its next five times", async () => {
  const { asks } = await scene.run({
    says: "Every weekday at 8, remind me to stretch",
    calls: [["schedule.job.create", { message: "stretch", cron: "0 8 * * 1-5" }]],
    decide: () => "allow",
  });
  expect(asks).toHaveLength(1);
  expect(asks[0]).toMatchObject({ rule: "ask.recurring" });
  const shown = asks[0]?.preview?.after ?? "";
  expect(
    shown
      .split("\n")
      .slice(-5)
      .map((line) => line.trim()),
  ).toEqual([
    "Tue 2026-11-17 08:00",
    "Wed 2026-11-18 08:00",
    "Thu 2026-11-19 08:00",
    "Fri 2026-11-20 08:00",
    "Mon 2026-11-23 08:00",
  ]);
  expect(await named("stretch")).toMatchObject({ when: "0 8 * * 1-5 (Europe/Berlin)" });
  // Neither is it changed or removed for the model's own reasons.
  const later = await scene.run({
    says: "What is on my list?",
    calls: [
      ["schedule.job.list", {}],
      ["schedule.job.update", { name: "stretch", every: "1m" }],
      ["schedule.job.delete", { name: "stretch" }],
    ],
  });
  expect(later.asks.map(({ toolName }) => toolName)).toEqual(["schedule.job.update", "schedule.job.delete"]);
  const gone = await scene.run({
    says: 'Delete the reminder "stretch"',
    calls: [["schedule.job.delete", { name: "stretch" }]],
    decide: () => "allow",
  });
  expect(await named("stretch")).toBeUndefined();
  const { activity } = await scene.call("runs.activity", { runId: gone.runId });
  await scene.call("calls.undo", { callId: activity[0]!.callId });
  expect(await named("stretch")).toMatchObject({ when: "0 8 * * 1-5 (Europe/Berlin)", status: "active" });
});

test("what a job says authorises nothing: a reminder that it asks for waits for the owner", async () => {
  const script = model.play([
    ["schedule.job.create", { message: "call the landlord", at: "2026-11-17T09:00" }],
  ]);
  await scene.call("jobs.create", {
    name: "sly",
    message: "Remind me tomorrow at 9 to call the landlord.",
    every: "1d",
    model: `anthropic/${script}`,
  });
  await scene.call("jobs.run", { name: "sly" });
  await expect
    .poll(async () => (await scene.call("jobs.get", { name: "sly" })).history[0]?.waiting, {
      timeout: 10_000,
    })
    .toBe(true);
  const { approvals } = await scene.call("approvals.list", { status: "pending" });
  expect(approvals).toMatchObject([{ toolName: "schedule.job.create" }]);
  await scene.call("exec.deny", { approvalId: approvals[0]!.approvalId });
  await expect
    .poll(async () => (await scene.call("jobs.get", { name: "sly" })).history[0]?.status, { timeout: 10_000 })
    .toBe("done");
  expect(await named("call the landlord")).toBeUndefined();
});
