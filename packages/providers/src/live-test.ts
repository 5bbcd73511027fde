import { failure, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Message, Usage } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { costUsd, priceOf, type PriceRow } from "@elwood/core/model/price";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Clock } from "@elwood/runtime/ports/ports";
import { knownProvider } from "./known-providers.ts";
import type { Credential } from "./credential.ts";
import { withoutMessage } from "./failure-words.ts";
import { listModels } from "./list-models.ts";
import { makeProvider, planProvider, type ProviderSetting } from "./models.ts";

export interface LiveTestDeps {
  readonly clock: Clock;
  readonly providers?: Readonly<Record<string, ProviderSetting>>;
  readonly prices?: readonly PriceRow[];
}

export interface TestedCredential {
  /** The model that answered, by the provider's own word. */
  readonly model: string;
  readonly ms: number;
  readonly usage: Usage;
  /** Estimated; undefined where no price is known. */
  readonly costUsd?: number;
}

export type TestCredential = (
  provider: string,
  credential: Credential | undefined,
  model?: string,
) => Promise<Result<TestedCredential, Failure>>;

/** Enough for a word, and for a model that thinks first even when asked not to. */
const OUTPUT_TOKENS = 256;

/**
 * One tiny real completion, tried once: the only test of a key that means anything.
 * Without a model's name the provider's usual one is asked, else the first it lists.
 */
export function makeLiveTest(deps: LiveTestDeps): TestCredential {
  return async (provider, credential, model) => {
    const plan = planProvider(
      provider,
      credential?.baseUrl ? withAddress(provider, credential.baseUrl, deps) : deps.providers,
    );
    if (!plan.ok) return plan;
    const chosen = model ?? knownProvider(provider)?.model ?? (await firstListed());
    if (typeof chosen !== "string") return err(chosen);
    const startedAt = deps.clock.now();
    const answer = await lastOf(
      makeProvider(plan.value, credential, { ...deps, attemptsMax: 1 }).chat(question(chosen)),
    );
    if (answer.type === "failed") return err(ofTest(answer.failure, plan.value.label));
    const price = priceOf({ provider, model: chosen }, deps.prices);
    return ok({
      model: answer.model,
      ms: deps.clock.now() - startedAt,
      usage: answer.usage,
      ...(price ? { costUsd: costUsd(answer.usage, price) } : {}),
    });

    async function firstListed(): Promise<string | Failure> {
      if (!plan.ok) return plan.error;
      const listed = await listModels(plan.value, credential, deps.clock);
      if (!listed.ok) return listed.error;
      const [first] = listed.value;
      return (
        first ??
        failure(
          "NO_MODEL",
          `${plan.value.label} answers, but lists no model. Nothing was saved. Load a model there, or name one.`,
        )
      );
    }
  };
}

/** Nobody but the test's own limit stops a test, and no message of anybody's is in it. */
function ofTest(said: Failure, label: string): Failure {
  if (said.reason !== "ABORTED") return withoutMessage(said);
  const seconds = LIMITS.modelLiveTestMs / 1000;
  return failure(
    "TIMEOUT",
    `${label} did not answer within ${seconds} s. Nothing was saved. Try again later.`,
  );
}

function withAddress(provider: string, baseUrl: string, deps: LiveTestDeps): Record<string, ProviderSetting> {
  return { ...deps.providers, [provider]: { ...deps.providers?.[provider], baseUrl } };
}

type Last = Extract<ModelEvent, { type: "done" | "failed" }>;

async function lastOf(events: AsyncIterable<ModelEvent>): Promise<Last> {
  let last: Last | undefined;
  for await (const event of events) if (event.type === "done" || event.type === "failed") last = event;
  return (
    last ?? {
      type: "failed",
      failure: failure("BAD_REPLY", "The answer ended without saying so. Nothing was saved."),
      blocks: [],
    }
  );
}

function question(model: string): ModelRequest {
  const asked: Message = {
    id: "live-test",
    ts: 0,
    role: "user",
    origin: "gateway",
    blocks: [{ type: "text", text: "Reply with the single word: ready" }],
  };
  return {
    model,
    system: "",
    messages: [asked],
    tools: [],
    maxOutputTokens: OUTPUT_TOKENS,
    effort: "off",
    readBlob: async () => undefined,
    writeBlob: async () => "",
    signal: AbortSignal.timeout(LIMITS.modelLiveTestMs),
  };
}
