import { LIMITS } from "@elwood/core/base/limits";
import { NO_USAGE } from "@elwood/core/message/message";
import { expect, test } from "vitest";
import { Feeds, RunFeed, type RunEvent } from "./feed.ts";

const final = (text: string) => ({
  sessionKey: "s",
  usage: NO_USAGE,
  text,
  segments: [],
  activity: [],
  evidence: "",
  stopReason: "end_turn",
  model: "demo/scripted",
  demo: true,
});

test("seq rises by one with every event, and every listener sees the same", () => {
  const feed = new RunFeed("r", "s");
  const seen: RunEvent[] = [];
  feed.subscribe((event) => seen.push(event));
  feed.startAttempt(1);
  feed.emit("chat.delta", { text: "a" });
  feed.emit("chat.delta", { text: "b" });
  expect(seen.map((e) => e.data.seq)).toEqual([1, 2, 3]);
  expect(feed.snapshot()).toMatchObject({ seq: 3, text: "ab", status: "running" });
});

test("a run that is taken up again never hands out a number twice", () => {
  const feed = new RunFeed("r", "s");
  feed.startAttempt(2, 1_794_000_000_000);
  expect(feed.seq).toBe(1_794_000_000_001);
});

test("a snapshot and what follows it give the whole text, with nothing lost and nothing twice", () => {
  const feed = new RunFeed("r", "s");
  feed.startAttempt(1);
  for (const letter of "abc") feed.emit("chat.delta", { text: letter });
  const { text, seq } = feed.snapshot();
  let after = "";
  feed.subscribe(({ event, data }) => {
    if (event === "chat.delta" && data.seq > seq) after += (data as { text: string }).text;
  });
  for (const letter of "def") feed.emit("chat.delta", { text: letter });
  expect(text + after).toBe("abcdef");
});

test("a reset voids the text streamed so far", () => {
  const feed = new RunFeed("r", "s");
  feed.startAttempt(1);
  feed.emit("chat.delta", { text: "wrong" });
  feed.emit("chat.delta", { text: "", reset: true });
  feed.emit("chat.delta", { text: "right" });
  expect(feed.snapshot().text).toBe("right");
});

test("a snapshot holds what was thought since the last call, for whoever did not hear it", () => {
  const feed = new RunFeed("r", "s");
  feed.startAttempt(1);
  feed.emit("chat.thinking", { text: "I look " });
  feed.emit("chat.thinking", { text: "first." });
  expect(feed.snapshot()).toMatchObject({ thinking: "I look first.", text: "" });
  feed.emit("tool.started", { callId: "c1", tool: "files.file.read" });
  expect(feed.snapshot()).not.toHaveProperty("thinking");
  feed.emit("chat.thinking", { text: "Now I know." });
  feed.emit("chat.final", final("done"));
  expect(feed.snapshot()).toMatchObject({ thinking: "Now I know.", final: { text: "done" } });
});

test("after the end nothing follows, and late comers find the ending in the snapshot", () => {
  const feed = new RunFeed("r", "s");
  const seen: RunEvent[] = [];
  feed.subscribe((event) => seen.push(event));
  feed.startAttempt(1);
  feed.emit("chat.final", final("done"));
  feed.emit("chat.delta", { text: "late" });
  expect(seen.at(-1)?.event).toBe("chat.final");
  expect(feed.snapshot()).toMatchObject({ text: "done", status: "done", final: { text: "done" } });
});

test("feeds of ended runs are let go, the oldest first, and those still running are kept", () => {
  const feeds = new Feeds();
  const running = feeds.open("running", "s");
  for (let i = 0; i <= LIMITS.feedsEndedMax; i++) {
    const feed = feeds.open(`r${i}`, "s");
    feed.startAttempt(1);
    feed.emit("chat.final", final(""));
  }
  feeds.trim();
  expect(feeds.get("r0")).toBeUndefined();
  expect(feeds.get(`r${LIMITS.feedsEndedMax}`)).toBeDefined();
  expect(feeds.get("running")).toBe(running);
});

test("long answers are let go sooner: ended feeds are limited by their text as well", () => {
  const feeds = new Feeds();
  const text = "x".repeat(LIMITS.feedsEndedCharsMax / 2);
  for (const runId of ["first", "second", "third"]) {
    const feed = feeds.open(runId, "s");
    feed.emit("chat.final", final(text));
    feeds.trim();
  }
  expect(["first", "second", "third"].map((runId) => feeds.get(runId) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
});
