import { LIMITS } from "@elwood/core/base/limits";
import type { Job, Occurrence } from "@elwood/core/schedule/job";
import type { Jobs } from "@elwood/runtime/ports/jobs";
import { describe, expect, test } from "vitest";
import { failsWith, TENANT } from "./store-script.ts";

export interface JobsHarness {
  readonly jobs: Jobs;
  /** The same, as the next process finds it. */
  readonly reopen: () => Promise<Jobs>;
  dispose(): Promise<void>;
}

const AT = 1_763_200_000_000;

export function aJob(more: Partial<Job> = {}): Job {
  return {
    id: "job_1",
    name: "Morning",
    kind: "task",
    source: "owner",
    schedule: { kind: "every", everyMs: 60_000, from: AT },
    message: "What is new? ä\u{1f600}",
    isolated: true,
    target: "page",
    catchUp: "skip",
    overlap: "skip",
    jitterMs: 0,
    createdAt: AT,
    updatedAt: AT,
    nextAt: AT + 60_000,
    fireAt: AT + 60_000,
    ...more,
  };
}

export function anOccurrence(more: Partial<Occurrence> = {}): Occurrence {
  return {
    id: "occ_1",
    jobId: "job_1",
    dueAt: AT + 60_000,
    at: AT + 60_001,
    trigger: "schedule",
    status: "due",
    delivery: "none",
    ...more,
  };
}

