import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  appendFileSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makeRedactor, type Redactor } from "@elwood/core/base/redact";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { describe, expect, onTestFinished, test } from "vitest";
import { INDEX_LIMITS } from "./index/limits.ts";
import { ANSWER, filesOf, found, indexScene, line, query, START } from "./index/test-index-scene.ts";

describe("what is found", () => {
  test("words of the owner and of the model, with file, line, session and whose they are", async () => {
    const { open, say } = indexScene();
    say("ses_a", "The dentist is on Rua Augusta", "I will remember the dentist.");
    const index = open();
    const [hit] = await index.search(query("where is the dentist on Rua Augusta"));
    expect(hit?.turn).toMatchObject({
      source: "sessions/default/ses_a.jsonl",
      line: 1,
      session: "ses_a",
      run: "run_1",
      role: "user",
      speaker: "you",
      origin: "owner",
      text: "The dentist is on Rua Augusta",
    });
    expect(await index.get("sessions/default/ses_a.jsonl", 2, 2)).toMatchObject([
      { role: "assistant", speaker: "Elwood", origin: "agent", line: 2 },
    ]);
  });

  test("notes by bullet, under their headings, with their lines", async () => {
    const { open, write } = indexScene();
    write("home", "# Home\n\n## Network\n- The router stands in the hall\n- The cellar is damp\n");
    const index = open();
    const [hit] = await index.search(query("where is the router"));
    expect(hit?.turn).toMatchObject({
      source: "memory/default/home.md",
      line: 4,
      role: "note",
      origin: "owner",
      text: "Home › Network: The router stands in the hall",
    });
    expect((await index.get("memory/default/home.md", 5, 5)).map(({ text }) => text)).toEqual([
      "Home › Network: The cellar is damp",
    ]);
  });

  test("nothing of what tools returned, the model thought, Elwood said or memory gave back", async () => {
    const { open, say, transcript } = indexScene();
    say("ses_a", "hello there");
    const result = { type: "tool_result", callId: "c", status: "ok", text: "marzipan from a tool" } as const;
    appendFileSync(transcript("ses_a"), line("", { role: "tool", origin: "tool", blocks: [result] }));
    appendFileSync(
      transcript("ses_a"),
      line("", { ...ANSWER, blocks: [{ type: "thinking", text: "marzipan thought" }] }),
    );
    appendFileSync(
      transcript("ses_a"),
      line("marzipan by the gateway", { role: "assistant", origin: "gateway" }),
    );
    const recalled = { type: "text", text: "marzipan of last year", origin: "recalled" } as const;
    appendFileSync(
      transcript("ses_a"),
      line("", { blocks: [{ type: "text", text: "hello again" }, recalled] }),
    );
    const index = open();
    expect(await found(index, "marzipan")).toEqual([]);
    expect(index.status()).toMatchObject({ turns: 2, skipped: 0 });
  });

  test("what was piped in beside the owner's words never counts as theirs", async () => {
    const { open, say, transcript } = indexScene();
    say("ses_a", "hello");
    const blocks = [
      { type: "text", text: "Summarise this", origin: "owner" },
      { type: "text", text: "The invoice is due on Friday", origin: "piped" },
    ] as const;
    appendFileSync(transcript("ses_a"), line("", { blocks: [...blocks] }));
    const [hit] = await open().search(query("invoice Friday"));
    expect(hit?.turn).toMatchObject({ origin: "untrusted", line: 2, text: "The invoice is due on Friday" });
  });

  test("Japanese, though it has no spaces", async () => {
    const { open, say } = indexScene();
    say("ses_a", "東京タワーの近くに住んでいます");
    const index = open();
    await index.start();
    const tri = index.read((db) =>
      db.prepare("SELECT rowid FROM turns_tri WHERE turns_tri MATCH 'タワー'").all(),
    );
    expect(tri).toHaveLength(1);
  });

  test("a very long message in parts, each of them a turn on the same line", async () => {
    const { open, say } = indexScene();
    say("ses_a", `${"word ".repeat(4_000)} walnut at the end`);
    const index = open();
    const [hit] = await index.search(query("walnut"));
    expect(hit?.turn.line).toBe(1);
    expect(hit!.turn.text.length).toBeLessThanOrEqual(8_000);
    expect(index.status().turns).toBeGreaterThan(2);
    // Most of it still stands in the log.
    expect(index.status().bytes).toBeGreaterThan(20_000);
  });
});

