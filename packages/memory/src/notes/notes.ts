import { constants, lstat, mkdir, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { keyOfFile, keyOfSource, noteKey } from "@elwood/core/memory/note-key";
import { noteLines } from "@elwood/core/memory/note-line";
import { err, ok } from "@elwood/core/base/result";
import { keyedMutex } from "@elwood/runtime/async/serial-queue";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { MISSING, stampOf } from "@elwood/platform/file-stamp";
import { storageFailure } from "@elwood/platform/storage-failure";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";

export interface NoteInfo {
  readonly key: string;
  /** Path below the state directory, as memory names it. */
  readonly source: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

export interface Note extends NoteInfo {
  readonly text: string;
}

export interface NoteChange {
  readonly key: string;
  readonly source: string;
  /** What stood there; null where there was no note. */
  readonly before: string | null;
  /** What stands there now; null where the note is gone. */
  readonly after: string | null;
}

/**
 * Notes: `memory/<tenant>/<key>.md`. The files are the truth; the owner may edit, add and
 * remove them by hand at any time, and whoever saves reads them first.
 *
 * K1 A note is written whole or not at all, closed to other users.
 * K2 Changes of one note happen one after the other.
 * K3 What is too long, or one too many, is refused with words; nothing is ever cut.
 */
export interface Notes {
  list(tenant: string): Promise<readonly NoteInfo[]>;
  get(tenant: string, key: string): Promise<Note | undefined>;
  /** The note in the very file that memory names so; the same object for as long as the file is known to be the same. */
  at(tenant: string, source: string): Promise<Note | undefined>;
  /** Those of these lines, as they are known again (`noteLine`), that stand in a note still, whatever folder it lies in. */
  standing(tenant: string, lines: readonly string[]): Promise<ReadonlySet<string>>;
  /** `work` gets the text there is and answers the text there shall be; undefined removes the note. */
  change(
    tenant: string,
    key: string,
    work: (before: string | undefined) => string | undefined | Promise<string | undefined>,
  ): Promise<NoteChange>;
  /** Nobody has talked for a while: what is kept of files is given back. */
  rest(): void;
}

const NEXT = "Look at the rights of the state directory: elwood doctor";

/** `now`: without it each note is read again whenever somebody asks. */
export function fileNotes(folder: string, now?: () => number): Notes {
  const queue = keyedMutex();
  const kept = new KeptNotes();

  /** A file that was made by hand may be called `Home.md`, or `Bob's car.md`; it is the note `home` all the same, or found by its name as it is. */
  async function find(tenant: string, given: string) {
    checkTenant(tenant);
    const inside = join(folder, tenant);
    const there = await names(inside);
    const place = (key: string, name: string) => ({
      key,
      path: join(inside, name),
      folder: inside,
      source: `memory/${tenant}/${name}`,
    });
    const asIs = there.find((name) => name === `${given}.md`);
    if (asIs !== undefined) return ok(place(keyOfFile(asIs), asIs));
    const key = noteKey(given);
    if (!key.ok) return err(key.error);
    const usual = `${key.value}.md`;
    const name = there.includes(usual) ? usual : there.find((one) => keyOfFile(one) === key.value);
    return ok(place(key.value, name ?? usual));
  }

  return {
    async list(tenant) {
      checkTenant(tenant);
      const found: NoteInfo[] = [];
      for (const name of await names(join(folder, tenant))) {
        const stats = await lstat(join(folder, tenant, name)).catch(missing);
        if (!stats?.isFile()) continue;
        const { size: bytes, mtimeMs } = stats;
        found.push({
          key: keyOfFile(name),
          source: `memory/${tenant}/${name}`,
          bytes,
          modifiedAt: Math.floor(mtimeMs),
        });
      }
      return found;
    },

    async get(tenant, given) {
      const found = await find(tenant, given);
      if (!found.ok) return undefined;
      const { key, path, source } = found.value;
      const read = await readNote(path);
      return read && { key, source, ...read };
    },

    async at(tenant, source) {
      checkTenant(tenant);
      const key = keyOfSource(source);
      if (key === undefined || !source.startsWith(`memory/${tenant}/`)) return undefined;
      const path = join(folder, tenant, `${key}.md`);
      // Before it is read: what changes meanwhile has another stamp.
      const stamp = now && stampOf(path, now());
      const known = kept.get(path, stamp);
      if (known) return known;
      // One that is made from now on has no stamp to be kept under.
      const read = stamp === MISSING ? undefined : await readNote(path);
      const note = read && { key: keyOfFile(`${key}.md`), source, ...read };
      kept.set(path, stamp, note);
      return note;
    },

    rest: () => kept.clear(),

    async standing(tenant, lines) {
      checkTenant(tenant);
      const inside = join(folder, tenant);
      const wanted = new Set(lines);
      const still = new Set<string>();
      const all =
        wanted.size === 0 ? [] : ((await readdir(inside, { recursive: true }).catch(missing)) ?? []);
      for (const name of all.filter((each) => each.endsWith(".md"))) {
        const note = await readNote(join(inside, name));
        for (const line of noteLines(note?.text ?? "")) if (wanted.has(line)) still.add(line);
      }
      return still;
    },

    async change(tenant, given, work) {
      const found = await find(tenant, given);
      if (!found.ok) return fail("INVALID_INPUT", found.error);
      const { key, path, source, folder: inside } = found.value;
      return queue.run(path, async () => {
        const there = await readNote(path);
        if (there && there.bytes > HAND_BYTES_MAX) tooLongByHand(key);
        const before = there?.text;
        const text = await work(before);
        const after = text === undefined ? undefined : complete(text);
        if (after !== undefined) checkSize(key, after);
        if (after !== undefined && before === undefined) await checkCount(inside);
        try {
          if (after === undefined) await unlink(path).catch(missing);
          else if (after !== before) {
            await mkdir(inside, { recursive: true, mode: 0o700 });
            await writeFileAtomic(path, after, { mode: 0o600 });
          }
        } catch (cause) {
          throw cause instanceof FailureError
            ? cause
            : new FailureError(storageFailure(cause, `The note ${key}`, NEXT));
        }
        return { key, source, before: before ?? null, after: after ?? null };
      });
    },
  };
}

/** Notes that were read lately, for as long as their files stay as they were; those that were read first go first. */
class KeptNotes {
  readonly #kept = new Map<string, { readonly stamp: string; readonly note: Note }>();
  #chars = 0;

  get(path: string, stamp: string | undefined): Note | undefined {
    const known = this.#kept.get(path);
    return known?.stamp === stamp ? known?.note : undefined;
  }

  /** Without a stamp nobody could tell whether it has changed. */
  set(path: string, stamp: string | undefined, note: Note | undefined): void {
    this.#drop(path);
    if (stamp === undefined || !note || note.text.length > KEPT_CHARS_MAX) return;
    this.#kept.set(path, { stamp, note });
    this.#chars += note.text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX && this.#chars <= KEPT_CHARS_MAX) return;
      this.#drop(oldest);
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#chars = 0;
  }

  #drop(path: string): void {
    this.#chars -= this.#kept.get(path)?.note.text.length ?? 0;
    this.#kept.delete(path);
  }
}

const KEPT_MAX = 200;
const KEPT_CHARS_MAX = 400_000;

/** A text file ends with a line's end. */
function complete(text: string): string {
  const whole = text.replaceAll("\r\n", "\n").toWellFormed();
  return whole.endsWith("\n") ? whole : `${whole}\n`;
}

/** K3 */
export function checkSize(key: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LIMITS.noteBytesMax) return;
  fail(
    "INVALID_INPUT",
    `The note ${key} would be ${bytes} bytes long, and ${LIMITS.noteBytesMax} are the limit. Nothing was saved. Shorten it, or put a part of it into another note.`,
  );
}

