import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failure, FailureError } from "@elwood/core/base/failure";
import type { WireForgetReport, WireMemoryHit, WireNote } from "@elwood/core/protocol/memory-shapes";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "./io.ts";
import { listNotes, memoryStatus, searchMemory, showMemory } from "./memory-command.ts";
import { editNote } from "./memory-command.ts";
import { forgetMemory, type ForgetFlags } from "./memory-forget.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { TEST_NOW, testGateway, type Answers } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

async function gateway(answers: Answers) {
  const { client, calls } = await testGateway(answers);
  const deps: SessionsDeps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  return { deps, calls };
}

const HIT: WireMemoryHit = {
  source: "memory/default/ada.md",
  line: 3,
  ts: TEST_NOW,
  role: "note",
  speaker: "note",
  origin: "untrusted",
  text: "Town: Oslo\u001b[31m",
  score: 7.25,
  parts: { words: 5.5, length: 1.75, names: 0 },
  before: [],
  after: [],
  remark: "since 2024-01-01",
};

const NOTE: WireNote = {
  key: "ada",
  source: "memory/default/ada.md",
  text: "- Town: Oslo\n- Town: Rome\n",
  sha256: "a".repeat(64),
  bytes: 26,
  modifiedAt: TEST_NOW,
  lines: [
    { line: 1, text: "- Town: Oslo", origin: "owner" },
    { line: 2, text: "- Town: Rome", origin: "agent" },
  ],
  facts: [
    {
      line: 1,
      text: "Town: Oslo",
      holds: true,
      against: [{ source: "memory/default/ada.md", line: 2, text: "Town: Rome" }],
    },
    { line: 2, text: "Town: Rome", holds: false, supersededBy: 1 },
  ],
};

