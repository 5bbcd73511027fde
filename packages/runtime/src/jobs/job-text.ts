import { fail } from "@elwood/core/base/failure";
import type { RunJob } from "@elwood/core/schedule/job-binding";
import type { Job } from "@elwood/core/schedule/job";

/** What the heartbeat asks, and when it may. */
export interface Heartbeat {
  /** What HEARTBEAT.md says now; empty where there is nothing to ask. */
  prompt(): Promise<string>;
  isActive(at: number): boolean;
}

/** The words that are sent for a job now. */
export async function jobText(job: Job, heartbeat: Heartbeat): Promise<string> {
  if (job.kind !== "heartbeat") return job.message;
  return `${await heartbeat.prompt()}\n\n${LOOK_AROUND}`;
}

const LOOK_AROUND =
  "This is a look around that nobody asked for just now. If nothing needs the owner's attention, answer with HEARTBEAT_OK alone.";

/** A job as a run of it has it: what permissions for it are compared with. */
export function runJobOf(
  { id, name }: Job,
  text: string,
  agentId: string,
  hash: (text: string) => string,
): RunJob {
  return { id, name, textHash: hash(text), agentId };
}

/** What sends nothing to a model could do nothing with a permission. */
export function mustAskModel({ kind, name }: Job): void {
  if (kind === "backup")
    fail("INVALID_INPUT", `“${name}” makes a backup and asks no model. There is nothing to rehearse.`);
  if (kind === "reminder")
    fail(
      "INVALID_INPUT",
      `“${name}” is a reminder: it comes as text, asks no model and calls no tool. There is nothing to rehearse.`,
    );
}
