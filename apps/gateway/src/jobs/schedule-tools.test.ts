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
  ["Remind me in 20 minutes to take the pizza out", "take the pizza out", "2026-11-16T09:20"],
  ["Erinnere mich heute Abend um halb neun an die Wäsche", "Wäsche", "2026-11-16T20:30"],
  ["Remind me tomorrow at 9 am Tokyo time to call Ken", "call Ken", "2026-11-17T01:00"],
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
    "the hour of another place",
    "Remind me tomorrow at 9 am Tokyo time to call Ken",
    { message: "call Ken", at: "2026-11-17T09:00" },
  ],
  [
    "nothing that asks for it",
    "What is on my list?",
    { message: "call the landlord", at: "2026-11-17T09:00" },
  ],
])("a reminder with %s asks", async (_what, says, input) => {
  const { asks } = await scene.run({ says, calls: [["schedule.job.create", input]] });
  expect(asks).toHaveLength(1);
  // What and when stand in the title, once.
  const day = input.at.startsWith("2026-12") ? "Thu" : "Tue";
  const title = `Remind you on ${day} ${input.at.replace("T", " ")}: ${input.message}`;
  expect(asks[0]?.card).toMatchObject({ title, body: { kind: "none" }, fields: [] });
  expect(await named(input.message)).toBeUndefined();
});

test("a time by another place's clock is told by both", async () => {
  const input = { message: "call Kenji", at: "2026-11-17T09:00", timeZone: "Tokyo" };
  const { asks } = await scene.run({ says: "What is on my list?", calls: [["schedule.job.create", input]] });
  expect(asks[0]?.card.title).toBe(
    "Remind you on Tue 2026-11-17 01:00 (Tue 2026-11-17 09:00 in Asia/Tokyo): call Kenji",
  );
});

test("a time that is none, or has passed, is refused with what time it is", async () => {
  for (const at of ["in 20 minutes", "2026-11-16T08:30"]) {
    const { runId } = await scene.run({
      says: "Remind me in 20 minutes to turn the oven off",
      calls: [["schedule.job.create", { message: "turn the oven off", at }]],
    });
    expect(model.lastShown()).toContain("it is Mon 2026-11-16 09:00 (Europe/Berlin)");
    expect((await scene.call("runs.activity", { runId })).activity).toMatchObject([{ status: "failed" }]);
  }
});

test("moving a reminder shows when it was and when it will be, and can be undone", async () => {
  await scene.call("jobs.create", {
    name: "dentist",
    kind: "reminder",
    message: "dentist",
    at: "2026-11-17T09:00",
  });
  const { asks, runId } = await scene.run({
    says: "What is on my list?",
    calls: [["schedule.job.update", { name: "dentist", at: "2026-11-17T10:30" }]],
    decide: () => "allow",
  });
  expect(asks[0]?.card).toMatchObject({
    title: "Move “dentist” to Tue 2026-11-17 10:30",
    note: "you can undo this",
    fields: [],
    body: {
      lines: [
        { mark: " ", line: "dentist" },
        { mark: "-", line: "on Tue 2026-11-17 09:00" },
        { mark: "+", line: "on Tue 2026-11-17 10:30" },
      ],
    },
  });
  expect((await named("dentist"))?.next[0]?.local).toBe("Tue 2026-11-17 10:30");
  const { activity } = await scene.call("runs.activity", { runId });
  await scene.call("calls.undo", { callId: activity[0]!.callId });
  expect((await named("dentist"))?.next[0]?.local).toBe("Tue 2026-11-17 09:00");
});

test("a reminder is moved unasked where the owner says which and to when, and otherwise it asks", async () => {
  const make = (message: string, at: string) => scene.call("jobs.create", { kind: "reminder", message, at });
  await make("Call the optician", "2026-11-18T09:00");
  await make("Water the plants", "2026-11-18T10:00");
  const moving = async (says: string, name: string, at: string) =>
    (await scene.run({ says, calls: [["schedule.job.update", { name, at }]] })).asks.map(
      ({ reason }) => reason,
    );
  expect(await moving("Move the optician reminder to 5 pm", "Call the optician", "2026-11-18T17:00")).toEqual(
    [],
  );
  expect(await named("Call the optician")).toMatchObject({
    next: [{ local: expect.stringContaining("2026-11-18 17:00") }],
  });
  expect(
    await moving("Push the optician reminder back by an hour", "Call the optician", "2026-11-18T18:00"),
  ).toEqual([]);
  expect(
    await moving("Move the optician reminder to 5 pm", "Water the plants", "2026-11-18T17:00"),
  ).toMatchObject([expect.stringContaining("Water the plants")]);
  expect(
    await moving("Move the optician reminder to 5 pm", "Call the optician", "2026-11-19T17:00"),
  ).toMatchObject([expect.stringContaining("2026-11-19T17:00")]);
});

test("a job that repeats asks, and shows its next five times", async () => {
  const { asks } = await scene.run({
    says: "Every weekday at 8, remind me to stretch",
    calls: [["schedule.job.create", { message: "stretch", cron: "0 8 * * 1-5" }]],
    decide: () => "allow",
  });
  expect(asks).toHaveLength(1);
  expect(asks[0]).toMatchObject({ rule: "ask.recurring" });
  expect(asks[0]?.card).toMatchObject({
    title: "Remind you every weekday at 08:00: stretch",
    body: { kind: "none" },
  });
  const times = ["Tue 2026-11-17", "Wed 2026-11-18", "Thu 2026-11-19", "Fri 2026-11-20", "Mon 2026-11-23"];
  expect(asks[0]?.card.fields).toEqual([
    { name: "Next", text: times.map((day) => `${day} 08:00`).join("\n") },
  ]);
  expect(await named("stretch")).toMatchObject({ when: "every weekday at 08:00" });
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
  expect(await named("stretch")).toMatchObject({ when: "every weekday at 08:00", status: "active" });
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
    .poll(async () => (await scene.call("jobs.get", { name: "sly" })).history[0]?.waiting)
    .toBe(true);
  const { approvals } = await scene.call("approvals.list", { status: "pending" });
  expect(approvals).toMatchObject([
    { toolName: "schedule.job.create", card: { note: "asked by the job “sly” · you can undo this" } },
  ]);
  await scene.call("exec.deny", { approvalId: approvals[0]!.approvalId });
  await expect
    .poll(async () => (await scene.call("jobs.get", { name: "sly" })).history[0]?.status)
    .toBe("done");
  expect(await named("call the landlord")).toBeUndefined();
});