describe("files that change", () => {
  test("one that grew is read on, not anew, and a half-written line waits for its end", async () => {
    const { open, say, transcript } = indexScene();
    say("ses_a", "first things first");
    const index = open();
    await index.start();
    const before = index.read((db) => db.prepare("SELECT id FROM turns").all());
    const whole = line("a parrot called Otto");
    appendFileSync(transcript("ses_a"), whole.slice(0, 40));
    await index.sweep();
    expect(await found(index, "parrot Otto")).toEqual([]);
    appendFileSync(transcript("ses_a"), whole.slice(40));
    await index.sweep();
    expect(await found(index, "parrot Otto")).toEqual(["a parrot called Otto"]);
    const after = index.read((db) => db.prepare("SELECT id FROM turns").all());
    expect(after.slice(0, before.length)).toEqual(before);
    expect(index.status().skipped).toBe(0);
  });

  test("one that was edited by hand is read anew, and only that one", async () => {
    const { open, say, transcript } = indexScene();
    say("ses_a", "my bicycle is red", "Noted.");
    say("ses_b", "my kayak is green");
    const index = open();
    await index.start();
    const idOf = (words: string) =>
      index.read((db) => db.prepare("SELECT id FROM turns WHERE text LIKE ?").get(`%${words}%`)?.["id"]);
    const kayak = idOf("kayak");
    writeFileSync(transcript("ses_a"), readFileSync(transcript("ses_a"), "utf8").replace("red", "blue"));
    await index.sweep();
    expect(await found(index, "bicycle red blue")).toContain("my bicycle is blue");
    expect(idOf("is red")).toBeUndefined();
    expect(idOf("kayak")).toBe(kayak);
  });

  test("one that was cut or deleted takes its turns along", async () => {
    const { open, say, write, transcript, note } = indexScene();
    say("ses_a", "apricots", "plums");
    say("ses_b", "quinces");
    write("fruit", "- medlars\n");
    const index = open();
    await index.start();
    truncateSync(transcript("ses_a"), line("apricots").length);
    rmSync(transcript("ses_b"));
    rmSync(note("fruit"));
    await index.sweep();
    expect(await found(index, "quinces medlars plums")).toEqual([]);
    expect(index.status()).toMatchObject({ conversations: 1, notes: 0 });
  });

  test("a torn line is left out and told, and what stands behind it is found", async () => {
    const { open, say, transcript, complaints } = indexScene();
    say("ses_a", "before the storm");
    appendFileSync(transcript("ses_a"), '{"v":1,"id":"msg_x","ru\n');
    say("ses_a", "behind the storm");
    const index = open();
    expect(await found(index, "behind the storm")).toContain("behind the storm");
    expect((await index.get("sessions/default/ses_a.jsonl", 3, 3))[0]?.text).toBe("behind the storm");
    expect(index.status().skipped).toBe(1);
    expect(complaints).toEqual(["lines of a conversation that hold no message were left out of the index"]);
  });

  test("a link is followed nowhere, neither by a sweep nor when it is named", async () => {
    const { home, open, write, note, transcript, say } = indexScene();
    write("a", "- cherries\n");
    say("ses_a", "plums");
    writeFileSync(join(home, "diary.txt"), "- walrus\n");
    symlinkSync(join(home, "diary.txt"), note("link"));
    symlinkSync(transcript("ses_a"), transcript("ses_b"));
    const index = open();
    await index.start();
    await index.refresh("memory/default/link.md");
    await index.refresh("sessions/default/ses_b.jsonl");
    expect(await found(index, "walrus plums")).toEqual(["plums"]);
  });

  test("one with the same size and time is not opened", async () => {
    const { open, write, note } = indexScene();
    write("a", "- cherries\n");
    utimesSync(note("a"), 1_000, 1_000);
    const index = open();
    await index.start();
    writeFileSync(note("a"), "- currants\n");
    utimesSync(note("a"), 1_000, 1_000);
    await index.sweep();
    expect(await found(index, "cherries")).toHaveLength(1);
  });

  test("a change is noticed without a sweep, once for changes that come close together", async () => {
    const { gatherMs, gatherMaxMs, sweepMs } = INDEX_LIMITS;
    const clock = new ManualClock({ start: START });
    const { open, say, write } = indexScene({ clock });
    say("ses_a", "hello");
    const index = open();
    await index.start();
    const indexed: number[] = [];
    const first = new Promise<void>((resolve) =>
      index.onIndexed(() => {
        indexed.push(clock.now());
        resolve();
      }),
    );
    write("pets", "- The cat is called Mia\n");
    write("plants", "- The fern stands in the hall\n");
    // The system reports a change in its own time. Until nothing more comes, what came is gathered.
    for (let waited = 0; indexed.length === 0 && waited <= gatherMaxMs; waited += gatherMs) {
      await Promise.race([first, clock.untilAsleep((ms) => ms === gatherMs)]);
      await clock.advance(gatherMs);
    }
    await first;
    expect(indexed).toHaveLength(1);
    expect(await found(index, "cat Mia")).toHaveLength(1);
    expect(await found(index, "fern")).toHaveLength(1);
    expect(clock.now()).toBeLessThan(START + sweepMs);
  });
});

