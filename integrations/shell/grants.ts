import type { GrantKey } from "@elwood/sdk/tool";
import { looksLikeSyntax } from "./command-line.ts";
import type { Judged, Plan } from "./plan.ts";
import { relative } from "node:path";
import { showWord } from "./words.ts";

/**
 * What a standing permission over a command would be bound to: the file that is run, the
 * arguments, and the folder. There is none where something about the command asks by itself.
 */
export function grantKeysFor({ facts, plan }: Judged): GrantKey[] {
  if (plan === undefined || facts.some(({ kind }) => kind !== "harmless")) return [];
  const { program, places, env } = plan;
  const args = plan.argv.slice(1);
  const bound = { program: program.real, path: program.path, root: places.root, env: { ...env } };
  const exact: GrantKey = {
    scope: "call",
    match: { ...bound, arguments: [...args], folder: relative(places.root, places.cwd) },
    words: `the command ${shown(plan.argv)}${withEnv(plan)}, run in ${places.cwd}`,
  };
  const pattern = patternOf(args);
  if (pattern === undefined) return [exact];
  return [
    exact,
    {
      scope: "similar",
      match: { ...bound, pattern },
      words: `the command ${[showWord(program.name), ...pattern.map((part) => (part === FREE ? "…" : showWord(part.word)))].join(" ")}${withEnv(plan)}, where … is one or more words that are not options, run in ${places.root} or a folder below it`,
    },
  ];
}

/** Stands for one or more words. */
const FREE = "…";
type Part = typeof FREE | { readonly word: string };

/**
 * Options stay as they are. So does the word after one, which may be its value, and a first
 * word that reads like a subcommand. What is left free are the other words; undefined where
 * there are none, or where one could mean something to a shell.
 */
function patternOf(args: readonly string[]): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (const [i, arg] of args.entries()) {
    const before = args[i - 1];
    const fixed =
      arg.startsWith("-") || before?.startsWith("-") === true || (i === 0 && /^[a-z][a-z0-9:-]*$/.test(arg));
    if (fixed) parts.push({ word: arg });
    else if (arg === "" || looksLikeSyntax(arg)) return undefined;
    else if (parts.at(-1) !== FREE) parts.push(FREE);
  }
  return parts.includes(FREE) ? parts : undefined;
}

function shown(argv: readonly string[]): string {
  return argv.map(showWord).join(" ");
}

function withEnv({ env }: Plan): string {
  const names = Object.entries(env).map(([name, value]) => `${name}=${showWord(value)}`);
  return names.length === 0 ? "" : ` with ${names.join(" ")}`;
}
