// Trains the two stages of the check of replies from the labelled rows beside this file, and writes
// packages/core/src/grounding/claim-weights.ts (what a sentence says) and decision-weights.ts
// (whether the calls bear it out).
//
//   node scripts/grounding/main.ts                    train on all rows and write the weights; then npm run format
//   node scripts/grounding/main.ts --without de       how it does on a language it never saw; writes nothing
import { readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Judge, type JudgeWeights } from "@elwood/core/grounding/judge";
import { readDraft } from "@elwood/core/grounding/sentences";
import { boost } from "./boost.ts";
import { callsOf, judgedSentences } from "./decide.ts";
import { readRows, type Row } from "./rows.ts";
import { examplesOf, train } from "./train.ts";

const ROWS = fileURLToPath(new URL("rows/", import.meta.url));
const WEIGHTS = fileURLToPath(new URL("../../packages/core/src/grounding/", import.meta.url));

const rows = readdirSync(ROWS)
  .filter((name) => name.endsWith(".jsonl"))
  .toSorted()
  .flatMap((name) => readRows(ROWS + name));
const [option, language] = process.argv.slice(2);
if (option === "--without" && language !== undefined) leaveOut(language);
else if (option === undefined) write();
else {
  console.error(`Unknown option ${option}. Usage: node scripts/grounding/main.ts [--without <language>]`);
  process.exitCode = 2;
}

function weightsFrom(learned: readonly Row[]): JudgeWeights {
  return { claims: train(learned.flatMap(examplesOf)), decision: boost(judgedSentences(learned)) };
}

function write(): void {
  const { claims, decision } = weightsFrom(rows);
  const head = `// Written by scripts/grounding/main.ts from ${rows.length} labelled replies. Not to be edited.`;
  const files = {
    "claim-weights.ts": `${head}
import type { Weights } from "./claim-model.ts";

export const CLAIM_WEIGHTS: Weights = ${JSON.stringify(claims, null, 2)};
`,
    "decision-weights.ts": `${head}
import type { PackedTrees } from "./trees.ts";

export const DECISION_WEIGHTS: PackedTrees = ${JSON.stringify(decision)};
`,
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(WEIGHTS + name, text);
    console.log(`${name}: ${Math.round(text.length / 1024)} KB from ${rows.length} replies.`);
  }
}

/** Replies in a language of which neither stage has seen any. */
function leaveOut(left: string): void {
  const judge = new Judge(weightsFrom(rows.filter(({ lang }) => lang !== left)));
  const isMarked = (row: Row) =>
    judge
      .judge(judge.read(readDraft(row.reply), row.user, callsOf(row)))
      .some((found) => found !== undefined);
  const seen = rows.filter(({ lang }) => lang === left);
  for (const label of ["no_claim", "supported", "unsupported"] as const) {
    const of = seen.filter((row) => row.label === label);
    const marked = of.filter(isMarked).length;
    console.log(
      `${left} left out, ${label}: ${marked} of ${of.length} marked = ${((100 * marked) / Math.max(1, of.length)).toFixed(1)} %`,
    );
  }
}
