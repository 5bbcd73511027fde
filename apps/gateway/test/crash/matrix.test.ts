import { fileURLToPath } from "node:url";
import type { CallRow } from "@elwood/runtime/ports/gate-ports";
import { CRASH_SCENARIOS, type CrashScenario } from "@elwood/testkit/crash-scenarios";
import { buildForTest } from "@elwood/testkit/build-for-test";
import { crashTrial, type CrashTrial, type KillPoint } from "@elwood/testkit/crash-trial";
import { memoryLog } from "@elwood/testkit/memory-log";
import { worldProblems, type Effect } from "@elwood/testkit/world-count";
import { beforeAll, describe, expect, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { systemClock } from "@elwood/platform/system";
import { openStores } from "@elwood/store-sqlite/open-stores";

/**
 * A real gateway is killed at its writes, started again on what it left, and the world is
 * counted. `npm test` takes the most telling instants; `npm run crash` takes every one.
 */
const TENANT = "default";
const FULL = process.env["ELWOOD_CRASH"] === "full";
const ONLY = process.env["ELWOOD_CRASH_ONLY"];
const PARALLEL = 2;
/** How often a busy machine writes, of what it writes now and then, is not the same each time. */
const TRIES_MAX = 3;
const QUICK_MS_MAX = 12 * 60_000;
const FULL_MS_MAX = 60 * 60_000;

const QUICK: readonly (readonly [name: string, instant: string, nth?: number])[] = [
  ["allowed write", "before ledger:run.started+requested+started"],
  ["allowed write", "after ledger:run.started+requested+started"],
  ["allowed write", "after effect:crash.note.write"],
  ["asked and approved", "after ledger:run.started+requested+asked"],
  ["asked and approved", "before ledger:approved"],
  ["asked and approved", "after ledger:approved"],
  // The approval is written, and waits for the sync of the start.
  ["asked and approved", "before ledger:started"],
  ["asked and approved", "after effect:crash.doc.write"],
  ["asked and denied", "after ledger:denied"],
  ["parallel calls", "after ledger:succeeded"],
  ["repaired reply", "after effect:crash.doc.write"],
  ["owner question", "after ledger:approval.new+call.move"],
  ["owner question", "after ledger:approval.decide"],
  ["reconcile", "after effect:crash.pay.send"],
  ["idempotent", "after effect:crash.mail.send"],
  ["expired", "after ledger:run.started+requested+asked"],
  ["abort while waiting", "after ledger:denied"],
  ["granted for a while", "after ledger:requested+grant.used+started"],
  ["undone", "after effect:crash.note.write"],
  ["two sessions", "after runs.setWaiting"],
  ["asked and denied", "before ledger:reply.grounded"],
  ["allowed write", "after runs.commit"],
  ["allowed write", "after ledger:run.finished"],
  ["program that asks in the middle", "after effect:crash.note.write"],
  ["program that asks in the middle", "after ledger:requested+asked"],
  ["program with a plan", "after ledger:requested+approved"],
  ["program with a plan", "before programs.settle"],
  // While a job waits for the owner at three in the morning, and around it.
  ["job that asks", "after jobs.record"],
  ["job that asks", "after runs.setWaiting"],
  ["job that asks", "after effect:crash.doc.write"],
  ["job with a permission", "after ledger:run.started+requested+grant.used+started"],
  // Between receive and reply.
  ["telegram message", "after runs.accept"],
  ["telegram message", "before inbox.note"],
  // Between send and confirmation, of the card and of the reply.
  ["telegram message", "after outbox.mark"],
  ["telegram message", "before outbox.mark", 2],
  ["telegram message", "before ledger:reply.delivered"],
  // Between a webhook's message and the debt of its reply, and before its 202.
  ["webhook to telegram", "after runs.accept"],
  ["webhook to telegram", "before outbox.revise"],
  // Between noting that the owner is told and telling it, and after that.
  ["notified in telegram", "after channelStates.write", 2],
];

let child: string;
beforeAll(async () => {
  // Hundreds of starts: from its sources each would take three times as long.
  const built = await buildForTest(fileURLToPath(new URL("./crash-gateway.ts", import.meta.url)));
  child = built.path;
  return () => built.remove();
});

if (FULL) {
  describe("EL-14: killed at every write of", () => {
    const scenarios = CRASH_SCENARIOS.filter(
      ({ name }) =>
        ONLY === undefined || name === ONLY || (ONLY === "programs" && name.startsWith("program ")),
    );
    test.each(scenarios)("$name", { timeout: FULL_MS_MAX }, async (scenario) => {
      const quiet = await crashTrial({ scenario, child, count });
      expect(quiet.problems, "without a kill").toEqual([]);
      const points = quiet.trace.map((at) => ({ scenario, at }));
      const { problems, missed } = await tryAll(points);
      process.stdout.write(`kill points tried: ${points.length - missed.length} (${scenario.name})\n`);
      expect(problems).toEqual([]);
      // How often a partial answer is written, and when the jobs of the configuration are stored, depends on
      // the clock; everything else comes as traced.
      expect(missed.filter((each) => !/runs\.setPartial|jobs\.(?:create|change)/.test(each))).toEqual([]);
    });
  });
} else {
  test(
    `EL-14: killed at ${QUICK.length} telling instants and started again, a gateway loses and doubles nothing`,
    {
      timeout: QUICK_MS_MAX,
    },
    async () => {
      const trials = QUICK.filter(([name]) => ONLY === undefined || name === ONLY).map(
        ([name, instant, nth = 1]) => ({
          scenario: scenarioOf(name),
          at: { instant, nth },
        }),
      );
      const { problems, missed } = await tryAll(trials);
      expect(problems).toEqual([]);
      expect(missed).toEqual([]);
      process.stdout.write(`kill points tried: ${trials.length}\n`);
    },
  );
}

async function tryAll(
  trials: readonly { scenario: CrashScenario; at: KillPoint }[],
): Promise<{ problems: string[]; missed: string[] }> {
  const problems: string[] = [];
  const missed: string[] = [];
  const left = [...trials];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { scenario, at } = next;
      const name = `${scenario.name}, ${at.instant} #${at.nth}`;
      let killed = false;
      for (let tries = 0; !killed && tries < TRIES_MAX; tries++) {
        const result = await crashTrial({ scenario, at, child, count });
        killed = result.killed;
        problems.push(...result.problems.map((problem) => `${name}: ${problem}`));
      }
      if (!killed) missed.push(name);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return { problems, missed };
}

const count: CrashTrial["count"] = async (home: string, effects: readonly Effect[]) => {
  const log = memoryLog();
  const stores = await openStores({ paths: statePaths(home), clock: systemClock, log });
  try {
    const { runs } = await stores.runs.list(TENANT, { limit: 50 });
    const calls: CallRow[] = [];
    for (const run of runs) calls.push(...(await stores.ledger.callsOfRun(TENANT, run.id)).filter(isReal));
    const idempotent = new Set(["crash.mail.send"]);
    const problems = await worldProblems({
      tenant: TENANT,
      stores,
      ledger: stores.ledger,
      effects,
      idempotent,
      recovered: true,
    });
    const journals = await stores.programs.held(TENANT);
    return { problems: [...problems, ...journals.map((id) => `the journal of ${id} is still there`)], calls };
  } finally {
    await stores.close();
  }
};

/** What a rehearsal listed was not to be made. */
function isReal({ outcome }: CallRow): boolean {
  return outcome?.code !== "rehearsal";
}

function scenarioOf(name: string): CrashScenario {
  const found = CRASH_SCENARIOS.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`there is no scenario ${name}`);
  return found;
}
