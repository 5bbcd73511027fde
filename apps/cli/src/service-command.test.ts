import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "./io.ts";
import {
  installService,
  serviceStatus,
  uninstallService,
  type InstallFlags,
  type ServiceDeps,
} from "./service-command.ts";
import { serviceNotifier } from "./service-notify.ts";
import { plistText, unitText, type ServiceSettings } from "./service-unit.ts";
import { testIo } from "./test-io.ts";

const SETTINGS: ServiceSettings = {
  scope: "system",
  node: process.execPath,
  launcher: join(import.meta.dirname, "../bin/elwood.mjs"),
  credentials: [],
  notifies: true,
  path: "/usr/bin:/bin",
};
const INSTALL: InstallFlags = { system: false, credential: [], start: true, dryRun: false };
/** Of ten: what systemd calls it is "OK" up to 49. */
const EXPOSURE_MAX = 40;

const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "elwood-service-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Programs of the system that write down how they were called. */
function scene(
  answers: Readonly<Record<string, string>> = { systemctl: "echo active", "systemd-notify": "" },
) {
  const root = folder();
  const bin = join(root, "bin");
  mkdirSync(bin);
  const calls = join(root, "calls");
  writeFileSync(calls, "");
  for (const [name, script] of Object.entries(answers)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> "${calls}"\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const deps: ServiceDeps = {
    platform: "linux",
    node: process.execPath,
    launcher: SETTINGS.launcher,
    home: join(root, ".local/state/elwood"),
    usualHome: join(root, ".local/state/elwood"),
    userHome: root,
    uid: 1000,
  };
  const io = testIo({ cwd: root, env: { PATH: `${bin}:/usr/bin:/bin` } });
  return { root, deps, io, calls: () => readFileSync(calls, "utf8").trim().split("\n"), callsFile: calls };
}

describe.each(["system", "user"] as const)("EL-17: the unit of a %s service", (scope) => {
  test.skipIf(!hasAnalyze)("is one that systemd takes", () => {
    const unit = join(folder(), "elwood.service");
    writeFileSync(
      unit,
      unitText({
        ...SETTINGS,
        scope,
        runAs: "daemon",
        home: "/srv/my data/100%",
        environmentFile: "/etc/elwood.env",
      }),
    );
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], {
      encoding: "utf8",
    });
    expect([status, stderr.split("\n").filter((line) => line.includes("elwood.service"))]).toEqual([0, []]);
  });

  test("waits to be told that Elwood is ready, is fed, and starts again; without systemd-notify it only starts", () => {
    const text = unitText({ ...SETTINGS, scope });
    expect(text).toMatch(/^Type=notify\nNotifyAccess=all\nWatchdogSec=90$/m);
    expect(text).toContain("Restart=always");
    expect(text).toContain(`ExecStart="${process.execPath}" "${SETTINGS.launcher}" up --no-open`);
    const plain = unitText({ ...SETTINGS, scope, notifies: false });
    expect(plain).toContain("Type=exec");
    expect(plain).not.toContain("Watchdog");
  });
});

test.skipIf(!hasAnalyze)(
  "EL-17: the system service is hardened as far as Node, the cage and the browser allow",
  () => {
    const unit = join(folder(), "elwood.service");
    writeFileSync(unit, unitText({ ...SETTINGS, runAs: "daemon" }));
    const words = ["security", "--offline=true", "--no-pager", `--threshold=${EXPOSURE_MAX}`, unit];
    const { status, stdout } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
    expect([status, stdout.split("\n").at(-2)]).toEqual([
      0,
      expect.stringContaining("Overall exposure level"),
    ]);
  },
);

test("values that would mean something else to systemd are written so that they do not", () => {
  const text = unitText({
    ...SETTINGS,
    home: '/srv/a "b" 50% $HOME',
    environmentFile: "/etc/50%.env",
    credentials: ["anthropic_api_key:/etc/elwood/key"],
  });
  expect(text).toContain('Environment="ELWOOD_HOME=/srv/a \\"b\\" 50%% $$HOME"');
  expect(text).toContain("EnvironmentFile=-/etc/50%%.env");
  expect(text).toContain("LoadCredential=anthropic_api_key:/etc/elwood/key");
  expect(() => unitText({ ...SETTINGS, home: "/a\nExecStart=/bin/evil" })).toThrow(
    /line break.*Nothing was installed/,
  );
  expect(() => unitText({ ...SETTINGS, credentials: ["key"] })).toThrow(/name:\/path/);
});

