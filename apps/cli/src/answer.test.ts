import type { ActivityItem } from "@elwood/core/tool/activity";
import { NO_USAGE } from "@elwood/core/message/message";
import type { EventData } from "@elwood/core/protocol/events";
import { evidenceText } from "@elwood/core/grounding/evidence";
import type { Push } from "@elwood/sdk/client";
import { Turn, type RunEnding } from "@elwood/sdk/view-state/turn";
import { expect, test } from "vitest";
import { Answer, type AnswerOptions } from "./answer.ts";
import { EXIT } from "./io.ts";
import { testIo, type TestIo } from "./test-io.ts";

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
      segments: text === "" ? [] : [{ text, by: "model" as const }],
      activity: [],
      evidence: "",
      stopReason: "end_turn",
      model: "test/model",
      demo: false,
      ...more,
    },
  };
}

/** An answer and the turn that it shows; pushes are numbered as they come. */
function follow(io: TestIo, options: AnswerOptions = { stream: true, json: false }) {
  const answer = new Answer(io, options);
  const turn = Turn.ofOwner("key", { text: "", files: [] }, () => 0);
  turn.live("run_1");
  let seq = 0;
  return {
    take(push: Push): void {
      const numbered = { ...push, data: { ...push.data, seq: ++seq } } as Push;
      turn.push(numbered);
      answer.take(numbered, turn);
    },
    /** Another gateway takes the run up, where the answer stands at `text`. */
    restart(text: string): void {
      turn.catchUp({ seq: ++seq, text, calls: [], status: "running" }, []);
      answer.show(turn);
    },
    flush: () => answer.flush(),
    finish: (sessionKey: string, ending: RunEnding) => answer.finish(sessionKey, ending),
  };
}

const terminal = () => testIo({ tty: true });

function call(cite: string, status: ActivityItem["status"], more: Partial<ActivityItem> = {}): ActivityItem {
  return {
    cite,
    callId: `call_${cite}`,
    toolId: "files.file.delete",
    target: "a.txt",
    status,
    when: 1,
    receiptRef: "rcp_1",
    risk: "destructive",
    summary: "",
    ...more,
  };
}

test("an answer that begins anew with the same words goes on where it stopped", () => {
  const io = terminal();
  const answer = follow(io);
  answer.take(delta("One two"));
  answer.restart("One");
  answer.take(delta(" two three"));
  expect(answer.finish("ses_1", final("One two three"))).toBe(EXIT.ok);
  expect(io.out()).toBe("One two three\n");
});

test("a pipe gets the answer once, checked, with marks behind their sentences and Elwood's sentences last", () => {
  const io = testIo();
  const answer = follow(io);
  answer.take(delta("It says milk. I sent"));
  answer.take({ event: "tool.started", data: { ...ofRun, callId: "call_1", tool: "files.file.read" } });
  answer.take(delta("It says milk. I sent it.", true));
  expect(io.out()).toBe("");
  const segments = [
    { text: "It says milk.", by: "model" as const, cites: ["c1"], verified: "supported" as const },
    { text: " It has a date.", by: "model" as const, cites: ["c2"], verified: "unmatched" as const },
    { text: " I sent it.", by: "model" as const, verified: "unsupported" as const, why: "no call did this" },
    { text: "◈ Not done, it failed: send mail.", by: "gateway" as const },
  ];
  const text = "It says milk. It has a date. I sent it.";
  answer.finish("ses_1", final(text, { segments, evidence: "1 local read" }));
  expect(io.out()).toBe(
    "It says milk. [✓ c1] It has a date. [c2] I sent it. [not verified: Elwood has no record of this]\n\n◈ Not done, it failed: send mail.\n",
  );
  expect(io.err()).toBe(
    "[c2]: the sentence cites this call, which did not succeed or does not hold what it says.\n1 local read\n",
  );
});

test("on a terminal lines break between words, and what is held back of one comes before anything else", () => {
  const io = testIo({ tty: true, columns: 20 });
  const answer = follow(io);
  answer.take(delta("Nothing is sent unless you"));
  answer.take(delta(" say so."));
  answer.flush();
  expect(io.out()).toBe("Nothing is sent\nunless you say so.");
  answer.finish("ses_1", final("Nothing is sent unless you say so."));
  expect(io.out()).toBe("Nothing is sent\nunless you say so.\n");
});

test("on a terminal with colours Markdown is drawn, and a pipe gets it as it is", () => {
  const text = "# Garden\n\n- **Water** the `tomatoes`";
  const shown = (tty: boolean) => {
    const io = testIo({ tty, env: { NO_COLOR: "", TERM: "xterm" } });
    const answer = follow(io);
    answer.take(delta(text));
    answer.finish("ses_1", final(text));
    return io.out();
  };
  expect(shown(true)).toBe(
    "\u001b[1mGarden\u001b[22m\n\n• \u001b[1mWater\u001b[22m the \u001b[36mtomatoes\u001b[39m\n",
  );
  expect(shown(false)).toBe(`${text}\n`);
});

