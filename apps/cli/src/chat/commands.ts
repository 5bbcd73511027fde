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

export const CHAT_COMMANDS: readonly ChatCommand[] = [
  { name: "help", ...WORDS.commands.help, run: (to) => to.help() },
  { name: "new", ...WORDS.commands.new, run: (to) => to.newSession() },
  {
    name: "sessions",
    ...WORDS.commands.sessions,
    run: (to, words) => to.sessions(words),
  },
  {
    name: "load",
    ...WORDS.commands.load,
    run: (to, words) => to.openSession(words),
  },
  { name: "resume", ...WORDS.commands.resume, run: (to) => to.resumeLast() },
  {
    name: "save",
    ...WORDS.commands.save,
    run: (to, title) => to.save(title),
  },
  {
    name: "export",
    ...WORDS.commands.export,
    run: (to, path) => to.exportSession(path),
  },
  {
    name: "edit",
    ...WORDS.commands.edit,
    run: (to) => to.editEarlier(),
  },
  { name: "settings", ...WORDS.commands.settings, run: (to) => to.settings() },
  {
    name: "model",
    ...WORDS.commands.model,
    run: (to, name) => to.model(name),
  },
  {
    name: "profile",
    ...WORDS.commands.profile,
    run: (to, id) => to.profile(id),
  },
  {
    name: "system",
    ...WORDS.commands.system,
    run: (to, text) => to.system(text),
  },
  {
    name: "temperature",
    ...WORDS.commands.temperature,
    run: (to, value) => to.sampling("temperature", value),
  },
  {
    name: "top-p",
    ...WORDS.commands["top-p"],
    run: (to, value) => to.sampling("topP", value),
  },
  {
    name: "tools",
    ...WORDS.commands.tools,
    run: (to, state) => to.tools(state),
  },
  {
    name: "mode",
    ...WORDS.commands.mode,
    run: (to, name) => to.mode(name),
  },
  { name: "stop", ...WORDS.commands.stop, run: (to) => to.stop() },
  { name: "approvals", ...WORDS.commands.approvals, run: (to) => to.approvals() },
  {
    name: "evidence",
    ...WORDS.commands.evidence,
    run: (to) => to.report("evidence", ""),
  },
  {
    name: "receipts",
    ...WORDS.commands.receipts,
    run: (to) => to.report("receipts", ""),
  },
  { name: "undo", ...WORDS.commands.undo, run: (to) => to.undo() },
  { name: "usage", ...WORDS.commands.usage, run: (to) => to.report("usage", "") },
  {
    name: "memory",
    ...WORDS.commands.memory,
    run: (to, words) => to.report("memory", words),
  },
  { name: "jobs", ...WORDS.commands.jobs, run: (to) => to.report("jobs", "") },
  { name: "doctor", ...WORDS.commands.doctor, run: (to) => to.report("doctor", "") },
  {
    name: "pin",
    ...WORDS.commands.pin,
    run: (to, words) => to.pin(words),
  },
  {
    name: "snippets",
    ...WORDS.commands.snippets,
    run: (to, words) => to.snippets(words),
  },
  {
    name: "attach",
    ...WORDS.commands.attach,
    run: (to, path) => to.attach(path),
  },
  { name: "history", ...WORDS.commands.history, run: (to) => to.history() },
  { name: "copy", ...WORDS.commands.copy, run: (to) => to.copyCode() },
  { name: "open", ...WORDS.commands.open, run: (to) => to.openPicture() },
  { name: "fold", ...WORDS.commands.fold, run: (to) => to.toggleFold() },
  { name: "wrap", ...WORDS.commands.wrap, run: (to) => to.toggleWrap() },
  { name: "panes", ...WORDS.commands.panes, run: (to) => to.togglePanes() },
  { name: "clear", ...WORDS.commands.clear, run: (to) => to.clearScreen() },
  { name: "exit", ...WORDS.commands.exit, run: (to) => to.exit() },
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
