import type { Answer } from "./loopback-server.ts";
import { openaiError, type OpenaiErrorOptions } from "./openai-server.ts";
import { RAW_TEXT, type ContractAnswer, type ContractFault } from "./provider-harness.ts";

const ERRORS: Partial<Record<ContractFault, readonly [status: number, options?: OpenaiErrorOptions]>> = {
  AUTH: [401, { code: "invalid_api_key" }],
  BILLING: [429, { code: "insufficient_quota", type: "insufficient_quota" }],
  RATE_LIMITED: [429, { code: "rate_limit_exceeded" }],
  OVERLOADED: [503],
  CONTEXT_FULL: [400, { code: "context_length_exceeded" }],
  MODEL_UNKNOWN: [404, { code: "model_not_found" }],
  BAD_REQUEST: [400],
  REFUSED: [400, { code: "invalid_prompt" }],
  UPSTREAM_ERROR: [500],
};

/** The contract's faults as OpenAI's HTTP errors; undefined for those that come after 200. */
export function openaiRefusal({ fault, retryAfterMs }: ContractAnswer): Answer | undefined {
  const error = fault && ERRORS[fault];
  if (!error) return undefined;
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) };
  return openaiError(error[0], { message: RAW_TEXT, headers, ...error[1] });
}
