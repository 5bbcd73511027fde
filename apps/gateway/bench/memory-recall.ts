/**
 * Asks every question of a file of conversations, each conversation in an index of its own, the way the
 * gateway searches and the ways it is compared with; prints what each found as JSON. Started by
 * `npm run bench -- memory <file>`, which cannot reach into the gateway itself:
 *
 *   node memory-recall.ts <file> [pooled]
 */
import { ask, askUnasked, goldOf, measure, TOKENS_MAX, type Found } from "./memory-answer.ts";
import { BASELINES, type BaselineName } from "./memory-baselines.ts";
import { indexCorpus, readCorpus, type CorpusIndex, type CorpusQuestion } from "./memory-corpus.ts";

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

function answer(index: CorpusIndex, question: CorpusQuestion) {
  const { ms, found } = ask(index, question);
  const gold = goldOf(question);
  const baselines = Object.fromEntries(
    Object.entries(BASELINES).map(([name, search]) => {
      const hits = search(index.db, question.question);
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
  const unasked = askUnasked(index, question);
  return { conv: question.conv, category: question.category, ms, elwood: found, unasked, ...baselines };
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
