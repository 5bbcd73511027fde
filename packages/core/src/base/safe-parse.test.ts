import { expect, test } from "vitest";
import { z } from "zod";
import { safelyParse } from "./safe-parse.ts";

test("a value that makes the checks themselves throw is invalid, not a crash", () => {
  const schema = z.object({ id: z.string().min(1).max(200), list: z.array(z.string()).max(3).optional() });
  const hostile: unknown = JSON.parse('{"id": {"length": {"valueOf": 1, "toString": 2}}}');
  expect(() => schema.safeParse(hostile)).toThrow(TypeError);
  expect(safelyParse(schema, hostile).success).toBe(false);
  expect(
    safelyParse(schema, JSON.parse('{"id": "x", "list": {"length": {"valueOf": 1, "toString": 2}}}')).success,
  ).toBe(false);
});

test("what is right passes, and what is wrong says why", () => {
  const schema = z.object({ id: z.string().min(1) });
  expect(safelyParse(schema, { id: "a" })).toEqual({ success: true, data: { id: "a" } });
  expect(safelyParse(schema, { id: "" }).error?.issues[0]?.path).toEqual(["id"]);
});
