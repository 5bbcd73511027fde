const LINES_MAX = 2_000;
const CONTEXT_LINES = 3;

export interface DiffLine {
  readonly mark: " " | "+" | "-" | "…";
  readonly line: string;
}

/** What changes between two texts, line by line. Very long texts are told whole, old before new. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  return old.length > LINES_MAX || fresh.length > LINES_MAX ? wholesale(old, fresh) : shortest(old, fresh);
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function wholesale(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  return [
    ...old.map((line): DiffLine => ({ mark: "-", line })),
    ...fresh.map((line): DiffLine => ({ mark: "+", line })),
  ];
}

/** Longest common subsequence, after what is the same at both ends is set aside. */
function shortest(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end))
    end += 1;
  const a = old.slice(start, old.length - end);
  const b = fresh.slice(start, fresh.length - end);
  const same = (line: string): DiffLine => ({ mark: " ", line });
  return [...old.slice(0, start).map(same), ...middle(a, b), ...old.slice(old.length - end).map(same)];
}

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
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
  const steps: DiffLine[] = [];
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

/** Only the lines that change, and a few around them. */
export function aroundChanges(steps: readonly DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  steps.forEach((step, i) => {
    if (step.mark === " ") return;
    for (let k = i - CONTEXT_LINES; k <= i + CONTEXT_LINES; k++) near.add(k);
  });
  const shown: DiffLine[] = [];
  let skipped = 0;
  for (const [i, step] of steps.entries()) {
    if (near.has(i)) {
      if (skipped > 0)
        shown.push({ mark: "…", line: skipped === 1 ? "1 line the same" : `${skipped} lines the same` });
      skipped = 0;
      shown.push(step);
    } else skipped += 1;
  }
  return shown;
}
