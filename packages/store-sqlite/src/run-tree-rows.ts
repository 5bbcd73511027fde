import { lineThrough, lineTo, type TreeRun } from "@elwood/core/message/run-tree";
import { fail } from "@elwood/core/base/failure";
import { type Database, query } from "./database.ts";

interface TreeRow {
  readonly run_id: string;
  readonly parent: string;
  readonly shown: number;
}

export const TREE_SQL = {
  tree: query<TreeRow>(`SELECT run_id, parent, shown FROM run_tree INDEXED BY run_tree_in_order
    WHERE tenant = ? AND session_id = ? ORDER BY n`),
  hidden: query<{ run_id: string }>(`SELECT run_id FROM run_tree INDEXED BY run_tree_shown
    WHERE tenant = ? AND session_id = ? AND shown = 0`),
  isHidden: query<{
    found: number;
  }>(`SELECT 1 AS found FROM run_tree WHERE tenant = ? AND session_id = ? AND run_id = ? AND shown = 0`),
  any: query<{ found: number }>("SELECT 1 AS found FROM run_tree WHERE tenant = ? LIMIT 1"),
  // Nothing where the session has no versions.
  goOn: `INSERT INTO run_tree (tenant, session_id, run_id, n, parent, shown)
    SELECT ?1, ?2, ?3, (SELECT max(n) + 1 FROM run_tree WHERE tenant = ?1 AND session_id = ?2), run_id, 1
    FROM run_tree INDEXED BY run_tree_shown WHERE tenant = ?1 AND session_id = ?2 AND shown = 1
    ORDER BY n DESC LIMIT 1`,
  add: `INSERT INTO run_tree (tenant, session_id, run_id, n, parent, shown)
    VALUES (?1, ?2, ?3, (SELECT coalesce(max(n), 0) + 1 FROM run_tree WHERE tenant = ?1 AND session_id = ?2), ?4, 1)`,
  // As they stand in the conversation: what it was copied with, then as they ended.
  standing: query<{ id: string }>(`SELECT id FROM (
      SELECT run_id AS id, 0 AS own, n AS a, 0 AS b FROM forked_runs WHERE tenant = ?1 AND session_id = ?2
      UNION ALL SELECT id, 1, ended_at, seq FROM runs WHERE tenant = ?1 AND session_id = ?2)
    ORDER BY own, a, b`),
  setShown:
    "UPDATE run_tree SET shown = ?4 WHERE tenant = ?1 AND session_id = ?2 AND run_id = ?3 AND shown <> ?4",
  effects: query<{ run_id: string }>(`SELECT run_id FROM run_tree AS t INDEXED BY run_tree_shown
    WHERE tenant = ?1 AND session_id = ?2 AND shown = 0 AND EXISTS (
      SELECT 1 FROM calls AS c INDEXED BY calls_of_run WHERE c.tenant = ?1 AND c.run_id = t.run_id
        AND c.risk <> 'read' AND c.undoes IS NULL AND c.state IN ('started', 'succeeded', 'unknown'))
    ORDER BY n`),
};

/** Of a row with `tenant`, `session_id` and `run_id` under this name: a version of it is shown in its place. */
export function isHiddenSql(row: string): string {
  return `EXISTS (SELECT 1 FROM run_tree AS h WHERE h.tenant = ${row}.tenant AND h.session_id = ${row}.session_id
    AND h.run_id = ${row}.run_id AND h.shown = 0)`;
}

/** Empty where the session has no versions. */
export function treeOf(db: Database, tenant: string, sessionId: string): TreeRun[] {
  return db
    .all(TREE_SQL.tree, tenant, sessionId)
    .map(({ run_id, parent, shown }) => ({ runId: run_id, parent, shown: shown === 1 }));
}

/** A run that was accepted continues what is shown. Inside the transaction that accepts it. */
export function goOnInTree(db: Database, tenant: string, sessionId: string, runId: string): void {
  db.run(TREE_SQL.goOn, tenant, sessionId, runId);
}

/** A run that was accepted takes the place of another. Inside the transaction that accepts it. */
export function addVersion(
  db: Database,
  tenant: string,
  sessionId: string,
  runId: string,
  versionOf: string,
): void {
  let tree = treeOf(db, tenant, sessionId);
  if (tree.length === 0) {
    let parent = "";
    for (const { id } of db.all(TREE_SQL.standing, tenant, sessionId)) {
      if (id === runId) continue;
      db.run(TREE_SQL.add, tenant, sessionId, id, parent);
      parent = id;
    }
    tree = treeOf(db, tenant, sessionId);
  }
  const replaced = tree.find((run) => run.runId === versionOf);
  if (!replaced) fail("NOT_FOUND", `There is no run ${versionOf} in this session. Nothing was changed.`);
  showLine(db, tenant, sessionId, tree, lineTo(tree, replaced.parent));
  db.run(TREE_SQL.add, tenant, sessionId, runId, replaced.parent);
}

/** The run that is shown last then; undefined where the session has no such run in a tree. */
export function showRun(db: Database, tenant: string, sessionId: string, runId: string): string | undefined {
  const tree = treeOf(db, tenant, sessionId);
  if (!tree.some((run) => run.runId === runId)) return undefined;
  const line = lineThrough(tree, runId);
  showLine(db, tenant, sessionId, tree, line);
  return tree.findLast((run) => line.has(run.runId))?.runId;
}

function showLine(
  db: Database,
  tenant: string,
  sessionId: string,
  tree: readonly TreeRun[],
  line: ReadonlySet<string>,
): void {
  for (const { runId, shown } of tree)
    if (shown !== line.has(runId)) db.run(TREE_SQL.setShown, tenant, sessionId, runId, shown ? 0 : 1);
}
