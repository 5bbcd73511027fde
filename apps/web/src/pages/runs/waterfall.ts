import type { Span, Timeline } from "@elwood/core/protocol/call-shapes";

/** Where the spans of a run lie on the page, in hundredths of its width. */

export interface Bar {
  readonly span: Span;
  readonly left: number;
  readonly width: number;
  readonly ms: number;
  readonly depth: number;
  /** Moments at which it was tried again, in hundredths of the whole width. */
  readonly retries: readonly number[];
}

export interface Waterfall {
  readonly bars: readonly Bar[];
  readonly totalMs: number;
  /** So much waiting is not drawn to scale; 0 where all of it is. */
  readonly cutMs: number;
  readonly ticks: readonly { readonly left: number; readonly ms: number }[];
}

/** Waiting beyond this share of the work is drawn shorter than it was. */
const WAIT_SHARE_MAX = 0.4;
const WAIT_MS_MIN = 1_000;
const WIDTH_MIN = 0.4;
const TICKS = 4;

/** Somebody worked in these; in the others somebody was waited for. */
const WORK = new Set<Span["kind"]>(["model", "tool", "retry", "compaction"]);

/**
 * Lays the spans out. A wait of days would leave no room for the seconds in which something
 * happened, so with `cutWaits` stretches in which nobody worked are drawn no longer than a
 * part of the work.
 */
export function waterfall({ spans, start, end, now }: Timeline, cutWaits: boolean): Waterfall {
  const last = end ?? now;
  const ends = (span: Span) => Math.max(span.start, span.end ?? last);
  const points = [...new Set([start, last, ...spans.flatMap((span) => [span.start, ends(span)])])].toSorted(
    (a, b) => a - b,
  );
  const waiting = spans.filter((span) => span.kind === "approval");
  const working = spans.filter((span) => WORK.has(span.kind));
  const segments = points.slice(1).map((to, i) => {
    const from = points[i] ?? to;
    const within = (span: Span) => span.start <= from && ends(span) >= to;
    // A call that waits for its approval does not work meanwhile.
    const idle = waiting.some(within) || !working.some(within);
    return { from, to, ms: to - from, idle };
  });
  const worked = segments.filter(({ idle }) => !idle).reduce((sum, { ms }) => sum + ms, 0);
  const most = Math.max(WAIT_MS_MIN, worked * WAIT_SHARE_MAX);
  const drawn = segments.map(({ from, to, ms, idle }) => ({
    from,
    to,
    ms: cutWaits && idle ? Math.min(ms, most) : ms,
  }));
  const width = drawn.reduce((sum, { ms }) => sum + ms, 0) || 1;
  const at = placer(drawn, width);
  const bars = spans
    .filter((span) => !isTick(span, spans))
    .map((span) => {
      const left = at(span.start);
      return {
        span,
        left,
        width: Math.max(WIDTH_MIN, at(ends(span)) - left),
        ms: ends(span) - span.start,
        depth: span.parent === undefined ? 0 : 1,
        retries: retriesOf(span, spans).map((each) => at(each.start)),
      };
    });
  const totalMs = last - start;
  const cutMs = totalMs - drawn.reduce((sum, { ms }) => sum + ms, 0);
  return { bars, totalMs, cutMs: Math.max(0, cutMs), ticks: cutMs > 0 ? [] : ticksOf(totalMs) };
}

/** The times a question to the model was tried again. */
export function retriesOf({ kind, lap }: Span, spans: readonly Span[]): readonly Span[] {
  return kind === "model" && lap !== undefined
    ? spans.filter((each) => each.kind === "retry" && each.lap === lap)
    : [];
}

/** One more try is a mark on the bar of its question, where that question is on record. */
function isTick(span: Span, spans: readonly Span[]): boolean {
  return (
    span.kind === "retry" &&
    span.lap !== undefined &&
    spans.some(({ kind, lap }) => kind === "model" && lap === span.lap)
  );
}

function placer(
  drawn: readonly { readonly from: number; readonly to: number; readonly ms: number }[],
  width: number,
): (moment: number) => number {
  return (moment) => {
    let before = 0;
    for (const { from, to, ms } of drawn) {
      if (moment >= to) before += ms;
      else if (moment > from) before += (ms * (moment - from)) / (to - from);
    }
    return (100 * before) / width;
  };
}

function ticksOf(totalMs: number): Waterfall["ticks"] {
  return Array.from({ length: TICKS + 1 }, (_, i) => ({
    left: (100 * i) / TICKS,
    ms: (totalMs * i) / TICKS,
  }));
}

export function isFailure({ status, kind, exitCode }: Span): boolean {
  return (
    kind === "retry" ||
    exitCode !== undefined ||
    ["failed", "denied", "expired", "unknown", "refused"].includes(status ?? "")
  );
}
