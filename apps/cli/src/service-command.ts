import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { storageFailure } from "@elwood/platform/storage-failure";
import { EXIT, ownName, type Io } from "./io.ts";
import {
  LAUNCHD_LABEL,
  plistText,
  SERVICE,
  UNIT_NAME,
  unitText,
  type ServiceSettings,
} from "./service-unit.ts";
import { visibleText } from "./terminal-text.ts";
import { say } from "./words/say.ts";

export interface ServiceDeps {
  readonly platform: NodeJS.Platform;
  readonly node: string;
  readonly launcher: string;
  /** The data folder, and the one that would be used without a word. */
  readonly home: string;
  readonly usualHome: string;
  readonly userHome: string;
  readonly uid: number;
  /** Where system units lie. */
  readonly systemUnits?: string;
}

export interface InstallFlags {
  readonly system: boolean;
  readonly runAs?: string;
  readonly envFile?: string;
  readonly credential: readonly string[];
  readonly start: boolean;
  readonly dryRun: boolean;
}

/** `elwood service install`: a unit for systemd, or a launch agent on macOS; enabled and started. */
export async function installService(io: Io, deps: ServiceDeps, flags: InstallFlags): Promise<number> {
  const place = placeOf(deps, flags.system);
  const settings = settingsOf(io, deps, flags);
  const text =
    place.kind === "launchd" ? plistText(settings, join(deps.home, "elwood.log")) : unitText(settings);
  if (flags.dryRun) {
    io.stdout.write(text);
    io.stderr.write(`${say(io, "Nothing was changed. It would be written to {0}", place.file)}\n`);
    return EXIT.ok;
  }
  if (flags.system && deps.uid !== 0)
    fail(
      "SCOPE_MISSING",
      "A service of the whole system is installed by root. Nothing was changed. Run it with sudo, or without --system.",
    );
  if (place.kind === "systemd") manager(io, place, "--version");
  if (flags.system) makeUser(io, settings.runAs ?? SERVICE);
  await write(place.file, text);
  io.stdout.write(`${say(io, "Wrote {0}", place.file)}\n`);
  if (place.kind === "launchd") {
    if (flags.start) must(io, "launchctl", ["bootstrap", `gui/${deps.uid}`, place.file]);
  } else {
    must(io, "systemctl", [...place.scope, "daemon-reload"]);
    must(io, "systemctl", [...place.scope, "enable", ...(flags.start ? ["--now"] : []), UNIT_NAME]);
  }
  if (flags.start) io.stdout.write(`${say(io, "Elwood runs, and starts with the machine.")}\n`);
  const self = ownName(io.env);
  io.stdout.write(
    place.kind === "launchd"
      ? `${say(io, "Look at it with: {0} service status", self)}\n`
      : `${say(io, "Look at it with: {0} service status. Its log: {1}", self, `journalctl ${flags.system ? "" : "--user "}-u ${SERVICE} -f`)}\n`,
  );
  if (place.kind === "systemd" && !flags.system)
    io.stdout.write(`${say(io, "To let it run while you are logged out: {0}", "loginctl enable-linger")}\n`);
  return EXIT.ok;
}

/** `elwood service status`: exit code 0 where it runs. */
export function serviceStatus(
  io: Io,
  deps: ServiceDeps,
  flags: { readonly system: boolean; readonly json: boolean },
): number {
  const place = placeOf(deps, flags.system);
  const installed = existsSync(place.file);
  const state = installed ? stateOf(io, deps, place) : "not installed";
  const running = state === "active" || state === "running";
  if (flags.json) io.stdout.write(`${JSON.stringify({ installed, state, running, file: place.file })}\n`);
  else if (!installed)
    io.stdout.write(
      `${say(io, "Elwood is not installed as a service. Install it with: {0} service install", ownName(io.env))}\n`,
    );
  else io.stdout.write(`${say(io, "The service is {0} ({1}).", visibleText(state), place.file)}\n`);
  return running ? EXIT.ok : EXIT.failed;
}

/** `elwood service uninstall`: the data stays. */
export function uninstallService(io: Io, deps: ServiceDeps, flags: { readonly system: boolean }): number {
  const place = placeOf(deps, flags.system);
  if (!existsSync(place.file))
    return fail(
      "NOT_FOUND",
      `There is no service to remove: ${place.file} does not exist. Nothing was changed.`,
    );
  if (place.kind === "launchd") run(io, "launchctl", ["bootout", `gui/${deps.uid}/${LAUNCHD_LABEL}`]);
  else must(io, "systemctl", [...place.scope, "disable", "--now", UNIT_NAME]);
  try {
    rmSync(place.file);
  } catch (cause) {
    throw new FailureError(
      storageFailure(cause, place.file, "The service was stopped; its file is still there."),
    );
  }
  if (place.kind === "systemd") must(io, "systemctl", [...place.scope, "daemon-reload"]);
  io.stdout.write(
    `${say(io, "Stopped the service and removed {0}. The data in {1} was not touched.", place.file, deps.home)}\n`,
  );
  return EXIT.ok;
}

