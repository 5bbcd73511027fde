import { canonicalJson } from "@elwood/core/base/canonical-json";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ReceiptFactory } from "./receipt-factory.ts";

const facts = new ReceiptFactory(
  (data) => createHash("sha256").update(data).digest("hex"),
  () => "salt",
);
const origin = { runId: "run", surface: "test", actor: "model" };

function nested(depth: number): unknown {
  return depth === 0 ? "deep" : [nested(depth - 1)];
}

test.each([
  ["half a character", { text: "cut \ud83d" }],
  ["half a character as a key", { "\udc00": 1 }],
  ["a value nested too deeply", nested(300)],
])("what cannot be hashed as it is goes on record as text: %s", (_, value) => {
  const body = facts.body(value);
  expect(body.value).toMatchObject({ notPlainJson: expect.any(String), text: expect.any(String) });
  expect(() => canonicalJson(body.value)).not.toThrow();
});

test("everything else goes on record as it is", () => {
  expect(facts.body({ a: [1, "é\u202e😀"], b: undefined }).value).toEqual({ a: [1, "é\u202e😀"] });
  expect(facts.body(undefined).value).toBeNull();
});

test("a reason that was cut in the middle of a character can be written down", () => {
  const failed = { toolId: "a.b.c", reason: "full \ud83d", code: "x" };
  const { payload } = facts.receipt("tool.call.failed", origin, "call", failed);
  expect(payload).toEqual({ ...failed, reason: "full \ufffd" });
});
