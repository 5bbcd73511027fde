import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { backupName } from "../backup/backup-format.ts";
import { loadConfig } from "../config/load.ts";
import { backups } from "./backups.ts";
import type { DoctorContext } from "./finding.ts";

const DAY = 86_400_000;

/** What the check says of a home whose newest backup is so old; none where undefined. */
async function said(config: string, daysOld: number | undefined, laterDays = 0): Promise<string[]> {
  const { root } = testFolder();
  const home = join(root, "home");
  const now = Date.now() + laterDays * DAY;
  mkdirSync(join(home, "backups"), { recursive: true });
  writeFileSync(join(home, "elwood.db"), "");
  writeFileSync(join(home, "config.yaml"), config);
  if (daysOld !== undefined) writeFileSync(join(home, "backups", backupName(now - daysOld * DAY, false)), "");
  const loaded = await loadConfig({ flags: { home }, env: {}, cwd: root, userHome: root });
  const paths = statePaths(home);
  // The check looks at nothing else of its context.
  const findings = await backups.run({
    loaded,
    paths,
    clock: { now: () => now },
  } as unknown as DoctorContext);
  return findings.map(({ id, severity, what, evidence }) => `${severity} ${id}: ${what} (${evidence})`);
}

test("a schedule whose last backup is too old is a warning, one that is kept is well", async () => {
  const daily = "backup: { schedule: 0 3 * * * }";
  expect(await said(daily, 1)).toEqual([expect.stringMatching(/^ok backup\.age: .*1 day ago/)]);
  expect(await said(daily, 3)).toEqual([
    expect.stringMatching(/^warning backup\.age: The last backup is older than it should be\..*3 days ago/),
  ]);
  // Made while the clock was two years ahead.
  expect(await said(daily, -700, 4)).toEqual([expect.stringMatching(/^warning .*none was made yet/)]);
  expect(await said("backup: { schedule: 0 3 * * 0 }", 10)).toEqual([expect.stringMatching(/^ok /)]);
  // Set today, and never come yet; then for days.
  expect(await said(daily, undefined)).toEqual([expect.stringMatching(/^ok .*none was made yet/)]);
  expect(await said(daily, undefined, 4)).toEqual([expect.stringMatching(/^warning .*none was made yet/)]);
});

test("without a schedule an old or missing backup is mentioned, a new Elwood is left in peace", async () => {
  expect(await said("", undefined)).toEqual([]);
  expect(await said("", 5)).toEqual([expect.stringMatching(/^ok /)]);
  expect(await said("", 45)).toEqual([expect.stringMatching(/^info backup\.age: There is no recent backup/)]);
  expect(await said("", undefined, 45)).toEqual([expect.stringMatching(/^info .*none was made yet/)]);
});

test("a folder that is not there is an error", async () => {
  expect(await said("backup: { folder: /nowhere/disk }", undefined)).toEqual([
    expect.stringMatching(/^error backup\.folder: .*\/nowhere\/disk/),
  ]);
});
