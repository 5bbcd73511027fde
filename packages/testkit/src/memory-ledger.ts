import { createHash } from "node:crypto";
import type { Approval, Grant } from "@elwood/core/policy/approval";
import {
  commitment,
  FIRST_PREV_HASH,
  receiptHash,
  withCallNumber,
  withoutTexts,
  type StoredReceipt,
} from "@elwood/core/receipts/receipt";
import { err, ok } from "@elwood/core/base/result";
import type { Risk } from "@elwood/core/tool/tool";
import type { Body, CallRow, CallState, Ledger, LedgerChange } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Ids } from "@elwood/runtime/ports/ports";
import { checkTenant, pageLimit } from "@elwood/runtime/run/store-input";
import { FixedIds } from "./fixed-ids.ts";
import { ManualClock } from "./manual-clock.ts";
import { copied, keyOf } from "./memory-state.ts";

interface Book {
  readonly receipts: StoredReceipt[];
  readonly calls: Map<string, CallRow>;
  /** The number of each call in its session. */
  readonly numbers: Map<string, number>;
  readonly approvals: Map<string, Approval>;
  readonly grants: Map<string, Grant>;
  readonly bodies: Map<string, Body>;
  readonly contracts: Map<string, string>;
}

/** The ledger in memory: it passes the same contract suite as the gateway's. */
export function memoryLedger(deps: { clock?: Clock; ids?: Ids } = {}): Ledger {
  const clock = deps.clock ?? new ManualClock();
  const ids = deps.ids ?? new FixedIds();
  const book: Book = {
    receipts: [],
    calls: new Map(),
    numbers: new Map(),
    approvals: new Map(),
    grants: new Map(),
    bodies: new Map(),
    contracts: new Map(),
  };

  function chained(tenant: string, fresh: ReturnType<typeof withoutTexts>): StoredReceipt {
    const last = book.receipts.findLast((receipt) => receipt.tenant === tenant);
    const body = {
      v: 1 as const,
      tenant,
      seq: (last?.seq ?? 0) + 1,
      id: ids.next("receipt"),
      ts: clock.now(),
      prevHash: last?.hash ?? FIRST_PREV_HASH,
      type: fresh.type,
      runId: fresh.runId,
      callId: fresh.callId,
      actor: fresh.actor,
      surface: fresh.surface,
      payload: fresh.payload,
    };
    // Hashed as it was given: what JSON cannot hold is refused, not changed.
    return copied({ ...body, hash: receiptHash(body, sha256) });
  }

  const of = <T>(rows: Map<string, T>, tenant: string): T[] => {
    checkTenant(tenant);
    return [...rows].filter(([key]) => key.startsWith(`${tenant} `)).map(([, row]) => copied(row));
  };
  const one = <T>(rows: Map<string, T>, tenant: string, id: string): T | undefined => {
    checkTenant(tenant);
    const row = rows.get(keyOf(tenant, id));
    return row === undefined ? undefined : copied(row);
  };
  const pending = (tenant: string) =>
    of(book.approvals, tenant)
      .filter((approval) => approval.status === "pending")
      .sort((a, b) => a.expiresAt - b.expiresAt);

  return {
    async write(tenant, unit) {
      checkTenant(tenant);
      const undo: (() => void)[] = [];
      const takeBack = () => undo.toReversed().forEach((back) => back());
      try {
        for (const change of unit.changes) {
          if (apply(book, tenant, change, undo)) continue;
          takeBack();
          return err({ refused: change.kind });
        }
        const numbers = new Map(
          unit.changes.flatMap((change) =>
            change.kind === "call.new"
              ? [[change.call.callId, book.numbers.get(keyOf(tenant, change.call.callId))!] as const]
              : [],
          ),
        );
        const written = unit.receipts.map((fresh) => {
          const receipt = chained(
            tenant,
            withoutTexts(withCallNumber(fresh, numbers), (text) => {
              const salt = `text ${book.bodies.size}`;
              const body = { commit: commitment(salt, text, sha256), salt, value: text };
              if (!apply(book, tenant, { kind: "body.put", body }, undo)) throw new Error("not kept");
              return body.commit;
            }),
          );
          book.receipts.push(receipt);
          undo.push(() => book.receipts.pop());
          return receipt;
        });
        unit.applied?.();
        return ok(copied(written));
      } catch (error) {
        takeBack();
        throw error;
      }
    },

    call: async (tenant, callId) => one(book.calls, tenant, callId),
    callsOfRun: async (tenant, runId) =>
      of(book.calls, tenant)
        .filter((call) => call.runId === runId)
        .sort((a, b) => a.createdAt - b.createdAt),
    async runsWithCalls(tenant, runIds) {
      const asked = new Set(runIds);
      const made = of(book.calls, tenant).map(({ runId }) => runId);
      return new Set(made.filter((runId) => asked.has(runId)));
    },
    async callsOfSession(tenant, sessionId, { through, limit }) {
      const all = of(book.calls, tenant)
        .filter((call) => call.sessionId === sessionId)
        .map((call) => ({ ...call, number: book.numbers.get(keyOf(tenant, call.callId))! }))
        .sort((a, b) => a.number - b.number);
      const last = all.findLast(({ runId, undoes }) => runId === through && undoes === undefined);
      return all
        .filter(({ number }) => number <= (last?.number ?? Infinity))
        .slice(-limit)
        .map(({ number, callId, runId, target, undoes }) =>
          copied({ number, callId, runId, target, ...(undoes === undefined ? {} : { undoes }) }),
        );
    },
    hasUndos: async (tenant, sessionId) =>
      of(book.calls, tenant).some((call) => call.sessionId === sessionId && call.undoes !== undefined),
    startedUndos: async (tenant) =>
      of(book.calls, tenant)
        .filter((call) => call.state === "started" && call.undoes !== undefined)
        .sort((a, b) => a.createdAt - b.createdAt),

    approval: async (tenant, approvalId) => one(book.approvals, tenant, approvalId),
    async approvals(tenant, { status, sessionId, toolId, risk, surface, before, limit }) {
      const found = of(book.approvals, tenant)
        .filter((a) => (status ?? a.status) === a.status && (sessionId ?? a.sessionId) === a.sessionId)
        .filter((a) => (toolId ?? a.toolId) === a.toolId && (risk ?? worstRisk(a)) === worstRisk(a))
        .filter((a) => surface === undefined || surfaceOf(a) === surface)
        .filter((a) => before === undefined || status === "pending" || a.id < before)
        .sort((a, b) => a.createdAt - b.createdAt);
      return (status === "pending" ? found : found.toReversed()).slice(0, pageLimit(limit));
    },
    overdue: async (tenant, at) => pending(tenant).filter((approval) => approval.expiresAt <= at),
    nextExpiry: async (tenant) => pending(tenant)[0]?.expiresAt,

    grant: async (tenant, grantId) => one(book.grants, tenant, grantId),
    grants: async (tenant, { live, at }) =>
      of(book.grants, tenant)
        .filter((grant) => !live || isLive(grant, at))
        .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)),

    knownContract: async (tenant, toolId) => one(book.contracts, tenant, toolId),

    async receipts(tenant, asked) {
      checkTenant(tenant);
      const { runId, callId, toolId, types, since, until, before } = asked;
      return copied(
        book.receipts
          .filter((r) => r.tenant === tenant && r.seq < (before ?? Infinity))
          .filter((r) => (runId ?? r.runId) === r.runId && (callId ?? r.callId) === r.callId)
          .filter((r) => toolId === undefined || r.payload["toolId"] === toolId)
          .filter((r) => types === undefined || types.some((type) => type === r.type))
          .filter((r) => r.ts >= (since ?? -Infinity) && r.ts < (until ?? Infinity))
          .toReversed()
          .slice(0, pageLimit(asked.limit)),
      );
    },
    async receipt(tenant, receiptId) {
      checkTenant(tenant);
      const found = book.receipts.find((r) => r.tenant === tenant && r.id === receiptId);
      return found && copied(found);
    },
    async receiptsOfCalls(tenant, callIds) {
      checkTenant(tenant);
      return copied(book.receipts.filter((r) => r.tenant === tenant && callIds.includes(r.callId ?? "")));
    },
    async salts(tenant, commits) {
      return new Map(
        commits.flatMap((commit) => {
          const body = one(book.bodies, tenant, commit);
          return body ? [[commit, body.salt] as const] : [];
        }),
      );
    },
    body: async (tenant, commit) => one(book.bodies, tenant, commit),
    async eraseBody(tenant, commit) {
      checkTenant(tenant);
      return book.bodies.delete(keyOf(tenant, commit));
    },
  };
}

