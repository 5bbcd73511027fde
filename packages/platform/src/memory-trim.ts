import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@elwood/runtime/ports/ports";

/** The heap as it is: what is in use, and what the process has taken from the system for it. */
export interface Heap {
  readonly usedBytes: number;
  readonly takenBytes: number;
}

/** The collector of the process; tests bring their own. */
export interface Collector {
  heap(): Heap;
  /** Runs are active: lets the space for young objects grow if V8 has shrunk it. */
  makeRoom(): void;
  /** Collects everything and returns free pages to the system. Nothing else happens meanwhile. */
  collect(): void;
}

/**
 * Keeps the process small. V8 lets a heap grow to several times what lives in it and returns
 * nothing while nobody allocates, which is how an assistant spends most of its day.
 *
 * While it works, the heap is collected after less growth than usual. Once nothing has run for
 * a while and there is much to return, everything is collected once: that takes about a tenth
 * of a second, so it waits until nobody is likely to notice.
 */
export class MemoryTrim {
  readonly #deps: {
    readonly clock: Clock;
    readonly busy: () => boolean;
    readonly release?: () => void;
    readonly collector: Collector;
  };
  readonly #stop = new AbortController();
  /** Counts what happened, so that a wait can tell whether it was at rest all along. */
  #events = 0;
  #waiting = false;
  /** What was left of the heap by the last collection, as far as is known. */
  #livedBytes = LIVED_BYTES;

  constructor(deps: {
    clock: Clock;
    busy: () => boolean;
    /** Lets go of what was kept to be quick, before it is looked whether there is something to return. */
    release?: () => void;
    collector?: Collector;
  }) {
    this.#deps = { collector: v8Collector(), ...deps };
  }

  /** Something ended: once it has been quiet for a while, look whether there is something to return. */
  soon(): void {
    this.#events += 1;
    if (this.#events % EVENTS_PER_LOOK === 1) this.#deps.collector.makeRoom();
    if (this.#waiting) return;
    this.#waiting = true;
    void this.#trimAtRest();
  }

  stop(): void {
    this.#stop.abort();
  }

  async #trimAtRest(): Promise<void> {
    const { clock, busy, release, collector } = this.#deps;
    let seen: number;
    do {
      seen = this.#events;
      await clock.sleep(REST_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
    } while (seen !== this.#events || busy());
    this.#waiting = false;
    release?.();
    const { usedBytes, takenBytes } = collector.heap();
    const grownBytes = usedBytes - this.#livedBytes;
    // V8 may have collected more by itself.
    this.#livedBytes = Math.min(this.#livedBytes, usedBytes);
    if (takenBytes - usedBytes < RETURNED_BYTES_MIN && grownBytes < GROWN_BYTES_MIN) return;
    collector.collect();
    this.#livedBytes = collector.heap().usedBytes;
  }
}

/** How long nothing must have happened. */
export const REST_MS = 5_000;
/** How often the space for young objects is checked, since V8 may shrink it at any pause. A check takes a few microseconds. */
const EVENTS_PER_LOOK = 16;
/** Less than this is not worth a collection. */
const RETURNED_BYTES_MIN = 12 * 1024 * 1024;
/**
 * Garbage counts as used until it is collected, what was just released too: so a heap that has grown by this since the
 * last collection is looked at as well, however little of what was taken is free.
 */
const GROWN_BYTES_MIN = 4 * 1024 * 1024;
/** Stands for the last collection until there was one: a gateway that was only started lives in less. */
const LIVED_BYTES = 36 * 1024 * 1024;
/** Old objects are collected when the heap is this much larger than what lived at the last time. */
const HEAP_GROWTH_PERCENT = 30;

/**
 * V8 shrinks the space for young objects to 1 MB whenever nothing happens. In so little space much of a turn outlives a
 * collection and is copied again and again, which took a tenth of a turn's CPU. So while runs are active, less than
 * this grows to four times its size, and no further: left alone, V8 would let it grow to 64 MB under load and keep that.
 */
const YOUNG_BYTES_MIN = 3 * 1024 * 1024;
const YOUNG_GROWTH = 4;
/** A thread begins with so much. In 1 MB the collector interrupted each search of memory once or twice, for 0.4 ms each. */
const THREAD_YOUNG_MB = 2;

export function v8Collector(): Collector {
  growYoungSpaceBy(1);
  // So small a space is collected several times a turn, and is done before other threads have come to help: they
  // took a third of a millisecond of CPU a turn for it.
  setFlagsFromString("--no-parallel-scavenge");
  // Whoever starts a thread from now on: flags are for all of a process, so that the thread's space would never grow either.
  setFlagsFromString(`--min-semi-space-size=${THREAD_YOUNG_MB}`);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  return {
    heap() {
      const { used_heap_size: usedBytes, total_heap_size: takenBytes } = getHeapStatistics();
      return { usedBytes, takenBytes };
    },
    makeRoom() {
      // It grows with one of the next collections.
      growYoungSpaceBy(youngBytes() < YOUNG_BYTES_MIN ? YOUNG_GROWTH : 1);
    },
    collect() {
      setFlagsFromString("--expose-gc");
      // Not kept: it keeps all of its context alive.
      const gc: unknown = runInNewContext("gc");
      if (typeof gc !== "function") return;
      // Of all its ways only the last resort returns pages.
      Reflect.apply(gc, undefined, [{ type: "major", execution: "sync", flavor: "last-resort" }]);
    },
  };
}

function growYoungSpaceBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return young ? young.space_used_size + young.space_available_size : 0;
}
