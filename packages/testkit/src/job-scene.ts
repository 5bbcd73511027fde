import { createHash } from "node:crypto";
import { LocalTime } from "@elwood/core/base/local-time";
import { err, ok } from "@elwood/core/base/result";
import { failure, type Failure } from "@elwood/core/base/failure";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import type { Occurrence } from "@elwood/core/schedule/job";
import { JobService } from "@elwood/runtime/jobs/job-service";
import { JobTimetable } from "@elwood/runtime/jobs/job-times";
import { Scheduler, type JobNews, type SchedulerDeps } from "@elwood/runtime/jobs/scheduler";
import type { CronTimes, Deliveries, Delivery, Jobs } from "@elwood/runtime/ports/jobs";
import { nextEventLoopTurn } from "./manual-clock.ts";
import { memoryJobs } from "./memory-jobs.ts";
import { memoryLog } from "./memory-log.ts";
import { loadAhead } from "./simulation.ts";
import { SimulatedProcess, simulatedWorld, TENANT, type SimulatedWorld } from "./simulation-process.ts";

/** A chat service that keeps a ledger of what arrived, each key once. */
export class ChatLedger implements Deliveries {
  readonly arrived: Delivery[] = [];
  /** What becomes of the next ones; they arrive at once unless told. */
  behaviour: "arrives" | "accepts" | "refuses" | "is-away" = "arrives";
  readonly #listeners = new Set<Parameters<Deliveries["onSettled"]>[0]>();

  async deliver(_tenant: string, delivery: Delivery) {
    if (this.behaviour === "refuses")
      return err(failure("NOT_FOUND", "The chat is gone. It was not delivered."));
    if (this.behaviour === "is-away")
      return err(failure("NETWORK", "The channel is not connected just now."));
    if (!this.arrived.some(({ key }) => key === delivery.key)) this.arrived.push(delivery);
    return ok(this.behaviour === "accepts" ? ("accepted" as const) : ("delivered" as const));
  }

  onSettled(listener: Parameters<Deliveries["onSettled"]>[0]): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells how a delivery that was accepted ended. */
  tell(key: string, outcome: Parameters<Parameters<Deliveries["onSettled"]>[0]>[2]): void {
    for (const listener of this.#listeners) listener(TENANT, key, outcome);
  }
}

export interface JobSceneOptions {
  readonly start?: number;
  readonly timeZone?: string;
  readonly cron?: CronTimes;
  /** What the model says; "Done." unless told. */
  readonly answer?: (request: ModelRequest) => AsyncIterable<ModelEvent>;
  readonly heartbeatFile?: () => string;
  readonly isActive?: (at: number) => boolean;
  readonly fate?: SimulatedWorld["fate"];
  /** Why nothing new is begun. */
  readonly refusal?: () => Promise<Failure | undefined>;
  readonly backUp?: SchedulerDeps["backUp"];
}

/** Jobs and a scheduler over a whole engine, on a clock that stands still; processes may die and others start. */
export class JobScene {
  readonly world: SimulatedWorld;
  readonly jobs: Jobs = memoryJobs();
  readonly chat = new ChatLedger();
  readonly news: JobNews[] = [];
  readonly log = memoryLog();
  readonly #options: JobSceneOptions;
  #process!: SimulatedProcess;
  #scheduler!: Scheduler;
  #service!: JobService;

  private constructor(options: JobSceneOptions) {
    this.#options = options;
    this.world = simulatedWorld({
      fate: (write, moment) => options.fate?.(write, moment) ?? "fine",
      answer: options.answer ?? (() => says("Done.")),
    });
    if (options.start !== undefined) this.world.clock.set(options.start);
  }

  static async open(options: JobSceneOptions = {}): Promise<JobScene> {
    // Loaded before it is needed, since the clock of a scene does not wait for a disk.
    await loadAhead();
    const scene = new JobScene(options);
    await scene.boot();
    return scene;
  }

