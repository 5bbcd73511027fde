import { STATUS_WORDS } from "@elwood/core/tool/tool";
import { toolCall, type Step } from "@elwood/sdk/model-script/steps";
import { cited, withUndoHint, type Scenario } from "./demo-scenario.ts";
import { isDone, sentenceFor, type Outcome } from "./demo-outcomes.ts";
import { says, shown } from "./demo-words.ts";

const LIST = "files.file.list";
const READ = "files.file.read";
const WRITE = "files.file.write";
const SEARCH = "files.file.search";
const MOVE = "files.file.move";
const DELETE = "files.file.delete";

export const FILE_SCENARIOS: readonly Scenario[] = [
  {
    example: "tidy my demo folder",
    tools: [LIST, MOVE, WRITE],
    asked: says("(?:tidy|clean)(?: up)? (?:my |the )?demo folder"),
    calls: [
      () => toolCall(LIST, { path: "." }),
      (_, [here]) => (hasDemo(here!) ? toolCall(LIST, { path: "demo" }) : toolCall(WRITE, SOMETHING)),
      (_, [here, next]) => (next!.toolId === WRITE ? demoMade(here!, next!) : tidyingMove(next!)),
    ],
    tell: ([, listed, moved]) =>
      `I looked into the folder demo${cited(listed!)} and put one loose file away. ${withUndoHint(moved!)}`,
  },
  {
    example: "make me a demo list",
    tools: [WRITE],
    asked: says("(?:make|write|create)(?: me)? a demo list"),
    calls: [() => toolCall(WRITE, { path: "demo/shopping.txt", content: "milk\neggs\nbread\napples\n" })],
    tell: ([written]) => withUndoHint(written!),
  },
  {
    example: "sort my demo list",
    tools: [LIST, READ, WRITE],
    asked: says(
      "(?:sort|order|alphabeti[sz]e) (?:my |the )?demo list",
      "put (?:my |the )?demo list in order",
    ),
    calls: [
      () => toolCall(LIST, { path: "demo" }),
      (_, [listed]) => readingOf(listed!),
      (_, [, read]) => sortingWrite(read!),
    ],
    tell: ([listed, read, written]) =>
      `I looked into the folder demo${cited(listed!)}, read the list${cited(read!)}, and put its lines in order. ${withUndoHint(written!)}`,
  },
  {
    example: "what files are here",
    tools: [LIST],
    asked: says(
      "(?:what|which) files(?: and folders)? (?:are|exist|do (?:i|we|you) have|can you see|lie)(?: here| there| in here| in this folder| in my folder)?",
      "(?:list|show|display|see|give me)(?: me)?(?: a list of)?(?: all)?(?: of)?(?: my| the| your)? (?:files|folder|directory|workspace)(?: and folders)?(?: here| there| i have| you (?:can )?see)?",
      "what(?:['’]?s| is) (?:in )?(?:here|this folder|my folder|the folder|this directory|my workspace)",
      "dir",
      "(?:(?:welche|was für) dateien (?:sind|gibt es|liegen|habe ich)|was (?:ist|liegt))(?: hier| da)?|(?:zeig|zeige|liste)(?: mir)?(?: alle)?(?: meine| die)? dateien(?: auf)?",
      "(?:(?:list|show(?: me)?|look into|open|what(?:['’]?s| is) in) (?:the |my )?(?:folder|directory|files (?:in|of|under)|contents? of)(?: the)?(?: folder)?|(?:what|which) files are in(?: the)?(?: folder)?|welche dateien sind in) <name>",
      "(?:list|ls|show(?: me)?|look into|what(?:['’]?s| is) in|was ist in) (?:the |my )?<name:folder>",
    ),
    calls: [({ name = "." }) => toolCall(LIST, { path: name })],
    // Where on this machine the folder lies is nothing to read here.
    tell: ([listed]) =>
      `I looked into the folder${cited(listed!)}:\n\n${shown(listed!.text.replace(/^\[\/.*\/([^/\n]+): (?=.*\]$)/m, "[$1: "))}`,
  },
  {
    example: "read notes.txt",
    tools: [READ],
    asked: says(
      "(?:read|open|show(?: me)?|print|display|view|look at|lies|lese|öffne|zeig(?:e)?(?: mir)?) (?:(?:the|my|die|meine) )?(?:file |datei )?<path>",
      "(?:(?:read|open|show(?: me)?|print) (?:the |my )?file|(?:lies|öffne) die datei|cat) <path:name>",
      "what (?:does|is in|do you see in|stands in|['’]s in) (?:the file |my )?<path>(?: say| hold| contain)?",
      "whats in (?:the file )?<path>|was steht in (?:der datei )?<path>",
    ),
    calls: [({ path }) => toolCall(READ, { path })],
    tell: ([read], { path }) => `I read ${path}${cited(read!)}. It says:\n\n${shown(read!.text)}`,
  },
  {
    example: "note that the milk is sour",
    tools: [READ, WRITE],
    asked: says("(?:make a |take a )?note(?: that| down| of|:)\\s+<line:rest>", "notiere:? <line:rest>"),
    calls: [
      () => toolCall(READ, { path: NOTES }),
      ({ line = "" }, [found]) => adding(NOTES, `- ${line.trim()}`, found!),
    ],
    despite: true,
    tell: (outcomes) => withUndoHint(outcomes.at(-1)!),
  },
  {
    example: "add 'eggs' to shopping.txt",
    tools: [READ, WRITE],
    asked: says("(?:append|add) <line:text> (?:to|at the end of|in) (?:the file |my )?<path>"),
    calls: [
      ({ path }) => toolCall(READ, { path }),
      ({ path = "", line = "" }, [found]) => adding(path, line, found!),
    ],
    despite: true,
    tell: (outcomes) => withUndoHint(outcomes.at(-1)!),
  },
  {
    example: "write 'milk' to shopping.txt",
    tools: [WRITE],
    asked: says(
      "(?:write|put|save|schreib(?:e)?) <content:text> (?:to|in|into|as|nach) (?:(?:the|a|die) )?(?:file |datei )?<path>",
      "(?:create|make) (?:a |the )?(?:file )?<path> (?:with|containing|that says|saying) <content:text>",
    ),
    calls: [({ path, content }) => toolCall(WRITE, { path, content: `${content}\n` })],
    tell: ([written]) => withUndoHint(written!),
  },
  {
    example: "search my files for milk",
    tools: [SEARCH],
    asked: says(
      "(?:search|look|grep)(?: through| in)? (?:my |the |all )?(?:files|notes|folder) for <query:text>",
      "(?:search|look|grep) (?:for )?<query:text> in (?:(?:all )?(?:my |the )?(?:files|notes|folder)|<path:folder>)",
      "find <query:text> in (?:(?:all )?(?:my |the )?(?:files|notes)|<path:folder>)",
      "(?:which|what)(?: of my)? files (?:mention|contain|have|say) <query:text>",
      "(?:durchsuche meine dateien nach|suche in meinen dateien nach) <query:text>",
    ),
    calls: [({ query, path }) => toolCall(SEARCH, { query, ...(path === undefined ? {} : { path }) })],
    tell: ([found], { query }) => `I searched for “${query}”${cited(found!)}:\n\n${shown(found!.text)}`,
  },
  {
    example: "move shopping.txt to old/shopping.txt",
    tools: [MOVE],
    asked: says(
      "(?:move|rename|mv|verschiebe) (?:(?:the|die) )?(?:file |datei )?<from:path> (?:to|into|as|nach) <to:path>",
    ),
    calls: [({ from, to }) => toolCall(MOVE, { from, to })],
    tell: ([moved]) => withUndoHint(moved!),
  },
  {
    example: "delete shopping.txt",
    tools: [DELETE],
    asked: says(
      "(?:delete|remove|erase) (?:the |my )?(?:folder |directory )?<path:name> (?:and|with) (?<all>everything|all) (?:that is )?in it",
      "(?:delete|remove|erase|rm|lösche) (?:(?:the|my|die) )?(?:file |folder |datei )?<path>",
      "(?:delete|remove|erase) (?:the |my )?(?:file|folder) <path:name>",
    ),
    calls: [({ path, all }) => toolCall(DELETE, { path, ...(all === undefined ? {} : { recursive: true }) })],
    tell: ([removed]) => withUndoHint(removed!),
  },
];

