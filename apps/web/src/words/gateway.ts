import { failureIn, sentencesIn, type Sentences } from "@elwood/core/base/sentences";
import { RequestError } from "@elwood/sdk/client";
import { spoken } from "./language.ts";

const tables = spoken("gateway", { sentences: [], reasons: {} } satisfies Sentences);

/**
 * What the gateway says, in the page's language. A sentence that the table does not know, or that
 * somebody else wrote, is shown as it came.
 */
export function gatewayText(text: string): string {
  return sentencesIn(tables, text);
}

/** A failure in the page's language: where its words are not known by its reason, with them behind it. */
export function failureText({
  reason,
  message,
}: {
  readonly reason: string;
  readonly message: string;
}): string {
  return failureIn(tables, reason, message);
}

/** Why a request failed, in the page's language. Anything else that is thrown is a fault of the page's own, and goes on. */
export function problemText(error: unknown): string {
  if (!(error instanceof RequestError)) throw error;
  return failureText(error.failure);
}
