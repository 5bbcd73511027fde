import { failure, FailureError } from "@elwood/core/base/failure";
import type { Stores } from "@elwood/runtime/ports/ports";

/** Every write that a store can be asked for, by name: the places where a process can die. */
export const STORE_WRITES = [
  "sessions.create",
  "sessions.bind",
  "sessions.rename",
  "sessions.pin",
  "sessions.archive",
  "sessions.move",
  "sessions.configure",
  "sessions.trash",
  "sessions.restore",
  "sessions.purge",
  "runs.accept",
  "runs.claim",
  "runs.setWaiting",
  "runs.addStep",
  "runs.setPartial",
  "runs.end",
  "runs.noteOffset",
  "runs.commit",
  "runs.showVersion",
  "runs.noteUsage",
  "transcripts.append",
  "transcripts.save",
  "transcripts.truncate",
  "transcripts.remove",
  "blobs.put",
  "tokens.add",
  "tokens.touch",
  "tokens.revoke",
] as const;
export type StoreWrite = (typeof STORE_WRITES)[number];

/** Before it happened: nothing is stored. After: it is stored, but whoever asked is told that it failed. */
export type FaultMoment = "before" | "after";

/** What everything asked of a store rejects with once its process "died". */
export class SimulatedCrash extends Error {
  constructor(where: string) {
    super(`the process died ${where}`);
    this.name = "SimulatedCrash";
  }
}

export interface FaultyStores extends Stores {
  /** The nth time (from now, the first unless told) this write fails, once; the disk is full unless told. */
  failAt(write: StoreWrite, moment: FaultMoment, options?: { nth?: number; error?: Error }): void;
  /** From that moment on nothing answers any more: open the inner stores again, as a new process would. */
  crashAt(write: StoreWrite, moment: FaultMoment, options?: { nth?: number }): void;
  readonly crashed: boolean;
  /** Resolves when the crash has happened. */
  readonly whenCrashed: Promise<void>;
  /** Every write that happened, in order. */
  readonly happened: readonly StoreWrite[];
}

interface Fault {
  readonly write: StoreWrite;
  readonly moment: FaultMoment;
  readonly error: Error;
  readonly crash: boolean;
  left: number;
}

/** Stores that fail where a test says. Reads fail only after a crash. */
export function faultyStores(inner: Stores): FaultyStores {
  const faults = new Set<Fault>();
  const happened: StoreWrite[] = [];
  const died = Promise.withResolvers<void>();
  let crash: SimulatedCrash | undefined;

  function strike(write: StoreWrite, moment: FaultMoment): void {
    for (const fault of faults) {
      if (fault.write !== write || fault.moment !== moment) continue;
      fault.left -= 1;
      if (fault.left > 0) continue;
      faults.delete(fault);
      if (!fault.crash) throw fault.error;
      crash = new SimulatedCrash(`${moment} ${write}`);
      died.resolve();
      throw crash;
    }
  }

  function mustLive(): void {
    if (crash) throw crash;
  }

  async function pass(name: string, call: () => Promise<unknown>): Promise<unknown> {
    mustLive();
    if (!isWrite(name)) return call();
    strike(name, "before");
    const value = await call();
    // It may have died while this was on its way; then nobody is left to be told.
    mustLive();
    happened.push(name);
    strike(name, "after");
    return value;
  }

  const wrap = <K extends keyof Stores>(part: K): Stores[K] =>
    new Proxy(inner[part], {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) =>
          pass(`${part}.${String(property)}`, () => Reflect.apply(value, target, args) as Promise<unknown>);
      },
    });

  return {
    sessions: wrap("sessions"),
    runs: wrap("runs"),
    transcripts: wrap("transcripts"),
    blobs: wrap("blobs"),
    tokens: wrap("tokens"),
    happened,
    whenCrashed: died.promise,
    get crashed() {
      return crash !== undefined;
    },
    failAt(write, moment, { nth = 1, error = diskFull() } = {}) {
      faults.add({ write, moment, error, crash: false, left: nth });
    },
    crashAt(write, moment, { nth = 1 } = {}) {
      faults.add({ write, moment, error: diskFull(), crash: true, left: nth });
    },
  };
}

function isWrite(name: string): name is StoreWrite {
  return (STORE_WRITES as readonly string[]).includes(name);
}

function diskFull(): FailureError {
  return new FailureError(failure("STORAGE_FULL", "Nothing was stored. The disk is full."));
}
