import { prefixesOf, type Embedded, type InputType } from "@elwood/core/model/embedding";
import { failure, type Failure } from "@elwood/core/base/failure";
import { parseModelRef } from "@elwood/core/model/model";
import { err, type Result } from "@elwood/core/base/result";
import type { Models } from "@elwood/runtime/ports/ports";
import type { EmbeddingSettings } from "../settings.ts";
import type { VectorIdentity } from "./vector-space.ts";

/** The embedder that the owner chose, found anew for each request, since its key may change. */
export interface Embedder {
  readonly identity: VectorIdentity;
  embed(
    texts: readonly string[],
    inputType: InputType,
    signal: AbortSignal,
  ): Promise<Result<Embedded, Failure>>;
}

type Named = Pick<EmbeddingSettings, "model" | "dims" | "queryPrefix" | "documentPrefix">;

export function makeEmbedder(models: Models, settings: Named): Embedder {
  const ref = parseModelRef(settings.model);
  if (!ref.ok) throw new Error(ref.error);
  const { provider, model } = ref.value;
  const usual = prefixesOf(model);
  const prefixes = {
    query: settings.queryPrefix ?? usual.query,
    document: settings.documentPrefix ?? usual.document,
  };
  return {
    identity: { provider, model, prefixes },
    async embed(texts, inputType, signal) {
      const found = await models.resolve(settings.model);
      if (!found.ok) return found;
      const asked = { model, texts, inputType, prefixes, signal };
      const { dims } = settings;
      return (
        found.value.provider.embed?.({ ...asked, ...(dims === undefined ? {} : { dims }) }) ??
        err(
          failure(
            "BAD_REQUEST",
            `${provider} makes no embeddings. Nothing was sent. Name another in memory.embeddings.model.`,
          ),
        )
      );
    },
  };
}