test("notes are listed with what they begin with, and none say how to write one", async () => {
  const one = { key: "ada", source: NOTE.source, bytes: 26, modifiedAt: TEST_NOW, preview: "- Town: Oslo" };
  const { deps } = await gateway({ "memory.list": () => ({ notes: [one] }) });
  const io = testIo();
  expect(await listNotes(io, deps, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toMatch(/ada +- Town: Oslo +just now +26/);
  const empty = await gateway({ "memory.list": () => ({ notes: [] }) });
  const quiet = testIo();
  await listNotes(quiet, empty.deps, { json: false });
  expect(quiet.out()).toContain("memory edit");
});

test("a search says where each thing stands, whose it is and why it was found", async () => {
  const { deps, calls } = await gateway({ "memory.search": () => ({ hits: [HIT], notice: "Words only." }) });
  const io = testIo();
  expect(await searchMemory(io, deps, { words: "where is Ada", limit: 5, json: false })).toBe(EXIT.ok);
  expect(calls[0]!.params).toEqual({ query: "where is Ada", limit: 5 });
  expect(io.out()).toContain(
    "memory/default/ada.md#3 · note, from others, just now · 7.3 (words 5.5, length 1.8)",
  );
  expect(io.out()).toContain("since 2024-01-01");
  expect(io.out()).not.toContain("\u001b");
  expect(io.err()).toContain("Words only.");
});

test("a note is printed as it is, with what was replaced and what speaks against it", async () => {
  const { deps } = await gateway({ "memory.show": () => ({ note: NOTE }) });
  const io = testIo();
  await showMemory(io, deps, { note: "ada", json: false });
  expect(io.out()).toBe(
    "- Town: Oslo  (line 2 says: Town: Rome)\n- Town: Rome  (the assistant's words)  (replaced by line 1)\n",
  );
});

test("a place that a search named is shown by its line", async () => {
  const { deps, calls } = await gateway({
    "memory.show": () => ({
      turns: [
        {
          source: "sessions/default/s.jsonl",
          line: 7,
          ts: TEST_NOW,
          role: "user",
          speaker: "you",
          origin: "owner",
          text: "hello",
        },
      ],
    }),
  });
  const io = testIo();
  await showMemory(io, deps, { note: "sessions/default/s.jsonl#7", json: false });
  expect(calls[0]!.params).toEqual({ source: "sessions/default/s.jsonl", from: 7, to: 7 });
  expect(io.out()).toContain("hello");
});

test("the status tells what is behind and what went wrong, and ends with 1 where something did", async () => {
  const status = {
    enabled: true,
    notes: 2,
    turns: 9,
    conversations: 2,
    skipped: 1,
    bytes: 2048,
    behind: 3,
    rebuilding: false,
    lastError: "disk full",
    forgetting: 1,
    vectors: {
      model: "ollama/x",
      state: "filling",
      filled: 2,
      turns: 9,
      spent: { tokens: 5, usd: 0.01 },
      capUsd: 1,
    },
  };
  const { deps } = await gateway({ "memory.status": () => status });
  const io = testIo();
  expect(await memoryStatus(io, deps, { json: false, rebuild: false })).toBe(EXIT.failed);
  expect(io.out()).toContain("3 files behind");
  expect(io.out()).toContain("disk full");
  expect(io.out()).toContain("To be forgotten: 1 thing");
  expect(io.out()).toContain("filling, ollama/x, 2 of 9 turns");
});

describe("memory edit", () => {
  const saved = { note: NOTE, created: false, changed: true, redacted: true };

  test("saves what the editor left, unless somebody else changed the note meanwhile", async () => {
    const folder = mkdtempSync(join(tmpdir(), "elwood-editor-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const editor = join(folder, "editor");
    writeFileSync(editor, '#!/bin/sh\nprintf -- "- Cat: Minka\\n" >> "$1"\n');
    chmodSync(editor, 0o700);
    const { deps, calls } = await gateway({
      "memory.show": () => ({ note: NOTE }),
      "memory.save": () => saved,
    });
    const io = testIo({ tty: true, env: { EDITOR: editor, PATH: process.env["PATH"] } });
    expect(await editNote(io, deps, { note: "ada", json: false })).toBe(EXIT.ok);
    expect(calls[1]!.params).toEqual({
      key: "ada",
      content: `${NOTE.text}- Cat: Minka\n`,
      expected: NOTE.sha256,
    });
    expect(io.out()).toContain("Changed the note ada. Secrets in it were left out.");
  });

  test("takes the text from standard input, and knows that a note is new", async () => {
    const { deps, calls } = await gateway({
      "memory.show": () => {
        throw new FailureError(failure("NOT_FOUND", "There is no note."));
      },
      "memory.save": () => ({ ...saved, created: true, redacted: false }),
    });
    const io = testIo();
    io.type("- Cat: Minka\n");
    io.hangUp();
    expect(await editNote(io, deps, { note: "ada", json: false })).toBe(EXIT.ok);
    expect(calls[1]!.params).toMatchObject({ expected: null, content: expect.stringContaining("Minka") });
  });

  test("without an editor nothing is changed, and it is said how else", async () => {
    const { deps } = await gateway({ "memory.show": () => ({ note: NOTE }) });
    await expect(
      editNote(testIo({ tty: true, env: {} }), deps, { note: "ada", json: false }),
    ).rejects.toThrow(/EDITOR/);
  });
});

describe("memory forget", () => {
  const NOTHING = {
    notes: 0,
    noteLines: 0,
    sessions: 0,
    messages: 0,
    recalls: 0,
    summaries: 0,
    calls: 0,
    approvals: 0,
    bodies: 0,
    grants: 0,
    titles: 0,
    files: 0,
    copies: 0,
    backups: 0,
  };
  const report = (more: Partial<WireForgetReport>): WireForgetReport => ({
    done: false,
    kind: "word",
    total: 3,
    removed: { ...NOTHING, messages: 2, noteLines: 1, notes: 1 },
    places: [{ kind: "note", source: "memory/default/a.md", line: 1, text: "rhubarb" }],
    forms: ["rhubarb", "rhubarbs"],
    busy: [],
    still: [],
    searched: { files: 4, bytes: 2048 },
    unread: [],
    outOfReach: ["backups"],
    ...more,
  });
  const FLAGS: ForgetFlags = { backups: false, dryRun: false, yes: false, json: false };
  const answers = (done: Partial<WireForgetReport> = {}): Answers => ({
    "memory.forget": (params) => (params.dryRun ? report({}) : report({ done: true, ...done })),
  });

  test("shows what would go, asks, and forgets with the number that was shown", async () => {
    const { deps, calls } = await gateway(answers());
    const io = testIo({ tty: true });
    io.type("yes\n");
    expect(await forgetMemory(io, deps, { ...FLAGS, word: "rhubarb" })).toBe(EXIT.ok);
    expect(calls.map(({ params }) => params)).toEqual([
      { word: "rhubarb", dryRun: true },
      { word: "rhubarb", confirm: 3 },
    ]);
    expect(io.err()).toContain("Would be forgotten: 1 line of 1 note, 2 messages.");
    expect(io.err()).toContain("rhubarb, rhubarbs");
    expect(io.err()).toContain("these 3 things");
    expect(io.out()).toContain("it is in none of them");
    expect(io.out()).toContain("Out of reach: backups.");
  });

  test("a no forgets nothing, and a dry run only looks", async () => {
    const { deps, calls } = await gateway(answers());
    const io = testIo({ tty: true });
    io.type("n\n");
    expect(await forgetMemory(io, deps, { ...FLAGS, word: "rhubarb" })).toBe(EXIT.denied);
    expect(await forgetMemory(testIo(), deps, { ...FLAGS, word: "rhubarb", dryRun: true })).toBe(EXIT.ok);
    expect(calls.every(({ params }) => (params as { dryRun?: boolean }).dryRun)).toBe(true);
  });

  test("where nobody can be asked it takes --yes", async () => {
    const { deps } = await gateway(answers());
    await expect(forgetMemory(testIo(), deps, { ...FLAGS, word: "rhubarb" })).rejects.toThrow(/--yes/);
    const io = testIo();
    expect(await forgetMemory(io, deps, { ...FLAGS, word: "rhubarb", yes: true, json: true })).toBe(EXIT.ok);
    expect(io.json()).toMatchObject({ done: true });
  });

  test("what is still in Elwood's own files is told, and ends with 1", async () => {
    const { deps } = await gateway(answers({ still: [{ path: "elwood.db", times: 2, why: "in receipts" }] }));
    const io = testIo();
    expect(await forgetMemory(io, deps, { ...FLAGS, word: "rhubarb", yes: true })).toBe(EXIT.failed);
    expect(io.out()).toContain("elwood.db: in receipts");
  });

  test("a note, a place, a run and a session are each named their own way, and never two at once", async () => {
    const { deps, calls } = await gateway({
      ...answers(),
      "runs.get": () => {
        throw new FailureError(failure("NOT_FOUND", "There is no such run."));
      },
    });
    await forgetMemory(testIo(), deps, { ...FLAGS, note: "home", dryRun: true });
    await forgetMemory(testIo(), deps, {
      ...FLAGS,
      note: "memory/default/home.md#4",
      dryRun: true,
      backups: true,
    });
    const key = `ses_${"0".repeat(26)}`;
    await forgetMemory(testIo(), deps, { ...FLAGS, session: key, dryRun: true });
    expect(calls.map(({ params }) => params)).toEqual([
      { note: "home", dryRun: true },
      { place: { source: "memory/default/home.md", line: 4 }, backups: true, dryRun: true },
      { session: key, dryRun: true },
    ]);
    await expect(forgetMemory(testIo(), deps, { ...FLAGS, run: "run_x" })).rejects.toThrow(/no such run/);
    await expect(forgetMemory(testIo(), deps, { ...FLAGS, note: "a", word: "b" })).rejects.toThrow(
      /one thing/,
    );
    await expect(forgetMemory(testIo(), deps, FLAGS)).rejects.toThrow(/one thing/);
    await expect(forgetMemory(testIo(), deps, { ...FLAGS, note: "memory/default/home.md" })).rejects.toThrow(
      /which line/,
    );
  });
});
