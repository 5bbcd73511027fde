import { aroundChanges, diffLines } from "@elwood/core/line-diff";
import type { Paint } from "./paint.ts";

/** What changes between two texts, with a little around it. */
export function lineDiff(before: string, after: string, paint: Paint): string[] {
  return aroundChanges(diffLines(before, after)).map(({ mark, line }) => {
    const text = `${mark} ${line}`;
    return mark === "+" ? paint("green", text) : mark === "-" ? paint("red", text) : paint("dim", text);
  });
}