const NOTES = "notes.txt";

/** Looks first, and then asks for one change: a loose file goes into a folder of its own. */
const SOMETHING = { path: "demo/loose.txt", content: "Something to tidy.\n" };

function hasDemo(here: Outcome): boolean {
  return /^demo\/ {2}/m.test(here.text);
}

function demoMade(here: Outcome, made: Outcome): string {
  return `I looked${cited(here)}: there was no folder demo, so I made one with something in it. ${withUndoHint(made)} Say it again, and I will tidy it.`;
}

function tidyingMove(listed: Outcome): Step | string {
  const loose = looseIn(listed);
  if (loose === undefined) return nothingLoose(listed);
  return toolCall(MOVE, { from: `demo/${loose}`, to: `demo/tidied/${loose}` });
}

function readingOf(listed: Outcome): Step | string {
  const loose = looseIn(listed);
  return loose === undefined ? nothingLoose(listed) : toolCall(READ, { path: `demo/${loose}` });
}

/** Which file it is about was found by looking, not said: that is why it asks. */
function sortingWrite(read: Outcome): Step | string {
  const { path } = read.input as { path: string };
  const before = contentOf(read);
  if (before === undefined) return `I did not sort ${path}: I cannot have all of it as it is.`;
  const content = before.replace(/[^\n]+(?:\n[^\n]+)*/, (lines) => lines.split("\n").toSorted().join("\n"));
  if (content === before)
    return `I read ${path}${cited(read)}. Its lines are in order already, so I changed nothing.`;
  return toolCall(WRITE, { path, content });
}

