import { createHash } from "node:crypto";
import { link, mkdir, mkdtemp, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack, type Pack } from "tar-stream";
import { fail, FailureError } from "@elwood/core/base/failure";
import type { StatePaths } from "@elwood/platform/state-paths";
import { storageFailure } from "@elwood/platform/storage-failure";
import { errorCode, isMissing } from "@elwood/platform/system-error";
import { lastSignedPath } from "@elwood/store-sqlite/receipts/log-key";
import { checkPassphrase, encrypted } from "./age.ts";
import {
  BACKUP_LIMITS,
  backupName,
  HEADER_NAME,
  headerOf,
  MANIFEST_NAME,
  STATE_PREFIX,
  timeInName,
  type BackupHeader,
  type BackupManifest,
} from "./backup-format.ts";
import { copyDatabases, type CopiedDatabases } from "./copy-databases.ts";
import { stateFiles, type StateFile, type StateFiles } from "./state-files.ts";
import {
  bytesThen,
  ChangedMeanwhile,
  opened,
  sessionsBefore,
  type SessionsBefore,
} from "./transcript-cut.ts";
import { verifyBackup, type VerifiedBackup } from "./verify-backup.ts";

export interface BackupRequest {
  readonly paths: StatePaths;
  /** The file to write. */
  readonly output: string;
  /** Whether a file of that name may be replaced. */
  readonly overwrite?: boolean;
  readonly passphrase?: string;
  /** How dear each guess of the passphrase is, as a power of two; what age takes unless told. */
  readonly workFactor?: number;
  readonly now: number;
  /** Of this Elwood. */
  readonly version: string;
  /** What belongs to this Elwood and lies elsewhere. */
  readonly outside?: { readonly config?: string; readonly workspace?: string };
}

export interface BackupMade extends VerifiedBackup {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Copies the state directory into one file, also while a gateway is at work in it.
 *
 * B1 The databases are copied first, each as of one moment; the files after them, cut back to that
 *    moment. So whatever a row names is there, and no conversation is ahead of its receipts.
 * B2 The file gets its name only after it was read back whole and its receipts were checked.
 * B3 Whatever fails, nothing is left behind, and the state directory is as it was.
 */
export async function createBackup(request: BackupRequest): Promise<BackupMade> {
  const { output, passphrase } = request;
  if (passphrase !== undefined) checkPassphrase(passphrase);
  const partial = `${output}.partial`;
  try {
    await stat(request.paths.home).catch((error: unknown) => noState(error, request.paths.home));
    await makeFolder(dirname(output));
    if (request.overwrite !== true) await refuseExisting(output);
    await using staging = await stagingFolder(request.paths);
    await writeTries(request, staging.path, partial);
    const verified = await verifyBackup(partial, {
      ...(passphrase === undefined ? {} : { passphrase }),
      scratch: staging.path,
    });
    if (request.overwrite === true) await rename(partial, output);
    else await putNew(partial, output);
    const { size } = await stat(output);
    return { ...verified, path: output, bytes: size };
  } catch (error) {
    throw inWords(error, output);
  } finally {
    await rm(partial, { force: true });
  }
}

async function writeTries(request: BackupRequest, staging: string, partial: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await writeOnce(request, staging, partial);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      if (tries === BACKUP_LIMITS.tries)
        fail(
          "CONFLICT",
          `Conversations were rewritten again and again while they were copied (${error.message}). No backup was made. Try again when Elwood has finished forgetting.`,
        );
    }
  }
}

