import type { Command, CommanderError } from "commander";
import { closest, editDistance } from "@elwood/core/base/suggest";
import { sentencesIn } from "@elwood/core/base/sentences";
import { ownName, type Io } from "./io.ts";
import { say, type Sentence, type Speaking } from "./words/say.ts";

const LONG_WORD_CHARS = 6;

/**
 * Command names that other assistants have, or that Elwood does not have yet, with what
 * to do today. Somebody who types one wants a command, not a conversation about it.
 */
const NO_SUCH_COMMAND: Readonly<Record<string, Sentence>> = {
  actions: "See what the assistant can do with: elwood tools list",
  agents: "Agents are folders of Markdown in the workspace.",
  channel: "Chat services are connected with: elwood channels connect telegram",
  cron: "See what Elwood does by itself with: elwood jobs list",
  daemon: "Let the system run it with: elwood service install",
  devices: "See which programs have a token with: elwood token list",
  gateway: "Start it with: elwood up, look at it with: elwood status",
  job: "See what Elwood does by itself with: elwood jobs list",
  logs: "The log is on the page: elwood open",
  models: "See which models are connected with: elwood auth list",
  pairing: "See who may write with: elwood pair list",
  plugins: "See what the assistant can do with: elwood tools list",
  runs: "Runs are on the page: elwood open",
  skills:
    "Skills are folders in the workspace: skills/<name>/SKILL.md. Take over those of other assistants: elwood mcp import.",
};

/** Second words that turn such a name into a command. */
const VERBS = new Set(
  (
    "add allow approve check create delete deny disable edit enable export get history info init install list log login " +
    "logout logs ls new pair pause remove rename reset restart restore resume revoke rm run set show start " +
    "status stop sync test uninstall unpair update verify"
  ).split(" "),
);

/**
 * What is wrong with words that were typed as a message but look like a command: a name
 * of a command that is misspelt or that does not exist, alone or with what follows a
 * command. Undefined for everything else, which is said to the assistant. One argument
 * with blanks in it was quoted, so it is meant as a message.
 */
export function meantAsCommand(
  io: Speaking,
  program: Command,
  words: readonly string[],
  self: string,
): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined || /\s/.test(first)) return undefined;
  const near = misspelled(program, first);
  if (near !== undefined && (rest.length === 0 || followsCommand(program, near, rest))) {
    const meant = [near, ...rest].join(" ");
    const told = say(io, 'There is no command "{0}". Did you mean "{1}"? Nothing was sent.', first, meant);
    return `${told}\n${howToSay(io, self, words)}`;
  }
  const missing = noSuchCommand(first);
  if (missing !== undefined && (rest.length === 0 || VERBS.has(rest[0]!.toLowerCase()) || isIdAlone(rest))) {
    const hint = NO_SUCH_COMMAND[missing];
    const instead = hint === undefined ? "" : ` ${say(io, hint).replaceAll("elwood", self)}`;
    const told = say(io, 'Elwood has no command "{0}". Nothing was sent.', missing);
    return `${told}${instead}\n${howToSay(io, self, words)}`;
  }
  return undefined;
}

/** Nothing is said of these but that they are not there. */
const NOTHING_INSTEAD: readonly string[] = ["webhooks"];

function noSuchCommand(word: string): string | undefined {
  const name = word.toLowerCase();
  const known = [...Object.keys(NO_SUCH_COMMAND), ...NOTHING_INSTEAD];
  if (known.includes(name)) return name;
  // Short names are too near to ordinary words.
  const names = known.filter((each) => each.length >= LONG_WORD_CHARS);
  const near = name.length < LONG_WORD_CHARS ? undefined : closest(name, names);
  return near !== undefined && editDistance(name, near) <= 1 ? near : undefined;
}

/** A word that is a slip away from a command was hardly meant for the assistant; in a long one, two slips. */
function misspelled(program: Command, word: string): string | undefined {
  const near = closest(word, namesOf(program));
  if (near === undefined || near === word) return undefined;
  return editDistance(word, near) <= (word.length < LONG_WORD_CHARS ? 1 : 2) ? near : undefined;
}

