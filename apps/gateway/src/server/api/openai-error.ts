import { wireClassOf, type Failure } from "@elwood/core/base/failure";

const ERROR_TYPES: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: "authentication_error",
  FORBIDDEN: "permission_error",
  RATE_LIMITED: "rate_limit_error",
  INTERNAL: "server_error",
  UPSTREAM_ERROR: "server_error",
  TIMEOUT: "server_error",
  UNAVAILABLE: "server_error",
};

/** A failure in the words of OpenAI's API. */
export function openaiError({ reason, message }: Failure) {
  return {
    message,
    type: ERROR_TYPES[wireClassOf(reason)] ?? "invalid_request_error",
    param: null,
    code: reason === "NOT_FOUND" ? "model_not_found" : reason.toLowerCase(),
  };
}
