import { LIMITS } from "@elwood/core/base/limits";
import { expect } from "vitest";
import { gate } from "./answers.ts";
import { listen, requestOf, retryingClock, type Last } from "./contract-request.ts";
import { ManualClock, nextEventLoopTurn } from "./manual-clock.ts";
import {
  CONTRACT_KEY,
  RAW_TEXT,
  type ContractAnswer,
  type ContractFault,
  type StartHarness,
  type StatePromise,
} from "./provider-harness.ts";

export function promiseFaults(start: StartHarness, promise: StatePromise): void {
  failures(start, promise);
  retries(start, promise);
}

function failures(start: StartHarness, promise: StatePromise): void {
  const final: ContractFault[] = [
    "AUTH",
    "BILLING",
    "CONTEXT_FULL",
    "MODEL_UNKNOWN",
    "BAD_REQUEST",
    "REFUSED",
  ];
  for (const fault of final) {
    promise(`${fault} is said at once and not tried again`, async () => {
      const h = await start();
      h.will({ fault });
      const { last, retries } = await listen(h.provider, requestOf());
      expect(last).toMatchObject({
        type: "failed",
        failure: { reason: fault, retryable: false },
        blocks: [],
      });
      expect(retries).toEqual([]);
      expect(h.tries()).toBe(1);
      expectFitForPeople(last);
    });
  }

  const passing: ContractFault[] = ["RATE_LIMITED", "OVERLOADED", "UPSTREAM_ERROR"];
  for (const fault of passing) {
    promise(`${fault} is tried again, so often and no more`, async () => {
      const h = await start();
      h.will(...Array.from({ length: LIMITS.modelAttemptsMax }, () => ({ fault })));
      const { last, retries } = await listen(h.provider, requestOf());
      expect(last).toMatchObject({ type: "failed", failure: { reason: fault, retryable: true } });
      expect(retries.map((r) => r.attempt)).toEqual([2, 3, 4]);
      expect(
        retries.every((r) => r.failure.reason === fault && r.attemptsMax === LIMITS.modelAttemptsMax),
      ).toBe(true);
      expect(h.tries()).toBe(LIMITS.modelAttemptsMax);
      expectFitForPeople(last);
      for (const retry of retries) expectFitForPeople(retry);
      h.assertDone();
    });
  }

  promise("a broken event is BAD_REPLY, with what came before it", async () => {
    const h = await start();
    h.will({ say: [{ text: "so far so good" }], fault: "bad-json" });
    const { last } = await listen(h.provider, requestOf());
    expect(last).toMatchObject({ type: "failed", failure: { reason: "BAD_REPLY" } });
    expect(last.blocks).toMatchObject([{ type: "text", text: "so far so good" }]);
    expect(h.tries()).toBe(1);
  });

  promise("a stream that stays cut is NETWORK", async () => {
    const h = await start();
    const cut: ContractAnswer = { say: [{ text: "half a" }], fault: "cut" };
    h.will(cut, cut, cut, cut);
    const { last } = await listen(h.provider, requestOf());
    expect(last).toMatchObject({
      type: "failed",
      failure: { reason: "NETWORK" },
      blocks: [{ type: "text", text: "half a" }],
    });
    expectFitForPeople(last);
  });

  promise("a provider that never answers is TIMEOUT, and asked once more", async () => {
    const clock = retryingClock();
    const h = await start(clock);
    h.will({ fault: "silence" }, { say: [{ text: "awake" }] });
    const running = listen(h.provider, requestOf());
    await h.untilTries(1);
    await clock.advance(LIMITS.modelFirstEventMs);
    const { last, retries } = await running;
    expect(retries.map((r) => r.failure.reason)).toEqual(["TIMEOUT"]);
    expect(last).toMatchObject({ type: "done", blocks: [{ type: "text", text: "awake" }] });
  });

  promise("a provider that falls silent half-way is TIMEOUT, and not asked again", async () => {
    const clock = retryingClock();
    const h = await start(clock);
    h.will({ say: [{ text: "I was just" }], fault: "silence" });
    const speaking = gate();
    const running = listen(h.provider, requestOf(), () => speaking.open());
    await speaking.opened;
    await nextEventLoopTurn();
    await clock.advance(LIMITS.modelIdleMs + 1_000);
    const { last } = await running;
    expect(last).toMatchObject({
      type: "failed",
      failure: { reason: "TIMEOUT", retryable: false },
      blocks: [{ text: "I was just" }],
    });
    expect(h.tries()).toBe(1);
  });
}

