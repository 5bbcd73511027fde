import { mkdtemp, readFile, readdir, rm, stat, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { fixedId } from "@elwood/testkit/fixed-ids";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, TENANT } from "@elwood/testkit/store-script";
import { transcriptLines } from "@elwood/testkit/transcript-store-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { diskOperations, type FileOperations, type OpenFile } from "./file-operations.ts";
import { fileTranscripts } from "./file-transcripts.ts";

const SESSION = fixedId("session", 1);
const one = transcriptLines("run_1", "hello", "Hello.");
const two = transcriptLines("run_2", "again", "Hello again.");

let folder: string;
let path: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "elwood-transcripts-")), "sessions");
  path = join(folder, TENANT, `${SESSION}.jsonl`);
});

afterEach(() => rm(join(folder, ".."), { recursive: true }));

type Fault = Partial<Omit<FileOperations, "open">> & {
  file?: (file: OpenFile, path: string) => Partial<OpenFile>;
};

function errno(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: "write" });
}

/** The disk, but for what a test wants to go wrong; with a list of what was done to it. */
function disk(fault: Fault = {}): FileOperations & { done: string[] } {
  const done: string[] = [];
  const { file: fileFault, ...operations } = fault;
  return {
    ...diskOperations,
    ...operations,
    done,
    async open(path, flags, mode) {
      const file = await diskOperations.open(path, flags, mode);
      const name = path.split("/").at(-1)!.replace(SESSION, "S");
      const noted =
        <A extends unknown[], R>(what: string, operation: (...args: A) => Promise<R>) =>
        (...args: A) => {
          done.push(`${what} ${name}`);
          return operation(...args);
        };
      const faulty = fileFault?.(file, path) ?? {};
      return {
        stat: () => file.stat(),
        read: (...args) => file.read(...args),
        write: noted("write", faulty.write ?? ((...args) => file.write(...args))),
        truncate: noted("truncate", faulty.truncate ?? ((size) => file.truncate(size))),
        sync: noted("sync", faulty.sync ?? (() => file.sync())),
        close: () => file.close(),
      };
    },
    async rename(from, to) {
      done.push("rename");
      await (operations.rename?.(from, to) ?? diskOperations.rename(from, to));
    },
  };
}

function storeOn(files: FileOperations, log = memoryLog()) {
  return fileTranscripts(folder, { log, files });
}

async function stored(): Promise<Buffer> {
  return readFile(path);
}

describe("EL-4: what an append does to the disk", () => {
  test("one write, one fsync; a new file's folder is synced too", async () => {
    const files = disk();
    const store = storeOn(files);
    await store.append(TENANT, SESSION, one);
    // The tenant's folder and the one it stands in were new.
    expect(files.done).toEqual([
      "sync sessions",
      expect.stringMatching(/^sync elwood-/),
      "write S.jsonl",
      "sync S.jsonl",
      "sync default",
    ]);
    files.done.length = 0;
    await store.append(TENANT, SESSION, two);
    expect(files.done).toEqual(["write S.jsonl", "sync S.jsonl"]);
  });

  test("files and folders are for the owner alone", async () => {
    await storeOn(disk()).append(TENANT, SESSION, one);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, TENANT))).mode & 0o777).toBe(0o700);
  });

  test("a disk that takes a few bytes at a time gets all of them", async () => {
    const store = storeOn(
      disk({
        file: (file) => ({
          write: (bytes, offset, length) => file.write(bytes, offset, Math.min(7, length)),
        }),
      }),
    );
    await store.append(TENANT, SESSION, one);
    expect(await store.load(TENANT, SESSION)).toEqual({ lines: one, damage: [] });
  });
});

describe("EL-4: an append that fails leaves the file as it was", () => {
  async function failing(fault: (file: OpenFile) => Partial<OpenFile>) {
    await storeOn(disk()).append(TENANT, SESSION, one);
    const before = await stored();
    const files = disk({ file: (file, path) => (path.endsWith(".jsonl") ? fault(file) : {}) });
    const log = memoryLog();
    const error: unknown = await storeOn(files, log)
      .append(TENANT, SESSION, two)
      .catch((error: unknown) => error);
    return { error, before, files, log };
  }

  test("a full disk, half-way through the write", async () => {
    let writes = 0;
    const { error, before } = await failing((file) => ({
      write: (bytes, offset, length) => {
        writes += 1;
        if (writes > 1) return Promise.reject(errno("ENOSPC"));
        return file.write(bytes, offset, Math.floor(length / 2));
      },
    }));
    expect(error).toMatchObject({ failure: { reason: "STORAGE_FULL", retryable: true } });
    expect((error as Error).message).toMatch(/its file is as it was.*disk is full/is);
    expect((await stored()).equals(before)).toBe(true);
    const healthy = storeOn(disk());
    await healthy.append(TENANT, SESSION, two);
    expect(await healthy.load(TENANT, SESSION)).toEqual({ lines: [...one, ...two], damage: [] });
  });

  test.each(["EIO", "EDQUOT", "EROFS"])("a write that fails with %s", async (code) => {
    const { error, before } = await failing(() => ({ write: () => Promise.reject(errno(code)) }));
    expect(error).toMatchObject(failsWith(code === "EDQUOT" ? "STORAGE_FULL" : "STORAGE"));
    expect((await stored()).equals(before)).toBe(true);
  });

  test("a write that takes nothing and says nothing", async () => {
    const { error, before } = await failing(() => ({
      write: () => Promise.resolve({ bytesWritten: 0 }),
    }));
    expect(error).toMatchObject(failsWith("STORAGE"));
    expect((await stored()).equals(before)).toBe(true);
  });

  test("an fsync that fails: what it did not promise to keep is taken back", async () => {
    let syncs = 0;
    const { error, before, files } = await failing((file) => ({
      sync: () => (++syncs === 1 ? Promise.reject(errno("EIO")) : file.sync()),
    }));
    expect(error).toMatchObject(failsWith("STORAGE"));
    expect(files.done).toEqual(["write S.jsonl", "sync S.jsonl", "truncate S.jsonl", "sync S.jsonl"]);
    expect((await stored()).equals(before)).toBe(true);
  });

  test("a file that cannot even be cut back: it is logged, and the offset noted beforehand still heals it", async () => {
    const { error, before, log } = await failing((file) => ({
      write: async (bytes, offset, length) => {
        await file.write(bytes, offset, Math.floor(length / 3));
        throw errno("ENOSPC");
      },
      truncate: () => Promise.reject(errno("EIO")),
    }));
    expect(error).toMatchObject(failsWith("STORAGE_FULL"));
    expect(log.entries.map((entry) => entry.level)).toEqual(["error"]);
    const healthy = storeOn(disk());
    expect((await healthy.load(TENANT, SESSION)).damage).toHaveLength(1);
    await healthy.truncate(TENANT, SESSION, before.length);
    await healthy.append(TENANT, SESSION, two);
    expect(await healthy.load(TENANT, SESSION)).toEqual({ lines: [...one, ...two], damage: [] });
  });

  test("one failure does not hold up what was asked behind it", async () => {
    let writes = 0;
    const store = storeOn(
      disk({
        file: (file) => ({
          write: (...args) => (++writes === 1 ? Promise.reject(errno("EIO")) : file.write(...args)),
        }),
      }),
    );
    const results = await Promise.allSettled([
      store.append(TENANT, SESSION, one),
      store.append(TENANT, SESSION, two),
    ]);
    expect(results.map((r) => r.status)).toEqual(["rejected", "fulfilled"]);
    expect((await store.load(TENANT, SESSION)).lines).toEqual(two);
  });
});