interface Place {
  readonly kind: "systemd" | "launchd";
  readonly file: string;
  /** What systemctl is told of the scope. */
  readonly scope: readonly string[];
}

function placeOf(deps: ServiceDeps, system: boolean): Place {
  if (deps.platform === "darwin") {
    if (system)
      fail(
        "INVALID_INPUT",
        "On macOS Elwood runs as a launch agent of yours. Nothing was changed. Leave --system out.",
      );
    return {
      kind: "launchd",
      file: join(deps.userHome, "Library/LaunchAgents", `${LAUNCHD_LABEL}.plist`),
      scope: [],
    };
  }
  if (deps.platform !== "linux")
    fail(
      "INVALID_INPUT",
      `There are no services for ${deps.platform} yet. Nothing was changed. Let your system start: elwood up --no-open`,
    );
  return system
    ? { kind: "systemd", file: join(deps.systemUnits ?? "/etc/systemd/system", UNIT_NAME), scope: [] }
    : { kind: "systemd", file: join(deps.userHome, ".config/systemd/user", UNIT_NAME), scope: ["--user"] };
}

function settingsOf(io: Io, deps: ServiceDeps, flags: InstallFlags): ServiceSettings {
  const { node, launcher, home, usualHome } = deps;
  if (flags.runAs !== undefined && !/^[a-z_][a-z0-9_-]{0,30}$/.test(flags.runAs))
    fail("INVALID_INPUT", `"${flags.runAs}" is not a user name. Nothing was changed.`);
  const elsewhere = flags.system ? home !== `/var/lib/${SERVICE}` && home !== usualHome : home !== usualHome;
  const environmentFile = flags.envFile === undefined ? undefined : resolve(io.cwd, flags.envFile);
  return {
    scope: flags.system ? "system" : "user",
    node,
    launcher: realpathSync(launcher),
    ...(elsewhere ? { home } : {}),
    ...(flags.runAs === undefined ? {} : { runAs: flags.runAs }),
    ...(environmentFile === undefined ? {} : { environmentFile }),
    credentials: flags.credential,
    notifies: found(io.env, "systemd-notify"),
    path: pathOf(io.env),
  };
}

/** Absolute folders only: a relative one would mean another place for the service. */
function pathOf(env: Io["env"]): string {
  const folders = (env["PATH"] ?? "")
    .split(delimiter)
    .filter((each) => isAbsolute(each) && !each.includes("node_modules"));
  return [...new Set([...folders, "/usr/local/bin", "/usr/bin", "/bin"])].join(delimiter);
}

function found(env: Io["env"], program: string): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });
}

function makeUser(io: Io, name: string): void {
  if (name === userInfo().username || run(io, "id", ["-u", name]).status === 0) return;
  must(io, "useradd", [
    "--system",
    "--user-group",
    "--home-dir",
    `/var/lib/${SERVICE}`,
    "--shell",
    "/usr/sbin/nologin",
    name,
  ]);
  io.stdout.write(`${say(io, "Made the user {0}, who cannot log in.", name)}\n`);
}

async function write(file: string, text: string): Promise<void> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    await writeFileAtomic(file, text, { mode: 0o644 });
  } catch (cause) {
    throw new FailureError(storageFailure(cause, file, "No service was installed."));
  }
}

function stateOf(io: Io, deps: ServiceDeps, place: Place): string {
  if (place.kind === "launchd")
    return (
      /state = (\w+)/.exec(run(io, "launchctl", ["print", `gui/${deps.uid}/${LAUNCHD_LABEL}`]).out)?.[1] ??
      "not loaded"
    );
  return run(io, "systemctl", [...place.scope, "is-active", UNIT_NAME]).out.trim() || "unknown";
}

function manager(io: Io, place: Place, ...words: string[]): void {
  if (run(io, "systemctl", [...place.scope, ...words]).status === undefined)
    fail(
      "INVALID_INPUT",
      "This system has no systemd. Nothing was changed. Let your system start: elwood up --no-open",
    );
}

const RUN_MS_MAX = 120_000;

function run(
  io: Io,
  program: string,
  words: readonly string[],
): { readonly status: number | undefined; readonly out: string } {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    encoding: "utf8",
    env: { ...io.env },
    timeout: RUN_MS_MAX,
  });
  return { status: error ? undefined : (status ?? undefined), out: `${stdout ?? ""}${stderr ?? ""}` };
}

function must(io: Io, program: string, words: readonly string[]): void {
  const { status, out } = run(io, program, words);
  if (status === 0) return;
  fail(
    "UPSTREAM_ERROR",
    `${program} ${words.join(" ")} did not work: ${visibleText(out.trim().replace(/\.$/, "")) || "it could not be started"}. What was written before stays; try again, or remove it with: elwood service uninstall`,
    { retryable: false },
  );
}