function retries(start: StartHarness, promise: StatePromise): void {
  promise("after a passing fault the answer comes, and only it", async () => {
    const h = await start();
    h.will({ fault: "OVERLOADED" }, { say: [{ text: "here now" }] });
    const heard = await listen(h.provider, requestOf());
    expect(heard.retries).toHaveLength(1);
    expect(heard.last).toMatchObject({ type: "done", blocks: [{ type: "text", text: "here now" }] });
    h.assertDone();
  });

  promise("an error after 200 voids what was streamed before the next try", async () => {
    const h = await start();
    h.will(
      { say: [{ text: "false start" }], fault: "overloaded-after-200" },
      { say: [{ text: "second try" }] },
    );
    const heard = await listen(h.provider, requestOf());
    expect(heard.retries.map((r) => r.failure.reason)).toEqual(["OVERLOADED"]);
    expect(heard.text).toBe("second try");
    expect(heard.last.blocks).toMatchObject([{ type: "text", text: "second try" }]);
  });

  promise("a cut stream is tried again", async () => {
    const h = await start();
    h.will({ say: [{ text: "half a" }], fault: "cut" }, { say: [{ text: "whole" }] });
    const heard = await listen(h.provider, requestOf());
    expect(heard.retries.map((r) => r.failure.reason)).toEqual(["NETWORK"]);
    expect(heard.text).toBe("whole");
  });

  promise("the provider's own wish for a pause is honoured", async () => {
    const clock = retryingClock();
    const h = await start(clock);
    h.will({ fault: "RATE_LIMITED", retryAfterMs: 7_000 }, { say: [{ text: "ok" }] });
    const heard = await listen(h.provider, requestOf());
    expect(heard.retries).toMatchObject([{ delayMs: 7_000, failure: { retryAfterMs: 7_000 } }]);
    expect(clock.sleeps.map((s) => s.ms)).toContain(7_000);
  });

  promise("a pause that is too long is told instead of waited for", async () => {
    const h = await start();
    const retryAfterMs = LIMITS.modelRetryDelayMaxMs + 60_000;
    h.will({ fault: "RATE_LIMITED", retryAfterMs });
    const { last, retries: tried } = await listen(h.provider, requestOf());
    expect(last).toMatchObject({ type: "failed", failure: { reason: "RATE_LIMITED", retryAfterMs } });
    expect(tried).toEqual([]);
  });

  promise("a stop during the pause is heard at once", async () => {
    const clock = new ManualClock();
    const h = await start(clock);
    const stop = new AbortController();
    h.will({ fault: "OVERLOADED" });
    const running = listen(h.provider, requestOf({ signal: stop.signal }));
    await clock.untilAsleep((ms) => ms <= LIMITS.modelRetryDelayMaxMs && ms !== LIMITS.modelDrainMs);
    stop.abort();
    const { last } = await running;
    expect(last).toMatchObject({ type: "failed", failure: { reason: "ABORTED" } });
    expect(h.tries()).toBe(1);
  });
}

/** Says something, and neither quotes the provider nor shows the key. */
function expectFitForPeople(event: Last | { failure: { message: string } }): void {
  const message = "failure" in event ? event.failure.message : "";
  expect(message.length).toBeGreaterThan(10);
  expect(message).not.toContain(RAW_TEXT);
  expect(message).not.toContain(CONTRACT_KEY);
  expect(message).not.toMatch(/\bat .*\.(ts|mjs|js):\d+/);
}
