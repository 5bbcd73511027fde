/**
 * The command line as a completion script needs to know it. Nothing here depends on the
 * library that parses it.
 */
export interface CommandTree {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CommandOption[];
  /** What follows the options, place by place. */
  readonly arguments: readonly CommandArgument[];
  readonly subcommands: readonly CommandTree[];
}

export interface CommandOption {
  /** As typed: `-m`, `--model`. */
  readonly flags: readonly string[];
  readonly summary: string;
  /** What it takes; absent for a switch. */
  readonly value?: ValueKind;
  /** It may also stand alone. */
  readonly valueOptional?: boolean;
}

export interface CommandArgument {
  readonly value: ValueKind;
  /** It takes all that follows. */
  readonly variadic: boolean;
}

/** Values that change while Elwood is used; the script asks `elwood completion --values …` for them. */
export const LIVE_VALUES = ["sessions", "notes", "models", "agents", "integrations", "tools"] as const;
export type LiveValues = (typeof LIVE_VALUES)[number];

/** `any`: nothing can be offered. A list: these words and no others. */
export type ValueKind = LiveValues | "files" | "folders" | "any" | readonly string[];

export interface PlacedCommand {
  /** From the root on, with blanks between: `elwood sessions show`. */
  readonly path: string;
  readonly command: CommandTree;
}

export function allCommands(tree: CommandTree, above = ""): PlacedCommand[] {
  const path = above === "" ? tree.name : `${above} ${tree.name}`;
  return [{ path, command: tree }, ...tree.subcommands.flatMap((each) => allCommands(each, path))];
}
