/**
 * Fills an index on disk with so many made-up turns whose words are as unevenly frequent as those of a language,
 * and asks it questions; prints times as JSON. Started by `npm run bench -- memory`:
 *
 *   node memory-growth.ts <folder> <turns> <questions>
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { RECALL_HITS } from "@elwood/core/memory/weights";
import { IndexWriter } from "@elwood/memory/index/index-writer";
import { createSchema, PRAGMAS } from "@elwood/memory/index/schema";
import { searchTurns } from "@elwood/memory/search/search-turns";
import type { TurnDraft } from "@elwood/memory/turn-draft";
import { MadeUpTurns } from "./made-up-turns.ts";

const TURNS_PER_SESSION = 60;
const SESSIONS_PER_COMMIT = 20;
const WARM_UP = 5;
/** Each question is asked so often, and the median counts, since other work may run beside it. */
const ROUNDS = 3;
const START = Date.UTC(2016, 0, 1);
const TEN_YEARS_MS = 10 * 365.25 * 86_400_000;

const [folder = "", turnsWanted = "10000", questionsWanted = "100"] = process.argv.slice(2);
const total = Number(turnsWanted);
const made = new MadeUpTurns(7);
const file = join(folder, `memory-${total}.db`);
const db = new DatabaseSync(file);
db.exec(PRAGMAS);
createSchema(db, {});
const writer = new IndexWriter(db);
/** From the middle of what is remembered, so that each question has an answer. */
const questions: string[] = [];
const askEvery = Math.max(1, Math.floor(total / (Number(questionsWanted) + WARM_UP)));
const began = performance.now();
const perCommit = SESSIONS_PER_COMMIT * TURNS_PER_SESSION;
for (let first = 0; first < total; first += perCommit) {
  writer.transaction(() => {
    const until = Math.min(total, first + perCommit);
    for (let turn = first; turn < until;) turn += writeSession(turn);
  });
}
const indexMs = performance.now() - began;
const times: number[] = [];
const now = START + TEN_YEARS_MS;
for (const [index, text] of questions.entries()) {
  const rounds = Array.from({ length: ROUNDS }, () => searched(text));
  // The first few warm up the file's pages and the code.
  if (index >= WARM_UP) times.push(rounds.sort((a, b) => a - b)[ROUNDS >> 1]!);
}
const appendMs = appended();
db.close();
process.stdout.write(JSON.stringify({ turns: total, indexMs, appendMs, times, bytes: statSync(file).size }));

function searched(text: string): number {
  const started = performance.now();
  const limits = { limit: RECALL_HITS, tokensMax: 1_000 };
  searchTurns(db, { text, ...limits, now, exceptSession: "now", origins: ["owner", "agent"] });
  return performance.now() - started;
}

function writeSession(first: number): number {
  const session = `ses_${first}`;
  const source = writer.addSource(`sessions/bench/${session}.jsonl`, "transcript");
  const drafts = Array.from({ length: Math.min(TURNS_PER_SESSION, total - first) }, (_, index) => {
    const said = draft(session, index + 1, first + index);
    if ((first + index) % askEvery === 0) questions.push(made.questionAbout(said.text));
    return said;
  });
  writer.addTurns(source.id, drafts);
  return drafts.length;
}

function draft(session: string, line: number, turn: number): TurnDraft {
  const user = line % 2 === 1;
  return {
    line,
    lineTo: line,
    byteStart: 0,
    byteEnd: 0,
    session,
    run: `${session}-${line}`,
    ts: START + Math.floor((TEN_YEARS_MS * turn) / total),
    role: user ? "user" : "assistant",
    speaker: user ? "you" : "Elwood",
    origin: user ? "owner" : "agent",
    text: made.turn(),
  };
}

function appended(): number {
  const source = writer.addSource("sessions/bench/last.jsonl", "transcript");
  const each = Array.from({ length: 30 }, (_, index) => {
    const started = performance.now();
    writer.transaction(() => writer.addTurns(source.id, [draft("last", index + 1, total)]));
    return performance.now() - started;
  });
  return each.sort((a, b) => a - b)[15]!;
}
