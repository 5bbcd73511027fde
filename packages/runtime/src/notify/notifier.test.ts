import { LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import type { Approval } from "@elwood/core/policy/approval";
import { ManualClock, nextEventLoopTurn } from "@elwood/testkit/manual-clock";
import { memoryChannels } from "@elwood/testkit/memory-channels";
import { memoryLog } from "@elwood/testkit/memory-log";
import { expect, onTestFinished, test } from "vitest";
import type { ApprovalEvent } from "../gate/approvals.ts";
import { Notifier, type Notice, type QuietHours } from "./notifier.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function scene(
  options: {
    start?: number;
    quietHours?: QuietHours;
    send?: (notice: Notice) => Promise<void> | undefined;
  } = {},
) {
  const clock = new ManualClock(options.start === undefined ? {} : { start: options.start });
  const { channelStates: states } = memoryChannels();
  const pending = new Map<string, Approval>();
  const listeners = new Set<(event: ApprovalEvent) => void>();
  const told: Notice[] = [];
  const log = memoryLog();
  const notifierOf = () => {
    const notifier = new Notifier({
      tenant: "default",
      ledger: { approvals: async () => [...pending.values()] },
      approvals: {
        onEvent(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      states,
      targets: [
        { name: "broken", send: () => Promise.reject(new Error("nobody there")) },
        { name: "ledger", send: async (notice) => options.send?.(notice) ?? void told.push(notice) },
      ],
      ...(options.quietHours ? { quietHours: options.quietHours } : {}),
      clock,
      localTime: new LocalTime("UTC"),
      log,
    });
    return { notifier, ended: notifier.run() };
  };
  const begin = () => {
    const { notifier, ended } = notifierOf();
    const stop = async () => {
      notifier.stop();
      await ended;
    };
    onTestFinished(stop);
    return stop;
  };
  /** A process that dies ends nothing. */
  const beginAndDie = () => {
    const { notifier } = notifierOf();
    onTestFinished(() => notifier.stop());
  };
  const ask = async (id: string, more: Partial<Approval["card"]> = {}) => {
    const card = { kind: "approval", summary: `Do ${id}`, ...more };
    const approval = { id, createdAt: clock.now(), card } as Approval;
    pending.set(id, approval);
    for (const listener of listeners) listener({ kind: "requested", tenant: "default", approval });
    await nextEventLoopTurn();
  };
  const words = () => told.map(({ title, lines, reminder }) => [title, lines.join("; "), reminder]);
  return { clock, pending, told, words, log, begin, beginAndDie, ask };
}

test("what waits is told once, after a moment, and reminded of once", async () => {
  const { clock, begin, ask, words, told, log } = scene();
  begin();
  await ask("apr_1");
  await clock.advance(LIMITS.notifyDelayMs - 1);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(words()).toEqual([["Elwood waits for your decision", "Do apr_1", false]]);
  expect(told[0]).toMatchObject({ key: "apr_1", path: "/approvals/apr_1" });
  await clock.advance(LIMITS.notifyRemindMs);
  expect(words().slice(1)).toEqual([["Reminder: Elwood waits for your decision", "Do apr_1", true]]);
  await clock.advance(48 * HOUR);
  expect(told).toHaveLength(2);
  expect(log.entries.map(({ message }) => message)).toContain("a notification could not be sent");
});

test("what a job or a webhook asks for is told with its name", async () => {
  const { clock, begin, ask, words } = scene();
  begin();
  await ask("apr_1", { surface: "schedule", asker: "Plans" });
  await ask("apr_2", { surface: "schedule", asker: "heartbeat" });
  await ask("apr_3", { surface: "webhook", asker: "ci" });
  await clock.advance(LIMITS.notifyDelayMs);
  expect(words()).toEqual([
    [
      "3 things wait for you",
      "Do apr_1, asked by the job “Plans”; Do apr_2, asked by the heartbeat; Do apr_3, asked by the webhook “ci”",
      false,
    ],
  ]);
});

test("what is decided before anybody would be told is not told", async () => {
  const { clock, begin, ask, pending, told } = scene();
  begin();
  await ask("apr_1");
  await clock.advance(LIMITS.notifyDelayMs - 1);
  pending.clear();
  await clock.advance(HOUR);
  expect(told).toEqual([]);
  // N4
  expect(clock.sleeping).toBe(0);
});

test("ten things within a minute are told twice, not ten times", async () => {
  const { clock, begin, ask, words } = scene();
  begin();
  await ask("apr_0");
  await clock.advance(LIMITS.notifyDelayMs);
  for (let i = 1; i < 10; i++) await ask(`apr_${i}`);
  await clock.advance(LIMITS.notifyGapMs);
  expect(words()).toEqual([
    ["Elwood waits for your decision", "Do apr_0", false],
    ["9 things wait for you", "Do apr_1; Do apr_2; Do apr_3; Do apr_4; and 5 more", false],
  ]);
});

test("in quiet hours nothing rings, and what still waits at their end is told as one", async () => {
  const start = Date.UTC(2026, 10, 15, 23, 30);
  const { clock, begin, ask, words, pending } = scene({ start, quietHours: { from: 22 * 60, to: 7 * 60 } });
  begin();
  await ask("apr_1");
  await ask("apr_2");
  await ask("apr_3");
  await clock.advance(3 * HOUR);
  pending.delete("apr_2");
  await clock.advance(4 * HOUR + 29 * MINUTE);
  expect(words()).toEqual([]);
  await clock.advance(MINUTE);
  expect(words()).toEqual([["2 things wait for you", "Do apr_1; Do apr_3", false]]);
});

test("a restart repeats nothing, and forgets no reminder", async () => {
  const { clock, begin, ask, words } = scene();
  const stop = begin();
  await ask("apr_1");
  await clock.advance(LIMITS.notifyDelayMs);
  await stop();
  begin();
  await clock.untilAsleep();
  await clock.advance(HOUR);
  expect(words()).toHaveLength(1);
  await clock.advance(LIMITS.notifyRemindMs);
  expect(words().map(([, , reminder]) => reminder)).toEqual([false, true]);
});

test("what was being told when the process died is told again, under the same key, and reminded of once", async () => {
  let dies = true;
  const { clock, begin, beginAndDie, ask, words, told } = scene({
    send: () => (dies ? new Promise(() => undefined) : undefined),
  });
  beginAndDie();
  await ask("apr_1");
  await clock.advance(LIMITS.notifyDelayMs);
  expect(told).toEqual([]);
  dies = false;
  begin();
  await expect.poll(() => words()).toEqual([["Elwood waits for your decision", "Do apr_1", false]]);
  expect(told[0]).toMatchObject({ key: "apr_1" });
  await clock.untilAsleep();
  await clock.advance(HOUR);
  expect(told).toHaveLength(1);
  await clock.advance(LIMITS.notifyRemindMs);
  expect(words().map(([, , reminder]) => reminder)).toEqual([false, true]);
});
