import type { Rule, Turn } from "@elwood/sdk/testing/rule-model";
import { toolCall, type Step } from "@elwood/sdk/testing/steps";
import { outcomesOf, sentenceFor, type Outcome } from "./demo-outcomes.ts";

/**
 * What the demo model does with tools: real calls through the real gate, and afterwards
 * only what came back. It answers from results and from the gateway's activity text, never
 * from what it meant to do.
 */
export const DEMO_ERRANDS: readonly Rule[] = [
  errand("tidy", ["files.file.list", "files.file.move", "files.file.write"], tidy),
  errand("note", ["files.file.read", "files.file.write"], note),
  errand("write", ["files.file.write"], write),
  errand("move", ["files.file.move"], move),
  errand("delete", ["files.file.delete"], remove),
  errand("list", ["files.file.list"], list),
  errand("read", ["files.file.read"], read),
  errand("ask", ["owner.question.ask"], question),
  errand("choose", ["owner.question.choose"], choice),
];

/** What to do next, given what has come back so far; undefined where the words are not about this. */
type Errand = (said: string, outcomes: readonly Outcome[]) => Step | string | undefined;

/** A rule that fits only where every tool it needs is there. */
function errand(name: string, toolIds: readonly string[], next: Errand): Rule {
  const step = (turn: Turn) => next(turn.said.trim(), outcomesOf(turn.results));
  return {
    name,
    when: (turn) =>
      toolIds.every((id) => turn.request.tools.some((tool) => tool.toolId === id)) &&
      step(turn) !== undefined,
    answer: (turn) => {
      const found = step(turn) ?? "";
      return typeof found === "string" ? found : [found];
    },
  };
}

