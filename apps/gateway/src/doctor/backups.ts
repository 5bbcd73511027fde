import { readdir, stat } from "node:fs/promises";
import { formatLocal } from "@elwood/core/base/local-time";
import { counted } from "@elwood/core/base/relative-time";
import { isMissing } from "@elwood/platform/system-error";
import { madeAt } from "../backup/backup-format.ts";
import { cronTimes } from "../jobs/cron-times.ts";
import { finding, ok, type Check, type DoctorContext, type Finding } from "./finding.ts";

const DAY_MS = 24 * 60 * 60_000;
/** Where nobody set times, this is long. */
const OLD_MS = 30 * DAY_MS;
/** A backup takes its time, and so does a machine that catches up. */
const GRACE_MS = 60 * 60_000;

/** Whether there is a copy to go back to, and how old it is. */
export const backups: Check = {
  area: "backup",
  async run(context) {
    const { loaded, paths } = context;
    const settings = loaded.ok ? loaded.value.config.backup : undefined;
    const folder = settings?.folder ?? paths.backups;
    const newest = await newestIn(folder, context.clock.now());
    if (newest === "missing" && settings?.folder !== undefined)
      return [
        finding(
          "error",
          "backup.folder",
          "The folder for backups is not there, so none can be made.",
          `backup.folder: ${folder}`,
          "Connect its disk, or set another folder.",
        ),
      ];
    const at = typeof newest === "number" ? newest : undefined;
    return settings?.schedule === undefined
      ? unscheduled(context, at)
      : [await scheduled(context, settings.schedule, at)];
  },
};

async function scheduled(context: DoctorContext, schedule: string, at: number | undefined): Promise<Finding> {
  const { clock, loaded, paths } = context;
  const now = clock.now();
  const timeZone = loaded.ok ? loaded.value.config.timeZone : "UTC";
  const [first = now, second = first] = await cronTimes().next(schedule, timeZone, now, 2);
  const allowed = 2 * (second - first) + GRACE_MS;
  // A schedule that was just set has not come yet.
  const since = at ?? (await madeFirst(paths.database)) ?? now;
  if (now - since <= allowed)
    return ok("backup.age", "Backups are made by themselves.", ageWords(context, at));
  const fix = "elwood jobs history says why; make one now with: elwood backup create";
  return finding(
    "warning",
    "backup.age",
    "The last backup is older than it should be.",
    ageWords(context, at),
    fix,
  );
}

/** Nothing is said of an Elwood that is new. */
async function unscheduled(context: DoctorContext, at: number | undefined): Promise<Finding[]> {
  const now = context.clock.now();
  const since = at ?? (await madeFirst(context.paths.database)) ?? now;
  if (now - since < OLD_MS)
    return at === undefined ? [] : [ok("backup.age", "There is a backup.", ageWords(context, at))];
  const fix = "Make one with: elwood backup create. To have them made, set backup.schedule in config.yaml.";
  return [finding("info", "backup.age", "There is no recent backup.", ageWords(context, at), fix)];
}

function ageWords({ clock, loaded }: DoctorContext, at: number | undefined): string {
  if (at === undefined) return "none was made yet";
  const zone = loaded.ok ? loaded.value.config.timeZone : "UTC";
  const days = Math.max(0, Math.floor((clock.now() - at) / DAY_MS));
  return `the newest is of ${formatLocal(at, zone)}${days === 0 ? "" : `, ${counted(days, "day")} ago`}`;
}

/** One from the future was made under a wrong clock, and says nothing of its age. */
async function newestIn(folder: string, now: number): Promise<number | "missing" | undefined> {
  try {
    const times = (await readdir(folder)).flatMap((name) => madeAt(name) ?? []).filter((time) => time <= now);
    return times.length === 0 ? undefined : Math.max(...times);
  } catch (error) {
    if (isMissing(error)) return "missing";
    throw error;
  }
}

async function madeFirst(database: string): Promise<number | undefined> {
  try {
    return (await stat(database)).birthtimeMs;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
