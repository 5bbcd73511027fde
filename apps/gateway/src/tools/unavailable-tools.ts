import { LIMITS } from "@elwood/core/base/limits";
import { matchesTool } from "@elwood/core/tool/tool";
import type { Clock, Log } from "@elwood/runtime/ports/ports";

/** Tools that cannot work at the moment, and so are not offered. */
export interface UnavailableTools {
  /** Ids or patterns. */
  readonly tools: readonly string[];
  /** One sentence: what is off, and why. */
  readonly what: string;
  /** What to do about it. */
  readonly fix: string;
  /** Whether that is still so; absent where only a restart can change it. */
  readonly stillOff?: () => Promise<boolean>;
}

export function unavailableText({ what, fix }: UnavailableTools): string {
  return `${what} ${fix}`;
}

/** Why a tool is unavailable; undefined if it is available. */
export function unavailableReason(
  off: readonly UnavailableTools[],
  toolId: string,
): UnavailableTools | undefined {
  return off.find(({ tools }) => tools.some((pattern) => matchesTool(pattern, toolId)));
}

/** Reads the tools in again once something that was missing is there. Ends with the signal, or when nothing is missing any more. */
export async function watchUnavailableTools(
  registry: { off(): readonly UnavailableTools[]; reload(): Promise<{ readonly added: readonly string[] }> },
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted && registry.off().some(({ stillOff }) => stillOff !== undefined)) {
    await clock.sleep(LIMITS.offToolsLookMs, signal);
    if (signal.aborted) return;
    try {
      const back = await Promise.all(
        registry.off().map(async ({ stillOff }) => (await stillOff?.()) === false),
      );
      if (!back.includes(true)) continue;
      const { added } = await registry.reload();
      log.info("tools that were off can be used now", { added });
    } catch (error) {
      log.error("it could not be found out whether tools that are off can be used now", { error });
    }
  }
}
