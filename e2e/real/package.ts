import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startAnthropic, anthropic, ANTHROPIC_ROUTE } from "@elwood/testkit/anthropic-server";
import { expect, test } from "vitest";
import { anthropicEnv } from "../conversation.ts";
import { environment, inFolder, install, packed, ROOT, type Elwood } from "./installed.ts";

const INSTALLED_MB_MAX = 120;
const TEST_MS_MAX = 600_000;
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

test(
  "EL-17: packed, installed with npm into an empty folder, asked, backed up, restored and removed",
  async () => {
    await inFolder(async (root) => {
      const tarball = packed(ROOT, join(root, "pack"));
      const { seconds, megabytes, elwood } = install(root, tarball);
      // How long it takes is the network's; the size is ours.
      process.stdout.write(`installed in ${seconds.toFixed(0)} s, ${megabytes} MB\n`);
      expect(megabytes).toBeLessThanOrEqual(INSTALLED_MB_MAX);

      const home = join(root, "home");
      expect(elwood(home, "hello").stdout).toMatch(/demo model/);
      expect(await askModel(join(root, "app"), home)).toContain("A real answer.");
      backUpAndRestore(elwood, root, home);
      await serve(elwood, root, home);
      expect(elwood(home, "completion", "bash").stdout).toContain("complete");
      expect(JSON.parse(elwood(home, "doctor", "--json").stdout)).toMatchObject({ version: VERSION });
      installBrowser(elwood, home);
      oldNode(root);
      execFileSync("npm", ["uninstall", "elwood"], { cwd: join(root, "app"), stdio: "pipe" });
      expect(readdirSync(join(root, "app", "node_modules"))).not.toContain("elwood");
      expect(readdirSync(home)).toContain("elwood.db");
    });
  },
  TEST_MS_MAX,
);

/** The clients of providers are built in, which only asking one shows. */
async function askModel(app: string, home: string): Promise<string> {
  const server = await startAnthropic();
  try {
    server.always(ANTHROPIC_ROUTE, anthropic.reply("A real answer."));
    const child = spawn("npx", ["--no-install", "elwood", "-m", "anthropic/claude-sonnet-5-5", "hello"], {
      cwd: app,
      env: { ...environment(dirname(app), home), ...anthropicEnv(server) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.on("data", (data: Buffer) => (text += data.toString("utf8")));
    await once(child, "exit");
    return text;
  } finally {
    await server.close();
  }
}

function backUpAndRestore(elwood: Elwood, root: string, home: string): void {
  const words = join(root, "words");
  writeFileSync(words, "four quiet words here\n");
  const file = join(root, "all.tar.gz.age");
  const made = elwood(home, "export", file, "--passphrase-file", words);
  expect([made.status, made.stderr]).toEqual([0, ""]);
  const other = join(root, "other");
  const restored = elwood(other, "import", file, "--passphrase-file", words);
  expect([restored.status, restored.stderr]).toEqual([0, ""]);
  const list = (folder: string) => JSON.parse(elwood(folder, "sessions", "list", "--json").stdout).sessions;
  expect(list(other)).toEqual(list(home));
  expect(elwood(other, "receipts", "verify").status).toBe(0);
}

/**
 * Installs the service, runs what its unit would run, and removes it. systemd itself is a program that
 * writes down how it was called: where these tests run there often is none.
 */
async function serve(elwood: Elwood, root: string, home: string): Promise<void> {
  const calls = join(root, "systemctl-calls");
  const bin = join(root, "user/bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "systemctl"), `#!/bin/sh\necho "$*" >> "${calls}"\necho active\n`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = `${bin}:${before}`;
  try {
    const installed = elwood(home, "service", "install");
    expect([installed.status, installed.stderr]).toEqual([0, ""]);
    const path = join(root, "user/.config/systemd/user/elwood.service");
    const unit = readFileSync(path, "utf8");
    expect(readFileSync(calls, "utf8")).toMatch(/enable/);
    const [, node = "", launcher = ""] =
      /^ExecStart="?([^"\s]+)"? "?([^"]+?)"? up --no-open$/m.exec(unit) ?? [];
    const child = spawn(node, [launcher, "up", "--no-open", "--port", "0"], {
      env: environment(root, home),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (data: Buffer) => (said += data.toString("utf8")));
    await expect.poll(() => elwood(home, "status").status, { timeout: 60_000, interval: 500 }).toBe(0);
    // Joined, not started beside it.
    expect(elwood(home, "hello").status).toBe(0);
    expect(elwood(home, "backup", "create", "-o", join(root, "while-running.tar.gz")).status).toBe(0);
    const refused = elwood(
      home,
      "backup",
      "restore",
      join(root, "while-running.tar.gz"),
      "--replace",
      "--yes",
    );
    expect([refused.status === 0, refused.stderr]).toEqual([false, expect.stringMatching(/runs|running/)]);
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number | null];
    expect([code, said]).toEqual([0, said]);
    expect(elwood(home, "service", "uninstall").status).toBe(0);
    expect(existsSync(path)).toBe(false);
  } finally {
    process.env["PATH"] = before;
  }
}

/** The driver comes from the registry, by its hash, and is found there. */
function installBrowser(elwood: Elwood, home: string): void {
  const ids = () =>
    (JSON.parse(elwood(home, "doctor", "--json").stdout) as { findings: { id: string }[] }).findings.map(
      ({ id }) => id,
    );
  const before = ids();
  const installed = elwood(home, "install", "browser");
  expect([installed.status, installed.stderr]).toEqual([0, ""]);
  expect(installed.stdout).toContain("Installed playwright-core");
  expect(readdirSync(join(home, "parts", "node_modules"))).toEqual(["playwright-core"]);
  if (!before.includes("browser.root"))
    expect([before, ids()].map((all) => all.includes("browser.driver"))).toEqual([true, false]);
}

/** The Node of the system, where it is too old, gets words and no syntax error. */
function oldNode(root: string): void {
  const old = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    return stdout !== null && /^v(?:1\d|20|22)\./.test(stdout ?? "");
  });
  if (old === undefined) return;
  const launcher = join(root, "app/node_modules/elwood/apps/cli/bin/elwood.mjs");
  const { status, stderr } = spawnSync(old, [launcher, "hello"], {
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin" },
  });
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/^Elwood needs Node 24.* nothing was started\. Please install Node 24/);
}
