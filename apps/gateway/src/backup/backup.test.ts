import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { isPush, GatewayClient } from "@elwood/sdk/client";
import { acquireLock } from "@elwood/platform/lock";
import { statePaths } from "@elwood/platform/state-paths";
import { pack } from "tar-stream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestGateway, type StartedGateway } from "../../test/test-gateway.ts";
import { prepareHome } from "../config/first-run.ts";
import { loadConfig } from "../config/load.ts";
import { createBackup, pruneBackups, type BackupMade } from "./create-backup.ts";
import { readBackup } from "./read-backup.ts";
import { finishRestore, rehearseRestore, restoreBackup } from "./restore-backup.ts";
import { verifyBackup } from "./verify-backup.ts";

const NOW = Date.parse("2026-11-15T10:00:00.123Z");
const PASSPHRASE = "four quiet words here";

let root: string;
let started: StartedGateway;
let owner: GatewayClient;
/** Made while the gateway worked. */
let made: BackupMade;
let sessionKey: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "elwood-backup-test-"));
  started = await startTestGateway({ home: folder("live") });
  const { url, ownerToken: token } = started.gateway;
  owner = await GatewayClient.connect({ url, token });
  ({ sessionKey } = await owner.call("sessions.create", {}));
  await owner.call("memory.save", { key: "boat", content: "- The boat lies in Bergen\n" });
  writeFileSync(join(started.home, "files", "letter.txt"), "Dear Ada");
  symlinkSync("letter.txt", join(started.home, "files", "newest"));
  await say("I have played the saxophone since 2011");
  await (await started.gateway.memory.index())?.start();
  // What goes on meanwhile must not tear the copy: runs begin and end all the time.
  const making = { on: true };
  const talking = (async () => {
    for (let i = 0; making.on && i < MESSAGES_MAX; i++) await say(`message ${i} in the middle of a backup`);
  })();
  made = await backUp(started.home, "first.tar.gz");
  making.on = false;
  await talking;
});

const MESSAGES_MAX = 200;

