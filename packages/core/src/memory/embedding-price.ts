import { formatModelRef, type ModelRef } from "../model/model.ts";
import { priceOf, type PriceRow } from "../model/price.ts";

/** US dollars for a million tokens, as listed; an estimate for caps, never a bill. */
const LISTED: Readonly<Record<string, number>> = {
  "openai/text-embedding-3-small": 0.02,
  "openai/text-embedding-3-large": 0.13,
  "openai/text-embedding-ada-002": 0.1,
};

const FREE_PROVIDERS: readonly string[] = ["ollama", "lmstudio", "vllm"];

export interface EmbeddingPriceFacts {
  /** What the owner says it costs. */
  readonly set?: number | undefined;
  /** The owner's rows of prices. */
  readonly rows?: readonly PriceRow[];
  /** The server is on the owner's own machine. */
  readonly local?: boolean;
}

/** undefined where nobody knows: then nothing may be spent, since no cap could hold. */
export function embeddingPrice(ref: ModelRef, facts: EmbeddingPriceFacts = {}): number | undefined {
  if (facts.set !== undefined) return facts.set;
  // Rows for chat models of a maker (`openai/*`) are not for its embedders: only the owner's own count.
  const own = facts.rows && facts.rows.length > 0 ? ownRow(ref, facts.rows) : undefined;
  if (own !== undefined) return own;
  if (facts.local === true || FREE_PROVIDERS.includes(ref.provider)) return 0;
  return LISTED[formatModelRef(ref)];
}

function ownRow(ref: ModelRef, rows: readonly PriceRow[]): number | undefined {
  const row = rows.find(({ match }) => priceOf(ref, [{ match, input: -1, output: 0 }])?.input === -1);
  return row?.input;
}