/** The first file in a listing that lies there itself, and not in a folder. */
function looseIn(listed: Outcome): string | undefined {
  const line = /^(?<name>[^/\n]+?) {2}\S[^\n]*? {2}\d{4}-\d\d-\d\d \d\d:\d\d$/m;
  return line.exec(listed.text)?.groups?.["name"];
}

function nothingLoose(listed: Outcome): string {
  return `I looked into the folder demo${cited(listed)}. No file lies loose in it, so I changed nothing.`;
}

/** All that is there, with a line after it. A file of which not all is known is not written over. */
function adding(path: string, line: string, found: Outcome): Step | string {
  const before = contentOf(found);
  if (before === undefined) {
    const why = isDone(found)
      ? "I cannot have all of it as it is, and would lose something."
      : sentenceFor(found);
    return `I did not write to ${path}. ${why}`;
  }
  return toolCall(WRITE, { path, content: `${before}${line}\n` });
}

/** What a file held, if all of it is known; nothing where there was no file. */
function contentOf(read: Outcome): string | undefined {
  if (isMissing(read)) return "";
  if (!isDone(read) || /\n\[(?:Lines \d+–\d+ of|line \d+ is longer)/.test(read.text)) return undefined;
  if (/^\[[^\n]* is empty\.\]$/.test(read.text)) return "";
  if (/ is (?:a picture|not a text file) \(/.test(read.text)) return undefined;
  // Words that mean something to a model are shown to it in other brackets than the file has.
  if (/⟨[^⟩\n]*⟩/.test(read.text)) return undefined;
  return read.text === "" || read.text.endsWith("\n") ? read.text : `${read.text}\n`;
}

function isMissing({ word, text }: Outcome): boolean {
  return word === STATUS_WORDS.failed && text.includes("does not exist");
}