test("on a terminal several targets of one kind stand below each other where a line is too short for them", () => {
  const moved = [1, 2, 3].map((n) =>
    call(`c${n}`, "succeeded", {
      toolId: "files.file.move",
      risk: "write",
      target: `scan-${n}.txt to letters/2026-${n}.txt`,
    }),
  );
  const evidence = evidenceText(moved, 0);
  const told = (columns: number) => {
    const io = testIo({ tty: true, columns });
    follow(io).finish("ses_1", final("Moved.", { activity: moved, evidence }));
    return io.err();
  };
  expect(told(60)).toBe(
    [
      "✓ Moved",
      "  scan-1.txt to letters/2026-1.txt",
      "  scan-2.txt to letters/2026-2.txt",
      "  scan-3.txt to letters/2026-3.txt",
      "",
    ].join("\n"),
  );
  expect(told(200)).toBe(`${evidence}\n`);
});

test("a person sees the answer once, as it is written, and below it what Elwood adds", () => {
  const io = terminal();
  const answer = follow(io);
  answer.take(delta("It says milk. "));
  answer.take(delta("I sent it."));
  const segments = [
    { text: "It says milk.", by: "model" as const, cites: ["c1"], verified: "supported" as const },
    { text: " I sent it.", by: "model" as const, verified: "unsupported" as const },
    { text: "◈ Not done, it failed: send mail.", by: "gateway" as const },
  ];
  answer.finish("ses_1", final("It says milk. I sent it.", { segments }));
  expect(io.out()).toBe(
    "It says milk. I sent it.\n◈ not verified: Elwood has no record of this: “I sent it.”\n◈ Not done, it failed: send mail.\n",
  );
});

test("Elwood's words about an answer are in the answer's language", () => {
  const io = testIo();
  const text = "Ich habe die E-Mail an deinen Vater gesendet, und die Datei liegt im Ordner.";
  const segments = [{ text, by: "model" as const, verified: "unsupported" as const }];
  follow(io).finish("ses_1", final(text, { segments }));
  expect(io.out()).toBe(`${text} [nicht belegt: Elwood hat dazu keinen Eintrag]\n`);
});

test("an answer that begins anew with other words is written again, whole, on a line of its own", () => {
  const io = terminal();
  const answer = follow(io);
  answer.take(delta("One two"));
  answer.take(delta("One", true));
  answer.take(delta(" four"));
  expect(io.out()).toBe("One two\nOne");
  answer.take(delta(" five"));
  answer.finish("ses_1", final("One four five"));
  expect(io.out()).toBe("One two\nOne four five\n");
});

test("an answer that a later lap goes on from is not written again, whatever was said before the lap's call", () => {
  const io = terminal();
  const answer = follow(io);
  answer.take(delta("I set it."));
  answer.take(delta("\n\nLet me try again."));
  answer.take(delta("I set it.", true));
  answer.take(delta("\n\nNow it is set."));
  const text = "I set it.\n\nNow it is set.";
  answer.finish("ses_1", final(text, { segments: [{ text, by: "model" }] }));
  expect(io.out()).toBe("I set it.\n\nLet me try again.\nNow it is set.\n");
});

test("where the terminal missed a part, the answer is shown whole below", () => {
  const io = terminal();
  const answer = follow(io);
  answer.take(delta("I sent"));
  const segments = [{ text: "I sent the mail.", by: "model" as const, verified: "unsupported" as const }];
  answer.finish("ses_1", final("I sent the mail.", { segments }));
  expect(io.out()).toBe("I sent\nI sent the mail. [not verified: Elwood has no record of this]\n");
});

test("without streaming the answer comes once; an empty one leaves only its note", () => {
  const io = terminal();
  const whole = follow(io, { stream: false, json: false });
  whole.take(delta("One"));
  expect(io.out()).toBe("");
  whole.finish("ses_1", final("One two"));
  expect([io.out(), io.err()]).toEqual(["One two\n", ""]);
  const silent = testIo();
  follow(silent).finish("ses_1", final("", { note: "The model said nothing." }));
  expect([silent.out(), silent.err()]).toEqual(["", "The model said nothing.\n"]);
});

test("an answer that broke off keeps what was written and what Elwood reports", () => {
  const io = testIo();
  const error = {
    ...ofRun,
    sessionKey: "ses_1",
    message: "The model is overloaded.",
    code: "OVERLOADED",
    retryable: true,
    text: "I began.",
    segments: [
      { text: "I began.", by: "model" as const },
      { text: "◈ Not done, it failed: send mail.", by: "gateway" as const },
    ],
    evidence: "",
  };
  expect(follow(io).finish("ses_1", { error })).not.toBe(EXIT.ok);
  expect([io.out(), io.err()]).toEqual([
    "I began.\n\n◈ Not done, it failed: send mail.\n",
    'The model is overloaded.\nSend it again with: elwood -s ses_1 "…"\n',
  ]);
});

