import { describe, expect, test } from "vitest";
import { LIMITS } from "../base/limits.ts";
import type { Block, Message } from "./message.ts";
import { cutLine, foldCase, plainLine, previewFrom, snippetAround, titleFrom } from "./session-text.ts";

function message(role: Message["role"], ...blocks: (string | Block)[]): Message {
  return {
    id: "msg_1",
    ts: 1,
    role,
    origin: role === "user" ? "owner" : "model",
    blocks: blocks.map((b) => (typeof b === "string" ? { type: "text", text: b } : b)),
  };
}

describe("titles", () => {
  test("a title is the first line of what the person wrote, without Markdown or line breaks", () => {
    expect(titleFrom([message("user", "  ## Plan my\n\n\ttrip\u0000 to Oslo ")])).toBe(
      "Plan my trip to Oslo",
    );
    expect(titleFrom([message("user", "- buy milk")])).toBe("buy milk");
    expect(titleFrom([message("user", "-5 degrees, is that cold?")])).toBe("-5 degrees, is that cold?");
  });

  test("a long title ends at a word and says that it goes on", () => {
    const title = titleFrom([message("user", "please explain ".repeat(50))])!;
    expect(title.length).toBeLessThanOrEqual(LIMITS.titleFromMessageCharsMax);
    expect(title).toMatch(/explain…$|please…$/);
  });

  test("a title is never cut through an emoji or a combining mark", () => {
    const family = "👨‍👩‍👧‍👦";
    const title = titleFrom([message("user", family.repeat(30))])!;
    expect(title.replaceAll(family, "")).toBe("…");
    const accents = titleFrom([message("user", "e\u0301".repeat(60))])!;
    expect(accents.replaceAll("e\u0301", "")).toBe("…");
  });

  test("the owner's words win over what was piped in beside them", () => {
    const piped: Block = { type: "text", text: "root:x:0:0", origin: "piped" };
    expect(titleFrom([message("user", piped, "Which users exist?")])).toBe("Which users exist?");
    expect(titleFrom([message("user", piped)])).toBe("root:x:0:0");
  });

  test("a message without words gives no title", () => {
    const image: Block = { type: "image", mime: "image/png", blobId: "blob_1" };
    expect(titleFrom([message("user", image), message("assistant", "A cat.")])).toBeUndefined();
    expect(titleFrom([message("user", " \n ")])).toBeUndefined();
  });
});

test("a preview is the start of the last message that has words, tool results aside", () => {
  const result: Block = { type: "tool_result", callId: "c", status: "ok", text: "42" };
  const said = [message("user", "how many?"), message("assistant", "Let me\nlook."), message("tool", result)];
  expect(previewFrom(said)).toBe("Let me look.");
  expect(previewFrom([message("tool", result)])).toBeUndefined();
  const markdown = [
    "## The **sum** is __575.50 EUR__",
    "",
    "> see `expenses.csv`, [the list](https://example.com/a_b) and *more*",
    "",
    "| Date | What |",
    "|------|:----:|",
    "| 1 May | snake_case_name |",
    "```sh",
    "- ls 2 * 3 * 4",
    "```",
    "- [x] done",
  ].join("\n");
  expect(previewFrom([message("assistant", markdown)])).toBe(
    "The sum is 575.50 EUR see expenses.csv, the list and more Date · What 1 May · snake_case_name ls 2 * 3 * 4 done",
  );
  expect(previewFrom([message("user", "x".repeat(9_999))])!.length).toBe(LIMITS.previewCharsMax);
});

test("marks that reverse the reading direction are taken out of a line; joiners stay", () => {
  expect(plainLine("a\u202Eb\u2066c\uFEFF")).toBe("abc");
  expect(plainLine("👩\u200D💻 می\u200Cخواهم")).toBe("👩\u200D💻 می\u200Cخواهم");
  expect(plainLine("broken \uD83D surrogate")).toBe("broken \uFFFD surrogate");
});

test("folding ignores case in any script, and how an accent was typed", () => {
  expect(foldCase("STRASSE")).toBe(foldCase("straße"));
  expect(foldCase("ΟΔΟΣ")).toBe(foldCase("οδος"));
  expect(foldCase("Привет")).toBe(foldCase("ПРИВЕТ"));
  expect(foldCase("cafe\u0301")).toBe(foldCase("CAFÉ"));
  expect(foldCase("ＡＢＣ")).toBe(foldCase("abc"));
});

describe("snippets", () => {
  test("a snippet shows the match in the words as they were written", () => {
    const line = `${"before ".repeat(60)}the Needle itself ${"after ".repeat(60)}`.trim();
    const snippet = snippetAround(line, foldCase("NEEDLE"));
    expect(snippet).toContain("the Needle itself");
    expect(snippet).toMatch(/^…before/);
    expect(snippet).toMatch(/after…$/);
  });

  test("a snippet finds its place where folding changed the length of the text before it", () => {
    const line = `${"ß½ﬁ e\u0301".repeat(2_000)} 👍🏽 Nadel ${"ﬁn ".repeat(500)}`.trim();
    expect(snippetAround(line, foldCase("nadel"))).toContain("👍🏽 Nadel ");
  });

  test("a short text is its own snippet", () => {
    expect(snippetAround("hello there", "there")).toBe("hello there");
  });
});

test("a line that is short enough is not touched", () => {
  expect(cutLine("abc", 3)).toBe("abc");
  expect(cutLine("abcd", 3)).toBe("ab…");
});
