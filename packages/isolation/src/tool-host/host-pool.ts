import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { CageReport } from "@elwood/platform/bubblewrap";
import { hostCode, readOwnCode, type HostCode, type OwnCode } from "./host-code.ts";
import { HostProcess, type HostGone } from "./host-process.ts";
import { WORKSPACE_LIMITS, type WorkspaceLimits } from "./limits.ts";

export interface HostPoolOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether tools can be kept from the network here; asked when the first process is started. */
  readonly cage: () => Promise<CageReport>;
  readonly limits?: Partial<WorkspaceLimits>;
  /** What runs in the processes, if it is not ours: for tests. */
  readonly entry?: URL;
}

/** The pool of processes that run workspace tools: limits their number and starts them. */
export class HostPool {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: WorkspaceLimits;
  readonly cage: () => Promise<CageReport>;
  readonly #entry: URL | undefined;
  readonly #processes = new Set<HostProcess>();
  #own: OwnCode | undefined;
  #closed = false;

  constructor({ clock, log, cage, limits, entry }: HostPoolOptions) {
    this.clock = clock;
    this.log = log;
    this.cage = cage;
    this.#entry = entry;
    this.limits = { ...WORKSPACE_LIMITS, ...limits };
  }

  /** Ids of the processes there are now, for whoever measures or looks after them. */
  get pids(): number[] {
    return [...this.#processes].flatMap(({ pid }) => pid ?? []);
  }

  code(sources: ReadonlyMap<string, string>, mode: HostCode["mode"]): HostCode {
    return hostCode((this.#own ??= readOwnCode(this.#entry)), sources, mode);
  }

  /** undefined where as many as may be are at work. */
  async start(
    name: string,
    sources: ReadonlyMap<string, string>,
    onGone: (gone: HostGone) => void,
  ): Promise<HostProcess | undefined> {
    const found = await this.cage();
    if (this.#closed) return undefined;
    if (this.#processes.size >= this.limits.processesMax) {
      const idle = [...this.#processes].find(({ load }) => load === 0);
      if (idle === undefined) return undefined;
      idle.kill("another one is needed", true);
    }
    const process: HostProcess = new HostProcess({
      name,
      code: this.code(sources, "serve"),
      cage: found.ok ? found.cage : undefined,
      clock: this.clock,
      log: this.log,
      limits: this.limits,
      onGone: (gone) => {
        this.#processes.delete(process);
        if (!gone.wanted) this.log.warn("a process for tools is gone", { integration: name, why: gone.why });
        onGone(gone);
      },
    });
    this.#processes.add(process);
    return process;
  }

  close(): void {
    this.#closed = true;
    for (const process of this.#processes) process.kill("the gateway is stopping", true);
  }
}
