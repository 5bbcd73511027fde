import type { UsageSummary } from "@elwood/core/protocol/owner-shapes";

export interface DayStack {
  readonly day: string;
  readonly total: number;
  /** Of the highest day, in hundredths. */
  readonly height: number;
  /** From the bottom; `series` is the model's place in the legend. */
  readonly parts: readonly { readonly series: number; readonly share: number }[];
}

/** The days of a chart: each as high as its sum, divided by models in the same order everywhere. */
export function stacks(
  { days, models }: Pick<UsageSummary, "days" | "models">,
  what: "costUsd" | "tokens",
): { readonly days: readonly DayStack[]; readonly models: readonly string[] } {
  const names = models.map(({ model }) => model);
  const sums = days.map((day) => day.models.reduce((sum, each) => sum + each[what], 0));
  const most = Math.max(...sums, 0);
  return {
    models: names,
    days: days.map(({ day, models: of }, i) => {
      const total = sums[i] ?? 0;
      return {
        day,
        total,
        height: most === 0 ? 0 : (100 * total) / most,
        parts: of
          .map((each) => ({
            series: Math.max(0, names.indexOf(each.model)),
            share: total === 0 ? 0 : (100 * each[what]) / total,
          }))
          .toSorted((a, b) => a.series - b.series),
      };
    }),
  };
}
