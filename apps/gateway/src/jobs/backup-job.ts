import { counted } from "@elwood/core/base/relative-time";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { ConfiguredJob } from "@elwood/runtime/jobs/job-service";
import { scheduledBackup } from "../backup/scheduled-backup.ts";
import { sizeText } from "@elwood/core/base/size-text";
import type { LoadedConfig } from "../config/load.ts";

export const BACKUP_JOB_NAME = "elwood-backup";

/** The job that makes backups; none where the configuration names no times for it. */
export function backupJob({ config }: LoadedConfig): readonly ConfiguredJob[] {
  const { schedule, target } = config.backup;
  if (schedule === undefined) return [];
  return [
    {
      name: BACKUP_JOB_NAME,
      kind: "backup",
      schedule: { kind: "cron", expression: schedule },
      message: "",
      isolated: true,
      target,
      // A machine that sleeps at night is backed up in the morning.
      catchUp: "once",
      overlap: "skip",
    },
  ];
}

/** Makes one as the configuration wants it. Answers what was made, or why nothing was. */
export async function makeBackup(
  { config, paths, file, workspaceDir }: LoadedConfig,
  { now, version }: { readonly now: number; readonly version: string },
  stopped: AbortSignal,
): Promise<Result<string, string>> {
  const { folder, keep, passphraseFile } = config.backup;
  const {
    problem,
    path = "",
    bytes = 0,
    removed = 0,
  } = await scheduledBackup(
    {
      paths,
      keep,
      now,
      version,
      outside: { ...(file === undefined ? {} : { config: file }), workspace: workspaceDir },
      ...(folder === undefined ? {} : { folder }),
      ...(passphraseFile === undefined ? {} : { passphraseFile }),
    },
    stopped,
  );
  if (problem !== undefined) return err(problem);
  const older = removed === 0 ? "" : ` ${counted(removed, "older one was", "older ones were")} removed.`;
  return ok(`Wrote ${path} (${sizeText(bytes)}), read back and verified.${older}`);
}