async function writeOnce(request: BackupRequest, staging: string, partial: string): Promise<void> {
  const { paths, now, version } = request;
  const databases = join(staging, "databases");
  await rm(databases, { recursive: true, force: true });
  await mkdir(databases, { mode: 0o700 });
  const before = await sessionsBefore(paths.home);
  // Signed heads are ahead of the copy if they are read after it, and the log would seem to be cut.
  const lastSigned = await opened(lastSignedPath(paths.keys), (handle) => handle.readFile());
  const copied = await copyDatabases(paths, databases);
  try {
    const listed = await filesToCopy(request, databases, copied);
    if (listed.files.length === 0)
      fail(
        "NOT_FOUND",
        `There is nothing to back up yet: ${paths.home} is empty. No backup was made. Elwood fills it when it first runs.`,
      );
    const header = headerOf({
      createdAt: now,
      elwood: version,
      schema: copied.schema,
      files: listed.files.length,
      bytes: listed.files.reduce((sum, { bytes }) => sum + bytes, 0),
    });
    const archive = pack();
    // Both halves tell of it themselves.
    archive.on("error", () => undefined);
    const filling = fill(archive, { header, listed, before, copied, lastSigned }).catch((error: unknown) => {
      archive.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
    await settledBoth(filling, writeOut(Readable.from(archive), partial, request));
  } finally {
    copied.close();
  }
}

/** The first failure counts: the other half then fails because of it. */
async function settledBoth(filling: Promise<void>, writing: Promise<void>): Promise<void> {
  const failed: unknown[] = [];
  const note = (error: unknown) => void failed.push(error);
  await Promise.all([filling.catch(note), writing.catch(note)]);
  if (failed.length > 0) throw failed[0];
}

async function writeOut(archive: Readable, partial: string, request: BackupRequest): Promise<void> {
  const { passphrase, workFactor } = request;
  const target = createWriteStream(partial, { mode: 0o600, flush: true });
  if (passphrase === undefined) return pipeline(archive, createGzip(), target);
  const sealed = (source: AsyncIterable<Uint8Array>) => sealing(source, passphrase, workFactor);
  return pipeline(archive, createGzip(), sealed, target);
}

async function* sealing(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
  workFactor?: number,
): AsyncGenerator<Uint8Array> {
  yield* (await encrypted(Readable.from(source), passphrase, workFactor)) as AsyncIterable<Uint8Array>;
}

/** The state directory, the databases' copies in place of the databases, and what of it lies elsewhere. */
async function filesToCopy(
  { paths, outside = {} }: BackupRequest,
  databases: string,
  copied: CopiedDatabases,
): Promise<StateFiles> {
  const own = await stateFiles(paths.home);
  const files: StateFile[] = [...own.files];
  const more: StateFiles[] = [];
  for (const name of copied.names) {
    const source = join(databases, name);
    const { size, mtimeMs } = await stat(source);
    files.push({ path: name, source, bytes: size, mode: 0o600, modifiedAt: Math.trunc(mtimeMs) });
  }
  const { config, workspace } = outside;
  if (config !== undefined && isOutside(paths.home, config)) {
    const { size, mtimeMs } = await stat(config);
    // In the state directory it takes effect wherever that is restored.
    const taken = own.files.some(({ path }) => /^config\.[a-z]+$/.test(path));
    const path = `${taken ? "outside/" : ""}config${extname(config)}`;
    if (taken) more.push({ files: [], folders: [{ path: "outside", mode: 0o700 }], links: [], leftOut: [] });
    files.push({ path, source: config, bytes: size, mode: 0o600, modifiedAt: Math.trunc(mtimeMs) });
  }
  if (workspace !== undefined && isOutside(paths.home, workspace)) {
    const found = await stateFiles(workspace, "outside/workspace/");
    const folders = ["outside", "outside/workspace"].map((path) => ({ path, mode: 0o700 }));
    more.push({ ...found, folders: [...folders, ...found.folders] });
  }
  const folders = new Map([own, ...more].flatMap((each) => each.folders).map((each) => [each.path, each]));
  return {
    files: [...files, ...more.flatMap((each) => each.files)],
    folders: [...folders.values()],
    links: [own, ...more].flatMap((each) => each.links),
    leftOut: [...[own, ...more].flatMap((each) => each.leftOut), ...copied.leftOut],
  };
}

function isOutside(home: string, path: string): boolean {
  return relative(home, path).startsWith("..");
}

interface Filling {
  readonly header: BackupHeader;
  readonly listed: StateFiles;
  readonly before: SessionsBefore;
  readonly copied: CopiedDatabases;
  readonly lastSigned: Buffer | undefined;
}

const LAST_SIGNED = "keys/receipts.head";

async function fill(archive: Pack, filling: Filling): Promise<void> {
  const { header, listed, before, copied, lastSigned } = filling;
  await addText(archive, HEADER_NAME, header);
  const files: BackupManifest["files"] = [];
  for (const file of listed.files) {
    const { path, mode, modifiedAt } = file;
    if (path === LAST_SIGNED) {
      // As it was before the database was copied.
      if (lastSigned !== undefined)
        files.push({ path, mode, modifiedAt, ...(await addBytes(archive, STATE_PREFIX + path, lastSigned)) });
      continue;
    }
    const added = await opened(file.source, async (handle) => {
      const bytes = await bytesThen(path, handle, before, copied);
      return bytes === undefined ? undefined : addFile(archive, file, handle, bytes);
    });
    if (added !== undefined) files.push({ path, mode, modifiedAt, ...added });
  }
  const { folders, links, leftOut } = listed;
  const manifest: BackupManifest = {
    files,
    folders: [...folders],
    links: [...links],
    head: copied.head,
    leftOut: [...leftOut],
  };
  await addText(archive, MANIFEST_NAME, manifest);
  archive.finalize();
}

interface Added {
  readonly bytes: number;
  readonly sha256: string;
}

const PIECE_BYTES = 256 * 1024;

async function addFile(archive: Pack, file: StateFile, handle: FileHandle, bytes: number): Promise<Added> {
  const hash = createHash("sha256");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const header = {
    name: STATE_PREFIX + file.path,
    size: bytes,
    mode: file.mode,
    mtime: new Date(file.modifiedAt),
  };
  const entry = archive.entry(header, (error) => (error ? reject(error) : resolve()));
  // It is awaited below; until then a failure must not count as one that nobody looks at.
  promise.catch(() => undefined);
  entry.on("error", reject);
  for (let read = 0; read < bytes;) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes - read));
    const { bytesRead } = await handle.read(piece, 0, piece.length, read);
    if (bytesRead === 0) throw new ChangedMeanwhile(file.path);
    const chunk = piece.subarray(0, bytesRead);
    hash.update(chunk);
    read += bytesRead;
    if (!entry.write(chunk)) await drained(entry, archive);
  }
  entry.end();
  await promise;
  return { bytes, sha256: hash.digest("hex") };
}