describe("EL-4: save is the old file or the new one", () => {
  test("temporary file, fsync, rename, fsync of the folder, in this order", async () => {
    await storeOn(disk()).append(TENANT, SESSION, one);
    const files = disk();
    await storeOn(files).save(TENANT, SESSION, two);
    expect(files.done).toEqual(["write S.jsonl.tmp", "sync S.jsonl.tmp", "rename", "sync default"]);
    expect(await readdir(join(folder, TENANT))).toEqual([`${SESSION}.jsonl`]);
  });

  test.each<[string, Fault]>([
    ["write", { file: () => ({ write: () => Promise.reject(errno("ENOSPC")) }) }],
    ["sync", { file: () => ({ sync: () => Promise.reject(errno("ENOSPC")) }) }],
    ["rename", { rename: () => Promise.reject(errno("ENOSPC")) }],
  ])("a %s that fails leaves the old one, and nothing else", async (_, fault) => {
    await storeOn(disk()).append(TENANT, SESSION, one);
    const save = storeOn(disk(fault)).save(TENANT, SESSION, two);
    await expect(save).rejects.toMatchObject(failsWith("STORAGE_FULL"));
    expect((await storeOn(disk()).load(TENANT, SESSION)).lines).toEqual(one);
    expect(await readdir(join(folder, TENANT))).toEqual([`${SESSION}.jsonl`]);
  });

  test("what a crash left of an earlier save is written over", async () => {
    await mkdir(join(folder, TENANT), { recursive: true });
    await writeFile(
      `${path}.tmp`,
      "half a conversation from before the crash, longer than the new one".repeat(50),
    );
    const store = storeOn(disk());
    await store.save(TENANT, SESSION, one);
    expect(await store.load(TENANT, SESSION)).toEqual({ lines: one, damage: [] });
  });

  test("a conversation of several pieces is saved whole", async () => {
    const long = transcriptLines("run_1", ...Array.from({ length: 40 }, () => "x".repeat(100_000)));
    const files = disk();
    const store = storeOn(files);
    await store.save(TENANT, SESSION, long);
    expect(files.done.filter((done) => done.startsWith("write")).length).toBeGreaterThan(2);
    expect(await store.load(TENANT, SESSION)).toEqual({ lines: long, damage: [] });
  });
});

test("a file that cannot be read is told as such", async () => {
  await mkdir(path, { recursive: true });
  await expect(storeOn(disk()).load(TENANT, SESSION)).rejects.toMatchObject(failsWith("STORAGE"));
});

test("a message too large to be read back is refused before anything is written", async () => {
  const store = storeOn(disk());
  const huge = transcriptLines("run_1", "x".repeat(LIMITS.transcriptLineBytesMax));
  await expect(store.append(TENANT, SESSION, huge)).rejects.toMatchObject(failsWith("INVALID_INPUT"));
  await expect(store.save(TENANT, SESSION, [...one, ...huge])).rejects.toMatchObject(
    failsWith("INVALID_INPUT"),
  );
  expect(await store.size(TENANT, SESSION)).toBe(0);
});

test("EL-4: 50 MB, garbage longer than any message among them, load in a moment", async () => {
  const store = storeOn(disk());
  const turn = transcriptLines("run_1", "x".repeat(10_000), "y".repeat(10_000));
  await store.append(TENANT, SESSION, Array.from({ length: 400 }, () => turn).flat());
  const good = await stored();
  const garbage = Buffer.alloc(LIMITS.transcriptLineBytesMax + 10_000_000, 0x07);
  await writeFile(path, Buffer.concat([good, garbage, Buffer.from("\n"), good]));
  const { lines, damage } = await store.load(TENANT, SESSION);
  expect(lines).toHaveLength(1_600);
  expect(damage).toEqual([{ line: 801, offset: good.length, bytes: garbage.length, what: "not-a-message" }]);
});
