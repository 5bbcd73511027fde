import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { CALL_WORDS } from "@elwood/core/base/state-words";
import { checkPassphrase } from "@elwood/gateway/backup/age";
import { backupName } from "@elwood/gateway/backup/backup-format";
import { createBackup, pruneBackups, type BackupRequest } from "@elwood/gateway/backup/create-backup";
import { listBackups, type FoundBackup } from "@elwood/gateway/backup/list-backups";
import { isEncrypted } from "@elwood/gateway/backup/read-backup";
import { finishRestore, rehearseRestore, restoreBackup } from "@elwood/gateway/backup/restore-backup";
import { verifyBackup, type VerifiedBackup } from "@elwood/gateway/backup/verify-backup";
import { sizeText } from "@elwood/core/base/size-text";
import type { StatePaths } from "@elwood/platform/state-paths";
import { verdictWords } from "@elwood/store-sqlite/receipts/verify";
import { readSecret } from "./auth-command.ts";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { markOf, paintFor } from "./paint.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { gatewayText, say, sayCount, timeText } from "./words/say.ts";

export interface BackupDeps {
  readonly paths: StatePaths;
  readonly version: string;
  readonly timeZone: string;
  readonly now: () => number;
  /** Where the scheduled ones go, if not into the data folder. */
  readonly folder?: string;
  /** What belongs to this Elwood and lies outside of its data folder. */
  readonly outside?: BackupRequest["outside"];
  /** Reads a secret from whoever sits there; masked where absent. */
  readonly askSecret?: Parameters<typeof readSecret>[3];
}

export interface PassphraseFlags {
  /** A file with the passphrase in its first line; `-` is standard input. */
  readonly passphraseFile?: string;
}

export interface CreateFlags extends PassphraseFlags {
  readonly encrypt: boolean;
  /** A file, or a folder to name one in. */
  readonly output?: string;
  /** Of the backups in that folder that Elwood named, keep so many. */
  readonly keep?: number;
  readonly force: boolean;
  readonly json: boolean;
}

/** `elwood backup create` keeps the newest; `elwood export` writes the one file that was named. */
export async function makeBackup(io: Io, deps: BackupDeps, flags: CreateFlags): Promise<number> {
  const sealed = flags.encrypt || flags.passphraseFile !== undefined;
  const passphrase = sealed ? await newPassphrase(io, deps, flags) : undefined;
  const now = deps.now();
  const named = flags.output === undefined ? deps.paths.backups : resolve(io.cwd, flags.output);
  const inFolder = flags.output === undefined || isFolder(named);
  const output = inFolder ? join(named, backupName(now, sealed)) : named;
  const made = await createBackup({
    paths: deps.paths,
    output,
    overwrite: flags.force,
    now,
    version: deps.version,
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(deps.outside === undefined ? {} : { outside: deps.outside }),
  });
  const removed =
    flags.keep !== undefined && inFolder ? await pruneBackups(dirname(output), flags.keep, now) : [];
  const { path, bytes } = made;
  if (flags.json) io.stdout.write(`${JSON.stringify({ path, bytes, removed, ...documentOf(made) })}\n`);
  else {
    const paint = paintFor(io);
    io.stdout.write(
      `${markOf(paint, CALL_WORDS.succeeded)} ${say(io, "Wrote {0} ({1})", path, sizeText(bytes))}\n`,
    );
    describe(io, deps, made);
    for (const name of removed)
      io.stdout.write(`  ${paint("dim", say(io, "Removed the older {0}.", name))}\n`);
    const inside = made.encrypted
      ? say(
          io,
          "Your keys, tokens and conversations are in it. Without the passphrase nobody can open it, you neither.",
        )
      : say(
          io,
          "Your keys, tokens and conversations are in it, in the clear: keep it where only you can read it, or add --encrypt.",
        );
    io.stdout.write(`  ${inside}\n`);
  }
  return exitOf(made);
}

/** `elwood backup list [folder]`: those that Elwood named itself, newest first. */
export async function showBackups(
  io: Io,
  deps: BackupDeps,
  flags: { readonly folder?: string; readonly json: boolean },
): Promise<number> {
  const { folder: named } = flags;
  const folders =
    named === undefined
      ? [...new Set([deps.folder ?? deps.paths.backups, deps.paths.backups])]
      : [resolve(io.cwd, named)];
  const backups: FoundBackup[] = [];
  for (const folder of folders) {
    const found = await listBackups(folder);
    if (found !== undefined) backups.push(...found);
    // Before the first backup its own folder is not there yet; one that was named should be.
    else if (folder !== deps.paths.backups) fail("NOT_FOUND", `There is no folder ${folder}.`);
  }
  if (flags.json) io.stdout.write(`${JSON.stringify({ folders, backups })}\n`);
  else if (backups.length === 0)
    io.stdout.write(
      `${say(io, "There is no backup in {0}. Make one with: {1} backup create", folders.join(", "), ownName(io.env))}\n`,
    );
  else io.stdout.write(backupTable(io, deps, backups));
  return EXIT.ok;
}

