import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LIMITS } from "@elwood/core/base/limits";
import type { ProgramDeclarations } from "@elwood/runtime/programs/declarations";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { CheckAnswer } from "./check-program.ts";
import type { FromChecker, ToChecker } from "./checker-child.ts";
import { withDeadline } from "@elwood/runtime/async/deadline";

const CHILD = fileURLToPath(new URL("./checker-child.ts", import.meta.url));

export type CheckOutcome =
  | { readonly kind: "answer"; readonly answer: CheckAnswer }
  /** Ended by us, since it took too long. */
  | { readonly kind: "timeout" }
  /** The process could not be had, or is gone. */
  | { readonly kind: "lost"; readonly why: string };

/** How the compiler is reached; `command` is what is left when its interface fails. */
export type CompilerKind = "warm" | "command";

/** One checking process and the compiler it started. It is asked one thing at a time. */
export class CheckerProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #gone: Promise<string>;
  readonly #ready: Promise<void>;
  #hear: (message: FromChecker) => void = () => {};
  #declarationsHash: string | undefined;
  #next = 0;
  #ended = false;

  constructor(clock: Clock, compiler: CompilerKind) {
    this.#clock = clock;
    this.#child = fork(CHILD, [compiler], {
      execArgv: ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=4"],
      // A group of its own, so that the compiler it started can be ended with it.
      detached: true,
      // Nothing of the gateway's surroundings is of use to it.
      env: { TMPDIR: process.env["TMPDIR"] ?? "/tmp", GOMEMLIMIT: "256MiB", GOMAXPROCS: "2" },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#gone = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => {
        this.#ended = true;
        resolve(`it ended with ${signal ?? code}`);
      });
      this.#child.once("error", (error) => {
        this.#ended = true;
        resolve(error.message);
      });
    });
    this.#ready = new Promise((resolve) => {
      this.#hear = (message) => {
        if ("ready" in message) resolve();
      };
    });
    // Our own file speaks on the other end, in this shape.
    this.#child.on("message", (message) => this.#hear(message as FromChecker));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How many checks it was asked for. */
  get checks(): number {
    return this.#next;
  }

  get alive(): boolean {
    return !this.#ended;
  }

  async check(source: string, { check, tools }: ProgramDeclarations): Promise<CheckOutcome> {
    const ready = await this.#within(LIMITS.programCheckerStartMs, this.#ready);
    if (ready.kind !== "answer") {
      this.end();
      return ready.kind === "timeout" ? { kind: "lost", why: "it did not get ready" } : ready;
    }
    const id = this.#next++;
    const heard = new Promise<FromChecker>((resolve) => {
      this.#hear = (message) => {
        if ("id" in message && message.id === id) resolve(message);
      };
    });
    const known = this.#declarationsHash === check.hash;
    this.#declarationsHash = check.hash;
    const message: ToChecker = {
      id,
      source,
      ...(known ? {} : { declarations: { text: check.text, tools } }),
    };
    // A process that is gone is noticed by its end.
    this.#child.send(message, () => {});
    const outcome = await this.#within(LIMITS.programCheckMs, heard);
    if (outcome.kind !== "answer") {
      this.end();
      return outcome;
    }
    if ("answer" in outcome.value) return { kind: "answer", answer: outcome.value.answer };
    this.end();
    return { kind: "lost", why: "failed" in outcome.value ? outcome.value.failed : "it said something else" };
  }

  /** Whether waiting for it keeps the gateway's process alive. */
  hold(held: boolean): void {
    const { channel } = this.#child;
    if (held) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }

  end(): void {
    if (this.#ended || this.#child.pid === undefined) return;
    this.#ended = true;
    try {
      process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // The group is gone already, or was never made.
      this.#child.kill("SIGKILL");
    }
  }

  /** Ends it and waits until it is gone. */
  async close(): Promise<void> {
    this.hold(true);
    this.end();
    await this.#gone;
  }

  async #within<T>(
    ms: number,
    wanted: Promise<T>,
  ): Promise<{ kind: "answer"; value: T } | Exclude<CheckOutcome, { kind: "answer" }>> {
    const first = Promise.race([
      wanted.then((value) => ({ kind: "answer" as const, value })),
      this.#gone.then((why) => ({ kind: "lost" as const, why })),
    ]);
    return withDeadline(this.#clock, ms, first, () => ({ kind: "timeout" as const }));
  }
}
