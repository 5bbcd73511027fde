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
  /** Options of the assistant that the owner picked in the run. */
  readonly picked?: readonly string[];
  /** What the owner typed in the conversation before. */
  readonly earlier?: readonly string[];
  /** What people may call the thing that `path` names. */
  readonly described?: readonly string[];
  /** The words that the call puts into a text. */
  readonly adds?: readonly string[];
}

/** One case per line. */
export function readCases(text: string): AuthorityCase[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as AuthorityCase);
}
