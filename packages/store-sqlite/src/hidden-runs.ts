import type { Database } from "./database.ts";
import type { AnyRows } from "./kept-rows.ts";
import { TREE_SQL } from "./run-tree-rows.ts";
import { checkTenant } from "@elwood/runtime/run/store-input";

/** Runs of versions that are not shown, for whoever looks at single messages of many sessions. */
export interface HiddenRuns {
  has(tenant: string, sessionId: string, runId: string): boolean;
  /** Asked before every message, so that nobody pays for what they do not use. */
  isEmpty(tenant: string): boolean;
}

export function hiddenRuns(db: Database, versions: AnyRows): HiddenRuns {
  return {
    has(tenant, sessionId, runId) {
      checkTenant(tenant);
      return db.get(TREE_SQL.isHidden, tenant, sessionId, runId) !== undefined;
    },
    isEmpty(tenant) {
      checkTenant(tenant);
      return !versions.of(tenant);
    },
  };
}
