// Trains the classifier that reads the sentences of a reply, from the labelled rows beside this
// file, and writes packages/core/src/grounding/claim-weights.ts.
//
//   node scripts/grounding/main.ts                    train on all rows and write the weights
//   node scripts/grounding/main.ts --without de       how it does on a language it never saw; writes nothing
import { readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ClaimModel } from "@elwood/core/grounding/claim-model";
import { inPlace, readDraft } from "@elwood/core/grounding/sentences";
import { readRows, type Row } from "./rows.ts";
import { examplesOf, train } from "./train.ts";

const ROWS = fileURLToPath(new URL("rows/", import.meta.url));
const WEIGHTS = fileURLToPath(new URL("../../packages/core/src/grounding/claim-weights.ts", import.meta.url));

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

function write(): void {
  const examples = rows.flatMap(examplesOf);
  const weights = train(examples);
  const text = `// Written by scripts/grounding/main.ts from ${rows.length} labelled replies (${examples.length} sentences). Not to be edited.
import type { Weights } from "./claim-model.ts";

export const CLAIM_WEIGHTS: Weights = ${JSON.stringify(weights, null, 2)};
`;
  writeFileSync(WEIGHTS, text);
  console.log(`${rows.length} replies, ${examples.length} sentences, ${Math.round(text.length / 1024)} KB.`);
}

/** Wording alone, on replies without any call, where a claim is a claim too much. */
function leaveOut(left: string): void {
  const model = new ClaimModel(train(rows.filter(({ lang }) => lang !== left).flatMap(examplesOf)));
  const scoreOf = ({ reply, user }: Row) =>
    Math.max(0, ...model.read(inPlace(readDraft(reply), user), user).map(({ claims }) => claims));
  const seen = rows.filter(({ lang, activity }) => lang === left && activity.length === 0);
  const quiet = seen.filter(({ label }) => label === "no_claim").map(scoreOf);
  const claiming = seen.filter(({ label }) => label === "unsupported").map(scoreOf);
  for (const threshold of [0.5, 0.6, 0.7, 0.8]) {
    const share = (scores: readonly number[]) =>
      `${((100 * scores.filter((score) => score >= threshold).length) / Math.max(1, scores.length)).toFixed(1)} %`;
    console.log(
      `${left} left out, from ${threshold}: ${share(claiming)} of ${claiming.length} claims found, ${share(quiet)} of ${quiet.length} others suspected`,
    );
  }
}