test("a failure says what the provider said, and one that may pass which command sends the message again", () => {
  const error = {
    ...ofRun,
    sessionKey: "ses_01k9zzzzzzbbbbbbbbbbbbbbb2",
    message: "It failed on its side (500). Your message is kept. Try again in a minute.",
    code: "UPSTREAM_ERROR",
    retryable: true,
    text: "",
    evidence: "",
  };
  const said = (prompt: string, more: Partial<typeof error> & { said?: string } = {}) => {
    const io = testIo();
    const answer = new Answer(io, { stream: true, json: false, prompt });
    answer.finish(error.sessionKey, { error: { ...error, ...more } });
    return io.err();
  };
  expect(said("what's up?")).toBe(
    `${error.message}\nSend it again with: elwood -s bbbbbbb2 'what'\\''s up?'\n`,
  );
  expect(said("hi", { said: "Internal explosion in shard 7" })).toContain(
    `${error.message}\nThe provider said: “Internal explosion in shard 7”\n`,
  );
  const other = testIo();
  new Answer(other, { stream: true, json: false, prompt: "hi", model: "rude/x" }).finish("ses_1", { error });
  expect(other.err()).toContain("Send it again with: elwood -s ses_1 -m rude/x 'hi'\n");
  expect(said("long ".repeat(100))).toContain('elwood -s bbbbbbb2 "…"\n');
  const wrong = { retryable: false, message: "Anthropic refused the key." };
  expect(said("hello", wrong)).toBe("Anthropic refused the key.\n");
});

test.each<[string, readonly ActivityItem[], number]>([
  ["nothing left undone", [call("c1", "succeeded")], EXIT.ok],
  ["an effect that the owner denied", [call("c1", "denied", { approval: { required: true } })], EXIT.denied],
  ["an effect that nobody allowed in time", [call("c1", "expired")], EXIT.expired],
  ["an effect that failed", [call("c1", "failed")], EXIT.denied],
  ["an effect that failed and was then done", [call("c1", "failed"), call("c2", "succeeded")], EXIT.ok],
  ["a read that was denied", [call("c1", "denied", { risk: "read", toolId: "files.file.read" })], EXIT.ok],
  [
    "a denial whose note was followed",
    [
      call("c1", "denied", { approval: { required: true, decision: "denied", noted: true } }),
      call("c2", "succeeded", { target: "b.txt" }),
    ],
    EXIT.ok,
  ],
])("the exit code tells a script of %s", (_what, activity, code) => {
  const end = final("Well.", { activity: [...activity] });
  expect(follow(testIo()).finish("ses_1", end)).toBe(code);
});

test("a model's escape sequences do not reach a terminal, and a file gets the text as it is", () => {
  const red = "\u001b[31mred";
  for (const tty of [true, false]) {
    const io = testIo({ tty });
    const answer = follow(io);
    answer.take(delta(red));
    answer.finish("ses_1", final(red));
    expect(io.out().includes("\u001b")).toBe(!tty);
  }
});

test("what a call says on its way stands behind words, not behind the id of its tool", () => {
  const io = testIo();
  const data = { ...ofRun, callId: "call_1", tool: "shell.command.run", message: "0" };
  follow(io).take({ event: "tool.progress", data });
  expect(io.err()).toBe("Running a command: 0\n");
});

test("what was recalled is named under the answer in plain words", () => {
  const io = testIo();
  const item = {
    source: "memory/default/home.md",
    line: 4,
    ts: Date.parse("2026-05-03T10:00:00Z"),
    speaker: "you",
    origin: "owner" as const,
    score: 9,
    used: true as const,
  };
  follow(io).finish("ses_1", final("A joke.", { recalled: [{ ...item, used: undefined }] }));
  expect(io.err()).not.toContain("memory");
  follow(io).finish("ses_1", final("A Volvo.", { recalled: [item] }));
  expect(io.err()).toContain("From memory: your note “home”.");
  const talk = { ...item, source: "sessions/default/ses_2.jsonl" };
  const clock = { now: () => Date.parse("2026-05-03T20:00:00Z") };
  follow(io, { stream: true, json: false, clock }).finish("ses_1", final("A Volvo.", { recalled: [talk] }));
  expect(io.err()).toContain("From memory: a conversation from today.");
});

test("what is said of a try that broke off stands on a line of its own, and the line it cut short is written again", () => {
  const io = terminal();
  const answer = follow(io);
  const notice: Push = { event: "chat.notice", data: { ...ofRun, code: "RETRY", message: "It broke." } };
  answer.take(delta("First line.\n\nHalf an"));
  answer.take(notice);
  answer.take(delta("", true));
  answer.take(delta("First line.\n\nHalf an ans"));
  answer.take(notice);
  answer.take(delta("", true));
  answer.take(delta("First line.\n\nHalf an answer is here.\n"));
  answer.flush();
  expect(io.out()).toBe("First line.\n\nHalf an\nHalf an ans\nHalf an answer is here.\n");
  expect(io.err()).toBe("It broke.\nIt broke.\n");
});
