import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Duplex } from "node:stream";
import { PROGRAM_ERRORS, type SandboxLimits } from "@elwood/core/tool/program";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { ChildCode } from "./child-code.ts";
import { encodeFrame, FrameReader } from "./frames.ts";
import type { ProcessUsage } from "./process-usage.ts";
import type { ProgramRun } from "./program-run.ts";
import { type FromChild, SOCKET_FD, type ToChild } from "./wire.ts";
import { z } from "zod";

/** An answer that the process owes: to a turn of a program, or to a drop. */
interface Owed {
  readonly p: number;
  readonly kind: "turn" | "drop";
  readonly cpuMs: number;
}

interface ProcessSettings {
  readonly clock: Clock;
  readonly limits: SandboxLimits;
  readonly code: ChildCode;
  readonly usage: (pid: number) => ProcessUsage | undefined;
  readonly onGone: (gone: ProcessGone) => void;
}

interface ProcessGone {
  readonly why: string;
  /** Whose doing it was: the gateway's, that needed it no more; a program's; or its own. */
  readonly by: "gateway" | "program" | "itself";
}

/**
 * One process under Node's permission model, and the programs in it. It works off what it
 * is sent in order, so the oldest unanswered message tells which program it is busy with:
 * only that one is blamed if it does not answer. A process that says what an honest one
 * could not is killed.
 */
export class SandboxProcess {
  /** False where it never came up. */
  readonly ready: Promise<boolean>;
  readonly #child: ChildProcess;
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #limits: SandboxLimits;
  readonly #usage: ProcessSettings["usage"];
  readonly #onGone: (gone: ProcessGone) => void;
  readonly #gone = new AbortController();
  readonly #runs = new Map<number, ProgramRun>();
  readonly #owed: Owed[] = [];
  #setReady!: (ready: boolean) => void;
  #isReady = false;
  #nextProgram = 0;
  /** How many programs are in it or on their way there. */
  #load = 0;
  #busySince = 0;
  /** What it had computed by then; undefined where the system does not say. */
  #cpuMsBefore: number | undefined;
  #watching = false;
  #resting: AbortController | undefined;
  #blamed: ProgramRun | undefined;

  constructor({ clock, limits, code, usage, onGone }: ProcessSettings) {
    this.#clock = clock;
    this.#usage = usage;
    this.#limits = limits;
    this.#onGone = onGone;
    this.ready = new Promise((resolve) => (this.#setReady = resolve));
    this.#child = spawn(process.execPath, flags(code.engine), {
      env: {},
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    // Descriptor 3 was asked for as a pipe, which Node makes a socket that works both ways.
    this.#socket = this.#child.stdio[SOCKET_FD] as Duplex;
    this.#listen();
    this.#socket.write(encodeFrame({ t: "code" }, JSON.stringify(code)));
    void this.#watchStart();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get load(): number {
    return this.#load;
  }

  /** Raised once the process is gone or given up. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** False where the process was never there to take it; then nothing ran. */
  async admit(run: ProgramRun): Promise<boolean> {
    this.#load++;
    this.#resting?.abort();
    run.over.addEventListener("abort", () => void this.#leave(), { once: true });
    if (!(await this.ready) || this.gone.aborted) return false;
    if (run.over.aborted) return true;
    const p = this.#nextProgram++;
    this.#runs.set(p, run);
    run.begin({ p, send: (head, body) => this.#send(head, body), drop: () => this.#drop(p) });
    return true;
  }

  /** Ends the process at once. `why` is told to the programs in it. */
  kill(why: string, by: ProcessGone["by"] = "itself"): void {
    this.#child.kill("SIGKILL");
    this.#end(why, by);
  }

  /** A program is over; when none is left, the process goes after a while. */
  async #leave(): Promise<void> {
    this.#load--;
    if (this.#load > 0 || this.gone.aborted) return;
    const resting = new AbortController();
    this.#resting = resting;
    await this.#clock.sleep(this.#limits.idleMs, AbortSignal.any([resting.signal, this.gone]));
    if (!resting.signal.aborted) this.kill("nobody needed it", "gateway");
  }

  #send(head: ToChild, body?: string): void {
    if (this.gone.aborted) return;
    const cpuMs = this.#runs.get(head.p)?.program.limits.cpuMs ?? 0;
    this.#owed.push({ p: head.p, kind: head.t === "drop" ? "drop" : "turn", cpuMs });
    if (this.#owed.length === 1) this.#begins();
    this.#socket.write(encodeFrame(head, body));
    void this.#watchAnswers();
  }

  #drop(p: number): void {
    if (this.#runs.has(p) && !this.gone.aborted) this.#send({ t: "drop", p });
  }

  #listen(): void {
    const { frameHeadBytes } = this.#limits;
    const reader = new FrameReader(() => {
      const sizes = [...this.#runs.values()].map(({ program: { limits } }) =>
        Math.max(limits.argumentBytes, limits.outputBytes),
      );
      return Math.max(0, ...sizes) + frameHeadBytes;
    });
    this.#socket.on("data", (chunk: Buffer) => {
      try {
        for (const { head, body } of reader.push(chunk)) {
          if (this.gone.aborted) return;
          const said = parseMessage(head);
          if (said === undefined || !this.#hear(said, body)) {
            this.kill("it said something that only a broken process would say");
            return;
          }
        }
      } catch {
        this.kill("it sent something that could not be read");
      }
    });
    this.#socket.on("error", () => this.kill("the connection to it broke"));
    this.#child.on("error", () => this.kill("it could not be started"));
    this.#child.on("exit", (code, signal) => {
      this.#end(`it ended by itself (${signal ?? `code ${code}`})`, "itself");
    });
  }

