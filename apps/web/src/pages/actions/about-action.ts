import { say } from "../../words/en/actions.ts";

/** What an action does; of one that did not come with Elwood, what its owner says of it. */
export function aboutAction(name: string, description: string): string {
  const known: Readonly<Record<string, string>> = say;
  return /^(?:llm|resources)\./.test(name) ? (known[name] ?? description) : description;
}
