import { failure, FailureError, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import { err, type Result } from "@elwood/core/base/result";
import { isEnded, type Run, type Session } from "@elwood/core/message/session";
import { counted } from "@elwood/core/base/relative-time";
import { isNothingToReport } from "@elwood/core/schedule/heartbeat-reply";
import { isOver, PAGE_TARGET, type Job, type Occurrence, type Trigger } from "@elwood/core/schedule/job";
import { keyedMutex } from "../async/serial-queue.ts";
import type { Deliveries, Jobs } from "../ports/jobs.ts";
import type { Clock, Ids, Log, OutsideKey, Principal, Stores } from "../ports/ports.ts";
import type { Engine } from "../run/engine.ts";
import type { JobTimetable } from "./job-times.ts";
import { deliveredReply, replyOf, type JobWords } from "./job-reply.ts";
import { jobText, runJobOf, type Heartbeat } from "./job-text.ts";

export interface SchedulerDeps {
  readonly tenant: string;
  readonly jobs: Jobs;
  readonly stores: Pick<Stores, "sessions" | "runs">;
  readonly engine: Pick<Engine, "submit" | "submitReminder" | "start" | "announce" | "onSessionChange">;
  readonly timetable: JobTimetable;
  readonly deliveries: Deliveries;
  readonly heartbeat: Heartbeat;
  readonly defaultAgentId: string;
  readonly localTime: LocalTime;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly hash: (text: string) => string;
  /** Makes a backup: what was made, or why none was. Ends early with the signal. */
  readonly backUp?: (stopped: AbortSignal) => Promise<Result<string, string>>;
  /** Why nothing new is begun now; due times wait until that is over. */
  readonly refusal?: () => Promise<Failure | undefined>;
}

/** What became of an occurrence, for whoever notifies people of it. */
export interface JobNews {
  readonly job: Job;
  readonly occurrence: Occurrence;
  /** What was or is to be delivered; empty where there is nothing. */
  readonly text: string;
}

/** Where messages of jobs come from, as every run says it. */
export const JOB_SURFACE = "schedule";

/**
 * Acts on jobs when they are due.
 *
 * S1 A due time is recorded, and the job moved on, before anything is done about it. What is recorded
 *    and not begun is begun at the next start, in the session and under the key that were chosen with
 *    the record: it is begun once, wherever a crash falls.
 * S2 Time is read from the clock at every turn, never counted. A machine that slept, or whose clock
 *    was set, is noticed within `jobClockCheckMs`.
 * S3 The words of a job have the origin `schedule`. Nothing in them counts as said by the owner.
 * S4 What became of the run and what became of its delivery are told apart, and both are stored.
 * S5 A reminder asks no model, and a backup is no run: one that was broken off is made anew.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  /** Those whose run has not ended, by their id. */
  readonly #open = new Map<string, Occurrence>();
  /** Those whose reply nobody took yet, and since when. */
  readonly #owed = new Map<string, number>();
  readonly #listeners = new Set<(news: JobNews) => void>();
  readonly #settling = keyedMutex();
  readonly #stopping = new AbortController();
  readonly #deaf: (() => void)[] = [];
  #wake = new AbortController();
  #lastLook: number;
  #running: Promise<void> | undefined;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#lastLook = deps.clock.now();
  }

  /** Begins what the last process left, then waits for due times. Call once, after runs were recovered. */
  async start(): Promise<void> {
    await this.recover();
    this.#running = this.#run();
  }

  /** The first part of a start. */
  async recover(): Promise<void> {
    this.attach();
    await this.#recover();
    await this.#realign();
  }

  /** Looks after runs that are begun by hand, and waits for nothing: for a process that is there for one job. */
  attach(): void {
    if (this.#deaf.length > 0) return;
    const { engine, deliveries } = this.#deps;
    this.#deaf.push(
      engine.onSessionChange((tenant, change) => {
        if (tenant === this.#deps.tenant) this.#sessionChanged(change.sessionKey);
      }),
      deliveries.onSettled((tenant, key, outcome) => {
        if (tenant === this.#deps.tenant) void this.#deliverySettled(key, outcome);
      }),
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    for (const stop of this.#deaf) stop();
    await this.#running;
  }

  /** Jobs were added or changed. */
  poke(): void {
    this.#wake.abort();
  }

  onNews(listener: (news: JobNews) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs a job at once, whatever its schedule; its next due time stays. */
  async runNow(job: Job): Promise<Occurrence> {
    const at = this.#deps.clock.now();
    const occurrence = this.#occurrence(job, at, at, "manual");
    await this.#deps.jobs.record(this.#deps.tenant, occurrence);
    return this.#begin(job, occurrence);
  }

  async #run(): Promise<void> {
    const { clock, jobs, tenant, log } = this.#deps;
    while (!this.#stopping.signal.aborted) {
      this.#wake = new AbortController();
      let wait: number = LIMITS.jobClockCheckMs;
      try {
        const all = await this.tick();
        const next = await jobs.nextFire(tenant);
        if (all && next !== undefined) wait = Math.min(wait, next - clock.now());
      } catch (error) {
        log.error("the scheduler could not look at its jobs; it tries again", { error });
      }
      // S2
      await clock.sleep(Math.max(1, wait), this.#wake.signal);
    }
  }

  /** Acts on all that is due by now. False where something could not be acted on and has to be tried again. */
  async tick(): Promise<boolean> {
    const { clock, jobs, tenant, log } = this.#deps;
    const now = clock.now();
    if (now < this.#lastLook) await this.#realign();
    this.#lastLook = now;
    await this.#seeToDeliveries(now);
    if (await this.#deps.refusal?.()) return false;
    let all = true;
    for (const job of await jobs.due(tenant, now, LIMITS.jobsPerTickMax)) {
      if (this.#stopping.signal.aborted) break;
      try {
        await this.#due(job, now);
      } catch (error) {
        // The job keeps its due time.
        all = false;
        log.error("a job could not be acted on; it is tried again", { job: job.name, error });
      }
    }
    return all;
  }

  /** S1 */
  async #due(job: Job, now: number): Promise<void> {
    const { jobs, tenant, timetable } = this.#deps;
    const expected = job.nextAt!;
    const passed = await timetable.passed(job.schedule, expected, now);
    const latest = passed.at(-1) ?? expected;
    const times = await this.#withoutActedOn(job, passed);
    const next = await this.#after(job, Math.max(now, latest));
    const isLate = now - timetable.fireAt(job, latest) > LIMITS.jobLateMs;
    const occurrences = times.length === 0 ? [] : await this.#occurrences(job, times, now, isLate);
    const fresh = await jobs.take(tenant, { jobId: job.id, expected, next, occurrences });
    for (const occurrence of fresh ?? []) {
      if (occurrence.status === "due") await this.#begin(job, occurrence);
      else if (occurrence.status === "queued") this.#open.set(occurrence.id, occurrence);
      else this.#tell(job, occurrence, "");
    }
  }

  /**
   * Where the clock was set back, times come again. Those up to the last one that was acted on were
   * acted on too, or made up for by it; a clock that was wrong by more than that is believed now.
   */
  async #withoutActedOn(job: Job, times: readonly number[]): Promise<readonly number[]> {
    const { jobs, tenant } = this.#deps;
    const recent = await jobs.history(tenant, { jobId: job.id, limit: RECENT });
    const acted = recent.filter(
      ({ trigger, status }) => trigger !== "manual" && status !== "missed" && status !== "skipped",
    );
    const last = Math.max(...acted.map(({ dueAt }) => dueAt));
    return times.filter((time) => time > last || last - time > LIMITS.jobHistoryMs);
  }

  async #after(job: Job, now: number) {
    const times = await this.#deps.timetable.after(job, now);
    return times.nextAt === null ? { ...times, endedAt: now } : times;
  }

  /** What is to be recorded of the times that have passed: what is begun, and what was missed. */
  async #occurrences(
    job: Job,
    times: readonly number[],
    now: number,
    isLate: boolean,
  ): Promise<readonly Occurrence[]> {
    const latest = times.at(-1)!;
    if (job.kind === "heartbeat") return this.#heartbeat(job, latest, now, isLate);
    const catchesUp = job.kind === "reminder" || job.catchUp === "once";
    const begins = !isLate || catchesUp;
    const missed = begins ? times.slice(0, -1) : times;
    return [
      ...this.#missed(job, missed, now, begins),
      ...(begins ? [this.#beginning(job, latest, now, isLate ? "catch-up" : "schedule")] : []),
    ];
  }

  /** A look around that was missed is not made up for, and one with nothing to ask leaves no trace. */
  async #heartbeat(job: Job, dueAt: number, now: number, isLate: boolean): Promise<readonly Occurrence[]> {
    const { heartbeat } = this.#deps;
    if (isLate || !heartbeat.isActive(now) || (await heartbeat.prompt()) === "") return [];
    return [this.#beginning(job, dueAt, now, "schedule")];
  }

  #missed(job: Job, times: readonly number[], now: number, begins: boolean): readonly Occurrence[] {
    const dueAt = times.at(-1);
    if (dueAt === undefined) return [];
    const atLeast = times.length >= LIMITS.jobMissedMax ? "At least " : "";
    const what = times.length === 1 ? "It" : `${atLeast}${counted(times.length, "time")}`;
    const reason = `${what} passed while Elwood was not running or the machine slept.${begins ? " One run makes up for all." : ""}`;
    const count = times.length === 1 ? {} : { count: times.length };
    return [
      { ...this.#occurrence(job, dueAt, now, "schedule"), status: "missed", ...count, reason, endedAt: now },
    ];
  }

  /** One that is begun now, or waits, or is left out because the run before it has not ended. */
  #beginning(job: Job, dueAt: number, now: number, trigger: Trigger): Occurrence {
    const occurrence = this.#occurrence(job, dueAt, now, trigger);
    const before = [...this.#open.values()].filter(({ jobId }) => jobId === job.id);
    if (before.length === 0 || job.kind === "reminder") return occurrence;
    const waiting = before.filter(({ status }) => status === "queued").length;
    if (job.overlap === "queue" && waiting < LIMITS.jobQueueMax) return { ...occurrence, status: "queued" };
    const reason =
      job.overlap === "queue"
        ? `${LIMITS.jobQueueMax} earlier times of it still wait.`
        : "The run before it had not ended.";
    return { ...occurrence, status: "skipped", reason, endedAt: now };
  }

  #occurrence(job: Job, dueAt: number, at: number, trigger: Trigger): Occurrence {
    const { ids } = this.#deps;
    return {
      id: ids.next("occurrence"),
      jobId: job.id,
      dueAt,
      at,
      trigger,
      status: "due",
      delivery: "none",
      // Chosen here, so that it is the same after a crash.
      ...(job.kind === "task" && job.isolated ? { sessionId: ids.next("session") } : {}),
    };
  }

  /** Makes a run of it. What cannot be begun has failed, in words. */
  async #begin(job: Job, occurrence: Occurrence): Promise<Occurrence> {
    const { engine, tenant } = this.#deps;
    this.#open.set(occurrence.id, occurrence);
    if (job.kind === "backup") return this.#beginBackup(job, occurrence);
    try {
      const session = await this.#sessionFor(job, occurrence);
      const chosen = (await this.#settle(job, occurrence, { sessionId: session.id })) ?? occurrence;
      const { run, repeated } = await this.#submit(job, chosen, session);
      const running = (await this.#settle(job, chosen, { status: "running", runId: run.id })) ?? chosen;
      // A run that was accepted by a process that died is started by the recovery of runs, and may have ended by now.
      if (repeated) await this.#ended(running.id);
      else engine.start(tenant, run);
      return running;
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      if (error.failure.reason === "STOPPING") return occurrence;
      return this.#cannotBegin(job, occurrence, error.failure);
    }
  }

  async #beginBackup(job: Job, occurrence: Occurrence): Promise<Occurrence> {
    const running = (await this.#settle(job, occurrence, { status: "running" })) ?? occurrence;
    this.#backUp(job, running).catch((error: unknown) =>
      this.#deps.log.error(
        "what became of a backup could not be stored; it is made again at the next start",
        {
          error,
        },
      ),
    );
    return running;
  }

  async #backUp(job: Job, occurrence: Occurrence): Promise<void> {
    const { backUp, clock } = this.#deps;
    const made = backUp ? await backUp(this.#stopping.signal) : err("This Elwood makes no backups.");
    if (this.#stopping.signal.aborted) return;
    const endedAt = clock.now();
    if (made.ok) await this.#over(job, occurrence, { status: "done", reason: made.value, endedAt }, SILENT);
    else {
      const text = failedWords(job, made.error);
      await this.#over(job, occurrence, { status: "failed", reason: made.error, endedAt }, { text });
    }
  }

  async #submit(job: Job, { id, dueAt, trigger }: Occurrence, session: Session) {
    const { engine, heartbeat, tenant, localTime, hash } = this.#deps;
    const asked = {
      principal: jobPrincipal(tenant, job),
      sessionId: session.id,
      surface: JOB_SURFACE,
      idempotencyKey: id,
    };
    // S5
    if (job.kind === "reminder") {
      const late = trigger === "catch-up" ? { late: lateWords(localTime.format(dueAt)) } : {};
      return engine.submitReminder(asked, { text: job.message, ...late });
    }
    const text = await jobText(job, heartbeat);
    // S3
    return engine.submit({
      ...asked,
      origin: "schedule",
      parts: [{ kind: "text", text, origin: "schedule" }],
      job: runJobOf(job, text, session.agentId, hash),
      ...(job.model === undefined ? {} : { model: job.model }),
    });
  }

  async #sessionFor(job: Job, occurrence: Occurrence): Promise<Session> {
    const { stores, tenant } = this.#deps;
    if (occurrence.sessionId !== undefined) {
      const known = await stores.sessions.get(tenant, occurrence.sessionId);
      if (known && known.deletedAt === undefined) return known;
      return this.#newSession(job, occurrence.sessionId, job.name);
    }
    const chat = chatOf(job);
    const key = chat ?? { channel: JOB_SURFACE, chat: SHARED_CHATS[job.kind] };
    const known = await stores.sessions.findByKey(tenant, key);
    if (known && !(await this.#isHeldUp(job, known))) return known;
    // The session of a chat is the channel's to make; until then the job has one of its own.
    if (chat && known === undefined) return this.#newSession(job, this.#deps.ids.next("session"), job.name);
    const session = await this.#newSession(job, this.#deps.ids.next("session"), SHARED_TITLES[job.kind]);
    return (await stores.sessions.bind(tenant, session.id, key)) ?? session;
  }

  /** A reminder does not wait behind a run that waits for the owner. */
  async #isHeldUp(job: Job, { id }: Session): Promise<boolean> {
    if (job.kind !== "reminder") return false;
    return (await this.#deps.stores.runs.unfinished(this.#deps.tenant, id)).length > 0;
  }

  async #newSession(job: Job, id: string, title: string): Promise<Session> {
    const { stores, tenant, clock, defaultAgentId, engine } = this.#deps;
    const agentId = job.agentId ?? defaultAgentId;
    const at = clock.now();
    const session = await stores.sessions.create(tenant, { id, agentId, title, at });
    engine.announce(tenant, { sessionKey: id, what: "created" });
    // The name of the job says more than its first words, which are the same every time.
    return (await stores.sessions.rename(tenant, id, title, "owner")) ?? session;
  }

  async #cannotBegin(job: Job, occurrence: Occurrence, { message }: Failure): Promise<Occurrence> {
    const at = this.#deps.clock.now();
    const ended = await this.#over(
      job,
      occurrence,
      { status: "failed", reason: message, endedAt: at },
      { text: message },
    );
    return ended ?? occurrence;
  }

  #sessionChanged(sessionKey: string): void {
    for (const { id, sessionId, status } of this.#open.values())
      if (status === "running" && sessionId === sessionKey)
        this.#ended(id).catch((error: unknown) =>
          this.#deps.log.error("what became of a job could not be stored; it is tried at the next start", {
            error,
          }),
        );
  }

  /** Looks whether the run of an occurrence has ended, and records what came of it. */
  async #ended(occurrenceId: string): Promise<void> {
    await this.#settling.run(occurrenceId, async () => {
      const { jobs, stores, tenant } = this.#deps;
      const occurrence = this.#open.get(occurrenceId);
      if (occurrence?.runId === undefined) return;
      const [run, job] = await Promise.all([
        stores.runs.get(tenant, occurrence.runId),
        jobs.get(tenant, occurrence.jobId),
      ]);
      if (!job) {
        this.#open.delete(occurrenceId);
        return;
      }
      if (run && !isEnded(run.status)) return;
      await this.#runEnded(job, occurrence, run);
    });
  }

  async #runEnded(job: Job, occurrence: Occurrence, run: Run | undefined): Promise<void> {
    const { stores, tenant, clock } = this.#deps;
    const endedAt = run?.endedAt ?? clock.now();
    if (run === undefined) {
      const reason = "Its session was deleted before the run ended.";
      await this.#over(job, occurrence, { status: "stopped", reason, endedAt }, SILENT);
      return;
    }
    const { steps } = await stores.runs.journal(tenant, run.id);
    if (run.status === "aborted") {
      await this.#over(job, occurrence, { status: "stopped", reason: "It was stopped.", endedAt }, SILENT);
    } else if (run.status === "failed") {
      const reason = run.failure?.message ?? "The run failed.";
      const text = failedWords(job, reason);
      await this.#over(job, occurrence, { status: "failed", reason, endedAt }, { text });
    } else if (job.kind === "heartbeat" && isNothingToReport(replyOf(steps))) {
      await this.#over(job, occurrence, { status: "done", quiet: true, endedAt }, SILENT);
    } else {
      const words = await deliveredReply(run, steps);
      await this.#over(job, occurrence, { status: "done", endedAt }, words);
    }
  }

  /** S4: the end is stored with its delivery still open, then the text is handed over. */
  async #over(
    job: Job,
    occurrence: Occurrence,
    end: Pick<Occurrence, "status"> & Partial<Pick<Occurrence, "reason" | "quiet" | "endedAt">>,
    words: JobWords,
  ): Promise<Occurrence | undefined> {
    const onPage = job.target === PAGE_TARGET;
    const delivery = words.text === "" ? "none" : onPage ? "delivered" : "pending";
    const over = await this.#settle(job, occurrence, { ...end, delivery });
    this.#open.delete(occurrence.id);
    if (over?.delivery === "pending") await this.#deliver(job, over, words);
    if (over) this.#tell(job, over, words.text);
    await this.#beginQueued(job);
    return over;
  }

  async #deliver(job: Job, { id, runId }: Occurrence, words: JobWords): Promise<void> {
    const { deliveries, tenant } = this.#deps;
    const outcome = await deliveries.deliver(tenant, {
      key: id,
      target: job.target,
      ...words,
      ...(runId === undefined ? {} : { runId }),
    });
    if (!outcome.ok && outcome.error.retryable)
      this.#owed.set(id, this.#owed.get(id) ?? this.#deps.clock.now());
    else if (outcome.ok && outcome.value === "accepted") this.#owed.delete(id);
    else await this.#deliverySettled(id, outcome.ok ? { ok: true, value: "delivered" } : outcome);
  }

  /** What nobody took is handed over again, under the same key, until it is or is too old. */
  async #seeToDeliveries(now: number): Promise<void> {
    const { jobs, tenant } = this.#deps;
    for (const [id, since] of this.#owed) {
      if (now - since > LIMITS.outboxAgeMaxMs)
        await this.#deliverySettled(id, err(failure("TIMEOUT", TOO_OLD)));
      else {
        const occurrence = (await jobs.open(tenant)).find((each) => each.id === id);
        const job = occurrence && (await jobs.get(tenant, occurrence.jobId));
        if (job) await this.#deliver(job, occurrence, await this.#wordsOf(job, occurrence));
        else this.#owed.delete(id);
      }
    }
  }

  /** What there is to deliver, as far as it can still be read. */
  async #wordsOf(job: Job, { status, reason, runId }: Occurrence): Promise<JobWords> {
    if (status === "failed") return { text: failedWords(job, reason ?? "") };
    const { stores, tenant } = this.#deps;
    const run = runId === undefined ? undefined : await stores.runs.get(tenant, runId);
    return run ? deliveredReply(run, (await stores.runs.journal(tenant, run.id)).steps) : SILENT;
  }

  async #deliverySettled(key: string, outcome: Result<"delivered", Failure>): Promise<void> {
    const { jobs, tenant, log } = this.#deps;
    this.#owed.delete(key);
    try {
      await jobs.settle(
        tenant,
        key,
        outcome.ok
          ? { delivery: "delivered" }
          : { delivery: "failed", deliveryProblem: outcome.error.message },
      );
    } catch (error) {
      log.error("how a delivery of a job ended could not be stored", { occurrence: key, error });
    }
  }

  async #beginQueued(job: Job): Promise<void> {
    const [next] = [...this.#open.values()]
      .filter(({ jobId, status }) => jobId === job.id && status === "queued")
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const isBusy = [...this.#open.values()].some(
      ({ jobId, status }) => jobId === job.id && status !== "queued",
    );
    if (next && !isBusy && !this.#stopping.signal.aborted) await this.#begin(job, next);
  }

  /** Remembers what was stored; undefined where the job is gone meanwhile. */
  async #settle(
    _job: Job,
    { id }: Occurrence,
    change: Parameters<Jobs["settle"]>[2],
  ): Promise<Occurrence | undefined> {
    const settled = await this.#deps.jobs.settle(this.#deps.tenant, id, change);
    if (settled === undefined) this.#open.delete(id);
    else if (!isOver(settled.status)) this.#open.set(id, settled);
    return settled;
  }

  #tell(job: Job, occurrence: Occurrence, text: string): void {
    for (const listener of this.#listeners) listener({ job, occurrence, text });
  }

  /** What the last process left: begun, looked after, or delivered again under the same key. */
  async #recover(): Promise<void> {
    const { jobs, tenant, log } = this.#deps;
    for (const occurrence of await jobs.open(tenant)) {
      const job = await jobs.get(tenant, occurrence.jobId);
      if (!job) continue;
      if (!isOver(occurrence.status)) this.#open.set(occurrence.id, occurrence);
      try {
        const isBackup = job.kind === "backup" && occurrence.status === "running";
        if (occurrence.status === "due" || isBackup) await this.#begin(job, occurrence);
        else if (occurrence.status === "running") await this.#ended(occurrence.id);
        else if (isOver(occurrence.status))
          await this.#deliver(job, occurrence, await this.#wordsOf(job, occurrence));
      } catch (error) {
        log.error("a job that the last process left could not be gone on with", { job: job.name, error });
      }
    }
    for (const job of await jobs.list(tenant)) await this.#beginQueued(job);
  }

  /**
   * After a start, and where the clock was set back: every due time that lies ahead is reckoned anew.
   * A clock that was wrong by a year must not put a job off for a year. Times that passed are left to
   * `tick`, and times that were acted on are not acted on again, since they are recorded.
   */
  async #realign(): Promise<void> {
    const { jobs, tenant, clock, timetable } = this.#deps;
    const now = clock.now();
    for (const job of await jobs.list(tenant)) {
      if (job.nextAt === undefined || job.nextAt <= now || job.schedule.kind === "at") continue;
      const next = await timetable.after(job, now);
      if (next.nextAt === null || next.nextAt === job.nextAt) continue;
      await jobs.take(tenant, { jobId: job.id, expected: job.nextAt, next, occurrences: [] });
    }
  }
}

