import { JSException, type JSValueHandle, type QuickJS, EvalFlags } from "quickjs-wasi";
import type { ProgramErrorCode, ProgramLimits } from "@elwood/core/tool/program";
import type { ConsoleLine } from "@elwood/runtime/ports/sandbox";
import { createEngine, type EngineClock, type EngineModules } from "./engine.ts";
import {
  cut,
  faultOf,
  placeIn,
  reasonText,
  returned,
  textOf,
  thrown,
  type GuestEnding,
} from "./guest-ending.ts";
import { completeLocales, completeUrls, prelude, type PreludeSettings } from "./prelude.ts";
import { LocaleText } from "./locale-text.ts";
import { isWellFormedJson, jsonDepth, type CallKind } from "./wire.ts";

export interface GuestStart {
  readonly source: string;
  readonly chance: number;
  readonly limits: ProgramLimits;
  readonly settings: PreludeSettings;
}

/** Where a guest's doings go. */
export interface GuestListener {
  call(index: number, kind: CallKind, name: string, json: string): void;
  line(number: number, level: ConsoleLine["level"], text: string): void;
}

/** Thrown through the engine's frames from its interrupt: no handler inside can meet it. The engine is of no use after that. */
class Over extends Error {}

const KINDS: ReadonlySet<string> = new Set<CallKind>(["tool", "sleep", "search", "describe"]);
const LEVELS = ["debug", "info", "warn", "error"] as const;
const REJECTIONS_MAX = 64;
const FILE = "program.js";

interface HeldCall {
  readonly index: number;
  readonly kind: CallKind;
  readonly name: string;
  readonly json: string;
}

/**
 * One program on one engine. `start` and `settle` run it until it can do no more and answer
 * how it ended, or undefined while it waits. After an ending it is dropped, never used again.
 */
export class Guest {
  readonly #start: GuestStart;
  readonly #listener: GuestListener;
  readonly #clock: EngineClock;
  readonly #toolIds: ReadonlySet<string>;
  readonly #open = new Map<number, CallKind>();
  readonly #held: HeldCall[] = [];
  readonly #rejected = new Map<number, { readonly promise: JSValueHandle; readonly text: string }>();
  #vm!: QuickJS;
  #memory!: WebAssembly.Memory;
  #settle!: JSValueHandle;
  /** What the program itself came to: it returned or threw. */
  #main: GuestEnding | undefined;
  /** Something in it failed that nobody awaited. */
  #failedAside: GuestEnding | undefined;
  /** What was done to it: a limit. */
  #stopped: GuestEnding | undefined;
  #turnBegan = 0;
  #cpuUsedMs = 0;
  #linesOut = 0;
  calls = 0;
  linesDropped = 0;
  detached = 0;

  constructor(start: GuestStart, listener: GuestListener) {
    this.#start = start;
    this.#listener = listener;
    this.#clock = { now: start.settings.startedAt };
    this.#toolIds = new Set(start.settings.names.map((name) => name.toolId));
  }

  get cpuMs(): number {
    return this.#cpuUsedMs;
  }

  async start(modules: EngineModules): Promise<GuestEnding | undefined> {
    const { vm, memory } = await createEngine(modules, {
      chance: this.#start.chance,
      clock: this.#clock,
      timeZone: this.#start.settings.timeZone,
      memoryBytes: this.#start.limits.memoryBytes,
      interrupt: () => this.#look(),
      rejected: (promise, reason, handled) => this.#noteRejection(promise, reason, handled),
    });
    this.#vm = vm;
    this.#memory = memory;
    return this.#turn(() => this.#begin());
  }