describe("the trash", () => {
  test("what lies there is not found, and is found again when it was restored", async () => {
    const { open, say, trash } = indexScene();
    say("ses_a", "the code of the gate is under the mat");
    const index = open();
    expect(await found(index, "code of the gate")).toHaveLength(1);
    trash.add("ses_a");
    void index.sessionTrashed("ses_a");
    expect(await found(index, "code of the gate")).toEqual([]);
    await index.settled();
    expect(index.status().turns).toBe(0);
    await index.sweep();
    expect(index.status().turns).toBe(0);
    trash.delete("ses_a");
    void index.sessionRestored("ses_a");
    expect(await found(index, "code of the gate")).toHaveLength(1);
  });

  test("what was put there while nobody looked is gone with the first sweep", async () => {
    const { open, say, trash } = indexScene();
    say("ses_a", "the code of the gate");
    const first = open();
    await first.start();
    await first.close();
    trash.add("ses_a");
    expect(await found(open(), "code of the gate")).toEqual([]);
  });
});

describe("own appends", () => {
  test("are found by the next search, without a look at the rest of the file", async () => {
    const { open, say, transcript } = indexScene();
    say("ses_a", "one");
    const index = open();
    await index.start();
    for (const text of ["the owl sleeps by day", "the badger digs at night"]) {
      const from = statSync(transcript("ses_a")).size;
      appendFileSync(transcript("ses_a"), line(text));
      const to = statSync(transcript("ses_a")).size;
      index.transcriptChanged({ tenant: "default", sessionId: "ses_a", what: "appended", from, to });
    }
    expect(await found(index, "owl")).toEqual(["the owl sleeps by day"]);
    expect(await found(index, "badger")).toEqual(["the badger digs at night"]);
    expect(index.status()).toMatchObject({ turns: 3, behind: 0 });
    await index.sweep();
    expect(index.status().turns).toBe(3);
  });

  test("an edit by hand that an append hid is found out by the next sweep", async () => {
    const { open, say, transcript } = indexScene();
    say("ses_a", "the lake is cold");
    const index = open();
    await index.start();
    const from = statSync(transcript("ses_a")).size;
    writeFileSync(transcript("ses_a"), readFileSync(transcript("ses_a"), "utf8").replace("cold", "warm"));
    appendFileSync(transcript("ses_a"), line("more"));
    const to = statSync(transcript("ses_a")).size;
    index.transcriptChanged({ tenant: "default", sessionId: "ses_a", what: "appended", from, to });
    await index.settled();
    await index.sweep();
    expect(await found(index, "lake")).toContain("the lake is warm");
    expect(index.status().turns).toBe(2);
  });

  test("one that does not fit what is known makes the file be read", async () => {
    const { open, transcript, say } = indexScene();
    const index = open();
    await index.start();
    say("ses_new", "a heron at the pond", "Beautiful.");
    const to = statSync(transcript("ses_new")).size;
    index.transcriptChanged({ tenant: "default", sessionId: "ses_new", what: "appended", from: 30, to });
    expect(await found(index, "heron")).toContain("a heron at the pond");
    expect(index.status().turns).toBe(2);
  });
});

