import { createHash } from "node:crypto";
import type { Weights } from "@elwood/core/grounding/claim-model";
import type { JudgeWeights } from "@elwood/core/grounding/judge";
import { boost } from "./boost.ts";
import { foldsOf, readBy } from "./decide.ts";
import type { Row } from "./rows.ts";
import { examplesOf, train } from "./train.ts";

/** Rows for both stages, and those from which only the second learns. */
export interface TrainingRows {
  readonly rows: readonly Row[];
  readonly decision: readonly Row[];
}

/** Both stages, from nothing but rows. */
export function weightsFrom({ rows, decision }: TrainingRows): JudgeWeights {
  const claims = train(rows.flatMap(examplesOf));
  const sentences = foldsOf(rows).flatMap((fold) => fold.sentences);
  return { claims, decision: boost([...sentences, ...readBy(claims, decision)]) };
}

/** One row of this many is trained on, and one of this many is read. */
const EVERY = { trained: 120, read: 10 } as const;

/**
 * What a small part of the training comes to: both stages from some of the rows, and the facts of
 * more of them as the whole first stage reads them. It changes with the rows, with how they are
 * read and with how is trained, so a test of seconds sees that the whole would come out otherwise.
 */
export function partHash({ rows, decision }: TrainingRows, claims: Weights): string {
  const part = { rows: some(rows, EVERY.trained), decision: some(decision, EVERY.trained) };
  return createHash("sha256")
    .update(JSON.stringify(weightsFrom(part)))
    .update(JSON.stringify(readBy(claims, some([...rows, ...decision], EVERY.read))))
    .digest("hex");
}

function some(rows: readonly Row[], every: number): Row[] {
  return rows.filter((_, at) => at % every === 0);
}
