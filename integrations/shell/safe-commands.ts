import { parseCommandLine } from "./command-line.ts";
import { SHELL_LIMITS } from "./limits.ts";
import { powerOf, POWER_WORDS } from "./programs.ts";
import { fitGit } from "./git-profile.ts";
import { fitProfile, type PathWord } from "./safe-arguments.ts";
import { SAFE_PROGRAMS } from "./safe-programs.ts";

/** Which commands run unasked: those we know, or those the owner lists instead. */
export interface SafeSet {
  /** Paths to look at where the command belongs to the set, by its form alone. */
  fit(name: string, args: readonly string[]): readonly PathWord[] | undefined;
  /** Entries that were left out, and why. */
  readonly refused: readonly string[];
}

const KNOWN = [...Object.keys(SAFE_PROGRAMS), "git"];

/**
 * A name we know stands for its read-only profile and never for more. Any other entry stands
 * for exactly these words, and after them only for files below the working root.
 */
export function safeSet(listed: readonly string[] | undefined): SafeSet {
  const profiles = new Set<string>(listed === undefined ? KNOWN : []);
  const prefixes: (readonly string[])[] = [];
  const refused: string[] = [];
  for (const entry of (listed ?? []).slice(0, SHELL_LIMITS.safeCommandsMax)) {
    const read = readEntry(entry);
    if (typeof read === "string") refused.push(`permissions.safeCommands: "${entry}" is left out: ${read}.`);
    else if (read.length === 1 && KNOWN.includes(read[0]!)) profiles.add(read[0]!);
    else prefixes.push(read);
  }
  return {
    refused,
    fit(name, args) {
      if (profiles.has(name)) {
        const paths = name === "git" ? fitGit(args) : fitProfile(SAFE_PROGRAMS[name]!, args);
        if (paths !== undefined) return paths;
      }
      for (const prefix of prefixes) {
        const words = [name, ...args];
        if (!prefix.every((word, i) => word === words[i])) continue;
        const paths = fitProfile({ words: ["path"] }, words.slice(prefix.length));
        // What runs files of a project is meant word by word.
        if (paths !== undefined && (paths.length === 0 || powerOf(name) === undefined)) return paths;
      }
      return undefined;
    },
  };
}

function readEntry(entry: string): readonly string[] | string {
  const line = parseCommandLine(entry);
  if (line.kind === "shell") return `it holds ${line.because}, which needs a shell`;
  const [name, ...args] = line.argv;
  if (name === undefined || name === "") return "it is empty";
  if (name.includes("/")) return "write the program's name without a path";
  const power = powerOf(name);
  if (power === undefined || KNOWN.includes(name)) {
    return name === "git" && args.length > 0 && fitGit(args) === undefined
      ? "it is not one of the git commands that only look"
      : line.argv;
  }
  if (power === "runner" && args.length > 0) return line.argv;
  if (power === "runner")
    return `${name} ${POWER_WORDS[power]}; name a whole command, such as "${name} test"`;
  return `${name} ${POWER_WORDS[power]}, so it would stand for anything`;
}
