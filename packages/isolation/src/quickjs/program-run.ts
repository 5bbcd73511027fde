import { createHash } from "node:crypto";
import type { CallResult, ProgramError, ProgramErrorCode } from "@elwood/core/tool/program";
import { discoveryNames, programNames } from "@elwood/core/tool/tool-names";
import type { Clock } from "@elwood/runtime/ports/ports";
import type {
  ProgramControls,
  ProgramEnding,
  ProgramHost,
  ProgramRequest,
  SandboxProgram,
} from "@elwood/runtime/ports/sandbox";
import { RunTimer } from "@elwood/runtime/run/run-timer";
import { isWellFormedJson, jsonDepth, SLEEP_MS_MAX, type FromChild, type ToChild } from "./wire.ts";

type Said<T extends FromChild["t"]> = Extract<FromChild, { t: T }>;

/** The way to the process that a program was given to. */
export interface ProgramLink {
  readonly p: number;
  send(head: ToChild, body?: string): void;
  /** The program is over for the gateway, whatever the process still thinks. */
  drop(): void;
}

/**
 * One program, as the gateway sees it. What its process says about it is believed only as
 * far as an honest process could have said it; once it is over, nothing is heard any more.
 */
export class ProgramRun implements ProgramControls {
  readonly ending: Promise<ProgramEnding>;
  readonly program: SandboxProgram;
  readonly #host: ProgramHost;
  readonly #signal: AbortSignal;
  readonly #timer: RunTimer;
  readonly #toolIds: ReadonlySet<string>;
  readonly #open = new Set<number>();
  readonly #holds = new Set<object>();
  readonly #over = new AbortController();
  #resolve!: (ending: ProgramEnding) => void;
  #reject!: (error: unknown) => void;
  #link: ProgramLink | undefined;
  #calls = 0;
  #lines = 0;
  #cpuMs = 0;

  constructor(program: SandboxProgram, host: ProgramHost, signal: AbortSignal, clock: Clock) {
    this.program = program;
    this.#host = host;
    this.#signal = signal;
    this.#toolIds = new Set(program.toolIds);
    const { wallMs } = program.limits;
    this.#timer = new RunTimer(clock, wallMs, () =>
      this.fail("program.wall_limit", `The program took longer than ${wallMs} ms.`),
    );
    this.ending = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  /** Raised when the program is over, however it ended. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Hands the program to a process. */
  begin(link: ProgramLink): void {
    this.#link = link;
    const { source, toolIds, startedAt, timeZone, seed, limits } = this.program;
    this.#safely(() => this.#host.begin(this));
    if (this.over.aborted) return;
    if (this.#holds.size === 0) this.#timer.start();
    const names = programNames(toolIds).map(({ path, toolId }) => ({ path, toolId }));
    const settings = { names, ...discoveryNames(toolIds), startedAt, timeZone, sleepMsMax: SLEEP_MS_MAX };
    link.send({ t: "start", p: link.p, chance: chanceOf(seed), limits, settings }, source);
  }

  settle(index: number, result: CallResult, at: number): boolean {
    if (this.over.aborted || !this.#link || !this.#open.has(index)) return false;
    const json = JSON.stringify(result);
    const { resultBytes } = this.program.limits;
    if (Buffer.byteLength(json) > resultBytes) {
      this.fail("program.result_limit", `The result of a call was larger than ${resultBytes} bytes.`);
      return true;
    }
    this.#open.delete(index);
    this.#link.send({ t: "settle", p: this.#link.p, i: index, at }, json);
    return true;
  }

  hold(): () => void {
    const mine = {};
    this.#holds.add(mine);
    this.#timer.pause();
    return () => {
      if (this.#holds.delete(mine) && this.#holds.size === 0 && this.#link && !this.over.aborted) {
        this.#timer.start();
      }
    };
  }

  /** False where no honest process would have said this. */
  hear(said: Said<"call" | "line" | "idle" | "over">, body: string): boolean {
    if (this.over.aborted) return true;
    if (said.t === "call") return this.#hearCall(said, body);
    if (said.t === "line") return this.#hearLine(said, body);
    this.#cpuMs = said.cpuMs;
    return said.t === "idle" || this.#hearOver(said, body);
  }

  fail(code: ProgramErrorCode, message: string, more: { rerun?: boolean } = {}): void {
    this.#end({ ok: false, error: { code, message, rerun: more.rerun ?? false } });
  }

  #hearCall(said: Said<"call">, json: string): boolean {
    const { calls, concurrentCalls, argumentBytes, argumentDepth } = this.program.limits;
    if (said.i !== this.#calls || this.#calls >= calls || this.#open.size >= concurrentCalls) return false;
    if (Buffer.byteLength(json) > argumentBytes || jsonDepth(json) > argumentDepth) return false;
    const what = isWellFormedJson(json) ? this.#request(said, json) : undefined;
    if (what === undefined) return false;
    this.#calls++;
    this.#open.add(said.i);
    this.#safely(() => this.#host.call({ index: said.i, what }));
    return true;
  }

  #request({ kind, name }: Said<"call">, json: string): ProgramRequest | undefined {
    const input = parsed(json);
    if (input === undefined) return undefined;
    if (kind === "sleep") {
      const ms = input.value;
      return typeof ms === "number" && ms >= 0 && ms <= SLEEP_MS_MAX ? { kind, ms } : undefined;
    }
    if (kind !== "tool") return { kind, input: input.value };
    return this.#toolIds.has(name) ? { kind, toolId: name, input: input.value } : undefined;
  }

  #hearLine(said: Said<"line">, text: string): boolean {
    const { consoleLines, consoleLineChars } = this.program.limits;
    if (said.n !== this.#lines || said.n >= consoleLines || text.length > consoleLineChars + 1) return false;
    this.#lines++;
    this.#safely(() => this.#host.line({ number: said.n, level: said.level, text }));
    return true;
  }

  #hearOver(said: Said<"over">, body: string): boolean {
    const counted = { detached: said.detached, dropped: said.dropped };
    if (said.error) {
      this.#end({ ok: false, error: { ...said.error, message: body, rerun: false } }, counted);
      return true;
    }
    if (Buffer.byteLength(body) > this.program.limits.outputBytes) return false;
    const returned = body === "" ? { value: undefined } : parsed(body);
    if (returned === undefined) return false;
    this.#end({ ok: true, value: returned.value }, counted);
    return true;
  }

  readonly #stop = (): void => {
    this.fail("program.stopped", "The program was stopped. Calls that were made stand; no other was made.");
  };

  #end(
    outcome: { ok: true; value: unknown } | { ok: false; error: ProgramError },
    counted = { detached: 0, dropped: 0 },
  ): void {
    if (!this.#close()) return;
    this.#resolve({
      outcome,
      open: [...this.#open],
      detached: counted.detached,
      spent: {
        cpuMs: this.#cpuMs,
        calls: this.#calls,
        lines: this.#lines,
        linesDropped: counted.dropped,
      },
    });
  }

  /** A fault of the host's own ends the program and is the caller's to hear of. */
  #safely(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (this.#close()) this.#reject(error);
    }
  }

  #close(): boolean {
    if (this.over.aborted) return false;
    this.#over.abort();
    this.#signal.removeEventListener("abort", this.#stop);
    this.#timer.pause();
    this.#link?.drop();
    return true;
  }
}

/** 52 bits, never 0: what the engine draws its chance from. */
function chanceOf(seed: string): number {
  return createHash("sha256").update(seed).digest().readUIntBE(0, 6) * 16 + 1;
}

function parsed(json: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}
