import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeRedactor } from "@elwood/core/base/redact";
import { ok } from "@elwood/core/base/result";
import type { Clock } from "@elwood/runtime/ports/ports";
import { makeModels } from "@elwood/providers/models";
import { makeEmbedder } from "./embedder.ts";
import { EmbeddingBudget } from "./embedding-budget.ts";
import { nearestTurns } from "../search/hybrid-search.ts";
import { createSchema, PRAGMAS } from "./schema.ts";
import { loadSqliteVec } from "./sqlite-vec.ts";
import { Vectors, type VectorDeps } from "./vectors.ts";

export const QUERY_TIMEOUT_MS = 1_500;
/** Timeouts of a question, a stream that stays open, and a local server: a test's clock waits for these. */
export const WAITED_FOR: readonly number[] = [QUERY_TIMEOUT_MS, 1_000, 290_000];

export interface VectorRigOptions<C extends Clock> {
  readonly clock: C;
  readonly baseUrl: string;
  readonly model?: string;
  readonly dims?: number;
  readonly capUsd?: number;
  readonly pricePerMTokens?: number;
  readonly native?: boolean;
  readonly secrets?: readonly string[];
  /** Another life of the same index. */
  readonly folder?: string;
}

/** An index of its own in a temporary folder, with vectors on, and hands to put turns into it. */
export function vectorRig<C extends Clock>(options: VectorRigOptions<C>) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "elwood-vectors-"));
  const path = join(folder, "memory.db");
  const db = openTestIndex(path);
  const native = options.native === false ? false : loadSqliteVec(db);
  const { clock } = options;
  const redact = makeRedactor(options.secrets ?? []);
  const quiet = () => undefined;
  const log = { error: quiet, warn: quiet, info: quiet, debug: quiet };
  const models = makeModels({
    providers: { words: { baseUrl: options.baseUrl } },
    credentials: async () => ok(undefined),
    clock,
    random: () => 0.5,
    attemptsMax: 1,
  });
  const { dims, model = "words-1", capUsd = 1, pricePerMTokens = 0 } = options;
  const deps: VectorDeps = {
    db,
    native,
    embedder: makeEmbedder(models, { model: `words/${model}`, ...(dims === undefined ? {} : { dims }) }),
    budget: new EmbeddingBudget(join(folder, "costs.json"), clock, { capUsd, pricePerMTokens }),
    clock,
    log,
    redact,
    requestsPerMinute: 600,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  };
  const vectors = new Vectors(deps);
  return {
    folder,
    path,
    db,
    clock,
    vectors,
    deps,
    add: (...texts: string[]) => addTurns(db, texts),
    async fill() {
      vectors.kick();
      await vectors.settled();
    },
    /** Texts of the turns that are nearest to a question, or the notice. */
    async near(text: string, k = 3): Promise<string[] | string> {
      const asked = await vectors.forQuery(text, new AbortController().signal);
      if ("notice" in asked) return asked.notice;
      const textOf = db.prepare("SELECT text FROM turns WHERE id = ?");
      return [...nearestTurns(db, { ...asked, k }).keys()].map((id) => String(textOf.get(id)?.["text"]));
    },
    count: (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!["n"]),
    async close(keep = false) {
      await vectors.close();
      db.close();
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type VectorRig<C extends Clock> = ReturnType<typeof vectorRig<C>>;

export function openTestIndex(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { allowExtension: true });
  db.exec(PRAGMAS);
  const made = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'turns'").get();
  if (made === undefined) createSchema(db, {});
  return db;
}

/** Turns of one conversation, in order; answers their ids. */
export function addTurns(db: DatabaseSync, texts: readonly string[]): number[] {
  db.exec(
    "INSERT OR IGNORE INTO sources (id, path, kind, bytes, lines, prefix_sha, size, mtime) VALUES (1, 'sessions/a.jsonl', 'transcript', 0, 0, '', 0, 0)",
  );
  db.exec(
    "INSERT OR IGNORE INTO chunks (id, source_id, turn_from, turn_to, chars, sha) VALUES (1, 1, 0, 0, 0, '')",
  );
  const put = db.prepare(
    `INSERT INTO turns (source_id, chunk_id, pos, line, line_to, byte_start, byte_end, session, ts, role, speaker, origin, cjk, text)
      VALUES (1, 1, (SELECT coalesce(max(pos), -1) + 1 FROM turns), 1, 1, 0, 0, 'ses_a', 0, 'user', 'you', 'owner', 0, ?)`,
  );
  return texts.map((text) => Number(put.run(text).lastInsertRowid));
}