/** Its end was not read, so that it could not be put back. */
function tooLongByHand(key: string): never {
  fail("INVALID_INPUT", `The note ${key} is too long to be changed by Elwood. It was left as it is.`);
}

async function checkCount(folder: string): Promise<void> {
  if ((await names(folder)).length < LIMITS.notesMax) return;
  fail(
    "INVALID_INPUT",
    `There are ${LIMITS.notesMax} notes, which is the limit. Nothing was saved. Add to a note that exists, or forget one first.`,
  );
}

async function names(folder: string): Promise<string[]> {
  const all = (await readdir(folder).catch(missing)) ?? [];
  return all.filter((name) => name.endsWith(".md") && !name.startsWith(".")).sort();
}

/** A link could lead to any file of the machine; a note is a plain file. */
async function readNote(path: string): Promise<Pick<Note, "bytes" | "modifiedAt" | "text"> | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    missing,
  );
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, HAND_BYTES_MAX));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const text = bytes.subarray(0, bytesRead).toString("utf8");
    return { text, bytes: stats.size, modifiedAt: Math.floor(stats.mtimeMs) };
  } finally {
    await handle.close();
  }
}

/** One that was written by hand may be longer than one that is saved; beyond this it is not read whole. */
const HAND_BYTES_MAX = 8 * 1024 * 1024;

function missing(cause: unknown): undefined {
  if (isMissingPath(cause) || errorCode(cause) === "ELOOP") return undefined;
  throw cause;
}
