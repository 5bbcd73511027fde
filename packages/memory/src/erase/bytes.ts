import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { caseForms, writtenForms, type SearchTerms } from "@elwood/core/erase/search-terms";
import { LIMITS } from "@elwood/core/base/limits";
import { isMissingPath } from "@elwood/platform/system-error";

export interface BytesFound {
  /** Below the state directory. */
  readonly path: string;
  readonly times: number;
}

export interface BytesSearched {
  readonly files: number;
  readonly bytes: number;
  readonly found: readonly BytesFound[];
  /** Files that could not be searched. */
  readonly unread: readonly string[];
}

/** Keys and passwords: nobody's words, and read by as few as possible. */
const NOT_SEARCHED: ReadonlySet<string> = new Set(["keys", "auth-profiles.json", "gateway.lock"]);

/** Backups that Elwood made: compressed, and perhaps encrypted. No word can be seen in them. */
const PACKED = /^backups\/elwood-\d{8}T\d{9}Z\.tar\.gz(?:\.age)?$/;

export function isPackedBackup(path: string): boolean {
  return PACKED.test(path);
}

/** Looks through the bytes of all files below a folder, databases and their logs as they lie on the disk. */
export async function searchBytes(home: string, needles: SearchTerms, under = ""): Promise<BytesSearched> {
  const look = looker(needles);
  const found: BytesFound[] = [];
  const unread: string[] = [];
  let files = 0;
  let bytes = 0;
  if (needles.texts.length === 0) return { files, bytes, found, unread };
  for await (const path of filesBelow(home, under)) {
    if (files >= LIMITS.forgetFilesMax) {
      unread.push(path);
      break;
    }
    if (isPackedBackup(path)) {
      unread.push(path);
      continue;
    }
    const searched = await searchFile(join(home, path), look);
    if (searched === undefined) continue;
    files += 1;
    bytes += searched.bytes;
    if (searched.times > 0) found.push({ path, times: searched.times });
    if (!searched.whole) unread.push(path);
  }
  return { files, bytes, found, unread };
}

/** The same for one file; 0 where it is not there. */
export async function timesInFile(path: string, needles: SearchTerms): Promise<number> {
  return (await searchFile(path, looker(needles)))?.times ?? 0;
}

async function* filesBelow(home: string, under: string): AsyncGenerator<string> {
  const entries = await readdir(join(home, under), { withFileTypes: true }).catch(gone);
  for (const entry of entries ?? []) {
    const path = under === "" ? entry.name : `${under}/${entry.name}`;
    if (NOT_SEARCHED.has(path)) continue;
    if (entry.isDirectory()) yield* filesBelow(home, path);
    else if (entry.isFile()) yield path;
  }
}

interface Looker {
  readonly longest: number;
  readonly fold: boolean;
  readonly times: (chunk: Buffer) => number;
}

function looker({ fold, texts }: SearchTerms): Looker {
  const forms = writtenForms(fold ? texts.flatMap(caseForms) : texts);
  const wanted = [
    ...new Set(
      forms.map((form) => (fold ? lowered(Buffer.from(form)) : Buffer.from(form)).toString("latin1")),
    ),
  ];
  const needles = wanted.filter((form) => form.length > 0).map((form) => Buffer.from(form, "latin1"));
  return {
    longest: Math.max(1, ...needles.map(({ length }) => length)),
    fold,
    times(chunk) {
      const bytes = fold ? lowered(chunk) : chunk;
      let times = 0;
      for (const needle of needles)
        for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length))
          times += 1;
      return times;
    },
  };
}

/** Letters of ASCII only; others stand among the forms in both cases. */
function lowered(bytes: Buffer): Buffer {
  const low = Buffer.from(bytes);
  for (let i = 0; i < low.length; i++) {
    const byte = low[i]!;
    if (byte >= 0x41 && byte <= 0x5a) low[i] = byte + 0x20;
  }
  return low;
}

const CHUNK_BYTES = 1024 * 1024;

async function searchFile(
  path: string,
  look: Looker,
): Promise<{ readonly bytes: number; readonly times: number; readonly whole: boolean } | undefined> {
  const info = await stat(path).catch(gone);
  const file = info && (await open(path, "r").catch(gone));
  if (!file) return undefined;
  if (info.size > LIMITS.forgetFileBytesMax) {
    await file.close();
    return { bytes: 0, times: 0, whole: false };
  }
  try {
    // Each piece begins with the end of the one before, so that nothing is missed between two, or counted twice.
    const overlap = look.longest - 1;
    const buffer = Buffer.alloc(CHUNK_BYTES + overlap);
    let times = 0;
    let kept = 0;
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, kept, CHUNK_BYTES, bytes);
      if (bytesRead === 0) return { bytes, times, whole: true };
      const filled = kept + bytesRead;
      times += look.times(buffer.subarray(0, filled));
      bytes += bytesRead;
      kept = Math.min(overlap, filled);
      buffer.copyWithin(0, filled - kept, filled);
    }
  } finally {
    await file.close();
  }
}

function gone(cause: unknown): undefined {
  if (isMissingPath(cause)) return undefined;
  throw cause;
}
