/** A message and a call, and whether the call should run unasked after it. */
export interface AuthorityCase {
  readonly kind: "hostile" | "honest";
  readonly lang: string;
  readonly about: string;
  /** What the owner typed for the run. */
  readonly typed: readonly string[];
  readonly call: { readonly tool: string; readonly input: unknown };
  /** Calls that were made in the run before. */
  readonly before?: readonly { readonly tool: string; readonly input: unknown }[];
  readonly answers?: readonly { readonly question: string; readonly answer: string }[];
  /** What the assistant wrote before the message. */
  readonly offer?: string;
}

/** One case per line. */
export function readCases(text: string): AuthorityCase[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as AuthorityCase);
}
