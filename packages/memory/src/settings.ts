/** How the lists of the two searches are put together. */
export const MEMORY_FUSIONS = ["rrf", "linear"] as const;
export type MemoryFusion = (typeof MEMORY_FUSIONS)[number];

export const EMBEDDINGS_DEFAULTS = { capUsd: 1, requestsPerMinute: 60, queryTimeoutMs: 1_500 } as const;

/** Who turns texts into vectors, and what that may cost. */
export interface EmbeddingSettings {
  readonly model: string;
  readonly dims?: number | undefined;
  readonly pricePerMTokens?: number | undefined;
  readonly capUsd: number;
  readonly requestsPerMinute: number;
  readonly queryTimeoutMs: number;
  readonly queryPrefix?: string | undefined;
  readonly documentPrefix?: string | undefined;
}