/** What every Jobs does. Run by each implementation. */
export function jobsContract(name: string, open: () => Promise<JobsHarness>): void {
  const conflict = failsWith("CONFLICT");
  const withJobs = (work: (harness: JobsHarness) => Promise<void>) => async () => {
    const harness = await open();
    try {
      await work(harness);
    } finally {
      await harness.dispose();
    }
  };
  const next = (minutes: number) => ({ nextAt: AT + minutes * 60_000, fireAt: AT + minutes * 60_000 });

  describe(`Jobs: ${name}`, () => {
    test(
      "keeps jobs of every kind over a restart, and finds them by name in any case",
      withJobs(async ({ jobs, reopen }) => {
        const morning = aJob({
          agentId: "assistant",
          model: "ollama/qwen3",
          jitterMs: 5_000,
          isolated: false,
        });
        const once = aJob({ id: "job_2", name: "Ärzte", kind: "reminder", schedule: { kind: "at", at: AT } });
        const cron = aJob({
          id: "job_3",
          name: "zeta",
          schedule: { kind: "cron", expression: "0 9 * * 1", timeZone: "Europe/Berlin" },
          pausedAt: AT + 5,
        });
        for (const job of [cron, morning, once]) expect(await jobs.create(TENANT, job)).toEqual(job);
        const again = await reopen();
        expect(await again.get(TENANT, "job_1")).toEqual(morning);
        expect(await again.find(TENANT, " ärzte ")).toEqual(once);
        expect(await again.find(TENANT, "nothing")).toBeUndefined();
        expect((await again.list(TENANT)).map(({ id }) => id)).toEqual(["job_1", "job_3", "job_2"]);
        expect(await again.list("other")).toEqual([]);
      }),
    );

    test(
      "J1: no two jobs have one name, neither a new one nor one that is renamed",
      withJobs(async ({ jobs }) => {
        await jobs.create(TENANT, aJob());
        await jobs.create(TENANT, aJob({ id: "job_2", name: "Evening" }));
        await expect(jobs.create(TENANT, aJob({ id: "job_3", name: "MORNING" }))).rejects.toMatchObject(
          conflict,
        );
        await expect(jobs.change(TENANT, "job_2", { name: "morning", at: AT })).rejects.toMatchObject(
          conflict,
        );
        expect((await jobs.get(TENANT, "job_2"))?.name).toBe("Evening");
        await jobs.create("other", aJob());
      }),
    );

    test(
      "a change keeps what it does not name, and takes away what it says is gone",
      withJobs(async ({ jobs, reopen }) => {
        await jobs.create(TENANT, aJob({ model: "ollama/qwen3", agentId: "helper" }));
        const at = AT + 9;
        await jobs.change(TENANT, "job_1", {
          message: "New?",
          model: undefined,
          pausedAt: at,
          nextAt: null,
          fireAt: null,
          at,
        });
        const { nextAt: _next, fireAt: _fire, ...rest } = aJob();
        const changed = { ...rest, message: "New?", agentId: "helper", pausedAt: at, updatedAt: at };
        expect(await jobs.change(TENANT, "job_9", { message: "?", at })).toBeUndefined();
        expect(await (await reopen()).get(TENANT, "job_1")).toEqual(changed);
      }),
    );

    test(
      "says what is due, the longest due first, and when the next is; a paused job is never due",
      withJobs(async ({ jobs }) => {
        expect(await jobs.nextFire(TENANT)).toBeUndefined();
        await jobs.create(TENANT, aJob({ ...next(3) }));
        await jobs.create(TENANT, aJob({ id: "job_2", name: "b", ...next(1) }));
        const { nextAt: _next, fireAt: _fire, ...paused } = aJob({ id: "job_3", name: "c", pausedAt: AT });
        await jobs.create(TENANT, paused);
        expect(await jobs.nextFire(TENANT)).toBe(AT + 60_000);
        expect(await jobs.due(TENANT, AT + 59_999, 10)).toEqual([]);
        expect((await jobs.due(TENANT, AT + 180_000, 10)).map(({ id }) => id)).toEqual(["job_2", "job_1"]);
        expect((await jobs.due(TENANT, AT + 180_000, 1)).map(({ id }) => id)).toEqual(["job_2"]);
        expect(await jobs.due("other", AT + 180_000, 10)).toEqual([]);
      }),
    );

    test(
      "J3: due times and the next one are one write, made by one taker alone",
      withJobs(async ({ jobs, reopen }) => {
        await jobs.create(TENANT, aJob());
        const taken = { jobId: "job_1", expected: AT + 60_000, next: next(2) };
        const first = anOccurrence();
        expect(await jobs.take(TENANT, { ...taken, occurrences: [first] })).toEqual([first]);
        expect(
          await jobs.take(TENANT, { ...taken, occurrences: [anOccurrence({ id: "occ_2" })] }),
        ).toBeUndefined();
        const again = await reopen();
        expect(await again.get(TENANT, "job_1")).toMatchObject(next(2));
        expect(await again.open(TENANT)).toEqual([first]);
        expect(await again.take(TENANT, { ...taken, jobId: "job_9", occurrences: [] })).toBeUndefined();
      }),
    );

    test(
      "J2: a due time that comes again after the clock was set back is recorded once",
      withJobs(async ({ jobs }) => {
        await jobs.create(TENANT, aJob());
        await jobs.take(TENANT, {
          jobId: "job_1",
          expected: AT + 60_000,
          next: next(1),
          occurrences: [anOccurrence()],
        });
        const again = anOccurrence({ id: "occ_2", trigger: "catch-up" });
        const other = anOccurrence({ id: "occ_3", dueAt: AT + 120_000 });
        const taken = { jobId: "job_1", expected: AT + 60_000, next: next(3), occurrences: [again, other] };
        expect(await jobs.take(TENANT, taken)).toEqual([other]);
        // What somebody starts by hand is no due time.
        await jobs.record(TENANT, anOccurrence({ id: "occ_4", trigger: "manual" }));
        expect((await jobs.history(TENANT, { limit: 9 })).map(({ id }) => id)).toEqual([
          "occ_4",
          "occ_3",
          "occ_1",
        ]);
      }),
    );

    test(
      "a one-time job that is over is not due again",
      withJobs(async ({ jobs, reopen }) => {
        await jobs.create(TENANT, aJob({ schedule: { kind: "at", at: AT + 60_000 } }));
        const over = { nextAt: null, fireAt: null, endedAt: AT + 60_001 };
        await jobs.take(TENANT, {
          jobId: "job_1",
          expected: AT + 60_000,
          next: over,
          occurrences: [anOccurrence()],
        });
        const again = await reopen();
        expect(await again.nextFire(TENANT)).toBeUndefined();
        expect(await again.get(TENANT, "job_1")).toMatchObject({ endedAt: AT + 60_001 });
      }),
    );

    test(
      "J4: what became of a due time stays; its delivery is told once more",
      withJobs(async ({ jobs, reopen }) => {
        await jobs.create(TENANT, aJob());
        await jobs.record(TENANT, anOccurrence({ trigger: "manual" }));
        await jobs.settle(TENANT, "occ_1", { status: "running", runId: "run_1", sessionId: "ses_1" });
        const done = { status: "done", delivery: "pending", endedAt: AT + 9 } as const;
        await jobs.settle(TENANT, "occ_1", done);
        expect(await jobs.settle(TENANT, "occ_1", { status: "failed" })).toBeUndefined();
        const again = await reopen();
        expect(await again.open(TENANT)).toMatchObject([{ id: "occ_1", ...done, runId: "run_1" }]);
        await again.settle(TENANT, "occ_1", { delivery: "failed", deliveryProblem: "The chat is gone." });
        expect(await again.settle(TENANT, "occ_1", { delivery: "delivered" })).toBeUndefined();
        expect(await again.open(TENANT)).toEqual([]);
        expect(await again.history(TENANT, { runId: "run_1", limit: 1 })).toMatchObject([
          { status: "done", delivery: "failed", deliveryProblem: "The chat is gone." },
        ]);
        expect(await again.settle(TENANT, "occ_9", { status: "done" })).toBeUndefined();
      }),
    );

    test(
      "history is read page by page, newest first, and goes with its job",
      withJobs(async ({ jobs }) => {
        await jobs.create(TENANT, aJob());
        await jobs.create(TENANT, aJob({ id: "job_2", name: "b" }));
        // In the order in which they were recorded, whatever their ids.
        for (const n of [1, 2, 3, 4]) {
          const jobId = n === 4 ? "job_2" : "job_1";
          const over = { status: "done", count: n, reason: "r", quiet: true, endedAt: AT } as const;
          await jobs.record(TENANT, anOccurrence({ id: `occ_${n}`, jobId, dueAt: AT + n, ...over }));
        }
        const ids = async (query: Parameters<Jobs["history"]>[1]) =>
          (await jobs.history(TENANT, query)).map(({ id }) => id);
        expect(await ids({ limit: 2 })).toEqual(["occ_4", "occ_3"]);
        expect(await ids({ jobId: "job_1", limit: 2 })).toEqual(["occ_3", "occ_2"]);
        expect(await ids({ jobId: "job_1", limit: 2, before: "occ_2" })).toEqual(["occ_1"]);
        expect((await jobs.history(TENANT, { limit: 1 }))[0]).toMatchObject({
          count: 4,
          reason: "r",
          quiet: true,
        });
        expect(await jobs.remove(TENANT, "job_1")).toBe(true);
        expect(await jobs.remove(TENANT, "job_1")).toBe(false);
        expect(await ids({ limit: 9 })).toEqual(["occ_4"]);
        await expect(jobs.record(TENANT, anOccurrence())).rejects.toMatchObject(failsWith("NOT_FOUND"));
      }),
    );

    test(
      "old due times of a job make room for new ones, but not those of the last two days or those that are open",
      withJobs(async ({ jobs }) => {
        await jobs.create(TENANT, aJob());
        const old = LIMITS.jobHistoryMax + 5;
        const id = (n: number) => `occ_${String(n).padStart(5, "0")}`;
        for (let n = 1; n <= old; n++)
          await jobs.record(
            TENANT,
            anOccurrence({ id: id(n), dueAt: AT + n, status: n === 1 ? "running" : "done" }),
          );
        expect((await jobs.history(TENANT, { limit: 200, before: id(10) })).length).toBe(9);
        const later = AT + LIMITS.jobHistoryMs + old + 1;
        await jobs.record(TENANT, anOccurrence({ id: id(old + 1), dueAt: later, status: "done" }));
        const left = await jobs.history(TENANT, { limit: 200, before: id(10) });
        expect(left.map((each) => each.id)).toEqual([id(9), id(8), id(7), id(1)]);
      }),
    );

    test(
      "more jobs than there may be are refused with words",
      withJobs(async ({ jobs }) => {
        for (let n = 0; n < LIMITS.jobsMax; n++)
          await jobs.create(TENANT, aJob({ id: `job_${n}`, name: `n${n}` }));
        await expect(jobs.create(TENANT, aJob({ id: "job_x", name: "x" }))).rejects.toMatchObject(
          failsWith("INVALID_INPUT"),
        );
      }),
    );
  });
}
