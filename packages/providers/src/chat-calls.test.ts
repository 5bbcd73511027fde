import { describe, expect, test } from "vitest";
import { ChatCalls, type CallPiece } from "./openai-chat.ts";

function read(...pieces: CallPiece[]) {
  const calls = new ChatCalls();
  for (const piece of pieces) calls.take(piece);
  return calls.blocks().map(({ callId, toolId, input, malformed }) => ({
    callId,
    toolId,
    input,
    ...(malformed ? { malformed } : {}),
  }));
}

const two = [
  { callId: "c1", toolId: "a", input: { n: 1 } },
  { callId: "c2", toolId: "b", input: { n: 2 } },
];

describe("pieces of calls", () => {
  test("OpenAI: by index, arguments in pieces", () => {
    expect(
      read(
        { index: 0, id: "c1", function: { name: "a", arguments: "" } },
        { index: 0, function: { arguments: '{"n"' } },
        { index: 1, id: "c2", function: { name: "b", arguments: '{"n":2' } },
        { index: 0, function: { arguments: ":1}" } },
        { index: 1, function: { arguments: "}" } },
      ),
    ).toEqual(two);
  });

  test("Ollama: index 0 for every call, told apart by id", () => {
    expect(
      read(
        { index: 0, id: "c1", function: { name: "a", arguments: '{"n":1}' } },
        { index: 0, id: "c2", function: { name: "b", arguments: '{"n":2}' } },
      ),
    ).toEqual(two);
  });

  test("no index at all, arguments as objects", () => {
    expect(
      read(
        { id: "c1", function: { name: "a", arguments: { n: 1 } } },
        { id: "c2", function: { name: "b", arguments: { n: 2 } } },
      ),
    ).toEqual(two);
  });

  test("neither index nor id: by arrival, and the same tool twice is two calls", () => {
    expect(
      read(
        { function: { name: "a", arguments: '{"n":1}' } },
        { function: { name: "a", arguments: '{"n":2}' } },
      ),
    ).toEqual([
      { callId: "call_0", toolId: "a", input: { n: 1 } },
      { callId: "call_1", toolId: "a", input: { n: 2 } },
    ]);
  });

  test("a name repeated while its arguments stream is the same call", () => {
    expect(
      read(
        { index: 0, id: "c1", function: { name: "a", arguments: '{"n"' } },
        { index: 0, function: { name: "a", arguments: ":1}" } },
      ),
    ).toEqual([two[0]]);
  });

  test("an empty id continues, and an id may come late", () => {
    expect(
      read(
        { index: 0, id: "c1", function: { name: "a", arguments: "{" } },
        { index: 0, id: "", function: { name: "", arguments: '"n":1}' } },
      ),
    ).toEqual([two[0]]);
    expect(
      read(
        { index: 0, function: { name: "a", arguments: '{"n"' } },
        { index: 0, id: "c1", function: { arguments: ":1}" } },
      ),
    ).toEqual([two[0]]);
  });

  test("vLLM: no arguments for a tool without input", () => {
    expect(read({ index: 0, id: "c1", function: { name: "a" } })).toEqual([
      { callId: "c1", toolId: "a", input: {} },
    ]);
  });

  test("a piece that names no tool, ever, is no call", () => {
    expect(read({ index: 0, id: "c1" })).toEqual([]);
  });
});
