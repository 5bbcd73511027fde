import { expect, test } from "vitest";
import { isEnded, RUN_STATUSES } from "./session.ts";

test("a run has ended when it is done, failed or aborted, and not before", () => {
  expect(RUN_STATUSES.filter(isEnded)).toEqual(["done", "failed", "aborted"]);
});
