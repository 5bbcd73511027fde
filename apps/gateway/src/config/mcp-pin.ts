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
  const words = [...command.trim().split(/\s+/), ...args];
  const program = basename(words[0] ?? "").replace(/\.(cmd|exe)$/i, "");
  const runner = RUNNERS.find(
    (row) => row.command === program && (row.subcommand === undefined || words.includes(row.subcommand)),
  );
  if (runner === undefined) return undefined;
  const rest = words.slice(runner.subcommand === undefined ? 1 : words.indexOf(runner.subcommand) + 1);
  const wanted = packagesOf(rest);
  if (wanted.length === 0) return program;
  return wanted.find((name) => !isPinned(name));
}

export function unpinnedReason(name: string, unpinned: string): string {
  return (
    `MCP server \`${name}\` is disabled: it would fetch and run the newest \`${unpinned}\`, whatever that is by then. ` +
    `Name an exact version, for example ${unpinned}@1.2.3.`
  );
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

function isPinned(name: string): boolean {
  // A path is the owner's own code.
  if (/^(\.{0,2}\/|file:)/.test(name)) return true;
  return /[^@=](?:@|==)\d+\.\d+(\.\d+)?([-+.][0-9A-Za-z.+-]+)?$/.test(name);
}
