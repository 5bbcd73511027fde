import type { EventData } from "@elwood/core/protocol/events";
import type { Snapshot, WireMessage } from "@elwood/core/protocol/shapes";
import { expect, test } from "vitest";
import type { Push } from "../client.ts";
import { MARK_SIGN } from "./mark-sign.ts";
import { answerOf, Turn } from "./turn.ts";
import { withCards, withoutCalls } from "./reply-parts.ts";

const now = () => 1_000;
const USAGE = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0 };

test("T1: a push that the snapshot already held does not count twice, and none is lost", () => {
  const turn = live();
  turn.push(delta(1, "One "));
  turn.catchUp({ seq: 3, text: "One two three ", calls: [], status: "running" }, []);
  turn.push(delta(2, "two "));
  turn.push(delta(3, "three "));
  turn.push(delta(4, "four"));
  expect(turn.text).toBe("One two three four");
});

test("an attempt that broke off is dropped; words before a call lead up to it", () => {
  const turn = live();
  turn.push(delta(1, "Half a try"));
  turn.push(delta(2, "", true));
  turn.push(delta(3, "Let me look."));
  turn.push(push("tool.started", { seq: 4, callId: "c1", tool: "files.file.read" }));
  turn.push(push("tool.finished", { seq: 5, callId: "c1", tool: "files.file.read", status: "succeeded" }));
  turn.push(delta(6, "", true));
  turn.push(delta(7, "It says milk."));
  expect(turn.parts).toEqual([
    { kind: "text", text: "Let me look.", isPreamble: true },
    { kind: "calls", calls: [{ callId: "c1", tool: "files.file.read", status: "succeeded" }] },
  ]);
  expect(turn.text).toBe("It says milk.");
});

test("what the gateway said in the transcript stands there once, however often the run is caught up with", () => {
  const said: WireMessage = {
    id: "m1",
    runId: "r",
    ts: 0,
    role: "assistant",
    origin: "gateway",
    content: "You asked to sum up earlier messages.",
    blocks: [],
  };
  const turn = Turn.ofMessages("r", [said], true, now);
  for (const seq of [1, 2]) turn.catchUp({ seq, text: "", calls: [], status: "running" }, [said]);
  expect(turn.parts).toEqual([{ kind: "line", text: said.content, tone: "info" }]);
});

test("why a run ended is said once, though the transcript said so before its last push came", () => {
  const why = "The model declined to answer this.";
  const said: WireMessage = {
    id: "m1",
    runId: "r",
    ts: 0,
    role: "assistant",
    origin: "gateway",
    content: why,
    blocks: [],
    meta: { error: { reason: "REFUSED", message: why } },
  };
  const turn = Turn.ofMessages("r", [said], true, now);
  turn.push(push("chat.error", { seq: 1, message: why, text: "", code: "REFUSED", activity: [] }));
  expect([...turn.parts, ...turn.ending]).toEqual([{ kind: "line", text: why, tone: "bad" }]);
});

test("a piece of thinking that comes after the first words joins what was thought before them", () => {
  const turn = live();
  turn.push(push("chat.thinking", { seq: 1, text: "I weigh " }));
  turn.push(delta(2, "Well, "));
  turn.push(push("chat.thinking", { seq: 3, text: "it." }));
  turn.push(delta(4, "yes."));
  expect(turn.parts).toEqual([{ kind: "thinking", text: "I weigh it." }]);
  expect(turn.text).toBe("Well, yes.");
});

test("a call whose input was refused is shown as refused, from a push and from a snapshot", () => {
  const call = { callId: "c1", tool: "files.file.read", status: "failed", refused: true } as const;
  const heard = live();
  heard.push(push("tool.finished", { seq: 1, ...call }));
  expect(heard.parts).toMatchObject([{ kind: "calls", calls: [{ callId: "c1", status: "refused" }] }]);
  const away = live();
  away.catchUp({ seq: 1, text: "", calls: [call], status: "running" }, []);
  expect(away.parts).toMatchObject([{ kind: "calls", calls: [{ callId: "c1", status: "refused" }] }]);
});

