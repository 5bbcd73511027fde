import type { Command } from "commander";
import { fail } from "@elwood/core/base/failure";
import type { BackupDeps } from "./backup-command.ts";
import type { Wiring } from "./program.ts";
import { VERSION } from "./version.ts";
import { wholeNumber } from "./wire-sessions.ts";

const PASSPHRASE = [
  "--passphrase-file <file>",
  "read the passphrase from a file; - is standard input",
] as const;
const JSON_FLAG = ["--json", "print one JSON document"] as const;
/** Of the backups in a folder that Elwood named itself. */
const KEPT_UNLESS_TOLD = 7;

interface Flags {
  readonly passphraseFile?: string;
  readonly json?: boolean;
}

interface MakeFlags extends Flags {
  readonly encrypt?: boolean;
  readonly output?: string;
  readonly keep?: number;
  readonly force?: boolean;
}

interface RestoreFlags extends Flags {
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly finish?: boolean;
  readonly yes?: boolean;
}

/** backup …, export, import: they read the data folder itself, whether or not a gateway runs. */
export function addBackupCommands(program: Command, wiring: Wiring): void {
  const backup = program.command("backup").description("copies of everything, in one file each");
  addMaking(backup, wiring);
  addRestoring(backup, wiring);
  addMoving(program, wiring);
}

function addMaking(backup: Command, wiring: Wiring): void {
  const { run, working } = wiring;
  backup
    .command("create")
    .description("copy everything into one file, also while Elwood runs, and check it")
    .option("-o, --output <path>", "a file, or a folder to name one in; else backups/ in the data folder")
    .option("--encrypt", "encrypt it with a passphrase, in the format of age")
    .option(...PASSPHRASE)
    .option("--keep <count>", `of its own in that folder, keep so many (${KEPT_UNLESS_TOLD})`, wholeNumber)
    .option("--force", "write over a file that exists")
    .option(...JSON_FLAG)
    .addHelpText(
      "after",
      "\nExamples:\n  elwood backup create --encrypt\n  elwood backup create -o /mnt/disk --passphrase-file ~/.backup-word --keep 30",
    )
    .action((flags: MakeFlags) =>
      run(flags.json ?? false, () =>
        working("Copying", async (io) => {
          const { makeBackup } = await import("./backup-command.ts");
          return makeBackup(io, await depsOf(wiring), {
            ...flags,
            encrypt: flags.encrypt ?? false,
            keep: flags.keep ?? KEPT_UNLESS_TOLD,
            force: flags.force ?? false,
            json: flags.json ?? false,
          });
        }),
      ),
    );
  backup
    .command("list [folder]")
    .description("the backups there are, newest first; in the folder of the schedule and in the data folder")
    .option(...JSON_FLAG)
    .action((folder: string | undefined, { json = false }: Flags) =>
      run(json, async () => {
        const { showBackups } = await import("./backup-command.ts");
        return showBackups(wiring.io, await depsOf(wiring), {
          ...(folder === undefined ? {} : { folder }),
          json,
        });
      }),
    );
  backup
    .command("verify <file>")
    .description("read a backup whole, and check its files and its receipts; changes nothing")
    .option(...PASSPHRASE)
    .option(...JSON_FLAG)
    .action((file: string, flags: Flags) =>
      run(flags.json ?? false, () =>
        working("Reading", async (io) => {
          const { checkBackup } = await import("./backup-command.ts");
          return checkBackup(io, await depsOf(wiring), { ...flags, file, json: flags.json ?? false });
        }),
      ),
    );
}

function addRestoring(backup: Command, wiring: Wiring): void {
  backup
    .command("restore [file]")
    .description("put a backup in place, into an empty data folder or with --replace")
    .option("--dry-run", "read and check it, and say what would be done")
    .option("--replace", "put what is there now aside, in a folder of its own")
    .option("--yes", "do not ask")
    .option("--finish", "go on with a restore that was broken off")
    .option(...PASSPHRASE)
    .option(...JSON_FLAG)
    .addHelpText(
      "after",
      "\nElwood must not be running. Examples:\n  elwood backup restore elwood-….tar.gz --dry-run\n  elwood --home ~/elwood-copy backup restore elwood-….tar.gz",
    )
    .action((file: string | undefined, flags: RestoreFlags) => restoring(wiring, file, flags));
}

function addMoving(program: Command, wiring: Wiring): void {
  const { run, working } = wiring;
  program
    .command("export <file>")
    .description("everything in one file, to take to another machine")
    .option("--encrypt", "encrypt it with a passphrase, in the format of age")
    .option(...PASSPHRASE)
    .option("--force", "write over a file that exists")
    .option(...JSON_FLAG)
    .action((file: string, flags: MakeFlags) =>
      run(flags.json ?? false, () =>
        working("Copying", async (io) => {
          const { makeBackup } = await import("./backup-command.ts");
          const { encrypt = false, force = false, json = false } = flags;
          return makeBackup(io, await depsOf(wiring), { ...flags, output: file, encrypt, force, json });
        }),
      ),
    );
  program
    .command("import <file>")
    .description("what `elwood export` wrote, into an empty data folder")
    .option("--dry-run", "read and check it, and say what would be done")
    .option(...PASSPHRASE)
    .option(...JSON_FLAG)
    .action((file: string, flags: RestoreFlags) => restoring(wiring, file, flags));
}

async function restoring(wiring: Wiring, file: string | undefined, flags: RestoreFlags): Promise<void> {
  const { dryRun = false, replace = false, yes = false, json = false } = flags;
  await wiring.run(json, () =>
    wiring.working(dryRun ? "Reading" : "Restoring", async (io) => {
      const { finish, restore } = await import("./backup-command.ts");
      const deps = await depsOf(wiring);
      if (flags.finish === true) return finish(io, deps, json);
      if (file === undefined)
        return fail(
          "INVALID_INPUT",
          "Name the backup to restore. Nothing was changed. See: elwood backup restore --help",
        );
      return restore(io, deps, { ...flags, file, dryRun, replace, yes, json });
    }),
  );
}

/** A configuration that cannot be used must not stand in the way of saving it. */
async function depsOf({ commandContext }: Wiring): Promise<BackupDeps> {
  const loaded = await commandContext.tryLoad();
  const given = loaded.ok ? loaded.value : undefined;
  return {
    paths: await commandContext.paths(),
    version: VERSION,
    timeZone: given?.config.timeZone ?? "UTC",
    now: () => commandContext.clock.now(),
    ...(given?.config.backup.folder === undefined ? {} : { folder: given.config.backup.folder }),
    outside: {
      ...(given?.file === undefined ? {} : { config: given.file }),
      ...(given === undefined ? {} : { workspace: given.workspaceDir }),
    },
  };
}
