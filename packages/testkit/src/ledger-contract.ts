import { createHash } from "node:crypto";
import { commitment, FIRST_PREV_HASH, receiptHash, type Sha256 } from "@elwood/core/receipts/receipt";
import type { CallRow, LedgerChange } from "@elwood/runtime/ports/gate-ports";
import { describe, expect, test } from "vitest";
import { ledgerPermissionContract } from "./ledger-permission-contract.ts";
import { ledgerQueryContract } from "./ledger-query-contract.ts";
import { LedgerScript, type LedgerHarness } from "./ledger-script.ts";
import { failsWith, TENANT } from "./store-script.ts";

const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex");
const owner = { kind: "owner", id: "owner", surface: "web" } as const;

/** What every Ledger does. Run by each implementation. */
export function ledgerContract(name: string, open: () => Promise<LedgerHarness>): void {
  const withLedger = (body: (script: LedgerScript, harness: LedgerHarness) => Promise<void>) => async () => {
    const harness = await open();
    try {
      await body(new LedgerScript(harness.ledger), harness);
    } finally {
      await harness.dispose();
    }
  };

  describe(`Ledger: ${name}`, () => {
    test(
      "OA-11: G4: receipts get seq, id, time and hashes, in one chain",
      withLedger(async (script) => {
        const [first, second] = await script.write([
          script.receipt("run.started"),
          script.receipt("tool.call.requested", { callId: "call_1", payload: { toolId: "a.b.c", n: 1 } }),
        ]);
        const [third] = await script.write([script.receipt("run.finished")]);
        expect(first).toMatchObject({ v: 1, tenant: TENANT, seq: 1, prevHash: FIRST_PREV_HASH });
        expect(second).toMatchObject({ seq: 2, prevHash: first!.hash, callId: "call_1" });
        expect(third).toMatchObject({ seq: 3, prevHash: second!.hash });
        expect(third).not.toHaveProperty("callId");
        for (const { hash, ...rest } of [first!, second!, third!])
          expect(receiptHash(rest, sha256)).toBe(hash);
        expect(new Set([first!.id, second!.id, third!.id]).size).toBe(3);
      }),
    );

    test(
      "the chain goes on where it was after a restart",
      withLedger(async (script, harness) => {
        const [first] = await script.write([script.receipt("run.started")]);
        const again = new LedgerScript(await harness.reopen());
        const [second] = await again.write([script.receipt("run.finished")]);
        expect(second).toMatchObject({ seq: 2, prevHash: first!.hash });
        expect(await again.ledger.receipts(TENANT, { limit: 5 })).toEqual([second, first]);
      }),
    );

    test(
      "each tenant has a chain of its own, and reads nothing of another's",
      withLedger(async (script, { ledger }) => {
        const other = new LedgerScript(ledger, "other");
        const [mine] = await script.write([script.receipt("run.started")]);
        const [theirs] = await other.write([script.receipt("run.started")]);
        expect(theirs).toMatchObject({ tenant: "other", seq: 1, prevHash: FIRST_PREV_HASH });
        expect(await ledger.receipt("other", mine!.id)).toBeUndefined();
        const call = script.call();
        const approval = script.approval(call);
        const grant = script.grant();
        const body = { commit: "c", salt: "s", value: 1 };
        await script.write(
          [],
          [
            { kind: "call.new", call },
            { kind: "approval.new", approval },
            { kind: "grant.new", grant },
            { kind: "body.put", body },
            { kind: "contract.know", toolId: "a.b.c", contractHash: "h", at: 1 },
          ],
        );
        expect(await ledger.call("other", call.callId)).toBeUndefined();
        expect(await ledger.callsOfRun("other", call.runId)).toEqual([]);
        expect(await ledger.runsWithCalls("other", [call.runId])).toEqual(new Set());
        expect(await ledger.runsWithCalls(TENANT, ["run_none", call.runId])).toEqual(new Set([call.runId]));
        expect(await ledger.runsWithCalls(TENANT, [])).toEqual(new Set());
        const [theirFirst] = await other.write(
          [other.receipt("tool.call.requested", { callId: "their call" })],
          [{ kind: "call.new", call: other.call({ callId: "their call" }) }],
        );
        expect(theirFirst!.payload["number"]).toBe(1);
        expect(await ledger.approval("other", approval.id)).toBeUndefined();
        expect(await ledger.approvals("other", { limit: 9 })).toEqual([]);
        expect(await ledger.nextExpiry("other")).toBeUndefined();
        expect(await ledger.grants("other", { at: 0 })).toEqual([]);
        expect(await ledger.body("other", "c")).toBeUndefined();
        expect(await ledger.eraseBody("other", "c")).toBe(false);
        expect(await ledger.knownContract("other", "a.b.c")).toBeUndefined();
        expect(await other.refusal({ kind: "grant.use", grantId: grant.id, runId: "run_1", at: 1 })).toBe(
          "grant.use",
        );
        const decide = { status: "approved", decidedBy: owner, at: 1 } as const;
        expect(await other.refusal({ kind: "approval.decide", approvalId: approval.id, ...decide })).toBe(
          "approval.decide",
        );
      }),
    );

    test(
      "G2: a change that its guard refuses voids the whole unit",
      withLedger(async (script, { ledger }) => {
        const call = script.call();
        const body = { commit: "c", salt: "s", value: 1 };
        const result = await ledger.write(TENANT, {
          receipts: [script.receipt("tool.call.requested")],
          changes: [
            { kind: "call.new", call },
            { kind: "body.put", body },
            { kind: "contract.know", toolId: "a.b.c", contractHash: "h", at: 1 },
            { kind: "grant.new", grant: script.grant({ id: "grt_1" }) },
            { kind: "grant.revoke", grantId: "grt_none", at: 1 },
          ],
        });
        expect(result).toEqual({ ok: false, error: { refused: "grant.revoke" } });
        expect(await ledger.call(TENANT, call.callId)).toBeUndefined();
        expect(await ledger.body(TENANT, "c")).toBeUndefined();
        expect(await ledger.knownContract(TENANT, "a.b.c")).toBeUndefined();
        expect(await ledger.grant(TENANT, "grt_1")).toBeUndefined();
        expect(await ledger.receipts(TENANT, { limit: 5 })).toEqual([]);
        const [next] = await script.write([script.receipt("run.started")]);
        expect(next).toMatchObject({ seq: 1 });
      }),
    );

    test(
      "G2: so does a receipt that cannot be written down",
      withLedger(async (script, { ledger }) => {
        const call = script.call();
        const receipts = [script.receipt("tool.call.requested", { payload: { amount: Number.NaN } })];
        const unit = { receipts, changes: [{ kind: "call.new", call }] as const };
        await expect(ledger.write(TENANT, unit)).rejects.toThrow(/NaN/);
        expect(await ledger.call(TENANT, call.callId)).toBeUndefined();
        expect((await script.write([script.receipt("run.started")]))[0]).toMatchObject({ seq: 1 });
      }),
    );

    test(
      "G6: reasons, notes and words lie beside the log; receipts only commit to them, so that they can be erased",
      withLedger(async (script, { ledger }) => {
        const payload = { toolId: "a.b.c", reason: "You did not name Anna.", note: "ask Anna", words: "" };
        const [denied] = await script.write([script.receipt("tool.call.denied", { payload })]);
        const commits = { reasonCommit: expect.any(String), noteCommit: expect.any(String) };
        expect(denied!.payload).toEqual({ toolId: "a.b.c", words: "", ...commits });
        expect(await ledger.receipt(TENANT, denied!.id)).toEqual(denied);
        const reason = await ledger.body(TENANT, String(denied!.payload["reasonCommit"]));
        expect(reason).toMatchObject({ value: "You did not name Anna." });
        expect(commitment(reason!.salt, reason!.value, sha256)).toBe(denied!.payload["reasonCommit"]);
        expect(await ledger.eraseBody(TENANT, String(denied!.payload["noteCommit"]))).toBe(true);
        expect(await ledger.receipt(TENANT, denied!.id)).toEqual(denied);
      }),
    );

    test(
      "G5: calls are numbered through their session, refused units use up no number, and a restart begins none again",
      withLedger(async (script, harness) => {
        const numberOf = async (more: Partial<CallRow>, ledger = harness.ledger) => {
          const call = script.call(more);
          const about = { callId: call.callId, runId: call.runId, payload: { toolId: call.toolId } };
          const receipts = [
            script.receipt("tool.call.requested", about),
            script.receipt("tool.call.started", about),
          ];
          const written = await ledger.write(TENANT, { receipts, changes: [{ kind: "call.new", call }] });
          if (!written.ok) throw new Error("refused");
          expect(written.value[1]!.payload).toEqual({ toolId: call.toolId });
          const found = await ledger.receipts(TENANT, { callId: call.callId, limit: 9 });
          expect(found.toReversed()).toEqual(written.value);
          return written.value[0]!.payload["number"];
        };
        expect(await numberOf({ runId: "run_1" })).toBe(1);
        expect(await numberOf({ runId: "run_1", state: "refused" })).toBe(2);
        expect(await numberOf({ runId: "run_2" })).toBe(3);
        expect(await numberOf({ runId: "run_9", sessionId: "ses_2" })).toBe(1);
        const voided: LedgerChange = { kind: "call.new", call: script.call() };
        expect(await script.refusal(voided, { kind: "grant.revoke", grantId: "none", at: 1 })).toBe(
          "grant.revoke",
        );
        expect(await numberOf({ runId: "run_2" })).toBe(4);
        expect(await numberOf({ runId: "run_3" }, await harness.reopen())).toBe(5);
      }),
    );

    test(
      "a call comes back as it was, also after a restart, and its id is taken once",
      withLedger(async (script, harness) => {
        const call = script.call({ requestedInput: null, target: "a.txt", count: 2, undoes: "call_0" });
        await script.write([], [{ kind: "call.new", call }]);
        expect(await script.refusal({ kind: "call.new", call })).toBe("call.new");
        const ledger = await harness.reopen();
        expect(await ledger.call(TENANT, call.callId)).toEqual(call);
        expect(await ledger.call(TENANT, "call_none")).toBeUndefined();
      }),
    );

    test(
      "a call moves only from where its guard says, and keeps what is not given",
      withLedger(async (script, { ledger }) => {
        const call = script.call();
        const move = { kind: "call.move", callId: call.callId } as const;
        await script.write([], [{ kind: "call.new", call }]);
        expect(await script.refusal({ ...move, from: ["approved"], to: "started", at: 1 })).toBe("call.move");
        expect(await script.refusal({ ...move, from: [], to: "started", at: 1 })).toBe("call.move");
        const executedInput = { path: "b.txt" };
        const target = "b.txt";
        await script.write(
          [],
          [
            { ...move, from: ["requested"], to: "asked", at: 10, approvalId: "apr_1" },
            { ...move, from: ["asked", "requested"], to: "approved", at: 20, executedInput, target },
            { ...move, from: ["approved"], to: "started", at: 30 },
          ],
        );
        const now = { executedInput, target, approvalId: "apr_1", startedAt: 30 };
        const started = { ...call, ...now, state: "started" };
        expect(await ledger.call(TENANT, call.callId)).toEqual(started);
        const outcome = { status: "ok", text: "done", value: { bytes: 1 } } as const;
        await script.write([], [{ ...move, from: ["started"], to: "unknown", at: 40 }]);
        expect(await ledger.call(TENANT, call.callId)).toMatchObject({ state: "unknown", endedAt: 40 });
        await script.write([], [{ ...move, from: ["unknown"], to: "succeeded", at: 50, outcome, count: 3 }]);
        const ended = { ...started, state: "succeeded", outcome, count: 3, endedAt: 50 };
        expect(await ledger.call(TENANT, call.callId)).toEqual(ended);
      }),
    );

    test(
      "calls that take another back are found as long as they are started",
      withLedger(async (script, { ledger }) => {
        const other = script.call({ state: "started" });
        const [first, second] = [1, 2].map((createdAt) =>
          script.call({ state: "started", undoes: other.callId, createdAt }),
        );
        await script.write(
          [],
          [second!, other, first!].map((call) => ({ kind: "call.new" as const, call })),
        );
        expect(await ledger.startedUndos(TENANT)).toEqual([first, second]);
        const move = { kind: "call.move", callId: first!.callId, from: ["started"], at: 9 } as const;
        await script.write([], [{ ...move, to: "unknown" }]);
        expect(await ledger.startedUndos(TENANT)).toEqual([second]);
      }),
    );

    test.each(["succeeded", "failed", "refused", "denied", "expired"] as const)(
      "a call that has %s stays so",
      async (state) =>
        withLedger(async (script) => {
          const call = script.call({ state });
          await script.write([], [{ kind: "call.new", call }]);
          const move = {
            kind: "call.move",
            callId: call.callId,
            from: [state],
            to: "started",
            at: 1,
          } as const;
          expect(await script.refusal(move)).toBe("call.move");
        })(),
    );

    test(
      "of two moves in one instant one wins",
      withLedger(async (script, { ledger }) => {
        const call = script.call({ state: "approved" });
        await script.write([], [{ kind: "call.new", call }]);
        const unit = {
          receipts: [script.receipt("tool.call.started", { callId: call.callId })],
          changes: [
            { kind: "call.move", callId: call.callId, from: ["approved"], to: "started", at: 5 },
          ] as const,
        };
        const results = await Promise.all([1, 2, 3].map(() => ledger.write(TENANT, unit)));
        expect(results.filter((result) => result.ok)).toHaveLength(1);
        expect(await ledger.receipts(TENANT, { callId: call.callId, limit: 9 })).toHaveLength(1);
      }),
    );

    test(
      "content is erased without a change to any receipt",
      withLedger(async (script, { ledger }) => {
        const body = { commit: "c1", salt: "s", value: { text: "private" } };
        const [receipt] = await script.write(
          [script.receipt("tool.call.requested", { payload: { inputCommit: "c1" } })],
          [{ kind: "body.put", body }],
        );
        await script.write([], [{ kind: "body.put", body }]);
        expect(await ledger.body(TENANT, "c1")).toEqual(body);
        expect(await ledger.eraseBody(TENANT, "c1")).toBe(true);
        expect(await ledger.eraseBody(TENANT, "c1")).toBe(false);
        expect(await ledger.body(TENANT, "c1")).toBeUndefined();
        expect(await ledger.receipt(TENANT, receipt!.id)).toEqual(receipt);
      }),
    );

    test(
      "what is not a tenant's name reaches no row",
      withLedger(async (_, { ledger }) => {
        const bad = failsWith("INVALID_INPUT");
        await expect(ledger.write("../x", { receipts: [], changes: [] })).rejects.toMatchObject(bad);
        await expect(ledger.receipts("A b", { limit: 1 })).rejects.toMatchObject(bad);
        await expect(ledger.eraseBody("", "c")).rejects.toMatchObject(bad);
        await expect(ledger.call("..", "c")).rejects.toMatchObject(bad);
      }),
    );

    ledgerPermissionContract(withLedger);
    ledgerQueryContract(withLedger);
  });
}
