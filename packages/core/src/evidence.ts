/** How one call of a run ended, as far as the evidence line cares. */
export interface CallEnding {
  readonly toolId: string;
  readonly status: "ok" | "error";
}

/**
 * The line under every reply that says what was done. The gateway writes it from what it
 * recorded; the model has no part in it and cannot change it.
 */
export function evidenceLine(calls: readonly CallEnding[]): string {
  if (calls.length === 0) return "No tool ran for this reply.";
  const failed = calls.filter((c) => c.status === "error");
  const done = calls.length - failed.length;
  const parts: string[] = [];
  if (failed.length > 0) parts.push(`${failed.length} failed (${names(failed)})`);
  if (done > 0) parts.push(`${done} done (${names(calls.filter((c) => c.status === "ok"))})`);
  return `Tools: ${parts.join(", ")}.`;
}

const NAMES_SHOWN_MAX = 5;

function names(calls: readonly CallEnding[]): string {
  const unique = [...new Set(calls.map((c) => c.toolId))];
  const shown = unique.slice(0, NAMES_SHOWN_MAX).join(", ");
  return unique.length > NAMES_SHOWN_MAX ? `${shown} and ${unique.length - NAMES_SHOWN_MAX} more` : shown;
}
