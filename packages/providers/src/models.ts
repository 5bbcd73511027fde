import type { ContextRow } from "@elwood/core/model/context-window";
import { failure, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import {
  formatModelRef,
  parseModelRef,
  type ModelEvent,
  type ModelRef,
  type ModelRequest,
} from "@elwood/core/model/model";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Clock, Log, ModelProvider, Models, ResolvedModel } from "@elwood/runtime/ports/ports";
import { isLoopbackHost } from "@elwood/core/net/base-url";
import { chooseModel, DEMO_MODEL } from "./choose-model.ts";
import { apiKeyVariable, knownProvider, KNOWN_PROVIDERS, type ProviderApi } from "./known-providers.ts";
import { closest } from "@elwood/core/base/suggest";
import {
  singleKeys,
  type Credential,
  type CredentialLookup,
  type KeyRing,
  type KeyWish,
} from "./credential.ts";
import { makeDemo, type DemoOptions } from "./demo/demo.ts";
import { throughProxy } from "./guarded-fetch.ts";
import type { ProviderIdentity } from "./identity.ts";
import type { ServerWindows } from "./server-window.ts";
import { contextTokensOf, rowFor } from "@elwood/core/model/context-window";
import { serverWindows } from "./server-window.ts";
import { sameModel, takeTurns, TurnMemory, type Way, type Ways } from "./take-turns.ts";

