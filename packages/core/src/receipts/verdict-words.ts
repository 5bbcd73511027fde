import type { LogVerdict } from "./verify-log.ts";

/** In one sentence, for people. */
export function verdictWords(verdict: LogVerdict): string {
  switch (verdict.status) {
    case "intact": {
      const all = `All ${verdict.size} receipts are as they were written.`;
      if (verdict.unsealed === 0) return all;
      return `${all} The last ${verdict.unsealed} ${verdict.unsealed === 1 ? "is" : "are"} not yet under a signature: a change there could not be seen.`;
    }
    case "altered": {
      const id = verdict.id === undefined ? "" : ` (${verdict.id})`;
      const where =
        verdict.seq === 0
          ? "The log was altered"
          : verdict.to === undefined
            ? `The log was altered at receipt ${verdict.seq}${id}`
            : `The log was altered somewhere from receipt ${verdict.seq}${id} to ${verdict.to}`;
      return `${where}: ${verdict.why}.`;
    }
    case "truncated":
      return `The log was cut: ${verdict.why}.`;
    default:
      return verdict satisfies never;
  }
}
