import { CHAT_WORDS as WORDS } from "./words.ts";

/** What commands and keys can ask the chat to do. */
export interface ChatActions {
  say(text: string): void;
  help(): void;
  newSession(): void;
  sessions(words: string): Promise<void>;
  openSession(words: string): Promise<void>;
  resumeLast(): Promise<void>;
  save(title: string): Promise<void>;
  exportSession(path: string): Promise<void>;
  editEarlier(): void;
  retry(): Promise<void>;
  version(words: string): Promise<void>;
  settings(): void;
  model(name: string): Promise<void>;
  profile(id: string): Promise<void>;
  system(text: string): Promise<void>;
  sampling(which: "temperature" | "topP", value: string): Promise<void>;
  tools(state: string): Promise<void>;
  mode(name: string): Promise<void>;
  stop(): void;
  approvals(): void;
  report(what: ReportName, words: string): Promise<void>;
  undo(): Promise<void>;
  pin(words: string): Promise<void>;
  snippets(words: string): Promise<void>;
  attach(path: string): Promise<void>;
  history(): Promise<void>;
  copyCode(): void;
  openPicture(): Promise<void>;
  toggleFold(): Promise<void>;
  toggleWrap(): void;
  togglePanes(): Promise<void>;
  clearScreen(): void;
  exit(): void;
}

export const REPORTS = ["evidence", "receipts", "usage", "memory", "jobs", "doctor"] as const;
export type ReportName = (typeof REPORTS)[number];

export interface ChatCommand {
  readonly name: string;
  readonly description: string;
  /** As it is shown behind the name; in angle brackets where it must be given. */
  readonly argument?: string;
  run(actions: ChatActions, argument: string): void | Promise<void>;
}

/** All of them, in the language of the terminal. */
export function chatCommands(): readonly ChatCommand[] {
  return COMMANDS.map((command) => ({ ...command, ...WORDS.commands[command.name] }));
}

interface Command extends Pick<ChatCommand, "run"> {
  readonly name: keyof typeof WORDS.commands;
}

const COMMANDS: readonly Command[] = [
  { name: "help", run: (to) => to.help() },
  { name: "new", run: (to) => to.newSession() },
  {
    name: "sessions",
    run: (to, words) => to.sessions(words),
  },
  {
    name: "load",
    run: (to, words) => to.openSession(words),
  },
  { name: "resume", run: (to) => to.resumeLast() },
  {
    name: "save",
    run: (to, title) => to.save(title),
  },
  {
    name: "export",
    run: (to, path) => to.exportSession(path),
  },
  {
    name: "edit",
    run: (to) => to.editEarlier(),
  },
  { name: "retry", run: (to) => to.retry() },
  {
    name: "version",
    run: (to, words) => to.version(words),
  },
  { name: "settings", run: (to) => to.settings() },
  {
    name: "model",
    run: (to, name) => to.model(name),
  },
  {
    name: "profile",
    run: (to, id) => to.profile(id),
  },
  {
    name: "system",
    run: (to, text) => to.system(text),
  },
  {
    name: "temperature",
    run: (to, value) => to.sampling("temperature", value),
  },
  {
    name: "top-p",
    run: (to, value) => to.sampling("topP", value),
  },
  {
    name: "tools",
    run: (to, state) => to.tools(state),
  },
  {
    name: "mode",
    run: (to, name) => to.mode(name),
  },
  { name: "stop", run: (to) => to.stop() },
  { name: "approvals", run: (to) => to.approvals() },
  {
    name: "evidence",
    run: (to) => to.report("evidence", ""),
  },
  {
    name: "receipts",
    run: (to) => to.report("receipts", ""),
  },
  { name: "undo", run: (to) => to.undo() },
  { name: "usage", run: (to) => to.report("usage", "") },
  {
    name: "memory",
    run: (to, words) => to.report("memory", words),
  },
  { name: "jobs", run: (to) => to.report("jobs", "") },
  { name: "doctor", run: (to) => to.report("doctor", "") },
  {
    name: "pin",
    run: (to, words) => to.pin(words),
  },
  {
    name: "snippets",
    run: (to, words) => to.snippets(words),
  },
  {
    name: "attach",
    run: (to, path) => to.attach(path),
  },
  { name: "history", run: (to) => to.history() },
  { name: "copy", run: (to) => to.copyCode() },
  { name: "open", run: (to) => to.openPicture() },
  { name: "fold", run: (to) => to.toggleFold() },
  { name: "wrap", run: (to) => to.toggleWrap() },
  { name: "panes", run: (to) => to.togglePanes() },
  { name: "clear", run: (to) => to.clearScreen() },
  { name: "exit", run: (to) => to.exit() },
];

const NAME = /^\/([a-z]+(?:-[a-z]+)?)(?:\s+([^]*))?$/;

/** The command that a line gives; undefined where it is a message. A path such as /etc/hosts is one. */
export function readCommand(
  line: string,
): { readonly argument: string; run: ChatCommand["run"] } | undefined {
  const [, name, argument = ""] = NAME.exec(line) ?? [];
  if (name === undefined) return undefined;
  const known = chatCommands().find((command) => command.name === name);
  if (!known) return { argument: "", run: (to) => to.say(WORDS.unknownCommand(name)) };
  const given = argument.trim();
  if (given === "" && known.argument?.startsWith("<")) {
    const usage = `/${known.name} ${known.argument}`;
    return { argument: "", run: (to) => to.say(WORDS.needsArgument(usage)) };
  }
  return { argument: given, run: (to, words) => known.run(to, words) };
}
