/**
 * Texts as vectors. Two vectors can be compared only where they came from the same
 * embedder: provider, model, number of dimensions and the words put before a text.
 */

/** What the vector is for: some models want to be told a question from a passage. */
export const INPUT_TYPES = ["query", "document"] as const;
export type InputType = (typeof INPUT_TYPES)[number];

export type InputPrefixes = Readonly<Record<InputType, string>>;

export interface EmbedRequest {
  /** The provider's own model id, without the provider prefix. */
  readonly model: string;
  /** Never empty, and no text in it is; secrets are out already. */
  readonly texts: readonly string[];
  readonly inputType: InputType;
  /** In place of what is known of the model. */
  readonly prefixes?: InputPrefixes;
  /** Asked for, and asserted on every vector. */
  readonly dims?: number;
  readonly signal: AbortSignal;
}

export interface Embedded {
  /** As many as texts, in their order, all of the same length, all numbers finite. */
  readonly vectors: readonly Float32Array[];
  /** As the provider counted, else an estimate (characters / 4). */
  readonly tokens: number;
  /** The model id that the provider says it used. */
  readonly model: string;
}

const NO_PREFIXES: InputPrefixes = { query: "", document: "" };

/** Families whose makers ask for words before each text; without them they find markedly worse. */
const FAMILIES: readonly (readonly [RegExp, InputPrefixes])[] = [
  [/(^|[/-])e5-/, { query: "query: ", document: "passage: " }],
  [/nomic-embed-text/, { query: "search_query: ", document: "search_document: " }],
  [/embeddinggemma/, { query: "task: search result | query: ", document: "title: none | text: " }],
  [
    /mxbai-embed|bge-(small|base|large)-en/,
    { query: "Represent this sentence for searching relevant passages: ", document: "" },
  ],
];

export function prefixesOf(model: string): InputPrefixes {
  const name = model.toLowerCase();
  return FAMILIES.find(([family]) => family.test(name))?.[1] ?? NO_PREFIXES;
}
