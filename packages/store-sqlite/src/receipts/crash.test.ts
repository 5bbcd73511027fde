import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { describe, expect, test } from "vitest";
import type { StatePaths } from "@elwood/platform/state-paths";
import { testHome, testLog } from "./test-log.ts";
import { verifyReceipts } from "./verify.ts";

const kit = (clock = new ManualClock()) => ({
  clock,
  logger: memoryLog(),
  script: (ledger: Ledger) => new LedgerScript(ledger),
});

/** A real process is killed without warning; another opens what it left. */

interface Promised {
  readonly written: string[];
  readonly sealed: number[];
}

/** `enough`: kills it from outside once it has said so many lines. */
async function killed(paths: StatePaths, point: string, nth: number, enough = Infinity): Promise<Promised> {
  const script = join(import.meta.dirname, "crash-writer.ts");
  const child = spawn(process.execPath, [script, paths.home, point, String(nth)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.split("\n").length > enough) child.kill("SIGKILL");
  });
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals | null>();
  child.once("close", (_, signal) => resolve(signal));
  expect(await promise, `to have been killed at ${point}`).toBe("SIGKILL");
  // The last line may be torn: then nothing was promised by it.
  const lines = said.split("\n").slice(0, -1);
  const told = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return { written: told("written"), sealed: told("sealed").map(Number) };
}

async function holds(paths: StatePaths, promised: Promised): Promise<void> {
  const { stores, key, signer, script, clock } = await testLog(kit(), { paths });
  const check = () => verifyReceipts(stores.receiptLog, { tenant: TENANT, publicPem: key.publicPem });
  const verdict = await check();
  expect(verdict.status).toBe("intact");
  for (const id of promised.written) expect(await stores.ledger.receipt(TENANT, id), id).toBeDefined();
  const sizes = stores.receiptLog.checkpoints(TENANT).map(({ size }) => size);
  expect(sizes).toEqual(expect.arrayContaining(promised.sealed));
  // The chain and the tree go on where they were.
  signer.start(TENANT);
  clock.set(Date.now());
  await script.write([script.receipt("run.resumed")]);
  const { size } = signer.signNow(TENANT, "asked");
  expect(await check()).toMatchObject({ status: "intact", size, unsealed: 0 });
}

describe("OA-4: killed between writes, the chain still verifies and nothing promised is gone", () => {
  test.each([
    ["write:before", 1],
    ["write:after", 1],
    ["write:before", 30],
    ["write:after", 31],
    ["seal:before", 1],
    ["seal:after", 1],
    ["seal:before", 2],
  ])("%s, time %i", async (point, nth) => {
    const paths = testHome();
    await holds(paths, await killed(paths, point, nth));
  });

  test.each([7, 41, 120])(
    "from outside, in the middle of whatever it does, after %i lines",
    async (lines) => {
      const paths = testHome();
      await holds(paths, await killed(paths, "none", 1, lines));
    },
  );

  test("again and again in one state directory", async () => {
    const paths = testHome();
    const written: string[] = [];
    const sealed: number[] = [];
    for (const [point, nth] of [
      ["write:after", 20],
      ["seal:before", 1],
      ["write:before", 9],
    ] as const) {
      const promised = await killed(paths, point, nth);
      written.push(...promised.written);
      sealed.push(...promised.sealed);
    }
    await holds(paths, { written, sealed });
  });
});
