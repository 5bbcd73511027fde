import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { type FileHandle, lstat, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { LIMITS } from "@elwood/core/base/limits";
import type { Redactor } from "@elwood/core/base/redact";
import type { Log } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";
import { chain, type IndexWriter, type Source, type SourceState, UNREAD } from "./index-writer.ts";
import { INDEX_LIMITS } from "./limits.ts";
import { listSources, sessionOf, type SourceFile } from "./list-sources.ts";
import { type OriginOfLine, turnsOfNote } from "../notes/note-turns.ts";
import { type FileLine, parseLine, turnsOf } from "./transcript-turns.ts";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";

export interface SyncDeps {
  /** The state directory. */
  readonly home: string;
  readonly tenant: string;
  readonly log: Log;
  readonly redact: Redactor;
  /** Sessions that lie in the trash: their files are there, and are not to be found. */
  readonly trashed: () => Promise<ReadonlySet<string>>;
  readonly signal: AbortSignal;
  /** Whose words a note holds; the owner's unless told otherwise. */
  readonly originsOfNote?: (source: string, text: string) => Promise<OriginOfLine>;
  /** Called in the transaction in which a note is indexed, such as to keep its facts in step. */
  readonly noteIndexed?: (writer: IndexWriter, source: Source, text: string, originOf: OriginOfLine) => void;
}

/**
 * Brings the index in step with the files. It never changes a file.
 *
 * S1 Turns and the mark of how far their file was read are written in one transaction: a kill
 *    at any moment leaves an index that is behind, never one that is wrong.
 * S2 A file whose size and time are as they were is not opened; one that only grew, by the hash of
 *    what was read before, is read on; any other is read anew.
 * S3 A file is read and indexed in small pieces, between which everybody else gets their turn.
 * S4 One thing at a time: callers see to it that only one of the asynchronous methods runs.
 *    `append` may come between two steps of them, and keeps its hands off the file they are at.
 */
export class IndexSync {
  readonly writer: IndexWriter;
  readonly #deps: SyncDeps;
  /** The file that is being read. */
  #at: string | undefined;
  /** Told once each. */
  readonly #told = new Set<string>();

  constructor(writer: IndexWriter, deps: SyncDeps) {
    this.writer = writer;
    this.#deps = deps;
  }

  /** Looks at everything. Notes first, then conversations from the newest, so that what is asked for most is found first. */
  async sweep(progress: (left: number) => Promise<void> = async () => undefined): Promise<void> {
    await this.mergeResidue();
    const trashed = await this.#deps.trashed();
    const { files, complete } = await listSources(this.#deps.home, this.#deps.tenant);
    const wanted = files.filter(({ path }) => !trashed.has(sessionOf(path) ?? ""));
    const known = new Set(wanted.map(({ path }) => path));
    const gone = [...this.writer.sources("transcript"), ...this.writer.sources("note")].filter(
      ({ path }) => !known.has(path),
    );
    if (complete) for (const source of gone) await this.#drop(source);
    let left = wanted.length;
    for (const file of wanted) {
      await progress(left--);
      if (this.#deps.signal.aborted) return;
      const source = this.writer.source(file.path);
      if (source?.size === file.size && source.mtime === file.mtime) continue;
      await this.sync(file.path);
    }
    await progress(0);
  }

  /** One file, whatever became of it. */
  async sync(path: string): Promise<void> {
    this.#at = path;
    try {
      const source = this.writer.source(path);
      const info = await lstat(join(this.#deps.home, path)).catch(ifMissing);
      if (!info?.isFile()) {
        if (source) await this.#drop(source);
      } else if (source?.size !== info.size || source.mtime !== info.mtimeMs) {
        const file = { path, size: info.size, mtime: info.mtimeMs };
        await (sessionOf(path) === undefined ? this.#note(file, source) : this.#transcript(file, source));
      }
    } finally {
      this.#at = undefined;
    }
  }

  async drop(path: string): Promise<void> {
    const source = this.writer.source(path);
    if (source) await this.#drop(source);
  }

  /** What is in the index is held against the redactor as it is now; files whose text would come out otherwise are read anew. */
  async redactAgain(): Promise<void> {
    const paths = new Set<string>();
    for (
      let rows = this.writer.textsBehind(0);
      rows.length > 0;
      rows = this.writer.textsBehind(rows.at(-1)!.id)
    ) {
      for (const { path, text } of rows) if (this.#deps.redact(text) !== text) paths.add(path);
      await nextEventLoopTurn();
    }
    for (const path of paths) {
      await this.drop(path);
      await this.sync(path);
    }
  }

  /**
   * The gateway's own append, at once. Answers false where that cannot be: where what is known of the file does
   * not end at `from`, or there is too much of it. The caller then asks for `sync`.
   * The rest of the file is believed until the next sweep looks at it (mtime -1).
   */
  append(path: string, from: number, to: number): boolean {
    if (this.#at === path || to - from > INDEX_LIMITS.appendBytesMax) return false;
    const known = this.writer.source(path);
    if ((known?.bytes ?? 0) !== from) return false;
    const bytes = readRange(join(this.#deps.home, path), from, to);
    const lines = new LineCutter(from, known?.lines ?? 0, LIMITS.transcriptLineBytesMax).push(bytes);
    if (lines.at(-1)?.end !== to) return false;
    const source = known ?? this.writer.addSource(path, "transcript");
    const state = this.#addLines(source, lines, known ?? UNREAD);
    this.writer.setState(source.id, { ...state, size: to, mtime: -1 });
    return true;
  }

  /** Whether all that is new in the file is what `append` has indexed. */
  isOwnAppend(path: string): boolean {
    const source = this.writer.source(path);
    if (source?.mtime !== -1 || source.size < 0) return false;
    return statSync(join(this.#deps.home, path), { throwIfNoEntry: false })?.size === source.size;
  }

  async #transcript(info: SourceFile, known: Source | undefined): Promise<void> {
    const { writer } = this;
    const file = await open(join(this.#deps.home, info.path), PLAIN_FILE).catch(ifMissing);
    if (!file) return;
    try {
      const source = known ?? writer.transaction(() => writer.addSource(info.path, "transcript"));
      let state: SourceState = source;
      if (source.bytes === 0 || source.bytes > info.size || !(await this.#prefixHolds(file, source))) {
        await this.#clear(source);
        state = UNREAD;
      }
      const place = { from: state.bytes, to: info.size, line: state.lines };
      for await (const lines of linesBetween(file, place, READING)) {
        if (this.#deps.signal.aborted) return;
        if (lines.length === 0) continue;
        const before = state;
        state = writer.transaction(() => {
          const after = this.#addLines(source, lines, before);
          writer.setState(source.id, after);
          return after;
        });
        await nextEventLoopTurn();
      }
      writer.transaction(() => writer.setState(source.id, { ...state, size: info.size, mtime: info.mtime }));
      this.#tellSkipped(info.path, state);
    } finally {
      await file.close();
    }
  }

  /** Inside a transaction. Answers with how far the file is read then, its size and time still open. */
  #addLines(source: Source, lines: readonly RawLine[], before: SourceState): SourceState {
    const session = sessionOf(source.path) ?? "";
    let { prefixSha, skipped } = before;
    const drafts = lines.flatMap((line) => {
      prefixSha = chain(prefixSha, line.raw);
      const message = line.bytes ? parseLine(line.bytes) : undefined;
      if (message === undefined) skipped += 1;
      return typeof message === "object" ? turnsOf(message, line, session, this.#deps.redact) : [];
    });
    this.writer.addTurns(source.id, drafts);
    const last = lines.at(-1);
    const { bytes, lines: count } = last ? { bytes: last.end, lines: last.line } : before;
    return { bytes, lines: count, prefixSha, size: -1, mtime: -1, skipped };
  }

  async #prefixHolds(file: FileHandle, source: Source): Promise<boolean> {
    let sha = "";
    let end = 0;
    for await (const lines of linesBetween(file, { from: 0, to: source.bytes, line: 0 }, READING)) {
      for (const line of lines) {
        sha = chain(sha, line.raw);
        end = line.end;
      }
    }
    return end === source.bytes && sha === source.prefixSha;
  }

  async #note(info: SourceFile, known: Source | undefined): Promise<void> {
    const { writer, log, redact, originsOfNote, noteIndexed } = { ...this.#deps, writer: this.writer };
    if (info.size > INDEX_LIMITS.noteBytesMax) {
      if (!this.#told.has(info.path))
        log.warn("a note is too long to be indexed", { path: info.path, bytes: info.size });
      this.#told.add(info.path);
      if (known) await this.#drop(known);
      return;
    }
    const bytes = await readFile(join(this.#deps.home, info.path), { flag: PLAIN_FILE }).catch(ifMissing);
    if (!bytes) return;
    const text = bytes.toString("utf8");
    const ts = dateInName(info.path) ?? info.mtime;
    const originOf = (await originsOfNote?.(info.path, text)) ?? (() => "owner" as const);
    const state = {
      bytes: bytes.length,
      lines: text.split("\n").length,
      prefixSha: sha256(bytes),
      skipped: 0,
    };
    writer.transaction(() => {
      const source = known ?? writer.addSource(info.path, "note");
      writer.replaceTurns(source.id, turnsOfNote(text, ts, redact, originOf));
      writer.setState(source.id, { ...state, size: info.size, mtime: info.mtime });
      noteIndexed?.(writer, source, text, originOf);
    });
  }

  async #drop(source: Source): Promise<void> {
    await this.#clear(source);
    this.writer.transaction(() => this.writer.dropSource(source.id));
  }

  /** Marked as unread first, so that a kill in the middle leaves nothing that counts as read. */
  async #clear(source: Source): Promise<void> {
    const { writer } = this;
    const few = writer.countTurns(source.id, INDEX_LIMITS.fewTurns + 1) <= INDEX_LIMITS.fewTurns;
    const limit = INDEX_LIMITS.deleteTurns;
    let gone: number;
    do {
      gone = writer.transaction(() => {
        writer.setState(source.id, UNREAD);
        return few ? writer.dropTurns(source.id, limit) : writer.dropManyTurns(source.id, limit);
      });
      if (gone > 0) await nextEventLoopTurn();
    } while (gone === limit);
    await this.mergeResidue();
  }

  /** Sees to it that words which were struck out leave the file. */
  async mergeResidue(): Promise<void> {
    if (!this.writer.hasResidue) return;
    for (let step = 0; step < INDEX_LIMITS.mergeStepsMax; step++) {
      if (this.writer.mergeStep(step === 0)) return;
      await nextEventLoopTurn();
    }
  }

  #tellSkipped(path: string, { skipped }: SourceState): void {
    if (skipped === 0 || this.#told.has(path)) return;
    this.#told.add(path);
    this.#deps.log.warn("lines of a conversation that hold no message were left out of the index", {
      path,
      skipped,
    });
  }
}

/** A link could lead to any file of the machine, and its words would count as the owner's. */
const PLAIN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW;
const READING = { readBytes: INDEX_LIMITS.readBytes, lineBytesMax: LIMITS.transcriptLineBytesMax };

function ifMissing(error: unknown): undefined {
  if (!isMissingPath(error) && errorCode(error) !== "ELOOP") throw error;
}

function readRange(path: string, from: number, to: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(to - from);
  const file = openSync(path, "r");
  try {
    let read = 0;
    while (read < buffer.length) {
      const more = readSync(file, buffer, read, buffer.length - read, from + read);
      if (more === 0) break;
      read += more;
    }
    return buffer.subarray(0, read);
  } finally {
    closeSync(file);
  }
}

/** A day in a note's name is the day it is about, whenever the file was touched last. */
function dateInName(path: string): number | undefined {
  const day = /(?:^|[^\d])(\d{4}-\d{2}-\d{2})(?!\d)[^/]*$/.exec(path)?.[1];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T12:00:00Z`);
  return Number.isNaN(at) ? undefined : at;
}

const NEWLINE = 0x0a;

/** A line with the bytes that its hash is made of, newline included. */
interface RawLine extends FileLine {
  readonly raw: Uint8Array;
}

/**
 * Cuts bytes into lines. A last line without its newline waits: whoever writes it may not
 * be done. Of a line longer than `lineBytesMax` only the beginning is kept in `raw`.
 */
class LineCutter {
  readonly #lineBytesMax: number;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #at: number;
  #line: number;

  constructor(at: number, line: number, lineBytesMax: number) {
    this.#at = at;
    this.#line = line;
    this.#lineBytesMax = lineBytesMax;
  }

  push(chunk: Uint8Array): RawLine[] {
    const lines: RawLine[] = [];
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline < 0) break;
      this.#take(chunk.subarray(from, newline + 1));
      lines.push(this.#finish());
      from = newline + 1;
    }
    // A copy, since the caller fills its buffer anew.
    if (from < chunk.length) this.#take(chunk.slice(from));
    return lines;
  }

  #take(piece: Uint8Array): void {
    this.#held += piece.length;
    // Of a line that is no message only its beginning is kept; it still has to be told from another.
    if (this.#held <= this.#lineBytesMax) this.#pieces.push(piece);
  }

  #finish(): RawLine {
    const whole = this.#held <= this.#lineBytesMax;
    const raw = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const start = this.#at;
    const end = start + this.#held;
    this.#line += 1;
    const line: RawLine = {
      line: this.#line,
      start,
      end,
      raw,
      ...(whole ? { bytes: raw.subarray(0, raw.length - 1) } : {}),
    };
    this.#at = end;
    this.#pieces = [];
    this.#held = 0;
    return line;
  }
}

/** The lines between two places of a file, as many at a time as `readBytes` hold. */
async function* linesBetween(
  file: FileHandle,
  place: { readonly from: number; readonly to: number; readonly line: number },
  limits: { readonly readBytes: number; readonly lineBytesMax: number },
): AsyncGenerator<readonly RawLine[]> {
  const cutter = new LineCutter(place.from, place.line, limits.lineBytesMax);
  const buffer = new Uint8Array(limits.readBytes);
  for (let at = place.from; at < place.to;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, place.to - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield cutter.push(buffer.subarray(0, bytesRead));
  }
}