function backupTable(io: Io, { timeZone }: BackupDeps, backups: readonly FoundBackup[]): string {
  return table(
    io,
    [{ title: "Made" }, { title: "Size", align: "right" }, { title: "Encrypted" }, { title: "File" }],
    backups.map(({ path, createdAt, bytes, encrypted }) => [
      timeText(io, createdAt, timeZone),
      sizeText(bytes),
      say(io, encrypted ? "yes" : "no"),
      // A name is there to be given to another command, so it is never cut.
      visibleText(path),
    ]),
  );
}

/** `elwood backup verify <file>` */
export async function checkBackup(
  io: Io,
  deps: BackupDeps,
  flags: PassphraseFlags & { readonly file: string; readonly json: boolean },
): Promise<number> {
  const file = resolve(io.cwd, flags.file);
  const passphrase = await passphraseFor(io, deps, file, flags);
  const verified = await verifyBackup(file, passphrase === undefined ? {} : { passphrase });
  if (flags.json) io.stdout.write(`${JSON.stringify(documentOf(verified))}\n`);
  else {
    const mark = markOf(paintFor(io), CALL_WORDS.succeeded);
    io.stdout.write(
      `${mark} ${say(io, "The backup is whole: every file has the bytes that were written.")}\n`,
    );
    describe(io, deps, verified);
  }
  return exitOf(verified);
}

export interface RestoreFlags extends PassphraseFlags {
  readonly file: string;
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** `elwood backup restore <file>` and `elwood import <file>` */
export async function restore(io: Io, deps: BackupDeps, flags: RestoreFlags): Promise<number> {
  const file = resolve(io.cwd, flags.file);
  const passphrase = await passphraseFor(io, deps, file, flags);
  const request = {
    backup: file,
    paths: deps.paths,
    replace: flags.replace,
    ...(passphrase === undefined ? {} : { passphrase }),
  };
  if (flags.dryRun) return rehearse(io, deps, request, flags.json);
  if (flags.replace && !flags.yes) {
    const question = say(
      io,
      "Put {0} in place of what is in {1}? What is there now is put aside, not deleted.",
      file,
      deps.paths.home,
    );
    if (!canAsk(io))
      fail(
        "INVALID_INPUT",
        `Put ${file} in place of what is in ${deps.paths.home}? What is there now is put aside, not deleted. Nothing was changed. To answer yes: add --yes.`,
      );
    if (!(await confirm(io, question))) fail("ABORTED", "Nothing was changed.");
  }
  const restored = await restoreBackup({ ...request, now: deps.now() });
  if (flags.json)
    io.stdout.write(
      `${JSON.stringify({ home: deps.paths.home, replaced: restored.replaced, ...documentOf(restored) })}\n`,
    );
  else {
    io.stdout.write(
      `${markOf(paintFor(io), CALL_WORDS.succeeded)} ${say(io, "Restored into {0}", deps.paths.home)}\n`,
    );
    describe(io, deps, restored);
    if (restored.replaced !== undefined)
      io.stdout.write(
        `  ${say(io, "What was there before is in {0}; delete it once you do not need it.", restored.replaced)}\n`,
      );
    io.stdout.write(`  ${say(io, "Start it with: {0} up", ownName(io.env))}\n`);
  }
  return exitOf(restored);
}

/** `elwood backup restore --finish` */
export async function finish(io: Io, deps: BackupDeps, json: boolean): Promise<number> {
  const replaced = await finishRestore(deps.paths);
  if (json) io.stdout.write(`${JSON.stringify({ home: deps.paths.home, replaced })}\n`);
  else {
    io.stdout.write(`${say(io, "Finished the restore of {0}.", deps.paths.home)}\n`);
    if (replaced !== undefined) io.stdout.write(`${say(io, "What was there before is in {0}.", replaced)}\n`);
  }
  return EXIT.ok;
}

async function rehearse(
  io: Io,
  deps: BackupDeps,
  request: Parameters<typeof rehearseRestore>[0],
  json: boolean,
): Promise<number> {
  const found = await rehearseRestore(request);
  const { problem, replaces } = found;
  const code = problem === undefined ? exitOf(found) : EXIT.failed;
  if (json) {
    const { home } = deps.paths;
    io.stdout.write(`${JSON.stringify({ home, dryRun: true, replaces, problem, ...documentOf(found) })}\n`);
    return code;
  }
  const { header } = found;
  io.stdout.write(
    `${say(io, "Nothing was changed. This would restore {0} into {1}.", sayCount(io, header.files, "1 file", "{0} files"), deps.paths.home)}\n`,
  );
  describe(io, deps, found);
  if (replaces > 0)
    io.stdout.write(
      `  ${say(io, "{0} there would be put aside.", sayCount(io, replaces, "1 file or folder", "{0} files and folders"))}\n`,
    );
  if (problem !== undefined)
    io.stdout.write(`  ${say(io, "It could not be done now: {0}", gatewayText(io, problem))}\n`);
  return code;
}

function documentOf({ header, manifest, encrypted, receipts }: VerifiedBackup) {
  return {
    createdAt: header.createdAt,
    elwood: header.elwood,
    schema: header.schema,
    encrypted,
    files: manifest.files.length,
    fileBytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0),
    leftOut: manifest.leftOut,
    head: manifest.head,
    receipts: receipts && { ...receipts, words: verdictWords(receipts) },
  };
}

