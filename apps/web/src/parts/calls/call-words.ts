import { CALL_WORDS, callWord } from "@elwood/core/base/state-words";
import { deedOf } from "@elwood/core/tool/tool-words";
import type { IconName } from "../icon.ts";

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

interface Kind {
  readonly verb: string;
  readonly one: string;
  readonly many: string;
  readonly icon: IconName;
}

const KINDS: Readonly<Record<string, Kind>> = {
  "shell.command.run": { verb: "ran", one: "command", many: "commands", icon: "terminal" },
  "files.file.read": { verb: "read", one: "file", many: "files", icon: "file" },
  "files.file.attach": { verb: "attached", one: "file", many: "files", icon: "file" },
  "files.file.list": { verb: "listed", one: "folder", many: "folders", icon: "file" },
  "files.file.search": { verb: "searched", one: "folder", many: "folders", icon: "search" },
  "files.file.write": { verb: "wrote", one: "file", many: "files", icon: "pencil" },
  "files.file.edit": { verb: "edited", one: "file", many: "files", icon: "pencil" },
  "files.file.move": { verb: "moved", one: "file", many: "files", icon: "file" },
  "files.file.delete": { verb: "deleted", one: "file", many: "files", icon: "trash" },
  "web.page.fetch": { verb: "fetched", one: "page", many: "pages", icon: "globe" },
  "web.search.query": { verb: "searched the web", one: "time", many: "times", icon: "search" },
  "program.code.run": { verb: "ran", one: "program", many: "programs", icon: "code" },
  "memory.note.save": { verb: "saved", one: "note", many: "notes", icon: "memory" },
  "memory.note.search": { verb: "searched memory", one: "time", many: "times", icon: "memory" },
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
  const { done, doing, todo } = deedOf(tool);
  const isDone = status === "succeeded" || status === "undone";
  const words = isDone ? done : status === "running" || status === "started" ? doing : todo;
  if (target === "" || !SOME_PLACE.test(words)) return { words, about: target };
  return { words: words.replace(SOME_PLACE, () => target), about: "" };
}

const SOME_PLACE = /(?<= )a (?:file|folder|page)$/;

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
      const { done: words } = deedOf(tool);
      const told = words.charAt(0).toLowerCase() + words.slice(1);
      return count === 1 ? told : `${told} ${count} times`;
    }
    const [first] = made;
    // One file is told by its name.
    const name = count === 1 && tool.startsWith("files.file.") ? first?.target : undefined;
    return `${kind.verb} ${name ?? `${count} ${count === 1 ? kind.one : kind.many}`}`;
  });
  const words = told.join(", ");
  const rest = [
    ...NOT_DONE.map((status) => ({ status, count: countOf(own, (each) => each === status) })),
    { status: CALL_WORDS.pending.word, count: countOf(own, (each) => WAITING.includes(each)) },
    { status: "running", count: countOf(own, (each) => OPEN.includes(each)) },
  ]
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status}`);
  const codes = Map.groupBy(done, ({ exitCode = 0 }) => exitCode);
  codes.delete(0);
  for (const [code, { length }] of codes) rest.push(`${length} ${callWord("succeeded", code).word}`);
  const all = [...rest, ...(words === "" ? [] : [words])].join(" · ");
  return all === "" ? "No call" : all.charAt(0).toUpperCase() + all.slice(1);
}

function countOf(calls: readonly ShownCall[], is: (status: string) => boolean): number {
  return calls.filter((call) => is(call.status)).length;
}
