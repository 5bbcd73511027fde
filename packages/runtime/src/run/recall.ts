import { LIMITS } from "@elwood/core/base/limits";
import { placeOf, type RecalledItem } from "@elwood/core/memory/recalled";
import { withUse } from "@elwood/core/memory/recalled-use";
import { textOf, type Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import { ownerWordsOf } from "./check-reply.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { Recalled } from "../ports/ports.ts";
import { withDeadline } from "../async/deadline.ts";

interface Asked {
  readonly tenant: string;
  readonly run: Run;
  readonly agentId: string;
  readonly earlier: readonly Message[];
}

type RecallDeps = Pick<EngineDeps, "recall" | "recorder" | "stores" | "clock" | "ids" | "log" | "redact">;

/** A search of memory that goes on while the rest of a run's request is prepared. */
export interface Recalling {
  /** What was found, and whether it is on record already. It never rejects. */
  readonly found: Promise<{ readonly recalled: Recalled; readonly isRecorded: boolean } | undefined>;
  /** The run does not get that far; nobody waits for what is found. */
  cancel(): void;
}

/**
 * Begins to search memory for what the message of a run is about.
 *
 * M1 It is recorded and journaled before the model sees it: after a crash the model sees the same.
 * M2 A run that has further steps already does not search again.
 * M3 Memory that is slow, broken or cannot be recorded costs the recall, never the run.
 */
export function beginRecall(deps: RecallDeps, asked: Asked, steps: readonly Message[]): Recalling {
  const over = new AbortController();
  const cancel = () => over.abort("over");
  const [inbound] = steps;
  // M2
  if (!deps.recall || !deps.recorder.noteRecall || !inbound || steps.length > 1) {
    return { found: Promise.resolve(undefined), cancel };
  }
  const found = search(deps, asked, inbound, over.signal).catch((error: unknown) => {
    logFailed(deps, asked.run, error);
    return undefined;
  });
  return { found, cancel };
}

/** The steps of a run, with what memory contains about its message. */
export async function withRecalled(
  deps: RecallDeps,
  { tenant, run }: Pick<Asked, "tenant" | "run">,
  steps: readonly Message[],
  recalling: Recalling,
): Promise<readonly Message[]> {
  const { recorder, stores, clock, ids, redact } = deps;
  const { id: runId, surface } = run;
  try {
    const found = await recalling.found;
    if (!found || found.recalled.items.length === 0) return steps;
    const { items } = found.recalled;
    const text = redact(found.recalled.text);
    // M1
    if (!found.isRecorded) await recorder.noteRecall?.(tenant, { runId, surface, text, items });
    const step: Message = {
      id: ids.next("message"),
      ts: clock.now(),
      role: "tool",
      origin: "recalled",
      blocks: [{ type: "text", text, origin: "recalled" }],
      meta: { recalled: [...items] },
    };
    await stores.runs.addStep(tenant, runId, step);
    return [...steps, step];
  } catch (error) {
    logFailed(deps, run, error);
    return steps;
  } finally {
    recalling.cancel();
  }
}

// M3
function logFailed({ log }: Pick<RecallDeps, "log">, run: Run, error: unknown): void {
  log.error("memory could not be looked into; the run goes on without", { run: run.id, error });
}

/** What was recalled for a run; undefined if nothing was. */
export function recalledIn(steps: readonly Message[]): readonly RecalledItem[] | undefined {
  return steps.find(({ origin, meta }) => origin === "recalled" && meta?.recalled)?.meta?.recalled;
}

/** The same, with what the reply used of it. */
export function usedIn(steps: readonly Message[], reply: string): readonly RecalledItem[] | undefined {
  const step = steps.find(({ origin, meta }) => origin === "recalled" && meta?.recalled);
  const items = step?.meta?.recalled;
  if (!step || !items) return undefined;
  return withUse(items, { recalled: textOf(step), message: ownerWordsOf(steps[0]), reply });
}

async function search(
  deps: RecallDeps,
  asked: Asked,
  inbound: Message,
  signal: AbortSignal,
): ReturnType<() => Recalling["found"]> {
  const { tenant, run } = asked;
  const recorded = run.attempt > 1 ? await deps.recorder.recordedRecall?.(tenant, run.id) : undefined;
  if (recorded) return { recalled: recorded, isRecorded: true };
  const recalled = await inTime(deps, asked, inbound, signal);
  return recalled && { recalled, isRecorded: false };
}

function placesGiven(messages: readonly Message[]): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { meta } of messages) for (const item of meta?.recalled ?? NONE) places.add(placeOf(item));
  return places;
}

const NONE: readonly RecalledItem[] = [];

async function inTime(
  { recall, clock, log }: RecallDeps,
  { tenant, run, agentId, earlier }: Asked,
  inbound: Message,
  signal: AbortSignal,
): Promise<Recalled | undefined> {
  const text = ownerWordsOf(inbound);
  if (text === "") return undefined;
  const about = { runId: run.id, sessionId: run.sessionId, agentId, given: () => placesGiven(earlier) };
  const patience = recall!.patienceMs?.() ?? LIMITS.recallMs;
  const found = recall!.before(tenant, about, text, signal);
  return withDeadline(clock, patience, found, () => {
    log.warn("memory took too long and was not waited for", { run: run.id });
    return undefined;
  });
}
