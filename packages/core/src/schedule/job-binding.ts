import { z } from "zod";

/**
 * What a standing permission for a job is bound to, beside the contract of its tool: which job, the
 * words that are sent for it, and who is asked. A job that says something else, or asks another
 * agent, is not the one that the owner rehearsed.
 */
export const jobBindingSchema = z.object({ id: z.string(), textHash: z.string(), agentId: z.string() });
export type JobBinding = Readonly<z.infer<typeof jobBindingSchema>>;

/**
 * The job that a run belongs to, as it stood when the run began. It is stored with the first message
 * of the run, so that it is the same after a restart.
 */
export const runJobSchema = jobBindingSchema.extend({
  name: z.string(),
  /** Nothing but reads is done; everything else is listed instead. */
  rehearsal: z.literal(true).optional(),
});
export type RunJob = Readonly<z.infer<typeof runJobSchema>>;

export function bindingOf({ id, textHash, agentId }: JobBinding): JobBinding {
  return { id, textHash, agentId };
}

export function isSameBinding(a: JobBinding | undefined, b: JobBinding | undefined): boolean {
  return a?.id === b?.id && a?.textHash === b?.textHash && a?.agentId === b?.agentId;
}