/** Whether `rest` is what one writes behind this command, rather than the rest of a sentence. */
function followsCommand(program: Command, name: string, rest: readonly string[]): boolean {
  const command = commandAt(program, [name]);
  const inner = command === undefined ? [] : namesOf(command);
  const verb = rest[0]!.toLowerCase();
  if (inner.includes(verb)) return true;
  const near = closest(verb, inner);
  if (rest.length <= 2 && near !== undefined && verb.length > 2 && editDistance(verb, near) <= 1) return true;
  return isIdAlone(rest);
}

/** One word that no sentence has, such as `7xnwpaf5` or `call_01m7`. */
function isIdAlone(rest: readonly string[]): boolean {
  return rest.length === 1 && /^[\w-]{6,}$/.test(rest[0]!) && /\d/.test(rest[0]!) && /[a-z]/i.test(rest[0]!);
}

/** How to send words to the assistant that look like a command. */
function howToSay(io: Speaking, self: string, words: readonly string[]): string {
  const text = words.join(" ");
  const quoted = /^[\w@%+=:,./-]+$/.test(text)
    ? text
    : /["$`\\!]/.test(text)
      ? `'${text.replaceAll("'", String.raw`'\''`)}'`
      : `"${text}"`;
  return say(io, "To say it to the assistant, write: {0} -- {1}", self, quoted);
}

/** `elwood help` and `elwood help sessions show` ask for help; `elwood help me write a letter` is said to the assistant. */
export function withHelpWord(program: Command, argv: readonly string[]): string[] {
  const [first, ...path] = argv;
  const asked = first === "help" && (path.length === 0 || commandAt(program, path) !== undefined);
  return asked ? [...path, "--help"] : [...argv];
}

/** What is wrong with a command line, and where to read on. */
export function usageText(
  io: Pick<Io, "env" | "spoken">,
  program: Command,
  argv: readonly string[],
  error: CommanderError,
): string {
  const start = argv.findIndex((word) => namesOf(program).includes(word));
  const group = start < 0 ? undefined : commandAt(program, [argv[start]!]);
  const words = argv.slice(start);
  const word = words[1];
  const below = group && word !== undefined ? commandAt(group, [word]) : undefined;
  const tooMany = group !== undefined && error.code === "commander.excessArguments";
  // Several words without any option may have been a sentence that begins with a command's name.
  const how =
    tooMany && words.every((each) => !each.startsWith("-"))
      ? `\n${howToSay(io, ownName(io.env), words)}`
      : "";
  if (tooMany && word !== undefined && !below && isGroup(group)) {
    const near = closest(word, namesOf(group));
    const meant =
      near === undefined
        ? say(io, "There are {0}.", namesOf(group).join(", "))
        : say(io, 'Did you mean "{0}"?', near);
    return `${say(io, 'There is no command "{0}".', `${group.name()} ${word}`)} ${meant}${how}\n`;
  }
  if (group === undefined) {
    const plain = argv.filter((each) => !each.startsWith("-"));
    const near = plain[0] === undefined ? undefined : misspelled(program, plain[0]);
    if (near !== undefined && error.code === "commander.unknownOption")
      return `${say(io, 'There is no command "{0}".', plain[0] ?? "")} ${say(io, 'Did you mean "{0}"?', near)} ${say(io, "See: {0} --help", `${program.name()} ${near}`)}\n`;
  }
  const where = [program, group, below].flatMap((each) => each?.name() ?? []).join(" ");
  return `${libraryText(io, error.message)} ${say(io, "See: {0} --help", where)}${how}\n`;
}

/** What the library says of a command line, as a sentence. */
function libraryText({ spoken }: Speaking, message: string): string {
  const text = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?)]$/.test(text) ? "" : "."}`;
  return spoken ? sentencesIn({ sentences: spoken.usage }, sentence) : sentence;
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
