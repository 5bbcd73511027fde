/**
 * A process that indexes a state directory and kills itself, without warning, in the middle of
 * its n-th transaction. Started by index-damage.test.ts:
 *
 *   node test-killed-indexer.ts <home> <nth>
 */
import { join } from "node:path";
import { makeRedactor } from "@elwood/core/base/redact";
import { systemClock } from "@elwood/platform/system";
import { IndexSync } from "./index-sync.ts";
import { IndexWriter } from "./index-writer.ts";
import { openIndex } from "./open-index.ts";

const [home = "", nth = "1"] = process.argv.slice(2);
const quiet = () => undefined;
const log = { error: quiet, warn: quiet, info: quiet, debug: quiet };
const { db } = openIndex(join(home, "memory.db"), log);
let left = Number(nth);

class DyingWriter extends IndexWriter {
  override transaction<T>(work: () => T): T {
    return super.transaction(() => {
      const value = work();
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
      return value;
    });
  }
}

await new IndexSync(new DyingWriter(db), {
  home,
  tenant: "default",
  log,
  redact: makeRedactor([]),
  trashed: async () => new Set(),
  signal: new AbortController().signal,
}).sweep();
await systemClock.sleep(0);