function drained(entry: NodeJS.WritableStream, archive: Pack): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("The archive is closed."));
    entry.once("drain", () => {
      archive.off("close", closed);
      resolve();
    });
    archive.once("close", closed);
  });
}

async function addBytes(archive: Pack, name: string, content: Buffer): Promise<Added> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  archive.entry({ name, size: content.length, mode: 0o600 }, content, (error) =>
    error ? reject(error) : resolve(),
  );
  await promise;
  return { bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

async function addText(archive: Pack, name: string, value: unknown): Promise<void> {
  await addBytes(archive, name, Buffer.from(`${JSON.stringify(value)}\n`));
}

/** For the databases' copies: in the state directory, so that a disk that is taken away never has them in the clear. */
async function stagingFolder(paths: StatePaths): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await makeStaging(paths);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function makeStaging({ backups }: StatePaths): Promise<string> {
  try {
    await makeFolder(backups);
    return await mkdtemp(join(backups, ".making-"));
  } catch (error) {
    if (!["EROFS", "EACCES", "EPERM"].includes(errorCode(error) ?? "")) throw error;
    return mkdtemp(join(tmpdir(), "elwood-backup-"));
  }
}

/** With its parents. On a read-only disk Node says of a recursive one that something is missing; asked for one folder it says what is wrong. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(path, { mode: 0o700 });
  }
}

/** Links and removes, so that two who make one at once do not replace each other's. */
async function putNew(partial: string, output: string): Promise<void> {
  try {
    await link(partial, output);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return exists(output);
    // A disk that knows no links.
    await refuseExisting(output);
    await rename(partial, output);
  }
}

async function refuseExisting(output: string): Promise<void> {
  const found = await stat(output).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (found !== undefined) exists(output);
}

function exists(output: string): never {
  return fail("CONFLICT", `${output} exists already and was left as it is. To write over it: add --force.`);
}

function noState(error: unknown, home: string): never {
  if (!isMissing(error)) throw error;
  return fail(
    "NOT_FOUND",
    `There is nothing to back up: ${home} does not exist. Name the data folder with --home.`,
  );
}

function inWords(error: unknown, output: string): unknown {
  if (error instanceof FailureError || errorCode(error) === undefined) return error;
  return new FailureError(
    storageFailure(error, output, "No backup was made. Choose another place with --output."),
  );
}

/**
 * Removes all but the newest of those that Elwood named itself. Answers what it removed. One from the
 * future was made under a wrong clock: it counts as older than the others, so that the one of now stays.
 */
export async function pruneBackups(folder: string, keep: number, now: number): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => timeInName(name) !== undefined);
  const latest = timeInName(backupName(now, false)) ?? "";
  const order = (name: string) => {
    const time = timeInName(name) ?? "";
    return time > latest ? `0${time}` : `1${time}`;
  };
  const newest = names.toSorted((a, b) => order(b).localeCompare(order(a)));
  const old = newest.slice(Math.max(1, keep));
  for (const name of old) await rm(join(folder, name), { force: true });
  return old.map((name) => basename(name));
}
