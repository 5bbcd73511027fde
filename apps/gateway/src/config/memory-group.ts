import { EMBEDDINGS_DEFAULTS, MEMORY_FUSIONS } from "@elwood/memory/settings";
import { z } from "zod";
import { group, numberFrom, oneOf, wholeNumber, words, yesOrNo } from "./leaves.ts";
import { modelRef } from "./model-setting.ts";

/** About four characters each. */
const RECALL_TOKENS = { default: 1_000, max: 8_000 } as const;

export const MEMORY_DEFAULTS = {
  enabled: true,
  fusion: "linear",
  recall: { tokens: RECALL_TOKENS.default },
} as const;

/** What sqlite-vec can hold in a row. */
const DIMS_MAX = 8_192;

/** What is remembered, and who turns it into vectors. Without `embeddings` nothing leaves this machine for it. */
export const memoryGroups = {
  memory: () =>
    group({
      enabled: yesOrNo().default(MEMORY_DEFAULTS.enabled),
      embeddingModel: words("a model").optional(),
      fusion: oneOf(MEMORY_FUSIONS).default(MEMORY_DEFAULTS.fusion),
      recall: group({
        tokens: wholeNumber(0, RECALL_TOKENS.max).default(RECALL_TOKENS.default),
      }).default(MEMORY_DEFAULTS.recall),
      embeddings: group({
        model: modelRef("ollama/nomic-embed-text"),
        dims: wholeNumber(1, DIMS_MAX).optional(),
        pricePerMTokens: numberFrom(0).optional(),
        capUsd: numberFrom(0).default(EMBEDDINGS_DEFAULTS.capUsd),
        requestsPerMinute: wholeNumber(1, 10_000).default(EMBEDDINGS_DEFAULTS.requestsPerMinute),
        queryTimeoutMs: wholeNumber(50, 60_000).default(EMBEDDINGS_DEFAULTS.queryTimeoutMs),
        queryPrefix: z.string({ error: "must be text" }).optional(),
        documentPrefix: z.string({ error: "must be text" }).optional(),
      }).optional(),
    }),
};
