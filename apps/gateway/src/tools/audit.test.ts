import { memoryLedger } from "@elwood/testkit/memory-ledger";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { expect, test } from "vitest";
import { Audit } from "./audit.ts";

const T = "default";

test("a receipt tells of each change of the rules, and of no start with the same ones", async () => {
  const ledger = memoryLedger({ clock: new ManualClock() });
  const changes = async () =>
    (await ledger.receipts(T, { types: ["policy.changed"], limit: 9 }))
      .map(({ payload }) => payload)
      .toReversed();
  /** Each start has its own. */
  const start = (policy: Record<string, unknown>) => new Audit(ledger, memoryLog(), T).notePolicy(policy);
  const asks = { mode: "strict", rules: [{ tool: "files.*", decision: "ask" }] };
  const allows = { mode: "strict", rules: [{ tool: "files.*", decision: "allow" }] };
  await start(asks);
  await start({ rules: asks.rules, mode: "strict" }); // In another order, and the same.
  expect(await changes()).toEqual([{ ...asks, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);

  await start(allows);
  const [first, second] = await changes();
  expect(second).toMatchObject(allows);
  expect(second?.["hash"]).not.toBe(first?.["hash"]);

  // A panic stop is under the same type, and changes no rule.
  const stop = {
    type: "policy.changed",
    runId: "",
    actor: "owner",
    surface: "cli",
    payload: { what: "stop_all" },
  } as const;
  await ledger.write(T, { receipts: [stop], changes: [] });
  await start(allows);
  expect(await changes()).toHaveLength(3);
  await start(asks);
  expect((await changes()).at(-1)).toMatchObject(asks);
});
