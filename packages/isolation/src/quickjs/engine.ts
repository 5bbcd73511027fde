import { Intrinsics, type JSValueHandle, MAX_STACK_SIZE, QuickJS } from "quickjs-wasi";
import { zoneOffset } from "./time-zone.ts";

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

export interface EngineSettings {
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