/** A provider as the owner named or changed it in the configuration. */
export interface ProviderSetting {
  readonly baseUrl?: string | undefined;
  readonly api?: ProviderApi | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ModelsDeps {
  /** The configured model; undefined lets the first provider that has a key decide. */
  readonly model?: string | undefined;
  /** What the owner chose since, where none is configured. */
  readonly chosen?: () => string | undefined;
  readonly providers?: Readonly<Record<string, ProviderSetting>>;
  /** The owner's word on how much a model takes at once. */
  readonly contextWindows?: readonly ContextRow[];
  readonly credentials: CredentialLookup;
  /** All keys there are; without it each provider has the one that `credentials` finds. */
  readonly keys?: KeyRing;
  /** Models that take over, in this order, where one cannot answer. */
  readonly fallbackModels?: readonly string[];
  /** Where a provider is that was added with its key, not in the configuration. */
  readonly endpoint?: (provider: string) => Promise<ProviderSetting>;
  /** The names of those, for telling which there are. */
  readonly servers?: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly log?: Log;
  readonly demo?: Omit<DemoOptions, "clock">;
  readonly attemptsMax?: number;
}

/** Everything about a provider but its key. */
export interface ProviderPlan {
  readonly id: string;
  readonly label: string;
  readonly api: ProviderApi;
  readonly baseUrl: string;
  readonly keyNeeded: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests go through it. */
  readonly proxy?: string;
}

/** Finds models by name. Providers are built when first asked for, and kept per credential. */
export function makeModels(deps: ModelsDeps): Models {
  const demo = makeDemo({ clock: deps.clock, ...deps.demo });
  const built = new Map<string, ModelProvider>();
  const keys = deps.keys ?? singleKeys(deps.credentials);
  const memory = new TurnMemory();
  /** How each way was planned, to go it with a renewed key. */
  const plans = new WeakMap<Way, ProviderPlan>();
  let windows: ServerWindows | undefined;
  return {
    async resolve(asked, profile) {
      const ref = await wanted(asked, deps);
      if (!ref.ok) return ref;
      if (ref.value.provider === DEMO_MODEL.provider) return demoModel(ref.value, demo);
      const plan = await planOf(ref.value);
      if (!plan.ok) return plan;
      const now = await allWays(ref.value, plan.value, { profile });
      if (!now.ok) return now;
      const credential = now.value.ways[0]?.credential;
      const provider = takeTurns({
        clock: deps.clock,
        ...(deps.log ? { log: deps.log } : {}),
        keys,
        ways: (session) => allWays(ref.value, plan.value, { profile, session }),
        withKey: (way, fresh) => ({ ...way, credential: fresh, provider: rekeyed(way, fresh) }),
        asked: ref.value,
        embeds: plan.value.api !== "anthropic",
        memory,
      });
      const window = await windowOf(ref.value, plan.value, credential);
      const maxOutputTokens = outputTokensMax(ref.value);
      const { secret = "", source } = credential ?? {};
      const key = source === undefined || secret === "" ? {} : { keyFrom: source };
      return ok({ ref: ref.value, provider, maxOutputTokens, ...window, demo: false, ...key });
    },
  };

  function rekeyed(way: Way, credential: Credential): ModelProvider {
    const plan = plans.get(way);
    return plan ? providerBy(plan, credential) : way.provider;
  }

  async function planOf(ref: ModelRef): Promise<Result<ProviderPlan, Failure>> {
    const plan = planProvider(ref.provider, await withStored(ref.provider, deps));
    return plan.ok ? plan : err(unknownProvider(ref.provider, deps.providers, await deps.servers?.()));
  }

  function providerBy(plan: ProviderPlan, credential: Credential | undefined): ModelProvider {
    return keep(built, plan, credential, () => makeProvider(plan, credential, deps));
  }

  /** By each key of its provider. */
  async function waysTo(ref: ModelRef, plan: ProviderPlan, wish: KeyWish): Promise<Result<Way[], Failure>> {
    const found = await keys.usable(plan.id, wish);
    if (!found.ok) return found;
    if (found.value.length === 0 && plan.keyNeeded) return err(noKey(ref, plan));
    const each = found.value.length === 0 ? [undefined] : found.value;
    return ok(
      each.map((credential) => {
        const way = {
          ref,
          credential,
          provider: providerBy(plan, credential),
          outputTokensMax: outputTokensMax(ref),
        };
        plans.set(way, plan);
        return way;
      }),
    );
  }

  /** The model itself, then those that take its place. A profile that was chosen stands for whose account pays, so nothing takes its place. */
  async function allWays(ref: ModelRef, plan: ProviderPlan, wish: KeyWish): Promise<Result<Ways, Failure>> {
    const own = await waysTo(ref, plan, wish);
    if (wish.profile !== undefined) return own.ok ? ok({ ways: own.value }) : own;
    const others: Way[] = [];
    for (const name of deps.fallbackModels ?? []) {
      const other = parseModelRef(name);
      if (!other.ok || sameModel(other.value, ref)) continue;
      others.push(...(await otherWays(other.value, wish)));
    }
    if (!own.ok) return others.length > 0 ? ok({ ways: others, passed: own.error }) : own;
    const name = formatModelRef(ref);
    if (others.length === 0 || !memory.isDown(name, deps.clock.now()))
      return ok({ ways: [...own.value, ...others] });
    return ok({
      ways: [...others, ...own.value],
      passed: failure("NETWORK", `${name} did not answer just now.`),
    });
  }

  async function otherWays(ref: ModelRef, wish: KeyWish): Promise<Way[]> {
    if (ref.provider === DEMO_MODEL.provider) {
      const way = { ref, credential: undefined, provider: demo, outputTokensMax: OUTPUT_TOKENS };
      return demoModel(ref, demo).ok ? [way] : [];
    }
    const plan = await planOf(ref);
    const ways = plan.ok ? await waysTo(ref, plan.value, wish) : plan;
    return ways.ok && !memory.isDown(formatModelRef(ref), deps.clock.now()) ? ways.value : [];
  }

  /** The owner's word first; then the server's, where it is one that decides; then what is known of the model. */
  async function windowOf(
    ref: ModelRef,
    plan: ProviderPlan,
    credential: Credential | undefined,
  ): Promise<Pick<ResolvedModel, "contextTokens" | "askContextTokens">> {
    const own = rowFor(ref, deps.contextWindows ?? []);
    if (own) return { contextTokens: own.tokens };
    const usual = contextTokensOf(ref);
    const ofVendor = knownProvider(plan.id)?.keyNeeded === true && usual !== undefined;
    if (ofVendor || plan.api !== "chat") return usual === undefined ? {} : { contextTokens: usual };
    windows ??= serverWindows(deps.clock);
    const asked = windows;
    const known = asked.known(plan, credential, ref.model) ?? usual;
    return {
      ...(known === undefined ? {} : { contextTokens: known }),
      askContextTokens: async () => (await asked.ask(plan, credential, ref.model)) ?? usual,
    };
  }
}

export function makeProvider(
  plan: ProviderPlan,
  credential: Credential | undefined,
  deps: Pick<ModelsDeps, "clock" | "random" | "log" | "attemptsMax">,
): ModelProvider {
  const { clock, random = Math.random, log, attemptsMax } = deps;
  const baseUrl = credential?.baseUrl ?? plan.baseUrl;
  const who: ProviderIdentity = {
    id: plan.id,
    label: plan.label,
    baseUrl,
    local: URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname),
    ...(credential ? { credential } : {}),
  };
  const options = {
    who,
    clock,
    random,
    ...(log ? { log } : {}),
    ...(attemptsMax === undefined ? {} : { attemptsMax }),
    ...(plan.headers ? { headers: plan.headers } : {}),
    ...(plan.proxy === undefined ? {} : { agents: throughProxy(plan.proxy) }),
  };
  return loadedLater(plan, async () => {
    switch (plan.api) {
      case "anthropic":
        return (await import("./anthropic.ts")).makeAnthropic(options);
      case "responses":
        return (await import("./openai-responses.ts")).makeOpenaiResponses(options);
      case "chat":
        return (await import("./openai-chat.ts")).makeOpenaiChat(options);
      default: {
        const never: never = plan.api;
        throw new Error(`unknown API ${String(never)}`);
      }
    }
  });
}

