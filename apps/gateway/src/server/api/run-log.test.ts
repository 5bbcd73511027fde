import { LIMITS } from "@elwood/core/base/limits";
import { RunFeed } from "@elwood/runtime/run/feed";
import { expect, test } from "vitest";
import { RunLog, RunLogs } from "./run-log.ts";

function watched() {
  const feed = new RunFeed("run_1", "session_1");
  const log = new RunLog(feed);
  const say = (text: string) => feed.emit("chat.delta", { text });
  const seqs = (after: number) => log.after(after)?.map(({ seq }) => seq);
  return { feed, log, say, seqs };
}

test("who comes back gets exactly what came since, and nobody gets numbers that were never told", () => {
  const { feed, say, seqs } = watched();
  feed.startAttempt(1);
  for (const word of ["one ", "two ", "three"]) say(word);
  expect(seqs(0)).toEqual([1, 2, 3, 4]);
  expect(seqs(2)).toEqual([3, 4]);
  expect(seqs(4)).toEqual([]);
  expect(seqs(5)).toBeUndefined();
});

test("text that is still a draft is not told, then or later", () => {
  const { feed, say, seqs } = watched();
  say("one ");
  feed.hold();
  say("draft");
  expect(seqs(0)).toEqual([1]);
  expect(seqs(2)).toEqual([]);
});

test("no more than a limit is kept, of events and of characters; who is further behind is told that some are gone", () => {
  const many = watched();
  for (let i = 0; i <= LIMITS.runLogEventsMax; i++) many.say("x");
  expect(many.seqs(0)).toBeUndefined();
  expect(many.seqs(1)).toHaveLength(LIMITS.runLogEventsMax);
  const long = watched();
  for (let i = 0; i < 3; i++) long.say("x".repeat(LIMITS.runLogCharsMax / 2));
  expect(long.seqs(1)).toBeUndefined();
  expect(long.seqs(2)).toEqual([3]);
});

test("a reader waits for the next event, and no longer than it is there or anything can come", async () => {
  const { feed, log, say } = watched();
  const gone = new AbortController();
  const next = log.next(gone.signal);
  say("one");
  await next;
  const left = log.next(gone.signal);
  gone.abort();
  await left;
  const last = log.next(new AbortController().signal);
  feed.emit("chat.error", {
    sessionKey: "session_1",
    code: "TIMEOUT",
    message: "no",
    retryable: false,
    text: "",
    evidence: "",
  });
  await last;
  expect(log.ended).toBe(true);
  await log.next(new AbortController().signal);
});

test("the logs of the runs that were watched last are kept, so many of them", () => {
  const feeds = new Map<string, RunFeed>();
  const logs = new RunLogs(feeds);
  expect(logs.of("unknown")).toBeUndefined();
  for (let i = 0; i <= LIMITS.runLogsMax; i++) feeds.set(`run_${i}`, new RunFeed(`run_${i}`, "session_1"));
  const [first, second] = [logs.of("run_0"), logs.of("run_1")];
  for (let i = 2; i < LIMITS.runLogsMax; i++) logs.of(`run_${i}`);
  expect(logs.of("run_0")).toBe(first);
  logs.of(`run_${LIMITS.runLogsMax}`);
  feeds.clear();
  expect(logs.of("run_0")).toBe(first);
  expect(second).toBeDefined();
  expect(logs.of("run_1")).toBeUndefined();
});
