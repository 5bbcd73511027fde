import type { Span, Timeline } from "@elwood/core/protocol/call-shapes";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isFailure, waterfall } from "./waterfall.ts";

const span = (kind: Span["kind"], start: number, end?: number, more: Partial<Span> = {}): Span => ({
  kind,
  start,
  ...(end === undefined ? {} : { end }),
  label: kind,
  ...more,
});

const line = (spans: readonly Span[], end?: number): Timeline => ({
  runId: "run_1",
  status: "done",
  start: 0,
  ...(end === undefined ? {} : { end }),
  now: 10_000,
  spans: [...spans],
});

test("spans lie where they were, to scale", () => {
  const { bars, totalMs, cutMs } = waterfall(
    line([span("queue", 0, 100), span("model", 100, 1_000)], 1_000),
    true,
  );
  expect(bars.map(({ left, width }) => [left, width])).toEqual([
    [0, 10],
    [10, 90],
  ]);
  expect([totalMs, cutMs]).toEqual([1_000, 0]);
});

test("a wait of days leaves room for the seconds in which something happened", () => {
  const day = 86_400_000;
  const spans = [
    span("model", 0, 2_000),
    span("tool", 2_000, 3 * day + 4_000, { callId: "c" }),
    span("approval", 2_000, 3 * day + 2_000, { callId: "c" }),
    span("model", 3 * day + 4_000, 3 * day + 6_000),
  ];
  const cut = waterfall(line(spans, 3 * day + 6_000), true);
  expect(cut.bars[0]!.width).toBeGreaterThan(20);
  expect(cut.cutMs).toBeGreaterThan(2 * day);
  const whole = waterfall(line(spans, 3 * day + 6_000), false);
  expect(whole.cutMs).toBe(0);
  expect(whole.bars[0]!.width).toBeLessThan(1);
});

test("a span that still goes on reaches to now", () => {
  const { bars } = waterfall(line([span("model", 5_000)]), false);
  expect(bars[0]).toMatchObject({ left: 50, width: 50, ms: 5_000 });
});

test("a run that took no time at all can be drawn", () => {
  expect(waterfall(line([span("model", 0, 0)], 0), true).bars[0]!.left).toBe(0);
});

test("whatever the spans, every bar lies within the page, in the order of time", () => {
  const one = fc.record({
    kind: fc.constantFrom("queue", "model", "tool", "approval", "retry"),
    start: fc.nat(1_000_000),
    ms: fc.nat(1_000_000),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 30 }), fc.boolean(), (made, cutWaits) => {
      const spans = made.map(({ kind, start, ms }) => span(kind, start, start + ms));
      const end = Math.max(1, ...spans.map((each) => each.end ?? 0));
      const { bars } = waterfall(line(spans, end), cutWaits);
      for (const { left, width } of bars) {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(100.5);
      }
      const byStart = bars.toSorted((a, b) => a.span.start - b.span.start);
      for (const [i, bar] of byStart.entries())
        if (i > 0) expect(bar.left).toBeGreaterThanOrEqual(byStart[i - 1]!.left - 1e-9);
    }),
  );
});

test("what went wrong is told from what did not", () => {
  expect(isFailure(span("retry", 0, 1))).toBe(true);
  expect(isFailure(span("tool", 0, 1, { status: "denied" }))).toBe(true);
  expect(isFailure(span("tool", 0, 1, { status: "succeeded" }))).toBe(false);
});
