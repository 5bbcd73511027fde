import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Log } from "@elwood/runtime/ports/ports";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { statePaths } from "@elwood/platform/state-paths";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { readStoredSessions } from "./stored-sessions.ts";

const silent: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

function home() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-stored-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = statePaths(folder);
  return { paths, open: () => openStores({ paths, clock: new ManualClock(), log: silent }) };
}

const id = (n: number) => `ses_01k9zzzzzzaaaaaaaaaaaaaaa${n}`;

test("sessions and the trash are read beside a gateway that has the database open", async () => {
  const { paths, open } = home();
  const stores = await open();
  for (const n of [1, 2, 3]) {
    await stores.sessions.create("default", { id: id(n), agentId: "assistant", title: `Title ${n}`, at: n });
  }
  await stores.sessions.create("other", { id: id(4), agentId: "assistant", title: "Not yours", at: 4 });
  await stores.sessions.trash("default", id(2), 50);
  expect(readStoredSessions(paths.database, "live", 10).map((s) => s.title)).toEqual(["Title 3", "Title 1"]);
  expect(readStoredSessions(paths.database, "live", 1)).toHaveLength(1);
  expect(readStoredSessions(paths.database, "deleted", 10)).toEqual([
    { sessionKey: id(2), title: "Title 2", updatedAt: 2, deletedAt: 50 },
  ]);
  await stores.close();
});

test("reading leaves no file behind where no gateway runs", async () => {
  const { paths, open } = home();
  const stores = await open();
  await stores.sessions.create("default", { id: id(1), agentId: "assistant", title: "One", at: 1 });
  await stores.close();
  const before = readdirSync(paths.home);
  expect(readStoredSessions(paths.database, "live", 10)).toHaveLength(1);
  expect(readdirSync(paths.home)).toEqual(before);
});

test("there are none where there is no database, and none is made", () => {
  const { paths } = home();
  expect(readStoredSessions(paths.database, "live", 10)).toEqual([]);
  expect(readdirSync(paths.home)).toEqual([]);
});

test("what is not a database is an error, not an empty list", () => {
  const { paths } = home();
  writeFileSync(paths.database, "this is no database, but it is long enough to be taken for one".repeat(20));
  expect(() => readStoredSessions(paths.database, "live", 10)).toThrow(/not a database/);
});
