/**
 * A whole gateway that kills itself, without warning, at the instant it is told: right
 * before or right after a named write (see write-points.ts) or a tool's effect. Started by
 * tests, and by nothing else:
 *
 *   ELWOOD_HOME=… CRASH_EFFECTS=<file> [CRASH_AT="after ledger:started" CRASH_NTH=1] [CRASH_TRACE=<file>]
 *
 * It prints where it can be reached as one line of JSON. With CRASH_TRACE it writes down
 * every write it makes, by name, in order. With CRASH_SPEED its time passes so much faster, from CRASH_SINCE on.
 */
import { appendFileSync } from "node:fs";
import type { Clock } from "@elwood/runtime/ports/ports";
import { withWritePoints } from "@elwood/runtime/ports/write-points";
import { loadConfig } from "../../src/config/load.ts";
import { startGateway } from "../../src/gateway.ts";
import { makeLog } from "../../src/log/log.ts";
import { systemClock } from "@elwood/platform/system";
import { crashTools, type AtPoint } from "./crash-tools.ts";

const { env } = process;
const clock = clockAt(Number(env["CRASH_SPEED"] ?? 1), Number(env["CRASH_SINCE"] ?? 0));
let left = Number(env["CRASH_NTH"] ?? 1);

// Whoever started it is gone: nobody needs it any more.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));

const loaded = await loadConfig({ flags: { port: 0 }, env, cwd: process.cwd() });
if (!loaded.ok) throw new Error(loaded.error.map((problem) => problem.text).join("\n"));
const { log, learnSecrets } = makeLog({
  stream: process.stderr,
  level: "warn",
  format: "json",
  clock: systemClock,
  color: false,
});
const atPoint: AtPoint = async (name, act) => {
  reach(`before ${name}`);
  const value = await act();
  reach(`after ${name}`);
  return value;
};
const gateway = await startGateway({
  loaded: loaded.value,
  version: "crash",
  mode: "up",
  clock,
  log,
  learnSecrets,
  extraTools: [{ source: "built-in", tools: crashTools(env["CRASH_EFFECTS"] ?? "", atPoint) }],
  wrapStores: (stores) => withWritePoints(stores, { write: atPoint }),
});
process.stdout.write(`${JSON.stringify({ url: gateway.url, token: gateway.ownerToken })}\n`);
process.once("SIGTERM", () => void gateway.close().then(() => process.exit(0)));

function clockAt(speed: number, since: number): Clock {
  if (speed === 1) return systemClock;
  return {
    now: () => since + (systemClock.now() - since) * speed,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}

function reach(instant: string): void {
  if (env["CRASH_TRACE"]) appendFileSync(env["CRASH_TRACE"], `${instant}\n`);
  if (instant !== env["CRASH_AT"]) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}