const ENDED: readonly CallState[] = ["succeeded", "failed", "refused", "denied", "expired"];

/** False where the change's guard refuses it. What it changed can be taken back through `undo`. */
function apply(book: Book, tenant: string, change: LedgerChange, undo: (() => void)[]): boolean {
  const put = <T>(rows: Map<string, T>, id: string, row: T): true => {
    const key = keyOf(tenant, id);
    const before = rows.get(key);
    undo.push(() => (before === undefined ? rows.delete(key) : rows.set(key, before)));
    rows.set(key, copied(row));
    return true;
  };
  const find = <T>(rows: Map<string, T>, id: string): T | undefined => rows.get(keyOf(tenant, id));
  const drop = <T>(rows: Map<string, T>, id: string): boolean => {
    const before = find(rows, id);
    if (before === undefined) return false;
    undo.push(() => rows.set(keyOf(tenant, id), before));
    return rows.delete(keyOf(tenant, id));
  };
  switch (change.kind) {
    case "call.new": {
      const { callId, sessionId } = change.call;
      if (find(book.calls, callId) !== undefined) return false;
      const ofSession = [...book.calls].filter(
        ([key, call]) => key.startsWith(`${tenant} `) && call.sessionId === sessionId,
      );
      const last = Math.max(0, ...ofSession.map(([key]) => book.numbers.get(key)!));
      put(book.numbers, callId, last + 1);
      return put(book.calls, callId, change.call);
    }
    case "call.move": {
      const call = find(book.calls, change.callId);
      if (!call || !change.from.includes(call.state) || ENDED.includes(call.state)) return false;
      const { kind: _, callId, from: __, to, at, ...more } = change;
      const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
      const times = {
        ...(to === "started" ? { startedAt: at } : {}),
        ...(to === "unknown" || ENDED.includes(to) ? { endedAt: at } : {}),
      };
      return put(book.calls, callId, { ...call, ...given, ...times, state: to });
    }
    case "approval.new": {
      const { approval } = change;
      const taken = [...book.approvals].some(
        ([key, other]) =>
          key === keyOf(tenant, approval.id) ||
          (key.startsWith(`${tenant} `) && other.callId === approval.callId && other.status === "pending"),
      );
      return taken ? false : put(book.approvals, approval.id, approval);
    }
    case "approval.decide": {
      const approval = find(book.approvals, change.approvalId);
      if (approval?.status !== "pending") return false;
      const { kind: _, approvalId, at, ...decided } = change;
      return put(book.approvals, approvalId, { ...approval, ...decided, decidedAt: at });
    }
    case "grant.new":
      return find(book.grants, change.grant.id) === undefined
        ? put(book.grants, change.grant.id, change.grant)
        : false;
    case "grant.use": {
      const grant = find(book.grants, change.grantId);
      if (!grant || !isLive(grant, change.at)) return false;
      const inRun = [...book.calls].filter(
        ([key, call]) =>
          key.startsWith(`${tenant} `) && call.runId === change.runId && call.grantId === grant.id,
      ).length;
      if (grant.usesPerRun !== undefined && inRun > grant.usesPerRun) return false;
      return put(book.grants, grant.id, { ...grant, uses: grant.uses + 1 });
    }
    case "grant.revoke": {
      const grant = find(book.grants, change.grantId);
      if (!grant || grant.revokedAt !== undefined) return false;
      return put(book.grants, grant.id, { ...grant, revokedAt: change.at });
    }
    case "body.put":
      return find(book.bodies, change.body.commit) !== undefined
        ? true
        : put(book.bodies, change.body.commit, change.body);
    case "contract.know":
      return put(book.contracts, change.toolId, change.contractHash);
    case "contract.forget":
      return drop(book.contracts, change.toolId);
    default:
      return change satisfies never;
  }
}

function worstRisk({ card: { risk, plan = [] } }: Approval): Risk {
  const risks = new Set([risk, ...plan.map((item) => item.risk)]);
  return (["destructive", "write"] as const).find((each) => risks.has(each)) ?? risk;
}

function surfaceOf({ decidedBy }: Approval): string | undefined {
  return decidedBy?.kind === "owner" ? decidedBy.surface : undefined;
}

function isLive(grant: Grant, at: number): boolean {
  return (
    grant.revokedAt === undefined &&
    (grant.expiresAt === undefined || grant.expiresAt > at) &&
    (grant.usesMax === undefined || grant.uses < grant.usesMax)
  );
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