  settle(index: number, json: string, at: number): GuestEnding | undefined {
    const kind = this.#open.get(index);
    if (kind === undefined) return undefined;
    this.#open.delete(index);
    this.#clock.now = Math.max(this.#clock.now, at);
    return this.#turn(() => {
      const number = this.#vm.newNumber(index);
      const result = kind === "sleep" ? this.#vm.undefined : this.#vm.newString(json);
      this.#vm.callFunction(this.#settle, this.#vm.undefined, number, result).dispose();
      number.dispose();
      result.dispose();
    });
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  drop(): void {
    this.#vm.dispose();
  }

  #begin(): void {
    const vm = this.#vm;
    vm.evalCode(`(${completeUrls.toString()})()`, "url.js", EvalFlags.STRICT).dispose();
    const { timeZone } = this.#start.settings;
    const complete = vm.evalCode(`(${completeLocales.toString()})`, "locales.js", EvalFlags.STRICT);
    vm.callFunction(complete, vm.undefined, this.#writer(timeZone), vm.newString(timeZone)).dispose();
    const build = vm.evalCode(`(${prelude.toString()})`, "prelude.js", EvalFlags.STRICT);
    const hooks = vm.callFunction(build, vm.undefined, ...this.#bridge());
    this.#settle = hooks.getProp("settle");
    let program: JSValueHandle;
    try {
      const wrapped = `(async function program() {\n${this.#start.source}\n})`;
      program = vm.evalCode(wrapped, FILE, EvalFlags.STRICT);
    } catch (error) {
      if (!(error instanceof JSException)) throw error;
      const { message, stack } = error;
      this.#main = { code: "program.syntax", message: cut(message), ...placeIn(stack) };
      return;
    }
    vm.callFunction(hooks.getProp("run"), vm.undefined, program).dispose();
  }

  /** Answers with text whatever it is handed. */
  #writer(timeZone: string): JSValueHandle {
    const vm = this.#vm;
    const locales = new LocaleText(timeZone);
    return vm.newFunction("write", (kind, value, other, settings) =>
      vm.newString(locales.write(textOf(kind), textOf(value), textOf(other), textOf(settings))),
    );
  }

  #bridge(): JSValueHandle[] {
    const vm = this.#vm;
    return [
      vm.newFunction("call", (kind, name, json) => vm.newNumber(this.#call(kind, name, json))),
      vm.newFunction("line", (level, text) => {
        this.#line(level, text);
        return vm.undefined;
      }),
      vm.newFunction("returned", (json) => {
        this.#main ??= returned(json, this.#start.limits.outputBytes);
        this.#countDetached();
        return vm.undefined;
      }),
      vm.newFunction("threw", (name, message, stack) => {
        this.#main ??= thrown(textOf(name), textOf(message), textOf(stack));
        this.#countDetached();
        return vm.undefined;
      }),
      vm.newString(JSON.stringify(this.#start.settings)),
    ];
  }

  /** Runs `step` and all that follows from it, and says where the program stands then. */
  #turn(step: () => void): GuestEnding | undefined {
    this.#turnBegan = threadCpuMs() - this.#cpuUsedMs;
    try {
      step();
      this.#drain();
      this.#look();
    } catch (error) {
      this.#stopped ??= faultOf(error);
    }
    this.#cpuUsedMs = threadCpuMs() - this.#turnBegan;
    return this.#stopped ?? this.#standing();
  }

  #drain(): void {
    for (;;) {
      try {
        this.#vm.executePendingJobs();
        return;
      } catch (error) {
        // A callback of queueMicrotask threw. It fails the program in the end, as a rejection that nobody handles does.
        if (!(error instanceof Error) || !error.message.startsWith("Job execution error")) throw error;
        this.#look();
        const message = cut(error.message.replace(/^Job execution error: /, ""));
        this.#failedAside ??= { code: "program.unhandled_rejection", message };
      }
    }
  }

  #standing(): GuestEnding | undefined {
    while (this.#held.length > 0 && this.#open.size < this.#start.limits.concurrentCalls) {
      const { index, kind, name, json } = this.#held.shift()!;
      this.#begun(index, kind, name, json);
    }
    if (this.#main === undefined) {
      if (this.#open.size > 0) return undefined;
      return {
        code: "program.stuck",
        message: "The program waits for something that no call of it can bring about.",
      };
    }
    for (const kind of this.#open.values()) if (kind !== "sleep") return undefined;
    if (this.#held.some(({ kind }) => kind !== "sleep")) return undefined;
    if (!("returned" in this.#main)) return this.#main;
    const [rejection] = this.#rejected.values();
    if (rejection === undefined) return this.#failedAside ?? this.#main;
    return { code: "program.unhandled_rejection", message: cut(rejection.text) };
  }

  /** The interrupt: called every few thousand steps of the program, and at the end of each turn. */
  #look(): void {
    if (this.#stopped) throw new Over();
    const { cpuMs, memoryBytes } = this.#start.limits;
    if (threadCpuMs() - this.#turnBegan > cpuMs) {
      this.#stop("program.cpu_limit", `The program computed for more than ${cpuMs} ms.`);
    } else if (this.#memory.buffer.byteLength > memoryBytes) {
      this.#stop("program.memory_limit", `The program needed more than ${memoryBytes} bytes of memory.`);
    } else return;
    throw new Over();
  }

  #stop(code: ProgramErrorCode, message: string): void {
    this.#stopped ??= { code, message };
  }

  #call(kindOf: JSValueHandle, nameOf: JSValueHandle, jsonOf: JSValueHandle): number {
    if (this.#stopped) return -1;
    const { calls, argumentBytes, argumentDepth, concurrentCalls } = this.#start.limits;
    const [kind, name] = [textOf(kindOf), textOf(nameOf)];
    if (!KINDS.has(kind) || (kind === "tool" && !this.#toolIds.has(name)) || !jsonOf?.isString) {
      this.#stop(
        "program.forged_call",
        "The program went around its tools and asked for a call that does not exist.",
      );
      return -1;
    }
    if (this.calls >= calls) {
      this.#stop("program.calls_limit", `The program made more than ${calls} calls.`);
      return -1;
    }
    const tooLong = jsonOf.length > argumentBytes;
    const json = tooLong ? "" : jsonOf.toString();
    if (tooLong || Buffer.byteLength(json) > argumentBytes) {
      this.#stop("program.argument_limit", `An input was larger than ${argumentBytes} bytes.`);
      return -1;
    }
    if (jsonDepth(json) > argumentDepth) {
      this.#stop("program.argument_limit", `An input was nested deeper than ${argumentDepth} levels.`);
      return -1;
    }
    if (!isWellFormedJson(json)) return -2;
    const index = this.calls++;
    // KINDS was asked above.
    const known = kind as CallKind;
    if (this.#held.length === 0 && this.#open.size < concurrentCalls) this.#begun(index, known, name, json);
    else this.#held.push({ index, kind: known, name, json });
    return index;
  }

  #begun(index: number, kind: CallKind, name: string, json: string): void {
    this.#open.set(index, kind);
    this.#listener.call(index, kind, name, json);
  }

  #line(levelOf: JSValueHandle, textOfLine: JSValueHandle): void {
    const { consoleLines, consoleLineChars } = this.#start.limits;
    const level = LEVELS.find((each) => each === textOf(levelOf));
    if (this.#stopped) return;
    if (this.#linesOut >= consoleLines || level === undefined) {
      this.linesDropped++;
      return;
    }
    const text = textOf(textOfLine);
    const short = text.length > consoleLineChars ? `${text.slice(0, consoleLineChars)}…` : text;
    this.#listener.line(this.#linesOut++, level, short.toWellFormed());
  }

  #countDetached(): void {
    for (const kind of this.#open.values()) if (kind !== "sleep") this.detached++;
    for (const { kind } of this.#held) if (kind !== "sleep") this.detached++;
  }

  #noteRejection(promise: JSValueHandle, reason: JSValueHandle, handled: boolean): void {
    const { identity } = promise;
    if (!handled) {
      if (this.#rejected.size >= REJECTIONS_MAX) return;
      this.#rejected.set(identity, { promise: promise.dup(), text: reasonText(reason) });
      return;
    }
    this.#rejected.get(identity)?.promise.dispose();
    this.#rejected.delete(identity);
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
