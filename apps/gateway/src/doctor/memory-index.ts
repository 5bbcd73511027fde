import { existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { counted } from "@elwood/core/base/relative-time";
import { corruptPath, versionsNow } from "@elwood/memory/index/open-index";
import { openReadOnly } from "@elwood/store-sqlite/read-only-database";
import { finding, ok, type Check, type Finding } from "./finding.ts";
import { sizeText } from "@elwood/core/base/size-text";

const SQLITE_BUSY = 5;
const REBUILT = "Nothing is to be done: Elwood rebuilds it from the files when it is next used.";

/** Reads the index of memory through and changes nothing. Whatever is wrong with it, no word is lost: it is made of files. */
export const memoryIndex: Check = {
  area: "memory",
  async run({ loaded, paths }) {
    if (loaded.ok && !loaded.value.config.memory.enabled) {
      return [
        finding("info", "memory.off", "Memory is turned off in the configuration.", "memory.enabled", ""),
      ];
    }
    const path = paths.memoryDatabase;
    const first = examine(path, "still");
    // What was read as a still file may have begun to move: only a second look counts.
    const found = first.severity === "warning" ? examine(path, "settled") : first;
    return existsSync(corruptPath(path)) ? [found, keptAside(corruptPath(path))] : [found];
  },
};

function examine(path: string, look: "still" | "settled"): Finding {
  let db: DatabaseSync | undefined;
  try {
    db = openReadOnly(path, look);
    if (!db) return finding("info", "memory.missing", "There is no index of memory yet.", path, REBUILT);
    const wrong = db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    if (wrong !== "ok") return damaged(path, String(wrong));
    return versionFinding(db, path);
  } catch (cause) {
    if (!(cause instanceof Error && "errcode" in cause)) throw cause;
    if (Number(cause.errcode) % 256 === SQLITE_BUSY) {
      const fix = "Run the doctor again; if it stays so, see which program has the file open.";
      return finding("info", "memory.busy", "Another program holds the index of memory.", path, fix);
    }
    return damaged(path, cause.message);
  } finally {
    db?.close();
  }
}

function versionFinding(db: DatabaseSync, path: string): Finding {
  const meta = new Map(
    db
      .prepare("SELECT k, v FROM meta")
      .all()
      .map((row) => [String(row["k"]), String(row["v"])]),
  );
  const size = sizeText(statSync(path).size);
  if (Object.entries(versionsNow()).some(([name, version]) => meta.get(name) !== version)) {
    return finding(
      "info",
      "memory.older",
      "The index of memory is of another version.",
      `${path}: ${size}`,
      REBUILT,
    );
  }
  const turns = Number(db.prepare("SELECT count(*) AS n FROM turns").get()?.["n"]);
  const files = Number(db.prepare("SELECT count(*) AS n FROM sources").get()?.["n"]);
  return ok(
    "memory.sound",
    "The index of memory is sound.",
    `${counted(turns, "turn")} of ${counted(files, "file")}, ${size}`,
  );
}

function damaged(path: string, evidence: string): Finding {
  return finding(
    "warning",
    "memory.damaged",
    "The index of memory is damaged.",
    `${path}: ${evidence}`,
    REBUILT,
  );
}

function keptAside(path: string): Finding {
  const fix =
    "It is kept so that somebody can find out why. Delete it when you like; it holds words of conversations.";
  return finding("info", "memory.aside", "An index that could not be read was put aside.", path, fix);
}
