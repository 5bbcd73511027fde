import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, TENANT } from "@elwood/testkit/store-script";
import { afterEach, beforeEach, expect, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { diskOperations, type FileOperations } from "./file-operations.ts";
import { openStores, type OpenedStores } from "./open-stores.ts";

const bytes = Buffer.from("some bytes");
const name = createHash("sha256").update(bytes).digest("hex");

let home: string;
const opened: OpenedStores[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "elwood-blobs-"));
});

afterEach(async () => {
  for (const stores of opened.splice(0)) await stores.close();
  await rm(home, { recursive: true });
});

async function open(files: FileOperations = diskOperations) {
  const log = memoryLog();
  const stores = await openStores({ paths: statePaths(home), clock: new ManualClock(), log, files });
  opened.push(stores);
  return { blobs: stores.blobs, log };
}

const folder = () => statePaths(home).blobs;

test("bytes lie in a file named by their hash, once for all tenants, for the owner alone", async () => {
  const { blobs } = await open();
  await blobs.put(TENANT, bytes, "text/plain", 1);
  await blobs.put("other", bytes, "image/png", 2);
  expect(await readdir(folder())).toEqual([name]);
  expect(await readFile(join(folder(), name))).toEqual(bytes);
  expect((await stat(join(folder(), name))).mode & 0o777).toBe(0o600);
  expect((await stat(folder())).mode & 0o777).toBe(0o700);
});

test("on a full disk there is neither a file nor a row, and the next try works", async () => {
  const full = { code: "ENOSPC", syscall: "rename" };
  const { blobs } = await open({
    ...diskOperations,
    rename: () => Promise.reject(Object.assign(new Error("no space"), full)),
  });
  await expect(blobs.put(TENANT, bytes, "text/plain", 1)).rejects.toMatchObject(failsWith("STORAGE_FULL"));
  expect(await readdir(folder())).toEqual([]);
  const { blobId } = await (await open()).blobs.put(TENANT, bytes, "text/plain", 2);
  expect(await blobs.read(TENANT, blobId)).toEqual(bytes);
});

test("what a crash left before the row was written is used, or written anew where it is not whole", async () => {
  const { blobs } = await open();
  const { blobId } = await blobs.put("first", bytes, "text/plain", 1);
  await writeFile(join(folder(), name), "some");
  await writeFile(
    join(folder(), `${name}.tmp`),
    "left behind by a crash, and longer than the bytes themselves",
  );
  await blobs.put(TENANT, bytes, "text/plain", 2);
  expect(await blobs.read("first", blobId)).toEqual(bytes);
  expect(await readdir(folder())).toEqual([name]);
});

test("bytes that are gone or were changed are told as such and logged, never handed out", async () => {
  const { blobs, log } = await open();
  const { blobId } = await blobs.put(TENANT, bytes, "text/plain", 1);
  await writeFile(join(folder(), name), "some bytEs");
  const damaged = { failure: { reason: "STORAGE", retryable: false } };
  await expect(blobs.read(TENANT, blobId)).rejects.toMatchObject(damaged);
  await unlink(join(folder(), name));
  await expect(blobs.read(TENANT, blobId)).rejects.toMatchObject(damaged);
  expect(log.entries.filter((entry) => entry.level === "error")).toHaveLength(2);
});