function list(said: string, [listed]: readonly Outcome[]): Step | string | undefined {
  const named = matched(
    said,
    /^(?:(?:list|show(?: me)?|what is in) (?:the |my )?(?:folder|files in|files of)) ["'“‘]?([\w./~-]+)["'”’]?$/i,
  );
  const all =
    /^(?:please )?(?:what files (?:are|do i have)(?: here| there)?|(?:list|show)(?: me)?(?: all)?(?: my| the)? files(?: here)?)$/i;
  if (named === undefined && !all.test(bare(said))) return undefined;
  const path = named?.[0] ?? ".";
  if (!listed) return toolCall("files.file.list", { path });
  return sentenceFor(listed, `Here is what the folder holds:\n\n${listed.text}`);
}

function read(said: string, [found]: readonly Outcome[]): Step | string | undefined {
  const path =
    matched(said, new RegExp(`^(?:read|open|show(?: me)?|print|cat) (?:the file |my )?${PATH}$`, "i"))?.[0] ??
    matched(
      said,
      new RegExp(`^what (?:does|is in|do you see in) (?:the file |my )?${PATH}(?: say| hold)?$`, "i"),
    )?.[0];
  if (path === undefined) return undefined;
  if (!found) return toolCall("files.file.read", { path });
  return sentenceFor(found, `${path} says:\n\n${shortened(found.text)}`);
}

function write(said: string, [written]: readonly Outcome[]): Step | string | undefined {
  const words =
    matched(
      said,
      new RegExp(`^(?:write|put|save) ["'“‘]([^]+)["'”’] (?:to|in|into|as) (?:the file )?${PATH}$`, "i"),
    ) ?? matched(said, new RegExp(`^(?:write|put) (\\S[^]*?) (?:to|in|into) (?:the file )?${PATH}$`, "i"));
  const [content, path] = words ?? [];
  if (content === undefined || path === undefined) return undefined;
  if (!written) return toolCall("files.file.write", { path, content: `${content}\n` });
  return sentenceFor(written, done(written));
}

/** Adds a line: reads what is there, and writes all of it back with the new line. */
function note(said: string, [found, written]: readonly Outcome[]): Step | string | undefined {
  const line = /^(?:please )?(?:make a )?note(?: that| down| of|:)\s+([^]+)$/i.exec(said)?.[1];
  if (line === undefined) return undefined;
  if (!found) return toolCall("files.file.read", { path: NOTES });
  if (!written) {
    const before = contentOf(found);
    if (before === undefined) return `I could not read ${NOTES}, so I did not write to it: ${found.text}`;
    return toolCall("files.file.write", { path: NOTES, content: `${before}- ${line.trim()}\n` });
  }
  return sentenceFor(written, done(written));
}

function move(said: string, [moved]: readonly Outcome[]): Step | string | undefined {
  const [from, to] =
    matched(said, new RegExp(`^(?:move|rename) (?:the file )?${PATH} (?:to|into|as) ${PATH}$`, "i")) ?? [];
  if (from === undefined || to === undefined) return undefined;
  if (!moved) return toolCall("files.file.move", { from, to });
  return sentenceFor(moved, done(moved));
}

function remove(said: string, [removed]: readonly Outcome[]): Step | string | undefined {
  const path = matched(said, new RegExp(`^(?:delete|remove|erase) (?:the file |my )?${PATH}$`, "i"))?.[0];
  if (path === undefined) return undefined;
  if (!removed) return toolCall("files.file.delete", { path });
  return sentenceFor(removed, done(removed));
}

/** Looks first, and then asks for one change: a loose file goes into a folder of its own. */
function tidy(said: string, [listed, changed]: readonly Outcome[]): Step | string | undefined {
  if (!/^(?:please )?(?:tidy|clean)(?: up)? (?:my |the )?demo folder$/i.test(bare(said))) return undefined;
  if (!listed) return toolCall("files.file.list", { path: "demo" });
  if (listed.word === "done") {
    const loose = /^(?<name>[^/\n]+?) {2}\S[^\n]*? {2}\d{4}-\d\d-\d\dT\d\d:\d\dZ$/m.exec(listed.text)
      ?.groups?.["name"];
    if (loose === undefined)
      return "I looked into the folder demo. No file lies loose in it, so I changed nothing.";
    if (!changed) return toolCall("files.file.move", { from: `demo/${loose}`, to: `demo/tidied/${loose}` });
    return sentenceFor(
      changed,
      `I looked into the folder demo and put one loose file away. ${done(changed)}`,
    );
  }
  if (!changed)
    return toolCall("files.file.write", { path: "demo/loose.txt", content: "Something to tidy.\n" });
  return sentenceFor(
    changed,
    `There was no folder demo to look into, so I made one with something in it. ${done(changed)} Say it again, and I will tidy it.`,
  );
}

function question(said: string, [answered]: readonly Outcome[]): Step | string | undefined {
  if (!/^(?:please )?ask me (?:something|a question|anything)$/i.test(bare(said))) return undefined;
  if (!answered) return toolCall("owner.question.ask", { question: "What shall I call you?" });
  return sentenceFor(answered, `I asked, and waited for you. ${quoted(answered.text)}`);
}

function choice(said: string, [answered]: readonly Outcome[]): Step | string | undefined {
  if (!/^(?:please )?(?:let me choose|give me a choice|ask me to choose)(?: something)?$/i.test(bare(said)))
    return undefined;
  const asked = { question: "Which one?", options: ["Tea", "Coffee", "Neither"] };
  if (!answered) return toolCall("owner.question.choose", asked);
  return sentenceFor(answered, `I asked, and waited for you. ${quoted(answered.text)}`);
}

const NOTES = "notes.txt";
/** A name with a dot or a slash in it, or anything in quotes. */
const PATH = `(?:["'“‘\`]([^"'”’\`]+)["'”’\`]|((?!\\S*://)\\S*[./]\\S*))`;
const SHOWN_CHARS_MAX = 4_000;

/** The parts of what was said, without what ends a sentence; undefined where it was something else. */
function matched(said: string, pattern: RegExp): string[] | undefined {
  const found = pattern.exec(bare(said).replace(/^please /i, ""));
  return found?.slice(1).filter((part) => part !== undefined);
}

function bare(said: string): string {
  return said.trim().replace(/[.?!\s]+$/, "");
}

/** The gateway's own words about what was done, and how to take it back. */
function done(outcome: Outcome): string {
  return `${outcome.text} To take it back: \`elwood undo ${outcome.callId}\`.`;
}

function quoted(result: string): string {
  return result.replace(/^The owner answers: ([^]*)$/, "You answered: “$1”");
}

/** What a file held, if all of it is known; nothing where there was no file. */
function contentOf(read: Outcome): string | undefined {
  if (read.word === "failed") return read.text.includes("does not exist") ? "" : undefined;
  if (read.word !== "done" || /\n\[(?:The file goes on|line \d+ is longer)/.test(read.text)) return undefined;
  if (/^\[[^\n]* is empty\.\]$/.test(read.text)) return "";
  if (/ is (?:a picture|not a text file) \(/.test(read.text)) return undefined;
  return read.text === "" || read.text.endsWith("\n") ? read.text : `${read.text}\n`;
}

function shortened(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}\n(and more)`;
}
