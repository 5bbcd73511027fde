import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { ToolError } from "@elwood/sdk/tool";
import { FILTER_DESCRIPTOR, giveFilter } from "@elwood/platform/bubblewrap";
import { STATUS_DESCRIPTOR } from "./cage.ts";
import { inheritedFiles } from "./inherited-files.ts";
import { LiveLines } from "./live-lines.ts";
import { SHELL_LIMITS } from "./limits.ts";
import { OutputKeeper } from "./output-keeper.ts";

export interface Running {
  readonly file: string;
  readonly args: readonly string[];
  readonly argv0?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Started by bubblewrap, which tells on a descriptor of its own how it goes. */
  readonly caged: boolean;
  /** What bubblewrap is to refuse of system calls. */
  readonly filter?: Uint8Array;
  /** It could not have changed anything, however it ends. */
  readonly changesNothing: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

export interface Ran {
  readonly exitCode: number;
  readonly output: string;
  readonly bytes: number;
  readonly truncated: boolean;
  readonly durationMs: number;
}

/**
 * Runs a command to its end. A command that ends by itself is an answer, whatever its exit
 * code. One that was stopped, or whose end nobody saw, is none: that is thrown as an
 * ordinary error, since what it had done by then stays done, or as a failure where it could
 * do nothing.
 */
export async function runCommand(running: Running): Promise<Ran> {
  const { signal, timeoutMs } = running;
  if (signal.aborted) throw new ToolError("stopped", "The call was stopped before the command was started.");
  const began = performance.now();
  const child = start(running);
  const status = statusOf(child, running.caged);
  const output = new OutputKeeper();
  const live = new LiveLines(running.progress);
  let stopped: string | undefined;
  const stop = (why: string) => {
    if (stopped !== undefined) return;
    stopped = why;
    endGently(child, running.caged, status);
  };
  const take = (data: Buffer) => {
    output.add(data);
    live.add(data);
    if (output.bytes > SHELL_LIMITS.outputReadBytesMax) stop("it wrote more than anybody can read");
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const onAbort = () => stop(signal.reason === "timeout" ? "its time was over" : "you stopped it");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timer = setTimeout(() => stop(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
  try {
    const { code, killedBy } = await ended(child);
    if (stopped !== undefined) {
      throw cutOff(running, `The command was ended because ${stopped}.`, output);
    }
    // bubblewrap tells an exit code only of a command that it did start.
    if (running.caged && status.exitCode === undefined && killedBy === null) {
      throw new ToolError(
        "no-cage",
        `The command was not started: its cage could not be built (${output.text().text.trim().slice(0, 300)}).`,
      );
    }
    const exitCode = running.caged ? status.exitCode : (code ?? signalCode(killedBy));
    if (exitCode === undefined || KILLED_CODES.has(exitCode)) {
      throw cutOff(running, "The command was killed, and nobody saw how far it had come.", output);
    }
    const { text, truncated } = output.text();
    return {
      exitCode,
      output: text,
      bytes: output.bytes,
      truncated,
      durationMs: Math.round(performance.now() - began),
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    live.end();
    // Whatever a command left running in its group goes with it; a cage takes everything with it anyway.
    killGroup(child, "SIGKILL");
  }
}

function cutOff({ changesNothing }: Running, what: string, output: OutputKeeper): Error {
  if (changesNothing) return new ToolError("ended", `${what} It could change nothing.${tail(output)}`);
  return new Error(`${what} What it had done by then stays done.${tail(output)}`);
}

/** As shells tell it: killed by SIGHUP, SIGINT, SIGKILL, SIGTERM. That is somebody's doing, not the command's own end. */
const KILLED_CODES: ReadonlySet<number> = new Set([129, 130, 137, 143]);

function signalCode(signal: NodeJS.Signals | null): number | undefined {
  return signal === null ? undefined : 128 + constants.signals[signal];
}

function start({ file, args, argv0, cwd, env, caged, filter }: Running): ChildProcess {
  const nothing = openSync("/dev/null", "r");
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env },
      shell: false,
      detached: true,
      stdio: descriptors(caged, filter !== undefined, nothing),
      ...(argv0 === undefined ? {} : { argv0 }),
    });
    if (filter !== undefined) giveFilter(child, filter);
    return child;
  } finally {
    closeSync(nothing);
  }
}

type Descriptor = "ignore" | "pipe" | number;

/** Output, and where bubblewrap tells how it goes. In place of what else is open to children there is nothing. */
function descriptors(caged: boolean, filtered: boolean, nothing: number): Descriptor[] {
  const ours: Descriptor[] = ["ignore", "pipe", "pipe"];
  if (caged) ours[STATUS_DESCRIPTOR] = "pipe";
  if (filtered) ours[FILTER_DESCRIPTOR] = "pipe";
  const inherited = inheritedFiles();
  const length = Math.max(ours.length, ...inherited.map((fd) => fd + 1));
  return Array.from({ length }, (_, fd) => ours[fd] ?? (inherited.includes(fd) ? nothing : "ignore"));
}

interface CageStatus {
  exitCode: number | undefined;
  /** The first process in the cage, as the system outside numbers it. */
  pid: number | undefined;
}

/** bubblewrap says on a descriptor of its own what it did; the command's output cannot pass for that. */
function statusOf(child: ChildProcess, caged: boolean): CageStatus {
  const status: CageStatus = { exitCode: undefined, pid: undefined };
  if (!caged) return status;
  let text = "";
  child.stdio[STATUS_DESCRIPTOR]?.on("data", (data: Buffer) => {
    text = (text + data.toString()).slice(-4_096);
    const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
    const exitCode = /"exit-code":\s*(\d+)/.exec(text)?.[1];
    if (pid !== undefined) status.pid = Number(pid);
    if (exitCode !== undefined) status.exitCode = Number(exitCode);
  });
  return status;
}

/** SIGTERM to the command itself, and a moment later SIGKILL to all of it. */
function endGently(child: ChildProcess, caged: boolean, status: CageStatus): void {
  if (!caged) killGroup(child, "SIGTERM");
  else if (status.pid === undefined) killGroup(child, "SIGKILL");
  else for (const pid of childrenOf(status.pid)) kill(pid, "SIGTERM");
  const timer = setTimeout(() => killGroup(child, "SIGKILL"), SHELL_LIMITS.killGraceMs);
  child.once("close", () => clearTimeout(timer));
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number);
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) kill(-child.pid, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const gone =
      error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM");
    if (!gone) throw error;
  }
}

/** Waits for the end, and then a moment for output that somebody else may still hold open. */
function ended(child: ChildProcess): Promise<{ code: number | null; killedBy: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      reject(new ToolError("not-started", `The command could not be started (${error.message}).`));
    });
    child.once("exit", (code, killedBy) => {
      const done = () => resolve({ code, killedBy });
      const timer = setTimeout(() => {
        killGroup(child, "SIGKILL");
        for (const stream of child.stdio) stream?.destroy();
        done();
      }, SHELL_LIMITS.drainMs);
      child.once("close", () => {
        clearTimeout(timer);
        done();
      });
    });
  });
}

const LAST_WORDS_CHARS = 300;

function tail(output: OutputKeeper): string {
  const said = output.text().text.trim();
  // In quotes and on one line, so that they cannot pass for words of ours.
  return said === ""
    ? ""
    : ` Its last words: ${JSON.stringify(said.slice(-LAST_WORDS_CHARS).toWellFormed())}`;
}
