import type { Redactor } from "@elwood/core/base/redact";
import type { Clock, Log, Models } from "@elwood/runtime/ports/ports";
import type { LoadedConfig } from "../config/load.ts";
import { SemanticSearch } from "@elwood/memory/search/semantic-search";

/** Finding by meaning, as the configuration has it; undefined where it names no embedder. */
export function makeSemanticSearch(
  { config, paths }: Pick<LoadedConfig, "config" | "paths">,
  models: Models,
  deps: { readonly clock: Clock; readonly log: Log; readonly redact: Redactor },
): SemanticSearch | undefined {
  const { embeddings: settings, fusion } = config.memory;
  if (settings === undefined) return undefined;
  const { providers, prices } = config;
  return new SemanticSearch({
    settings,
    fusion,
    models,
    providers,
    prices,
    costsPath: paths.memoryCosts,
    ...deps,
  });
}
