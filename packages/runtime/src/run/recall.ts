import { LIMITS } from "@elwood/core/base/limits";
import { placeOf, type RecalledItem } from "@elwood/core/memory/recalled";
import { withUse } from "@elwood/core/memory/recalled-use";
import { textOf, type Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import { ownerWordsOf } from "./check-reply.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { Recalled } from "../ports/ports.ts";
import { withDeadline } from "../async/deadline.ts";

/** Whose run it is, and what the model has before it anyway. */
export interface RecallAbout {
  readonly runId: string;
  readonly sessionId: string;
  readonly agentId: string;
  /** Places (`memory/default/home.md#4`) that this conversation was given before. */
  readonly given: ReadonlySet<string>;
}

/**
 * Looks into memory for what the owner just said. It may answer only with words of the owner
 * and of the agent itself, never with what others wrote; it may answer nothing, and does so
 * for small talk. It is asked once for a run, before the model is.
 */
export interface Recall {
  before(
    tenant: string,
    about: RecallAbout,
    text: string,
    signal: AbortSignal,
  ): Promise<Recalled | undefined>;
  /** How long it may be waited for now, where that is not as long as ever. */
  patienceMs?(): number;
}

interface Asked {
  readonly tenant: string;
  readonly run: Run;
  readonly agentId: string;
  readonly earlier: readonly Message[];
}

type RecallDeps = Pick<EngineDeps, "recall" | "recorder" | "stores" | "clock" | "ids" | "log" | "redact">;

/**
 * The steps of a run with what memory had to say to its message.
 *
 * M1 It is on record, and a step of the journal, before the model is told it: after a crash the
 *    model is told the same.
 * M2 A run that was told something by a tool or the model already looks nothing up any more.
 * M3 Memory that is slow, broken or cannot be put on record costs the recall, never the run.
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

/** What of memory a run was given; undefined where nothing was. */
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
