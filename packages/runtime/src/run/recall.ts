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

/**
 * The steps of a run, with what memory contains about its message.
 *
 * M1 It is recorded and journaled before the model sees it: after a crash the model sees the same.
 * M2 A run that has further steps already does not search again.
 * M3 Memory that is slow, broken or cannot be recorded costs the recall, never the run.
 */
export async function withRecalled(
  deps: RecallDeps,
  asked: Asked,
  steps: readonly Message[],
): Promise<readonly Message[]> {
  const { recorder, stores, clock, ids, log, redact } = deps;
  const { tenant, run } = asked;
  const [inbound] = steps;
  if (!deps.recall || !recorder.noteRecall || !inbound || steps.length > 1) return steps;
  const { id: runId, surface } = run;
  try {
    const recorded = run.attempt > 1 ? await recorder.recordedRecall?.(tenant, runId) : undefined;
    const found = recorded ?? (await inTime(deps, asked, inbound));
    if (!found || found.items.length === 0) return steps;
    const text = redact(found.text);
    if (!recorded) await recorder.noteRecall(tenant, { runId, surface, text, items: found.items });
    const step: Message = {
      id: ids.next("message"),
      ts: clock.now(),
      role: "tool",
      origin: "recalled",
      blocks: [{ type: "text", text, origin: "recalled" }],
      meta: { recalled: [...found.items] },
    };
    await stores.runs.addStep(tenant, runId, step);
    return [...steps, step];
  } catch (error) {
    log.error("memory could not be looked into; the run goes on without", { run: runId, error });
    return steps;
  }
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

async function inTime(
  { recall, clock, log }: RecallDeps,
  { tenant, run, agentId, earlier }: Asked,
  inbound: Message,
): Promise<Recalled | undefined> {
  const text = ownerWordsOf(inbound);
  if (text === "") return undefined;
  const given = new Set(earlier.flatMap(({ meta }) => meta?.recalled?.map(placeOf) ?? []));
  const about = { runId: run.id, sessionId: run.sessionId, agentId, given };
  const over = new AbortController();
  const patience = recall!.patienceMs?.() ?? LIMITS.recallMs;
  const found = recall!.before(tenant, about, text, over.signal);
  try {
    return await withDeadline(clock, patience, found, () => {
      log.warn("memory took too long and was not waited for", { run: run.id });
      return undefined;
    });
  } finally {
    over.abort();
  }
}
