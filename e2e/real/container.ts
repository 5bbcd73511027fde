import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const BUILD_MS_MAX = 900_000;
/** Another base than the Containerfile's: any Debian with Node 24 and npm. */
const BASE = process.env["ELWOOD_TEST_BASE"];
const IMAGE = "localhost/elwood-test";
/** Without a container runtime; who runs it may be in a container already. */
const ISOLATION = ["--isolation", "chroot"];

function buildah(...words: string[]): string {
  return execFileSync("buildah", words, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
}

let container: string;
beforeAll(() => {
  // A browser would be four fifths of it, and is not what is looked at.
  const packages = "PACKAGES=tini bubblewrap ca-certificates";
  const base = BASE === undefined ? [] : ["--build-arg", `BASE=${BASE}`];
  const how = [...ISOLATION, "--network", "host", "--format", "docker", "--build-arg", packages];
  buildah("build", ...how, ...base, "-f", "Containerfile", "-t", IMAGE, ".");
  container = buildah("from", IMAGE);
}, BUILD_MS_MAX);
afterAll(() => {
  buildah("rm", container);
  buildah("rmi", IMAGE);
});

test("the image runs as a user without rights, and says how it is", () => {
  const { Docker } = JSON.parse(buildah("inspect", "--type", "image", IMAGE)) as {
    Docker: { config: Record<string, unknown> };
  };
  expect(Docker.config).toMatchObject({
    User: "10001:10001",
    StopSignal: "SIGTERM",
    Volumes: { "/var/lib/elwood": {} },
    Healthcheck: { Test: expect.arrayContaining(["node"]) as unknown },
  });
});

test("it starts in demo mode without a word, is healthy, can be asked from inside, and stops when told", async () => {
  const port = await freePort();
  const inside = [
    "run",
    ...ISOLATION,
    "--network",
    "host",
    "--user",
    "10001:10001",
    "--env",
    `ELWOOD_PORT=${port}`,
  ];
  const child = spawn(
    "buildah",
    [
      ...inside,
      container,
      "--",
      "/usr/bin/tini",
      "-s",
      "--",
      "/usr/local/bin/elwood-start",
      "up",
      "--no-open",
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = once(child, "exit");
  let text = "";
  child.stdout.on("data", (data: Buffer) => (text += data.toString("utf8")));
  child.stderr.on("data", (data: Buffer) => (text += data.toString("utf8")));
  const healthy = async () =>
    (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.status;
  await expect.poll(healthy, { timeout: 60_000, message: text }).toBe(200);
  await expect.poll(() => text, { timeout: 60_000 }).toContain("one-time link");
  expect(buildah(...inside, container, "--", "elwood", "status")).toContain("demo: scripted answers");
  expect(buildah(...inside, container, "--", "sh", "-c", "stat -c %a /var/lib/elwood/container-token")).toBe(
    "600",
  );
  const pid = buildah(...inside, container, "--", "elwood", "status", "--json");
  process.kill((JSON.parse(pid) as { pid: number }).pid, "SIGTERM");
  await ended;
  expect(await healthy()).toBeUndefined();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
