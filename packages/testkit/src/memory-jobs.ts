import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { foldCase, plainLine } from "@elwood/core/message/session-text";
import { changedJob, isOver, settled, withTimes, type Job, type Occurrence } from "@elwood/core/schedule/job";
import type { Jobs } from "@elwood/runtime/ports/jobs";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import { copied, keyOf } from "./memory-state.ts";

/** Jobs in memory; they pass the same contract suite as those of the gateway. */
export function memoryJobs(): Jobs {
  const jobs = new Map<string, Job>();
  const occurrences = new Map<string, Occurrence>();
  const of = <T>(rows: Map<string, T>, tenant: string) => {
    checkTenant(tenant);
    return [...rows].filter(([key]) => key.startsWith(`${tenant} `)).map(([, row]) => row);
  };
  const folded = (name: string) => foldCase(plainLine(name));
  const isTaken = (tenant: string, name: string, except?: string) =>
    of(jobs, tenant).some((job) => folded(job.name) === folded(name) && job.id !== except);
  const isOpen = ({ status, delivery }: Occurrence) => !isOver(status) || delivery === "pending";
  const record = (tenant: string, occurrence: Occurrence) => {
    const { jobId, dueAt, trigger } = occurrence;
    const known = of(occurrences, tenant).some(
      (other) =>
        other.id === occurrence.id ||
        (trigger !== "manual" &&
          other.trigger !== "manual" &&
          other.jobId === jobId &&
          other.dueAt === dueAt),
    );
    if (known) return false;
    occurrences.set(keyOf(tenant, occurrence.id), copied(occurrence));
    return true;
  };
  const prune = (tenant: string, jobId: string, at: number) => {
    const newestFirst = of(occurrences, tenant)
      .filter((each) => each.jobId === jobId)
      .toReversed();
    for (const [index, each] of newestFirst.entries()) {
      const old = index >= LIMITS.jobHistoryMax && each.dueAt < at - LIMITS.jobHistoryMs;
      if ((old || index >= LIMITS.jobHistoryRowsMax) && !isOpen(each))
        occurrences.delete(keyOf(tenant, each.id));
    }
  };
  const taken = (name: string) => fail("CONFLICT", `There is a job called "${name}" already.`);
  return {
    async create(tenant, job) {
      if (of(jobs, tenant).length >= LIMITS.jobsMax) fail("INVALID_INPUT", "There are too many jobs.");
      if (isTaken(tenant, job.name)) taken(job.name);
      jobs.set(keyOf(tenant, job.id), copied(job));
      return copied(job);
    },

    async get(tenant, jobId) {
      checkTenant(tenant);
      const job = jobs.get(keyOf(tenant, jobId));
      return job && copied(job);
    },

    async find(tenant, name) {
      const job = of(jobs, tenant).find((each) => folded(each.name) === folded(name));
      return job && copied(job);
    },

    async list(tenant) {
      return copied(of(jobs, tenant)).sort((a, b) => (folded(a.name) < folded(b.name) ? -1 : 1));
    },

    async change(tenant, jobId, { at, ...change }) {
      checkTenant(tenant);
      const known = jobs.get(keyOf(tenant, jobId));
      if (!known) return undefined;
      const job = changedJob(known, change, at);
      if (isTaken(tenant, job.name, jobId)) taken(job.name);
      jobs.set(keyOf(tenant, jobId), copied(job));
      return copied(job);
    },

    async remove(tenant, jobId) {
      checkTenant(tenant);
      for (const each of of(occurrences, tenant))
        if (each.jobId === jobId) occurrences.delete(keyOf(tenant, each.id));
      return jobs.delete(keyOf(tenant, jobId));
    },

    async due(tenant, at, limit) {
      const fires = of(jobs, tenant).filter(({ fireAt }) => fireAt !== undefined && fireAt <= at);
      return copied(fires.sort((a, b) => a.fireAt! - b.fireAt!).slice(0, limit));
    },

    async nextFire(tenant) {
      const times = of(jobs, tenant).flatMap(({ fireAt }) => fireAt ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    },

    async take(tenant, { jobId, expected, next, occurrences: given }) {
      checkTenant(tenant);
      const known = jobs.get(keyOf(tenant, jobId));
      if (known?.nextAt !== expected) return undefined;
      jobs.set(keyOf(tenant, jobId), withTimes(known, next));
      const fresh = given.filter((each) => record(tenant, each));
      if (fresh.length > 0) prune(tenant, jobId, Math.max(...fresh.map(({ dueAt }) => dueAt)));
      return copied(fresh);
    },

    async record(tenant, occurrence) {
      checkTenant(tenant);
      const { jobId, dueAt } = occurrence;
      if (!jobs.has(keyOf(tenant, jobId))) fail("NOT_FOUND", `There is no job ${jobId}.`);
      record(tenant, occurrence);
      prune(tenant, jobId, dueAt);
    },

    async settle(tenant, occurrenceId, change) {
      checkTenant(tenant);
      const before = occurrences.get(keyOf(tenant, occurrenceId));
      const after = before && settled(before, change);
      if (after) occurrences.set(keyOf(tenant, occurrenceId), copied(after));
      return after && copied(after);
    },

    async open(tenant) {
      return copied(of(occurrences, tenant).filter(isOpen));
    },

    async history(tenant, { jobId, runId, limit, before }) {
      const newestFirst = of(occurrences, tenant).toReversed();
      const at = newestFirst.findIndex(({ id }) => id === before);
      const found = newestFirst
        .slice(at + 1)
        .filter((each) =>
          runId === undefined ? (jobId ?? each.jobId) === each.jobId : each.runId === runId,
        );
      return copied(found.slice(0, pageLimit(limit)));
    },
  };
}
