import { LIMITS } from "@elwood/core/base/limits";
import { expect, test } from "vitest";
import { RequestIds } from "./request-ids.ts";

test("the requests of so many runs are remembered, and the oldest are let go", async () => {
  const requests = new RequestIds();
  for (let run = 0; run <= LIMITS.requestsRememberedMax; run++)
    await requests.handle(`req_${run}`, async () => requests.began(`run_${run}`));
  expect(requests.ofRun("run_0")).toBeUndefined();
  expect(requests.ofRun("run_1")).toBe("req_1");
  expect(requests.ofRun(`run_${LIMITS.requestsRememberedMax}`)).toBe(`req_${LIMITS.requestsRememberedMax}`);
});
