/**
 * How what is found by meaning is best weighed in: asks every question of a file of conversations by words
 * alone and with vectors, fused in two ways. No embedder is needed: the vectors are those of latent semantic
 * analysis, trained on each conversation itself. They stand in for an embedder's and say little of how good one is.
 *
 *   node memory-vectors.ts <file>
 */
import { STOP_WORDS } from "@elwood/core/memory/word-lists";
import { fused } from "@elwood/memory/search/hybrid-search";
import { searchTurns, type SearchOptions } from "@elwood/memory/search/search-turns";
import { Best, dot } from "@elwood/memory/index/vector-math";
import { VECTOR_LIMITS } from "@elwood/memory/index/limits";
import { latentVectors } from "./latent-vectors.ts";
import { indexCorpus, readCorpus, type Conversation } from "./memory-corpus.ts";

const TOP = 10;
const RANKED_MAX = 50;
const CATEGORIES = [1, 2, 3, 4];

const [file = ""] = process.argv.slice(2);
const sums = new Map<string, { questions: number; top10: number; reciprocal: number }>();
for (const conversation of readCorpus(file)) ask(conversation);
const rows = [...sums].map(([name, { questions, top10, reciprocal }]) => [
  name,
  { recallAt10: percent(top10 / questions), mrr: percent(reciprocal / questions) / 100, questions },
]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);

function ask(conversation: Conversation): void {
  const { db, now } = indexCorpus([conversation]);
  const turns = db.prepare("SELECT id, run, text FROM turns ORDER BY id").all() as {
    id: number;
    run: string;
    text: string;
  }[];
  // Trained on each turn with those beside it: which words keep company is what there is to learn.
  const beside = turns.map((_, at) =>
    turns
      .slice(Math.max(0, at - 1), at + 2)
      .map(({ text }) => text)
      .join("\n"),
  );
  const names = new Set(conversation.turns.map(({ speaker }) => speaker.toLowerCase()));
  const embed = latentVectors(beside, new Set([...STOP_WORDS, ...names]));
  const vectors = turns.map(({ text }) => embed(text));
  for (const { question, evidence, category, conv } of conversation.questions) {
    if (evidence.length === 0 || !CATEGORIES.includes(category)) continue;
    const gold = new Set(evidence.map((id) => `${conv} ${id}`));
    const asked = embed(question);
    const best = new Best(VECTOR_LIMITS.nearest);
    for (const [at, { id }] of turns.entries()) best.offer(id, dot(asked, vectors[at]!));
    const near = new Map(best.list().map(({ id, score }) => [id, score]));
    const runOf = new Map(turns.map(({ id, run }) => [id, run]));
    note(
      "meaning alone",
      gold,
      [...near.keys()].map((id) => runOf.get(id) ?? ""),
    );
    const search = (name: string, options: SearchOptions) =>
      note(
        name,
        gold,
        searchTurns(db, { text: question, limit: RANKED_MAX, now }, options).map(
          ({ turn }) => turn.run ?? "",
        ),
      );
    search("words alone", {});
    search("words and meaning, linear", fused(near, "linear"));
    search("words and meaning, rrf", fused(near, "rrf"));
  }
  db.close();
}

function note(name: string, gold: ReadonlySet<string>, ranked: readonly string[]): void {
  const sum = sums.get(name) ?? { questions: 0, top10: 0, reciprocal: 0 };
  const first = ranked.slice(0, RANKED_MAX).findIndex((run) => gold.has(run));
  sum.questions += 1;
  sum.top10 += ranked.slice(0, TOP).filter((run) => gold.has(run)).length / gold.size;
  sum.reciprocal += first < 0 ? 0 : 1 / (first + 1);
  sums.set(name, sum);
}

function percent(share: number): number {
  return Math.round(share * 10_000) / 100;
}
