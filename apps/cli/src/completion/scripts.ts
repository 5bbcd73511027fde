import { readFileSync } from "node:fs";
import {
  allCommands,
  type CommandArgument,
  type CommandOption,
  type CommandTree,
  type PlacedCommand,
  type ValueKind,
} from "./command-tree.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The script for a shell: how a line is walked stands in `elwood.<shell>` beside this
 * file, and what there is to offer is written into it from the command tree.
 */
export function completionScript(shell: Shell, tree: CommandTree): string {
  const commands = allCommands(tree);
  const body = readFileSync(new URL(`elwood.${shell}`, import.meta.url), "utf8");
  switch (shell) {
    case "bash":
      return filled(
        body,
        "# @tables",
        tables(
          commands,
          (each) => each.name,
          (option) => option.flags,
        ),
      );
    case "zsh":
      return filled(
        body,
        "# @tables",
        tables(
          commands,
          (each) => described(each.name, each.summary),
          (option) => option.flags.map((flag) => described(flag, option.summary)),
        ),
      );
    case "fish":
      return filled(
        filled(body, "# @tables", fishTables(commands)),
        "# @completions",
        fishCompletions(commands),
      );
    default: {
      const never: never = shell;
      throw new Error(`unknown shell ${String(never)}`);
    }
  }
}

function filled(body: string, mark: string, text: string): string {
  return body.replace(mark, () => text);
}

// ── bash and zsh: two functions that set variables ──────────────────────────────────

function tables(
  commands: readonly PlacedCommand[],
  nameOf: (command: CommandTree) => string,
  flagsOf: (option: CommandOption) => readonly string[],
): string {
  const list = (words: readonly string[]) => `(${words.map(quoted).join(" ")})`;
  const commandCases = commands.map(({ path, command }) =>
    [
      `    ${quoted(path)})`,
      `      commands=${list(command.subcommands.map(nameOf))}`,
      `      options=${list(command.options.flatMap(flagsOf))}`,
      `      arguments=${list(command.arguments.map(({ value }) => kindWord(value)))}`,
      `      variadic=${command.arguments.at(-1)?.variadic ? 1 : ""} ;;`,
    ].join("\n"),
  );
  const optionCases = takers(commands).map(({ patterns, value, valueOptional }) => {
    const names = patterns.map(quoted).join(" | ");
    return `    ${names}) kind=${quoted(kindWord(value))} alone=${valueOptional ? 1 : ""} ;;`;
  });
  return [
    "# Sets what can follow the command $1.",
    "_elwood_command() {",
    "  commands=() options=() arguments=() variadic=",
    '  case "$1" in',
    ...commandCases,
    "  esac",
    "}",
    "",
    "# Sets what the option $1 takes, and whether it may stand alone; nothing for a switch.",
    "_elwood_option() {",
    "  kind= alone=",
    '  case "$1" in',
    ...optionCases,
    "  esac",
    "}",
  ].join("\n");
}

/** A kind as one word: `sessions`, `files`, or `=one two` for a list. */
function kindWord(kind: ValueKind): string {
  return typeof kind === "string" ? kind : `=${kind.join(" ")}`;
}

/** As zsh's _describe wants it. */
function described(name: string, summary: string): string {
  return `${name.replaceAll(":", "\\:")}:${oneLine(summary)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// ── fish: one line for each thing that can be offered ───────────────────────────────

function fishTables(commands: readonly PlacedCommand[]): string {
  const parents = commands.filter(({ command }) => command.subcommands.length > 0);
  const names = parents.flatMap(({ path, command }) => [
    `        case ${fishQuoted(path)}`,
    `            printf '%s\\n' ${command.subcommands.map((each) => fishQuoted(each.name)).join(" ")}`,
  ]);
  const taking = takers(commands).flatMap(({ patterns, valueOptional }) => [
    `        case ${patterns.map(fishQuoted).join(" ")}`,
    `            echo ${valueOptional ? "maybe" : "always"}`,
  ]);
  return [
    "# Prints the subcommands of the command $argv[1].",
    "function __elwood_commands",
    '    switch "$argv[1]"',
    ...names,
    "    end",
    "end",
    "",
    "# Prints whether the option $argv[1] takes what follows: always, maybe, or nothing for a switch.",
    "function __elwood_takes",
    '    switch "$argv[1]"',
    ...taking,
    "    end",
    "end",
  ].join("\n");
}

function fishCompletions(commands: readonly PlacedCommand[]): string {
  return commands
    .flatMap(({ path, command }) => [
      ...command.subcommands.map((each) =>
        fishLine(
          `${fishQuoted(path)} 0`,
          `-a ${fishQuoted(each.name)} -d ${fishQuoted(oneLine(each.summary))}`,
        ),
      ),
      ...command.arguments.flatMap((argument, place) => fishArgument(path, argument, place)),
      ...command.options.map((option) => fishLine(fishQuoted(path), fishOption(option))),
    ])
    .join("\n");
}

function fishArgument(path: string, { value, variadic }: CommandArgument, place: number): string[] {
  const offer = fishOffer(value);
  if (offer === "") return [];
  return [fishLine(`${fishQuoted(path)} ${place}${variadic ? "+" : ""}`, offer)];
}

function fishOption({ flags, summary, value, valueOptional }: CommandOption): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  // -x: its value, and no files beside it.
  const needs = valueOptional ? "" : value === "files" ? "-r" : "-x";
  const takes = value === undefined ? [] : [needs, fishOffer(value)];
  return [...names, ...takes, `-d ${fishQuoted(oneLine(summary))}`].filter((part) => part !== "").join(" ");
}

function fishOffer(kind: ValueKind): string {
  if (typeof kind !== "string") return `-a ${fishQuoted(kind.join(" "))}`;
  if (kind === "any") return "";
  if (kind === "files") return "-F";
  if (kind === "folders") return "-a '(__fish_complete_directories)'";
  // -k keeps the order in which they come: the last used first.
  return `-k -a '(__elwood_values ${kind})'`;
}

function fishLine(condition: string, rest: string): string {
  return `complete -c elwood -n ${fishQuoted(`__elwood_at ${condition}`)} ${rest}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

// ── both ────────────────────────────────────────────────────────────────────────────

/** Options that take a value, each under every name it has at its command. */
function takers(commands: readonly PlacedCommand[]) {
  return commands.flatMap(({ path, command }) =>
    command.options.flatMap(({ flags, value, valueOptional }) =>
      value === undefined ? [] : [{ patterns: flags.map((flag) => `${path} ${flag}`), value, valueOptional }],
    ),
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
