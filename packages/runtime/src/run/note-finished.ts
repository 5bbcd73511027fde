import { FailureError } from "@elwood/core/base/failure";
import { isEnded, type Run } from "@elwood/core/message/session";
import type { EngineDeps } from "./engine-deps.ts";
import type { Person } from "../ports/ports.ts";

type NoteDeps = Pick<EngineDeps, "recorder" | "log" | "stores">;

/** The run has ended and is stored; that its receipt could not be written changes nothing about that. The next start writes it. */
export async function noteFinished(
  { recorder, log }: NoteDeps,
  tenant: string,
  run: Run,
  { status, by }: { readonly status: string; readonly by?: Person | undefined },
): Promise<void> {
  const { id: runId, sessionId, surface } = run;
  const detail = { status, ...(by && { stoppedBy: by.id, stoppedFrom: by.surface }) };
  try {
    await recorder.noteRun(tenant, { runId, sessionId, surface, what: "finished", detail });
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    log.error("the receipt of a run's end could not be written", { run: runId, session: sessionId, error });
  }
}

/** After a start: runs that had ended, but whose last receipt did not get onto the disk any more. */
export async function noteEnded(deps: NoteDeps, tenant: string): Promise<void> {
  for (const runId of await deps.recorder.openRuns(tenant)) {
    const run = await deps.stores.runs.get(tenant, runId);
    if (run && isEnded(run.status)) await noteFinished(deps, tenant, run, { status: run.status });
  }
}
