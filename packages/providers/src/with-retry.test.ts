import { failure, type FailureReason } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { ModelEvent } from "@elwood/core/model/model";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { describe, expect, test } from "vitest";
import { withRetry, type AttemptEvent } from "./with-retry.ts";

const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const done: AttemptEvent = { type: "done", stopReason: "end_turn", blocks: [], usage, model: "m" };

function failing(
  reason: FailureReason,
  more: { retryAfterMs?: number; retryable?: boolean; loading?: boolean } = {},
): AttemptEvent {
  const { loading, ...rest } = more;
  return {
    type: "failed",
    failure: failure(reason, `It is ${reason}. Do something.`, rest),
    brief: `It is ${reason}.`,
    blocks: [],
    usage,
    ...(loading ? { loading } : {}),
  };
}

/** Plays one list of events per try, and notes what was heard and slept. */
async function play(
  tries: readonly (readonly AttemptEvent[])[],
  options: { attemptsMax?: number; random?: () => number } = {},
) {
  const clock = new ManualClock({ autoAdvance: true });
  let made = 0;
  async function* attempt(): AsyncGenerator<AttemptEvent> {
    const events = tries[made++];
    if (!events) throw new Error(`try ${made} was not expected`);
    yield* events;
  }
  const events: ModelEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of withRetry(attempt, { clock, random: () => 0, signal, ...options }))
    events.push(event);
  return { events, made, pauses: clock.sleeps.map((s) => s.ms) };
}

describe("EL-3: retries", () => {
  test("back off by doubling, with a pause that jitter only shortens", async () => {
    const rate = [failing("RATE_LIMITED")];
    expect((await play([rate, rate, rate, [done]])).pauses).toEqual([1_000, 2_000, 4_000]);
    expect((await play([rate, rate, rate, [done]], { random: () => 1 })).pauses).toEqual([750, 1_500, 3_000]);
  });

  test("stop at the limit of tries, and say how many there were", async () => {
    const over = [failing("OVERLOADED")];
    const { events, made } = await play([over, over, over, over]);
    expect(made).toBe(LIMITS.modelAttemptsMax);
    expect(events.at(-1)).toMatchObject({
      type: "failed",
      failure: { message: "It is OVERLOADED. Do something. It was tried 4 times." },
    });
  });

  test("keep what was written last, though later tries said nothing; where nothing was, none is claimed", async () => {
    const KEPT_WORDS = "It broke. What had come by then is kept. Later.";
    const broken = (text: string): AttemptEvent => ({
      type: "failed",
      failure: failure("NETWORK", KEPT_WORDS),
      brief: "It broke.",
      blocks: text === "" ? [] : [{ type: "text", text }],
    });
    const [none, seen] = [[broken("")], [broken("As seen")]];
    expect((await play([seen, none, none, none])).events.at(-1)).toMatchObject({
      type: "failed",
      blocks: [{ type: "text", text: "As seen" }],
      failure: { message: `${KEPT_WORDS} It was tried 4 times.` },
    });
    expect((await play([none, none, none, none])).events.at(-1)).toMatchObject({
      blocks: [],
      failure: { message: "It broke. Your message is kept. Later. It was tried 4 times." },
    });
  });

  test("tell before each pause what happened, which try follows and when, without advice", async () => {
    const { events } = await play([[{ type: "text", text: "void" }, failing("NETWORK")], [done]]);
    expect(events).toMatchObject([
      { type: "text" },
      {
        type: "retry",
        attempt: 2,
        attemptsMax: 4,
        delayMs: 1_000,
        failure: { reason: "NETWORK", message: "It is NETWORK." },
      },
      { type: "done" },
    ]);
  });

  test.each<FailureReason>([
    "AUTH",
    "BILLING",
    "CONTEXT_FULL",
    "REFUSED",
    "BAD_REQUEST",
    "BAD_REPLY",
    "MODEL_UNKNOWN",
    "NO_MODEL",
    "ABORTED",
    "INTERNAL",
  ])("%s is never repeated, even if it calls itself retryable", async (reason) => {
    const { events, made } = await play([[failing(reason, { retryable: true })]]);
    expect(made).toBe(1);
    expect(events).toMatchObject([
      { type: "failed", failure: { reason, message: `It is ${reason}. Do something.` } },
    ]);
  });

  test("a reason that is usually repeated is not where the provider forbids it", async () => {
    expect((await play([[failing("UPSTREAM_ERROR", { retryable: false })]])).made).toBe(1);
  });

  test("the provider's pause beats the backoff; one beyond the limit ends the matter", async () => {
    expect((await play([[failing("RATE_LIMITED", { retryAfterMs: 0 })], [done]])).pauses).toEqual([0]);
    expect(
      (await play([[failing("RATE_LIMITED", { retryAfterMs: LIMITS.modelRetryDelayMaxMs })], [done]])).made,
    ).toBe(2);
    const tooLong = await play([
      [failing("RATE_LIMITED", { retryAfterMs: LIMITS.modelRetryDelayMaxMs + 1 })],
    ]);
    expect(tooLong.events).toMatchObject([
      { type: "failed", failure: { retryAfterMs: LIMITS.modelRetryDelayMaxMs + 1 } },
    ]);
  });

  test("tokens of a failed try are counted, since they are paid for", async () => {
    const { events } = await play([[failing("NETWORK")], [done]]);
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 20, outputTokens: 2 } });
  });

  test("a server that loads its model is asked patiently, beyond the usual tries", async () => {
    const loading = [failing("OVERLOADED", { loading: true })];
    const { events, made } = await play([...Array.from({ length: 20 }, () => loading), [done]]);
    expect(made).toBe(21);
    expect(events.at(-1)?.type).toBe("done");
  });

  test("but not for ever", async () => {
    const loading = [failing("OVERLOADED", { loading: true })];
    const { events, pauses } = await play(Array.from({ length: 200 }, () => loading));
    expect(events.at(-1)?.type).toBe("failed");
    expect(pauses.reduce((a, b) => a + b, 0)).toBeLessThan(LIMITS.modelLoadingMs + 60_000);
  });

  test("one try is all there is where one is allowed", async () => {
    expect((await play([[failing("NETWORK")]], { attemptsMax: 1 })).made).toBe(1);
  });
});
