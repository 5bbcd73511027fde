import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../../test/test-gateway.ts";
import { testFolder } from "../../test/config/test-folder.ts";
import { loadConfig } from "../config/load.ts";
import { prepareHome } from "../config/first-run.ts";
import { isEncrypted } from "../backup/read-backup.ts";
import { verifyBackup } from "../backup/verify-backup.ts";
import { scheduledBackup } from "../backup/scheduled-backup.ts";
import { backupJob, makeBackup } from "./backup-job.ts";

const NOW = Date.parse("2026-11-15T03:00:00.000Z");
const DAY = 86_400_000;
const never = new AbortController().signal;

/** A home with this configuration, in which nothing runs. */
async function homeWith(config: string) {
  const { root } = testFolder();
  const home = join(root, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.yaml"), config);
  const loaded = await loadConfig({ flags: { home }, env: {}, cwd: root, userHome: root });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  await prepareHome(loaded.value);
  const at = (now: number) => makeBackup(loaded.value, { now, version: "1.2.3" }, never);
  return { root, home, loaded: loaded.value, at };
}

test("without times there is no such job; with them it makes up for a night that the machine slept", async () => {
  expect(backupJob((await homeWith("")).loaded)).toEqual([]);
  const { loaded } = await homeWith("backup: { schedule: 0 3 * * *, target: telegram:7 }");
  expect(backupJob(loaded)).toMatchObject([
    { kind: "backup", schedule: { expression: "0 3 * * *" }, catchUp: "once", target: "telegram:7" },
  ]);
});

test("a backup is made in a process of its own, the oldest go, and so does what a killed one left", async () => {
  const { home, at } = await homeWith("backup: { keep: 1 }");
  const left = [".making-old", "elwood-20260101T000000000Z.tar.gz.partial"].map((name) =>
    join(home, "backups", name),
  );
  mkdirSync(left[0]!, { recursive: true });
  writeFileSync(left[1]!, "half");
  for (const path of left) utimesSync(path, 1, 1);
  expect(await at(NOW)).toMatchObject({ ok: true });
  expect(await at(NOW + DAY)).toMatchObject({
    value: expect.stringMatching(/^Wrote .*\.gz \(.*\), read back and verified\. 1 older one was removed\.$/),
  });
  expect(readdirSync(join(home, "backups"))).toEqual(["elwood-20261116T030000000Z.tar.gz"]);
});

test("a passphrase from a file encrypts it", async () => {
  const { root, loaded } = await homeWith("");
  const passphraseFile = join(root, "words");
  writeFileSync(passphraseFile, "four quiet words here\n");
  const request = { paths: loaded.paths, passphraseFile, workFactor: 2, keep: 1, now: NOW, version: "1.2.3" };
  const { path = "" } = await scheduledBackup(request, never);
  expect(path).toMatch(/\.age$/);
  expect(await isEncrypted(path)).toBe(true);
  expect((await verifyBackup(path, { passphrase: "four quiet words here" })).header.elwood).toBe("1.2.3");
});

test("a folder that is not there is not made, since its disk may not be mounted; a passphrase that cannot be read makes none", async () => {
  const away = await homeWith("backup: { folder: ../disk }");
  expect(await away.at(NOW)).toEqual({
    ok: false,
    error: expect.stringMatching(/^No backup was made: the folder .*disk is not there\./),
  });
  expect(existsSync(join(away.root, "disk"))).toBe(false);
  const words = await homeWith("backup: { passphraseFile: ../nowhere }");
  expect(await words.at(NOW)).toEqual({
    ok: false,
    error: expect.stringMatching(/^No backup was made: the passphrase file .*nowhere cannot be read/),
  });
});

test("whoever stops in the middle leaves no backup, and learns that there is none", async () => {
  const { home, loaded } = await homeWith("");
  const stopped = AbortSignal.abort();
  expect(await makeBackup(loaded, { now: NOW, version: "1" }, stopped)).toMatchObject({ ok: false });
  expect(existsSync(join(home, "backups", "elwood-20261115T030000000Z.tar.gz"))).toBe(false);
});

test("the owner runs it from a running gateway as any job, which keeps its lock", async () => {
  const started = await startTestGateway({ config: "backup: { schedule: 0 3 * * * }" });
  onTestFinished(async () => void (await started.gateway.close()));
  const { url, ownerToken: token } = started.gateway;
  const owner = await GatewayClient.connect({ url, token });
  onTestFinished(() => owner.close());
  const run = async () => {
    const { occurrence } = await owner.call("jobs.run", { name: "elwood-backup" });
    const ended = async () =>
      (await owner.call("jobs.get", { name: "elwood-backup" })).history.find(
        ({ occurrenceId }) => occurrenceId === occurrence.occurrenceId,
      );
    await expect.poll(async () => (await ended())?.status, { timeout: 30_000 }).not.toBe("running");
    return ended();
  };
  expect(await run()).toMatchObject({
    status: "done",
    reason: expect.stringMatching(/^Wrote .*verified\.$/),
  });
  // The lock of the gateway still counts: the databases are read as those of a running one.
  expect(await run()).toMatchObject({ status: "done" });
  await expect(owner.call("jobs.rehearse", { name: "elwood-backup" })).rejects.toThrow(/asks no model/);
});