afterAll(async () => {
  await owner.close();
  await started[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

function folder(name: string): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

async function say(message: string): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const off = owner.onPush((push) => {
    if (isPush(push, "chat.final") || isPush(push, "chat.error")) ended.resolve();
  });
  await owner.call("chat.send", { sessionKey, message });
  await ended.promise;
  off();
}

function backUp(home: string, name: string, more: { passphrase?: string; overwrite?: boolean } = {}) {
  return createBackup({
    paths: statePaths(home),
    output: join(root, "out", name),
    now: NOW,
    version: "0.1.0",
    workFactor: 10,
    ...more,
  });
}

function restoreInto(home: string, backup: string, more: { passphrase?: string; replace?: boolean } = {}) {
  return restoreBackup({ backup, paths: statePaths(home), replace: false, now: NOW, ...more });
}

describe("EL-1: a backup of a gateway at work", () => {
  test("is whole, its receipts verify, and what a process has for itself is not in it", async () => {
    expect(made.receipts).toMatchObject({ status: "intact" });
    expect(made.receipts).toHaveProperty("size", made.manifest.head.seq);
    expect(made.manifest.head.seq).toBeGreaterThan(0);
    const paths = made.manifest.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["elwood.db", "memory.db", "keys/receipts.key"]));
    expect(paths.filter((path) => /gateway\.|-wal|-shm|backups/.test(path))).toEqual([]);
    expect(statSync(made.path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(started.home, "backups"))).toEqual([]);
  });

  test("restored into a new home it gives the same answers, memory and receipts", async () => {
    const home = join(root, "restored");
    const restored = await restoreInto(home, made.path);
    expect(restored.receipts).toMatchObject({ status: "intact" });
    expect(restored.replaced).toBeUndefined();
    expect(readFileSync(join(home, "files/newest"), "utf8")).toBe("Dear Ada");
    const head = (db: string) =>
      new DatabaseSync(db, { readOnly: true })
        .prepare("SELECT seq, hash FROM receipts WHERE seq = ?")
        .get(made.manifest.head.seq);
    expect(head(join(home, "elwood.db"))).toEqual(head(join(started.home, "elwood.db")));

    await using again = await startTestGateway({ home });
    const client = await GatewayClient.connect({ url: again.gateway.url, token: again.gateway.ownerToken });
    onTestFinished(() => client.close());
    // What was under way when the copy was made is taken up, and ends.
    await expect.poll(async () => (await client.call("gateway.status", {})).runsActive).toBe(0);
    const [then, now] = await Promise.all(
      [owner, client].map(async (each) => (await each.call("sessions.get", { sessionKey })).messages),
    );
    const committed = now!.filter(({ id }) => then!.some((each) => each.id === id));
    expect(committed.map(({ content }) => content)).toEqual(
      then!.slice(0, committed.length).map(({ content }) => content),
    );
    expect(committed.length).toBeGreaterThanOrEqual(2);
    expect((await client.call("sessions.get", { sessionKey })).damage).toEqual([]);
    const search = async (each: GatewayClient, query: string) =>
      (await each.call("memory.search", { query, limit: 1 })).hits.map(({ source, text }) => ({
        source,
        text,
      }));
    for (const query of ["where does the boat lie", "saxophone"])
      expect(await search(client, query)).toEqual(await search(owner, query));
    expect(await client.call("receipts.verify", {})).toMatchObject({ verdict: { status: "intact" } });
    expect(again.complaints).toEqual([]);
  });

  test("encrypted with a passphrase it holds no plain word, and opens with that passphrase only", async () => {
    const sealed = await backUp(started.home, "sealed.tar.gz.age", { passphrase: PASSPHRASE });
    expect(sealed.encrypted).toBe(true);
    expect(readFileSync(sealed.path).subarray(0, 21).toString()).toBe("age-encryption.org/v1");
    await expect(verifyBackup(sealed.path, { passphrase: "five other words entirely" })).rejects.toThrow(
      /^The passphrase does not open sealed\.tar\.gz\.age\. Nothing was changed\./,
    );
    await expect(verifyBackup(sealed.path)).rejects.toThrow(/is encrypted.*--passphrase-file/);
    truncateSync(sealed.path, Math.trunc(statSync(sealed.path).size / 2));
    await expect(verifyBackup(sealed.path, { passphrase: PASSPHRASE })).rejects.toThrow(
      /cut short or damaged/,
    );
    await expect(backUp(started.home, "short.tar.gz.age", { passphrase: "hunter2" })).rejects.toThrow(
      /fewer than 12 characters\. Nothing was written/,
    );
  });
});

test("other programs can read a backup: it is a tar archive", () => {
  const listed = execFileSync("tar", ["-tzf", made.path], { encoding: "utf8" }).split("\n");
  expect(listed[0]).toBe("elwood-backup.json");
  expect(listed.at(-2)).toBe("manifest.json");
  expect(listed).toContain("state/memory/default/boat.md");
});

test("a backup of a home that nobody uses changes nothing there", async () => {
  const home = join(root, "still");
  await restoreInto(home, made.path);
  rmSync(join(home, "gateway.lock"));
  rmSync(join(home, "backups"), { recursive: true, force: true });
  const before = listing(home);
  const again = await backUp(home, "still.tar.gz");
  expect(again.receipts).toMatchObject({ status: "intact" });
  rmSync(join(home, "backups"), { recursive: true });
  rmSync(join(home, "gateway.lock"));
  expect(listing(home)).toEqual(before);
});

function listing(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => {
      const { size, mtimeMs } = statSync(join(parentPath, name));
      return `${join(parentPath, name)} ${size} ${mtimeMs}`;
    })
    .toSorted();
}

