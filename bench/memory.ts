import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchOptions, BenchReport, BenchRow } from "./main.ts";
import { quantile } from "./processes.ts";

const RECALL = fileURLToPath(new URL("../apps/gateway/bench/memory-recall.ts", import.meta.url));
const FIT = fileURLToPath(new URL("../apps/gateway/bench/memory-fit.ts", import.meta.url));
const GROWTH = fileURLToPath(new URL("../apps/gateway/bench/memory-growth.ts", import.meta.url));

const RECALL_MIN = 80;
const MRR_MIN = 0.62;
const EVIDENCE_MIN = 84;
const P95_MAX_MS = 25;
/** How large an index is made to see how times grow. A million takes minutes: `--scale 1000000`. */
const SCALES = [10_000, 100_000];
const P95_SCALE = 10_000;
const QUESTIONS = 200;
const ADVERSARIAL = 5;
/** Those that were looked at while the weights were chosen. What is not among them is shown apart. */
const CHOSEN_ON = new Set(["conv-26", "conv-30", "conv-41", "conv-42", "conv-43"]);
const WAYS = ["elwood", "bm25", "fts5Default", "substring"] as const;
const KINDS: Readonly<Record<number, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop",
  5: "adversarial",
};

type Way = (typeof WAYS)[number];

interface Found {
  readonly top10: number;
  readonly reciprocal: number;
  readonly evidence: number;
}

type Answer = {
  readonly conv: string;
  readonly category: number;
  readonly ms: number;
  /** What is put before a model without anybody having asked for it: the share of gold turns, and turns in all. */
  readonly unasked: { readonly share: number; readonly turns: number };
} & Readonly<Record<Way, Found>>;

/** Weights fitted on all conversations but one: what they find in those, and in the one left out. */
interface Fold {
  readonly conv: string;
  readonly weights: Readonly<Record<string, number>>;
  readonly chosenOn: readonly FitAnswer[];
  readonly unseen: readonly FitAnswer[];
}

type FitAnswer = { readonly conv: string; readonly category: number; readonly elwood: Found };

interface Growth {
  readonly turns: number;
  readonly indexMs: number;
  readonly appendMs: number;
  readonly bytes: number;
  readonly times: readonly number[];
}

/** Recall and evidence in percent, MRR as a fraction. */
interface Scores {
  readonly questions: number;
  readonly recallAt10: number;
  readonly mrr: number;
  readonly evidenceIn1000Tokens: number;
}

/**
 * How much of what was said is found again: for each question of a file of conversations the turns that hold its
 * answer are known. Without a key and without a model, by the gateway's own search, beside three plainer
 * ways in the same run over the same rows; and how times grow with the size of the index.
 *
 * With `--leave-one-out` the weights are fitted anew for each conversation, on the others alone, and `chosenOn` and
 * `unseen` say what such weights find where they were fitted and where they were not. Without it they part the
 * conversations by whether they were looked at while the project's own weights were chosen.
 */
export async function bench([file]: readonly string[], options: BenchOptions): Promise<BenchReport> {
  if (file === undefined)
    throw new Error("Name the file of conversations: npm run bench -- memory <file.jsonl.gz>");
  const answers = await run<Answer[]>(RECALL, file);
  const told = answers.filter(({ category }) => category !== ADVERSARIAL);
  const headline = scores(told, "elwood");
  const baselines = Object.fromEntries(
    WAYS.filter((way) => way !== "elwood").map((way) => [way, scores(told, way)]),
  );
  const folds = options["leave-one-out"] === true ? await run<Fold[]>(FIT, file) : undefined;
  const groups: Readonly<Record<"chosenOn" | "unseen", readonly FitAnswer[]>> = folds
    ? { chosenOn: folds.flatMap((fold) => fold.chosenOn), unseen: folds.flatMap((fold) => fold.unseen) }
    : {
        chosenOn: told.filter(({ conv }) => CHOSEN_ON.has(conv)),
        unseen: told.filter(({ conv }) => !CHOSEN_ON.has(conv)),
      };
  const growth = await grow(options["scale"]);
  const atScale = growth.find(({ turns }) => turns === P95_SCALE);
  return {
    name: "memory",
    ...headline,
    baselines,
    adversarial: scores(
      answers.filter(({ category }) => category === ADVERSARIAL),
      "elwood",
    ),
    chosenOn: scores(groups.chosenOn, "elwood"),
    unseen: scores(groups.unseen, "elwood"),
    ...(folds ? { leaveOneOut: folds.map(foldScores) } : {}),
    byCategory: by(answers, ({ category }) => KINDS[category] ?? String(category)),
    byConversation: by(told, ({ conv }) => conv),
    unasked: unasked(told),
    searchMs: spread(answers.map(({ ms }) => ms)),
    growth: growth.map(({ times, ...each }) => ({ ...each, ...spread(times) })),
    rows: [
      ...goalRows(headline, baselines),
      unaskedRow(told),
      ...groupRow(
        folds ? "  fitted anew, asked where fitted" : "  conversations that weights were chosen on",
        groups.chosenOn,
      ),
      ...groupRow(folds ? "  fitted anew, asked the one left out" : "  other conversations", groups.unseen),
      ...Object.entries(by(answers, ({ category }) => KINDS[category] ?? String(category))).map(scoreRow),
      ...Object.entries(by(told, ({ conv }) => conv)).map(scoreRow),
      ...growth.map((each): BenchRow => growthRow(each, each === atScale)),
    ],
  };
}

