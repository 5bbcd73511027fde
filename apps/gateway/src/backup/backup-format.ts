import { z } from "zod";

/**
 * A backup is one file: a tar archive, compressed with gzip, and encrypted with age where a
 * passphrase was given. Other programs can open it: `age -d`, then `tar -x`.
 *
 * F1 The first entry, `elwood-backup.json`, says that this is a backup, and how much is in it.
 * F2 The last entry, `manifest.json`, has the size and the SHA-256 of every file before it. An
 *    archive without it is cut short.
 * F3 Between them lies the state directory under `state/`.
 */
export const HEADER_NAME = "elwood-backup.json";
export const MANIFEST_NAME = "manifest.json";
export const STATE_PREFIX = "state/";

const FORMAT = "elwood-backup";
export const FORMAT_VERSION = 1;

export const BACKUP_LIMITS = {
  files: 1_000_000,
  /** Of the first and the last entry. */
  metadataBytes: 512 * 1024 * 1024,
  pathChars: 4_096,
  /** Beside what the first entry announces: files that grew while they were read, and the last entry. */
  slackBytes: 16 * 1024 * 1024,
  /** A conversation was rewritten while it was copied: then all is begun again, so many times. */
  tries: 4,
} as const;

export const headerSchema = z.object({
  format: z.literal(FORMAT),
  v: z.int().positive(),
  /** Milliseconds since 1970. */
  createdAt: z.int().nonnegative(),
  /** Of the Elwood that made it. */
  elwood: z.string().max(100),
  /** Of `elwood.db`; 0 where there was none. */
  schema: z.int().nonnegative(),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});

export type BackupHeader = z.infer<typeof headerSchema>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const manifestSchema = z.object({
  files: z.array(
    z.object({ path: z.string(), bytes: z.int().nonnegative(), sha256, mode: z.int(), modifiedAt: z.int() }),
  ),
  folders: z.array(z.object({ path: z.string(), mode: z.int() })),
  links: z.array(z.object({ path: z.string(), target: z.string() })),
  /** Where the log of receipts ends. */
  head: z.object({ seq: z.int().nonnegative(), hash: z.string().optional() }),
  /** What was not copied, and why. */
  leftOut: z.array(z.string()),
});

export type BackupManifest = z.infer<typeof manifestSchema>;

export function headerOf(facts: Omit<BackupHeader, "format" | "v">): BackupHeader {
  return { format: FORMAT, v: FORMAT_VERSION, ...facts };
}

/** Backups that Elwood named itself, by their time; others are never removed by it. */
const BACKUP_NAME = /^elwood-(\d{8}T\d{9}Z)\.tar\.gz(?:\.age)?$/;

export function backupName(now: number, encrypted: boolean): string {
  const time = new Date(now).toISOString().replace(/[-:.]/g, "");
  return `elwood-${time}.tar.gz${encrypted ? ".age" : ""}`;
}

/** Undefined where Elwood would not have given that name. */
export function timeInName(name: string): string | undefined {
  return BACKUP_NAME.exec(name)?.[1];
}

/** When a backup was made, by the name that Elwood gave it. */
export function madeAt(name: string): number | undefined {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(timeInName(name) ?? "") ?? [];
  if (ms === undefined) return undefined;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** A path of an archive that can be put below a folder: relative, and without steps upwards. */
export function isSafePath(path: string): boolean {
  return (
    path !== "" &&
    path.length <= BACKUP_LIMITS.pathChars &&
    !path.startsWith("/") &&
    !path.includes("\0") &&
    !path.includes("\\") &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}
