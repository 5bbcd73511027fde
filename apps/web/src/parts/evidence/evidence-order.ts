import type { MethodResult } from "@elwood/core/protocol/results";
import { callWord } from "@elwood/core/base/state-words";

export type ActivityItem = MethodResult<"runs.activity">["activity"][number];

/** What the owner looks for first comes first: what did not succeed, then what changed something, then the reads. */
export interface OrderedActivity {
  /** Also what was done by a program that ended with another code than 0. */
  readonly notDone: readonly ActivityItem[];
  readonly changes: readonly ActivityItem[];
  readonly reads: readonly ActivityItem[];
}

export function ordered(activity: readonly ActivityItem[]): OrderedActivity {
  const isDone = ({ status, exitCode }: ActivityItem) => status === "succeeded" && exitCode === undefined;
  const done = activity.filter(isDone);
  return {
    notDone: activity.filter((item) => !isDone(item)),
    changes: done.filter((item) => item.risk !== "read"),
    reads: done.filter((item) => item.risk === "read"),
  };
}

/** `2 done, 1 failed, 1 waiting for you`. */
export function countsText(activity: readonly ActivityItem[]): string {
  const counts = new Map<string, number>();
  for (const { status, exitCode } of activity) {
    const { word } = callWord(status, exitCode);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}
