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
  settings(): void;
  model(name: string): Promise<void>;
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

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  { name: "help", description: "commands and keys", run: (to) => to.help() },
  { name: "new", description: "begin another conversation", run: (to) => to.newSession() },
  {
    name: "sessions",
    argument: "[words]",
    description: "conversations; words search what was said in them",
    run: (to, words) => to.sessions(words),
  },
  {
    name: "load",
    argument: "[key or title]",
    description: "go on in an earlier conversation",
    run: (to, words) => to.openSession(words),
  },
  { name: "resume", description: "go on in the last conversation", run: (to) => to.resumeLast() },
  {
    name: "save",
    argument: "[title]",
    description: "give this conversation a title; everything in it is kept anyway",
    run: (to, title) => to.save(title),
  },
  {
    name: "export",
    argument: "[file.md or file.json]",
    description: "write this conversation into a file",
    run: (to, path) => to.exportSession(path),
  },
  {
    name: "edit",
    description: "change an earlier message and go on from there, in a copy",
    run: (to) => to.editEarlier(),
  },
  { name: "settings", description: "settings of this conversation", run: (to) => to.settings() },
  {
    name: "model",
    argument: "[provider/model]",
    description: "which model answers here; “usual” goes back",
    run: (to, name) => to.model(name),
  },
  {
    name: "system",
    argument: "[text, @prompt or none]",
    description: "what is added to the system prompt here",
    run: (to, text) => to.system(text),
  },
  {
    name: "temperature",
    argument: "[0 to 2, or usual]",
    description: "how freely the model chooses its words here",
    run: (to, value) => to.sampling("temperature", value),
  },
  {
    name: "top-p",
    argument: "[0 to 1, or usual]",
    description: "of how likely words the model chooses here",
    run: (to, value) => to.sampling("topP", value),
  },
  {
    name: "tools",
    argument: "[on or off]",
    description: "the tools, and whether the model has them here",
    run: (to, state) => to.tools(state),
  },
  {
    name: "mode",
    argument: "[strict, balanced or trusting]",
    description: "how much Elwood asks before it acts",
    run: (to, name) => to.mode(name),
  },
  { name: "stop", description: "stop the answer", run: (to) => to.stop() },
  { name: "approvals", description: "everything that waits for you", run: (to) => to.approvals() },
  {
    name: "evidence",
    description: "the calls of the last answer",
    run: (to) => to.report("evidence", ""),
  },
  {
    name: "receipts",
    description: "the receipts of the last answer, and whether the log is intact",
    run: (to) => to.report("receipts", ""),
  },
  { name: "undo", description: "take the last change back", run: (to) => to.undo() },
  { name: "usage", description: "tokens and cost", run: (to) => to.report("usage", "") },
  {
    name: "memory",
    argument: "<words>",
    description: "search what Elwood remembers",
    run: (to, words) => to.report("memory", words),
  },
  { name: "jobs", description: "what runs by itself, and when", run: (to) => to.report("jobs", "") },
  { name: "doctor", description: "whether everything is in order", run: (to) => to.report("doctor", "") },
  {
    name: "pin",
    argument: "[list or off]",
    description: "pin the last answer; list those that are pinned",
    run: (to, words) => to.pin(words),
  },
  {
    name: "snippets",
    argument: "[name, or save name]",
    description: "your prompts; saves your last message as one",
    run: (to, words) => to.snippets(words),
  },
  {
    name: "attach",
    argument: "[file]",
    description: "a file for the next message; without one, what your last !command wrote",
    run: (to, path) => to.attach(path),
  },
  { name: "history", description: "search what you sent before", run: (to) => to.history() },
  { name: "copy", description: "copy the last block of code", run: (to) => to.copyCode() },
  { name: "open", description: "open the last picture", run: (to) => to.openPicture() },
  { name: "fold", description: "unfold calls and thinking, or fold them", run: (to) => to.toggleFold() },
  { name: "wrap", description: "wrap long lines, or cut them", run: (to) => to.toggleWrap() },
  { name: "panes", description: "panes on or off", run: (to) => to.togglePanes() },
  { name: "clear", description: "an empty screen", run: (to) => to.clearScreen() },
  { name: "exit", description: "leave", run: (to) => to.exit() },
];

const NAME = /^\/([a-z]+(?:-[a-z]+)?)(?:\s+([^]*))?$/;

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
