import { describe, expect, test } from "vitest";
import { fromCursor, toCursor } from "./cursor.ts";
import { FailureError } from "./failure.ts";

describe("cursors", () => {
  test("a cursor leads back to its place", () => {
    const place = { at: 1_763_200_000_123, id: "ses_01hzzzzzzzzzzzzzzzzzzzzzzz" };
    expect(fromCursor(toCursor(place))).toEqual(place);
  });

  test.each(["", "x", ".", "!!.ses_1", "abc.", "abc.ses 1", `1.${"a".repeat(300)}`, "1.a'; DROP TABLE runs"])(
    "a cursor that nobody gave out is refused: %j",
    (text) => {
      expect(() => fromCursor(text)).toThrow(FailureError);
    },
  );
});
