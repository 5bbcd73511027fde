import type { Person } from "../ports/ports.ts";

/** Why a run was made to stop: by a person, or not. A shutdown leaves it as it is; the others end it. */
export type StopCause = { readonly stoppedBy: Person } | "time" | "shutdown";

/** undefined where it was no person. */
export function whoStopped(cause: unknown): Person | undefined {
  // Only the engine makes causes, and these are all it makes.
  return typeof cause === "object" && cause !== null && "stoppedBy" in cause
    ? (cause as { stoppedBy: Person }).stoppedBy
    : undefined;
}
