import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { EXIT } from "./io.ts";
import { showSession } from "./sessions-show.ts";
import { TEST_NOW, testGateway, wireSession } from "./test-gateway.ts";
import { testIo, type TestIo } from "./test-io.ts";

const SESSION = wireSession({ sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2", title: "Tax letter" });

async function show(
  messages: readonly WireMessage[],
  more: Partial<MethodResult<"sessions.get">> = {},
  io: TestIo = testIo(),
  json = false,
): Promise<TestIo> {
  const shown = { session: SESSION, messages: [...messages], runs: [], damage: [], ...more };
  const { client } = await testGateway({
    "sessions.list": () => ({ sessions: [SESSION] }),
    "sessions.get": () => shown,
  });
  const deps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  expect(await showSession(io, deps, { session: "tax", json })).toBe(EXIT.ok);
  return io;
}

function message(role: WireMessage["role"], blocks: WireMessage["blocks"], meta?: WireMessage["meta"]) {
  const origin = role === "user" ? "owner" : role === "tool" ? "tool" : "model";
  const one: WireMessage = { id: "m", runId: "r", ts: TEST_NOW, role, origin, content: "", blocks };
  return meta ? { ...one, meta } : one;
}

const said = (text: string) => ({ type: "text" as const, text });

test("show prints who said what and when, each call folded to one line with its result", async () => {
  const io = await show([
    message("user", [said("Read the letter"), { type: "text", text: "Dear Sir", origin: "piped" }]),
    message("assistant", [
      { type: "thinking", text: "hm" },
      said("I look.\n\nOne moment."),
      { type: "tool_use", callId: "c1", toolId: "files.file.read", input: { path: "letter.txt" } },
      { type: "tool_use", callId: "c2", toolId: "files.file.read", input: { path: "x".repeat(400) } },
      {
        type: "tool_use",
        callId: "c3",
        toolId: "files.file.move",
        input: { from: "a.txt", to: "old/a.txt" },
      },
      { type: "tool_use", callId: "c4", toolId: "mail.message.send", input: { who: "Anna", text: "Hi" } },
      { type: "tool_use", callId: "c5", toolId: "files.file.delete", input: { path: "b.txt" } },
    ]),
    message("tool", [
      { type: "tool_result", callId: "c1", status: "ok", text: "Dear Sir,\nplease pay." },
      { type: "tool_result", callId: "c2", status: "error", text: "There is no such file." },
      {
        type: "tool_result",
        callId: "c3",
        status: "error",
        ended: "denied",
        text: "Denied by the owner; nothing was done.",
      },
      {
        type: "tool_result",
        callId: "c4",
        status: "error",
        ended: "denied",
        text: "Blocked by a rule; the owner was not asked.",
      },
      { type: "tool_result", callId: "c5", status: "error", ended: "expired", text: "Nobody decided." },
    ]),
    message("assistant", [said("You owe nothing.")]),
  ]);
  const lines = io.out().split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "Tax letter",
    `${SESSION.sessionKey} · agent assistant · begun Sun 2026-11-15 08:00 · 2 messages`,
  ]);
  expect(lines.slice(2)).toEqual([
    "",
    "You · Sun 2026-11-15 09:00",
    "  Read the letter",
    "  (piped)",
    "  Dear Sir",
    "",
    "Assistant · Sun 2026-11-15 09:00",
    "  I look.",
    "",
    "  One moment.",
    "  ✓ Read a file letter.txt → done",
    expect.stringMatching(/^ {2}✗ Read a file x+… → failed: There is no such file\.$/),
    "  ⊘ Move a file a.txt to old/a.txt → denied, nothing was done",
    "  ⊘ Send mail message who: Anna, text: Hi → blocked by a rule, nothing was done",
    "  ⌛ Delete a file b.txt → nobody answered in time, nothing was done",
    "",
    "  You owe nothing.",
    "",
  ]);
  expect(io.err()).toBe("");
});

test("show folds the same call several times in a row, also over several rounds, into one line that counts", async () => {
  const write = (callId: string, path: string) => [
    message("assistant", [{ type: "tool_use", callId, toolId: "files.file.write", input: { path } }]),
    message("tool", [{ type: "tool_result", callId, status: "ok", text: `Wrote ${path}${callId}.` }]),
  ];
  const io = await show([
    message("user", [said("Keep my list")]),
    ...write("c1", "todo.md"),
    ...write("c22", "todo.md"),
    ...write("c3", "todo.md"),
    ...write("c4", "out.md"),
    message("assistant", [said("Done.")]),
  ]);
  const lines = io.out().split("\n");
  expect(lines.filter((line) => line.includes("→"))).toEqual([
    "  ✓ Write a file todo.md ×3 → done",
    "  ✓ Write a file out.md → done",
  ]);
  expect(lines.filter((line) => line.startsWith("Assistant"))).toHaveLength(1);
  // What the owner and the assistant wrote; the rounds between model and tools are none of it.
  expect(lines[1]).toMatch(/ · 2 messages$/);
});

test("show names a program by its purpose, and a tool that there is none of as such, without text for the model", async () => {
  const io = await show([
    message("assistant", [
      {
        type: "tool_use",
        callId: "c1",
        toolId: "program.code.run",
        input: { purpose: "Rename 20 photos", source: "const l = must(await tools.files.file.list({}));" },
      },
      { type: "tool_use", callId: "c2", toolId: "nothing.here", input: { a: 1 } },
      { type: "tool_use", callId: "c3", toolId: "shell.command.run", input: { argv: ["false"] } },
    ]),
    message("tool", [
      { type: "tool_result", callId: "c1", status: "ok", text: "[]" },
      {
        type: "tool_result",
        callId: "c2",
        status: "error",
        ended: "refused",
        text: 'There is no tool "nothing.here". Nothing was done. There are: files.file.read.',
      },
      { type: "tool_result", callId: "c3", status: "ok", exitCode: 1, text: "[exit code 1]" },
    ]),
    message("assistant", [
      { type: "compaction", summary: "They want photos renamed.", from: "a", to: "b" },
      said("Done."),
    ]),
  ]);
  expect(io.out().split("\n").slice(4)).toEqual([
    "  ✓ Run a program “Rename 20 photos” → done",
    "  ⊘ An unknown tool nothing.here → nothing was done",
    "  ↯ Run a command false → ended with code 1",
    "",
    "  Done.",
    "",
  ]);
});