/** The code for a provider comes with its first question: a start has no use for it, and most owners use one. */
function loadedLater({ id, label, api }: ProviderPlan, load: () => Promise<ModelProvider>): ModelProvider {
  let made: Promise<ModelProvider> | undefined;
  let loaded: ModelProvider | undefined;
  return {
    id,
    // From the second question on nothing stands between: each event would be handed on once more.
    chat: (request) => loaded?.chat(request) ?? first(request),
    ...(api === "anthropic"
      ? {}
      : {
          async embed(request) {
            const provider = await (made ??= load());
            return provider.embed?.(request) ?? err(failure("BAD_REQUEST", `${label} makes no embeddings.`));
          },
        }),
  };

  async function* first(request: ModelRequest): AsyncGenerator<ModelEvent> {
    loaded = await (made ??= load());
    yield* loaded.chat(request);
  }
}

/** A provider that works by name, one that the configuration describes, or both at once. */
export function planProvider(
  id: string,
  settings: Readonly<Record<string, ProviderSetting>> = {},
): Result<ProviderPlan, Failure> {
  const known = knownProvider(id);
  const own = Object.hasOwn(settings, id) ? settings[id] : undefined;
  const baseUrl = own?.baseUrl ?? known?.baseUrl;
  if (baseUrl === undefined) return err(unknownProvider(id, settings));
  return ok({
    id,
    label: known?.title ?? id,
    api: own?.api ?? known?.api ?? "chat",
    baseUrl,
    keyNeeded: known?.keyNeeded ?? false,
    ...(own?.headers ? { headers: own.headers } : {}),
  });
}

async function withStored(id: string, deps: ModelsDeps): Promise<ModelsDeps["providers"]> {
  const stored = await deps.endpoint?.(id);
  return stored?.baseUrl === undefined ? deps.providers : { ...deps.providers, [id]: stored };
}