  #hear(said: FromChild, body: string): boolean {
    if (said.t === "ready") {
      if (this.#isReady) return false;
      this.#isReady = true;
      this.#setReady(true);
      return true;
    }
    const head = this.#owed[0];
    const run = this.#runs.get(said.p);
    if (head?.p !== said.p || run === undefined) return false;
    if (said.t === "dropped") {
      if (head.kind !== "drop") return false;
      this.#runs.delete(said.p);
      this.#answered();
      return true;
    }
    if (head.kind !== "turn") return false;
    // A program that ended by itself needs no drop; one that the gateway gave up gets its answer to that later.
    const leaves = said.t === "over" && !run.over.aborted;
    if (leaves) this.#runs.delete(said.p);
    if (!run.hear(said, body)) {
      this.#runs.set(said.p, run);
      return false;
    }
    if (said.t === "idle") this.#answered();
    // After its end a program answers no turn any more.
    if (said.t === "over") this.#answered((owed) => owed.p === said.p && owed.kind === "turn");
    return true;
  }

  #answered(also: (owed: Owed) => boolean = () => false): void {
    const left = this.#owed.slice(1).filter((owed) => !also(owed));
    this.#owed.splice(0, this.#owed.length, ...left);
    if (left.length > 0) this.#begins();
  }

  /** It turns to the oldest message that it has not answered. */
  #begins(): void {
    this.#busySince = this.#clock.now();
    this.#cpuMsBefore = this.#usageNow()?.cpuMs;
  }

  #usageNow(): ProcessUsage | undefined {
    return this.pid === undefined ? undefined : this.#usage(this.pid);
  }

  async #watchStart(): Promise<void> {
    await this.#clock.sleep(this.#limits.startMs, this.gone);
    if (!this.#isReady && !this.gone.aborted) this.kill("it did not get ready");
  }

  /** One watch for all answers: it sleeps as long as the oldest may take, and looks again. */
  async #watchAnswers(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    for (let head = this.#owed[0]; head !== undefined && !this.gone.aborted; head = this.#owed[0]) {
      const left = this.#busySince + head.cpuMs + this.#limits.graceMs - this.#clock.now();
      if (left <= 0 && -left < this.#limits.starvedMs && this.#isStarved(head)) {
        await this.#clock.sleep(STARVED_LOOK_MS, this.gone);
        continue;
      }
      if (left <= 0) {
        this.#blamed = this.#runs.get(head.p);
        this.kill("a program in it computed without a break", "program");
        break;
      }
      await this.#clock.sleep(left, this.gone);
    }
    this.#watching = false;
  }

  /** A program's limit is CPU time, and on a busy machine that takes longer than the clock on the wall says. */
  #isStarved({ cpuMs }: Owed): boolean {
    const now = this.#usageNow();
    if (now === undefined || this.#cpuMsBefore === undefined || !now.runnable) return false;
    return now.cpuMs - this.#cpuMsBefore < cpuMs + this.#limits.graceMs;
  }

  #end(why: string, by: ProcessGone["by"]): void {
    if (this.gone.aborted) return;
    this.#gone.abort();
    this.#onGone({ why, by });
    this.#setReady(false);
    this.#socket.destroy();
    const stands = "Calls that were made stand as recorded; nothing further was done.";
    this.#blamed?.fail(
      "program.unresponsive",
      `The program computed without a break for so long that its process was ended. ${stands}`,
    );
    for (const run of this.#runs.values()) {
      run.fail("program.lost", `The process that ran this program is gone: ${why}. ${stands}`, {
        rerun: true,
      });
    }
    this.#runs.clear();
  }
}

const STARVED_LOOK_MS = 100;
const BOOTSTRAP = fileURLToPath(new URL("./child-bootstrap.mjs", import.meta.url));

/** Only the engine can be read; nothing can be written, started or loaded. */
function flags(engine: string): string[] {
  return [
    "--permission",
    `--allow-fs-read=${BOOTSTRAP}`,
    `--allow-fs-read=${join(dirname(dirname(fileURLToPath(engine))), "*")}`,
    "--no-warnings",
    "--no-addons",
    "--disallow-code-generation-from-strings",
    "--expose-gc",
    "--max-old-space-size=256",
    "--max-semi-space-size=4",
    // Above what the engine's own guard against deep recursion needs, so that it is the one that speaks: it counts alike every time.
    "--stack-size=3900",
    BOOTSTRAP,
  ];
}

const count = z.int().nonnegative();
const program = { p: count };
const cpuMs = z.number().nonnegative();

const SAID = z.discriminatedUnion("t", [
  z.strictObject({ t: z.literal("ready") }),
  z.strictObject({
    t: z.literal("call"),
    ...program,
    i: count,
    kind: z.enum(["tool", "sleep", "search", "describe"]),
    name: z.string(),
  }),
  z.strictObject({
    t: z.literal("line"),
    ...program,
    n: count,
    level: z.enum(["debug", "info", "warn", "error"]),
  }),
  z.strictObject({ t: z.literal("idle"), ...program, cpuMs }),
  z.strictObject({
    t: z.literal("over"),
    ...program,
    cpuMs,
    calls: count,
    dropped: count,
    detached: count,
    error: z
      .strictObject({ code: z.enum(PROGRAM_ERRORS), line: count.optional(), column: count.optional() })
      .optional(),
  }),
  z.strictObject({ t: z.literal("dropped"), ...program }),
]);

/** undefined where an honest process would not have said it. */
function parseMessage(head: unknown): FromChild | undefined {
  const parsed = SAID.safeParse(head);
  return parsed.success ? parsed.data : undefined;
}
