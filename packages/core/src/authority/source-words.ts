import { showLine } from "../base/show.ts";
import { toolInWords } from "../tool/tool-words.ts";

/** A call that brought a value, as far as it is known. */
export interface SourceCall {
  readonly toolId?: string;
  readonly target?: string;
}

/**
 * What a value came from, as the owner would call it: "the list of files in this folder". The
 * words end in a way that takes a full stop.
 */
export function sourceInWords({ toolId = "", target }: SourceCall): string {
  const about = target === undefined ? undefined : shortened(showLine(target).trim());
  const say = Object.hasOwn(SOURCES, toolId) ? SOURCES[toolId] : undefined;
  if (say) return say(about);
  if (toolId.startsWith("browser.")) return "a page in the browser";
  const tool = readInWords(toolId) ?? `what “${toolInWords(toolId)}” returned`;
  return about === undefined || about === "" ? tool : `${tool} for “${about}”`;
}

/** `schedule.job.list` as "the list of schedule jobs"; nothing for a tool whose name does not say that it reads. */
function readInWords(toolId: string): string | undefined {
  const [, thing = "", action] = /^(.+)\.(list|search|find|get|read|show)$/u.exec(toolId) ?? [];
  if (action === undefined) return undefined;
  const parts = thing.split(".").map((part) => part.replaceAll(/[_-]+/gu, " ").trim());
  const words = parts.filter((part, i) => part !== "" && part !== parts[i - 1]).join(" ");
  if (words === "") return undefined;
  if (action === "list") return `the list of ${plural(words)}`;
  return action === "search" || action === "find" ? `the search in ${plural(words)}` : `the ${words}`;
}

function plural(words: string): string {
  if (words.endsWith("s")) return words;
  return /[^aeiou]y$/u.test(words) ? `${words.slice(0, -1)}ies` : `${words}s`;
}

const SOURCES: Readonly<Record<string, (about: string | undefined) => string>> = {
  "files.file.list": (folder) =>
    isHere(folder) ? "the list of files in this folder" : `the list of files in “${folder}”`,
  "files.file.read": named("the file", "a file"),
  "files.file.attach": named("the file", "a file"),
  "files.file.search": (search = "") => {
    const [, words, folder] = /^"(.*)" in (.*)$/s.exec(search) ?? [];
    if (words === undefined) return "a search in your files";
    return `the search for “${words}” in ${isHere(folder) ? "this folder" : `“${folder}”`}`;
  },
  "files.file.write": named("the new text of", "a file"),
  "files.file.edit": named("the change of", "a file"),
  "files.file.move": named("the move of", "a file"),
  "files.file.delete": named("the deletion of", "a file"),
  "web.page.fetch": named("the web page", "a web page"),
  "web.search.query": named("the web search for", "a web search"),
  "shell.command.run": named("the output of", "a command"),
  "program.code.run": () => "the output of a program",
  "memory.note.get": named("your note", "your notes"),
  "memory.note.search": () => "memory",
  "owner.question.ask": () => "your answer",
  "owner.question.choose": () => "your answer",
  "session.result.read": () => "an earlier result",
};

function named(before: string, otherwise: string): (about: string | undefined) => string {
  return (about) => (about === undefined || about === "" ? otherwise : `${before} “${about}”`);
}

function isHere(folder: string | undefined): boolean {
  return folder === undefined || ["", ".", "./"].includes(folder);
}

const ABOUT_CHARS_MAX = 80;

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= ABOUT_CHARS_MAX
    ? text
    : `${characters.slice(0, ABOUT_CHARS_MAX - 1).join("")}…`;
}
