import { homedir } from "node:os";
import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import { loadConfig } from "../config/load.ts";
import type { Environment, Flags } from "../config/outside-layers.ts";
import { statePaths } from "@elwood/platform/state-paths";
import { locateHome } from "../config/locate.ts";
import { systemClock } from "@elwood/platform/system";
import type { DoctorContext } from "./finding.ts";
import { commandCage } from "../built-in-tools.ts";

/** What a process was started with, as far as the doctor looks at it; plain data. */
export interface DoctorOutside {
  readonly flags: Flags;
  readonly env: Environment;
  readonly cwd: string;
  readonly version: string;
  /** How the gateway that asks finds its chat services. */
  readonly channels?: readonly WireChannel[];
}

/** Everything the checks look at, but for the model, which only a live check needs. */
export async function doctorContextOf({
  flags,
  env,
  cwd,
  version,
  channels,
}: DoctorOutside): Promise<Omit<DoctorContext, "live" | "models">> {
  const loaded = await loadConfig({ flags, env, cwd });
  const home = loaded.ok
    ? loaded.value.paths.home
    : await locateHome({ flags, env, cwd, userHome: homedir() });
  return {
    loaded,
    paths: statePaths(home),
    clock: systemClock,
    version,
    nodeVersion: process.versions.node,
    uid: process.getuid?.(),
    searchPath: env["PATH"],
    systemTimeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    cage: commandCage,
    ...(channels === undefined ? {} : { channels: async () => channels }),
  };
}