test("a configuration outside of the data folder comes along and takes effect where it is restored; a workspace comes along too", async () => {
  const home = join(root, "split");
  await restoreInto(home, made.path);
  rmSync(join(home, "config.yaml"));
  const elsewhere = folder("elsewhere");
  writeFileSync(join(elsewhere, "config.yaml"), "log:\n  level: debug\n");
  mkdirSync(join(elsewhere, "words"));
  writeFileSync(join(elsewhere, "words", "SOUL.md"), "Be brief.");
  const outside = { config: join(elsewhere, "config.yaml"), workspace: join(elsewhere, "words") };
  const output = join(root, "out", "split.tar.gz");
  await createBackup({ paths: statePaths(home), output, now: NOW, version: "0.1.0", outside });
  const target = join(root, "joined");
  await restoreInto(target, output);
  expect(readFileSync(join(target, "config.yaml"), "utf8")).toContain("level: debug");
  expect(readFileSync(join(target, "outside/workspace/SOUL.md"), "utf8")).toBe("Be brief.");
});

describe("a file that is no good backup is refused in words, and nothing is changed", () => {
  async function archive(entries: readonly [string, string][]): Promise<string> {
    const tar = pack();
    for (const [name, text] of entries) tar.entry({ name }, text);
    tar.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of tar) chunks.push(chunk);
    const path = join(folder("out"), "given.tar.gz");
    writeFileSync(path, gzipSync(Buffer.concat(chunks)));
    return path;
  }
  const header = (more: object = {}) =>
    JSON.stringify({
      format: "elwood-backup",
      v: 1,
      createdAt: 1,
      elwood: "0.1.0",
      schema: 1,
      files: 1,
      bytes: 9,
      ...more,
    });
  const manifest = (more: object = {}) =>
    JSON.stringify({ files: [], folders: [], links: [], head: { seq: 0 }, leftOut: [], ...more });

  const foreign: [string, () => string | Promise<string>, RegExp][] = [
    ["a text file", () => write("plain.txt", "hello"), /plain\.txt is not a backup that Elwood made/],
    ["an empty file", () => write("empty", ""), /is not a backup that Elwood made/],
    ["another archive", () => archive([["readme.md", "hi"]]), /is not a backup that Elwood made/],
    ["a gzip of something else", () => write("x.gz", gzipSync("hello")), /cut short or damaged|not a backup/],
    ["a folder", () => folder("a-folder"), /is not a backup that Elwood made/],
    ["a file that is not there", () => join(root, "nothing"), /There is no file/],
    [
      "one of a newer format",
      () => archive([["elwood-backup.json", header({ v: 2 })]]),
      /made by a newer Elwood .* Install that Elwood/,
    ],
    [
      "one with a newer database",
      () => archive([["elwood-backup.json", header({ schema: 10_000, elwood: "9.0.0" })]]),
      /made by a newer Elwood \(9\.0\.0; its database has schema 10000, this one knows up to \d+\)/,
    ],
    ["one without its end", () => archive([["elwood-backup.json", header()]]), /it ends too early/],
    [
      "one that would write outside",
      () =>
        archive([
          ["elwood-backup.json", header()],
          ["state/../../evil", "x"],
          ["manifest.json", manifest()],
        ]),
      /"state\/\.\.\/\.\.\/evil" does not belong in it/,
    ],
    [
      "one with a file that its manifest does not name",
      () =>
        archive([
          ["elwood-backup.json", header()],
          ["state/a", "x"],
          ["manifest.json", manifest()],
        ]),
      /files that its manifest does not name/,
    ],
    [
      "one with more in it than it says",
      () =>
        archive([
          ["elwood-backup.json", header()],
          ["state/a", "x".repeat(17 * 1024 * 1024)],
        ]),
      /more is in it than it says/,
    ],
    [
      "one whose link would lie outside",
      () =>
        archive([
          ["elwood-backup.json", header()],
          ["manifest.json", manifest({ links: [{ path: "../x", target: "/etc" }] })],
        ]),
      /"\.\.\/x" does not belong in it/,
    ],
  ];

  function write(name: string, content: string | Buffer): string {
    const path = join(folder("out"), name);
    writeFileSync(path, content);
    return path;
  }

  test.each(foreign)("%s", async (_what, given, words) => {
    const path = await given();
    const home = join(root, "never-made");
    const refused = await restoreInto(home, path).catch((error: unknown) => String(error));
    expect(refused).toMatch(words);
    expect(refused).toMatch(/Nothing was changed/);
    expect(existsSync(home)).toBe(false);
  });

  test("one that was cut anywhere, or in which a byte was turned over", async () => {
    const bytes = readFileSync(made.path);
    for (const [name, damaged] of [
      ["half", bytes.subarray(0, bytes.length / 2)],
      ["almost", bytes.subarray(0, -12)],
      ["turned", turned(bytes, Math.trunc(bytes.length * 0.6))],
    ] as const) {
      const path = join(root, "out", `${name}.tar.gz`);
      writeFileSync(path, damaged);
      await expect(restoreInto(join(root, "never-made"), path), name).rejects.toThrow(/cut short or damaged/);
      expect(existsSync(join(root, "never-made")), name).toBe(false);
    }
  });

  function turned(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes);
    copy[at] = copy[at]! ^ 0xff;
    return copy;
  }

  test("one whose receipts were changed before it was made is told apart, and can still be restored", async () => {
    const home = join(root, "forged");
    await restoreInto(home, made.path);
    const db = new DatabaseSync(join(home, "elwood.db"));
    db.exec("DROP TRIGGER IF EXISTS receipts_stay; PRAGMA writable_schema = ON;");
    for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
      db.exec(`DROP TRIGGER "${String(name)}"`);
    db.exec("UPDATE receipts_by_number SET actor = 'nobody' WHERE seq = 2");
    db.close();
    const forged = await backUp(home, "forged.tar.gz");
    expect(forged.receipts).toMatchObject({ status: "altered", seq: 2 });
    const restored = await restoreInto(join(root, "forged-again"), forged.path);
    expect(restored.receipts).toMatchObject({ status: "altered", seq: 2 });
  });
});

