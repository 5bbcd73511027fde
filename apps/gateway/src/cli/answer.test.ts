import { NO_USAGE } from "@elwood/core/message";
import type { EventData } from "@elwood/core/protocol/events";
import type { Push } from "@elwood/sdk/client";
import { expect, test } from "vitest";
import { Answer } from "./answer.ts";
import { EXIT } from "./io.ts";
import { testIo } from "./test-io.ts";

const ofRun = { runId: "run_1", seq: 1 };

function delta(text: string, reset?: boolean): Push {
  return { event: "chat.delta", data: { ...ofRun, text, ...(reset ? { reset } : {}) } };
}

function final(text: string, more: Partial<EventData<"chat.final">> = {}) {
  return {
    final: {
      ...ofRun,
      sessionKey: "ses_1",
      usage: NO_USAGE,
      text,
      segments: [],
      activity: [],
      evidence: "No tool ran for this reply.",
      stopReason: "end_turn",
      model: "test/model",
      demo: false,
      ...more,
    },
  };
}

const streaming = { stream: true, json: false };

test("an answer that begins anew with the same words goes on where it stopped", () => {
  const io = testIo();
  const answer = new Answer(io, streaming);
  answer.take(delta("One two"));
  answer.restart("One");
  answer.take(delta(" two three"));
  expect(answer.finish("ses_1", final("One two three"))).toBe(EXIT.ok);
  expect(io.out()).toBe("One two three\n");
});

test("once a tool was called, only the reply that was held against receipts is written, and once", () => {
  const io = testIo();
  const answer = new Answer(io, streaming);
  answer.take({ event: "tool.started", data: { ...ofRun, callId: "call_1", tool: "files.file.read" } });
  answer.take(delta("It says milk [c1]."));
  expect(io.out()).toBe("");
  answer.finish("ses_1", final("It says milk. [✓ c1]"));
  expect(io.out()).toBe("It says milk. [✓ c1]\n");
  const later = testIo();
  const resumed = new Answer(later, streaming);
  resumed.restart("It says", true);
  resumed.finish("ses_1", final("It says milk. [✓ c1]"));
  expect(later.out()).toBe("It says milk. [✓ c1]\n");
});

test("an answer that begins anew with other words is written again, whole, on a line of its own", () => {
  const io = testIo();
  const answer = new Answer(io, streaming);
  answer.take(delta("One two"));
  answer.take(delta("One", true));
  answer.take(delta(" four"));
  expect(io.out()).toBe("One two\nOne four");
  answer.finish("ses_1", final("One four five"));
  expect(io.out()).toBe("One two\nOne four five\n");
});

test("the final text is the truth: what was streamed and differs is shown again", () => {
  const io = testIo();
  const answer = new Answer(io, streaming);
  answer.take(delta("I sent the mail."));
  answer.finish("ses_1", final("I could not verify that the mail was sent."));
  expect(io.out()).toBe("I sent the mail.\nI could not verify that the mail was sent.\n");
});

test("without streaming the answer comes once; an empty one leaves only its note", () => {
  const io = testIo();
  const whole = new Answer(io, { stream: false, json: false });
  whole.take(delta("One"));
  expect(io.out()).toBe("");
  whole.finish("ses_1", final("One two"));
  expect(io.out()).toBe("One two\n");
  const silent = testIo();
  new Answer(silent, streaming).finish("ses_1", final("", { note: "The model said nothing." }));
  expect([silent.out(), silent.err()]).toEqual([
    "",
    "The model said nothing.\nNo tool ran for this reply.\n",
  ]);
});

test("a model's escape sequences do not reach a terminal, and a file gets the text as it is", () => {
  const red = "\u001b[31mred";
  for (const tty of [true, false]) {
    const io = testIo({ tty });
    const answer = new Answer(io, streaming);
    answer.take(delta(red));
    answer.finish("ses_1", final(red));
    expect(io.out().includes("\u001b")).toBe(!tty);
  }
});

test("where words of others, private things and an effect came together, the answer says so under its evidence", () => {
  const io = testIo();
  const all = { untrustedInput: true, privateData: true, sideEffect: true, unasked: 1 };
  new Answer(io, streaming).finish("ses_1", final("Sent.", { ruleOfTwo: all }));
  expect(io.err()).toContain("1 of its effects ran unasked");
  const other = testIo();
  new Answer(other, streaming).finish("ses_1", final("Sent.", { ruleOfTwo: { ...all, privateData: false } }));
  expect(other.err()).not.toContain("This run read");
});

test("what was recalled is named under the answer, with place, day and speaker", () => {
  const io = testIo();
  const item = {
    source: "memory/default/home.md",
    line: 4,
    ts: Date.parse("2026-05-03T10:00:00Z"),
    speaker: "you",
    origin: "owner" as const,
    score: 9,
  };
  new Answer(io, streaming).finish("ses_1", final("A Volvo.", { recalled: [item] }));
  expect(io.err()).toContain("From memory: memory/default/home.md#4 (2026-05-03, you).");
});
