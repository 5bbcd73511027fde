import { chmod } from "node:fs/promises";
import { formatLocal } from "@elwood/core/base/local-time";
import type { AuthFile, AuthProfile } from "../auth/profile.ts";
import { stateOf } from "../auth/resolve.ts";
import { counted } from "@elwood/core/base/relative-time";
import { restReason } from "@elwood/core/model/rest-reason";
import { readAuthFile } from "./auth-file.ts";
import { finding, ok, type Check, type DoctorContext, type Finding } from "./finding.ts";
import { octal } from "./state-directory.ts";

const SOON_MS = 7 * 86_400_000;

/** Stored model keys: closed to others, readable, not past their day. */
export const authProfiles: Check = {
  area: "auth",
  async run(context) {
    const path = context.paths.authProfiles;
    const read = await readAuthFile(path);
    if (read.kind === "missing") return [ok("auth.file", "No model keys are stored.", path)];
    const mode = read.mode === undefined ? [] : modeFindings(path, read.mode);
    if (read.kind === "broken") {
      const fix = `Look at the file; if it cannot be saved, move it away and enter the keys again: elwood auth anthropic`;
      return [
        ...mode,
        finding("error", "auth.broken", `The file with the model keys ${read.why}.`, path, fix),
      ];
    }
    const { file } = read;
    const profiles = file.profiles.flatMap((profile) => profileFindings(profile, file, context));
    return [
      ...mode,
      ok("auth.file", "The stored model keys can be read.", counted(file.profiles.length, "key")),
      ...profiles,
    ];
  },
};

function modeFindings(path: string, mode: number): Finding[] {
  if ((mode & 0o077) === 0) return [];
  return [
    finding(
      "error",
      "auth.mode",
      "The file with the model keys can be read by other users of this machine.",
      `${path} has mode ${octal(mode)}`,
      `chmod 600 ${path}`,
      { did: `closed ${path} to other users (0600)`, run: () => chmod(path, 0o600) },
    ),
  ];
}

function profileFindings(profile: AuthProfile, file: AuthFile, context: DoctorContext): Finding[] {
  const now = context.clock.now();
  const zone = context.loaded.ok ? context.loaded.value.config.timeZone : "UTC";
  const replace = `elwood auth ${profile.provider}`;
  const tell = (severity: "info" | "warning", id: string, what: string, at?: number) => [
    finding(
      severity,
      id,
      what,
      at === undefined ? profile.id : `${profile.id}, ${formatLocal(at, zone)} (${zone})`,
      replace,
    ),
  ];
  const state = stateOf(profile, file, now);
  switch (state) {
    case "empty":
      return tell("warning", "auth.empty", `The stored key ${profile.id} has lost its secret.`);
    case "expired":
      return tell("warning", "auth.expired", `The stored key ${profile.id} has expired.`, profile.expiresAt);
    case "resting":
      return [
        finding(
          "info",
          "auth.resting",
          `The stored key ${profile.id} rests: ${restReason(profile.cooldownReason) || "it was limited by its provider"}.`,
          `until ${formatLocal(profile.cooldownUntil ?? now, zone)} (${zone})`,
          `Others take its place until then. To use it at once: elwood auth prefer ${profile.id}`,
        ),
      ];
    case "usable":
      return profile.expiresAt !== undefined && profile.expiresAt - now < SOON_MS
        ? tell(
            "warning",
            "auth.expiring",
            `The stored key ${profile.id} expires within a week.`,
            profile.expiresAt,
          )
        : [];
    default: {
      const never: never = state;
      throw new Error(`unknown state ${String(never)}`);
    }
  }
}
