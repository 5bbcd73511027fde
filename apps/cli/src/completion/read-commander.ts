import type { Command, Option } from "commander";
import type { CommandArgument, CommandOption, CommandTree, ValueKind } from "./command-tree.ts";

/**
 * The command tree of a commander program, what it hides left out. What can be offered
 * for a value follows from the name it has in the help: `<session>`, `<note>`, `<provider/model>`,
 * `<agent>`, `<file>`, `<folder>`, or a list of choices.
 */
export function commandTree(command: Command): CommandTree {
  const help = command.createHelp();
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    options: help.visibleOptions(command).map(toOption),
    arguments: command.registeredArguments.map((argument): CommandArgument => ({
      value: argument.argChoices ?? kindOf(argument.name()),
      variadic: argument.variadic,
    })),
    subcommands: help.visibleCommands(command).map(commandTree),
  };
}

function toOption(option: Option): CommandOption {
  const takesValue = option.required || option.optional;
  const named = /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1] ?? "";
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    summary: option.description,
    ...(takesValue ? { value: option.argChoices ?? kindOf(named) } : {}),
    ...(option.optional ? { valueOptional: true } : {}),
  };
}

function kindOf(name: string): ValueKind {
  switch (name.replace(/\.\.\.$/, "")) {
    case "session":
      return "sessions";
    case "model":
    case "provider/model":
      return "models";
    case "note":
      return "notes";
    case "agent":
      return "agents";
    case "integration":
      return "integrations";
    case "tool":
      return "tools";
    case "file":
      return "files";
    case "folder":
      return "folders";
    default:
      return "any";
  }
}
