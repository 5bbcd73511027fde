import { describe, expect, test } from "vitest";
import { TaggedText, type Tagged } from "./tagged-text.ts";

/** Reads a text cut at every possible place, and joins neighbours of one kind. */
function read(text: string, size: number, callsExpected = true): Tagged[] {
  const reader = new TaggedText(callsExpected);
  const out: Tagged[] = [];
  for (let i = 0; i < text.length; i += size) out.push(...reader.take(text.slice(i, i + size)));
  out.push(...reader.end());
  const joined: Tagged[] = [];
  for (const piece of out) {
    const last = joined.at(-1);
    if (last && piece.type !== "call" && last.type === piece.type)
      joined[joined.length - 1] = { type: piece.type, text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}

const call = '<tool_call>{"name": "clock__now", "arguments": {"zone": "UTC"}}</tool_call>';

describe("tags inside text", () => {
  test.each([1, 2, 3, 7, 1_000])("calls and thinking are found however the stream is cut (%i)", (size) => {
    expect(read(`<think>hm</think>\nLet me see. ${call}${call} Done.`, size)).toEqual([
      { type: "thinking", text: "hm" },
      { type: "text", text: "Let me see. " },
      { type: "call", name: "clock__now", args: { zone: "UTC" } },
      { type: "call", name: "clock__now", args: { zone: "UTC" } },
      { type: "text", text: " Done." },
    ]);
  });

  test.each([1, 5, 100])("text that only looks like a tag is text (%i)", (size) => {
    for (const text of ["a < b and <tool> or <tool_ca", "<thin", "I <think> so", "  leading space"]) {
      expect(read(text, size)).toEqual([{ type: "text", text }]);
    }
  });

  test("a tag that holds no call is shown as it was written", () => {
    const broken = "<tool_call>{oops}</tool_call>";
    expect(read(broken, 4)).toEqual([{ type: "text", text: broken }]);
    expect(read('<tool_call>{"arguments": {}}</tool_call>', 100)).toHaveLength(1);
  });

  test("a call whose closing tag was cut off still counts, one cut in the middle does not", () => {
    expect(read('<tool_call>\n{"name": "a"}\n', 5)).toEqual([{ type: "call", name: "a", args: undefined }]);
    expect(read('<tool_call>{"name": "a', 5)).toEqual([{ type: "text", text: '<tool_call>{"name": "a' }]);
  });

  test("where no tools were offered, a quoted call is only a quotation", () => {
    expect(read(`Write ${call} then.`, 6, false)).toEqual([{ type: "text", text: `Write ${call} then.` }]);
  });

  test("thinking without an end is thinking", () => {
    expect(read("<think>on and on", 4)).toEqual([{ type: "thinking", text: "on and on" }]);
  });
});
