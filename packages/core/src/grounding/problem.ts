/** What is wrong with a sentence, as a closed list. */
export const PROBLEM_KINDS = [
  "no-call",
  "not-succeeded",
  "other-deed",
  "count",
  "target",
  "amount",
  "approval",
  "not-verified",
  "not-read",
  "promise",
  "denial",
  "wrong-status",
  "unbacked",
  "made-up-citation",
  "wrong-citation",
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

export interface Problem {
  readonly kind: ProblemKind;
  /** The sentence as the model wrote it, shortened. */
  readonly sentence: string;
  /** Calls that speak against it. */
  readonly cites: readonly string[];
}