test("show draws Markdown on a terminal and breaks lines between words", async () => {
  const io = await show(
    [
      message("user", [said("Which *one* is the best of all of them?")]),
      message("assistant", [said("It is the **Heron**, *of course*, since it is blue.\n\n- one\n- two")]),
    ],
    {},
    testIo({ tty: true, columns: 30, env: { NO_COLOR: "", FORCE_COLOR: "1", TERM: "xterm" } }),
  );
  const [, , ...lines] = stripVTControlCharacters(io.out()).split("\n");
  expect(lines).toEqual([
    "",
    "You · Sun 2026-11-15 09:00",
    "  Which *one* is the best of",
    "  all of them?",
    "",
    "Assistant · Sun 2026-11-15 09:00",
    "  It is the Heron, of course,",
    "  since it is blue.",
    "",
    "  • one",
    "  • two",
    "",
  ]);
});

test("show says once of a turn that it was forgotten", async () => {
  const forgotten = { forgotten: true } as const;
  const io = await show([
    message("user", [], forgotten),
    message(
      "assistant",
      [{ type: "tool_use", callId: "c1", toolId: "files.file.read", input: {} }],
      forgotten,
    ),
    message("tool", [{ type: "tool_result", callId: "c1", status: "ok", text: "" }], forgotten),
    message("assistant", [], forgotten),
  ]);
  expect(io.out().match(/\(What was said here was forgotten\.\)/g)).toHaveLength(2);
  expect(io.out()).not.toContain("Read a file");
  const counted = { forgotten: true, forgot: "4 messages, 2 lines of 1 note" } as const;
  const asked = await show([message("user", [], counted), message("assistant", [], counted)]);
  expect(asked.out()).toContain("\n  (Forgotten, as you asked: 4 messages, 2 lines of 1 note.)\n");
});

test("show tells of a stopped answer, a failed one, and one that is still being written", async () => {
  const io = await show(
    [
      message("assistant", [said("Half")], { aborted: true }),
      message("assistant", [], { error: { reason: "OVERLOADED", message: "The model is overloaded." } }),
    ],
    {
      runs: [
        {
          runId: "r",
          sessionKey: SESSION.sessionKey,
          status: "running",
          surface: "cli",
          attempt: 1,
          queuedAt: TEST_NOW,
          usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
          laps: 0,
          calls: 0,
        },
      ],
    },
  );
  expect(io.out()).toContain("(You stopped the answer here.)");
  expect(io.out()).toContain("(Ended early: The model is overloaded.)");
  expect(io.out()).toContain("An answer is being written.");
});

test("show prints a reply with its marks and Elwood's sentences, and what it went on from only as part of it", async () => {
  const note = message("user", [{ type: "text", text: "[Elwood, not the owner] …", origin: "gateway" }]);
  const io = await show([
    message("user", [said("Send it")]),
    message("assistant", [said("Sent.")], { continued: true }),
    { ...note, origin: "gateway" },
    message("assistant", [said("Sent.\n\nIt failed.")], {
      segments: [
        { text: "Sent.", by: "model", verified: "unsupported", why: "that call did not succeed" },
        { text: "\n\nIt failed.", by: "model" },
        { text: "◈ Not done, it failed: send mail.", by: "gateway" },
      ],
      evidence: "◈ 1 statement is not verified",
    }),
  ]);
  expect(io.out().split("Assistant · ")[1]?.split("\n").slice(1, 7)).toEqual([
    "  Sent. [not verified: Elwood has no record of this]",
    "",
    "  It failed.",
    "",
    "  ◈ Not done, it failed: send mail.",
    "  ◈ 1 statement is not verified",
  ]);
  expect(io.out().split("You · ")).toHaveLength(2);
});

test("show reports lines of the file that could not be read, and where they stand", async () => {
  const io = await show([message("user", [said("hi")])], {
    damage: [
      { line: 3, offset: 400, bytes: 20, what: "not-json" },
      { line: 9, offset: 900, bytes: 5, what: "torn" },
    ],
  });
  expect(io.err()).toContain("2 lines of this conversation's file could not be read");
  expect(io.err()).toContain("line 3 (not JSON), line 9 (cut off)");
  expect(io.err()).toContain(`sessions/default/${SESSION.sessionKey}.jsonl`);
  expect(io.out()).toContain("hi");
});

test("show lets no escape sequence of an answer reach the terminal", async () => {
  const io = await show(
    [message("assistant", [said("safe\u001b[2J\u009b31m\u202etext")])],
    {},
    testIo({ tty: true }),
  );
  expect(io.out()).toContain("safe[2J31mtext");
});

test("show says how to begin an empty session", async () => {
  expect((await show([])).out()).toContain(`Begin with: elwood -s ${SESSION.sessionKey} "hello"`);
});

test("show --json is what the gateway answered, damage included", async () => {
  const damage = [{ line: 3, offset: 400, bytes: 20, what: "torn" }];
  const io = await show([message("user", [said("hi")])], { damage }, testIo(), true);
  expect(io.json()).toMatchObject({ session: SESSION, damage, messages: [{ blocks: [said("hi")] }] });
});
