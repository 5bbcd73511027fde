import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { SearchTerms } from "@elwood/core/erase/search-terms";
import { timesInFile } from "./bytes.ts";
import type { EraseDeps } from "./erase-deps.ts";

type IndexDeps = Pick<EraseDeps, "home" | "index">;

/** The index follows the files at once, and what left it leaves its bytes. */
export async function refreshIndex({ index }: IndexDeps, sources: readonly string[]): Promise<void> {
  const open = await index();
  if (!open) return;
  for (const source of new Set(sources)) await open.refresh(source);
  await open.settled();
  open.truncateLog();
}

/** Remains of the index that nobody needs: a damaged one, and one that is turned off, are made of files anyway. */
export async function dropDisposable({ home, index }: IndexDeps, needles: SearchTerms): Promise<void> {
  const names = ["memory.db.corrupt", "memory.db.corrupt-wal", "memory.db.corrupt-shm"];
  if (!(await index())) names.push("memory.db", "memory.db-wal", "memory.db-shm");
  const paths = names.map((name) => join(home, name));
  for (const path of paths) if ((await timesInFile(path, needles)) > 0) await rm(path, { force: true });
}

/** It stands in the index's bytes although its rows are gone, or its source holds it: then the whole index is made anew. */
export async function emptyIndex({ home, index }: IndexDeps, needles: SearchTerms): Promise<void> {
  const open = await index();
  await open?.rebuild();
  open?.truncateLog();
  await dropDisposable({ home, index }, needles);
}