test("a service gives back to the system what its threads have freed", () => {
  const text = unitText(SETTINGS);
  expect(text).toContain('Environment="MALLOC_ARENA_MAX=2"');
  expect(text).toContain('Environment="MALLOC_TRIM_THRESHOLD_=262144"');
  expect(text).toContain('Environment="MALLOC_MMAP_THRESHOLD_=32768"');
});

test("on macOS it is a launch agent", () => {
  const text = plistText({ ...SETTINGS, home: "/Users/a&b/elwood" }, "/Users/a&b/elwood/elwood.log");
  expect(text).toContain("<key>ELWOOD_HOME</key><string>/Users/a&amp;b/elwood</string>");
  expect(text).toContain("<key>KeepAlive</key><true/>");
  if (spawnSync("xmllint", ["--version"]).status === 0)
    execFileSync("xmllint", ["--noout", "--nonet", "-"], { input: text });
});

test("installing writes the unit, enables and starts it; a dry run prints it and changes nothing", async () => {
  const { root, deps, io, calls } = scene();
  const file = join(root, ".config/systemd/user/elwood.service");
  expect(await installService(io, deps, { ...INSTALL, dryRun: true })).toBe(EXIT.ok);
  expect(io.out()).toContain("[Service]");
  expect(existsSync(file)).toBe(false);
  expect(await installService(io, deps, INSTALL)).toBe(EXIT.ok);
  expect(readFileSync(file, "utf8")).toContain("WantedBy=default.target");
  expect(readFileSync(file, "utf8")).not.toContain("ELWOOD_HOME");
  expect(calls()).toEqual([
    "systemctl --user --version",
    "systemctl --user daemon-reload",
    "systemctl --user enable --now elwood.service",
  ]);
  expect(serviceStatus(io, deps, { system: false, json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain(`The service is active (${file}).`);
  expect(uninstallService(io, deps, { system: false })).toBe(EXIT.ok);
  expect(existsSync(file)).toBe(false);
  expect(io.out()).toContain("was not touched");
  expect(() => uninstallService(io, deps, { system: false })).toThrow(
    /There is no service to remove.*Nothing was changed/,
  );
  expect(serviceStatus(io, deps, { system: false, json: false })).toBe(EXIT.failed);
});

test("what cannot be done is said: no root, no systemd, a start that fails", async () => {
  const { deps, io } = scene();
  await expect(installService(io, deps, { ...INSTALL, system: true })).rejects.toThrow(
    /installed by root\. Nothing was changed/,
  );
  await expect(installService(io, deps, { ...INSTALL, runAs: "a b" })).rejects.toThrow(/not a user name/);
  await expect(installService(io, { ...deps, platform: "win32" }, INSTALL)).rejects.toThrow(
    /no services for win32/,
  );
  const none = scene({});
  const bare = testIo({ cwd: none.root, env: { PATH: join(none.root, "bin") } });
  await expect(installService(bare, none.deps, INSTALL)).rejects.toThrow(/no systemd\. Nothing was changed/);
  const broken = scene({ systemctl: 'case "$*" in *enable*) echo "Job failed." >&2; exit 1;; esac' });
  await expect(installService(broken.io, broken.deps, INSTALL)).rejects.toThrow(
    /systemctl --user enable --now elwood\.service did not work: Job failed\. .*service uninstall/,
  );
});

test("a service manager is told when Elwood is ready, that it lives, and when it stops; others are told nothing", async () => {
  const { callsFile, io, calls } = scene();
  const clock = new ManualClock();
  serviceNotifier({ PATH: io.env["PATH"] }, clock).ready("nothing");
  const env = { PATH: io.env["PATH"], NOTIFY_SOCKET: "/run/none", WATCHDOG_USEC: "90000000" };
  const manager = serviceNotifier(env, clock);
  const told = (words: string) => expect.poll(() => readFileSync(callsFile, "utf8")).toContain(words);
  manager.ready("listening on http://127.0.0.1:18789");
  await told(`systemd-notify --pid=${process.pid} --ready --status=listening on http://127.0.0.1:18789`);
  await clock.advance(30_000);
  await told("WATCHDOG=1");
  manager.stopping();
  await told("STOPPING=1");
  expect(calls()).toHaveLength(3);
});
