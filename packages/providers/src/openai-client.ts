import { LIMITS } from "@elwood/core/base/limits";
import type { OpenAI } from "openai";
import type { ProviderDeps } from "./send-request.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import type { ProviderIdentity } from "./identity.ts";
import type { StreamGuard } from "./stream-guard.ts";

export interface OpenaiOptions extends ProviderDeps {
  readonly who: ProviderIdentity;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Local servers ask for no key, but the SDK insists on one, and some servers on the header. */
const NO_KEY = "none";

/** Everything is spelled out, so that the SDK takes nothing from the environment. */
export async function openaiClient({ who, headers }: OpenaiOptions, guard: StreamGuard): Promise<OpenAI> {
  // The SDK is large; it comes with the first question to such a provider.
  const { OpenAI } = await import("openai");
  return new OpenAI({
    apiKey: who.credential?.secret || NO_KEY,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: who.baseUrl,
    defaultHeaders: { ...headers },
    maxRetries: 0,
    timeout: LIMITS.modelAnswerMs,
    logLevel: "off",
    fetch: guardedFetch(() => guard.touch()),
  });
}
