import type { WireJob, WireOccurrence } from "@elwood/core/protocol/job-shapes";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { EXIT } from "./io.ts";
import {
  addJob,
  jobHistory,
  listJobs,
  removeJob,
  runHeartbeat,
  runJob,
  setPaused,
  showJob,
} from "./jobs-command.ts";
import { testGateway, type Answers } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const NOW = Date.parse("2026-11-16T08:00:00Z");

const occurrence = (more: Partial<WireOccurrence> = {}): WireOccurrence => ({
  occurrenceId: "occ_1",
  jobId: "job_1",
  dueAt: NOW - 3_600_000,
  at: NOW - 3_600_000,
  trigger: "schedule",
  status: "done",
  delivery: "delivered",
  sessionKey: "ses_1",
  runId: "run_1",
  ...more,
});

const job = (more: Partial<WireJob> = {}): WireJob => ({
  jobId: "job_1",
  name: "news",
  kind: "task",
  source: "owner",
  message: "What is new?",
  schedule: { kind: "cron", expression: "0 8 * * 1-5" },
  when: "0 8 * * 1-5 (UTC)",
  status: "active",
  isolated: true,
  target: "page",
  catchUp: "skip",
  overlap: "skip",
  jitterSeconds: 0,
  createdAt: NOW,
  updatedAt: NOW,
  next: [{ at: NOW + 1, local: "Tue 2026-11-17 08:00", there: "Tue 2026-11-17 17:00 Asia/Tokyo" }],
  last: occurrence(),
  ...more,
});

async function scene(answers: Answers) {
  const { client, calls, push } = await testGateway(answers);
  const clock = new ManualClock({ start: NOW, autoAdvance: true });
  return { io: testIo(), deps: { client, clock, timeZone: "UTC" }, calls, push };
}

test("jobs list has the next time of each job and what became of the last", async () => {
  const missed = occurrence({ status: "missed", count: 3, delivery: "none" });
  const { io, deps } = await scene({
    "jobs.list": () => ({ jobs: [job(), job({ name: "old", status: "paused", next: [], last: missed })] }),
  });
  expect(await listJobs(io, deps, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toBe(
    [
      "NAME  KIND  WHEN               NEXT                  LAST\n",
      "news  task  0 8 * * 1-5 (UTC)  Tue 2026-11-17 08:00  done 1 h ago\n",
      "old   task  0 8 * * 1-5 (UTC)  paused                missed 3 times 1 h ago\n",
    ].join(""),
  );
});

test("jobs show has the next times in both zones, and tells the run apart from its delivery", async () => {
  const history = [
    occurrence({ delivery: "failed", deliveryProblem: "The chat is gone." }),
    occurrence({ status: "running", waiting: true, delivery: "none" }),
  ];
  const { io, deps } = await scene({ "jobs.get": () => ({ job: job(), history }) });
  expect(await showJob(io, deps, { name: "news", json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("Tue 2026-11-17 08:00  (Tue 2026-11-17 17:00 Asia/Tokyo)");
  expect(io.out()).toContain("done, not delivered  The chat is gone.");
  expect(io.out()).toContain("waits for you");
});

test("jobs add says when it runs next", async () => {
  const { io, deps, calls } = await scene({
    "jobs.create": () => ({ job: job({ kind: "reminder", name: "call" }) }),
  });
  const given = { kind: "reminder", message: "call", at: "2026-11-17T08:00" } as const;
  expect(await addJob(io, deps, { job: given, json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("Added the reminder “call”");
  expect(calls).toEqual([{ method: "jobs.create", params: given }]);
});

test("EL-16: jobs run waits for the end, prints the reply, and fails where the run did", async () => {
  let looks = 0;
  const running = occurrence({ status: "running", delivery: "none" });
  const answers = (end: WireOccurrence): Answers => ({
    "jobs.run": () => ({ job: job(), occurrence: running }),
    "jobs.get": () => ({ job: job(), history: [++looks % 3 === 0 ? end : running] }),
    "chat.history": () => ({
      more: false,
      messages: [
        {
          id: "msg_1",
          runId: "run_1",
          ts: NOW,
          role: "assistant",
          origin: "model",
          content: "Nothing new.",
          blocks: [{ type: "text", text: "Nothing new." }],
        },
      ],
    }),
  });
  const done = await scene(answers(occurrence()));
  expect(await runJob(done.io, done.deps, { name: "news", wait: true, json: false })).toBe(EXIT.ok);
  expect(done.io.out()).toBe("Nothing new.\n");
  const failed = await scene(answers(occurrence({ status: "failed", reason: "There is no credit left." })));
  expect(await runJob(failed.io, failed.deps, { name: "news", wait: true, json: false })).toBe(EXIT.failed);
  expect(failed.io.err()).toBe("Failed: There is no credit left.\n");
  const waits = await scene(answers(occurrence({ status: "running", waiting: true })));
  expect(await runJob(waits.io, waits.deps, { name: "news", wait: true, json: false })).toBe(EXIT.ok);
  expect(waits.io.err()).toContain("It waits for your decision: elwood approvals list");
  const begun = await scene(answers(running));
  expect(await runJob(begun.io, begun.deps, { name: "news", wait: false, json: true })).toBe(EXIT.ok);
  expect(begun.io.json()).toMatchObject({ occurrence: { status: "running" } });
});

test("a heartbeat with nothing to ask says so", async () => {
  const { io, deps } = await scene({ "heartbeat.run": () => ({ note: "HEARTBEAT.md says nothing." }) });
  expect(await runHeartbeat(io, deps, { wait: true, json: false })).toBe(EXIT.ok);
  expect(io.out()).toBe("HEARTBEAT.md says nothing.\n");
});

test("jobs pause, resume and remove say what they did, and history what became of each time", async () => {
  const { io, deps } = await scene({
    "jobs.pause": () => ({ job: job({ status: "paused", next: [] }) }),
    "jobs.resume": () => ({ job: job() }),
    "jobs.delete": () => ({ job: job() }),
    "jobs.history": () => ({
      occurrences: [
        occurrence({ job: "news", trigger: "catch-up" }),
        occurrence({ job: "heartbeat", quiet: true, delivery: "none" }),
        occurrence({
          job: "news",
          status: "skipped",
          delivery: "none",
          reason: "The run before it had not ended.",
        }),
      ],
    }),
  });
  await setPaused(io, deps, { name: "news", paused: true, json: false });
  await setPaused(io, deps, { name: "news", paused: false, json: false });
  await removeJob(io, deps, { name: "news", yes: true, json: false });
  await jobHistory(io, deps, { json: false });
  expect(io.out()).toContain('“news” is paused. Resume it with: elwood jobs resume "news"');
  expect(io.out()).toContain("“news” runs next Tue 2026-11-17 08:00.");
  expect(io.out()).toContain("Removed the task “news”.");
  expect(io.out()).toMatch(/news +done \(late\) +delivered/);
  expect(io.out()).toMatch(/heartbeat +nothing to report/);
  expect(io.out()).toMatch(/news +skipped +The run before it had not ended\./);
});
