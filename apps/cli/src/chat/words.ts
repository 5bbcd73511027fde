import { deedOf } from "@elwood/core/tool/tool-words";

/** Every sentence of the chat screen, in one place. Those that cards, calls and replies share with the page come from `core`. */
const ENGLISH = {
  welcome: (model: string) => `${model} · /help lists commands · Ctrl+C twice leaves`,
  lastSession: (title: string, ago: string) =>
    `Last conversation: “${title}”, ${ago} ago. /resume goes on in it.`,
  resumed: (title: string) => `Going on in “${title}”. /new begins another conversation.`,
  earlier: (count: number) =>
    count === 1 ? "1 earlier message is not shown." : `${count} earlier messages are not shown.`,
  demoName: "demo model",
  demo: "Demo model: scripted answers. Connect a real one with: elwood auth anthropic",
  connecting: "Connecting…",
  canWrite: "Elwood can write again, and goes on.",
  lost: "The connection is gone. Elwood tries again; what you send waits.",
  back: "Connected again.",
  otherVersion: (theirs: string, mine: string) =>
    `The gateway is Elwood ${theirs}, this terminal ${mine}. Where something looks wrong, use the same version for both.`,
  otherProtocol: (theirs: number, mine: number) =>
    `The gateway speaks protocol ${theirs}, this terminal ${mine}. Some commands may not work; use the same version for both.`,
  queued: (count: number, first: string) => `${count === 1 ? "Queued" : `${count} queued`}: ${first}`,
  waitsElsewhere: (count: number) =>
    count === 1 ? "1 approval waits elsewhere: /approvals" : `${count} approvals wait elsewhere: /approvals`,
  again: "Press Ctrl+C again to leave.",
  stopHint: (key: string) => `${key} stops`,
  chooseHint: "↑↓ and Enter decide, Esc puts it off",
  waitsHere: "Waiting for you",
  stopped: "Stopping…",
  nothingRuns: "Nothing is running.",
  notSent: (why: string) => `Not sent: ${why}`,
  draftBack: "The terminal was lost before this was sent. It is in the box again.",
  readerGone:
    "Nobody reads the answers any more. What was sent is answered and kept in its conversation; nothing more was sent.",
  unsent: (text: string) => `Not sent, because the chat ended: ${text}`,
  unknownCommand: (name: string) => `There is no command /${name}. /help lists those there are.`,
  needsArgument: (usage: string) => `Write it like this: ${usage}`,
  newSession: "A new conversation.",
  noSessions: "There is no earlier conversation.",
  noMatch: "Nothing fits.",
  noApprovals: "Nothing waits for you.",
  noAnswer: "There is no answer yet.",
  noCalls: "The last answer made no calls.",
  noReceipts: "The last answer left no receipts.",
  noCode: "The last answer has no block of code.",
  copied: "Copied the last block of code.",
  copyTooLong:
    "The last block of code is too long for the terminal's clipboard. /export writes it into a file.",
  noModels: "No model can be chosen: none has a key.",
  noProvider: (name: string) => `No model of “${name}” can be chosen. /model lists those there are.`,
  modelIs: (model: string) => `From now on ${model} answers here.`,
  profileNow: (id: string | undefined) =>
    id === undefined
      ? "Whichever key has its turn pays here. /profile provider:name has one pay, and no other."
      : `${id} pays here, and no other key takes over. /profile usual goes back.`,
  modelUsual: "From now on the usual model answers here.",
  systemIs: "Added to the system prompt of this conversation. /system none takes it out.",
  systemNone: "Nothing is added to the system prompt here.",
  systemNow: (text: string) => `Added to the system prompt here:\n${text}`,
  systemLong: (max: number) => `This is longer than ${max} characters. Nothing was changed.`,
  samplingIs: (name: string, value: number) =>
    `The ${name} is ${value} here. A model that takes none is asked without it.`,
  samplingUsual: (name: string) => `The ${name} is the model's usual one here.`,
  samplingWrong: (name: string, range: string) => `The ${name} is a number ${range}. Nothing was changed.`,
  toolsOff: "From now on the model has no tools here. /tools on gives them back.",
  toolsOn: "The model has its tools here.",
  toolsWrong: "Write /tools on or /tools off. Nothing was changed.",
  pickTool: (off: boolean) =>
    off
      ? "The tools. The model has none of them here: /tools on."
      : "The tools the model has here. Type to search, Esc goes back.",
  modeIs: (mode: string) => `Mode: ${mode}.`,
  modeWrong: "There are strict, balanced and trusting.",
  modeLooser: (from: string) => `The mode is ${from}. Asking less means more runs without you.`,
  modeStay: (mode: string) => `Stay with ${mode}`,
  modeTo: (mode: string) => `Switch to ${mode}`,
  wrap: (on: boolean) => (on ? "Long lines of code are wrapped." : "Long lines of code are cut at the edge."),
  folded: "Calls and thinking are folded from now on.",
  unfolded: "Calls and thinking are shown whole from now on.",
  thought: (time: string) => `Thought for ${time}`,
  titleBy: "A title for this conversation. Enter saves it, Esc goes back.",
  titled: (title: string) => `This conversation is called “${title}”. Everything in it is kept.`,
  nothingToSave: "Nothing was said yet. What you say is kept as soon as it is sent.",
  exported: (path: string) => `Written to ${path}.`,
  exists: (path: string) => `${path} exists already. Nothing was written; name another file.`,
  cannotWrite: (path: string, why: string) => `${path} cannot be written (${why}). Nothing was written.`,
  pinned: "Pinned the last answer. /pin list shows what is pinned.",
  alreadyPinned: "The last answer is pinned already.",
  unpinned: "The last answer is not pinned any more.",
  noPins: "Nothing is pinned here.",
  pickPin: "Pinned answers. Enter shows one, Esc goes back.",
  pickSnippet: "Your prompts. Type to search, Enter puts one into the box, Esc goes back.",
  noSnippets: (folder: string) =>
    `No prompts yet. /snippets save NAME keeps your last message; files in ${folder} count too.`,
  snippetSaved: (name: string, folder: string) => `Saved your last message as ${name}.md in ${folder}.`,
  snippetExists: (name: string) =>
    `There is a prompt “${name}” already. Nothing was changed; choose another name.`,
  nothingSent: "You have not sent anything here yet.",
  pickHistory: "What you sent before, newest first. Type to search, Enter puts it into the box.",
  pickEarlier: "Change which message? What follows it is left out of the copy. Enter chooses, Esc goes back.",
  copyOf: "A copy up to there. Change the message and send it; the first conversation stays as it is.",
  attached: (names: string) => `Goes with your next message: ${names}. Esc in an empty box takes it out.`,
  noPrompt: (server: string, prompt: string, known: readonly string[]) =>
    `${server} prepares no text “${prompt}”. ${known.length === 0 ? "It prepares none." : `There are: ${known.join(", ")}.`} Nothing was sent.`,
  promptNeeds: (argument: string) => `The text needs: ${argument}`,
  promptLeft: "The text was left out. Nothing was sent.",
  promptAttached: (prompt: string, server: string) =>
    `“${prompt}” of ${server} goes with your next message; Enter alone sends it so. Esc in an empty box takes it out.`,
  attachedNow: (names: string) => `With your next message: ${names}`,
  detached: "Nothing goes with your next message.",
  tooManyFiles: (max: number) => `At most ${max} files go with a message.`,
  longFile: (name: string, chars: number) => `${name} is long: the model sees its first ${chars} characters.`,
  noOutput: "No command of yours has written anything. Write !command first, or name a file.",
  noClipboard: "This system's clipboard cannot be read here. Name the picture's file with @ instead.",
  noClipboardPicture: "There is no picture in the clipboard.",
  noPicture: "There is no picture in this conversation.",
  picture: (n: number, name: string, key: string) => `[picture ${n}: ${name} · ${key} opens it]`,
  file: (name: string) => `[file: ${name}]`,
  noPage: "There is no page with --local. Pictures open in a conversation that runs in a gateway.",
  pictureAt: (url: string) => `Open it in a browser on this machine: ${url}`,
  pictureOpened: "Opened in your browser.",
  ownCommand: (command: string) =>
    `Run “${command}” as you, outside of Elwood's sandbox? What it writes is shown here and not sent.`,
  ownCommandYes: "Run it, and do not ask again in this chat",
  ownCommandNo: "Do not run it",
  ownCommandEnded: (code: string) => `${code}. /attach puts what it wrote into your next message.`,
  ownCommandQuiet: (code: string) => `${code}. It wrote nothing.`,
  ownCommandRuns: "A command of yours is running",
  decideLater: "Not decided. It waits: /approvals shows it again.",
  allowOnce: "Allow once",
  edit: "Edit, then decide",
  deny: "Deny",
  denyNote: "Deny and say why",
  details: "Show details",
  later: "Decide later",
  noteFor: "Why not? The assistant is told. Enter sends it, Esc goes back.",
  confirmBy: (word: string) => `Type ${word} and press Enter to allow it. Esc goes back.`,
  otherWord: "That is another word, so nothing was decided.",
  answerBy: "Type your answer and press Enter. Esc leaves it for later.",
  otherAnswer: "Another answer…",
  decidedElsewhere: (what: string) => `Decided elsewhere: ${what}`,
  answeredElsewhere: "Answered elsewhere.",
  cannotEdit: (why: string) => `Not changed: ${why}`,
  pickSession: "Conversations, newest first. Type to search, Enter opens, Esc goes back.",
  pickModel: "Models. Type to search, Enter chooses, Esc goes back.",
  pickSetting: "Settings of this conversation. Enter changes one, Esc goes back.",
  undone: (what: string) => `Undone. ${what}`,
  notUndone: (why: string) => `Not undone. ${why}`,
  undoneSince: "undone since",
  nothingToUndo: "Nothing that ran here can be undone.",
  failed: (why: string) => `Not done: ${why}`,
  tooLong: (max: number) => `This is longer than ${max} characters. Nothing was sent; attach it as a file.`,
  needsYou: "Something waits for you",
  ready: "The answer is ready",
  lineIntro: (model: string) =>
    `${model} · one message per line · /help lists commands · an empty line or Ctrl+D leaves`,
  lineCommands: "Here there are /new, /help and /exit. A terminal that can move its cursor has all commands.",
  exitCode: (code: number) => `exit code ${code}`,
  lines: (count: number) => (count === 1 ? "1 line" : `${count} lines`),
  moreLines: (count: number) => `… ${count} more lines`,
  ownCommandCode: (code: number | null | undefined) => `Exit code ${code ?? "unknown"}`,
  ownCommandSignal: (signal: string) => `Ended by ${signal}`,
  samplingRange: { temperature: "from 0 to 2", topP: "above 0, up to 1" },
  /** Behind the model's name, below the box. */
  status: {
    temperature: (value: number) => `temperature ${value}`,
    topP: (value: number) => `top-p ${value}`,
    noTools: "no tools",
    ownSystem: "own system prompt",
    readOnly: "read-only",
    notConnected: "not connected",
  },
  settings: {
    model: "Model",
    profile: "Key that pays",
    system: "System prompt",
    temperature: "Temperature",
    topP: "Top-p",
    tools: "Tools",
    mode: "Mode",
    longLines: "Long lines",
    calls: "Calls and thinking",
    nothing: "nothing added",
    usual: "usual",
    on: "on",
    off: "off",
    wrapped: "wrapped",
    cut: "cut",
    folded: "folded",
    whole: "whole",
  },
  panes: { left: "Conversations", right: "Calls and evidence" },
  reports: {
    usageHere: (answers: number, tokens: number, cost: string) =>
      `${answers} answers · ${tokens} tokens · $${cost} in this conversation`,
    usageToday: (spent: string, cap: string) => `$${spent} of $${cap} today`,
    noJobs: "No jobs. Ask for a reminder, or: elwood jobs add",
    next: (time: string) => `next ${time}`,
    findings: (ok: number, warnings: number, errors: number) =>
      `${ok} in order · ${warnings} warnings · ${errors} errors`,
  },
  files: {
    folder: (name: string) => `${name} is a folder. Name a file in it. Nothing was sent.`,
    notPlain: (name: string) => `${name} is no plain file. Nothing was sent.`,
    tooLarge: (name: string, size: string, max: string) =>
      `${name} has ${size}; at most ${max} can be attached. Nothing was sent.`,
    empty: (name: string) => `${name} is empty. Nothing was sent.`,
    noPicture: "What the clipboard has is no picture that can be attached.",
    binary: (name: string) =>
      `${name} is binary: neither text in UTF-8, a picture nor a document. Nothing was sent.`,
    missing: (name: string) => `${name} does not exist. Nothing was sent.`,
    closed: (name: string) => `${name} may not be read. Nothing was sent.`,
    unreadable: (name: string, code: string) => `${name} cannot be read (${code}). Nothing was sent.`,
    notHandedOver: (name: string) =>
      `${name} could not be handed over: the gateway cannot be reached. Nothing was sent.`,
    refused: (name: string, status: number) => `${name} was refused (${status}).`,
  },
  prompts: {
    tooLong: (name: string, max: number) => `The prompt “${name}” is longer than ${max} characters.`,
    missing: (name: string, folder: string) =>
      `There is no prompt “${name}” in ${folder}. /snippets lists those there are.`,
    noName: (name: string) =>
      `“${name}” is no name for a prompt: letters, digits, spaces, - and _, 60 at most.`,
    folder: (folder: string, code: string) => `${folder} cannot be used (${code}). Nothing was changed.`,
  },
  keysFile: {
    unreadable: (path: string, code: string) => `${path} cannot be read (${code}). The usual keys count.`,
    tooLong: (path: string) => `${path} is too long to be a keys file. The usual keys count.`,
    noYaml: (path: string, why: string) => `${path} is not valid YAML: ${why} The usual keys count.`,
    noLines: (path: string) => `${path} must have lines such as “sessions: ctrl+o”. The usual keys count.`,
    noAction: (path: string, action: string) =>
      `${path}: there is no action “${action}”. /help lists those there are.`,
    noKey: (path: string, key: string, action: string) =>
      `${path}: “${key}” of ${action} is no key. Write it like ctrl+o, alt+enter or f2.`,
    twice: (path: string, key: string, one: string, other: string) =>
      `${path}: ${key} is both ${one} and ${other}; the first counts.`,
  },
  start: {
    noAddress: (url: string) =>
      `“${url}” is no address of a gateway. Write it like https://elwood.example:18789`,
    noProvider: (provider: string, known: string) =>
      `No model of “${provider}” can be asked. ${known === "" ? "None has a key." : `There are: ${known}.`}`,
    tokenAlone: "--token goes with --url: the gateway of this machine knows you. Nothing was sent.",
    noToken:
      "--url needs a token of that gateway: --token, or ELWOOD_TOKEN. What this machine has stored is not tried elsewhere. Nothing was sent.",
  },
  /** In the help, beside commands and keys. */
  signs: {
    "@file": "a file goes with the message",
    "@server:address": "so does what an MCP server offers to read",
    "/server:prompt": "and a text that it prepares",
    "!command": "a command of your own, in your shell",
  },
  /** What other parts say: calls, states, and the gateway. */
  doing: (tool: string) => deedOf(tool).doing,
  done: (tool: string) => deedOf(tool).done,
  todo: (tool: string) => deedOf(tool).todo,
  state: (word: string) => word,
  gateway: (text: string) => text,
  failure: (_reason: string, message: string) => message,
  working: "Working",
  /** What an answer does, as `view-state` names it. */
  goesOn: (status: string) => status,
  tokens: (count: number) => `${count} tokens`,
  pasted: (name: string, lines: number) => `[${name}: ${lines} lines] `,
  ofAll: (one: number, all: number) => `${one} of ${all}`,
  commands: {
    help: { description: "commands and keys" },
    new: { description: "begin another conversation" },
    sessions: { argument: "[words]", description: "conversations; words search what was said in them" },
    load: { argument: "[key or title]", description: "go on in an earlier conversation" },
    resume: { description: "go on in the last conversation" },
    save: {
      argument: "[title]",
      description: "give this conversation a title; everything in it is kept anyway",
    },
    export: { argument: "[file.md or file.json]", description: "write this conversation into a file" },
    edit: { description: "change an earlier message and go on from there, in a copy" },
    settings: { description: "settings of this conversation" },
    model: { argument: "[provider/model]", description: "which model answers here; “usual” goes back" },
    profile: {
      argument: "[provider:name]",
      description: "which key pays here, and no other; “usual” goes back",
    },
    system: { argument: "[text, @prompt or none]", description: "what is added to the system prompt here" },
    temperature: {
      argument: "[0 to 2, or usual]",
      description: "how freely the model chooses its words here",
    },
    "top-p": { argument: "[0 to 1, or usual]", description: "of how likely words the model chooses here" },
    tools: { argument: "[on or off]", description: "the tools, and whether the model has them here" },
    mode: { argument: "[strict, balanced or trusting]", description: "how much Elwood asks before it acts" },
    stop: { description: "stop the answer" },
    approvals: { description: "everything that waits for you" },
    evidence: { description: "the calls of the last answer" },
    receipts: { description: "the receipts of the last answer, and whether the log is intact" },
    undo: { description: "take the last change back" },
    usage: { description: "tokens and cost" },
    memory: { argument: "<words>", description: "search what Elwood remembers" },
    jobs: { description: "what runs by itself, and when" },
    doctor: { description: "whether everything is in order" },
    pin: { argument: "[list or off]", description: "pin the last answer; list those that are pinned" },
    snippets: {
      argument: "[name, or save name]",
      description: "your prompts; saves your last message as one",
    },
    attach: {
      argument: "[file]",
      description: "a file for the next message; without one, what your last !command wrote",
    },
    history: { description: "search what you sent before" },
    copy: { description: "copy the last block of code" },
    open: { description: "open the last picture" },
    fold: { description: "unfold calls and thinking, or fold them" },
    wrap: { description: "wrap long lines, or cut them" },
    panes: { description: "panes on or off" },
    clear: { description: "an empty screen" },
    exit: { description: "leave" },
  },
  keys: {
    send: "send",
    newLine: "new line",
    complete: "complete; next pane where there are panes",
    deleteLineEnd: "delete to the end of the line",
    stop: "stop the answer; twice in an empty box: edit an earlier message",
    clear: "clear the box, twice to leave",
    leave: "leave, where the box is empty",
    help: "commands and keys",
    settings: "settings of this conversation",
    tools: "tools",
    evidence: "the calls of the last answer",
    panes: "panes on or off",
    save: "give this conversation a title",
    sessions: "conversations",
    clearScreen: "an empty screen; what was said stays above it",
    fold: "unfold calls and thinking, or fold them",
    model: "models",
    editor: "write in your editor",
    history: "search what you sent before",
    mode: "ask more before acting; asking less is confirmed",
    copyCode: "copy the last block of code",
    openPicture: "open the last picture",
    pastePicture: "attach the picture in the clipboard",
  },
} as const;

/** The same sentences with the same values, in any language. */
type InWords<T> = T extends string
  ? string
  : T extends (...values: infer V) => string
    ? (...values: V) => string
    : { readonly [K in keyof T]: InWords<T[K]> };
export type ChatWords = InWords<typeof ENGLISH>;

/** In the language of the terminal. The table is the same object in every language, so that whoever has it need not ask. */
export const CHAT_WORDS: ChatWords = { ...ENGLISH };

/** At the start of a chat, before anything is drawn: a terminal speaks one language at a time. */
export function speakInChat(words: ChatWords | undefined): void {
  Object.assign(CHAT_WORDS, words ?? ENGLISH);
}
