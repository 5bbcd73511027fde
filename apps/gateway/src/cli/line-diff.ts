import type { Paint } from "./paint.ts";

const LINES_MAX = 2_000;
const CONTEXT_LINES = 3;

/** What changes between two texts, line by line, with a little around it. Very long texts are shown whole, old before new. */
export function lineDiff(before: string, after: string, paint: Paint): string[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const steps =
    old.length > LINES_MAX || fresh.length > LINES_MAX ? wholesale(old, fresh) : shortest(old, fresh);
  return around(steps).map(({ mark, line }) => {
    const text = `${mark} ${line}`;
    return mark === "+" ? paint("green", text) : mark === "-" ? paint("red", text) : paint("dim", text);
  });
}

interface Step {
  readonly mark: " " | "+" | "-" | "…";
  readonly line: string;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function wholesale(old: readonly string[], fresh: readonly string[]): Step[] {
  return [
    ...old.map((line): Step => ({ mark: "-", line })),
    ...fresh.map((line): Step => ({ mark: "+", line })),
  ];
}

/** Longest common subsequence, after what is the same at both ends is set aside. */
function shortest(old: readonly string[], fresh: readonly string[]): Step[] {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end))
    end += 1;
  const a = old.slice(start, old.length - end);
  const b = fresh.slice(start, fresh.length - end);
  const same = (line: string): Step => ({ mark: " ", line });
  return [...old.slice(0, start).map(same), ...middle(a, b), ...old.slice(old.length - end).map(same)];
}

function middle(a: readonly string[], b: readonly string[]): Step[] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      steps.push({ mark: " ", line: a[i]! });
      i += 1;
      j += 1;
    } else if (
      i < a.length &&
      (j >= b.length || lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      steps.push({ mark: "-", line: a[i++]! });
    } else steps.push({ mark: "+", line: b[j++]! });
  }
  return steps;
}

function around(steps: readonly Step[]): Step[] {
  const near = new Set<number>();
  steps.forEach((step, i) => {
    if (step.mark === " ") return;
    for (let k = i - CONTEXT_LINES; k <= i + CONTEXT_LINES; k++) near.add(k);
  });
  const shown: Step[] = [];
  let skipped = 0;
  for (const [i, step] of steps.entries()) {
    if (near.has(i)) {
      if (skipped > 0) shown.push({ mark: "…", line: `${skipped} lines the same` });
      skipped = 0;
      shown.push(step);
    } else skipped += 1;
  }
  return shown;
}
