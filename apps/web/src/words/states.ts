import { spoken } from "./language.ts";
import { say } from "./en/parts.ts";
import { fill } from "./fill.ts";

/** States, and what each mode of the policy asks about, come from `core`: here in the page's language. */
const states = spoken("states", {});

export function stateText(word: string): string {
  const [, code] = /^ended with code (-?\d+)$/.exec(word) ?? [];
  return code === undefined ? (states[word] ?? word) : fill(say.endedWithCode, code);
}

export function policyText(words: string): string {
  return states[words] ?? words;
}
