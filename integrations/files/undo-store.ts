import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hashOf } from "./file-content.ts";
import { FileProblem, isMissing, problemOf } from "./file-problem.ts";
import { FILE_LIMITS, type FileLimits } from "./limits.ts";

/**
 * What calls need to be taken back, and to be settled after a crash; a folder of Elwood's own.
 *
 * U1 Content is kept by its hash and is durable before the call changes anything.
 * U2 The store is bounded: the oldest content goes first, and what is too large is not kept.
 *    Whether it was kept is part of the call's output, so that nobody promises an undo in vain.
 *    What is older than it may be kept is swept away, whether room is needed or not.
 *    Content that was promised has room of its own, which nothing makes but age: where there is
 *    none, the call is not made.
 * U3 Content that no longer fits its hash is not given out.
 * U4 A call notes what it is about to do before it does it. No note means: it did nothing.
 */
export interface UndoStore {
  /**
   * The hash under which the bytes lie, or undefined if they are too large to keep. What is promised
   * is kept as long as `undoKeptMs` says, or throws a FileProblem.
   */
  keep(bytes: Uint8Array, options?: { readonly promised?: boolean }): Promise<string | undefined>;
  get(hash: string): Promise<Buffer | undefined>;
  /** Whether so much more can be promised. */
  hasRoom(needed: { readonly items: number; readonly bytes: number }): Promise<boolean>;
  note(key: string, intent: Intention): Promise<void>;
  intention(key: string): Promise<Intention | undefined>;
}

/** What a call was about to do. */
const intentionSchema = z.object({
  v: z.literal(1),
  /** Hash of the content before; null if there was nothing. */
  before: z.string().nullable().optional(),
  /** What is moved or deleted. */
  thing: z.string().optional(),
});
export type Intention = Readonly<z.infer<typeof intentionSchema>>;

export function makeUndoStore(folder: string, limits: FileLimits): UndoStore {
  const contents = makeBoundedFolder(join(folder, "content"), limits.undoItemsMax, limits.undoBytesMax);
  const intents = makeBoundedFolder(join(folder, "intents"), limits.intentsMax, limits.undoBytesMax);
  const promised = makePromisedFolder(
    join(folder, PROMISED),
    limits.undoPromisedItemsMax,
    limits.undoPromisedBytesMax,
  );
  return {
    async keep(bytes, options = {}) {
      if (bytes.length > limits.undoItemBytesMax && options.promised !== true) return undefined;
      const hash = hashOf(bytes);
      if (options.promised !== true) await contents.put(hash, bytes);
      else if (bytes.length > limits.undoItemBytesMax || !(await promised.put(hash, bytes))) throw noRoom();
      return hash;
    },
    async get(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
      for (const kept of [promised, contents]) {
        const bytes = await kept.get(hash);
        if (bytes !== undefined && hashOf(bytes) === hash) return bytes;
      }
      return undefined;
    },
    hasRoom: (needed) => promised.hasRoom(needed),
    note: (key, intent) => intents.put(`${key}.json`, Buffer.from(JSON.stringify(intent))),
    async intention(key) {
      const bytes = await intents.get(`${key}.json`);
      return bytes === undefined ? undefined : readIntention(join(folder, "intents", `${key}.json`), bytes);
    },
  };
}

const PROMISED = "promised";

function noRoom(): FileProblem {
  return new FileProblem(
    "disk-full",
    "There is no room to keep what was there before, so that this could be undone. Nothing was changed. Called again, it asks the owner.",
  );
}

/** Removes what is older than it may be kept at `now`, and the oldest of what is too much; what was promised goes by its age alone. Answers how many files went. */
export async function sweepUndo(
  folder: string,
  now: number,
  limits: FileLimits = FILE_LIMITS,
): Promise<number> {
  if ((await sizeOf(folder)) === undefined) return 0;
  const since = now - limits.undoKeptMs;
  const { undoItemsMax, undoBytesMax, intentsMax } = limits;
  const contents = await makeRoom(join(folder, "content"), undoItemsMax, undoBytesMax, since);
  const intents = await makeRoom(join(folder, "intents"), intentsMax, undoBytesMax, since);
  const promised = await makeRoom(join(folder, PROMISED), Infinity, Infinity, since);
  return contents.removed + intents.removed + promised.removed;
}

/** U4: a note that cannot be read is no sign that nothing was done. */
function readIntention(path: string, bytes: Buffer): Intention {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const read = intentionSchema.safeParse(value);
  if (read.success) return read.data;
  throw new FileProblem(
    "io",
    `${path}, which says what a call was about to do, is damaged or of another version. It was left as it is. Look at the file that the call was about.`,
  );
}

