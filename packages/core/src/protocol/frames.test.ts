import { describe, expect, test } from "vitest";
import { failure } from "../base/failure.ts";
import {
  authFrameSchema,
  authOkFrameSchema,
  CLOSE_CODES,
  errorObjectSchema,
  pushFrameSchema,
  requestFrameSchema,
  responseFrameSchema,
  toErrorObject,
} from "./frames.ts";

describe("JV-1: frames as the first clients send them", () => {
  test("a first frame of type and token alone is enough", () => {
    expect(authFrameSchema.parse({ type: "auth", token: "t" })).toEqual({ type: "auth", token: "t" });
  });

  test("a request needs an id and a method; params may be missing, and later fields do no harm", () => {
    expect(requestFrameSchema.safeParse({ id: "1", method: "health.check" }).success).toBe(true);
    expect(
      requestFrameSchema.safeParse({ id: "1", method: "chat.send", params: {}, trace: "x" }).success,
    ).toBe(true);
  });

  test.each([
    [{ method: "health.check" }],
    [{ id: "", method: "health.check" }],
    [{ id: 1, method: "health.check" }],
    [{ id: "1", method: "" }],
    [{ id: "1" }],
    [{ id: "x".repeat(201), method: "health.check" }],
    [[]],
    [null],
    ["text"],
  ])("%j is not a request", (frame) => {
    expect(requestFrameSchema.safeParse(frame).success).toBe(false);
  });

  test.each([
    [{ type: "auth" }],
    [{ type: "auth", token: 1 }],
    [{ type: "AUTH", token: "t" }],
    [{ type: "auth", token: "x".repeat(4097) }],
    [{ token: "t" }],
  ])("%j is not a first frame", (frame) => {
    expect(authFrameSchema.safeParse(frame).success).toBe(false);
  });

  test("the answer to the first frame is read by a client that knows only `type` and `ok`", () => {
    const hello = { protocol: 1, version: "0", methods: [], events: [], limits: {}, scopes: [], build: "" };
    expect(authOkFrameSchema.parse({ type: "auth", ok: true, hello })).toMatchObject({
      type: "auth",
      ok: true,
    });
  });
});

test("a response has a result or an error, a push has neither", () => {
  expect(responseFrameSchema.safeParse({ id: "1", result: { runId: "r" } }).success).toBe(true);
  const error = toErrorObject(failure("BAD_JSON", "m"));
  expect(responseFrameSchema.safeParse({ id: null, error }).success).toBe(true);
  expect(responseFrameSchema.safeParse({ id: "1" }).success).toBe(false);
  expect(pushFrameSchema.safeParse({ event: "chat.delta", data: {} }).success).toBe(true);
});

test("AC-15: a failure becomes an error object with number, words, reason and what to expect of trying again", () => {
  const error = toErrorObject(failure("RATE_LIMITED", "Wait a little.", { retryAfterMs: 1500 }));
  expect(error).toEqual({
    code: -32005,
    message: "Wait a little.",
    data: { reason: "RATE_LIMITED", retryable: true, retryAfterMs: 1500 },
  });
  expect(errorObjectSchema.safeParse(error).success).toBe(true);
  expect(toErrorObject(failure("AUTH", "m")).data).toEqual({ reason: "AUTH", retryable: false });
});

test("close codes are pinned", () => {
  expect(CLOSE_CODES).toEqual({
    policy: 1008,
    tooLarge: 1009,
    internal: 1011,
    restarting: 1012,
    tooSlow: 1013,
  });
});