test("what was thought while nobody listened comes with the snapshot, once, be the run over or not", () => {
  const goesOn = live();
  goesOn.push(push("chat.thinking", { seq: 1, text: "I weigh " }));
  const snapshot: Snapshot = {
    seq: 3,
    text: "Well, ",
    thinking: "I weigh it.",
    calls: [],
    status: "running",
  };
  for (const seq of [3, 4]) goesOn.catchUp({ ...snapshot, seq }, []);
  goesOn.push(push("chat.thinking", { seq: 2, text: "it." }));
  expect(goesOn.parts).toEqual([{ kind: "thinking", text: "I weigh it." }]);
  expect(goesOn.text).toBe("Well, ");

  const over = live();
  over.push(push("chat.thinking", { seq: 1, text: "I weigh " }));
  over.push(delta(2, "Well"));
  over.catchUp({ ...snapshot, status: "done", final: finalData(3, "Well, yes.") }, []);
  expect(over.parts).toEqual([{ kind: "thinking", text: "I weigh it." }]);
  expect(over.text).toBe("Well, yes.");
});

test("what Elwood itself says stands apart from the model's words, also in a failure", () => {
  const done = live();
  done.push(
    final(1, "I could not do it. It is green.", [
      { text: "I could not do it.", by: "model" },
      { text: " It is green.", by: "model", verified: "unsupported", why: "nothing was looked up" },
      { text: "◈ Not done, you said no: x.", by: "gateway" },
    ]),
  );
  expect(done.parts).toEqual([]);
  expect(done.ending).toEqual([{ kind: "own", text: "Not done, you said no: x." }]);
  expect(done.text).toBe(
    `I could not do it. It is green. [${MARK_SIGN}◈ not verified: nothing was looked up]`,
  );
  // What is copied are the model's words.
  expect(answerOf(done)).toBe("I could not do it. It is green.");

  const failed = live();
  failed.push(
    push("chat.error", {
      seq: 1,
      sessionKey: "s",
      message: "It broke.",
      code: "INTERNAL",
      retryable: false,
      text: "",
      segments: [{ text: "◈ Not done, it failed: x.", by: "gateway" }],
      evidence: "",
    }),
  );
  expect(failed.hasReply).toBe(false);
  expect(failed.parts).toEqual([]);
  expect(failed.ending).toEqual([
    { kind: "own", text: "Not done, it failed: x." },
    { kind: "line", text: "It broke.", tone: "bad" },
  ]);
  expect(failed.state).toBe("settled");
});

test("T2: once settled, a turn does not change", () => {
  const turn = live();
  turn.push(final(5, "All of it."));
  turn.push(delta(6, " And more."));
  turn.catchUp({ seq: 9, text: "Something else", calls: [], status: "running" }, []);
  expect(turn.text).toBe("All of it.");
});

test("a run that is picked up again shows each of its steps once", () => {
  const turn = live();
  turn.push(delta(1, "Let me look."));
  turn.push(push("tool.started", { seq: 2, callId: "c1", tool: "files.file.read" }));
  const kept = [
    message("user", "owner", [{ type: "text", text: "Read it" }]),
    message("assistant", "model", [
      { type: "text", text: "Let me look." },
      { type: "tool_use", callId: "c1", toolId: "files.file.read", input: {} },
    ]),
  ];
  const calls = [{ callId: "c1", tool: "files.file.read", status: "running" as const }];
  turn.catchUp({ seq: 2, text: "Let me look.", calls, status: "running" }, kept);
  turn.catchUp({ seq: 2, text: "Let me look.", calls, status: "running" }, kept);
  expect(turn.parts).toEqual([
    { kind: "text", text: "Let me look.", isPreamble: true },
    { kind: "calls", calls },
  ]);
  expect(turn.text).toBe("");
  expect(turn.asked).toHaveLength(1);
});

