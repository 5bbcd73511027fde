import { PrivateText } from "./copies.ts";
import { readableText } from "./readable-text.ts";
import { OwnText, strangerIn, type Stranger } from "./strangers.ts";

/** What a call of the conversation answered, as far as it matters here. */
export interface AnsweredResult {
  readonly sensitive: boolean;
  readonly value: unknown;
}

/** Something in a text for others that the owner did not type. */
export type ContentProblem<Result extends AnsweredResult = AnsweredResult> =
  | { readonly kind: "too-much" }
  | ({ readonly kind: "stranger" } & Stranger)
  | { readonly kind: "copied"; readonly from: Result };

/**
 * Links, hosts, accounts and codes in a value for others that the owner did not type, in whatever
 * script, spelling or grouping, and copies of what only the owner should see. `typed` is what the
 * owner typed that counts for the call.
 */
export function contentProblem<Result extends AnsweredResult>(
  value: unknown,
  typed: readonly string[],
  seen: readonly Result[],
): ContentProblem<Result> | undefined {
  const leaves = leavesOf(value);
  if (leaves === undefined) return { kind: "too-much" };
  const own = new OwnText(typed);
  // Taken together as well: a number that is sent digit by digit is one to whoever reads it.
  const together = leaves.length > 1 ? [leaves.join(" ").slice(0, TOGETHER_CHARS_MAX)] : [];
  const texts = [...leaves, ...together].map(readableText);
  for (const text of texts) {
    const stranger = strangerIn(text, own);
    if (stranger !== undefined) return { kind: "stranger", ...stranger };
  }
  for (const from of seen) {
    if (!from.sensitive) continue;
    const strings = leavesOf(from.value, PRIVATE_LEAVES_MAX) ?? [JSON.stringify(from.value)];
    const secret = new PrivateText(strings);
    if (texts.some((text) => secret.isIn(text, own))) return { kind: "copied", from };
  }
  return undefined;
}

const LEAVES_MAX = 1_000;
const PRIVATE_LEAVES_MAX = 50_000;
const TOGETHER_CHARS_MAX = 200_000;

/** The texts and numbers of a value, names of members included; undefined where there are more than are looked through. */
function leavesOf(value: unknown, max = LEAVES_MAX): string[] | undefined {
  const found: string[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    if (found.length > max || left.length > max * 2) return undefined;
    const next = left.pop();
    if (typeof next === "string") found.push(next);
    else if (typeof next === "number" || typeof next === "bigint") found.push(String(next));
    else if (Array.isArray(next)) left.push(...next.slice(0, max + 1).toReversed());
    else if (typeof next === "object" && next !== null)
      left.push(
        ...Object.entries(next)
          .slice(0, max + 1)
          .flatMap(([key, member]) => [key, member])
          .toReversed(),
      );
  }
  return found.length > max ? undefined : found;
}
