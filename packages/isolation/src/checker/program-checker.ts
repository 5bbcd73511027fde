import { createHash } from "node:crypto";
import { LIMITS } from "@elwood/core/base/limits";
import { PROGRAM_LIMITS } from "@elwood/core/tool/program";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { CheckVerdict, ProgramChecker } from "@elwood/runtime/programs/checker-port";
import type { ProgramDeclarations } from "@elwood/runtime/programs/declarations";
import { CheckerProcess, type CheckOutcome, type CompilerKind } from "./checker-process.ts";
import { serialQueue } from "@elwood/runtime/async/serial-queue";

export interface CheckerOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "debug">;
  /** What programs are checked with; the quick way unless told. */
  readonly compiler?: CompilerKind;
}

/** A process that died or could not start is tried once more. */
const TRIES_MAX = 2;

/**
 * Checks programs one after the other in a process that is started for the first of them
 * and leaves when none came for a minute.
 */
export class ProcessChecker implements ProgramChecker {
  readonly #options: CheckerOptions;
  #process: CheckerProcess | undefined;
  readonly #checks = serialQueue();
  #waiting = 0;
  #idle = new AbortController();
  #closed = false;

  constructor(options: CheckerOptions) {
    this.#options = options;
  }

  /** Of the process that is there now; for measuring. */
  get pid(): number | undefined {
    return this.#process?.alive ? this.#process.pid : undefined;
  }

  async check(program: { source: string; declarations: ProgramDeclarations }): Promise<CheckVerdict> {
    const { source, declarations } = program;
    if (this.#closed) return unavailable("Elwood is stopping.");
    const bytes = Buffer.byteLength(source);
    if (bytes > PROGRAM_LIMITS.sourceBytes) return tooLong(bytes);
    if (this.#waiting >= LIMITS.programChecksQueuedMax) {
      return unavailable(`${this.#waiting} other programs wait to be checked. Try again a little later.`);
    }
    this.#waiting += 1;
    this.#idle.abort();
    try {
      const outcome = await this.#checks.run(() => this.#checkNow(source, declarations));
      return verdictOf(outcome, source, declarations);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#rest();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#idle.abort();
    await this.#process?.close();
  }

  async #checkNow(source: string, declarations: ProgramDeclarations): Promise<CheckOutcome> {
    let outcome: CheckOutcome = { kind: "lost", why: "Elwood is stopping" };
    for (let i = 0; i < TRIES_MAX && !this.#closed; i++) {
      const process = this.#living();
      outcome = await process.check(source, declarations);
      const broken = outcome.kind === "answer" && !outcome.answer.ok && outcome.answer.broken === true;
      if (broken || process.checks >= LIMITS.programChecksPerProcessMax) process.end();
      if (outcome.kind !== "lost") return outcome;
      this.#options.log.warn("the checker of programs was lost", { why: outcome.why });
    }
    return outcome;
  }

  #living(): CheckerProcess {
    if (!this.#process?.alive)
      this.#process = new CheckerProcess(this.#options.clock, this.#options.compiler ?? "warm");
    this.#process.hold(true);
    return this.#process;
  }

  /** Nobody waits any more: after a while the process goes, and until then it keeps nothing alive. */
  #rest(): void {
    const process = this.#process;
    if (!process?.alive) return;
    process.hold(false);
    this.#idle = new AbortController();
    void this.#leave(process, this.#idle.signal);
  }

  async #leave(process: CheckerProcess, unless: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(LIMITS.programCheckerIdleMs, unless);
    if (unless.aborted) return;
    this.#options.log.debug("the checker of programs leaves");
    process.end();
  }
}

function verdictOf(outcome: CheckOutcome, source: string, declarations: ProgramDeclarations): CheckVerdict {
  if (outcome.kind === "lost")
    return unavailable("The checker of programs does not work here; the gateway's log says why.");
  if (outcome.kind === "timeout") {
    const seconds = LIMITS.programCheckMs / 1_000;
    return refused(
      "check-timeout",
      `Checking the program took longer than ${seconds} s and was ended. Write it with simpler types, or shorter.`,
    );
  }
  const { answer } = outcome;
  if (!answer.ok) {
    const { problems, omitted } = answer;
    const lacksTypes = problems.some((each) => each.code.startsWith("TS"))
      ? declarations.discovery
      : undefined;
    const hint =
      lacksTypes && `Read the declarations of tools first: tools.${lacksTypes.describe}({ ids: [ … ] }).`;
    return { ok: false, fault: "program", problems, omitted, ...(hint ? { hint } : {}) };
  }
  return {
    ok: true,
    javascript: answer.javascript,
    sourceHash: createHash("sha256").update(source).digest("hex"),
    declarationsHash: declarations.check.hash,
  };
}

function tooLong(bytes: number): CheckVerdict {
  const [is, max] = [bytes, PROGRAM_LIMITS.sourceBytes].map((each) => `${Math.ceil(each / 1024)} KB`);
  return refused(
    "too-long",
    `The program has ${is}; ${max} is the most. Keep data out of it: read it through tools, or split the work.`,
  );
}

function refused(code: string, message: string): CheckVerdict {
  return { ok: false, fault: "program", problems: [{ line: 0, column: 0, code, message }], omitted: 0 };
}

function unavailable(message: string): CheckVerdict {
  const problem = {
    line: 0,
    column: 0,
    code: "checker-unavailable",
    message: `${message} Single tool calls still work.`,
  };
  return { ok: false, fault: "checker", problems: [problem], omitted: 0 };
}