test("a kept turn reads as the live one did", () => {
  const turn = Turn.ofMessages(
    "run_1",
    [
      message("user", "owner", [{ type: "text", text: "Read it" }]),
      message("user", "recalled", [{ type: "text", text: "milk is bought", origin: "recalled" }]),
      message("assistant", "model", [
        { type: "thinking", text: "Hm." },
        { type: "text", text: "Let me look." },
        { type: "tool_use", callId: "c1", toolId: "files.file.read", input: {} },
        { type: "tool_use", callId: "c2", toolId: "files.file.read", input: {} },
      ]),
      message("tool", "tool", [
        { type: "tool_result", callId: "c1", status: "ok", text: "milk" },
        { type: "tool_result", callId: "c2", status: "error", text: "no such file" },
      ]),
      message("assistant", "model", [{ type: "text", text: "It says milk. All set." }], {
        model: "anthropic/x",
        usage: USAGE,
        evidence: "1 local read",
        segments: [
          { text: "It says milk.", by: "model", cites: ["c1"], verified: "supported" },
          { text: " All set.", by: "model" },
          { text: "◈ Not done, it failed: x.", by: "gateway" },
        ],
      }),
    ],
    false,
    now,
  );
  expect(turn.parts.map(({ kind }) => kind)).toEqual(["fold", "thinking", "text", "calls", "text", "own"]);
  expect(turn.parts[4]).toMatchObject({ text: `It says milk. [${MARK_SIGN}✓ c1] All set.` });
  expect(turn.parts[3]).toMatchObject({ calls: [{ status: "succeeded" }, { status: "failed" }] });
  expect(answerOf(turn)).toBe("It says milk. All set.");
  expect(turn.evidence).toBe("1 local read");
  expect(turn.facts).toEqual({ model: "anthropic/x", tokens: 7 });
  expect(turn.articles).toBe(2);
});

test("an answer that is gone on with stands once: live, caught up with, and kept", () => {
  const said = "I set the reminder.";
  const whole = `${said}\n\nNow it is set.`;
  const turn = live();
  turn.push(delta(1, said));
  turn.push(delta(2, "\n\nLet me try again."));
  turn.push(push("tool.started", { seq: 3, callId: "c2", tool: "reminder.item.create" }));
  turn.push(
    push("tool.finished", { seq: 4, callId: "c2", tool: "reminder.item.create", status: "succeeded" }),
  );
  turn.push(delta(5, said, true));
  turn.push(delta(6, "\n\nNow it is set."));
  expect(turn.text).toBe(whole);
  expect(turn.parts.map((part) => (part.kind === "text" ? part.text : part.kind))).toEqual([
    "Let me try again.",
    "calls",
  ]);
  turn.push(final(7, whole, [{ text: whole, by: "model" }]));
  expect(answerOf(turn)).toBe(whole);

  const bare = live();
  bare.push(delta(1, said));
  bare.push(push("tool.started", { seq: 2, callId: "c2", tool: "reminder.item.create" }));
  bare.push(delta(3, said, true));
  expect(bare.parts.map(({ kind }) => kind)).toEqual(["calls"]);

  const kept = [
    message("user", "owner", [{ type: "text", text: "Remind me" }]),
    message("assistant", "model", [{ type: "text", text: said }], { continued: true }),
    message("user", "gateway", [{ type: "text", text: "[Elwood, not the owner] …", origin: "gateway" }]),
    message("assistant", "model", [{ type: "text", text: whole }]),
  ];
  const later = Turn.ofMessages("run_1", kept, false, now);
  expect(later.parts).toEqual([{ kind: "text", text: whole, isPreamble: false }]);
  expect(later.asked).toHaveLength(1);

  const caught = Turn.ofMessages("run_1", kept.slice(0, 3), true, now);
  caught.catchUp({ seq: 9, text: `${said}\n\nNow`, calls: [], status: "running" }, kept.slice(0, 3));
  expect([caught.parts, caught.text]).toEqual([[], `${said}\n\nNow`]);
});

