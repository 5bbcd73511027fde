/** Stands in for the search in tests of its thread: it answers, fails, or ends the thread, as the words say. */
import { existsSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import type { MemoryHit, MemoryQuery } from "@elwood/core/memory/turn";
import { serveSearches } from "./serve-searches.ts";

serveSearches(searchTurns);

function searchTurns(db: DatabaseSync, { text, session = "" }: MemoryQuery): MemoryHit[] {
  if (text === "fail") throw new Error("as asked");
  // `session` is a file that says whether it happened before.
  if (text === "die" || (text === "die once" && !existsSync(session))) {
    if (session !== "") writeFileSync(session, "");
    process.exit(1);
  }
  if (text === "hang") for (;;);
  const row = db.prepare("SELECT count(*) AS n FROM turns").get();
  const turn = {
    id: Number(row?.["n"]),
    source: "s",
    line: 1,
    ts: 0,
    role: "user",
    speaker: "you",
    origin: "owner",
    text: text === "priority" ? String(getPriority()) : text,
  } as const;
  return [{ turn, score: 1, parts: {}, before: [], after: [] }];
}