async function wanted(asked: string | undefined, deps: ModelsDeps): Promise<Result<ModelRef, Failure>> {
  const named = asked ?? deps.model ?? deps.chosen?.();
  if (named !== undefined) {
    const ref = parseModelRef(named);
    if (ref.ok) return ref;
    const names = providerNames(deps.providers, await deps.servers?.()).join(", ");
    return err(failure("MODEL_UNKNOWN", `${ref.error} Nothing was sent. Known providers are ${names}.`));
  }
  const withKey: string[] = [];
  for (const [id, { model }] of Object.entries(KNOWN_PROVIDERS)) {
    if (model === undefined) continue;
    const credential = await deps.credentials(id);
    // Keys that cannot be used just now are keys all the same; whoever asks is told of it by the model.
    const unusable = !credential.ok && ["RATE_LIMITED", "AUTH"].includes(credential.error.reason);
    if (!credential.ok && !unusable) return credential;
    if (unusable || (credential.ok && credential.value)) withKey.push(id);
  }
  return ok(chooseModel(undefined, withKey));
}

function demoModel(ref: ModelRef, provider: ModelProvider): Result<ResolvedModel, Failure> {
  if (ref.model !== DEMO_MODEL.model)
    return err(
      failure("MODEL_UNKNOWN", `There is one demo model, ${formatModelRef(DEMO_MODEL)}. Nothing was sent.`),
    );
  return ok({
    ref,
    provider,
    maxOutputTokens: OUTPUT_TOKENS,
    contextTokens: DEMO_CONTEXT_TOKENS,
    demo: true,
  });
}

/** The newest credential of a provider is the one in use; a replaced key takes its provider along. */
function keep(
  built: Map<string, ModelProvider>,
  plan: ProviderPlan,
  credential: Credential | undefined,
  make: () => ModelProvider,
): ModelProvider {
  const key = JSON.stringify([
    plan.id,
    plan.api,
    plan.baseUrl,
    credential?.type,
    credential?.secret,
    credential?.baseUrl,
  ]);
  const known = built.get(key);
  if (known) return known;
  const oldest = built.keys().next();
  if (built.size >= LIMITS.modelClientsMax && !oldest.done) built.delete(oldest.value);
  const provider = make();
  built.set(key, provider);
  return provider;
}

const OUTPUT_TOKENS = 16_000;
const DEMO_CONTEXT_TOKENS = 200_000;

/** The most that one answer may be long. Old models take less, and refuse a request that asks for more. */
function outputTokensMax({ provider, model }: ModelRef): number {
  if (provider === "anthropic" && /^claude-3-(opus|sonnet|haiku)/.test(model)) return 4_096;
  if (provider === "anthropic" && model.startsWith("claude-3-")) return 8_192;
  if (provider === "openai" && /^gpt-(3\.5|4-turbo)/.test(model)) return 4_096;
  return OUTPUT_TOKENS;
}

/** Those that work by name, the owner's own, and the demo. */
function providerNames(
  settings: Readonly<Record<string, ProviderSetting>> = {},
  servers: readonly string[] = [],
): string[] {
  const names = [...Object.keys(KNOWN_PROVIDERS), DEMO_MODEL.provider, ...Object.keys(settings), ...servers];
  return [...new Set(names)];
}

function unknownProvider(
  id: string,
  settings: Readonly<Record<string, ProviderSetting>> = {},
  servers: readonly string[] = [],
): Failure {
  if (Object.hasOwn(settings, id))
    return failure(
      "MODEL_UNKNOWN",
      `The provider ${id} has no address. Nothing was sent. Set providers.${id}.baseUrl in config.yaml.`,
    );
  const names = providerNames(settings, servers);
  const near = closest(id, names);
  const meant = near === undefined ? `Known are ${names.join(", ")}.` : `Did you mean ${near}?`;
  return failure(
    "MODEL_UNKNOWN",
    `There is no provider called ${id}. Nothing was sent. ${meant} Any other server needs an address: elwood auth ${id} --base-url http://…/v1`,
  );
}

function noKey(ref: ModelRef, plan: ProviderPlan): Failure {
  return failure(
    "NO_MODEL",
    `${formatModelRef(ref)} needs a key for ${plan.label}, and none is set. Nothing was sent. Set one: elwood auth ${plan.id}. Or set the variable ${apiKeyVariable(plan.id)}, or ask the demo model: -m demo`,
  );
}