/** After making room this much of it is free, so that not every call has to look at every file. */
const ROOM_LEFT = 0.1;

interface BoundedFolder {
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
}

function makeBoundedFolder(folder: string, itemsMax: number, bytesMax: number): BoundedFolder {
  let held: { items: number; bytes: number } | undefined;
  // Room is counted; two at once would count the same room twice.
  let turn: Promise<unknown> = Promise.resolve();

  async function put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(folder, name);
    if ((await sizeOf(path)) === bytes.length) {
      const now = new Date();
      await utimes(path, now, now);
      return;
    }
    held ??= await makeRoom(folder, itemsMax, bytesMax);
    if (held.items + 1 > itemsMax || held.bytes + bytes.length > bytesMax) {
      const room = {
        items: itemsMax * (1 - ROOM_LEFT) - 1,
        bytes: bytesMax * (1 - ROOM_LEFT) - bytes.length,
      };
      held = await makeRoom(folder, room.items, room.bytes);
    }
    await putDurably(folder, name, bytes);
    held = { items: held.items + 1, bytes: held.bytes + bytes.length };
  }

  return {
    async put(name, bytes) {
      const mine = turn.then(() => put(name, bytes));
      turn = mine.catch(() => undefined);
      await mine.catch((error: unknown) => {
        throw problemOf(error, "the store for undoing");
      });
    },
    get: (name) => readIfThere(join(folder, name)),
  };
}

interface PromisedFolder {
  hasRoom(needed: { readonly items: number; readonly bytes: number }): Promise<boolean>;
  /** Whether there was room. */
  put(name: string, bytes: Uint8Array): Promise<boolean>;
  get(name: string): Promise<Buffer | undefined>;
}

/** Nothing goes from it to make room: what does not fit is not taken. */
function makePromisedFolder(folder: string, itemsMax: number, bytesMax: number): PromisedFolder {
  let held: { items: number; bytes: number } | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function hasRoom(needed: { readonly items: number; readonly bytes: number }): Promise<boolean> {
    const fits = (now: { items: number; bytes: number }) =>
      now.items + needed.items <= itemsMax && now.bytes + needed.bytes <= bytesMax;
    // What was too old may have been swept away since it was counted.
    return (held !== undefined && fits(held)) || fits(await sizesIn(folder));
  }

  async function put(name: string, bytes: Uint8Array): Promise<boolean> {
    const path = join(folder, name);
    if ((await sizeOf(path)) === bytes.length) {
      const now = new Date();
      await utimes(path, now, now);
      return true;
    }
    held ??= await sizesIn(folder);
    if (!(await hasRoom({ items: 1, bytes: bytes.length }))) return false;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await putDurably(folder, name, bytes);
    held = { items: held.items + 1, bytes: held.bytes + bytes.length };
    return true;
  }

  return {
    hasRoom,
    async put(name, bytes) {
      // Room is counted; two at once would count the same room twice.
      const mine = turn.then(() => put(name, bytes));
      turn = mine.catch(() => undefined);
      return mine.catch((error: unknown) => {
        throw problemOf(error, "the store for undoing");
      });
    },
    get: (name) => readIfThere(join(folder, name)),
  };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** How much a folder has in it now; looked at only. */
async function sizesIn(folder: string): Promise<{ items: number; bytes: number }> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  let bytes = 0;
  for (const name of names) bytes += (await sizeOf(join(folder, name))) ?? 0;
  return { items: names.length, bytes };
}

async function makeRoom(
  folder: string,
  itemsMax: number,
  bytesMax: number,
  since = 0,
): Promise<{ items: number; bytes: number; removed: number }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files: { path: string; size: number; at: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile()) files.push({ path, size: stats.size, at: stats.mtimeMs });
  }
  files.sort((a, b) => a.at - b.at);
  let bytes = files.reduce((sum, file) => sum + file.size, 0);
  let items = files.length;
  for (const file of files) {
    if (items <= itemsMax && bytes <= bytesMax && file.at >= since) break;
    await rm(file.path, { force: true });
    items--;
    bytes -= file.size;
  }
  return { items, bytes, removed: files.length - items };
}

async function putDurably(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const beside = join(folder, `.${randomUUID()}.tmp`);
  try {
    const handle = await open(beside, "wx", 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, join(folder, name));
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  const opened = await open(folder, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
