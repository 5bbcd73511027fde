import { fail } from "@elwood/core/base/failure";
import { noteKey } from "@elwood/core/memory/note-key";
import { noteLine, noteLines } from "@elwood/core/memory/note-line";
import type { MemoryOrigin } from "@elwood/core/memory/turn";
import type { Redactor } from "@elwood/core/base/redact";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import { NoteText, type FactView } from "./note-facts.ts";
import { checkSize, type Note, type NoteChange, type NoteInfo, type Notes } from "./notes.ts";

export type SaveMode = "replace" | "add";

/** The provenance of each line being written, and the run that writes it, if any. */
export interface Writer {
  readonly origin: (line: string) => MemoryOrigin;
  readonly run?: string;
  /** Told what stood there and what will, before it does. */
  readonly keep?: (before: string | null, after: string) => Promise<void>;
}

export interface Saved extends NoteChange {
  /** Secrets were taken out of the text before it was kept. */
  readonly redacted: boolean;
}

/** A line of a note with its provenance. */
export interface OwnedLine {
  readonly line: number;
  readonly text: string;
  readonly origin: MemoryOrigin;
}

/** A note may be long, and of most only a line is wanted: whose words it holds is looked up when somebody asks. */
export interface OwnedNote extends Note {
  readonly lines: readonly OwnedLine[];
  /** What a line says at a moment, where it is a fact. */
  readonly factAt: (line: number, at: number) => FactView | undefined;
}

/**
 * All operations on notes, for tools, methods and commands. Saving records the provenance of each new
 * line, then writes the file, then updates the index.
 */
export interface NoteService {
  list(tenant: string): Promise<readonly NoteInfo[]>;
  get(tenant: string, key: string): Promise<OwnedNote | undefined>;
  /** The note in the very file that memory names so. */
  at(tenant: string, source: string): Promise<OwnedNote | undefined>;
  /** What `save` would leave, without doing it; refuses what that would refuse, so that nobody is asked about it. */
  preview(
    tenant: string,
    key: string,
    content: string,
    mode: SaveMode,
  ): Promise<{ readonly before: string | null; readonly after: string }>;
  save(tenant: string, key: string, content: string, mode: SaveMode, writer: Writer): Promise<Saved>;
  /** Takes a save back, unless the note was changed since; undefined where it was. */
  restore(tenant: string, change: NoteChange): Promise<NoteChange | undefined>;
  originOf(tenant: string, text: string): MemoryOrigin;
}

export interface NoteServiceDeps {
  readonly notes: Notes;
  readonly origins: NoteOrigins;
  readonly redact: Redactor;
  readonly clock: Clock;
  /** The file has changed: the index is to follow. */
  readonly changed: (source: string) => Promise<void>;
}

export const OWNER_WRITES: Writer = { origin: () => "owner" };

export function makeNoteService({ notes, origins, redact, clock, changed }: NoteServiceDeps): NoteService {
  const originOf = (tenant: string, text: string) => origins.of(tenant, text);
  const texts = new WeakMap<Note, NoteText>();
  const textOf = (note: Note) => {
    const known = texts.get(note) ?? new NoteText(note.text);
    texts.set(note, known);
    return known;
  };
  return {
    list: (tenant) => notes.list(tenant),
    originOf,

    async get(tenant, key) {
      const note = await notes.get(tenant, key);
      return note && ownedNote(note, textOf, (line) => originOf(tenant, line));
    },

    async at(tenant, source) {
      const note = await notes.at(tenant, source);
      return note && ownedNote(note, textOf, (line) => originOf(tenant, line));
    },

    async preview(tenant, key, content, mode) {
      const before = (await notes.get(tenant, key))?.text;
      const named = noteKey(key);
      if (before === undefined && !named.ok) fail("INVALID_INPUT", named.error);
      const after = textAfter(before, redact(inLines(content)), mode);
      checkSize(key, after);
      return { before: before ?? null, after };
    },

    async save(tenant, key, content, mode, writer) {
      const lines = inLines(content);
      const text = redact(lines);
      const change = await notes.change(tenant, key, async (before) => {
        const after = textAfter(before, text, mode);
        // On record before the file says it: a crash between the two leaves a hash of nothing.
        const more = { at: clock.now(), ...(writer.run === undefined ? {} : { run: writer.run }) };
        const byOrigin = Map.groupBy(newLines(before, after), (line) => writer.origin(line));
        const noted = [...byOrigin].map(([origin, lines]) =>
          origins.put(tenant, lines.join("\n"), { origin, ...more }),
        );
        await Promise.all([...noted, writer.keep?.(before ?? null, after)]);
        return after;
      });
      await changed(change.source);
      return { ...change, redacted: text !== lines };
    },

    async restore(tenant, { key, before, after }) {
      let isAsLeft = false;
      const change = await notes.change(tenant, key, (now) => {
        isAsLeft = now === (after ?? undefined);
        return isAsLeft ? (before ?? undefined) : now;
      });
      if (!isAsLeft) return undefined;
      await changed(change.source);
      return change;
    },
  };
}

/** Whose words a line holds is kept line by line, so nothing else than a newline may end one. */
function inLines(text: string): string {
  return text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n");
}

/** The whole text, or what was there with this behind it. What stands at its end already is not added twice. */
function textAfter(before: string | undefined, content: string, mode: SaveMode): string {
  const text = content.trimEnd();
  if (mode === "replace" || before === undefined || before.trim() === "") return `${text}\n`;
  const there = before.trimEnd();
  if (there === text || there.endsWith(`\n${text}`)) return before;
  // Bullets go on with a list; anything else begins a paragraph.
  const gap = /^\s*(?:[-*+]|\d+[.)])\s/.test(text) ? "\n" : "\n\n";
  return `${there}${gap}${text}\n`;
}

function newLines(before: string | undefined, after: string): string[] {
  const known = new Set(before === undefined ? [] : noteLines(before));
  return noteLines(after).filter((line) => !known.has(line));
}

function ownedNote(
  note: Note,
  textOf: (note: Note) => NoteText,
  originOf: (line: string) => MemoryOrigin,
): OwnedNote {
  let lines: OwnedLine[] | undefined;
  let facts: OwnedNote["factAt"] | undefined;
  return {
    ...note,
    get lines() {
      return (lines ??= ownedLines(note.text, originOf));
    },
    factAt: (line, at) => (facts ??= textOf(note).facts(originOf))(line, at),
  };
}

export function ownedLines(text: string, originOf: (line: string) => MemoryOrigin): OwnedLine[] {
  const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
  return lines.map((line, index) => ({
    line: index + 1,
    text: line,
    get origin() {
      return noteLine(line) === "" ? "owner" : originOf(line);
    },
  }));
}

/** Several lines of one note are read from its file at once. For one search: the file may change behind it. */
export function withReadCache(noteService: NoteService): NoteService {
  const read = new Map<string, ReturnType<NoteService["at"]>>();
  const at: NoteService["at"] = (tenant, source) => {
    const known = read.get(source) ?? noteService.at(tenant, source);
    read.set(source, known);
    return known;
  };
  return { ...noteService, at };
}
