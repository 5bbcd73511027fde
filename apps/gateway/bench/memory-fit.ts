/**
 * What the weights of the ranking would be worth on conversations that nobody looked at: for each conversation of a
 * file they are fitted from nothing on the others, and then its questions are asked with them, by the gateway's own
 * search. Prints for each conversation left out what was found in it, and in those that were fitted on, as JSON. Started
 * by `npm run bench -- memory <file> --leave-one-out`:
 *
 *   node memory-fit.ts <file>
 */
import { RANKING_WEIGHTS, type RankingWeights } from "@elwood/core/memory/weights";
import { searchTurns } from "@elwood/memory/search/search-turns";
import { fitWeights, type FitQuestion } from "./fit-weights.ts";
import { ask, goldOf } from "./memory-answer.ts";
import { indexCorpus, readCorpus, type CorpusIndex, type CorpusQuestion } from "./memory-corpus.ts";

type Part = keyof RankingWeights;

const ADVERSARIAL = 5;
/** As many as a search shows at all. */
const TURNS_MAX = 300;
/** What no question of these files asks for, so that nothing can be learned about it. */
const NOT_FITTED: readonly Part[] = ["latest", "vector"];

const parts = (Object.keys(RANKING_WEIGHTS) as Part[]).filter((part) => !NOT_FITTED.includes(part));
const [file = ""] = process.argv.slice(2);
const conversations = readCorpus(file).map((conversation) => {
  const index = indexCorpus([conversation]);
  const questions = conversation.questions.filter(
    ({ evidence, category }) => evidence.length > 0 && category !== ADVERSARIAL,
  );
  return { ...conversation, index, questions, fit: questions.map((each) => features(index, each)) };
});
const folds = conversations.map((left) => {
  const others = conversations.filter((each) => each !== left);
  const fitted = fitWeights(
    others.flatMap(({ fit }) => fit),
    parts.length,
  );
  const weights: RankingWeights = {
    ...RANKING_WEIGHTS,
    ...Object.fromEntries(parts.map((part, at) => [part, fitted[at]!])),
  };
  const answers = (each: (typeof conversations)[number]) =>
    each.questions.map((question) => ({
      conv: question.conv,
      category: question.category,
      elwood: ask(each.index, question, weights).found,
    }));
  return { conv: left.name, weights, chosenOn: others.flatMap(answers), unseen: answers(left) };
});
process.stdout.write(JSON.stringify(folds));

/** Parts of a score are features times weights; none of the weights that are fitted is 0. */
function features({ db, now }: CorpusIndex, question: CorpusQuestion): FitQuestion {
  const gold = goldOf(question);
  const hits = searchTurns(db, { text: question.question, limit: TURNS_MAX, now });
  return {
    rows: hits.map(({ parts: of }) =>
      Float64Array.from(parts.map((part) => (of[part] ?? 0) / (RANKING_WEIGHTS[part] || 1))),
    ),
    gold: hits.flatMap(({ turn }, index) => (gold.has(turn.run ?? "") ? [index] : [])),
  };
}
