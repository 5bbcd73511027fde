import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "@elwood/core/message/message";
import { isEnded, type Run } from "@elwood/core/message/session";
import { commitSession } from "@elwood/runtime/run/commit";
import { RecentTranscripts } from "@elwood/runtime/run/recent-transcripts";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { StoreScript, TENANT } from "@elwood/testkit/store-script";
import { describe, expect, test } from "vitest";
import { statePaths } from "@elwood/platform/state-paths";
import { openStores, type OpenedStores } from "./open-stores.ts";

/** A real process is killed without warning at a named point; another opens what it left. */

type Open = () => Promise<OpenedStores>;

async function withHome(body: (home: string, open: Open) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "elwood-crash-"));
  const opened: OpenedStores[] = [];
  try {
    await body(home, async () => {
      const clock = new ManualClock();
      const stores = await openStores({ paths: statePaths(home), clock, log: memoryLog() });
      opened.push(stores);
      return stores;
    });
  } finally {
    for (const stores of opened) await stores.close();
    await rm(home, { recursive: true });
  }
}

/** What the process had been promised by the time it died. */
type Promised = Record<"accepted" | "ended" | "committed", string[]>;

async function killed(home: string, mode: "talk" | "recover", point: string, nth: number): Promise<Promised> {
  const script = join(import.meta.dirname, "crash-writer.ts");
  const child = spawn(process.execPath, [script, home, mode, point, String(nth)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals | null>();
  child.once("close", (_, signal) => resolve(signal));
  expect(await promise, `to have been killed at ${point}`).toBe("SIGKILL");
  const promised: Promised = { accepted: [], ended: [], committed: [] };
  for (const line of said.split("\n").filter(Boolean)) {
    const [word, runId] = line.split(" ") as [keyof Promised, string];
    promised[word].push(runId);
  }
  return promised;
}

async function allRuns(stores: OpenedStores): Promise<readonly Run[]> {
  return (await stores.runs.list(TENANT, { limit: 200 })).runs;
}

/** What holds at any instant, recovered or not: R1 to R4, and every promise that was kept. */
async function checkRules(stores: OpenedStores, promised: Promised): Promise<void> {
  const runs = await allRuns(stores);
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const id of promised.accepted) expect(byId.has(id), `accepted ${id}`).toBe(true);
  for (const id of promised.ended) expect(isEnded(byId.get(id)!.status), `ended ${id}`).toBe(true);
  for (const id of promised.committed) expect(byId.get(id)!.committed, `committed ${id}`).toBe(true);
  const active = runs.filter((run) => run.status === "running").map((run) => run.sessionId);
  expect(active).toEqual([...new Set(active)]);
  for (const run of runs) {
    const texts = (await stores.runs.journal(TENANT, run.id)).steps.map(textOf);
    const expected = [expect.stringMatching(`^question \\d of ${run.id}$`), "Let me look.", "Done."];
    if (run.status === "failed") expect(texts.pop()).toBe("Broken off.");
    expect(texts).toEqual(expected.slice(0, texts.length));
    expect(texts.length).toBeGreaterThanOrEqual(run.status === "done" ? 3 : 1);
    if (run.committed) {
      const { lines } = await stores.transcripts.load(TENANT, run.sessionId);
      expect(lines.filter((line) => line.run === run.id).length).toBeGreaterThan(1);
    }
  }
}

/** As a gateway does at its start: ends what was broken off, then writes out what has ended. */
async function recover(stores: OpenedStores): Promise<void> {
  const script = new StoreScript(stores);
  script.tick(Date.now());
  for (const run of await stores.runs.unfinished(TENANT)) {
    await stores.runs.claim(TENANT, run.id, script.tick());
    const transcriptOffset = await stores.transcripts.size(TENANT, run.sessionId);
    const end = script.ending({ status: "failed", transcriptOffset });
    await stores.runs.end(TENANT, run.id, [script.assistant("Broken off.")], end);
  }
  const recent = new RecentTranscripts(stores.transcripts);
  const deps = { stores, clock: new ManualClock(), log: memoryLog(), recent };
  for (const { run } of await stores.runs.uncommitted(TENANT)) {
    await commitSession(deps, TENANT, run.sessionId);
  }
}

/** What holds once it is recovered: every run stands in its transcript, whole and once, in the order of their ends. */
async function checkWhole(stores: OpenedStores): Promise<void> {
  const runs = (await allRuns(stores)).toReversed();
  expect(runs.every((run) => run.committed)).toBe(true);
  for (const session of (await stores.sessions.list(TENANT, { limit: 10 })).sessions) {
    const { lines, damage } = await stores.transcripts.load(TENANT, session.id);
    expect(damage).toEqual([]);
    const own = runs.filter((run) => run.sessionId === session.id);
    const steps = await Promise.all(
      own.map(async (run) => (await stores.runs.journal(TENANT, run.id)).steps),
    );
    const whole = own.flatMap((run, r) =>
      steps[r]!.map((step, i) => ({ run: run.id, i, n: steps[r]!.length, id: step.id })),
    );
    expect(lines.map(({ run, i, n, id }) => ({ run, i, n, id }))).toEqual(whole);
    expect(session.messageCount).toBe(lines.length);
    for (const run of own) expect(await stores.sessions.search(TENANT, `of ${run.id}`, 5)).toHaveLength(1);
  }
  const laps = runs.reduce((sum, run) => sum + run.laps, 0);
  expect(await stores.runs.spentSince(TENANT, 0)).toMatchObject({ costUsd: laps });
}

const WRITES = [
  "sessions.create",
  "runs.accept",
  "runs.claim",
  "runs.setPartial",
  "runs.addStep",
  "runs.end",
  "transcripts.append",
  "runs.commit",
];
const INSIDE_APPEND = [
  "file.open:after",
  "file.write:before",
  "file.write:half",
  "file.write:after",
  "file.sync:after",
];

describe("EL-4: killed while it talks, it loses and doubles nothing", { concurrent: true }, () => {
  const points: [string, number][] = [
    ...WRITES.flatMap((write): [string, number][] => [
      [`${write}:before`, 2],
      [`${write}:after`, 2],
    ]),
    ...INSIDE_APPEND.flatMap((point): [string, number][] => [
      [point, 1],
      [point, 4],
    ]),
  ];
  test.each(points)("%s, time %i", (point, nth) =>
    withHome(async (home, open) => {
      const promised = await killed(home, "talk", point, nth);
      const stores = await open();
      await checkRules(stores, promised);
      const ended = (await allRuns(stores)).filter((run) => isEnded(run.status));
      await recover(stores);
      await checkRules(stores, promised);
      await checkWhole(stores);
      // R4: recovery wrote runs out, and changed nothing else of what had ended.
      for (const run of ended) {
        expect(await stores.runs.get(TENANT, run.id)).toEqual({ ...run, committed: true });
      }
    }),
  );
});

describe(
  "EL-4: killed again while it recovers, it still loses and doubles nothing",
  { concurrent: true },
  () => {
    const points = [
      "runs.claim:after",
      "runs.end:after",
      "file.truncate:after",
      "transcripts.truncate:after",
      "file.write:half",
      "runs.commit:before",
    ];
    test.each(points)("%s", (point) =>
      withHome(async (home, open) => {
        // One session dies with half an append, the other with a message that waits.
        const promised = await killed(home, "talk", "file.write:half", 3);
        await killed(home, "recover", point, 1);
        const stores = await open();
        await checkRules(stores, promised);
        await recover(stores);
        await checkRules(stores, promised);
        await checkWhole(stores);
      }),
    );
  },
);

test("EL-4: whatever a power cut leaves behind the noted offset, the append is redone whole", () =>
  withHome(async (home, open) => {
    const stores = await open();
    const script = new StoreScript(stores);
    const { id } = await script.session();
    const first = await script.turn(id, "first", "One.");
    const offset = await stores.transcripts.size(TENANT, id);
    const path = join(statePaths(home).sessions, TENANT, `${id}.jsonl`);
    const before = await readFile(path);

    const { id: second } = await script.running(id, "second");
    await stores.runs.end(
      TENANT,
      second,
      [script.assistant("Two.")],
      script.ending({ transcriptOffset: offset }),
    );
    const { steps } = await stores.runs.journal(TENANT, second);
    await stores.transcripts.append(TENANT, id, script.lines(second, steps));
    const after = await readFile(path);
    const appended = after.subarray(offset);

    const leftovers = [
      ...Array.from({ length: appended.length }, (_, cut) => appended.subarray(0, cut)),
      Buffer.alloc(appended.length),
      Buffer.from([...appended].map((byte) => byte ^ 0xff)),
      Buffer.concat([appended, appended]),
    ];
    for (const leftover of leftovers) {
      await writeFile(path, Buffer.concat([before, leftover]));
      const [pending] = await stores.runs.uncommitted(TENANT, id);
      expect(pending).toMatchObject({ run: { id: second }, offset });
      await stores.transcripts.truncate(TENANT, id, pending!.offset);
      await stores.transcripts.append(TENANT, id, script.lines(second, steps));
      expect((await readFile(path)).equals(after)).toBe(true);
    }
    await stores.runs.commit(TENANT, second, steps, script.tick());
    const { lines, damage } = await stores.transcripts.load(TENANT, id);
    expect(lines.map((line) => line.run)).toEqual([first.id, first.id, second, second]);
    expect(damage).toEqual([]);
  }));
