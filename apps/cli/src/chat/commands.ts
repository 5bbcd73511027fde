import { CombinedAutocompleteProvider, type AutocompleteProvider } from "@earendil-works/pi-tui";
import { CHAT_WORDS as WORDS } from "./words.ts";

/** What commands and keys can ask the chat to do. */
export interface ChatActions {
  say(text: string): void;
  help(): void;
  newSession(): void;
  sessions(): Promise<void>;
  load(sessionKey: string): Promise<void>;
  model(name: string): Promise<void>;
  stop(): void;
  approvals(): void;
  evidence(): Promise<void>;
  usage(): Promise<void>;
  memory(words: string): Promise<void>;
  undo(): Promise<void>;
  copyCode(): void;
  toggleWrap(): void;
  exit(): void;
}

export interface ChatCommand {
  readonly name: string;
  readonly description: string;
  /** As it is shown behind the name; in angle brackets where it must be given. */
  readonly argument?: string;
  run(actions: ChatActions, argument: string): void | Promise<void>;
}

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  { name: "help", description: "commands and keys", run: (to) => to.help() },
  { name: "new", description: "begin another conversation", run: (to) => to.newSession() },
  { name: "sessions", description: "go on in an earlier conversation", run: (to) => to.sessions() },
  {
    name: "model",
    argument: "[provider/model]",
    description: "which model answers here; “usual” goes back",
    run: (to, name) => to.model(name),
  },
  { name: "stop", description: "stop the answer", run: (to) => to.stop() },
  { name: "approvals", description: "everything that waits for you", run: (to) => to.approvals() },
  { name: "evidence", description: "the calls of the last answer", run: (to) => to.evidence() },
  { name: "undo", description: "take the last change back", run: (to) => to.undo() },
  { name: "usage", description: "tokens and cost of this conversation", run: (to) => to.usage() },
  {
    name: "memory",
    argument: "<words>",
    description: "search what Elwood remembers",
    run: (to, words) => to.memory(words),
  },
  { name: "copy", description: "copy the last block of code", run: (to) => to.copyCode() },
  { name: "wrap", description: "wrap long lines, or cut them", run: (to) => to.toggleWrap() },
  { name: "exit", description: "leave", run: (to) => to.exit() },
];

const NAME = /^\/([a-z]+)(?:\s+([^]*))?$/;

/** The command that a line gives; undefined where it is a message. A path such as /etc/hosts is one. */
export function readCommand(
  line: string,
): { readonly argument: string; run: ChatCommand["run"] } | undefined {
  const [, name, argument = ""] = NAME.exec(line) ?? [];
  if (name === undefined) return undefined;
  const known = CHAT_COMMANDS.find((command) => command.name === name);
  if (!known) return { argument: "", run: (to) => to.say(WORDS.unknownCommand(name)) };
  const given = argument.trim();
  if (given === "" && known.argument?.startsWith("<")) {
    const usage = `/${known.name} ${known.argument}`;
    return { argument: "", run: (to) => to.say(WORDS.needsArgument(usage)) };
  }
  return { argument: given, run: (to, words) => known.run(to, words) };
}

export function completions(folder: string): AutocompleteProvider {
  const commands = CHAT_COMMANDS.map(({ name, description, argument }) => ({
    name,
    description,
    ...(argument === undefined ? {} : { argumentHint: argument }),
  }));
  return new CombinedAutocompleteProvider(commands, folder);
}
