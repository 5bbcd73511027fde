import { existsSync, readlinkSync } from "node:fs";
import type { Environment } from "./outside-layers.ts";

/**
 * The zone of this machine. Intl knows it best, but the first question to Intl costs 17 ms
 * at every start. Nearly everywhere the variable TZ or the link /etc/localtime says it
 * plainly; Intl is asked where neither does.
 */
export function systemTimeZone(
  env: Environment,
  files = { localtime: "/etc/localtime", zones: "/usr/share/zoneinfo" },
): string {
  const named = env["TZ"] || zoneOfLink(files.localtime);
  if (named === "UTC") return named;
  // A zone the system has a file for is no slip of the pen.
  if (named !== undefined && PLAIN_ZONE.test(named) && existsSync(`${files.zones}/${named}`)) return named;
  // For a TZ that nobody knows Intl answers undefined, whatever its type says.
  const asked = new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return asked ?? "UTC";
}

/** Regions whose names Intl knows as they are; anything more curious is left to Intl. */
const PLAIN_ZONE =
  /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\/[A-Z][A-Za-z_]+$/;

function zoneOfLink(path: string): string | undefined {
  try {
    const name = readlinkSync(path).split("/zoneinfo/")[1];
    return name === "Etc/UTC" ? "UTC" : name;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause) return undefined;
    throw cause;
  }
}
