import { LIMITS } from "@elwood/core/base/limits";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import { expect, test } from "vitest";
import type { LedgerHarness, LedgerScript } from "./ledger-script.ts";
import { TENANT } from "./store-script.ts";

export type WithLedger = (
  body: (script: LedgerScript, harness: LedgerHarness) => Promise<void>,
) => () => Promise<void>;

/** How a ledger is asked. Part of the ledger's contract. */
export function ledgerQueryContract(withLedger: WithLedger): void {
  test(
    "OA-4: receipts are found by run, call, tool, type and time, newest first",
    withLedger(async (script, harness) => {
      const { ledger } = harness;
      const read = { callId: "call_1", payload: { toolId: "files.file.read" } };
      const write = { runId: "run_2", callId: "call_2", payload: { toolId: "files.file.write" } };
      const [started] = await script.write([script.receipt("run.started")]);
      await harness.advance(1_000);
      const reads = await script.write([
        script.receipt("tool.call.requested", read),
        script.receipt("tool.call.succeeded", read),
      ]);
      await harness.advance(1_000);
      const writes = await script.write([
        script.receipt("tool.call.requested", write),
        script.receipt("tool.call.failed", write),
      ]);
      const found = async (query: object) =>
        (await ledger.receipts(TENANT, { limit: 50, ...query })).map((receipt) => receipt.seq);
      expect(await found({})).toEqual([5, 4, 3, 2, 1]);
      expect(await found({ runId: "run_2" })).toEqual([5, 4]);
      expect(await found({ callId: "call_1" })).toEqual([3, 2]);
      expect(await found({ toolId: "files.file.write" })).toEqual([5, 4]);
      expect(await found({ types: ["tool.call.requested"] })).toEqual([4, 2]);
      expect(await found({ types: ["tool.call.failed", "tool.call.succeeded"] })).toEqual([5, 3]);
      expect(await found({ types: [] })).toEqual([]);
      expect(await found({ runId: "run_2", types: ["tool.call.failed"] })).toEqual([5]);
      expect(await found({ runId: "run_1", toolId: "files.file.write" })).toEqual([]);
      expect(await found({ since: reads[0]!.ts })).toEqual([5, 4, 3, 2]);
      expect(await found({ until: reads[0]!.ts })).toEqual([1]);
      expect(await found({ since: started!.ts + 1, until: writes[0]!.ts })).toEqual([3, 2]);
      expect(await found({ since: writes[0]!.ts + 1 })).toEqual([]);
      expect(await found({ limit: 2 })).toEqual([5, 4]);
      expect(await found({ limit: 2, before: 4 })).toEqual([3, 2]);
      expect(await ledger.receipt(TENANT, writes[1]!.id)).toEqual(writes[1]);
      expect(await ledger.receipt(TENANT, "rcp_none")).toBeUndefined();
    }),
  );

  test(
    "however many are asked for, a page has its limit",
    withLedger(async (script, { ledger }) => {
      await script.write(Array.from({ length: LIMITS.pageSizeMax + 5 }, () => script.receipt("run.started")));
      expect(await ledger.receipts(TENANT, { limit: 1e9 })).toHaveLength(LIMITS.pageSizeMax);
      expect(await ledger.receipts(TENANT, { limit: 0 })).toHaveLength(1);
    }),
  );

  test(
    "calls of a run come in the order of request, also those of one instant",
    withLedger(async (script, { ledger }) => {
      const at = script.tick();
      const calls = ["b", "a", "c"].map((callId) => script.call({ callId, createdAt: at }));
      const earlier = script.call({ createdAt: at - 5 });
      const other = script.call({ runId: "run_2" });
      for (const call of [...calls, earlier, other]) await script.write([], [{ kind: "call.new", call }]);
      expect(await ledger.callsOfRun(TENANT, "run_1")).toEqual([earlier, ...calls]);
      expect(await ledger.callsOfRun(TENANT, "run_none")).toEqual([]);
    }),
  );

  test(
    "the calls of a session are told in the order of their numbers, the newest of them, up to a run",
    withLedger(async (script, harness) => {
      const make = async (runId: string, more: object = {}) => {
        const call = script.call({ runId, ...more });
        await script.write([], [{ kind: "call.new", call }]);
        return call;
      };
      const [a, b] = [await make("run_1", { target: "a.txt" }), await make("run_1")];
      const elsewhere = await make("run_9", { sessionId: "ses_2" });
      const c = await make("run_2");
      const d = await make("run_3");
      // The owner takes the first one back much later; that makes its run no longer.
      const undo = await make("run_1", { undoes: a.callId });
      const ledger = await harness.reopen();
      const told = async (through: string, limit = 10, sessionId = "ses_1") =>
        (await ledger.callsOfSession(TENANT, sessionId, { through, limit })).map((x) => [x.number, x.callId]);
      const all = [a, b, c, d, undo].map(({ callId }, i) => [i + 1, callId]);
      expect(await told("run_none")).toEqual(all);
      expect(await told("run_3")).toEqual(all.slice(0, 4));
      expect(await told("run_2")).toEqual(all.slice(0, 3));
      expect(await told("run_1")).toEqual(all.slice(0, 2));
      expect(await told("run_2", 2)).toEqual(all.slice(1, 3));
      expect(await told("run_1", 10, "ses_2")).toEqual([[1, elsewhere.callId]]);
      expect(await told("run_1", 10, "ses_none")).toEqual([]);
      expect(await ledger.callsOfSession("other", "ses_1", { through: "run_3", limit: 9 })).toEqual([]);
      expect(await ledger.callsOfSession(TENANT, "ses_1", { through: "run_1", limit: 9 })).toEqual([
        { number: 1, callId: a.callId, runId: "run_1", target: "a.txt" },
        { number: 2, callId: b.callId, runId: "run_1" },
      ]);
      expect(
        (await ledger.callsOfSession(TENANT, "ses_1", { through: "run_none", limit: 9 })).flatMap(
          ({ callId, undoes }) => (undoes === undefined ? [] : [[callId, undoes]]),
        ),
      ).toEqual([[undo.callId, a.callId]]);
    }),
  );

  test(
    "whether something in a session was undone is known with the call that does it",
    withLedger(async (script, { ledger }) => {
      const make = async (more: object = {}) => {
        const call = script.call(more);
        await script.write([], [{ kind: "call.new", call }]);
        return call;
      };
      const undone = (sessionId = "ses_1", tenant = TENANT) => ledger.hasUndos(tenant, sessionId);
      expect(await undone()).toBe(false);
      const first = await make();
      await make();
      expect(await undone()).toBe(false);
      await make({ sessionId: "ses_2", undoes: first.callId });
      expect([await undone(), await undone("ses_2"), await undone("ses_2", "other")]).toEqual([
        false,
        true,
        false,
      ]);
      await make({ undoes: first.callId });
      await make();
      expect([await undone(), await undone()]).toEqual([true, true]);
    }),
  );

  test(
    "receipts of some calls are all found, oldest first, wherever in the log they lie",
    withLedger(async (script, { ledger }) => {
      const first = await script.allowed();
      const filler = () => Array.from({ length: 70 }, () => script.receipt("run.started"));
      await script.write(filler());
      const second = await script.allowed();
      await script.write([script.receipt("tool.call.undone", { callId: first.callId })]);
      await script.write(filler());
      await script.allowed();
      const third = await script.allowed();
      const wanted = [third, first, second].map(({ callId }) => callId);
      const found = await ledger.receiptsOfCalls(TENANT, wanted);
      const all: StoredReceipt[] = [];
      for (const callId of wanted) all.push(...(await ledger.receipts(TENANT, { callId, limit: 9 })));
      expect(all).toHaveLength(10);
      expect(found).toEqual(all.toSorted((a, b) => a.seq - b.seq));
      expect(await ledger.receiptsOfCalls(TENANT, [])).toEqual([]);
      expect(await ledger.receiptsOfCalls("other", wanted)).toEqual([]);
    }),
  );

  test(
    "salts are told of what is still there",
    withLedger(async (script, { ledger }) => {
      const put = (commit: string) =>
        ({ kind: "body.put", body: { commit, salt: `salt of ${commit}`, value: 1 } }) as const;
      await script.write([], [put("a"), put("b"), put("c")]);
      await ledger.eraseBody(TENANT, "b");
      expect(await ledger.salts(TENANT, ["a", "b", "none"])).toEqual(new Map([["a", "salt of a"]]));
      expect(await ledger.salts("other", ["a"])).toEqual(new Map());
    }),
  );

  test(
    "approvals are listed newest first, those that wait oldest first",
    withLedger(async (script, { ledger }) => {
      const sessions = ["ses_1", "ses_2", "ses_1", "ses_2"];
      const all = sessions.map((sessionId) => script.approval(script.call({ sessionId })));
      for (const approval of all) await script.write([], [{ kind: "approval.new", approval }]);
      const ids = async (query: object) =>
        (await ledger.approvals(TENANT, { limit: 9, ...query })).map((approval) => approval.id);
      const [a, b, c, d] = all.map((approval) => approval.id);
      expect(await ids({})).toEqual([d, c, b, a]);
      expect(await ids({ limit: 2 })).toEqual([d, c]);
      expect(await ids({ status: "pending" })).toEqual([a, b, c, d]);
      expect(await ids({ status: "pending", sessionId: "ses_2" })).toEqual([b, d]);
      expect(await ids({ sessionId: "ses_1" })).toEqual([c, a]);
      const expiry = { status: "expired", decidedBy: { kind: "expiry" }, at: 5 } as const;
      await script.write([], [{ kind: "approval.decide", approvalId: a!, ...expiry }]);
      expect(await ids({ status: "pending" })).toEqual([b, c, d]);
      expect(await ids({ status: "expired" })).toEqual([a]);
    }),
  );

  test(
    "approvals are read page by page, and by tool, by where they were decided, and by risk, a plan by its worst call",
    withLedger(async (script, { ledger }) => {
      const call = () => script.call({ toolId: "files.file.delete" });
      const asked = [script.approval(script.call()), script.approval(call()), script.approval(call())];
      const [write, delete_, plan] = [asked[0]!, asked[1]!, asked[2]!];
      const step = { toolId: "t.t.t", input: {}, digest: "d", summary: "s", rule: "r" };
      const cards = [
        { ...write.card, risk: "write" },
        { ...delete_.card, risk: "destructive" },
        {
          ...plan.card,
          risk: "read",
          plan: [
            { ...step, risk: "read" },
            { ...step, risk: "destructive" },
          ],
        },
      ] as const;
      for (const [i, card] of cards.entries())
        await script.write([], [{ kind: "approval.new", approval: { ...asked[i]!, card } }]);
      const owner = { kind: "owner", id: "owner", surface: "cli" } as const;
      const decided = { status: "denied", decidedBy: owner, at: 5 } as const;
      await script.write([], [{ kind: "approval.decide", approvalId: write.id, ...decided }]);
      const ids = async (query: object) =>
        (await ledger.approvals(TENANT, { limit: 9, ...query })).map((approval) => approval.id);
      expect(await ids({ limit: 2 })).toEqual([plan.id, delete_.id]);
      expect(await ids({ limit: 2, before: delete_.id })).toEqual([write.id]);
      expect(await ids({ toolId: "files.file.delete" })).toEqual([plan.id, delete_.id]);
      expect(await ids({ risk: "destructive" })).toEqual([plan.id, delete_.id]);
      expect(await ids({ risk: "write" })).toEqual([write.id]);
      expect(await ids({ surface: "cli" })).toEqual([write.id]);
      expect(await ids({ surface: "web" })).toEqual([]);
    }),
  );

  test(
    "the sweep finds what is overdue, and knows when to look next",
    withLedger(async (script, { ledger }) => {
      expect(await ledger.nextExpiry(TENANT)).toBeUndefined();
      const [late, soon, never] = [300, 100, 900].map((expiresAt) =>
        script.approval(script.call(), { expiresAt }),
      );
      for (const approval of [late!, soon!, never!])
        await script.write([], [{ kind: "approval.new", approval }]);
      expect(await ledger.nextExpiry(TENANT)).toBe(100);
      expect(await ledger.overdue(TENANT, 99)).toEqual([]);
      expect((await ledger.overdue(TENANT, 300)).map((a) => a.id)).toEqual([soon!.id, late!.id]);
      const decided = { status: "expired", decidedBy: { kind: "expiry" }, at: 100 } as const;
      await script.write([], [{ kind: "approval.decide", approvalId: soon!.id, ...decided }]);
      expect(await ledger.nextExpiry(TENANT)).toBe(300);
      expect((await ledger.overdue(TENANT, 1_000)).map((a) => a.id)).toEqual([late!.id, never!.id]);
    }),
  );
}