  get clock() {
    return this.world.clock;
  }
  get process(): SimulatedProcess {
    return this.#process;
  }
  get scheduler(): Scheduler {
    return this.#scheduler;
  }
  get service(): JobService {
    return this.#service;
  }

  /** A new process over what the last one left. `loop`: it waits for due times by itself. */
  async boot({ loop = false }: { readonly loop?: boolean } = {}): Promise<void> {
    const { clock, ids, stores } = this.world;
    const {
      cron = NO_CRON,
      timeZone = "UTC",
      heartbeatFile = () => "",
      isActive = () => true,
      refusal,
      backUp,
    } = this.#options;
    const process = new SimulatedProcess(this.world);
    this.#process = process;
    const jobs = whileAlive(this.jobs, process, (write, moment) => this.world.fate(write, moment));
    const hash = (text: string) => createHash("sha256").update(text).digest("hex");
    const timetable = new JobTimetable({ cron, timeZone, hash });
    const localTime = new LocalTime(timeZone);
    const scheduler = new Scheduler({
      tenant: TENANT,
      jobs,
      stores: { sessions: whileAlive(stores.sessions, process), runs: whileAlive(stores.runs, process) },
      engine: process.engine,
      timetable,
      deliveries: this.chat,
      heartbeat: { prompt: async () => heartbeatFile(), isActive },
      defaultAgentId: "assistant",
      localTime,
      clock,
      ids,
      log: this.log,
      hash,
      ...(refusal ? { refusal } : {}),
      ...(backUp ? { backUp } : {}),
    });
    this.#scheduler = scheduler;
    scheduler.onNews((news) => this.news.push(news));
    this.#service = new JobService({
      tenant: TENANT,
      jobs,
      timetable,
      agents: { list: async () => [] },
      localTime,
      clock,
      ids,
      log: this.log,
      scheduler: async () => scheduler,
      reaches: (target) => /^(?:telegram|discord):/u.test(target),
    });
    await process.start();
    if (loop) await scheduler.start();
    else await Promise.race([scheduler.recover(), process.died]);
    await this.quiet();
  }

  /** The process is gone at once, wherever it stands. */
  kill(): void {
    this.#process.kill();
  }

  /** Moves the clock there, and acts on what is due. */
  async at(time: number): Promise<void> {
    this.clock.set(time);
    await Promise.race([this.#scheduler.tick(), this.#process.died]);
    await this.quiet();
  }

  /** Until everything that could happen now has happened. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) await nextEventLoopTurn();
  }

  /** What became of the due times so far, oldest first. */
  async history(): Promise<readonly Occurrence[]> {
    return (await this.jobs.history(TENANT, { limit: 200 })).toReversed();
  }
}

const QUIET_TURNS = 12;
const USAGE = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const NO_CRON: CronTimes = {
  next: () => Promise.reject(new Error("this scene has no cron expressions")),
};

export async function* says(text: string): AsyncIterable<ModelEvent> {
  yield { type: "text", text };
  yield { type: "done", stopReason: "end_turn", blocks: [{ type: "text", text }], usage: USAGE, model: "m" };
}

const WRITES: ReadonlySet<string | symbol> = new Set([
  "create",
  "change",
  "remove",
  "take",
  "record",
  "settle",
]);

/** What a dead process asks for is never answered; at each write of `fate` it may die, before it or after it. */
function whileAlive<T extends object>(store: T, process: SimulatedProcess, fate?: SimulatedWorld["fate"]): T {
  const never = () => new Promise<never>(() => undefined);
  const survives = (name: string, moment: "before" | "after") => {
    if (!process.dead && fate?.(`jobs.${name}`, moment) === "die") process.kill();
    return !process.dead;
  };
  return new Proxy(store, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== "function") return member;
      const isWrite = fate !== undefined && WRITES.has(name);
      return async (...given: unknown[]) => {
        if (process.dead || (isWrite && !survives(String(name), "before"))) return never();
        const value: unknown = await member.apply(target, given);
        return process.dead || (isWrite && !survives(String(name), "after")) ? never() : value;
      };
    },
  });
}
