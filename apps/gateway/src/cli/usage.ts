import type { Command, CommanderError } from "commander";
import { closest, editDistance } from "../config/suggest.ts";

const LONG_WORD_CHARS = 6;

/** A single word that is a slip away from a command was hardly meant for the assistant; in a long one, two slips. */
export function misspelled(program: Command, word: string): string | undefined {
  const near = closest(word, namesOf(program));
  if (near === undefined || near === word) return undefined;
  return editDistance(word, near) <= (word.length < LONG_WORD_CHARS ? 1 : 2) ? near : undefined;
}

/** `elwood help` and `elwood help sessions show` ask for help; `elwood help me write a letter` is said to the assistant. */
export function withHelpWord(program: Command, argv: readonly string[]): string[] {
  const [first, ...path] = argv;
  const asked = first === "help" && (path.length === 0 || commandAt(program, path) !== undefined);
  return asked ? [...path, "--help"] : [...argv];
}

/** What is wrong with a command line, and where to read on. */
export function usageText(program: Command, argv: readonly string[], error: CommanderError): string {
  const start = argv.findIndex((word) => namesOf(program).includes(word));
  const group = start < 0 ? undefined : commandAt(program, [argv[start]!]);
  const word = argv[start + 1];
  if (group && word !== undefined && error.code === "commander.excessArguments" && isGroup(group)) {
    const near = closest(word, namesOf(group));
    const meant = near === undefined ? `There are ${namesOf(group).join(", ")}.` : `Did you mean "${near}"?`;
    return `There is no command "${group.name()} ${word}". ${meant}\n`;
  }
  const sentence = error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  const where = group ? `${program.name()} ${group.name()}` : program.name();
  return `${sentence[0]?.toUpperCase() ?? ""}${sentence.slice(1)}${/[.?)]$/.test(sentence) ? "" : "."} See: ${where} --help\n`;
}

function commandAt(program: Command, path: readonly string[]): Command | undefined {
  let at: Command | undefined = program;
  for (const name of path) at = at?.commands.find((command) => command.name() === name);
  return at;
}

function isGroup(command: Command): boolean {
  return command.commands.length > 0;
}

function namesOf(command: Command): string[] {
  return command.commands.map((each) => each.name());
}
