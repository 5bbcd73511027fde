import { LIMITS } from "@elwood/core/base/limits";
import type { RecalledItem } from "@elwood/core/memory/recalled";
import { withUse } from "@elwood/core/memory/recalled-use";
import { textOf, type Message } from "@elwood/core/message/message";
import { tellsOf } from "@elwood/core/message/recalled-frame";
import type { Run } from "@elwood/core/message/session";
import { ownerWordsOf } from "./check-reply.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { RecallAbout, Recalled } from "../ports/ports.ts";
import { settlesImmediately, withDeadline } from "../async/deadline.ts";

interface Asked {
  readonly tenant: string;
  readonly run: Run;
  readonly agentId: string;
  readonly earlier: readonly Message[];
}

type RecallDeps = Pick<EngineDeps, "recall" | "recorder" | "stores" | "clock" | "ids" | "log" | "redact">;

interface Found {
  readonly recalled: Recalled;
  readonly isRecorded: boolean;
}

/** A search of memory that goes on while the rest of a run's request is prepared. */
export interface Recalling {
  /** What was found, and whether it is on record already. It never rejects, and is not waited for without end. */
  readonly found: () => Promise<Found | undefined>;
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
    return { found: async () => undefined, cancel };
  }
  const { clock } = deps;
  const patience = deps.recall.patienceMs?.() ?? LIMITS.recallMs;
  const since = clock.now();
  const search = begin(deps, asked, inbound, over.signal).catch((error: unknown) => {
    logFailed(deps, asked.run, error);
    return undefined;
  });
  // Less than nothing has passed where the clock was set back.
  const left = () => patience - Math.max(0, clock.now() - since);
  return { found: () => inTime(deps, asked.run, search, left), cancel };
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
    const found = await recalling.found();
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

async function begin(
  { recall, recorder }: RecallDeps,
  { tenant, run, agentId, earlier }: Asked,
  inbound: Message,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const recorded = run.attempt > 1 ? await recorder.recordedRecall?.(tenant, run.id) : undefined;
  if (recorded) return { recalled: recorded, isRecorded: true };
  const text = ownerWordsOf(inbound);
  if (text === "") return undefined;
  const about = { runId: run.id, sessionId: run.sessionId, agentId, wasTold: toldIn(earlier) };
  const recalled = await recall!.before(tenant, about, text, signal);
  return recalled && { recalled, isRecorded: false };
}

/** A few places are compared with what a conversation was told, which is quicker than to list all that it was told. */
function toldIn(messages: readonly Message[]): RecallAbout["wasTold"] {
  return ({ source, line }, words) => {
    const isOfPlace = ({ meta }: Message) =>
      meta?.recalled?.some((item) => item.line === line && item.source === source) === true;
    if (words === undefined) return messages.some(isOfPlace);
    const tells = (message: Message) =>
      message.meta?.recalled?.some((item) => item.source === source) === true &&
      tellsOf(textOf(message), source, words);
    // What was told there last counts: a line may have been changed, and set back.
    const last = messages.findLast((message) => tells(message) || isOfPlace(message));
    return last !== undefined && tells(last);
  };
}

/** Mostly it was found by the time that somebody asks, and no timer is needed. */
async function inTime(
  { clock, log }: RecallDeps,
  run: Run,
  search: Promise<Found | undefined>,
  left: () => number,
): Promise<Found | undefined> {
  if (await settlesImmediately(search)) return search;
  return withDeadline(clock, Math.max(0, left()), search, () => {
    log.warn("memory took too long and was not waited for", { run: run.id });
    return undefined;
  });
}
