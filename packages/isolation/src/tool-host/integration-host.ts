import { ToolError } from "@elwood/sdk/tool-answer";
import type { HostProcess, HostStart } from "./host-process.ts";
import type { HostPool } from "./host-pool.ts";
import type { IntegrationFiles } from "./integration-files.ts";
import type { HostCall } from "./open-call.ts";

/**
 * One version of an integration: the sources as they were read, and a process for them while
 * it is needed. It can be called as long as somebody holds it, whatever became of the files.
 *
 * V1 A call that reached no process throws a ToolError: it did not happen.
 * V2 A call that reached one and got no answer rejects with something else: nobody knows.
 */
export class IntegrationHost {
  readonly #pool: HostPool;
  readonly #files: IntegrationFiles;
  #process: HostProcess | undefined;
  #starting: Promise<HostProcess> | undefined;
  /** Processes that broke in a row, with no call answered between. */
  #broken = 0;

  constructor(pool: HostPool, files: IntegrationFiles) {
    this.#pool = pool;
    this.#files = files;
  }

  /** Starts the process, if there is none, to hear what tools it has. */
  async describe(signal: AbortSignal): Promise<HostStart> {
    const process = await this.#living(signal);
    const start = await process.started;
    if (start.kind === "ready") process.rest();
    return start;
  }

  async call(call: HostCall): Promise<string> {
    const { inputBytesMax, callsPerProcessMax } = this.#pool.limits;
    if (JSON.stringify(call.body).length > inputBytesMax)
      throw this.#unavailable(`the input is larger than ${inputBytesMax} bytes`);
    const process = await this.#ready(call.signal);
    if (process.load >= callsPerProcessMax)
      throw this.#unavailable(`${callsPerProcessMax} calls are being made already`);
    const answer = await process.call(call);
    this.#broken = 0;
    return answer;
  }

  /** Another version is in use now. Runs that began with this one may still call it. */
  retire(): void {
    this.#process?.leave();
  }

  async #ready(signal: AbortSignal): Promise<HostProcess> {
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
      const process = await this.#living(signal);
      const start = await process.started;
      if (start.kind === "broken") throw this.#unavailable(start.trouble.message);
      if (start.kind === "ready" && process.open) return process;
    }
    throw this.#unavailable("its process does not come up");
  }

  #living(signal: AbortSignal): Promise<HostProcess> {
    if (this.#process?.open) return Promise.resolve(this.#process);
    this.#starting ??= this.#begin(signal).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #begin(signal: AbortSignal): Promise<HostProcess> {
    await this.#pool.clock.sleep(this.#backoffMs(), signal);
    if (signal.aborted) throw this.#unavailable("the call was stopped before it began");
    const { name, sources } = this.#files;
    const process = await this.#pool.start(name, sources, ({ wanted }) => {
      if (!wanted) this.#broken++;
    });
    if (process === undefined) throw this.#unavailable("as many tools are at work as may be at once");
    this.#process = process;
    return process;
  }

  #backoffMs(): number {
    const { backoffMs, backoffMaxMs } = this.#pool.limits;
    return this.#broken < 2 ? 0 : Math.min(backoffMs * 2 ** (this.#broken - 2), backoffMaxMs);
  }

  #unavailable(why: string): ToolError {
    return new ToolError(
      "tool_unavailable",
      `The tools of ${this.#files.name} could not be reached: ${why}. Nothing was done.`,
      {
        retryable: true,
      },
    );
  }
}

const START_ATTEMPTS = 3;
