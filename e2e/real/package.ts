import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startAnthropic, anthropic, ANTHROPIC_ROUTE } from "@elwood/testkit/anthropic-server";
import { anthropicEnv } from "../conversation.ts";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const INSTALLED_MB_MAX = 120;
const TEST_MS_MAX = 600_000;
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

test(
  "EL-17: packed, installed with npm into an empty folder, asked, backed up, restored and removed",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "elwood-real-"));
    try {
      const tarball = execFileSync(process.execPath, [join(ROOT, "apps/cli/pack.mjs"), join(root, "pack")], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      }).trim();
      const { seconds, megabytes, elwood } = install(root, tarball);
      // How long it takes is the network's; the size is ours.
      process.stdout.write(`installed in ${seconds.toFixed(0)} s, ${megabytes} MB\n`);
      expect(megabytes).toBeLessThanOrEqual(INSTALLED_MB_MAX);

      const home = join(root, "home");
      expect(elwood(home, "hello").stdout).toMatch(/demo model/);
      expect(await askModel(join(root, "app"), home)).toContain("A real answer.");
      backUpAndRestore(elwood, root, home);
      expect(elwood(home, "service", "install", "--dry-run").stdout).toMatch(
        /^ExecStart=.*elwood\.mjs" up --no-open$/m,
      );
      expect(elwood(home, "completion", "bash").stdout).toContain("complete");
      expect(JSON.parse(elwood(home, "doctor", "--json").stdout)).toMatchObject({ version: VERSION });
      installBrowser(elwood, home);
      oldNode(root);
      execFileSync("npm", ["uninstall", "elwood"], { cwd: join(root, "app"), stdio: "pipe" });
      expect(readdirSync(join(root, "app", "node_modules"))).not.toContain("elwood");
      expect(readdirSync(home)).toContain("elwood.db");
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
  TEST_MS_MAX,
);

type Elwood = (
  home: string,
  ...words: string[]
) => { readonly status: number | null; readonly stdout: string; readonly stderr: string };

function install(root: string, tarball: string): { seconds: number; megabytes: number; elwood: Elwood } {
  const app = join(root, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{"private":true}\n');
  const started = performance.now();
  const cache = join(root, "npm-cache");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--cache", cache, tarball], {
    cwd: app,
    stdio: "pipe",
  });
  const seconds = (performance.now() - started) / 1000;
  const megabytes = Number(
    execFileSync("du", ["-sm", join(app, "node_modules")], { encoding: "utf8" }).split("\t")[0],
  );
  const elwood: Elwood = (home, ...words) =>
    spawnSync("npx", ["--no-install", "elwood", ...words], {
      cwd: app,
      encoding: "utf8",
      env: environment(root, home),
    });
  return { seconds, megabytes, elwood };
}

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

function environment(root: string, home: string): NodeJS.ProcessEnv {
  const path = `${dirname(process.execPath)}:${process.env["PATH"]}`;
  // How this machine reaches the registry is not Elwood's business.
  const network = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_use_env_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|npm_config_registry)$/i.test(
      name,
    ),
  );
  return { ...Object.fromEntries(network), PATH: path, HOME: join(root, "user"), ELWOOD_HOME: home };
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
