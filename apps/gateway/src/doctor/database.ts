import { existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "@elwood/store-sqlite/migrations";
import { openReadOnly } from "@elwood/store-sqlite/read-only-database";
import { finding, ok, type Check, type Finding } from "./finding.ts";
import { sizeText } from "@elwood/core/base/size-text";

const PROBLEMS_MAX = 10;
const SQLITE_BUSY = 5;

/**
 * Reads the database through and changes nothing. A gateway may have it open: a reader
 * holds up no writer.
 */
export const database: Check = {
  area: "database",
  async run({ paths }) {
    const path = paths.database;
    if (!existsSync(path)) {
      const fix = "The first start makes it: elwood up";
      return [finding("info", "database.missing", "There is no database yet.", path, fix)];
    }
    const first = examine(path, paths.backups, "still");
    // What was read as a still file may have begun to move: only a second look counts.
    return [first.severity === "error" ? examine(path, paths.backups, "settled") : first];
  },
};

function examine(path: string, backups: string, look: "still" | "settled"): Finding {
  let db: DatabaseSync | undefined;
  try {
    db = openReadOnly(path, look);
    if (!db) return finding("info", "database.missing", "There is no database yet.", path, "");
    const wrong = db
      .prepare(`PRAGMA quick_check(${PROBLEMS_MAX})`)
      .all()
      .map((row) => String(row["quick_check"]));
    if (wrong.length !== 1 || wrong[0] !== "ok") return damaged(path, backups, wrong.join("; "));
    return schemaFinding(db, path);
  } catch (cause) {
    if (!(cause instanceof Error && "errcode" in cause)) throw cause;
    if (Number(cause.errcode) % 256 === SQLITE_BUSY) {
      const fix = "Run the doctor again; if it stays so, see which program has the file open.";
      return finding("warning", "database.busy", "Another program holds the database.", path, fix);
    }
    return damaged(path, backups, cause.message);
  } finally {
    db?.close();
  }
}

function damaged(path: string, backups: string, evidence: string): Finding {
  const fix = `Stop Elwood, keep a copy of ${path}, then put the newest file of ${backups} in its place, or move it away to begin a new one. The conversations' own files are not touched by that.`;
  return finding("error", "database.damaged", "The database is damaged.", `${path}: ${evidence}`, fix);
}

function schemaFinding(db: DatabaseSync, path: string): Finding {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const evidence = `${path}: schema ${version}, ${sizeText(statSync(path).size)}`;
  if (version === 0 && tables.length === 0) {
    return finding(
      "info",
      "database.empty",
      "The database is empty.",
      evidence,
      "The next start fills it: elwood up",
    );
  }
  if (!tables.some((row) => row["name"] === "sessions")) {
    const fix = "Move it away, or choose another state directory with ELWOOD_HOME.";
    return finding("error", "database.foreign", "The database is not one of Elwood's.", evidence, fix);
  }
  if (version > newest) {
    const fix = "Start the newer Elwood, or put back a copy from the backups folder that this one can read.";
    const what = `The database was written by a newer Elwood; this one knows schema ${newest}.`;
    return finding("error", "database.newer", what, evidence, fix);
  }
  if (version < newest) {
    const what =
      "The database has an older schema. The next start copies it to the backups folder and brings it up to date.";
    return finding("info", "database.older", what, evidence, "");
  }
  return ok("database.sound", "The database is sound, and its schema is the current one.", evidence);
}
