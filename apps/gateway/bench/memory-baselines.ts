import type { DatabaseSync } from "node:sqlite";
import { turnTokens } from "@elwood/core/memory/budget";
import { queryWords, wordsOf } from "@elwood/core/memory/query-words";

/** What others do, over the same rows: ranked turns by their run, best first. */
export const BASELINES = { substring, fts5Default, bm25 } as const;
export type BaselineName = keyof typeof BASELINES;

export interface BaselineHit {
  readonly run: string;
  readonly tokens: number;
}

const HITS_MAX = 200;
const SUBSTRING_CHARS_MIN = 3;

/** Any word of the question anywhere in the text; more words first, then the newest. */
function substring(db: DatabaseSync, question: string): BaselineHit[] {
  const words = [...new Set(wordsOf(question))].filter((word) => word.length >= SUBSTRING_CHARS_MIN);
  return db
    .prepare("SELECT run, speaker, text FROM turns ORDER BY ts DESC, id DESC")
    .all()
    .map((row) => {
      const text = String(row["text"]).toLowerCase();
      return { row, score: words.filter((word) => text.includes(word)).length };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, HITS_MAX)
    .map(({ row }) => hitOf(row));
}

/** The question's words as they are, which FTS5 takes as "all of them". */
function fts5Default(db: DatabaseSync, question: string): BaselineHit[] {
  return matched(
    db,
    wordsOf(question)
      .map((word) => `"${word}"`)
      .join(" "),
  );
}

/** Plain BM25: stop words out, the rest joined by OR, Porter's stemmer. */
function bm25(db: DatabaseSync, question: string): BaselineHit[] {
  return matched(
    db,
    queryWords(question)
      .words.map(({ word }) => `"${word}"`)
      .join(" OR "),
  );
}

function matched(db: DatabaseSync, expression: string): BaselineHit[] {
  if (expression === "") return [];
  return db
    .prepare(
      `SELECT t.run, t.speaker, t.text FROM turns_fts JOIN turns t ON t.id = turns_fts.rowid
        WHERE turns_fts MATCH ? ORDER BY turns_fts.rank LIMIT ?`,
    )
    .all(expression, HITS_MAX)
    .map(hitOf);
}

function hitOf(row: Readonly<Record<string, unknown>>): BaselineHit {
  const turn = { text: String(row["text"]), speaker: String(row["speaker"]) };
  return { run: String(row["run"]), tokens: turnTokens(turn) };
}
