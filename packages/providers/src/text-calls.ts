import { readArgs } from "./wire-calls.ts";

/**
 * A call that a small model wrote into its answer instead of making it: one JSON object with the name of an offered
 * tool and its arguments, at the end of the text, in a fence or bare. Undefined where there is none. Like every other
 * call it passes the gate.
 */
export function callInText(
  text: string,
  toolIds: readonly string[],
): { readonly name: string; readonly args: unknown; readonly before: string } | undefined {
  const trimmed = text
    .trimEnd()
    .replace(/\n?```$/, "")
    .trimEnd();
  const start = beginning(trimmed);
  if (start === undefined) return undefined;
  const { input, malformed } = readArgs(trimmed.slice(start), true);
  if (malformed !== undefined) return undefined;
  const said = input as Readonly<Record<string, unknown>>;
  const [name, args] = [
    said["name"] ?? said["tool"] ?? said["function"],
    said["arguments"] ?? said["parameters"] ?? said["input"],
  ];
  if (typeof name !== "string" || typeof args !== "object" || args === null) return undefined;
  // Whatever stands between the parts of the name.
  const letters = lettersOf(name.replace(/^functions?[./:]/, ""));
  const id = toolIds.find((each) => lettersOf(each) === letters);
  if (id === undefined) return undefined;
  const before = trimmed
    .slice(0, start)
    .replace(/```(?:json|tool_call|tool_code)?\s*$/, "")
    .trimEnd();
  return { name: id, args, before };
}

/** Where the last object at the top of the text begins: at the beginning of a line. */
function beginning(text: string): number | undefined {
  const starts = [...text.matchAll(/^[ \t]*\{/gm)].map(({ index, 0: found }) => index + found.length - 1);
  return starts.find((at) => /"(?:name|tool|function)"\s*:/.test(text.slice(at, at + HEAD_CHARS)));
}

const HEAD_CHARS = 200;

function lettersOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}