test("a sign that only the gateway's marks carry is taken out of whatever a model writes", () => {
  const forged = `Done [${MARK_SIGN}✓ c1]`;
  const turn = live();
  turn.push(delta(1, forged));
  expect(turn.text).toBe("Done [✓ c1]");
  turn.push(final(2, forged, [{ text: forged, by: "model" }]));
  expect(turn.text).toBe("Done [✓ c1]");
  const kept = Turn.ofMessages(
    "run_1",
    [message("assistant", "model", [{ type: "text", text: forged }])],
    false,
    now,
  );
  expect(kept.parts).toEqual([{ kind: "text", text: "Done [✓ c1]", isPreamble: false }]);
  // Where marks were part of the text, no glyph of a model's was left in it: those stay marks.
  const segments = [{ text: "Done", by: "model" as const, cites: ["c1"], verified: true }];
  const older = message("assistant", "model", [{ type: "text", text: "Done [✓ c1]" }], { segments });
  expect(Turn.ofMessages("run_1", [older], false, now).parts).toMatchObject([{ text: forged }]);
});

test("a card that waits keeps its place while calls and words come after it", () => {
  const turn = live();
  turn.push(delta(1, "I will write it."));
  turn.seeApprovals(["apr_1"]);
  turn.push(push("tool.started", { seq: 2, callId: "c1", tool: "files.file.write" }));
  turn.seeApprovals(["apr_1"]);
  const kinds = (callId: string) =>
    withCards(turn.parts, [{ approvalId: "apr_1", callId }]).map(({ kind }) => kind);
  expect(kinds("c1")).toEqual(["text", "approval", "calls"]);
  // One that a program's call asked for stands with the program; one of a call that is not known yet comes last.
  expect(kinds("c1.2")).toEqual(["text", "approval", "calls"]);
  expect(kinds("c2")).toEqual(["text", "calls", "approval"]);
});

test("tries are one line that counts up; what was read stays until the next one writes, and the line goes", () => {
  const turn = live();
  const notice = (seq: number, message: string) => push("chat.notice", { seq, message, code: "NETWORK" });
  turn.push(delta(1, "Half a try"));
  turn.push(notice(2, "attempt 2 of 4"));
  turn.push(delta(3, "", true));
  turn.push(notice(4, "attempt 3 of 4"));
  expect([turn.trying, turn.text, turn.parts]).toEqual(["attempt 3 of 4", "Half a try", []]);
  turn.push(delta(5, "Whole."));
  expect([turn.trying, turn.text, turn.parts]).toEqual(["", "Whole.", []]);
});

test("T2: a turn that was followed takes what the gateway keeps where that reads otherwise, and is left alone where not", () => {
  const asked = message("user", "owner", [{ type: "text", text: "Hello" }]);
  const answer = (text: string) =>
    message("assistant", "model", [{ type: "text", text }], { model: "m", stopReason: "end_turn" });
  const same = live();
  same.push(delta(1, "All of it."));
  same.push(final(2, "All of it."));
  same.adopt([asked, answer("All of it.")]);
  expect([same.text, same.parts]).toEqual(["All of it.", []]);

  const other = live();
  other.push(final(1, "A part."));
  other.adopt([asked, answer("All of it.")]);
  expect([other.text, other.parts]).toEqual(["", [{ kind: "text", text: "All of it.", isPreamble: false }]]);
});

