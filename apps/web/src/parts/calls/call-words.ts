import { CALL_WORDS, callWord } from "@elwood/core/base/state-words";
import type { IconName } from "../icon.ts";
import { deedText } from "../../words/deeds.ts";
import { stateText } from "../../words/states.ts";
import { say } from "../../words/en/parts.ts";
import { fill } from "../../words/fill.ts";

/** How calls are told: in a few words for a group, in a verb and an icon for one. */

/** A call as whoever follows a run knows it. */
export interface ShownCall {
  readonly callId: string;
  readonly tool: string;
  /** `running`, or how it ended. */
  readonly status: string;
  readonly parent?: string;
  /** The code with which its program ended, where that was not 0. */
  readonly exitCode?: number | undefined;
  /** What it last said of its progress. */
  readonly message?: string;
  readonly target?: string | undefined;
}

type Word = keyof typeof say;

/** The words are looked up when they are told. */
interface Kind {
  readonly icon: IconName;
  readonly one: Word;
  readonly many: Word;
  /** With the name of the one thing it was done to. */
  readonly named?: Word;
}

const KINDS: Readonly<Record<string, Kind>> = {
  "shell.command.run": { icon: "terminal", one: "ranOne", many: "ranMany" },
  "files.file.read": { icon: "file", one: "readOne", many: "readMany", named: "readNamed" },
  "files.file.attach": { icon: "file", one: "attachedOne", many: "attachedMany", named: "attachedNamed" },
  "files.file.list": { icon: "file", one: "listedOne", many: "listedMany", named: "listedNamed" },
  "files.file.search": { icon: "search", one: "searchedOne", many: "searchedMany", named: "searchedNamed" },
  "files.file.write": { icon: "pencil", one: "wroteOne", many: "wroteMany", named: "wroteNamed" },
  "files.file.edit": { icon: "pencil", one: "editedOne", many: "editedMany", named: "editedNamed" },
  "files.file.move": { icon: "file", one: "movedOne", many: "movedMany", named: "movedNamed" },
  "files.file.delete": { icon: "trash", one: "deletedOne", many: "deletedMany", named: "deletedNamed" },
  "web.page.fetch": { icon: "globe", one: "fetchedOne", many: "fetchedMany" },
  "web.search.query": { icon: "search", one: "searchedWebOne", many: "searchedWebMany" },
  "program.code.run": { icon: "code", one: "ranProgramOne", many: "ranProgramMany" },
  "memory.note.save": { icon: "memory", one: "savedNoteOne", many: "savedNoteMany" },
  "memory.note.search": { icon: "memory", one: "searchedNotesOne", many: "searchedNotesMany" },
};

const NOT_DONE = ["failed", "refused", "denied", "expired", "unknown", "undone"];
const WAITING = ["asked", "pending"];
const OPEN = ["running", "started", "requested", "approved"];

export function iconOf(tool: string): IconName {
  const known = KINDS[tool];
  if (known) return known.icon;
  if (tool.startsWith("browser.")) return "globe";
  if (tool.startsWith("memory.")) return "memory";
  if (tool.startsWith("owner.")) return "question";
  return "tools";
}

/**
 * One call: what it did where it is done, what it does, or what it was to do, and to what: “Wrote
 * shopping.txt”. `about` is what is left to tell beside that. Its badge says how it stands.
 */
export function callWords(
  tool: string,
  status: string,
  target = "",
): { readonly words: string; readonly about: string } {
  const isDone = status === "succeeded" || status === "undone";
  const time = isDone ? "done" : status === "running" || status === "started" ? "doing" : "todo";
  return deedText(tool, time, target);
}

/**
 * `1 failed · 1 running · Ran 2 commands, read 3 files`. Only what succeeded is told as
 * done; what did not is counted apart, and first, and so is a command that ended badly.
 */
export function groupWords(calls: readonly ShownCall[]): string {
  const own = calls.filter((call) => call.parent === undefined);
  const done = own.filter((call) => call.status === "succeeded");
  const told = [...Map.groupBy(done, ({ tool }) => tool)].map(([tool, made]) => {
    const kind = KINDS[tool];
    // A file that was read in two pieces is one file.
    const count = tool.startsWith("files.")
      ? new Set(made.map(({ callId, target = callId }) => target)).size
      : made.length;
    if (!kind) {
      const { words } = deedText(tool, "done", "");
      const told = words.charAt(0).toLowerCase() + words.slice(1);
      return count === 1 ? told : fill(say.times, told, count);
    }
    const [first] = made;
    // One file is told by its name.
    const name = count === 1 && tool.startsWith("files.file.") ? first?.target : undefined;
    if (name !== undefined && kind.named) return fill(say[kind.named], name);
    return fill(say[count === 1 ? kind.one : kind.many], count);
  });
  const words = told.join(", ");
  const rest = [
    ...NOT_DONE.map((status) => ({ status, count: countOf(own, (each) => each === status) })),
    { status: CALL_WORDS.pending.word, count: countOf(own, (each) => WAITING.includes(each)) },
    { status: "running", count: countOf(own, (each) => OPEN.includes(each)) },
  ]
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${stateText(status)}`);
  const codes = Map.groupBy(done, ({ exitCode = 0 }) => exitCode);
  codes.delete(0);
  for (const [code, { length }] of codes)
    rest.push(`${length} ${stateText(callWord("succeeded", code).word)}`);
  const all = [...rest, ...(words === "" ? [] : [words])].join(" · ");
  return all === "" ? say.noCall : all.charAt(0).toUpperCase() + all.slice(1);
}

function countOf(calls: readonly ShownCall[], is: (status: string) => boolean): number {
  return calls.filter((call) => is(call.status)).length;
}
