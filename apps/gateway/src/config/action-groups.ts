import { ACTION_TASKS } from "@elwood/core/action/action-spec";
import { RESOURCE_KINDS, RESOURCE_NAME } from "@elwood/core/action/trn";
import { LIMITS } from "@elwood/core/base/limits";
import { PROVIDER_APIS } from "@elwood/providers/known-providers";
import { z } from "zod";
import { group, listOf, named, numberFrom, oneOf, wholeNumber, words, yesOrNo } from "./leaves.ts";

/** Connections (how to reach a provider) and actions (what to ask of it), as a file writes them. */
export const actionGroups = {
  connections: () => named(connection(), RESOURCE_NAME).optional(),
  actions: () => named(action(), RESOURCE_NAME).optional(),
};

function connection() {
  return group({
    kind: oneOf(["llm"]).default("llm"),
    provider: words("a provider's name, for example openai, or local").default("local"),
    api_base: words("an address").optional(),
    api: oneOf(PROVIDER_APIS).optional(),
    authorization: oneOf(["bearer_token", "api_key"]).optional(),
    token: text().optional(),
    default_headers: named(text()).optional(),
    timeout_ms: wholeNumber(1, LIMITS.actionTimeoutMaxMs).optional(),
    rate_limits: group({
      requests_per_minute: wholeNumber(1).optional(),
      max_concurrency: wholeNumber(1).optional(),
    }).optional(),
    proxy: words("an address").optional(),
    metadata: anything().optional(),
  });
}

function action() {
  return group({
    kind: oneOf(RESOURCE_KINDS).default("llm"),
    task: oneOf(ACTION_TASKS).default("chat"),
    connection: words("a connection's name").optional(),
    model: words("a model").optional(),
    description: words("a sentence").optional(),
    system: text().optional(),
    templates: named(text()).optional(),
    sampling: group({
      temperature: numberFrom(0).optional(),
      top_p: numberFrom(0).optional(),
      max_tokens: wholeNumber(1).optional(),
    }).optional(),
    response_format: oneOf(["text", "json"]).optional(),
    json_schema: anything().optional(),
    tool_calls: listOf(
      group({
        tool_trn: words("a tool's id, or the resource name of an http action"),
        name_override: toolName().optional(),
        schema: anything().optional(),
      }),
      "a list of tools",
    ).optional(),
    tool_turns: wholeNumber(1, LIMITS.actionToolTurnsMax).optional(),
    stream: yesOrNo().optional(),
    mcp_enabled: yesOrNo().optional(),
    name_override: toolName().optional(),
    limits: group({
      timeout_ms: wholeNumber(1, LIMITS.actionTimeoutMaxMs).optional(),
      max_concurrency: wholeNumber(1).optional(),
    }).optional(),
    cache: group({
      mode: oneOf(["exact", "semantic"]).default("exact"),
      ttl_seconds: wholeNumber(1, CACHE_SECONDS.max).default(CACHE_SECONDS.default),
      similarity: numberFrom(0.5).default(SIMILARITY),
    }).optional(),
    sensitive: yesOrNo().optional(),
    redact_pii: yesOrNo().optional(),
    moderation: group({ before: hook().optional(), after: hook().optional() }).optional(),
    http: group({
      method: oneOf(["GET", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
      url: words("an address"),
      query: listOf(text(), "a list of names").optional(),
      headers: named(text()).optional(),
      body: oneOf(["json", "none"]).optional(),
      input_schema: anything().optional(),
    }).optional(),
    metadata: anything().optional(),
  });
}

const CACHE_SECONDS = { default: 3_600, max: 30 * 86_400 } as const;
const SIMILARITY = 0.95;

function hook() {
  return group({ url: words("an address"), when_down: oneOf(["open", "closed"]).default("closed") });
}

function toolName() {
  const error = "must be a name of letters, digits, _ and -";
  return words("a name").regex(/^[A-Za-z0-9_-]{1,64}$/, { error });
}

function anything() {
  return z.record(z.string(), z.unknown(), { error: "must be a group" });
}

function text() {
  return z.string({ error: "must be text" });
}