function goalRows(headline: Scores, baselines: Readonly<Record<string, Scores>>): BenchRow[] {
  const beside = (of: (each: Scores) => string) =>
    Object.entries(baselines)
      .map(([way, each]) => `${way} ${of(each)}`)
      .join(", ");
  const row = (what: string, of: (each: Scores) => string, reach: string, ok: boolean): BenchRow => ({
    what,
    value: of(headline),
    baseline: beside(of),
    reach,
    ok,
  });
  return [
    row(
      "turn-level recall@10, %",
      (each) => each.recallAt10.toFixed(1),
      `≥ ${RECALL_MIN}`,
      headline.recallAt10 >= RECALL_MIN,
    ),
    row("mean reciprocal rank", (each) => each.mrr.toFixed(3), `≥ ${MRR_MIN}`, headline.mrr >= MRR_MIN),
    row(
      "evidence within 1,000 tokens, %",
      (each) => each.evidenceIn1000Tokens.toFixed(1),
      `≥ ${EVIDENCE_MIN}`,
      headline.evidenceIn1000Tokens >= EVIDENCE_MIN,
    ),
  ];
}

function unasked(answers: readonly Answer[]) {
  const mean = (of: (answer: Answer) => number) =>
    answers.reduce((sum, answer) => sum + of(answer), 0) / Math.max(1, answers.length);
  return {
    goldTold: 100 * mean((answer) => answer.unasked.share),
    turnsTold: mean((answer) => answer.unasked.turns),
    nothingTold: 100 * mean((answer) => (answer.unasked.turns === 0 ? 1 : 0)),
  };
}

function unaskedRow(answers: readonly Answer[]): BenchRow {
  const { goldTold, turnsTold, nothingTold } = unasked(answers);
  return {
    what: "told unasked: gold turns, %",
    value: goldTold.toFixed(1),
    baseline: `${turnsTold.toFixed(1)} turns a question; nothing for ${nothingTold.toFixed(1)} %`,
  };
}

function growthRow({ turns, indexMs, appendMs, bytes, times }: Growth, isGoal: boolean): BenchRow {
  const { p50, p95 } = spread(times);
  return {
    what: `search among ${turns.toLocaleString("en")} turns`,
    value: `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
    baseline: `indexed in ${(indexMs / 1_000).toFixed(1)} s, one more ${appendMs.toFixed(2)} ms, ${(bytes / 1e6).toFixed(0)} MB`,
    ...(isGoal ? { reach: `p95 ≤ ${P95_MAX_MS} ms`, ok: p95 <= P95_MAX_MS } : {}),
  };
}

function foldScores({ conv, weights, chosenOn, unseen }: Fold) {
  return { conv, chosenOn: scores(chosenOn, "elwood"), unseen: scores(unseen, "elwood"), weights };
}

function groupRow(what: string, answers: readonly FitAnswer[]): BenchRow[] {
  return answers.length === 0 ? [] : [{ ...scoreRow(["", scores(answers, "elwood")]), what }];
}

function scoreRow([what, { questions, recallAt10, mrr, evidenceIn1000Tokens }]: readonly [
  string,
  Scores,
]): BenchRow {
  return {
    what: `  ${what}`,
    value: `${recallAt10.toFixed(1)} / ${mrr.toFixed(3)} / ${evidenceIn1000Tokens.toFixed(1)}`,
    baseline: `${questions} questions`,
  };
}

function by(answers: readonly Answer[], key: (answer: Answer) => string): Record<string, Scores> {
  const groups = Map.groupBy(answers, key);
  return Object.fromEntries([...groups].map(([name, group]) => [name, scores(group, "elwood")]));
}

function scores<W extends Way>(answers: readonly Readonly<Record<W, Found>>[], way: W): Scores {
  const mean = (of: (found: Found) => number) =>
    answers.reduce((sum, answer) => sum + of(answer[way]), 0) / Math.max(1, answers.length);
  return {
    questions: answers.length,
    recallAt10: 100 * mean(({ top10 }) => top10),
    mrr: mean(({ reciprocal }) => reciprocal),
    evidenceIn1000Tokens: 100 * mean(({ evidence }) => evidence),
  };
}

function spread(times: readonly number[]): { readonly p50: number; readonly p95: number } {
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

/** `--scale 1000000` measures that size instead, `--scale 0` none. */
async function grow(scale: unknown): Promise<Growth[]> {
  const sizes = typeof scale === "string" ? [Number(scale)] : SCALES;
  const folder = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  try {
    const measured: Growth[] = [];
    for (const size of sizes.filter((each) => Number.isInteger(each) && each > 0))
      measured.push(await run<Growth>(GROWTH, folder, String(size), String(QUESTIONS)));
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run<T>(script: string, ...args: readonly string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], {
    maxBuffer: 256 * 1024 * 1024,
  });
  // Printed by the script itself, in this shape.
  return JSON.parse(stdout) as T;
}
