import { fail } from "@elwood/core/base/failure";
import { noteLines } from "@elwood/core/memory/note-line";
import type { NoteCopies } from "@elwood/store-sqlite/sqlite-note-copies";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import type { Notes } from "./notes.ts";

/** What is to be forgotten. */
export type EraseRequest =
  | { readonly kind: "note"; readonly key: string }
  /** One line of a note, as it reads now: another line in its place is left alone. */
  | { readonly kind: "line"; readonly key: string; readonly line: number; readonly text: string };

/** What was removed, counted, and what nobody here can reach. */
export interface Forgotten {
  readonly what: EraseRequest;
  /** Files that lost something, by their paths below the state directory. */
  readonly files: readonly string[];
  readonly lines: number;
  readonly outOfReach: readonly string[];
}

export interface NoteEraser {
  /** What would go, in a sentence and in full, without removing anything; undefined where there is nothing. */
  preview(tenant: string, what: EraseRequest): Promise<{ sentence: string; text: string } | undefined>;
  forget(tenant: string, what: EraseRequest): Promise<Forgotten>;
}

/** What mentions a word, in notes and conversations. */
export interface WordMentions {
  readonly noteLines: number;
  readonly notes: number;
  /** What people wrote or were told. */
  readonly messages: number;
  readonly conversations: number;
  /** Calls that were given it or gave it back. */
  readonly calls: number;
  /** How each of them reads, as many as are shown. */
  readonly texts: readonly string[];
}

/** Everything that mentions a word, wherever Elwood keeps it. */
export interface WordEraser {
  /** What would go; changes nothing. */
  find(tenant: string, word: string): Promise<WordMentions>;
  /** Goes as soon as no run that holds it is going on. Durable before it resolves. */
  begin(tenant: string, word: string, run?: string): Promise<void>;
}

export interface NoteEraserDeps {
  readonly notes: Notes;
  readonly origins: Pick<NoteOrigins, "forget">;
  readonly copies: Pick<NoteCopies, "forget">;
  /** The file has lost something or is gone: nothing of that may stay in the index. */
  readonly changed: (source: string) => Promise<void>;
  /** Copies of it go as soon as the run that forgets it is over. Durable before it resolves. */
  readonly traces?: (tenant: string, what: EraseRequest) => Promise<void>;
}

export const OUT_OF_REACH: readonly string[] = [
  "backups and copies that were made of the state directory",
  "what was sent to a model's provider in earlier conversations",
];

export function makeNoteEraser({ notes, origins, copies, changed, traces }: NoteEraserDeps): NoteEraser {
  return {
    async preview(tenant, what) {
      const note = await notes.get(tenant, what.key);
      if (note === undefined) return undefined;
      if (what.kind === "note") {
        const lines = counted(note.text.trimEnd().split("\n").length);
        return { sentence: `Forget the note ${note.key} (${lines}).`, text: note.text };
      }
      const text = lineAt(note.text, what);
      if (text === undefined) return undefined;
      return { sentence: `Forget line ${what.line} of the note ${note.key}.`, text };
    },

    async forget(tenant, what) {
      // On record first: what a crash leaves of it is forgotten at the next start.
      await traces?.(tenant, what);
      let gone: string | undefined;
      const change = await notes.change(tenant, what.key, (before) => {
        if (before === undefined) return undefined;
        if (what.kind === "note") {
          gone = before;
          return undefined;
        }
        gone = lineAt(before, what);
        return gone === undefined ? before : without(before, what.line);
      });
      if (gone === undefined) fail("NOT_FOUND", nothingThere(what));
      await forgetOrigins({ notes, origins }, tenant, gone);
      copies.forget(tenant, change.key);
      await changed(change.source);
      const lines = gone.trimEnd().split("\n").length;
      return { what, files: [change.source], lines, outOfReach: OUT_OF_REACH };
    },
  };
}

/**
 * Whose words lines held that are gone. A line that stands in another note too stays on record:
 * without it, words of others would count as the owner's there.
 */
export async function forgetOrigins(
  { notes, origins }: Pick<NoteEraserDeps, "notes" | "origins">,
  tenant: string,
  gone: string,
): Promise<void> {
  const lines = noteLines(gone);
  const still = await notes.standing(tenant, lines);
  origins.forget(tenant, lines.filter((line) => !still.has(line)).join("\n"));
}

function nothingThere(what: EraseRequest): string {
  return what.kind === "note"
    ? `There is no note ${what.key}. Nothing was forgotten.`
    : `Line ${what.line} of the note ${what.key} does not say that (any more). Nothing was forgotten; look at the note again.`;
}

function lineAt(text: string, { line, text: expected }: Extract<EraseRequest, { kind: "line" }>) {
  const found = text.split("\n")[line - 1];
  return found !== undefined && found.trim() === expected.trim() && found.trim() !== "" ? found : undefined;
}

/** The note without that line; a note of nothing but blanks is none. */
function without(text: string, line: number): string | undefined {
  const left = text
    .split("\n")
    .toSpliced(line - 1, 1)
    .join("\n");
  return left.trim() === "" ? undefined : left;
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}
