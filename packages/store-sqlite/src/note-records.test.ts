import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { statePaths } from "@elwood/platform/state-paths";
import { expect, onTestFinished, test } from "vitest";
import { openStores } from "./open-stores.ts";

test("what is put on record before a note is written shares its sync with others that are at work", async () => {
  const home = mkdtempSync(join(tmpdir(), "elwood-notes-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const stores = await openStores({ paths: statePaths(home), clock: new ManualClock(), log: memoryLog() });
  onTestFinished(() => stores.close());
  const { noteCopies, noteOrigins } = stores;
  const known = () => [noteCopies.get(TENANT, "call")?.key, noteOrigins.of(TENANT, "- a line")];
  stores.shareSyncsWhile(() => true);
  const put = Promise.all([
    noteOrigins.put(TENANT, "- a line", { origin: "untrusted", at: 1 }),
    noteCopies.put(TENANT, "call", { key: "home", before: null, afterSha: "sha" }, 1),
  ]);
  expect(known()).toEqual([undefined, "owner"]);
  await put;
  expect(known()).toEqual(["home", "untrusted"]);
});
