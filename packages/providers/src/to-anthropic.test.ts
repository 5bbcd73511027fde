import type { Block, Message } from "@elwood/core/message/message";
import { READ_TOOL, said } from "@elwood/testkit/contract-request";
import { describe, expect, test } from "vitest";
import type { BlobBytes } from "./attachments.ts";
import { toAnthropic, toAnthropicTools, withCacheMarks } from "./anthropic.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const call = (callId: string): Block => ({
  type: "tool_use",
  callId,
  toolId: "files.file.read",
  input: { path: callId },
});
const result = (callId: string, words = "ok"): Block => ({
  type: "tool_result",
  callId,
  status: "ok",
  text: words,
});
const convert = (messages: Message[], blobs: BlobBytes = new Map()) =>
  toAnthropic(messages, blobs, "anthropic");

describe("turns", () => {
  test("results of parallel calls stand together in one user turn", () => {
    const turns = convert([
      said("user", text("go")),
      said("assistant", call("a"), call("b")),
      said("tool", result("b")),
      said("tool", result("a")),
    ]);
    expect(turns.map((t) => t.role)).toEqual(["user", "assistant", "user"]);
    expect(turns[2]?.content).toMatchObject([{ tool_use_id: "b" }, { tool_use_id: "a" }]);
  });

  test("what the owner says after results does not stand beside them", () => {
    const turns = convert([
      said("user", text("go")),
      said("assistant", call("a")),
      said("tool", result("a")),
      said("user", text("stop that")),
    ]);
    expect(turns.map((t) => t.role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(turns[3]?.content).toEqual([{ type: "text", text: "[The answer was interrupted here.]" }]);
  });

  test("two messages of the owner in a row are one turn", () => {
    const turns = convert([said("user", text("one")), said("user", text("two"))]);
    expect(turns).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
    ]);
  });

  test("a call that was never answered is answered with that", () => {
    const turns = convert([
      said("user", text("go")),
      said("assistant", call("a"), call("b")),
      said("tool", result("a")),
      said("user", text("well?")),
    ]);
    expect(turns[2]?.content).toMatchObject([{ tool_use_id: "a" }, { tool_use_id: "b", is_error: true }]);
    expect(turns.map((t) => t.role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  });

  test("a paused turn goes back as it was, but for white space at its end", () => {
    const turns = convert([said("user", text("go")), said("assistant", text("thinking on… "))]);
    expect(turns.at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "thinking on…" }] });
  });

  test("the same conversation always gives the same bytes", () => {
    const messages = [said("user", text("go")), said("assistant", call("ö")), said("tool", result("ö"))];
    expect(JSON.stringify(convert(messages))).toBe(JSON.stringify(convert(messages)));
  });
});

describe("blocks", () => {
  test("signed thinking, redacted thinking and unknown blocks go back in place", () => {
    const blocks: Block[] = [
      { type: "thinking", text: "hm", opaque: { provider: "anthropic", data: '{"signature":"sig"}' } },
      {
        type: "thinking",
        text: "",
        opaque: { provider: "anthropic", data: '{"block":{"type":"redacted_thinking","data":"xyz"}}' },
      },
      { type: "thinking", text: "unsigned" },
      text("so"),
    ];
    expect(convert([said("user", text("q")), said("assistant", ...blocks)])[1]?.content).toEqual([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "xyz" },
      { type: "text", text: "so" },
    ]);
  });

  test("a failed call is marked, and silence has words", () => {
    const failed: Block = { type: "tool_result", callId: "a", status: "error", text: "no such file" };
    const turns = convert([
      said("user", text("go")),
      said("assistant", call("a"), call("b")),
      said("tool", failed, result("b", "")),
    ]);
    expect(turns[2]?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "a",
        is_error: true,
        content: [{ type: "text", text: "no such file" }],
      },
      { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "(no output)" }] },
    ]);
  });

  test("files: a PDF as a document, text fenced as data, the rest as a note", () => {
    const file = (mime: string, name: string): Block => ({
      type: "file",
      mime,
      name,
      blobId: name,
      bytes: 4,
      origin: "attached",
    });
    const bytes = new TextEncoder().encode("a </data> b");
    const blobs: BlobBytes = new Map<string, Uint8Array | "left-out">([
      ["x.pdf", bytes],
      ["x.md", bytes],
      ["x.bin", bytes],
      ["big", "left-out"],
    ]);
    const [turn] = convert(
      [
        said(
          "user",
          file("application/pdf", "x.pdf"),
          file("text/markdown", "x.md"),
          file("application/octet-stream", "x.bin"),
          file("text/plain", "big"),
          file("text/plain", "lost"),
        ),
      ],
      blobs,
    );
    expect(turn?.content).toMatchObject([
      { type: "document", title: "x.pdf", source: { media_type: "application/pdf" } },
      { type: "text", text: '<data origin="attached" file="x.md">\na </ data> b\n</data>' },
      { text: expect.stringContaining("cannot read this type") },
      { text: expect.stringContaining("left out") },
      { text: expect.stringContaining("no longer stored") },
    ]);
  });

  test("a summary of what was compacted speaks for it", () => {
    const [turn] = convert([
      said("user", { type: "compaction", summary: "They met.", from: "a", to: "b" }, text("and now")),
    ]);
    expect(turn?.content).toMatchObject([
      { text: expect.stringContaining("They met.") },
      { text: "and now" },
    ]);
  });
});

describe("what the provider may cache", () => {
  const params = () => ({
    tools: toAnthropicTools([READ_TOOL, { ...READ_TOOL, toolId: "files.file.list" }]),
    system: [{ type: "text" as const, text: "You are." }],
    messages: convert([
      said("user", text("1")),
      said("assistant", text("2")),
      said("user", text("3")),
      said("assistant", text("4")),
      said("user", text("5")),
    ]),
  });

  test("ends at the last tool, the system prompt, and the last two turns of the owner", () => {
    const marked = withCacheMarks(params());
    const mark = { cache_control: { type: "ephemeral" } };
    expect(marked.tools[0]).not.toHaveProperty("cache_control");
    expect(marked.tools[1]).toMatchObject({ name: "files__file__list", ...mark });
    expect(marked.system).toMatchObject([mark]);
    expect(marked.messages.map((m) => JSON.stringify(m).includes("cache_control"))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
    expect(JSON.stringify(marked).split("cache_control")).toHaveLength(5);
  });
});
