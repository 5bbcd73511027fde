import type { LedgerChange } from "@elwood/runtime/ports/gate-ports";
import { expect, test } from "vitest";
import type { WithLedger } from "./ledger-query-contract.ts";
import { TENANT } from "./store-script.ts";

const owner = { kind: "owner", id: "owner", surface: "web" } as const;

/** What the owner allowed: approvals, grants and known contracts. Part of the ledger's contract. */
export function ledgerPermissionContract(withLedger: WithLedger): void {
  test(
    "an approval takes one answer, and the first wins",
    withLedger(async (script, harness) => {
      const call = script.call({ state: "asked" });
      const approval = script.approval(call);
      await script.write([], [{ kind: "approval.new", approval }]);
      expect(await script.refusal({ kind: "approval.new", approval })).toBe("approval.new");
      const twin = script.approval(call);
      expect(await script.refusal({ kind: "approval.new", approval: twin })).toBe("approval.new");
      const decide = { kind: "approval.decide", approvalId: approval.id } as const;
      const answer = {
        status: "approved",
        decidedBy: owner,
        decision: "window",
        note: "go on",
        editedInput: null,
        grantId: "grt_1",
      } as const;
      await script.write([], [{ ...decide, ...answer, at: 7 }]);
      const late: LedgerChange = { ...decide, status: "denied", decidedBy: owner, at: 8 };
      expect(await script.refusal(late)).toBe("approval.decide");
      const ledger = await harness.reopen();
      expect(await ledger.approval(TENANT, approval.id)).toEqual({ ...approval, ...answer, decidedAt: 7 });
      expect(await ledger.approval(TENANT, "apr_none")).toBeUndefined();
    }),
  );

  test(
    "a grant is used while it lives: not revoked, not expired, not used up",
    withLedger(async (script, { ledger }) => {
      const open = script.grant({ match: { path: "a" }, sessionId: "ses_1" });
      const timed = script.grant({ expiresAt: 100 });
      const twice = script.grant({ usesMax: 2 });
      const grants = [open, timed, twice];
      await script.write(
        [],
        grants.map((grant) => ({ kind: "grant.new", grant })),
      );
      const use = (grantId: string, at = 1) =>
        script.refusal({ kind: "grant.use", grantId, runId: "run_1", at });
      const revoke = (grantId: string) => script.refusal({ kind: "grant.revoke", grantId, at: 9 });
      expect(await script.refusal({ kind: "grant.new", grant: open })).toBe("grant.new");
      expect(await use("grt_none")).toBe("grant.use");
      expect([await use(timed.id, 99), await use(timed.id, 100)]).toEqual([undefined, "grant.use"]);
      expect([await use(twice.id), await use(twice.id), await use(twice.id)]).toEqual([
        undefined,
        undefined,
        "grant.use",
      ]);
      expect([await use(open.id), await revoke(open.id), await use(open.id), await revoke(open.id)]).toEqual([
        undefined,
        undefined,
        "grant.use",
        "grant.revoke",
      ]);
      expect(await ledger.grant(TENANT, open.id)).toEqual({ ...open, uses: 1, revokedAt: 9 });
      expect((await ledger.grants(TENANT, { at: 50 })).map((g) => g.id)).toEqual(
        grants.map((g) => g.id).toReversed(),
      );
      expect((await ledger.grants(TENANT, { live: true, at: 50 })).map((g) => g.id)).toEqual([timed.id]);
      expect(await ledger.grants(TENANT, { live: true, at: 100 })).toEqual([]);
    }),
  );

  test(
    "a grant for a job is kept with what it is bound to, and used so often in each run",
    withLedger(async (script, { ledger }) => {
      const job = { id: "job_1", textHash: "text", agentId: "assistant" };
      const grant = script.grant({ job, usesPerRun: 2 });
      await script.write([], [{ kind: "grant.new", grant }]);
      const use = (runId: string) => {
        const call = script.call({ runId, state: "started", grantId: grant.id });
        return script.refusal(
          { kind: "call.new", call },
          { kind: "grant.use", grantId: grant.id, runId, at: 1 },
        );
      };
      expect([await use("run_a"), await use("run_a"), await use("run_a")]).toEqual([
        undefined,
        undefined,
        "grant.use",
      ]);
      expect(await use("run_b")).toBeUndefined();
      expect(await ledger.grant(TENANT, grant.id)).toEqual({ ...grant, uses: 3 });
      // Refused as a whole: the third call of the first run is not there.
      const calls = await ledger.callsOfRun(TENANT, "run_a");
      expect(calls.map(({ grantId }) => grantId)).toEqual([grant.id, grant.id]);
    }),
  );

  test(
    "the contract the owner knows is the last one they were told of",
    withLedger(async (script, { ledger }) => {
      const know = { kind: "contract.know", toolId: "a.b.c" } as const;
      await script.write([], [{ ...know, contractHash: "one", at: 1 }]);
      await script.write([], [{ ...know, contractHash: "two", at: 2 }]);
      expect(await ledger.knownContract(TENANT, "a.b.c")).toBe("two");
      expect(await ledger.knownContract(TENANT, "a.b.d")).toBeUndefined();
    }),
  );

  test(
    "what the owner takes back they do not know any more, and cannot take back twice",
    withLedger(async (script, { ledger }) => {
      const forget = { kind: "contract.forget", toolId: "a.b.c" } as const;
      await script.write([], [{ kind: "contract.know", toolId: "a.b.c", contractHash: "one", at: 1 }]);
      expect((await ledger.write("other", { receipts: [], changes: [forget] })).ok).toBe(false);
      await script.write([], [forget]);
      expect(await ledger.knownContract(TENANT, "a.b.c")).toBeUndefined();
      expect((await ledger.write(TENANT, { receipts: [], changes: [forget] })).ok).toBe(false);
    }),
  );
}
