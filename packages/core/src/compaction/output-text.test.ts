import { expect, test } from "vitest";
import { frameUntrusted } from "../message/untrusted-frame.ts";
import { CUT_NOTE, cutOutput, outputParts, saysWhereToGoOn, isResultOf } from "./output-text.ts";

const LINES = Array.from({ length: 1_000 }, (_, i) => `line ${i + 1}`).join("\n");
const ACTIVITY = "\n\nAlso on record, from Elwood's receipts:\n[c1] test.page.read: done";

test("a result that is too long is shown by its beginning and its end, with a handle for the rest outside of the frame", () => {
  const framed = frameUntrusted(LINES, "0123456789abcdef");
  const shown = cutOutput({ callId: "call_1", text: `${framed}${ACTIVITY}` }, 400, "session.result.read");
  const [, inside, note] = /^\[untrusted 0123\]\n(.*)\n\[end 0123\]\n(\[This output[^\n]*\])/s.exec(shown)!;
  const [head, tail] = inside!.split("\n[…]\n");
  expect(LINES.startsWith(head!.trimEnd())).toBe(true);
  expect(LINES.endsWith(tail!)).toBe(true);
  expect(inside!.length).toBeLessThan(420);
  const [, from, to, offset] = /Those from (\d+) to (\d+) are left out.* offset (\d+)/.exec(note!)!;
  expect(from).toBe(offset);
  expect(LINES.slice(0, Number(from))).toBe(head!.endsWith("\n") ? head : `${head}\n`);
  expect(LINES.slice(Number(to))).toBe(tail);
  expect(shown.endsWith(ACTIVITY)).toBe(true);
});

test("a result that fits is the same text, and no character is cut in two", () => {
  expect(cutOutput({ callId: "c", text: "short" }, 400, undefined)).toBe("short");
  for (let chars = 40; chars < 60; chars++) {
    const shown = cutOutput({ callId: "c", text: "😀".repeat(500) }, chars, undefined);
    expect(shown.isWellFormed()).toBe(true);
  }
});

test("without a tool to read on, the model is told to ask for less", () => {
  expect(cutOutput({ callId: "c", text: LINES }, 400, undefined)).toContain(
    "make the call again for a smaller part",
  );
});

test("offsets count the characters that the tool said, without frame and activity", () => {
  const framed = frameUntrusted("abc", "0123456789abcdef");
  expect(outputParts(`${framed}\n[cut]${ACTIVITY}`)).toMatchObject({
    frame: { inner: "abc", after: "\n[cut]" },
    activity: ACTIVITY,
  });
});

test("an output that is only a beginning, and says where to go on, is cut with one note and one way to go on", () => {
  const goesOn = "[The file goes on. Read it from line 1425 with offset 1425.]";
  const framed = frameUntrusted(`${LINES}\n${goesOn}`, "0123456789abcdef");
  const kept = `${framed}${CUT_NOTE}`;
  const shown = cutOutput({ callId: "call_1", text: `${kept}${ACTIVITY}` }, 400, "session.result.read");
  expect(shown.match(/\boffset \d+/g)).toHaveLength(1);
  expect(shown).not.toContain("[The output was longer");
  const [, inside, offset] =
    /\]\n(.*)\n\[end 0123\]\n\[This output .* call "call_1", offset (\d+)\.\]\n\nAlso/s.exec(shown)!;
  expect(LINES.slice(0, Number(offset))).toBe(inside);
  // Whoever reads on comes to where the file goes on.
  expect(outputParts(kept).frame.inner.slice(Number(offset)).endsWith(goesOn)).toBe(true);
});

test("a result that has a number is named by it, where to read on and when it is asked for", () => {
  const block = { callId: "call_1", cite: "c3", text: LINES };
  expect(cutOutput(block, 400, "session.result.read")).toContain('session.result.read: call "c3", offset ');
  expect(isResultOf("c3", block)).toBe(true);
  expect(isResultOf("call_1", block)).toBe(true);
  expect(isResultOf("c1", block)).toBe(false);
});

test("only a last line in brackets with an offset says where to go on", () => {
  expect(saysWhereToGoOn("a\n[The text goes on: 9 characters in all. Go on with offset 3.]")).toBe(true);
  for (const text of ["a", "[1, 2]", "[offset 3.]\nb", "see offset 3."])
    expect(saysWhereToGoOn(text)).toBe(false);
});