/** Due times that are looked at to tell whether one was acted on before. */
const RECENT = 20;
/** There is nothing to deliver. */
const SILENT: JobWords = { text: "" };
const TOO_OLD = "It could not be delivered for too long. The reply is in its session on the page.";

/** Whoever sends the words of a job may chat, and nothing else. */
export function jobPrincipal(tenant: string, { name }: Job): Principal {
  return { tenant, tokenId: JOB_SURFACE, name, scopes: new Set(["chat"]) };
}

/** Sessions that go on, by the kind of the job. */
const SHARED_CHATS: Readonly<Record<Job["kind"], string>> = {
  reminder: "reminders",
  task: "main",
  heartbeat: "heartbeat",
  backup: "backup",
};
const SHARED_TITLES: Readonly<Record<Job["kind"], string>> = {
  reminder: "Reminders",
  task: "Scheduled",
  heartbeat: "heartbeat",
  backup: "Backups",
};

/** The chat whose session a job shares: who reads its reply there can answer it. */
function chatOf({ kind, target }: Job): OutsideKey | undefined {
  const colon = target.indexOf(":");
  if (kind === "heartbeat" || kind === "reminder" || colon < 0) return undefined;
  return { channel: target.slice(0, colon), chat: target.slice(colon + 1) };
}

function lateWords(dueAt: string): string {
  return `It was due ${dueAt}; Elwood was not running then.`;
}

function failedWords({ name }: Job, reason: string): string {
  return `The job “${name}” failed. ${reason}`;
}
