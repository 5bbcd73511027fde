import type { ClientOptions } from "@anthropic-ai/sdk";
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
  ThinkingConfigParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { AnthropicReply } from "./anthropic-reply.ts";
import { converse, type ProviderDeps } from "./attempt.ts";
import { loadBlobs, type BlobBytes } from "./attachments.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import type { ProviderIdentity } from "./identity.ts";
import { LIMITS } from "@elwood/core/base/limits";
import { toAnthropic, toAnthropicTools, withCacheMarks } from "./to-anthropic.ts";

export interface AnthropicOptions extends ProviderDeps {
  readonly who: ProviderIdentity;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Anthropic's Messages API, or a server that speaks it. */
export function makeAnthropic(options: AnthropicOptions): ModelProvider {
  const { who } = options;
  return {
    id: who.id,
    chat(request: ModelRequest): AsyncIterable<ModelEvent> {
      return converse<RawMessageStreamEvent>(who, request, options, {
        reader: () => new AnthropicReply(who.id),
        async open(guard) {
          const { Anthropic } = await import("@anthropic-ai/sdk");
          const client = new Anthropic({
            ...clientOptions(options),
            fetch: guardedFetch(() => guard.touch()),
          });
          const body = toParams(request, await loadBlobs(request.messages, request.readBlob), who.id);
          // Not messages.create: that prints warnings about old models to the console.
          return client.post("/v1/messages", { body, stream: true, signal: guard.signal });
        },
      });
    },
  };
}

/** Everything is spelled out, so that the SDK looks neither into the environment nor into files of its own. */
function clientOptions({ who, headers }: AnthropicOptions): ClientOptions {
  return {
    ...authorization(who, headers),
    baseURL: who.baseUrl,
    maxRetries: 0,
    timeout: LIMITS.modelAnswerMs,
    logLevel: "off",
  };
}

const OAUTH_BETA = "oauth-2025-04-20";

/** The SDK sends keys as bearers. Anthropic takes that; servers that only imitate it may want the older header too. */
function authorization(
  { credential, baseUrl }: ProviderIdentity,
  headers: Readonly<Record<string, string>> = {},
) {
  const secret = credential?.secret ?? "none";
  const isToken =
    credential !== undefined && (credential.type !== "api_key" || secret.startsWith("sk-ant-oat"));
  if (isToken) {
    const betas = [headers["anthropic-beta"], OAUTH_BETA].filter(Boolean).join(",");
    return { authToken: secret, defaultHeaders: { ...headers, "anthropic-beta": betas } };
  }
  const own = new URL(baseUrl).host === "api.anthropic.com";
  return { apiKey: secret, defaultHeaders: own ? headers : { "x-api-key": secret, ...headers } };
}

export function toParams(
  request: ModelRequest,
  blobs: BlobBytes,
  providerId: string,
): MessageCreateParamsStreaming {
  return withCacheMarks({
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true as const,
    ...(request.system.trim() === "" ? {} : { system: [{ type: "text" as const, text: request.system }] }),
    ...(request.tools.length === 0 ? {} : { tools: toAnthropicTools(request.tools) }),
    messages: toAnthropic(request.messages, blobs, providerId),
    ...thinking(request),
  });
}

const BUDGETS = { low: 2_048, medium: 8_192, high: 16_384 };
const BUDGET_MIN = 1_024;

/**
 * Models up to 4.5 take a budget of tokens; later ones think by themselves and take an
 * effort; a few of those cannot be told not to think. Nothing is sent where nothing was
 * asked for: then the model does what its maker thinks best.
 */
function thinking({ model, effort, maxOutputTokens }: ModelRequest): {
  thinking?: ThinkingConfigParam;
  output_config?: { effort: "low" | "medium" | "high" };
} {
  if (effort === undefined) return {};
  if (/^claude-(3|2|instant)|^claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$/.test(model)) {
    const budget = effort === "off" ? 0 : Math.min(BUDGETS[effort], maxOutputTokens - 1);
    if (budget < BUDGET_MIN) return {};
    return { thinking: { type: "enabled", budget_tokens: budget } };
  }
  if (effort !== "off")
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } };
  return /^claude-(fable|mythos)/.test(model)
    ? { output_config: { effort: "low" } }
    : { thinking: { type: "disabled" } };
}
