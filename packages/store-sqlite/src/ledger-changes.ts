import type { LedgerChange } from "@elwood/runtime/ports/gate-ports";
import type { Database } from "./database.ts";
import type { KnownCalls } from "./known-calls.ts";
import { LEDGER_SQL } from "./ledger-sql.ts";

/** What a unit's changes came to. */
export interface Applied {
  /** By call, the numbers that new ones were given. */
  readonly numbers: Map<string, number>;
  /** Runs of which calls were written. */
  readonly runs: Set<string>;
  /** The input of the last new call, as it was written: its body, which follows, is the same value. */
  input?: { readonly value: unknown; readonly text: string };
}

/** Applies one change inside the unit's transaction. False where its guard refuses it. */
export function applyChange(
  db: Database,
  tenant: string,
  change: LedgerChange,
  applied: Applied,
  known: KnownCalls,
): boolean {
  switch (change.kind) {
    case "call.new": {
      const { call } = change;
      const number = known.nextNumber(tenant, call.sessionId);
      const requested = json(call.requestedInput);
      if (addCall(db, tenant, change, requested, number) === 0) return false;
      applied.input = { value: call.requestedInput, text: requested };
      known.added(tenant, call, number);
      applied.numbers.set(call.callId, number);
      applied.runs.add(call.runId);
      return true;
    }
    case "call.move": {
      const runId = known.runOf(tenant, change.callId);
      if (runId === undefined || moveCall(db, tenant, change) === 0) return false;
      applied.runs.add(runId);
      return true;
    }
    case "approval.new":
      return addApproval(db, tenant, change) === 1;
    case "approval.decide":
      return decideApproval(db, tenant, change) === 1;
    case "grant.new":
      return addGrant(db, tenant, change) === 1;
    case "grant.use":
      return db.run(LEDGER_SQL.useGrant, tenant, change.grantId, change.at, change.runId) === 1;
    case "grant.revoke":
      return db.run(LEDGER_SQL.revokeGrant, tenant, change.grantId, change.at) === 1;
    case "body.put": {
      const { commit, salt, value } = change.body;
      const { input } = applied;
      const text = input && input.value === value ? input.text : json(value);
      db.run(LEDGER_SQL.putBody, tenant, commit, salt, text);
      return true;
    }
    case "contract.know":
      db.run(LEDGER_SQL.knowContract, tenant, change.toolId, change.contractHash, change.at);
      return true;
    case "contract.forget":
      return db.run(LEDGER_SQL.forgetContract, tenant, change.toolId) === 1;
    default:
      return change satisfies never;
  }
}

type Change<K extends LedgerChange["kind"]> = Extract<LedgerChange, { kind: K }>;

function addCall(
  db: Database,
  tenant: string,
  { call }: Change<"call.new">,
  requested: string,
  number: number,
): number {
  const executed = call.executedInput === call.requestedInput ? requested : json(call.executedInput);
  return db.run(
    LEDGER_SQL.addCall,
    tenant,
    call.callId,
    call.runId,
    call.sessionId,
    call.toolId,
    call.contractHash,
    call.risk,
    requested,
    executed === requested ? null : executed,
    call.idempotencyKey,
    call.state,
    call.approvalId ?? null,
    jsonOrNull(call.outcome),
    call.target ?? null,
    call.count ?? null,
    call.undoes ?? null,
    call.createdAt,
    call.startedAt ?? null,
    call.endedAt ?? null,
    call.grantId ?? null,
    number,
  );
}

function moveCall(db: Database, tenant: string, change: Change<"call.move">): number {
  return db.run(
    LEDGER_SQL.moveCall,
    tenant,
    change.callId,
    change.to,
    change.at,
    jsonOrNull(change.executedInput),
    change.approvalId ?? null,
    jsonOrNull(change.outcome),
    change.count ?? null,
    json(change.from),
    change.target ?? null,
  );
}

function addApproval(db: Database, tenant: string, { approval }: Change<"approval.new">): number {
  return db.run(
    LEDGER_SQL.addApproval,
    tenant,
    approval.id,
    approval.callId,
    approval.runId,
    approval.sessionId,
    approval.toolId,
    approval.digest,
    json(approval.card),
    approval.status,
    approval.createdAt,
    approval.expiresAt,
    approval.decision ?? null,
    jsonOrNull(approval.decidedBy),
    approval.decidedAt ?? null,
    approval.note ?? null,
    jsonOrNull(approval.editedInput),
    approval.grantId ?? null,
  );
}

function decideApproval(db: Database, tenant: string, change: Change<"approval.decide">): number {
  const { approvalId, note, editedInput } = change;
  // Most decisions have no words, and the rules that guard them need not be asked then.
  if (note !== undefined || editedInput !== undefined)
    db.run(LEDGER_SQL.wordsOfDecision, tenant, approvalId, note ?? null, jsonOrNull(editedInput));
  return db.run(
    LEDGER_SQL.decideApproval,
    tenant,
    approvalId,
    change.status,
    json(change.decidedBy),
    change.at,
    change.decision ?? null,
    change.grantId ?? null,
  );
}

function addGrant(db: Database, tenant: string, { grant }: Change<"grant.new">): number {
  return db.run(
    LEDGER_SQL.addGrant,
    tenant,
    grant.id,
    grant.toolId,
    grant.scope,
    jsonOrNull(grant.match),
    grant.sessionId ?? null,
    grant.contractHash,
    grant.createdAt,
    grant.expiresAt ?? null,
    json(grant.createdBy),
    grant.uses,
    grant.usesMax ?? null,
    grant.revokedAt ?? null,
    grant.words,
    jsonOrNull(grant.job),
    grant.usesPerRun ?? null,
  );
}

function json(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError("what is stored must be JSON");
  return text;
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : json(value);
}
