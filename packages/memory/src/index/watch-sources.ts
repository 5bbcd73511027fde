import { mkdirSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { INDEX_LIMITS } from "./limits.ts";
import { isSourceName } from "./list-sources.ts";
import { errorCode } from "@elwood/platform/system-error";

export interface WatchSourcesOptions {
  readonly home: string;
  readonly tenant: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Once for changes that come close together; `undefined` where it is not known what changed. */
  readonly onChange: (paths: ReadonlySet<string> | undefined) => void;
}

/** Watches conversations and notes. Watchers miss things; whoever calls looks through everything now and then too. */
export function watchSources({ home, tenant, clock, log, signal, onChange }: WatchSourcesOptions): void {
  let changed = new Set<string>();
  let everything = false;
  let gathering = false;
  let more = false;
  const watchers: FSWatcher[] = [];

  const gather = async () => {
    more = true;
    if (gathering) return;
    gathering = true;
    const { gatherMs, gatherMaxMs } = INDEX_LIMITS;
    for (let waited = 0; more && waited < gatherMaxMs && !signal.aborted; waited += gatherMs) {
      more = false;
      await clock.sleep(gatherMs, signal);
    }
    gathering = false;
    if (signal.aborted) return;
    const paths = everything ? undefined : changed;
    changed = new Set();
    everything = false;
    onChange(paths);
  };

  for (const [kind, recursive] of [
    ["sessions", false],
    ["memory", true],
  ] as const) {
    const folder = join(home, kind, tenant);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const watcher = watch(folder, { recursive, persistent: false }, (_what, name) => {
        const slashed = name?.replaceAll("\\", "/");
        if (slashed === undefined) everything = true;
        else if (isSourceName(slashed)) changed.add(`${kind}/${tenant}/${slashed}`);
        else return;
        void gather();
      });
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch (error) {
      const code = errorCode(error) ?? "";
      log.warn("changes of a folder of memory are noticed late: it cannot be watched", { folder, code });
    }
  }
  signal.addEventListener("abort", () => {
    for (const each of watchers) each.close();
  });
}