test("what searches keep is given back at rest, and what is said afterwards is found all the same", async () => {
  const { open, say } = indexScene();
  say("ses_a", "The boiler was serviced in March");
  const index = open();
  expect(await found(index, "boiler")).toHaveLength(1);
  index.rest();
  expect(await found(index, "boiler")).toHaveLength(1);
  index.rest();
  say("ses_b", "The boiler leaks");
  await index.sweep();
  expect(await found(index, "boiler")).toHaveLength(2);
});

test("a secret that becomes known later leaves the index, and its bytes", async () => {
  const secrets = new Set<string>();
  const redact: Redactor = (text) => makeRedactor(secrets)(text);
  const { open, say, path } = indexScene({ redact });
  say("ses_a", "the alarm code is swordfish-4711", "I will not tell.");
  say("ses_b", "nothing of that kind");
  const index = open();
  expect(await found(index, "alarm code")).toEqual(["the alarm code is swordfish-4711"]);
  secrets.add("swordfish-4711");
  await index.redactAgain();
  expect(await found(index, "alarm code")).toEqual(["the alarm code is [redacted]"]);
  for (const end of ["", "-wal"]) expect(readFileSync(`${path}${end}`).includes("swordfish")).toBe(false);
  expect(index.status().turns).toBe(3);
});

test("files of another tenant are not read", async () => {
  const { open, home, say } = indexScene();
  say("ses_a", "mine");
  const other = filesOf(home);
  other.say("../other/ses_b", "somebody else's juniper");
  expect(await found(open(), "juniper")).toEqual([]);
});

test("recalls of some conversations at once start no thread, and find what is said meanwhile", async () => {
  const { index, say, threads, recall } = await boilerScene();
  const ask = async () => (await index.search(recall)).map(({ turn }) => turn.text).toSorted();
  const some = INDEX_LIMITS.mainThreadSearchesPerSecond - 1;
  const asked = await Promise.all(Array.from({ length: some }, ask));
  expect(new Set(asked.flat())).toEqual(new Set(["The boiler is in the cellar"]));
  say("ses_b", "The boiler is in the attic now");
  await index.sweep();
  expect(await ask()).toEqual(["The boiler is in the attic now", "The boiler is in the cellar"]);
  expect(threads()).toBe(0);
});

test("where many more search within a second a thread takes over, and finds the same, also what is said meanwhile", async () => {
  const { index, say, threads, recall } = await boilerScene();
  const first = await index.search(recall);
  for (let at = 1; at < INDEX_LIMITS.mainThreadSearchesPerSecond; at += 1) await index.search(recall);
  expect(threads()).toBe(0);
  // It is being started; those that come until then do not wait for it.
  for (let at = 0; at < 200; at += 1) expect(await index.search(recall)).toEqual(first);
  expect(threads()).toBe(1);
  say("ses_b", "The boiler is in the attic now");
  await index.sweep();
  expect(await index.search(recall)).toHaveLength(2);
  expect(threads()).toBe(1);
});

/** One fact, a recall that finds it, and how many threads were started since. */
async function boilerScene() {
  const { open, say } = indexScene();
  say("ses_a", "The boiler is in the cellar");
  const index = open();
  await index.start();
  const threads = startedThreads();
  const recall = query("where is the boiler", { forRecall: true });
  return { index, say, threads, recall };
}

/** How many threads were started since. */
function startedThreads(): () => number {
  let count = 0;
  const note = () => void (count += 1);
  subscribe("worker_threads", note);
  onTestFinished(() => void unsubscribe("worker_threads", note));
  return () => count;
}
