import { describe, expect, test } from "vitest";
import {
  fail,
  failure,
  FAILURE_REASONS,
  FailureError,
  type FailureReason,
  WIRE_CODES,
  wireClassOf,
  wireCodeOf,
} from "./failure.ts";

/** Programs branch on these; a number that changes here breaks them. */
const PINNED: Record<FailureReason, number> = {
  BAD_JSON: -32700,
  BAD_FRAME: -32600,
  UNKNOWN_METHOD: -32601,
  INVALID_INPUT: -32602,
  INTERNAL: -32000,
  UNAUTHENTICATED: -32001,
  ORIGIN_REFUSED: -32002,
  HOST_REFUSED: -32002,
  SCOPE_MISSING: -32002,
  LIMIT: -32002,
  SETTING_FIXED: -32002,
  BLOCKED: -32002,
  DENIED: -32002,
  NOT_FOUND: -32003,
  CONFLICT: -32004,
  ABORTED: -32004,
  OUTCOME_UNKNOWN: -32004,
  KEY_REUSED: -32004,
  TOO_MANY_ATTEMPTS: -32005,
  TOO_MANY_REQUESTS: -32005,
  RATE_LIMITED: -32005,
  TIMEOUT: -32006,
  MODEL_UNKNOWN: -32007,
  OVERLOADED: -32007,
  AUTH: -32007,
  BILLING: -32007,
  REFUSED: -32007,
  NETWORK: -32007,
  BAD_REPLY: -32007,
  BAD_REQUEST: -32007,
  UPSTREAM_ERROR: -32007,
  FRAME_TOO_LARGE: -32008,
  QUEUE_FULL: -32008,
  LAPS_LIMIT: -32008,
  CALLS_LIMIT: -32008,
  REPEAT_LIMIT: -32008,
  TOKENS_LIMIT: -32008,
  TIME_LIMIT: -32008,
  RUN_COST_LIMIT: -32008,
  DAY_COST_LIMIT: -32008,
  CONTEXT_FULL: -32008,
  OUTPUT_FULL: -32008,
  STOPPING: -32009,
  STORAGE: -32009,
  STORAGE_FULL: -32009,
  INTERRUPTED: -32009,
  NO_MODEL: -32009,
};

describe("failures", () => {
  test.each(FAILURE_REASONS)("%s has a pinned code on the wire", (reason) => {
    expect(wireCodeOf(reason)).toBe(PINNED[reason]);
  });

  test("every pinned reason is in the list, so that none was taken away", () => {
    expect([...FAILURE_REASONS].sort()).toEqual(Object.keys(PINNED).sort());
  });

  test("every class has its own number", () => {
    expect(new Set(Object.values(WIRE_CODES)).size).toBe(Object.keys(WIRE_CODES).length);
  });

  test.each(["INVALID_INPUT", "UPSTREAM_ERROR", "FORBIDDEN", "TIMEOUT"] as const)(
    "AC-15: the class %s exists and a reason leads to it",
    (wireClass) => {
      expect(FAILURE_REASONS.map(wireClassOf)).toContain(wireClass);
    },
  );

  test("a reason says whether trying again can help, unless the one who knows better says otherwise", () => {
    expect(failure("OVERLOADED", "m").retryable).toBe(true);
    expect(failure("AUTH", "m").retryable).toBe(false);
    expect(failure("OVERLOADED", "m", { retryable: false }).retryable).toBe(false);
  });

  test("a wait is told only where one is known", () => {
    expect(failure("RATE_LIMITED", "m", { retryAfterMs: 0 })).toHaveProperty("retryAfterMs", 0);
    expect(failure("RATE_LIMITED", "m")).not.toHaveProperty("retryAfterMs");
  });

  test("fail throws an error that carries the failure, as plain data", () => {
    let caught: unknown;
    try {
      fail("NOT_FOUND", "No such session.");
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(FailureError);
    expect(JSON.parse(JSON.stringify((caught as FailureError).failure))).toEqual({
      reason: "NOT_FOUND",
      message: "No such session.",
      retryable: false,
    });
  });
});
