import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { DatabaseSync } from "node:sqlite";
import { IndexWriter } from "@elwood/memory/index/index-writer";
import { createSchema, PRAGMAS } from "@elwood/memory/index/schema";
import type { TurnDraft } from "@elwood/memory/turn-draft";

export interface CorpusTurn {
  readonly type: "turn";
  readonly conv: string;
  readonly session: number;
  /** Local time without a zone; read as UTC. */
  readonly date: string;
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  readonly caption?: string;
}

export interface CorpusQuestion {
  readonly type: "question";
  readonly conv: string;
  readonly qid: string;
  readonly category: number;
  readonly question: string;
  readonly evidence: readonly string[];
}

export interface Conversation {
  readonly name: string;
  readonly turns: readonly CorpusTurn[];
  readonly questions: readonly CorpusQuestion[];
}

const DAY_MS = 86_400_000;

/** Lines of JSON, packed or not, in the form that docs/benchmarks.md describes. */
export function readCorpus(file: string): Conversation[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as CorpusTurn | CorpusQuestion);
  return [...new Set(lines.map(({ conv }) => conv))].map((name) => ({
    name,
    turns: lines.filter((line) => line.type === "turn" && line.conv === name) as CorpusTurn[],
    questions: lines.filter((line) => line.type === "question" && line.conv === name) as CorpusQuestion[],
  }));
}

export interface CorpusIndex {
  readonly db: DatabaseSync;
  /** A day after the last word; the questions say no date of their own. */
  readonly now: number;
}

/** An index in memory with one file for each session, written as the gateway writes it. */
export function indexCorpus(conversations: readonly Conversation[]): CorpusIndex {
  const db = new DatabaseSync(":memory:");
  db.exec(PRAGMAS);
  createSchema(db, {});
  const writer = new IndexWriter(db);
  let last = 0;
  writer.transaction(() => {
    for (const { name, turns } of conversations) {
      for (const session of new Set(turns.map((turn) => turn.session))) {
        const source = writer.addSource(`sessions/${name}/${session}.jsonl`, "transcript");
        const drafts = turns.filter((turn) => turn.session === session).map(draftOf);
        writer.addTurns(source.id, drafts);
        last = Math.max(last, ...drafts.map(({ ts }) => ts));
      }
    }
  });
  return { db, now: last + DAY_MS };
}

/** What is known of a picture stands with the words it was sent with. The turn's own id goes along as its run. */
function draftOf(turn: CorpusTurn, index: number): TurnDraft {
  return {
    line: index + 1,
    lineTo: index + 1,
    byteStart: 0,
    byteEnd: 0,
    session: `${turn.conv}/${turn.session}`,
    run: `${turn.conv} ${turn.id}`,
    ts: Date.parse(`${turn.date}Z`),
    role: "user",
    speaker: turn.speaker,
    origin: "owner",
    text: turn.caption === undefined ? turn.text : `${turn.text} [photo: ${turn.caption}]`,
  };
}
