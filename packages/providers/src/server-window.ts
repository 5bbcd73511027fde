import { LIMITS } from "@elwood/core/base/limits";
import type { Clock } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import { knownProvider } from "./known-providers.ts";
import type { Credential } from "./credential.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { authorization } from "./list-models.ts";
import type { ProviderPlan } from "./models.ts";

/** How much of a model's window its server gives: only the server knows, since its owner sets it there. */
export interface ServerWindows {
  /** What the server said last; asks nobody. */
  known(plan: ProviderPlan, credential: Credential | undefined, model: string): number | undefined;
  /** What it says now, or said a short while ago. undefined where it does not say. */
  ask(plan: ProviderPlan, credential: Credential | undefined, model: string): Promise<number | undefined>;
}

interface Told {
  readonly tokens: number;
  /** False for what the model could take: the server may have been started with less. */
  readonly sure: boolean;
}

interface Kept {
  readonly at: number;
  readonly told: Told | undefined;
}

/**
 * Asks servers for their windows, each in the format it speaks:
 *
 * - vLLM: `max_model_len` in `GET /v1/models`; other servers have `context_length` or `context_window` there.
 * - llama.cpp: `n_ctx` of `GET /props`, which is what one request gets.
 * - LM Studio: `loaded_context_length` in `GET /api/v0/models`, else `max_context_length`.
 * - Ollama: `context_length` of a loaded model in `GET /api/ps`, else `num_ctx` of its Modelfile in
 *   `POST /api/show`, else the length that the model was made for.
 *
 * A sure answer is kept for minutes; any other for seconds, since a model that is loaded in
 * between makes it sure.
 */
export function serverWindows(clock: Clock): ServerWindows {
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<Kept>>();

  const keyOf = (plan: ProviderPlan, credential: Credential | undefined, model: string) =>
    JSON.stringify([plan.id, credential?.baseUrl ?? plan.baseUrl, model]);

  async function askNow(key: string, ask: () => Promise<Told | undefined>): Promise<Kept> {
    const found: Kept = { at: clock.now(), told: await ask() };
    kept.delete(key);
    const oldest = kept.keys().next();
    if (kept.size >= LIMITS.modelClientsMax && !oldest.done) kept.delete(oldest.value);
    kept.set(key, found);
    asking.delete(key);
    return found;
  }

  return {
    known: (plan, credential, model) => windowOf(kept.get(keyOf(plan, credential, model))),
    async ask(plan, credential, model) {
      const key = keyOf(plan, credential, model);
      const known = kept.get(key);
      const keptMs = known?.told?.sure ? LIMITS.modelListKeptMs : LIMITS.modelWindowUnsureMs;
      if (known && clock.now() - known.at < keptMs) return windowOf(known);
      const asked = asking.get(key) ?? askNow(key, () => askServer(plan, credential, model));
      asking.set(key, asked);
      return windowOf(await asked);
    },
  };
}

/** What a model could take is a bound from above, and no more than that. */
function windowOf(kept: Kept | undefined): number | undefined {
  if (!kept?.told) return undefined;
  const { tokens, sure } = kept.told;
  return sure || tokens < LIMITS.contextTokensAssumed ? tokens : undefined;
}

async function askServer(
  plan: ProviderPlan,
  credential: Credential | undefined,
  model: string,
): Promise<Told | undefined> {
  const baseUrl = (credential?.baseUrl ?? plan.baseUrl).replace(/\/+$/, "");
  const root = baseUrl.replace(/\/v\d+$/, "");
  const get = (url: string, body?: unknown) => readJson(url, { plan, credential, body });
  const local = ["ollama", "lmstudio"].includes(plan.id);
  // A vendor's own service has nothing but its list; a server of the owner's may be any.
  const other = knownProvider(plan.id) === undefined;
  const listed = local ? undefined : ofList(await get(`${baseUrl}/models`), model);
  if (listed) return listed;
  const told = await Promise.all([
    other ? get(`${root}/props`).then(ofProps) : undefined,
    other || plan.id === "lmstudio"
      ? get(`${root}/api/v0/models`).then((list) => ofLmStudio(list, model))
      : undefined,
    other || plan.id === "ollama" ? askOllama() : undefined,
  ]);
  return told.find((each) => each?.sure) ?? told.find((each) => each !== undefined);

  async function askOllama(): Promise<Told | undefined> {
    const running = ollamaRunning.safeParse(await get(`${root}/api/ps`));
    // Nothing is posted to a server that is no Ollama.
    if (!running.success) return undefined;
    const loaded = running.data.models.find(({ model: name }) => sameOllamaModel(name, model));
    if (loaded?.context_length) return { tokens: loaded.context_length, sure: true };
    const shown = ollamaShown.safeParse(await get(`${root}/api/show`, { model }));
    if (!shown.success) return undefined;
    const set = /^num_ctx\s+(\d+)/m.exec(shown.data.parameters ?? "")?.[1];
    if (set !== undefined && Number(set) > 0) return { tokens: Number(set), sure: true };
    const length = Object.entries(shown.data.model_info ?? {}).find(([name]) =>
      name.endsWith(".context_length"),
    )?.[1];
    return typeof length === "number" && length > 0 ? { tokens: length, sure: false } : undefined;
  }
}

const tokens = z.int().positive();

const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: tokens.nullish().catch(undefined),
      context_length: tokens.nullish().catch(undefined),
      context_window: tokens.nullish().catch(undefined),
    }),
  ),
});

function ofList(body: unknown, model: string): Told | undefined {
  const entry = modelList.safeParse(body).data?.data.find(({ id }) => id === model);
  const told = entry?.max_model_len ?? entry?.context_length ?? entry?.context_window;
  return told ? { tokens: told, sure: true } : undefined;
}

const llamaProps = z.object({ default_generation_settings: z.object({ n_ctx: tokens }) });

function ofProps(body: unknown): Told | undefined {
  const read = llamaProps.safeParse(body);
  return read.success ? { tokens: read.data.default_generation_settings.n_ctx, sure: true } : undefined;
}

const lmStudioModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      loaded_context_length: tokens.nullish().catch(undefined),
      max_context_length: tokens.nullish().catch(undefined),
    }),
  ),
});

function ofLmStudio(body: unknown, model: string): Told | undefined {
  const entry = lmStudioModels.safeParse(body).data?.data.find(({ id }) => id === model);
  if (entry?.loaded_context_length) return { tokens: entry.loaded_context_length, sure: true };
  return entry?.max_context_length ? { tokens: entry.max_context_length, sure: false } : undefined;
}

const ollamaRunning = z.object({
  models: z.array(z.object({ model: z.string(), context_length: tokens.nullish().catch(undefined) })),
});
const ollamaShown = z.object({
  parameters: z.string().nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});

/** A name without a tag means the tag `latest`. */
function sameOllamaModel(a: string, b: string): boolean {
  const tagged = (name: string) => (name.includes(":") ? name : `${name}:latest`);
  return tagged(a) === tagged(b);
}

/** undefined for whatever is no JSON of a successful answer: then the server does not say. */
async function readJson(
  url: string,
  asked: { plan: ProviderPlan; credential: Credential | undefined; body: unknown },
): Promise<unknown> {
  const { plan, credential, body } = asked;
  const post =
    body === undefined
      ? {}
      : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  try {
    const response = await guardedFetch(() => {})(url, {
      ...post,
      headers: { ...authorization(plan, credential), ...plan.headers, ...post.headers },
      signal: AbortSignal.timeout(LIMITS.modelWindowMs),
    });
    const text = await response.text();
    return response.ok ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
