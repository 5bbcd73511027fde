import type { Migration } from "../migrations.ts";

/** While something is being forgotten, and only then, what was written down may be emptied. */
const FORGETTING = "EXISTS (SELECT 1 FROM forgets WHERE tenant = OLD.tenant)";

/**
 * What is being forgotten. A row is there from before the first thing is removed until nothing
 * is left to do, so that a crash in between is gone on from; it holds what is to be looked for,
 * and is overwritten when it goes.
 *
 * The same row lifts the rules that nothing written down is changed, for columns that hold
 * words. What happened, when, and who decided stays as it was, whoever writes; and receipts
 * stay whole.
 */
export const forgetting: Migration = {
  version: 8,
  name: "0008-forgetting",
  sql: `
CREATE TABLE forgets (
  tenant    TEXT NOT NULL,
  id        TEXT NOT NULL,
  target    TEXT NOT NULL,
  by_id     TEXT NOT NULL,
  surface   TEXT NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

DROP TRIGGER steps_stay;
CREATE TRIGGER steps_stay BEFORE UPDATE ON steps
WHEN NEW.tenant IS NOT OLD.tenant OR NEW.run_id IS NOT OLD.run_id OR NEW.n IS NOT OLD.n OR NOT ${FORGETTING}
BEGIN SELECT RAISE(ABORT, 'steps are never changed'); END;

DROP TRIGGER forked_runs_stay;
CREATE TRIGGER forked_runs_stay BEFORE UPDATE ON forked_runs
WHEN NEW.tenant IS NOT OLD.tenant OR NEW.session_id IS NOT OLD.session_id OR NEW.n IS NOT OLD.n
  OR NEW.run_id IS NOT OLD.run_id OR NOT ${FORGETTING}
BEGIN SELECT RAISE(ABORT, 'what was typed is not changed'); END;

DROP TRIGGER approvals_decided_stay;
CREATE TRIGGER approvals_decided_stay BEFORE UPDATE OF tenant, id, call_id, run_id, session_id, tool_id, digest,
  status, created_at, expires_at, decision, decided_by, decided_at, grant_id ON approvals WHEN OLD.status <> 'pending'
BEGIN SELECT RAISE(ABORT, 'the first answer stays'); END;
CREATE TRIGGER approvals_words_stay BEFORE UPDATE OF card, note, edited_input ON approvals
WHEN OLD.status <> 'pending' AND NOT ${FORGETTING}
BEGIN SELECT RAISE(ABORT, 'the first answer stays'); END;

DROP TRIGGER grants_revoked_stay;
CREATE TRIGGER grants_revoked_stay BEFORE UPDATE OF tenant, id, tool_id, scope, session_id, contract_hash, created_at,
  expires_at, created_by, uses, uses_max, revoked_at ON grants WHEN OLD.revoked_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a revoked grant stays revoked'); END;
CREATE TRIGGER grants_words_stay BEFORE UPDATE OF match, words ON grants
WHEN OLD.revoked_at IS NOT NULL AND NOT ${FORGETTING}
BEGIN SELECT RAISE(ABORT, 'a revoked grant stays revoked'); END;

DROP TRIGGER runs_ended_stay;
CREATE TRIGGER runs_ended_stay BEFORE UPDATE OF
  tenant, id, seq, session_id, status, surface, model_asked, model, attempt, queued_at, started_at, ended_at,
  stop_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, usage_estimated,
  cost_usd, laps, laps_unpriced, calls
ON runs WHEN OLD.ended_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a run that ended never changes'); END;
CREATE TRIGGER runs_words_stay BEFORE UPDATE OF failure, idempotency_key, request_hash ON runs
WHEN OLD.ended_at IS NOT NULL AND NOT ${FORGETTING}
BEGIN SELECT RAISE(ABORT, 'a run that ended never changes'); END;
`,
};