test("a call that was undone since is told as undone, with the evidence as it stands now", () => {
  const asked = message("user", "owner", [{ type: "text", text: "Delete it" }]);
  const call = { type: "tool_use", callId: "c1", toolId: "files.file.delete", input: {} } as const;
  const result = { type: "tool_result", callId: "c1", status: "ok", text: "Deleted." } as const;
  const kept = (ended: { ended?: "undone" }, evidence: string) => [
    asked,
    message("assistant", "model", [call]),
    message("tool", "tool", [{ ...result, ...ended }]),
    message("assistant", "model", [{ type: "text", text: "Gone." }], { evidence }),
  ];
  const turn = Turn.ofMessages("r", kept({}, "✓ Deleted a.txt"), false, now);
  turn.tellUndone(kept({ ended: "undone" }, "↩ Deleted a.txt (undone since)"));
  expect(turn.parts[0]).toMatchObject({ kind: "calls", calls: [{ callId: "c1", status: "undone" }] });
  expect(turn.evidence).toBe("↩ Deleted a.txt (undone since)");
});

test("how an answer ended is told after a reload as it was before", () => {
  const ends = (text: string, stopReason: string) => {
    const asked = message("user", "owner", [{ type: "text", text: "Hello" }]);
    const blocks = text === "" ? [] : [{ type: "text" as const, text }];
    const kept = Turn.ofMessages(
      "run_1",
      [asked, message("assistant", "model", blocks, { stopReason })],
      false,
      now,
    );
    return kept.parts.flatMap((part) => (part.kind === "line" ? [part.text] : []));
  };
  expect(ends("Hi.", "end_turn")).toEqual([]);
  const calls = message(
    "assistant",
    "model",
    [{ type: "tool_use", callId: "c1", toolId: "files.file.read", input: {} }],
    { stopReason: "tool_use" },
  );
  expect(Turn.ofMessages("run_1", [calls], true, now).parts.map(({ kind }) => kind)).toEqual(["calls"]);
  expect(ends("", "end_turn")).toEqual([expect.stringContaining("without saying anything")]);
  expect(ends("As long as", "max_tokens")).toEqual([expect.stringContaining("length limit")]);
});

test("all that was written is known, also where it leads up to a call, and how the run ended", () => {
  const turn = live();
  turn.push(delta(1, "Let me "));
  turn.push(delta(2, "look."));
  turn.push(push("tool.started", { seq: 3, callId: "c1", tool: "files.file.read" }));
  expect([turn.text, turn.written]).toEqual(["", "Let me look."]);
  turn.push(delta(4, "", true));
  expect(turn.push(delta(5, "It says"))).toBe(true);
  expect(turn.push(delta(5, "It says"))).toBe(false);
  expect(turn.written).toBe("It says");
  turn.catchUp({ seq: 9, text: "It says milk", calls: [], status: "running" }, []);
  expect([turn.written, turn.ended]).toEqual(["It says milk", undefined]);
  turn.push(final(10, "It says milk."));
  expect(turn.ended).toMatchObject({ final: { text: "It says milk." } });
});

function live(): Turn {
  const turn = Turn.ofOwner("k", { text: "Hello", files: [] }, now);
  turn.live("run_1");
  return turn;
}

function delta(seq: number, text: string, reset?: true): Push {
  return push("chat.delta", { seq, text, ...(reset ? { reset } : {}) });
}

function final(seq: number, text: string, segments: EventData<"chat.final">["segments"] = []): Push {
  return { event: "chat.final", data: finalData(seq, text, segments) };
}

function finalData(
  seq: number,
  text: string,
  segments: EventData<"chat.final">["segments"] = [],
): EventData<"chat.final"> {
  return {
    runId: "run_1",
    seq,
    sessionKey: "s",
    usage: USAGE,
    text,
    segments,
    activity: [],
    evidence: "",
    stopReason: "end",
    model: "m",
    demo: true,
  };
}

/** Tests write only the fields that matter; the rest of a push is as the wire has it. */
function push(event: Push["event"], data: Readonly<Record<string, unknown>>): Push {
  return { event, data: { runId: "run_1", ...data } } as unknown as Push;
}

