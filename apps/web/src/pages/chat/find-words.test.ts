import type { WireMessage } from "@elwood/core/protocol/shapes";
import { Turn } from "@elwood/sdk/view-state/turn";
import { expect, test } from "vitest";
import { turnsWith } from "./find-words.ts";

function turn(runId: string, ...messages: Partial<WireMessage>[]): Turn {
  const whole = messages.map((message, i): WireMessage => ({
    id: `msg_${runId}_${i}`,
    runId,
    ts: i,
    role: "assistant",
    origin: "model",
    content: "",
    blocks: [],
    ...message,
  }));
  return Turn.ofMessages(runId, whole, false, () => 0);
}

const asked = (text: string): Partial<WireMessage> => ({
  role: "user",
  origin: "owner",
  blocks: [{ type: "text", text, origin: "owner" }],
});
const said = (text: string): Partial<WireMessage> => ({ blocks: [{ type: "text", text }] });

test("words are found in questions, answers, thoughts and calls, folded or not, in either case and over line breaks", () => {
  const turns = [
    turn("a", asked("Where is the Lighthouse?"), said("By the\n sea.")),
    turn(
      "b",
      asked("And?"),
      { blocks: [{ type: "thinking", text: "They mean the LIGHTHOUSE." }] },
      said("Yes."),
    ),
    turn(
      "c",
      asked("Write it down"),
      {
        blocks: [
          { type: "tool_use", callId: "call_1", toolId: "files.file.write", input: { path: "harbour.txt" } },
        ],
      },
      {
        role: "tool",
        origin: "tool",
        blocks: [{ type: "tool_result", callId: "call_1", status: "ok", text: "Written." }],
      },
      said("Done."),
    ),
  ];
  const found = (query: string) => turnsWith(turns, query).map(({ runId }) => runId);
  expect(found("lighthouse")).toEqual(["a", "b"]);
  expect(found("by the sea")).toEqual(["a"]);
  expect(found("wrote")).toEqual(["c"]);
  expect(found("  ")).toEqual([]);
  expect(found("nowhere")).toEqual([]);
});
