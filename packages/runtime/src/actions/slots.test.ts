import { LIMITS } from "@elwood/core/base/limits";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

const { signal } = new AbortController();

test("who comes too many waits in order, and one beyond the line is refused", async () => {
  const slots = new Slots(new ManualClock());
  const take = () => slots.take("a", { maxConcurrency: 1 }, signal);
  const first = await take();
  const order: number[] = [];
  const waiting = Array.from({ length: LIMITS.actionQueueMax }, async (_, i) => {
    const taken = await take();
    order.push(i);
    if (taken.ok) taken.value();
  });
  expect(await take()).toMatchObject({ ok: false, error: { reason: "QUEUE_FULL", retryable: true } });
  if (first.ok) first.value();
  await Promise.all(waiting);
  expect(order).toEqual(waiting.map((_, i) => i));
});

test("who gives up while waiting takes nobody's turn", async () => {
  const slots = new Slots(new ManualClock());
  const gone = new AbortController();
  const first = await slots.take("a", { maxConcurrency: 1 }, signal);
  const second = slots.take("a", { maxConcurrency: 1 }, gone.signal);
  const third = slots.take("a", { maxConcurrency: 1 }, signal);
  gone.abort();
  expect(await second).toMatchObject({ ok: false, error: { reason: "ABORTED" } });
  if (first.ok) first.value();
  expect(await third).toMatchObject({ ok: true });
});

test("who comes too often is told when to come again", async () => {
  const clock = new ManualClock();
  const slots = new Slots(clock);
  const take = () => slots.take("a", { requestsPerMinute: 2 }, signal);
  await take();
  await clock.advance(10_000);
  await take();
  expect(await take()).toMatchObject({ error: { reason: "TOO_MANY_REQUESTS", retryAfterMs: 50_000 } });
  await clock.advance(50_001);
  expect(await take()).toMatchObject({ ok: true });
});
