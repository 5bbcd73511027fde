import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface GatewayProcessOptions {
  /** The state directory. Where none is given, a temporary one that is gone after `stop` or `kill`. */
  readonly home?: string;
  /** Added to an environment that holds no key, no token and no configuration of whoever runs the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** The text of `config.yaml`, put into the state directory before the start. */
  readonly config?: string;
  /** More arguments for `elwood up`. */
  readonly args?: readonly string[];
  /** Any free port unless given. A test that restarts a gateway under its clients takes one from `freePort`. */
  readonly port?: number;
}

/** A real gateway in a process of its own, ready to be talked to. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  /** The owner's token. */
  readonly token: string;
  /** The one-time login link of the start screen. */
  readonly link: string;
  readonly home: string;
  readonly pid: number;
  /** Asks it to stop, as Ctrl-C does, and answers its exit code; a gateway that does not stop is killed, and that throws. */
  stop(): Promise<number>;
  /** Kills it where it stands, as `kill -9` does. */
  kill(): Promise<void>;
  /** Everything it has printed so far. */
  output(): { stdout: string; stderr: string };
}

const TEMPORARY_HOME_PREFIX = "elwood-home-";
const READY_MS_MAX = 60_000;
const STOP_MS_MAX = 60_000;
const POLL_MS = 20;
const OUTPUT_CHARS_MAX = 4_000_000;

/**
 * Starts the real launcher and waits until the gateway says that it is ready. The process
 * never outlives the tests: it ends when theirs does, however that happens.
 */
export async function startGatewayProcess(options: GatewayProcessOptions = {}): Promise<GatewayProcess> {
  const given = options.home;
  const home = given ?? mkdtempSync(join(tmpdir(), TEMPORARY_HOME_PREFIX));
  if (options.config !== undefined) writeFileSync(join(home, "config.yaml"), options.config, { mode: 0o600 });
  const args = ["up", "--no-open", "--port", String(options.port ?? 0), ...(options.args ?? [])];
  const child = spawn(process.execPath, ["--import", endWithTests(home), LAUNCHER, ...args], {
    env: cleanEnvironment(home, options.env),
    cwd: tmpdir(),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const output = collectOutput(child);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const removeHome = () => {
    if (given === undefined) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  };
  const kill = async () => {
    if (isAlive(child)) child.kill("SIGKILL");
    await exited;
    removeHome();
  };
  const stop = async () => {
    if (isAlive(child)) child.kill("SIGTERM");
    await Promise.race([exited, sleep(STOP_MS_MAX, undefined, { ref: false })]);
    const stuck = isAlive(child);
    await kill();
    if (stuck) throw new Error(`The gateway did not stop within ${STOP_MS_MAX} ms.\n${told(output())}`);
    return child.exitCode ?? -1;
  };
  try {
    const link = await untilReady(child, output);
    const url = new URL(link).origin;
    const token =
      options.env?.["ELWOOD_TOKEN"] ?? readFileSync(join(home, "keys", "owner-token"), "utf8").trim();
    return { url, token, link, home, pid: child.pid ?? -1, stop, kill, output, [Symbol.asyncDispose]: kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** A state directory for a test that outlives one gateway. */
export function temporaryHome(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), TEMPORARY_HOME_PREFIX));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export const LAUNCHER = fileURLToPath(new URL("../../../apps/cli/bin/elwood.mjs", import.meta.url));

/** The owner's keys must not answer a test, and a test must not touch the owner's files. */
export function cleanEnvironment(
  home: string,
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    TMPDIR: tmpdir(),
    TZ: process.env["TZ"],
    HOME: join(home, "user"),
    // Compiled code is the one thing worth sharing: without it every start compiles everything anew.
    XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    NO_COLOR: "1",
    ELWOOD_HOME: home,
    // A scripted model answers what a test asks, and no question beside.
    ELWOOD_SESSION_TITLES: "off",
    ...more,
  };
}

export function collectOutput(child: ChildProcess): GatewayProcess["output"] {
  const heard = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      heard[name] = (heard[name] + text).slice(-OUTPUT_CHARS_MAX);
    });
  }
  return () => ({ ...heard });
}

/** Answers the login link, which is printed once everything stands. */
async function untilReady(child: ChildProcess, output: GatewayProcess["output"]): Promise<string> {
  const failed: { cause?: Error } = {};
  child.once("error", (cause) => (failed.cause = cause));
  for (let waited = 0; waited < READY_MS_MAX; waited += POLL_MS) {
    const { stdout, stderr } = output();
    const link = /https?:\/\/[^\s/]+\/#t=[\w-]+/.exec(stdout + stderr)?.[0];
    if (link !== undefined && (await saysReady(new URL(link).origin))) return link;
    if (failed.cause || !isAlive(child)) {
      const how = failed.cause?.message ?? `exit ${child.exitCode ?? child.signalCode}`;
      throw new Error(`The gateway did not start (${how}).\n${told(output())}`);
    }
    await sleep(POLL_MS);
  }
  throw new Error(`The gateway was not ready within ${READY_MS_MAX} ms.\n${told(output())}`);
}

async function saysReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false; // asked too early; the caller asks again
  }
}

/** The module that ends a gateway whose tests are gone, and with it a folder that was theirs. */
function endWithTests(home: string): string {
  const module = new URL("./end-with-tests.mjs", import.meta.url);
  if (basename(home).startsWith(TEMPORARY_HOME_PREFIX)) module.searchParams.set("remove", home);
  return module.href;
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function told({ stdout, stderr }: { stdout: string; stderr: string }): string {
  return `--- stdout\n${stdout.slice(-4_000)}\n--- stderr\n${stderr.slice(-4_000)}`;
}
