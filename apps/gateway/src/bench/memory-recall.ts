/**
 * Asks every question of a file of conversations, each conversation in an index of its own, the way the
 * gateway searches and the ways it is compared with; prints what each found as JSON. Started by
 * `npm run bench -- memory <file>`, which cannot reach into the gateway itself:
 *
 *   node memory-recall.ts <file> [pooled]
 */
import { RECALL_HITS } from "@elwood/core/memory/weights";
import { searchTurns } from "../memory/search-turns.ts";
import { BASELINES, type BaselineName } from "./memory-baselines.ts";
import { indexCorpus, readCorpus, type CorpusIndex, type CorpusQuestion } from "./memory-corpus.ts";

const TOKENS_MAX = 1_000;
const TOP = 10;
const RANKED_MAX = 50;

/** Shares of the gold turns, and one over the place of the first. */
interface Found {
  readonly top10: number;
  readonly reciprocal: number;
  readonly evidence: number;
}

const [file = "", pooled] = process.argv.slice(2);
const conversations = readCorpus(file);
const whole = pooled === "pooled" ? indexCorpus(conversations) : undefined;
const answers = conversations.flatMap((conversation) => {
  const index = whole ?? indexCorpus([conversation]);
  const found = conversation.questions
    .filter(({ evidence }) => evidence.length > 0)
    .map((question) => answer(index, question));
  if (!whole) index.db.close();
  return found;
});
process.stdout.write(JSON.stringify(answers));

function answer({ db, now }: CorpusIndex, question: CorpusQuestion) {
  const gold = new Set(question.evidence.map((id) => `${question.conv} ${id}`));
  const began = performance.now();
  const ranked = searchTurns(db, { text: question.question, limit: RANKED_MAX, now });
  const ms = performance.now() - began;
  const handed = searchTurns(db, {
    text: question.question,
    limit: RECALL_HITS,
    tokensMax: TOKENS_MAX,
    now,
  }).flatMap(({ before, turn, after }) => [...before, turn, ...after]);
  const baselines = Object.fromEntries(
    Object.entries(BASELINES).map(([name, search]) => {
      const hits = search(db, question.question);
      return [
        name,
        measure(
          gold,
          hits.map(({ run }) => run),
          within(hits, TOKENS_MAX),
        ),
      ];
    }),
  ) as Record<BaselineName, Found>;
  return {
    conv: question.conv,
    category: question.category,
    ms,
    elwood: measure(
      gold,
      ranked.map(({ turn }) => turn.run ?? ""),
      handed.map(({ run }) => run ?? ""),
    ),
    ...baselines,
  };
}

function measure(gold: ReadonlySet<string>, ranked: readonly string[], handed: readonly string[]): Found {
  const first = ranked.slice(0, RANKED_MAX).findIndex((run) => gold.has(run));
  const share = (runs: readonly string[]) => new Set(runs.filter((run) => gold.has(run))).size / gold.size;
  return {
    top10: share(ranked.slice(0, TOP)),
    reciprocal: first < 0 ? 0 : 1 / (first + 1),
    evidence: share(handed),
  };
}

function within(hits: readonly { readonly run: string; readonly tokens: number }[], tokensMax: number) {
  let left = tokensMax;
  const handed: string[] = [];
  for (const { run, tokens } of hits) {
    left -= tokens;
    if (left < 0) break;
    handed.push(run);
  }
  return handed;
}