function describe(io: Io, { timeZone }: BackupDeps, verified: VerifiedBackup): void {
  const { header, manifest, receipts, encrypted } = verified;
  const paint = paintFor(io);
  const bytes = manifest.files.reduce((sum, each) => sum + each.bytes, 0);
  const facts = [
    `${sayCount(io, manifest.files.length, "1 file", "{0} files")}, ${sizeText(bytes)}`,
    say(io, "made {0} by elwood {1}", timeText(io, header.createdAt, timeZone), header.elwood),
    encrypted ? say(io, "encrypted") : say(io, "not encrypted"),
  ];
  io.stdout.write(`  ${paint("dim", visibleText(facts.join(" · ")))}\n`);
  if (receipts) {
    const mark = markOf(paint, receipts.status === "intact" ? CALL_WORDS.succeeded : CALL_WORDS.failed);
    io.stdout.write(`  ${mark} ${gatewayText(io, verdictWords(receipts))}\n`);
  }
  if (manifest.files.some(({ path }) => path.startsWith("outside/")))
    io.stdout.write(
      `  ${say(io, "Settings or a workspace from outside of the data folder are in its folder outside/.")}\n`,
    );
  for (const left of manifest.leftOut)
    io.stdout.write(`  ! ${say(io, "Left out: {0}", visibleText(left))}\n`);
}

/** A log that does not verify is copied as it is, and told by the exit code too. */
function exitOf({ receipts }: VerifiedBackup): number {
  return receipts === undefined || receipts.status === "intact" ? EXIT.ok : EXIT.failed;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function newPassphrase(io: Io, deps: BackupDeps, flags: PassphraseFlags): Promise<string> {
  const first = checkPassphrase(await readPassphrase(io, deps, flags, say(io, "Passphrase for the backup")));
  if (flags.passphraseFile !== undefined || io.stdin.isTTY !== true) return first;
  const again = await readPassphrase(io, deps, flags, say(io, "The same again"));
  if (first !== again) fail("INVALID_INPUT", "The two passphrases are not the same. No backup was made.");
  return first;
}

async function passphraseFor(
  io: Io,
  deps: BackupDeps,
  file: string,
  flags: PassphraseFlags,
): Promise<string | undefined> {
  if (!(await isEncrypted(file))) return undefined;
  if (flags.passphraseFile === undefined && io.stdin.isTTY !== true) return undefined;
  return readPassphrase(io, deps, flags, say(io, "Passphrase of the backup"));
}

async function readPassphrase(
  io: Io,
  deps: BackupDeps,
  { passphraseFile }: PassphraseFlags,
  question: string,
): Promise<string> {
  if (passphraseFile === undefined || passphraseFile === "-")
    return readSecret(io, question, passphraseFile === "-", deps.askSecret);
  try {
    return readFileSync(resolve(io.cwd, passphraseFile), "utf8").split(/\r?\n/)[0] ?? "";
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return fail("INVALID_INPUT", `The passphrase file ${passphraseFile} cannot be read. Nothing was done.`);
  }
}