function message(
  role: WireMessage["role"],
  origin: WireMessage["origin"],
  blocks: WireMessage["blocks"],
  meta?: WireMessage["meta"],
): WireMessage {
  return { id: "m", runId: "run_1", ts: 1, role, origin, content: "", blocks, ...(meta ? { meta } : {}) };
}

test("a look that finds nothing new changes nothing, and a call that waits for the owner is told by its card alone", () => {
  const message = (id: string, blocks: WireMessage["blocks"]): WireMessage => ({
    id,
    runId: "r",
    ts: 0,
    role: "assistant",
    origin: "model",
    content: "",
    blocks,
  });
  const messages = [
    message("m1", [
      { type: "text", text: "Let me see." },
      { type: "tool_use", callId: "done", toolId: "files.file.read", input: {} },
      { type: "tool_use", callId: "asked", toolId: "files.file.delete", input: {} },
    ]),
    message("m2", [{ type: "tool_result", callId: "done", status: "ok", text: "" }]),
  ];
  const turn = Turn.ofMessages("r", messages, true, now);
  const snapshot: Snapshot = { seq: 1, text: "Let me see.", calls: [], status: "waiting" };
  turn.catchUp(snapshot, messages);
  turn.seeApprovals(["apr_1"]);
  const changes = turn.changed.value;
  turn.catchUp(snapshot, messages);
  expect(turn.changed.value).toBe(changes);

  const read = { callId: "done", tool: "files.file.read", status: "succeeded" };
  const cards = [{ approvalId: "apr_1", callId: "asked" }];
  expect(withCards(withoutCalls(turn.parts, new Set(["asked"])), cards)).toEqual([
    { kind: "text", text: "Let me see.", isPreamble: true },
    { kind: "calls", calls: [expect.objectContaining(read)] },
    { kind: "approval", approvalId: "apr_1" },
  ]);
});

test("what a program did goes with its row, so that nothing is left of it that has no place", () => {
  const calls = [
    { callId: "program", tool: "program.code.run", status: "succeeded" },
    { callId: "made", tool: "files.file.read", status: "succeeded", parent: "program" },
    { callId: "other", tool: "files.file.read", status: "succeeded" },
  ];
  const parts = [{ kind: "calls" as const, calls }];
  expect(withoutCalls(parts, new Set(["program"]))).toEqual([{ kind: "calls", calls: [calls[2]] }]);
  expect(withoutCalls(parts, new Set(["program", "other"]))).toEqual([]);
  expect(withoutCalls(parts, new Set(["unknown"]))).toEqual(parts);
});

test("of a turn that was forgotten one line stays, and where the assistant was told to forget, it says that this was done", () => {
  const gone = (id: string, blocks: WireMessage["blocks"] = []): WireMessage => ({
    id,
    runId: "r",
    ts: 0,
    role: "assistant",
    origin: "model",
    content: "",
    blocks,
    meta: { forgotten: true },
  });
  const lines = (...messages: WireMessage[]) =>
    Turn.ofMessages("r", messages, false, now).parts.map((part) => ("text" in part ? part.text : part.kind));
  const call = (toolId: string) => ({ type: "tool_use" as const, callId: "c", toolId, input: {} });
  expect(lines(gone("m1", [call("files.file.read")]), gone("m2"))).toEqual([
    "What was said here was forgotten.",
  ]);
  expect(lines(gone("m1", [call("memory.note.forget")]), gone("m2"))).toEqual([
    "Forgotten, as you asked. The receipts say how much.",
  ]);
  const counted = {
    ...gone("m2"),
    meta: { forgotten: true as const, forgot: "4 messages, 2 lines of 1 note" },
  };
  expect(lines(gone("m1", [call("memory.note.forget")]), counted)).toEqual([
    "Forgotten, as you asked: 4 messages, 2 lines of 1 note.",
  ]);
});
