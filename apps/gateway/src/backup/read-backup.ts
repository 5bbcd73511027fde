import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { parseJson } from "@elwood/core/base/parse-json";
import { extract } from "tar-stream";
import { fail, FailureError } from "@elwood/core/base/failure";
import { errorCode, isMissing } from "@elwood/platform/system-error";
import { MIGRATIONS } from "@elwood/store-sqlite/migrations";
import { AGE_MAGIC, decrypted } from "./age.ts";
import {
  BACKUP_LIMITS,
  FORMAT_VERSION,
  HEADER_NAME,
  headerSchema,
  isSafePath,
  MANIFEST_NAME,
  manifestSchema,
  STATE_PREFIX,
  type BackupHeader,
  type BackupManifest,
} from "./backup-format.ts";

/** Takes in what is read. What it throws ends the reading. */
export interface BackupSink {
  /** Once, first: whether there is room for it, and whether it can be used at all. */
  begin?(header: BackupHeader): Promise<void>;
  /** A file of the state directory, as it comes; it must be read to its end. */
  file?(path: string, content: AsyncIterable<Buffer>): Promise<void>;
}

export interface BackupRead {
  readonly header: BackupHeader;
  readonly manifest: BackupManifest;
  readonly encrypted: boolean;
}

/** Whether a file needs a passphrase. Throws a FailureError where it is no backup. */
export async function isEncrypted(path: string): Promise<boolean> {
  const head = await opening(path, async (handle) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(AGE_MAGIC.length), 0, AGE_MAGIC.length, 0);
    return buffer.subarray(0, bytesRead);
  });
  if (head.toString("latin1") === AGE_MAGIC) return true;
  if (head[0] === 0x1f && head[1] === 0x8b) return false;
  return foreign(path);
}

/**
 * Reads a backup from beginning to end and holds it against its manifest: every file that was
 * written is there once, with the bytes that were written, and no other.
 */
export async function readBackup(
  path: string,
  passphrase: string | undefined,
  sink: BackupSink = {},
): Promise<BackupRead> {
  const name = basename(path);
  const sealed = await isEncrypted(path);
  if (sealed && passphrase === undefined)
    fail(
      "INVALID_INPUT",
      `${name} is encrypted. Nothing was changed. Give the passphrase: on a terminal you are asked for it, elsewhere name a file with --passphrase-file.`,
    );
  try {
    const raw = createReadStream(path);
    const packed = sealed ? await decrypted(raw, passphrase ?? "", name) : raw;
    return { ...(await unpacked(packed, path, sink)), encrypted: sealed };
  } catch (error) {
    throw error instanceof SinkError ? error.cause : error;
  }
}

async function unpacked(
  packed: Readable,
  path: string,
  sink: BackupSink,
): Promise<Omit<BackupRead, "encrypted">> {
  const unpacking = createGunzip();
  const entries = extract();
  packed.on("error", (error: Error) => unpacking.destroy(error));
  unpacking.on("error", (error) => entries.destroy(error));
  packed.pipe(unpacking).pipe(entries);
  try {
    return await readEntries(entries, path, sink);
  } catch (error) {
    if (error instanceof FailureError || error instanceof SinkError) throw error;
    return damaged(path, "it ends too early, or bytes of it were changed");
  } finally {
    entries.destroy();
    unpacking.destroy();
    packed.destroy();
  }
}

/** What the sink threw, to tell it from a fault of the archive. */
class SinkError extends Error {}

interface Entry extends AsyncIterable<Buffer> {
  readonly header: { readonly name: string; readonly type?: string | null; readonly size?: number };
  resume(): unknown;
}

