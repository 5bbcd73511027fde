import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
/** The command as its user types it, on this home. */
export type Elwood = (home: string, ...words: string[]) => Said;

/** A folder that is gone afterwards. */
export async function inFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "elwood-real-"));
  try {
    await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Packs a tree of the repository, by its own script; answers the tarball. */
export function packed(tree: string, into: string): string {
  return execFileSync(process.execPath, [join(tree, "apps/cli/pack.mjs"), into], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` },
  }).trim();
}

/** Installs a tarball into the folder `app`, in place of one that is there. */
export function install(
  root: string,
  tarball: string,
): { seconds: number; megabytes: number; elwood: Elwood } {
  const app = join(root, "app");
  mkdirSync(app, { recursive: true });
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

export function environment(root: string, home: string): NodeJS.ProcessEnv {
  const path = `${dirname(process.execPath)}:${process.env["PATH"]}`;
  // How this machine reaches the registry is not Elwood's business.
  const network = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_use_env_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|npm_config_registry)$/i.test(
      name,
    ),
  );
  return { ...Object.fromEntries(network), PATH: path, HOME: join(root, "user"), ELWOOD_HOME: home };
}
