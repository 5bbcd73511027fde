import type { UsageSummary } from "@elwood/core/protocol/owner-shapes";

export interface DayStack {
  readonly day: string;
  readonly total: number;
  /** Of the chart, in hundredths. */
  readonly height: number;
  /** From the bottom; `series` is the model's place in the legend. */
  readonly parts: readonly { readonly series: number; readonly share: number }[];
}

/** The days of a chart: each as high as its sum, divided by models in the same order everywhere. `top` is a round figure. */
export function stacks(
  { days, models }: Pick<UsageSummary, "days" | "models">,
  what: "costUsd" | "tokens",
): { readonly days: readonly DayStack[]; readonly models: readonly string[]; readonly top: number } {
  const names = models.map(({ model }) => model);
  const sums = days.map((day) => day.models.reduce((sum, each) => sum + each[what], 0));
  const top = roundTop(Math.max(...sums, 0));
  return {
    top,
    models: names,
    days: days.map(({ day, models: of }, i) => {
      const total = sums[i] ?? 0;
      return {
        day,
        total,
        height: top === 0 ? 0 : (100 * total) / top,
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

/** The least of 1, 2, 4, 5, 8 and 10 times a power of ten that is not below: half of it is round too. */
function roundTop(most: number): number {
  if (most <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  return (ROUND.find((each) => each * power >= most) ?? 10) * power;
}

const ROUND = [1, 2, 4, 5, 8, 10];
