import { stat } from "node:fs/promises";
import { LIMITS } from "@elwood/core/base/limits";
import { formatLocal, isTimeZone } from "@elwood/core/base/local-time";
import { finding, ok, type Check, type DoctorContext, type Finding } from "./finding.ts";
import { isMissing } from "@elwood/platform/system-error";

/** No Elwood is older than this, so no right clock shows less. */
const EARLIEST = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);
/** Beyond this there is no date. */
const DATE_MS_MAX = 8.64e15;
/** File systems and clocks may differ by this much. */
const AHEAD_MS_MAX = 5 * 60_000;

/** Reminders, daily limits and certificates all rest on the clock and the owner's time zone. */
export const time: Check = {
  area: "time",
  async run(context) {
    return [zoneFinding(context), await clockFinding(context)].filter((each) => each !== undefined);
  },
};

function zoneFinding({ loaded, systemTimeZone }: DoctorContext): Finding | undefined {
  if (!loaded.ok) return undefined;
  const { config, origins } = loaded.value;
  const zone = config.timeZone;
  const origin = origins.get("timeZone") ?? "default";
  if (!isTimeZone(zone)) {
    const what = `The time zone ${zone} is not known here.`;
    return finding(
      "error",
      "time.zone",
      what,
      origin,
      "Set timeZone in config.yaml, for example Europe/Berlin.",
    );
  }
  const guessed = origin.startsWith("default");
  if (guessed && (systemTimeZone === undefined || /^(Etc\/)?(UTC|GMT|Unknown)$/i.test(systemTimeZone))) {
    const what = "No time zone is set; using UTC.";
    return finding(
      "info",
      "time.zone",
      what,
      origin,
      "If you live elsewhere, set timeZone in config.yaml, for example Europe/Berlin.",
    );
  }
  return ok("time.zone", `Your time zone is ${zone}.`, origin);
}

async function clockFinding({ clock, paths, loaded }: DoctorContext): Promise<Finding> {
  const now = clock.now();
  const zone = loaded.ok ? loaded.value.config.timeZone : "UTC";
  const shown = Math.abs(now) <= DATE_MS_MAX ? `${formatLocal(now, zone)} (${zone})` : `${now} ms since 1970`;
  const fix = "Set the clock, or let the system keep it: timedatectl set-ntp true";
  if (now < EARLIEST || now > LATEST) {
    return finding("error", "time.clock", "The clock of this machine is wrong.", `it says ${shown}`, fix);
  }
  const newest = Math.max(
    0,
    ...(await Promise.all([paths.database, paths.gatewayInfo, paths.config].map(changedAt))),
  );
  if (newest > now + AHEAD_MS_MAX) {
    const evidence = `now ${shown}; a file was written on ${formatLocal(newest, zone)}`;
    const what = "The clock was set back: files of Elwood carry a later time.";
    return finding("warning", "time.clock", what, evidence, fix);
  }
  if (newest > 0 && now - newest > LIMITS.silenceMsMax) {
    const evidence = `now ${shown}; the newest file of Elwood is of ${formatLocal(newest, zone)}`;
    const what =
      "Elwood was not used for half a year, or the clock is ahead. Until something is said again, nothing is destroyed for its age.";
    return finding("info", "time.clock", what, evidence, fix);
  }
  return ok("time.clock", "The clock is plausible.", shown);
}

async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (cause) {
    if (isMissing(cause)) return 0;
    throw cause;
  }
}
