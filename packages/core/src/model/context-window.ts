import { formatModelRef, type ModelRef } from "./model.ts";
import { matchesModel } from "./price.ts";

/** How many tokens a model takes at once, prompt and answer together. The first row that matches counts. */
export interface ContextRow {
  /** `provider/model`, `*` standing for anything. */
  readonly match: string;
  readonly tokens: number;
}

/**
 * Windows of models whose makers publish them; the owner's rows go before these. A model
 * with a larger one on request is listed with what it has without asking.
 */
const KNOWN: readonly ContextRow[] = [
  { match: "demo/*", tokens: 200_000 },
  { match: "*claude-2*", tokens: 100_000 },
  { match: "*claude-*", tokens: 200_000 },
  { match: "anthropic/*", tokens: 200_000 },
  { match: "*gpt-5*", tokens: 272_000 },
  { match: "*gpt-4.1*", tokens: 1_000_000 },
  { match: "*gpt-4o*", tokens: 128_000 },
  { match: "*gpt-4-turbo*", tokens: 128_000 },
  { match: "*gpt-4*", tokens: 8_192 },
  { match: "*gpt-3.5*", tokens: 16_385 },
  { match: "openai/o*", tokens: 200_000 },
  { match: "*gemini-*", tokens: 1_000_000 },
  { match: "*mistral-large*", tokens: 128_000 },
  { match: "*llama-3.1*", tokens: 128_000 },
  { match: "*llama-3.3*", tokens: 128_000 },
];

/** Servers on the owner's machine decide themselves how much of a model's window they give, so that its name says nothing. */
const OF_THE_SERVER: readonly string[] = ["ollama", "lmstudio", "llamacpp", "vllm", "local"];

/** undefined where nobody knows it. */
export function contextTokensOf(ref: ModelRef, own: readonly ContextRow[] = []): number | undefined {
  const set = rowFor(ref, own);
  if (set) return set.tokens;
  if (OF_THE_SERVER.includes(ref.provider)) return undefined;
  return rowFor(ref, KNOWN)?.tokens;
}

/** The first row that speaks of the model. */
export function rowFor(ref: ModelRef, rows: readonly ContextRow[]): ContextRow | undefined {
  const name = formatModelRef(ref).toLowerCase();
  return rows.find(({ match }) => matchesModel(match.toLowerCase(), name));
}
