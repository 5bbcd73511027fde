import type { AddressRule } from "@elwood/core/net/web-address";
import { ToolError } from "@elwood/sdk/tool-answer";

/** Elwood's rules forbid the address. Nothing was sent to it. */
export class AddressRefused extends ToolError {
  readonly rule: AddressRule | RedirectRule;
  constructor(rule: AddressRule | RedirectRule, message: string, more: { readonly quoted?: string } = {}) {
    super("address_refused", message, more);
    this.name = "AddressRefused";
    this.rule = rule;
  }
}

export type RedirectRule = "hard.redirects" | "hard.downgrade" | "hard.not-visited";

/** No request left this machine: the name is unknown, nobody answered the door, or the certificate was wrong. */
export class Unreachable extends ToolError {
  constructor(
    code: "not_found" | "unreachable" | "certificate" | "invalid_request",
    message: string,
    more: { readonly quoted?: string } = {},
  ) {
    super(code, message, { retryable: code === "unreachable", ...more });
    this.name = "Unreachable";
  }
}

export type BrokenReason = "timeout" | "slow" | "too_large" | "cut" | "protocol" | "refused_redirect";

/**
 * The request was sent and its answer did not come, or not whole. It is no ToolError on
 * purpose: a tool that does not know better must not say that nothing happened.
 */
export class AnswerBroken extends Error {
  readonly reason: BrokenReason;
  constructor(reason: BrokenReason, message: string) {
    super(message);
    this.name = "AnswerBroken";
    this.reason = reason;
  }
}