describe("a restore", () => {
  test("over a running gateway is refused, by the dry run too", async () => {
    await expect(restoreInto(started.home, made.path, { replace: true })).rejects.toThrow(
      /Elwood is running on .* Nothing was changed\. Stop it first/,
    );
    const dry = await rehearseRestore({ backup: made.path, paths: statePaths(started.home), replace: true });
    expect(dry.problem).toMatch(/Elwood is running/);
    expect(await owner.call("health.check", {})).toMatchObject({ status: "ok" });
  });

  test("over data that is there is refused, and with --replace puts it aside whole", async () => {
    const home = join(root, "used");
    await restoreInto(home, made.path);
    writeFileSync(join(home, "files", "mine.txt"), "mine");
    await expect(restoreInto(home, made.path)).rejects.toThrow(/is in use.*add --replace/);
    const dry = await rehearseRestore({ backup: made.path, paths: statePaths(home), replace: true });
    expect(dry.problem).toBeUndefined();
    expect(dry.replaces).toBeGreaterThan(4);
    expect(existsSync(join(home, "files", "mine.txt"))).toBe(true);

    const { replaced } = await restoreInto(home, made.path, { replace: true });
    expect(existsSync(join(home, "files", "mine.txt"))).toBe(false);
    expect(readFileSync(join(replaced!, "files", "mine.txt"), "utf8")).toBe("mine");
    expect(existsSync(join(replaced!, "elwood.db"))).toBe(true);
    expect(readdirSync(home).filter((name) => name.startsWith(".restore"))).toEqual([]);
  });

  test.each([
    ["while things are moved aside", "aside"],
    ["while things are moved in", "in"],
  ])("that is broken off %s keeps every gateway from starting, and can be finished", async (_when, stage) => {
    const home = join(root, `broken-${stage}`);
    await restoreInto(home, made.path);
    // As a crash leaves it: one part moved, the other not.
    const time = "20261115T110000000Z";
    const unpacked = join(home, `.restore-${time}-abc`, stage);
    mkdirSync(unpacked, { recursive: true });
    cpSync(join(home, "files"), join(unpacked, "files"), { recursive: true, verbatimSymlinks: true });
    writeFileSync(join(unpacked, "files", "restored.txt"), "restored");
    mkdirSync(join(home, `replaced-${time}`));
    cpSync(join(home, "memory"), join(home, `replaced-${time}`, "memory"), { recursive: true });
    rmSync(join(home, "memory"), { recursive: true });
    if (stage === "in") {
      cpSync(join(home, "files"), join(home, `replaced-${time}`, "files"), {
        recursive: true,
        verbatimSymlinks: true,
      });
      rmSync(join(home, "files"), { recursive: true });
    }
    const loaded = await loadConfig({ flags: {}, env: { ELWOOD_HOME: home, HOME: root }, cwd: root });
    if (!loaded.ok) throw new Error("the configuration does not load");
    await expect(prepareHome(loaded.value)).rejects.toThrow(/broken off in the middle.*restore --finish/);
    await expect(restoreInto(home, made.path, { replace: true })).rejects.toThrow(/restore --finish/);
    expect(await finishRestore(statePaths(home))).toBe(join(home, `replaced-${time}`));
    expect(readFileSync(join(home, "files", "restored.txt"), "utf8")).toBe("restored");
    expect(existsSync(join(home, `replaced-${time}`, "memory/default/boat.md"))).toBe(true);
    if (stage === "aside") expect(existsSync(join(home, `replaced-${time}`, "elwood.db"))).toBe(true);
    await expect(finishRestore(statePaths(home))).rejects.toThrow(/No restore .* was broken off/);
  });

  test("respects the lock of another process, and gives every file the size and mode that it had", async () => {
    const home = folder("locked");
    const lock = acquireLock(statePaths(home).gatewayLock);
    await expect(restoreInto(home, made.path)).rejects.toThrow(/Elwood is running/);
    lock?.release();
    const { files } = await restoreInto(home, made.path).then(({ manifest }) => manifest);
    for (const { path, mode, bytes } of files) {
      const found = statSync(join(home, path));
      expect([path, found.mode & 0o777, found.size]).toEqual([path, mode, bytes]);
    }
  });
});