async function readEntries(
  entries: AsyncIterable<Entry>,
  path: string,
  sink: BackupSink,
): Promise<Omit<BackupRead, "encrypted">> {
  let header: BackupHeader | undefined;
  let manifest: BackupManifest | undefined;
  const seen = new Map<string, { readonly bytes: number; readonly sha256: string }>();
  let bytes = 0;
  for await (const entry of entries) {
    const { name, type } = entry.header;
    if (manifest !== undefined || type !== "file")
      damaged(path, `${JSON.stringify(name)} does not belong in it`);
    if (header === undefined) {
      header = name === HEADER_NAME ? readHeader(await textOf(entry, path), path) : foreign(path);
      await asSink(() => sink.begin?.(header!));
    } else if (name === MANIFEST_NAME) manifest = readManifest(await textOf(entry, path), path);
    else {
      const file = name.startsWith(STATE_PREFIX) ? name.slice(STATE_PREFIX.length) : "";
      if (!isSafePath(file) || seen.has(file)) damaged(path, `${JSON.stringify(name)} does not belong in it`);
      if (seen.size >= BACKUP_LIMITS.files) damaged(path, `it has more than ${BACKUP_LIMITS.files} files`);
      const hash = createHash("sha256");
      let read = 0;
      const limit = header.bytes + BACKUP_LIMITS.slackBytes;
      const content = watched(entry, (chunk) => {
        hash.update(chunk);
        read += chunk.length;
        bytes += chunk.length;
        if (bytes > limit) damaged(path, "more is in it than it says");
      });
      if (sink.file === undefined) for await (const _ of content);
      else await asSink(() => sink.file?.(file, content));
      seen.set(file, { bytes: read, sha256: hash.digest("hex") });
    }
  }
  if (header === undefined) return foreign(path);
  if (manifest === undefined) return damaged(path, "it ends too early");
  compare(manifest, seen, path);
  return { header, manifest };
}

async function asSink(work: () => Promise<void> | undefined): Promise<void> {
  try {
    await work();
  } catch (cause) {
    // What is wrong with the archive shows while the sink reads it: only faults of the disk are the sink's.
    if (cause instanceof FailureError || errorCode(cause)?.startsWith("E") === true)
      throw new SinkError("", { cause });
    throw cause;
  }
}

async function* watched(entry: Entry, see: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of entry) {
    see(chunk);
    yield chunk;
  }
}

function compare(
  { files, folders, links }: BackupManifest,
  seen: ReadonlyMap<string, { readonly bytes: number; readonly sha256: string }>,
  path: string,
): void {
  for (const file of files) {
    const found = seen.get(file.path);
    if (found === undefined) damaged(path, `${file.path} is missing in it`);
    if (found.bytes !== file.bytes || found.sha256 !== file.sha256) damaged(path, `${file.path} was changed`);
  }
  if (files.length !== seen.size) damaged(path, "it has files that its manifest does not name");
  for (const { path: each } of [...folders, ...links])
    if (!isSafePath(each)) damaged(path, `${JSON.stringify(each)} does not belong in it`);
}

function readHeader(text: string, path: string): BackupHeader {
  const header = headerSchema.safeParse(parseJson(text));
  if (!header.success) return foreign(path);
  const { v, schema, elwood } = header.data;
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  if (v > FORMAT_VERSION || schema > newest)
    fail(
      "STORAGE",
      `${basename(path)} was made by a newer Elwood (${elwood}; its database has schema ${schema}, this one knows up to ${newest}). Nothing was changed. Install that Elwood, or a newer one, and restore with it.`,
      { retryable: false },
    );
  return header.data;
}

function readManifest(text: string, path: string): BackupManifest {
  const manifest = manifestSchema.safeParse(parseJson(text));
  return manifest.success ? manifest.data : damaged(path, "its manifest cannot be read");
}

async function textOf(entry: Entry, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of entry) {
    bytes += chunk.length;
    if (bytes > BACKUP_LIMITS.metadataBytes) damaged(path, "its manifest is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function opening<T>(path: string, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    const code = errorCode(error);
    if (isMissing(error)) return fail("NOT_FOUND", `There is no file ${path}. Nothing was changed.`);
    if (code === undefined) throw error;
    return fail("STORAGE", `${path} cannot be read (${code}). Nothing was changed.`, { retryable: false });
  }
  try {
    return await work(handle);
  } catch (error) {
    if (errorCode(error) === "EISDIR") return foreign(path);
    throw error;
  } finally {
    await handle.close();
  }
}

function foreign(path: string): never {
  return fail("INVALID_INPUT", `${path} is not a backup that Elwood made. Nothing was changed.`);
}

function damaged(path: string, why: string): never {
  return fail(
    "INVALID_INPUT",
    `${path} is cut short or damaged: ${why}. Nothing was changed. Copy it again from where it was, or take another backup.`,
  );
}
