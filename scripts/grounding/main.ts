// Trains the two stages of the check of replies from the labelled rows beside this file, and writes
// packages/core/src/grounding/claim-weights.ts (what a sentence says) and decision-weights.ts
// (whether the calls bear it out).
//
//   node scripts/grounding/main.ts                    train on all rows and write the weights; then npm run format
//   node scripts/grounding/main.ts --check            train, write nothing, and say whether the weights in the repository are these
//   node scripts/grounding/main.ts --held-out         how it does on each fifth of the rows, trained on the others; writes nothing
//   node scripts/grounding/main.ts --without de,nl    how it does on languages left out, one at a time (all: every one); writes nothing
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Judge, type JudgeWeights } from "@elwood/core/grounding/judge";
import { readDraft } from "@elwood/core/grounding/sentences";
import { boost } from "./boost.ts";
import { callsOf, foldsOf, readBy } from "./decide.ts";
import { partHash, weightsFrom } from "./part.ts";
import { allRows, decisionRows, rowsHash, type Row } from "./rows.ts";
import { examplesOf, train } from "./train.ts";

const WEIGHTS = fileURLToPath(new URL("../../packages/core/src/grounding/", import.meta.url));

const rows = allRows();
const decision = decisionRows();
const [option, languages] = process.argv.slice(2);
if (option === "--without" && languages !== undefined) leaveOut(languages);
else if (option === "--held-out") holdOut();
else if (option === "--check") check();
else if (option === undefined) write();
else {
  console.error(
    `Unknown option ${option}. Usage: node scripts/grounding/main.ts [--check | --held-out | --without <languages>]`,
  );
  process.exitCode = 2;
}

/** The files as training writes them; the formatter then changes how they look, and nothing else. */
function filesOf(weights: JudgeWeights): Readonly<Record<string, string>> {
  const head = `// Written by scripts/grounding/main.ts from ${rows.length + decision.length} labelled replies. Not to be edited.
// Rows: sha256 ${rowsHash()}
// A part of the training: sha256 ${partHash({ rows, decision }, weights.claims)}`;
  return {
    "claim-weights.ts": `${head}
import type { Weights } from "./claim-model.ts";

export const CLAIM_WEIGHTS: Weights = ${JSON.stringify(weights.claims, null, 2)};
`,
    "decision-weights.ts": `${head}
import type { PackedTrees } from "./trees.ts";

export const DECISION_WEIGHTS: PackedTrees = ${JSON.stringify(weights.decision)};
`,
  };
}

function write(): void {
  for (const [name, text] of Object.entries(filesOf(weightsFrom({ rows, decision })))) {
    writeFileSync(WEIGHTS + name, text);
    console.log(
      `${name}: ${Math.round(text.length / 1000)} KB from ${rows.length + decision.length} replies.`,
    );
  }
}

function check(): void {
  const bare = (text: string) => text.replace(/["\s,]/gu, "");
  for (const [name, text] of Object.entries(filesOf(weightsFrom({ rows, decision })))) {
    const same = bare(readFileSync(WEIGHTS + name, "utf8")) === bare(text);
    console.log(`${name}: ${same ? "the same" : "OTHER than training makes it"}.`);
    if (!same) process.exitCode = 1;
  }
}

/**
 * Replies in a language of which the first stage has seen none, and the second no sentence. What
 * the second learns from are sentences of other languages, as read by first stages that had seen it.
 */
function leaveOut(named: string): void {
  const known = [...new Set(rows.map(({ lang }) => lang))].toSorted();
  const folds = foldsOf(rows);
  for (const left of named === "all" ? known : named.split(",")) {
    const others = rows.filter(({ lang }) => lang !== left);
    const claims = train(others.flatMap(examplesOf));
    const kept = [...folds.flatMap(({ sentences }) => sentences), ...readBy(claims, decision)];
    const judge = new Judge({ claims, decision: boost(kept.filter(({ lang }) => lang !== left)) });
    const seen = rows.filter(({ lang }) => lang === left);
    tell(`${left} left out`, seen, new Set(seen.filter((row) => isMarked(judge, row))));
  }
}

/** Each fifth of the rows by weights that were trained on the others. */
function holdOut(): void {
  const folds = foldsOf(rows);
  const marked = folds.flatMap((fold) => {
    const others = folds.filter((other) => other !== fold).flatMap(({ sentences }) => sentences);
    const beside = readBy(fold.claims, decision);
    const judge = new Judge({ claims: fold.claims, decision: boost([...others, ...beside]) });
    return fold.rows.filter((row) => isMarked(judge, row));
  });
  tell("held out", rows, new Set(marked));
}

function isMarked(judge: Judge, row: Row): boolean {
  return judge
    .judge(judge.read(readDraft(row.reply), row.user, callsOf(row)))
    .some((found) => found !== undefined);
}

function tell(what: string, seen: readonly Row[], marked: ReadonlySet<Row>): void {
  for (const label of ["no_claim", "supported", "unsupported"] as const) {
    const of = seen.filter((row) => row.label === label);
    const found = of.filter((row) => marked.has(row)).length;
    const share = ((100 * found) / Math.max(1, of.length)).toFixed(1);
    console.log(`${what}, ${label}: ${found} of ${of.length} marked = ${share} %`);
  }
}