test("what exists is not written over unless that is asked for", async () => {
  const path = join(folder("out"), "there.tar.gz");
  writeFileSync(path, "precious");
  await expect(backUp(started.home, "there.tar.gz")).rejects.toThrow(/exists already and was left as it is/);
  expect(readFileSync(path, "utf8")).toBe("precious");
  await backUp(started.home, "there.tar.gz", { overwrite: true });
  expect((await readBackup(path, undefined)).header.elwood).toBe("0.1.0");
});

test("of the backups that Elwood named, the newest are kept, and no other file is touched", async () => {
  const kept = folder("kept");
  const names = ["20260101", "20260103", "20260102"].map((day) => `elwood-${day}T000000000Z.tar.gz`);
  for (const name of [...names, "elwood-v13-20250101T000000000Z.db", "holiday.tar.gz"])
    writeFileSync(join(kept, name), "");
  // Made while the clock was two years ahead.
  writeFileSync(join(kept, "elwood-20281116T000000000Z.tar.gz"), "");
  expect(await pruneBackups(kept, 3, NOW)).toEqual(["elwood-20281116T000000000Z.tar.gz"]);
  expect(await pruneBackups(kept, 2, NOW)).toEqual([names[0]]);
  expect(await pruneBackups(kept, 0, NOW)).toEqual([names[2]]);
  expect(readdirSync(kept).toSorted()).toEqual(
    [names[1]!, "elwood-v13-20250101T000000000Z.db", "holiday.tar.gz"].toSorted(),
  );
});

test("where there is nothing to back up, that is said, and nothing is made", async () => {
  await expect(backUp(join(root, "no-such-home"), "none.tar.gz")).rejects.toThrow(
    /There is nothing to back up/,
  );
  expect(existsSync(join(root, "no-such-home"))).toBe(false);
  expect(existsSync(join(root, "out", "none.tar.gz"))).toBe(false);
});
