import { contextTokensOf, type ContextRow } from "@elwood/core/model/context-window";
import { LIMITS } from "@elwood/core/base/limits";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { Credentials } from "./credentials.ts";
import { detectLocal } from "@elwood/providers/detect-local-models";
import { KNOWN_PROVIDERS, knownProvider, providerTitle } from "@elwood/providers/known-providers";
import { listModels } from "@elwood/providers/list-models";
import { planProvider, type ProviderSetting } from "@elwood/providers/models";

export interface ConnectedModelsDeps {
  readonly credentials: Pick<Credentials, "lookup" | "endpoint" | "providersWithKey">;
  readonly providers: Readonly<Record<string, ProviderSetting>>;
  readonly contextWindows: readonly ContextRow[];
  readonly clock: Clock;
}

type Provider = MethodResult<"models.list">["providers"][number];

interface Listed {
  readonly models: readonly string[];
  readonly problem?: string;
}

/**
 * Models that could answer now: what each provider with a key lists, and what servers on this
 * machine have. Lists are kept for a while, so that a menu opened twice asks once; one that
 * could not be had leaves the provider's usual model, and is asked for again the next time.
 */
export function connectedModels(deps: ConnectedModelsDeps): () => Promise<Provider[]> {
  const { credentials, providers, clock } = deps;
  const kept = new Map<string, { readonly at: number; readonly models: readonly string[] }>();

  async function listed(id: string): Promise<Listed> {
    const usual = knownProvider(id)?.model;
    const plan = planProvider(id, { ...providers, [id]: await credentials.endpoint(id) });
    const credential = await credentials.lookup(id);
    if (!plan.ok || !credential.ok) return { models: usual === undefined ? [] : [usual] };
    const key = JSON.stringify([id, plan.value.baseUrl, credential.value?.secret]);
    const known = kept.get(key);
    if (known && clock.now() - known.at < LIMITS.modelListKeptMs) return { models: known.models };
    const found = await listModels(plan.value, credential.value, clock, LIMITS.modelListMs);
    if (!found.ok) return { models: usual === undefined ? [] : [usual], problem: found.error.message };
    const models = usualFirst(
      found.value.filter((model) => answersInWords(id, model)),
      usual,
    );
    kept.delete(key);
    const oldest = kept.keys().next();
    if (kept.size >= LIMITS.modelClientsMax && !oldest.done) kept.delete(oldest.value);
    kept.set(key, { at: clock.now(), models });
    return { models };
  }

  const shown = (id: string, { models, problem }: Listed): Provider => ({
    provider: id,
    name: providerTitle(id),
    models: models.slice(0, LIMITS.providerModelsMax).map((model) => {
      const tokens = contextTokensOf({ provider: id, model }, deps.contextWindows);
      return { model: `${id}/${model}`, ...(tokens === undefined ? {} : { contextTokens: tokens }) };
    }),
    ...(models.length > LIMITS.providerModelsMax
      ? { leftOut: models.length - LIMITS.providerModelsMax }
      : {}),
    ...(problem === undefined ? {} : { problem }),
  });

  return async () => {
    // A server of the owner's own may want no key; those on this machine are looked for.
    const own = Object.keys(providers).filter(
      (id) => providers[id]?.baseUrl !== undefined && !knownProvider(id),
    );
    const withKey = new Set([...(await credentials.providersWithKey()), ...own]);
    const local = LOCAL.filter((id) => !withKey.has(id)).map((name) => ({
      name,
      baseUrl: providers[name]?.baseUrl ?? KNOWN_PROVIDERS[name]?.baseUrl ?? "",
    }));
    const [asked, found] = await Promise.all([
      Promise.all([...withKey].map(async (id) => shown(id, await listed(id)))),
      detectLocal(local),
    ]);
    return [...asked, ...found.map(({ provider, models }) => shown(provider, { models }))];
  };
}

const LOCAL = ["ollama", "lmstudio"];

/** Providers list what draws, hears and embeds beside what talks. */
function answersInWords(provider: string, model: string): boolean {
  if (provider !== "openai") return true;
  return (
    /^(gpt-|o[1-9]|chatgpt-|ft:)/.test(model) &&
    !/image|audio|realtime|transcribe|tts|search|instruct/.test(model)
  );
}

/** The usual model is there even where the provider calls it by a longer name. */
function usualFirst(models: readonly string[], usual: string | undefined): readonly string[] {
  if (usual === undefined) return models;
  return [usual, ...models.filter((model) => model !== usual)];
}
