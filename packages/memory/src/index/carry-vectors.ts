import type { DatabaseSync } from "node:sqlite";
import type { Redactor } from "@elwood/core/base/redact";
import { atOnce, hasVectorTables } from "./vector-schema.ts";
import { VectorStore } from "./vector-store.ts";

/**
 * Takes vectors that were paid for over into an index that was built anew, those of its own turns and no others. What
 * is taken over counts as a cache: the next fill gives it to the turns, and asks the embedder for nothing that is here.
 */
export async function carryVectors(
  from: DatabaseSync,
  to: DatabaseSync,
  redact: Redactor,
  pause: () => Promise<void>,
): Promise<void> {
  const path = from.location();
  if (path === null || !hasVectorTables(from)) return;
  const store = new VectorStore(to, false, redact);
  to.prepare("ATTACH ? AS earlier").run(path);
  try {
    to.exec(
      "INSERT OR IGNORE INTO spaces SELECT id, provider, model, dims, metric, input_type, 'filling', created_at FROM earlier.spaces",
    );
    const take = to.prepare(
      "INSERT OR IGNORE INTO embedding_cache SELECT space_id, sha, vec, created_at FROM earlier.embedding_cache WHERE space_id = ? AND sha = ?",
    );
    const spaces = to.prepare("SELECT id FROM spaces").all() as { id: number }[];
    for (let below = store.turnsMax() + 1; below > 1;) {
      const { units, lookedTo } = store.missing(undefined, { above: 0, below });
      atOnce(to, () => {
        for (const { sha } of units) for (const { id } of spaces) take.run(id, sha);
      });
      below = lookedTo;
      await pause();
    }
  } finally {
    to.exec("DETACH earlier");
  }
}
