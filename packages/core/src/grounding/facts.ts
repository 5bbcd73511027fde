import type { ActivityItem } from "../activity.ts";
import { familiesOf } from "./tool-fit.ts";

/** E0 nothing ran · E1 only look-ups succeeded · E2 all changes succeeded · E3 something did not succeed. */
export type EvidenceState = "E0" | "E1" | "E2" | "E3";

export interface Facts {
  readonly items: readonly ActivityItem[];
  readonly state: EvidenceState;
  readonly succeeded: readonly ActivityItem[];
  readonly changed: readonly ActivityItem[];
  readonly unsuccessful: readonly ActivityItem[];
  /** A look-up succeeded after the last change did. */
  readonly lookedSince: boolean;
}

export function factsOf(items: readonly ActivityItem[]): Facts {
  const succeeded = items.filter((item) => item.status === "succeeded");
  const changed = succeeded.filter((item) => item.risk !== "read");
  const unsuccessful = items.filter((item) => item.status !== "succeeded" && !isRepaired(item, items));
  const last = items.findLastIndex(
    (item) => item.status === "succeeded" && item.risk !== "read" && !mayLook(item),
  );
  const first = items.findIndex((item) => item.status === "succeeded" && item.risk !== "read");
  const lookedSince = items.some(
    (item, index) =>
      index > last &&
      item.status === "succeeded" &&
      (item.risk === "read" || (mayLook(item) && index > first)),
  );
  const state =
    unsuccessful.length > 0 ? "E3" : changed.length > 0 ? "E2" : succeeded.length > 0 ? "E1" : "E0";
  return { items, state, succeeded, changed, unsuccessful, lookedSince };
}

/** Tests look, and a tool that can do anything may have looked, unless it is the deed itself. */
export function mayLook(item: ActivityItem): boolean {
  const families = familiesOf(item.toolId);
  return families === undefined || families.has("verify");
}

/**
 * A failure that the same run made good: the same tool succeeded later for the same target.
 * Only failures: what was denied, expired, waits or is unknown stays news.
 */
export function isRepaired(item: ActivityItem, items: readonly ActivityItem[]): boolean {
  if (item.status !== "failed") return false;
  const at = items.indexOf(item);
  return items.some(
    (other, index) =>
      index > at &&
      other.status === "succeeded" &&
      other.toolId === item.toolId &&
      item.target !== undefined &&
      other.target === item.target,
  );
}
