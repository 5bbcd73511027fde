import { basename } from "node:path";

/**
 * Runners that fetch a package and run it. Without an exact version they run whatever
 * was published last, by whoever holds the name: code nobody here has seen.
 */
const RUNNERS: readonly { readonly command: string; readonly subcommand?: string }[] = [
  { command: "npx" },
  { command: "bunx" },
  { command: "npm", subcommand: "exec" },
  { command: "pnpm", subcommand: "dlx" },
  { command: "yarn", subcommand: "dlx" },
  { command: "uvx" },
];

/** The package that would be fetched without an exact version; undefined where nothing is fetched or it is pinned. */
export function unpinnedPackage(command: string, args: readonly string[]): string | undefined {
  const found = runnerOf(command, args);
  if (found === undefined) return undefined;
  const wanted = packagesOf(found.args);
  if (wanted.length === 0) return found.program;
  return wanted.find((name) => !isPinned(name));
}

/** What npm's own runners would fetch from a registry, and the command that fetches it and runs nothing of it. */
export interface NpmFetch {
  readonly packages: readonly string[];
  readonly command: string;
  readonly args: readonly string[];
}

/** Undefined where npm fetches nothing: it is another program, or the owner's own folder. */
export function npmFetch(command: string, args: readonly string[]): NpmFetch | undefined {
  const found = runnerOf(command, args);
  if (found === undefined || (found.program !== "npx" && found.program !== "npm")) return undefined;
  const packages = packagesOf(found.args);
  if (packages.length === 0 || packages.some((name) => OWN_CODE.test(name))) return undefined;
  // Such as a registry of the owner's.
  const settings = optionsOf(found.args).filter((option) => /^--(?!package=|call=)[a-z-]+=/.test(option));
  return {
    packages,
    command: found.words[0]!,
    args: [
      ...(found.program === "npm" ? ["exec"] : []),
      ...settings,
      "--yes",
      "--ignore-scripts",
      "--loglevel=error",
      "--update-notifier=false",
      ...packages.map((name) => `--package=${name}`),
      "--",
      "node",
      "--eval=0",
    ],
  };
}

function runnerOf(command: string, args: readonly string[]) {
  const words = [...command.trim().split(/\s+/), ...args];
  const program = basename(words[0] ?? "").replace(/\.(cmd|exe)$/i, "");
  const runner = RUNNERS.find(
    (row) => row.command === program && (row.subcommand === undefined || words.includes(row.subcommand)),
  );
  if (runner === undefined) return undefined;
  const rest = words.slice(runner.subcommand === undefined ? 1 : words.indexOf(runner.subcommand) + 1);
  return { program, words, args: rest };
}

export function unpinnedReason(name: string, unpinned: string): string {
  return `MCP server \`${name}\` is disabled: ${unpinnedProblem(unpinned)}`;
}

export function unpinnedProblem(unpinned: string): string {
  return `it would fetch and run the newest \`${unpinned}\`, whatever that is by then. Name an exact version, for example ${unpinned}@1.2.3.`;
}

/** `-p x`, `--package=x` or, where none is given, the first word that is no option. */
function packagesOf(args: readonly string[]): string[] {
  const named: string[] = [];
  for (const [i, arg] of args.entries()) {
    if (arg === "--") break;
    if ((arg === "-p" || arg === "--package" || arg === "--from") && args[i + 1]) named.push(args[i + 1]!);
    const inline = /^--(?:package|from)=(.+)$/.exec(arg)?.[1];
    if (inline !== undefined) named.push(inline);
  }
  if (named.length > 0) return named;
  const first = args.find((arg) => !arg.startsWith("-"));
  return first === undefined ? [] : [first];
}

/** The options of a runner end where its package is named. */
function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg === "--" || !arg.startsWith("-"));
  return end === -1 ? args : args.slice(0, end);
}

/** A path is the owner's own code. */
const OWN_CODE = /^(\.{0,2}\/|file:)/;

function isPinned(name: string): boolean {
  if (OWN_CODE.test(name)) return true;
  return /[^@=](?:@|==)\d+\.\d+(\.\d+)?([-+.][0-9A-Za-z.+-]+)?$/.test(name);
}
