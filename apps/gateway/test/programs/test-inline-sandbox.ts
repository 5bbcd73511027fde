import { readFileSync } from "node:fs";
import type { ProgramEnding, ProgramHost, Sandbox, SandboxProgram } from "@elwood/runtime/ports/sandbox";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { EngineModules } from "@elwood/isolation/quickjs/engine";
import { Guest } from "@elwood/isolation/quickjs/guest";
import type { GuestEnding } from "@elwood/isolation/quickjs/guest-ending";
import { ProgramRun } from "@elwood/isolation/quickjs/program-run";
import type { ToChild } from "@elwood/isolation/quickjs/wire";

/**
 * The real engine, and the gateway's real half of the sandbox, without a process between
 * them: for tests that try thousands of schedules and must know when nothing moves any more.
 */
export class InlineSandbox implements Sandbox {
  readonly #clock: Clock;
  readonly #modules: EngineModules;
  readonly #runs = new Set<ProgramRun>();
  #working = 0;

  constructor(clock: Clock, modules: EngineModules) {
    this.#clock = clock;
    this.#modules = modules;
  }

  /** Something runs inside, or is on its way there. */
  get busy(): boolean {
    return this.#working > 0;
  }

  async run(program: SandboxProgram, host: ProgramHost, signal: AbortSignal): Promise<ProgramEnding> {
    const run = new ProgramRun(program, host, signal, this.#clock);
    this.#runs.add(run);
    if (!run.over.aborted) this.#begin(run);
    return run.ending.finally(() => this.#runs.delete(run));
  }

  /** As if its process had died. */
  lose(): void {
    for (const run of this.#runs) run.fail("program.lost", "Its process ended.", { rerun: true });
  }

  async close(): Promise<void> {
    for (const run of this.#runs) run.fail("program.stopped", "Closed.");
  }

  #begin(run: ProgramRun): void {
    let guest: Guest | undefined;
    let turn = Promise.resolve();
    const tell = (ending: GuestEnding | undefined): void => {
      if (ending === undefined || !guest) return;
      const { calls, linesDropped: dropped, detached } = guest;
      const counted = { t: "over", p: 1, cpuMs: 0, calls, dropped, detached } as const;
      if ("returned" in ending) run.hear(counted, ending.returned);
      else run.hear({ ...counted, error: { code: ending.code } }, ending.message);
    };
    const obey = async (head: ToChild, body: string): Promise<void> => {
      if (head.t === "drop") return;
      if (run.over.aborted) return;
      if (head.t === "start") {
        const { chance, limits, settings } = head;
        guest = new Guest(
          { source: body, chance, limits, settings },
          {
            call: (i, kind, name, json) => void run.hear({ t: "call", p: 1, i, kind, name }, json),
            line: (n, level, text) => void run.hear({ t: "line", p: 1, n, level }, text),
          },
        );
        tell(await guest.start(this.#modules));
      } else tell(guest?.settle(head.i, body, head.at));
    };
    run.begin({
      p: 1,
      send: (head, body = "") => {
        this.#working += 1;
        turn = turn.then(() => obey(head, body)).finally(() => (this.#working -= 1));
      },
      // Later: it may be the engine itself that calls.
      drop: () => void turn.then(() => setImmediate(() => guest?.drop())),
    });
  }
}

export function engineModules(): EngineModules {
  const engine = import.meta.resolve("quickjs-wasi");
  const compiled = (file: string) => new WebAssembly.Module(readFileSync(new URL(`../${file}`, engine)));
  return {
    engine: compiled("quickjs.wasm"),
    url: compiled("extensions/url/url.so"),
    encoding: compiled("extensions/encoding/encoding.so"),
    structuredClone: compiled("extensions/structured-clone/structured-clone.so"),
  };
}
