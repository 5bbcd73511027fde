import type { Block, Message } from "@elwood/core/message/message";
import { said } from "@elwood/testkit/contract-request";
import { describe, expect, test } from "vitest";
import type { BlobBytes } from "./attachments.ts";
import { toChat } from "./openai-chat.ts";
import { toResponses } from "./openai-responses.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const call = (callId: string, more: Partial<Extract<Block, { type: "tool_use" }>> = {}): Block => ({
  type: "tool_use",
  callId,
  toolId: "files.file.read",
  input: { p: 1 },
  ...more,
});
const reasoning = (id: string, provider = "openai"): Block => ({
  type: "thinking",
  text: "hm",
  opaque: {
    provider,
    data: JSON.stringify({ type: "reasoning", id, summary: [], encrypted_content: "enc" }),
  },
});
const picture: BlobBytes = new Map([["b1", new Uint8Array([1, 2, 3])]]);

describe("Responses", () => {
  const convert = (messages: Message[], blobs: BlobBytes = new Map()) =>
    toResponses(messages, blobs, "openai");

  test("calls come before their outputs, whatever lies between them in the history", () => {
    const items = convert([
      said("user", text("go")),
      said("assistant", text("Now."), call("a"), call("b")),
      said("tool", { type: "tool_result", callId: "b", status: "error", text: "broken" }),
      said("tool", { type: "tool_result", callId: "a", status: "ok", text: "" }),
    ]);
    expect(items).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "Now." },
      { type: "function_call", call_id: "a", name: "files__file__read", arguments: '{"p":1}' },
      { type: "function_call", call_id: "b" },
      { type: "function_call_output", call_id: "a", output: "(no output)" },
      { type: "function_call_output", call_id: "b", output: "The call failed: broken" },
    ]);
    expect(JSON.stringify(items)).not.toContain('"id"');
  });

  test("reasoning goes back whole, before what it led to, and not where nothing followed", () => {
    const items = convert([
      said("user", text("go")),
      said("assistant", reasoning("rs_1"), text("answer"), reasoning("rs_2")),
      said("assistant", reasoning("rs_3", "someone-else"), text("more")),
    ]);
    expect(items).toMatchObject([
      { role: "user" },
      { type: "reasoning", id: "rs_1", encrypted_content: "enc" },
      { role: "assistant", content: "answer" },
      { role: "assistant", content: "more" },
    ]);
  });

  test("pictures of a tool stand inside its output", () => {
    const items = convert(
      [
        said("user", text("look")),
        said("assistant", call("a")),
        said("tool", {
          type: "tool_result",
          callId: "a",
          status: "ok",
          text: "seen",
          images: [{ mime: "image/png", blobId: "b1" }],
        }),
      ],
      picture,
    );
    expect(items.at(-1)).toMatchObject({
      output: [
        { type: "input_text", text: "seen" },
        { type: "input_image", image_url: "data:image/png;base64,AQID" },
      ],
    });
  });

  test("malformed arguments go back as the model wrote them, so that it sees its mistake", () => {
    const items = convert([
      said("user", text("x")),
      said("assistant", call("a", { input: {}, malformed: "{oops" })),
    ]);
    expect(items[1]).toMatchObject({ arguments: "{oops" });
    expect(items[2]).toMatchObject({
      type: "function_call_output",
      output: "No result was recorded for this call.",
    });
  });
});

test("a denial is told in its own words, and only a call that failed is said to have failed", () => {
  const denied = "Denied by the owner; nothing was done. Their note: not today";
  const history = [
    said("user", text("go")),
    said("assistant", call("a"), call("b")),
    said("tool", { type: "tool_result", callId: "a", status: "error", ended: "denied", text: denied }),
    said("tool", { type: "tool_result", callId: "b", status: "error", text: "broken" }),
  ];
  expect(toChat(history, picture)).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { role: "tool", tool_call_id: "a", content: denied },
    { role: "tool", tool_call_id: "b", content: "The call failed: broken" },
  ]);
});

describe("Chat Completions", () => {
  test("plain text is a string, text with a picture is parts", () => {
    const messages = toChat(
      [
        said("user", text("a"), text("b")),
        said("user", text("c"), { type: "image", mime: "image/png", blobId: "b1" }),
      ],
      picture,
    );
    expect(messages).toEqual([
      { role: "user", content: "a\n\nb" },
      {
        role: "user",
        content: [
          { type: "text", text: "c" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
        ],
      },
    ]);
  });

  test("calls are answered in order, right after; pictures they returned follow", () => {
    const messages = toChat(
      [
        said("user", text("go")),
        said("assistant", call("a"), call("b", { input: {}, malformed: "{oops" })),
        said("tool", { type: "tool_result", callId: "b", status: "error", text: "not JSON" }),
        said("tool", {
          type: "tool_result",
          callId: "a",
          status: "ok",
          text: "seen",
          images: [{ mime: "image/png", blobId: "b1" }],
        }),
      ],
      picture,
    );
    expect(messages).toMatchObject([
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a" }, { id: "b", function: { arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "seen" },
      { role: "tool", tool_call_id: "b", content: "The call failed: not JSON" },
      { role: "user", content: [{ type: "text" }, { type: "image_url" }] },
    ]);
  });

  test("thinking is not sent, and an answer of thinking alone is no message", () => {
    const messages = toChat(
      [said("user", text("a")), said("assistant", reasoning("r")), said("user", text("b"))],
      new Map(),
    );
    expect(messages.map((m) => m.role)).toEqual(["user", "user"]);
  });
});
