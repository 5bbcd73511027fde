import { watch, type FSWatcher } from "node:fs";
import { basename, dirname } from "node:path";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { WORKSPACE_LIMITS } from "./limits.ts";
import { errorCode, isMissing } from "@elwood/platform/system-error";

export interface WatchOptions {
  readonly toolsDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called once for changes that come close together. */
  readonly onChange: () => Promise<void>;
}

/**
 * Watches the folder with the tools, whatever happens to it: files that are put in place by a
 * rename, folders that are new, and the folder itself appearing, going, or being another one.
 * After every change it is watched anew, so that nothing new in it is missed.
 */
export function watchTools({ toolsDir, clock, log, signal, onChange }: WatchOptions): void {
  let watchers: FSWatcher[] = [];
  let gathering = false;
  let more = false;

  const arm = () => {
    const before = watchers;
    const above = start(dirname(toolsDir), false, (name) => name === null || name === basename(toolsDir));
    const inside = start(toolsDir, true, () => true);
    watchers = [above, inside].filter((each) => each !== undefined);
    for (const each of before) each.close();
  };

  const start = (folder: string, recursive: boolean, concerns: (name: string | null) => boolean) => {
    try {
      const watcher = watch(folder, { recursive, persistent: false }, (_what, name) => {
        if (concerns(name)) void gather();
      });
      // A folder that goes away is seen from the one above it.
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch (error) {
      if (!isMissing(error))
        log.warn("changes in the folder for tools are not noticed: use `elwood tools reload`", {
          folder,
          code: errorCode(error) ?? "",
        });
      return undefined;
    }
  };

  const gather = async () => {
    more = true;
    if (gathering) return;
    gathering = true;
    const { gatherMs, gatherMaxMs } = WORKSPACE_LIMITS;
    for (let waited = 0; more && waited < gatherMaxMs; waited += gatherMs) {
      more = false;
      await clock.sleep(gatherMs, signal);
    }
    gathering = false;
    if (signal.aborted) return;
    arm();
    try {
      await onChange();
    } catch (error) {
      log.error("the tools could not be read anew", { error });
    }
  };

  arm();
  signal.addEventListener("abort", () => {
    for (const each of watchers) each.close();
  });
}
