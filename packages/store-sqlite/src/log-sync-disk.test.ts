import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase, query } from "./database.ts";

/** Writes one row at a time, in the way it is told to, and answers what came of it. */
const DATABASE = JSON.stringify(new URL("./database.ts", import.meta.url).href);
const MODULE = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e"];
const WRITER = `
  import { openDatabase } from ${DATABASE};
  const db = openDatabase(process.argv[1]);
  db.exec("CREATE TABLE t (a INTEGER) STRICT");
  db.groupWhile(() => true);
  process.on("message", async ({ way, a }) => {
    try {
      await db[way](() => void db.run("INSERT INTO t VALUES (?)", a));
      process.send({ a, told: "stored" });
    } catch (error) {
      process.send({ a, told: error.failure.message });
    }
  });
  process.on("disconnect", () => process.exit());
  process.send("ready");
`;

async function scene() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-sync-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "elwood.db");
  const child = spawn(process.execPath, [...MODULE, WRITER, path], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  const answers = new Map<number, string>();
  child.on("message", ({ a, told }: { readonly a: number; readonly told: string }) => answers.set(a, told));
  let next = 1;
  const begin = (way: "transaction" | "unsynced" | "grouped") => {
    const a = next++;
    child.send({ way, a });
    const answer = () => answers.get(a);
    return { answer, told: () => expect.poll(answer, { timeout: 20_000 }) };
  };
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return {
    path,
    begin,
    kill,
    /** Every sync of the process fails from now on. */
    breaks: async (error: "EIO" | "ENOSPC") => {
      const calls = "fsync,fdatasync";
      const how = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}`, "-o", "/dev/null"];
      const tracer = spawn("strace", ["-f", "-p", String(child.pid), ...how], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      onTestFinished(() => void tracer.kill("SIGKILL"));
      await once(tracer.stderr, "data");
      return async () => {
        tracer.kill("SIGINT");
        await once(tracer, "exit");
      };
    },
    /** What is there once the process has died. */
    left: async () => {
      await kill();
      const db = openDatabase(path);
      const rows = db.all(query<{ a: number }>("SELECT a FROM t ORDER BY a")).map(({ a }) => a);
      db.close();
      return rows;
    },
  };
}

const canTrace = spawnSync("strace", ["-e", "trace=none", "true"]).status === 0;

test.skipIf(!canTrace)(
  "after a sync of SQLite's own that failed nothing is written any more (needs strace)",
  async () => {
    const { begin, breaks, left } = await scene();
    await begin("unsynced").told().toBe("stored");
    const mend = await breaks("EIO");
    await begin("transaction")
      .told()
      .toMatch(/not certain that this was stored/);
    await mend();
    for (const way of ["transaction", "unsynced", "grouped"] as const)
      await begin(way)
        .told()
        .toMatch(/not certain that this was stored.*start Elwood again/);
    // The second may be there or not, as it was told; none of those that were refused is.
    expect((await left()).filter((a) => a !== 2)).toEqual([1]);
  },
);

test.skipIf(!canTrace)(
  "what a full disk keeps waiting is stored once there is room, and so is what comes afterwards (needs strace)",
  async () => {
    const { begin, breaks, left } = await scene();
    await begin("grouped").told().toBe("stored");
    const mend = await breaks("ENOSPC");
    const waits = begin("grouped");
    // The sync of the one before it may not have failed yet; once it has, others are refused.
    await expect
      .poll(async () => {
        const other = begin("unsynced");
        await other.told().toBeTypeOf("string");
        return other.answer();
      })
      .toBe("Nothing was stored. The disk is full. Free some space and try again.");
    expect(waits.answer()).toBeUndefined();
    await mend();
    await waits.told().toBe("stored");
    await begin("transaction").told().toBe("stored");
    await begin("grouped").told().toBe("stored");
    expect(await left()).toEqual(expect.arrayContaining([1, 2]));
  },
);

test.skipIf(!canTrace)(
  "what a process that was killed left in the log is synced before it is read (needs strace)",
  async () => {
    const { begin, kill, path } = await scene();
    await begin("unsynced").told().toBe("stored");
    await kill();
    const syncs = (file: string) => {
      const opens = `import { openDatabase } from ${DATABASE}; openDatabase(process.argv[1]).close();`;
      const node = [process.execPath, ...MODULE, opens, file];
      const { stderr } = spawnSync("strace", ["-f", "-y", "-e", "trace=fdatasync,pread64", ...node]);
      return String(stderr)
        .split("\n")
        .filter((line) => line.includes("elwood.db-wal>"))
        .map((line) => /(fdatasync|pread64)\(/.exec(line)?.[1]);
    };
    expect(syncs(path)[0]).toBe("fdatasync");
    // Closed in order, it left no log behind.
    expect(syncs(path)).not.toContain("pread64");
  },
);
