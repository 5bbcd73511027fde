import { fail } from "@elwood/core/base/failure";

/** What a service is made with; paths are absolute. */
export interface ServiceSettings {
  readonly scope: "user" | "system";
  /** Node, and Elwood's launcher. */
  readonly node: string;
  readonly launcher: string;
  /** The data folder, where it is not the usual one. */
  readonly home?: string;
  /** Of a system service: whom it runs as. */
  readonly runAs?: string;
  /** Lines NAME=value; may be missing when the service starts. */
  readonly environmentFile?: string;
  /** `name:path`, each a file that only the service gets to read. */
  readonly credentials: readonly string[];
  /** Whether the system has systemd-notify. */
  readonly notifies: boolean;
  /** The folders of the program on PATH, for what Elwood starts itself. */
  readonly path: string;
}

export const SERVICE = "elwood";
export const UNIT_NAME = `${SERVICE}.service`;
const WATCHDOG_SECONDS = 90;
const STOP_SECONDS = 30;

/**
 * For glibc: two pools of memory for all threads in place of one for each, and what is free at their end goes back to the
 * system. A rested gateway holds 132 MB after 1,000 turns with this, and 147 without. What is asked for in 32 KB or more,
 * as V8's compilers do all the time, is kept out of the pools, where small things that stay would hold on to its room.
 */
const GIVE_BACK = ["MALLOC_ARENA_MAX=2", "MALLOC_TRIM_THRESHOLD_=262144", "MALLOC_MMAP_THRESHOLD_=32768"];

/** The unit file of systemd. A pure function, so that its text can be shown and checked before anything is written. */
export function unitText(settings: ServiceSettings): string {
  const { scope, home, environmentFile, credentials } = settings;
  const environment = [
    ...(home === undefined ? [] : [`Environment=${quoted(`ELWOOD_HOME=${home}`)}`]),
    `Environment=${quoted(`PATH=${settings.path}`)}`,
    ...GIVE_BACK.map((each) => `Environment=${quoted(each)}`),
    // The dash: without the file Elwood starts in demo mode, and says which keys are missing.
    ...(environmentFile === undefined ? [] : [`EnvironmentFile=-${specifiers(environmentFile)}`]),
    ...credentials.map((each) => `LoadCredential=${specifiers(checkedCredential(each))}`),
  ];
  const lines = [
    "# Written by elwood service install; written again by the next one.",
    "[Unit]",
    "Description=Elwood, a personal AI assistant",
    "Wants=network-online.target",
    "After=network-online.target",
    "StartLimitIntervalSec=300",
    "StartLimitBurst=5",
    "",
    "[Service]",
    ...(settings.notifies
      ? // Node has no datagram sockets: systemd-notify is a process of its own, hence all.
        ["Type=notify", "NotifyAccess=all", `WatchdogSec=${WATCHDOG_SECONDS}`]
      : ["Type=exec"]),
    `ExecStart=${[settings.node, settings.launcher].map(quoted).join(" ")} up --no-open`,
    "Restart=always",
    "RestartSec=5",
    `TimeoutStopSec=${STOP_SECONDS}`,
    // Tools run as children; they are told to stop by Elwood.
    "KillMode=mixed",
    ...environment,
    "",
    ...(scope === "system" ? systemLines(settings) : USER_HARDENING),
    "",
    "[Install]",
    `WantedBy=${scope === "system" ? "multi-user.target" : "default.target"}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** What needs no mount of its own: a user's systemd may not make any, and the owner's files are the owner's. */
const USER_HARDENING = [
  "UMask=0077",
  "NoNewPrivileges=yes",
  "LockPersonality=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "SystemCallArchitectures=native",
];

function systemLines({ runAs = SERVICE, home }: ServiceSettings): string[] {
  return [
    `User=${runAs}`,
    `Group=${runAs}`,
    `StateDirectory=${SERVICE}`,
    "StateDirectoryMode=0700",
    ...(home === undefined ? [] : [`ReadWritePaths=${quoted(home)}`]),
    "",
    ...USER_HARDENING,
    "CapabilityBoundingSet=",
    "AmbientCapabilities=",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "PrivateMounts=yes",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelModules=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "RemoveIPC=yes",
    "KeyringMode=private",
    // Not MemoryDenyWriteExecute: V8 and WebAssembly write the code that they run, and Node dies at its start.
    "MemoryDenyWriteExecute=no",
    // User and mount namespaces are what the cage of commands and the browser's sandbox are made of; the
    // others are not needed. ProtectKernelTunables, ProtectKernelLogs and ProtectProc cover parts of /proc,
    // after which no cage can mount one of its own.
    "RestrictNamespaces=user mnt pid ipc uts net cgroup",
    // EPERM and not a signal: what is refused fails in words. Node copies files with fchown (@chown) and asks
    // for protection keys (@pkey); a cage mounts (@mount).
    "SystemCallFilter=@system-service @pkey @chown @mount",
    "SystemCallFilter=~@clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap",
    "SystemCallErrorNumber=EPERM",
  ];
}

/** For macOS: a launch agent of the user. */
export function plistText(settings: ServiceSettings, logFile: string): string {
  const environment: [string, string][] = [
    ["PATH", settings.path],
    ...(settings.home === undefined ? [] : ([["ELWOOD_HOME", settings.home]] as [string, string][])),
  ];
  const string = (text: string) => `<string>${xml(text)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${string(LAUNCHD_LABEL)}
  <key>ProgramArguments</key>
  <array>
    ${[settings.node, settings.launcher, "up", "--no-open", "--log-file", logFile].map(string).join("\n    ")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    ${environment.map(([name, value]) => `<key>${xml(name)}</key>${string(value)}`).join("\n    ")}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ExitTimeOut</key><integer>${STOP_SECONDS}</integer>
  <key>Umask</key><integer>63</integer>
  <key>StandardErrorPath</key>${string(errorFile(logFile))}
</dict>
</plist>
`;
}

/** What Node itself says when it dies: a few lines, where launchd would let a log grow without end. */
function errorFile(logFile: string): string {
  return logFile.replace(/\.log$/, "-errors.log");
}

export const LAUNCHD_LABEL = "dev.elwood.gateway";

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** One word of a unit file, whatever is in it. */
function quoted(text: string): string {
  if (/[\n\r]/.test(text))
    fail(
      "INVALID_INPUT",
      "A path with a line break in it cannot be part of a service. Nothing was installed.",
    );
  const inner = specifiers(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$");
  return `"${inner}"`;
}

function specifiers(text: string): string {
  if (/[\n\r]/.test(text))
    fail(
      "INVALID_INPUT",
      "A path with a line break in it cannot be part of a service. Nothing was installed.",
    );
  return text.replaceAll("%", "%%");
}

function checkedCredential(given: string): string {
  if (!/^[A-Za-z0-9_.-]+:\/./.test(given))
    fail("INVALID_INPUT", `--credential takes name:/path/to/file, not "${given}". Nothing was installed.`);
  return given;
}
