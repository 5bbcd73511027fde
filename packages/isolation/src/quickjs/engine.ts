import { Intrinsics, type JSValueHandle, MAX_STACK_SIZE, QuickJS } from "quickjs-wasi";

/** The compiled parts of the engine, shared by all programs of a process; they hold no state. */
export interface EngineModules {
  readonly engine: WebAssembly.Module;
  readonly url: WebAssembly.Module;
  readonly encoding: WebAssembly.Module;
  readonly structuredClone: WebAssembly.Module;
}

export interface EngineClock {
  /** Milliseconds since 1970, as the program shall see them. */
  now: number;
}

interface EngineSettings {
  readonly chance: number;
  readonly clock: EngineClock;
  /** In which the program's dates are. */
  readonly timeZone: string;
  readonly memoryBytes: number;
  /** May throw, and then the engine is lost. */
  readonly interrupt: () => void;
  readonly rejected: (promise: JSValueHandle, reason: JSValueHandle, handled: boolean) => void;
}

/** So that a program that grows step by step is met by the look at its memory, which it cannot catch, before an allocation fails. */
const MEMORY_HEADROOM_BYTES = 8 * 1024 * 1024;

/** A fresh engine whose only clock is ours. Its chance is drawn from the clock as it stands while it is made. */
export async function createEngine(
  modules: EngineModules,
  settings: EngineSettings,
): Promise<{ vm: QuickJS; memory: WebAssembly.Memory }> {
  let memory: WebAssembly.Memory | undefined;
  let made = false;
  const vm = await QuickJS.create({
    wasm: modules.engine,
    extensions: [
      { name: "url", wasm: modules.url },
      { name: "encoding", wasm: modules.encoding },
      { name: "structured-clone", wasm: modules.structuredClone },
    ],
    memoryLimit: settings.memoryBytes + MEMORY_HEADROOM_BYTES,
    maxStackSize: MAX_STACK_SIZE,
    timezoneOffset: zoneOffset(settings.timeZone),
    intrinsics: Intrinsics.ALL & ~Intrinsics.WEAK_REF & ~Intrinsics.PERFORMANCE,
    interruptHandler: () => {
      if (made) settings.interrupt();
      return false;
    },
    onUnhandledRejection: settings.rejected,
    wasi: (of) => {
      memory = of;
      return {
        clock_time_get(_clock: number, _precision: bigint, at: number) {
          const micros = made ? BigInt(Math.trunc(settings.clock.now)) * 1_000n : BigInt(settings.chance);
          new DataView(of.buffer).setBigUint64(at, micros * 1_000n, true);
          return 0;
        },
        random_get(at: number, bytes: number) {
          new Uint8Array(of.buffer, at, bytes).fill(0);
          return 0;
        },
        fd_write: () => BAD_DESCRIPTOR,
      };
    },
  });
  made = true;
  if (memory === undefined) throw new Error("the engine asked for no memory");
  return { vm, memory };
}

const BAD_DESCRIPTOR = 8;

/** Zones change their clocks at quarters of an hour. */
const STEP_SECONDS = 900;
const KEPT_MAX = 2_000;
const DATE_SECONDS_MAX = 8_640_000_000_000;

/**
 * How far a zone's wall clock is behind UTC at a moment, in minutes, as `Date.getTimezoneOffset` tells it: summer
 * time included. A program asks for every part of every date, so what was found is kept, up to a limit.
 */
export function zoneOffset(timeZone: string): (seconds: number) => number {
  if (timeZone === "UTC") return () => 0;
  const kept = new Map<number, number>();
  let format: Intl.DateTimeFormat | undefined;
  return (seconds) => {
    if (!(Math.abs(seconds) <= DATE_SECONDS_MAX)) return 0;
    const step = Math.floor(seconds / STEP_SECONDS);
    const known = kept.get(step);
    if (known !== undefined) return known;
    format ??= new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
    const name = format.formatToParts(seconds * 1_000).find(({ type }) => type === "timeZoneName")?.value;
    // "GMT+05:30", before there were zones also "GMT-04:56:02"; "GMT" where there is no difference.
    const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(name ?? "") ?? [];
    const ahead = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
    const behind = sign === "-" ? ahead : -ahead;
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(step, behind);
    return behind;
  };
}
