import type { MethodResult } from "@elwood/core/protocol/results";

export type ActivityItem = MethodResult<"runs.activity">["activity"][number];

/** What the owner looks for first comes first: what did not succeed, then what changed something, then the reads. */
export interface OrderedActivity {
  readonly notDone: readonly ActivityItem[];
  readonly changes: readonly ActivityItem[];
  readonly reads: readonly ActivityItem[];
}

export function ordered(activity: readonly ActivityItem[]): OrderedActivity {
  const done = activity.filter((item) => item.status === "succeeded");
  return {
    notDone: activity.filter((item) => item.status !== "succeeded"),
    changes: done.filter((item) => item.risk !== "read"),
    reads: done.filter((item) => item.risk === "read"),
  };
}

/** `2 done, 1 failed, 1 waiting for you`. */
export function countsText(
  activity: readonly ActivityItem[],
  words: Readonly<Record<string, { readonly word: string }>>,
): string {
  const counts = new Map<string, number>();
  for (const { status } of activity) {
    const word = words[status]?.word ?? status;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => `${count} ${word}`).join(", ");
}
