import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { z } from "zod";

/** What the vendors' APIs have in common in what they are sent. */

export const vendorText = () => z.string().max(LIMITS.messageCharsMax);

export const modelName = () => z.string().min(1).max(300);

/** Which tool must be called is not for a request to say here: it may call any, or none. */
export const toolChoice = () =>
  z.enum(["auto", "none"], { error: 'only "auto" and "none" are supported' }).nullish();

/** Text in one piece or in several. */
export function joinedText(content: string | readonly { readonly text: string }[]): string {
  return typeof content === "string" ? content : content.map((part) => part.text).join("\n");
}

/** Arguments of a call, which OpenAI writes as text. */
export function callArguments(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      return fail("INVALID_INPUT", "The arguments of a tool call are not valid JSON. Nothing was sent.");
    throw error;
  }
}

/** The fields that are there: neither undefined nor null. */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as { [K in keyof T]?: NonNullable<T[K]> };
}
