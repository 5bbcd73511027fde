import { createHash } from "node:crypto";
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { filesUnder } from "./canaries.ts";
import { Wire } from "./conformance/wire.ts";
import { ask, contentsOf, openSession } from "./conversation.ts";
import { runElwood, type Ended } from "./run-elwood.ts";
import { mountSmallDisk, orSkip } from "@elwood/testkit/small-disk";

const homes: { remove(): void }[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

function newHome(removedAfterTest = true): string {
  const home = temporaryHome();
  if (removedAfterTest) homes.push(home);
  return home.path;
}

const used = { home: newHome(false), key: "" };
beforeAll(async () => {
  const gateway = await startGatewayProcess({ home: used.home });
  const wire = await Wire.authenticated(gateway.url, gateway.token);
  used.key = await openSession(wire);
  await ask(wire, used.key, "hello");
  expect(await gateway.stop()).toBe(0);
});
afterAll(() => rmSync(used.home, { recursive: true }));

/** A state directory with one conversation in it, and nobody at work. */
function usedHome(): string {
  const home = newHome();
  cpSync(used.home, home, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(home, 0o700);
  return home;
}

const up = (home: string, ...args: string[]): Promise<Ended> =>
  runElwood(["up", "--no-open", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], { home });

/** One sentence for a person, no stack, no "bug", nothing on stdout, exit code 1. */
function expectRefusal({ code, stdout, stderr }: Ended, sentence: string | RegExp): void {
  if (typeof sentence === "string") expect(stderr.trim()).toBe(sentence);
  else expect(stderr.trim()).toMatch(sentence);
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+|This is a bug/);
  expect(stdout).toBe("");
  expect(code).toBe(1);
}

/** What lies in a folder, so that two looks can be compared. SQLite's shared memory is no content. */
function contentOf(home: string): Record<string, string> {
  const files = filesUnder(home).filter(({ path }) => !path.endsWith("-shm"));
  return Object.fromEntries(
    files.map(({ path, bytes }) => [path, createHash("sha256").update(bytes).digest("hex")]),
  );
}

describe("a start that cannot be says why in one sentence, and changes nothing", () => {
  test("EL-1: a second gateway on the same state directory; the first goes on", async () => {
    const home = usedHome();
    const first = await startGatewayProcess({ home });
    const wire = await Wire.authenticated(first.url, first.token);
    // Jobs of the configuration are stored a moment after the start, or when somebody asks for them.
    await wire.result("jobs.list");
    // Opening its index, the first one marks it as in use, and looks once at each file that was written to since: both
    // are writes of its own, and over once it says that it is in step.
    await expect
      .poll(async () => (await wire.result("memory.status"))["lastSyncAt"], { timeout: 20_000 })
      .toEqual(expect.any(Number));
    const before = contentOf(home);
    expectRefusal(
      await up(home),
      `Elwood already runs on ${home} (pid ${first.pid}, ${first.url}). Nothing was started. Use it with "elwood open" or "elwood status", stop it, or give this one a directory of its own: ELWOOD_HOME=/another/place.`,
    );
    expect(before).toHaveProperty(["memory.db"]);
    expect(contentOf(home)).toEqual(before);
    expect((await ask(wire, used.key, "still there?")).event).toBe("chat.final");
    await first.kill();

    const third = await startGatewayProcess({ home });
    expect(await contentsOf(await Wire.authenticated(third.url, third.token), used.key)).toHaveLength(4);
    await third.kill();
  });

  test("a port that is taken, by whom, and what to do", async () => {
    await using other = await startGatewayProcess();
    // Not a copy: where it lies is part of what a start compares with the last one.
    const { home } = used;
    const before = contentOf(home);
    const port = Number(new URL(other.url).port);
    expectRefusal(
      await up(home, "--port", String(port)),
      new RegExp(
        `^Port ${port} is used by (pid ${other.pid} \\(.+\\)|another program)\\. Elwood did not start\\. If that is Elwood too, look at it with "elwood status"; else choose another: --port ${port + 1}\\.$`,
      ),
    );
    expect(contentOf(home)).toEqual(before);
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
  });

  test("an address that others can reach, without a token of the owner's, is wrong usage", async () => {
    const home = join(newHome(), "state");
    const { code, stderr } = await up(home, "--host", "0.0.0.0");
    expect(stderr).toMatch(/ELWOOD_TOKEN/);
    expect(code).toBe(2);
    expect(existsSync(home)).toBe(false);
  });

  test("a state directory that cannot be made", async () => {
    const home = join(newHome(), "file", "state");
    writeFileSync(join(home, "../../file"), "");
    expectRefusal(
      await up(home),
      `${home} cannot be made: a part of that path is not a folder. Choose another state directory: ELWOOD_HOME=/path elwood …`,
    );
  });

  test("a state directory that may not be written", async (context) => {
    if (process.getuid?.() !== 0) {
      const folder = newHome();
      chmodSync(folder, 0o500);
      expectRefusal(
        await up(join(folder, "state")),
        `${join(folder, "state")} may not be written by this user. Nothing was changed. Choose another state directory: ELWOOD_HOME=/path elwood …`,
      );
      chmodSync(folder, 0o700);
      return;
    }
    // Root may write everywhere but on a disk that nobody can write.
    using disk = orSkip(context, mountSmallDisk({ kilobytes: 64, readOnly: true }));
    expectRefusal(
      await up(disk.path),
      `${disk.path} lies on a read-only disk. Nothing was changed. Choose another state directory: ELWOOD_HOME=/path elwood …`,
    );
  });

  test("a disk without room for a new state directory", async (context) => {
    using disk = orSkip(context, mountSmallDisk({ kilobytes: 64 }));
    disk.fill();
    const refused = await up(disk.path);
    expectRefusal(refused, /disk is full.*Free some space and try again\.$/i);
    expect(refused.stderr).not.toContain("by itself");
    disk.free();
  });
});

describe("a database that is not ours to change", () => {
  test("one of a newer Elwood is refused with words and left as it is", async () => {
    const home = usedHome();
    const path = join(home, "elwood.db");
    const db = new DatabaseSync(path);
    const { user_version: known } = db.prepare("PRAGMA user_version").get() as { user_version: number };
    db.exec("PRAGMA user_version = 4711");
    db.close();
    const before = contentOf(home);
    expectRefusal(
      await up(home),
      `${path} was written by a newer Elwood (schema 4711; this one knows up to ${known}). Nothing was changed. Start the newer Elwood, or put back a copy from the backups folder that this one can read.`,
    );
    expect(contentOf(home)).toEqual(before);
  });

  test("one of another program is refused with words and left as it is", async () => {
    const home = newHome();
    const path = join(home, "elwood.db");
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')");
    db.close();
    const before = readFileSync(path);
    expectRefusal(
      await up(home),
      /is a database, but not one of Elwood's\. Nothing was changed\. Move it away/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["noise", () => Buffer.from("This is not a database, whatever its name says.".repeat(200))],
    [
      "a database whose pages were overwritten",
      (bytes) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x5a)]),
    ],
    ["a database cut in half", (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  ])("%s is told as damage and left as it is", async (_what, damage) => {
    const home = usedHome();
    const path = join(home, "elwood.db");
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);
    expectRefusal(await up(home), /The database is damaged, and Elwood has left it as it is\..*backups/);
    expect(readFileSync(path).equals(damaged)).toBe(true);
    expect(readFileSync(join(home, "sessions/default", `${used.key}.jsonl`), "utf8")).toContain("hello");
  });

  test("a folder in its place", async () => {
    const home = newHome();
    mkdirSync(join(home, "elwood.db"));
    expectRefusal(await up(home), /elwood\.db could not be opened/);
  });

  test("a lock file that is no lock file any more", async () => {
    const home = newHome();
    writeFileSync(join(home, "gateway.lock"), "what is this doing here?".repeat(100));
    expectRefusal(await up(home), /gateway\.lock/);
  });
});
