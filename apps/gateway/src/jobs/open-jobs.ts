import type { Failure } from "@elwood/core/base/failure";
import { LocalTime } from "@elwood/core/base/local-time";
import { err, ok, type Result } from "@elwood/core/base/result";
import { ZoneClock } from "@elwood/core/base/zone-clock";
import { heartbeatPrompt } from "@elwood/core/schedule/heartbeat-reply";
import { isActiveAt } from "@elwood/core/schedule/active-hours";
import { HEARTBEAT_NAME, type Job, type Occurrence } from "@elwood/core/schedule/job";
import { JobGrants } from "@elwood/runtime/jobs/job-grants";
import { Rehearsals } from "@elwood/runtime/jobs/rehearsals";
import type { ApprovalService } from "@elwood/runtime/gate/approval-service";
import type { Ledger, ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import { JobService, type ConfiguredJob } from "@elwood/runtime/jobs/job-service";
import { JobTimetable } from "@elwood/runtime/jobs/job-times";
import { Scheduler, type JobNews } from "@elwood/runtime/jobs/scheduler";
import type { Deliveries, Jobs } from "@elwood/runtime/ports/jobs";
import type { Agents, Clock, Ids, Log, Stores } from "@elwood/runtime/ports/ports";
import type { Engine } from "@elwood/runtime/run/engine";
import { sha256 } from "@elwood/platform/system";
import { readAgentFile } from "../config/agent-folder.ts";
import type { LoadedConfig } from "../config/load.ts";
import { DEFAULTS } from "../config/schema.ts";
import { backupJob, makeBackup } from "./backup-job.ts";
import { cronTimes } from "./cron-times.ts";

export interface JobParts {
  readonly loaded: LoadedConfig;
  /** Of this Elwood. */
  readonly version: string;
  readonly tenant: string;
  readonly jobs: Jobs;
  readonly stores: Pick<Stores, "sessions" | "runs">;
  readonly ledger: Ledger;
  readonly approvals: ApprovalService;
  readonly toolSnapshot: () => ToolSnapshot;
  readonly engine: Engine;
  readonly agents: Agents;
  readonly deliveries: Deliveries;
  /** Whether somebody can be reached under a target that is not the page. */
  readonly reaches: (target: string) => boolean;
  /** Why nothing new is begun now. */
  readonly refusal: () => Promise<Failure | undefined>;
  readonly localTime: LocalTime;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** Jobs as this process has them. */
export interface OpenedJobs {
  readonly service: JobService;
  readonly rehearsals: Rehearsals;
  readonly grants: JobGrants;
  /** Takes up the configuration and waits for due times. Answers what of the configuration cannot be done, in words. */
  start(): Promise<readonly string[]>;
  stop(): Promise<void>;
  onNews(listener: (news: JobNews) => void): () => void;
  heartbeatNow(): Promise<Result<{ readonly job: Job; readonly occurrence: Occurrence }, string>>;
}

/** Loaded when there is something to do at a time, or when somebody asks. */
export function openJobs(parts: JobParts): OpenedJobs {
  const { loaded, tenant, jobs, agents, localTime, clock, ids, log } = parts;
  const timetable = new JobTimetable({ cron: cronTimes(), timeZone: localTime.timeZone, hash: sha256 });
  const heartbeat = heartbeatOf(loaded, log);
  const defaultAgentId = loaded.config.agents.default;
  const scheduler = new Scheduler({
    ...parts,
    timetable,
    heartbeat,
    backUp: (stopped) => makeBackup(loaded, { now: clock.now(), version: parts.version }, stopped),
    defaultAgentId,
    hash: sha256,
  });
  const about = { ...parts, heartbeat, defaultAgentId, hash: sha256 };
  const rehearsals = new Rehearsals(about);
  const grants = new JobGrants({ ...about, rehearsals });
  // What is run by hand is looked after, also where nobody waits for due times.
  scheduler.attach();
  const service = new JobService({
    tenant,
    jobs,
    timetable,
    agents,
    localTime,
    clock,
    ids,
    log,
    scheduler: async () => scheduler,
    reaches: parts.reaches,
  });
  return {
    service,
    rehearsals,
    grants,
    async start() {
      const problems = await service.configure(configuredJobs(loaded));
      await scheduler.start();
      return problems;
    },
    stop: () => scheduler.stop(),
    onNews: (listener) => scheduler.onNews(listener),
    async heartbeatNow() {
      if ((await heartbeat.prompt()) === "")
        return err("HEARTBEAT.md in the workspace says nothing to look at, so no model was asked.");
      await service.configure(configuredJobs(loaded));
      return ok(await service.runNow(HEARTBEAT_NAME));
    },
  };
}

/** What the configuration wants done at a time. */
function configuredJobs(loaded: LoadedConfig): ConfiguredJob[] {
  const { config } = loaded;
  const { intervalMinutes, target } = config.heartbeat;
  const heartbeat: ConfiguredJob = {
    name: HEARTBEAT_NAME,
    kind: "heartbeat",
    schedule: { kind: "every", everyMs: (intervalMinutes || DEFAULTS.heartbeat.intervalMinutes) * 60_000 },
    message: "",
    isolated: false,
    target,
    catchUp: "skip",
    overlap: "skip",
    ...(intervalMinutes === 0 ? { off: true } : {}),
  };
  const cron = config.cron.map(({ schedule, ...given }): ConfiguredJob => ({
    ...given,
    kind: "task",
    schedule: { kind: "cron", expression: schedule },
  }));
  return [heartbeat, ...backupJob(loaded), ...cron];
}

function heartbeatOf({ config, workspaceDir }: LoadedConfig, log: Log) {
  const { activeHoursStart: start = 0, activeHoursEnd: end = 24 } = config.heartbeat;
  const zone = new ZoneClock(config.timeZone);
  return {
    async prompt() {
      const file = await readAgentFile(workspaceDir, "HEARTBEAT.md", workspaceDir);
      if (!file.ok) {
        log.warn(`HEARTBEAT.md ${file.error} The heartbeat asks nothing until it can be read.`);
        return "";
      }
      return file.value.found ? heartbeatPrompt(file.value.text) : "";
    },
    isActive: (at: number) => isActiveAt(at, { start, end }, zone),
  };
}
