import type { Block, Message } from "@elwood/core/message/message";
import { requestOf, said } from "@elwood/testkit/contract-request";
import { array, assert, constantFrom, nat, property } from "fast-check";
import { expect, test } from "vitest";
import { toBody as anthropicBody, toParams as anthropicParams } from "./anthropic.ts";
import { ExchangeJson } from "./earlier-exchanges.ts";
import { toBody as chatBody, toParams as chatParams } from "./openai-chat.ts";
import { toBody as responsesBody, toParams as responsesParams } from "./openai-responses.ts";
import { RequestBodies } from "./request-bodies.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const call = (callId: string): Block => ({ type: "tool_use", callId, toolId: "files.file.read", input: {} });
const result = (callId: string): Block => ({ type: "tool_result", callId, status: "ok", text: callId });
const picture: Block = { type: "image", blobId: "blob_1", mime: "image/png" };
const blobs = new Map([["blob_1", new Uint8Array([1, 2, 3])]]);

/** What may come next in a conversation; `at` makes each of them another one. */
const NEXT: Readonly<Record<string, (at: number) => readonly Message[]>> = {
  asked: (at) => [said("user", text(`question ${at}`))],
  "asked with a picture": (at) => [said("user", text(`look at ${at}`), picture)],
  "said nothing": () => [said("user", text(" "))],
  "a note": (at) => [{ ...said("user", text(`check ${at}`)), origin: "gateway" }],
  answered: (at) => [said("assistant", text(`answer ${at}  `))],
  "a blank answer": () => [said("assistant", text(" "))],
  "thinking of another provider": () => [
    said("assistant", { type: "thinking", text: "hm", opaque: { provider: "other", data: "{}" } }),
  ],
  called: (at) => [
    said("assistant", text("let me see"), call(`call_${at}`)),
    said("tool", result(`call_${at}`)),
  ],
  "called without a result": (at) => [said("assistant", call(`call_${at}`))],
  "called for a picture": (at) => [
    said("assistant", call(`call_${at}`)),
    said("tool", { ...result(`call_${at}`), images: [{ mime: "image/png", blobId: "blob_1" }] } as Block),
  ],
};

const SHAPE = { stream: true, streamOptions: true, maxTokens: "old", effort: false, oneCall: true } as const;

test("a conversation that goes on is sent as if each request were the first, byte for byte, by every API", () => {
  const names = constantFrom(...Object.keys(NEXT));
  assert(
    property(array(names, { maxLength: 24 }), nat(3), (steps, step) => {
      const messages: Message[] = [];
      const [ofAnthropic, ofChat, ofResponses] = [1, 2, 3].map(() => new RequestBodies());
      for (const [at, name] of steps.entries()) {
        messages.push(...NEXT[name]!(at));
        if (at % (step + 1) !== 0) continue;
        const request = requestOf({ messages: [...messages] });
        expect(anthropicBody(request, blobs, "own", ofAnthropic!).toString()).toBe(
          JSON.stringify(anthropicParams(request, blobs, "own")),
        );
        expect(chatBody(request, blobs, SHAPE, ofChat!).toString()).toBe(
          JSON.stringify(chatParams(request, blobs, SHAPE)),
        );
        expect(responsesBody(request, blobs, "own", ofResponses!).toString()).toBe(
          JSON.stringify(responsesParams(request, blobs, "own")),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test("what was said before is written out once, until it is other messages", () => {
  const exchanges = new ExchangeJson();
  let written = 0;
  const convert = (part: readonly Message[]) => {
    written += part.length;
    return part;
  };
  const messages = Array.from({ length: 40 }, (_, at) =>
    said(at % 2 === 0 ? "user" : "assistant", text(`message ${at}`)),
  );
  for (let length = 1; length <= messages.length; length += 2)
    exchanges.of(messages.slice(0, length), convert);
  expect(written).toBe(36);
  const { json, rest } = exchanges.of(messages, convert);
  expect(JSON.parse(`[${json}]`)).toEqual(messages.slice(0, 36));
  expect(rest).toEqual(messages.slice(36));
  expect(written).toBe(36);
  // Such as after something in it was forgotten.
  const changed = messages.with(2, said("user", text("another message")));
  expect(JSON.parse(`[${exchanges.of(changed, convert).json}]`)).toEqual(changed.slice(0, 36));
  // With the neighbours that it was joined with.
  expect(written).toBe(68);
});

test("what brings pictures along is written out anew, since which are sent depends on all others", () => {
  const exchanges = new ExchangeJson();
  let written = 0;
  const convert = (part: readonly Message[]) => {
    written += 1;
    return part;
  };
  const messages = ["a", "b", "c"].flatMap((name) => [
    said("user", text(name), picture),
    said("assistant", text(name)),
  ]);
  exchanges.of(messages, convert);
  exchanges.of(messages, convert);
  expect(written).toBe(2);
});

test("exchanges that cannot stand alone are joined with what follows, and not without end", () => {
  const exchanges = new ExchangeJson();
  const parts: number[] = [];
  const messages = Array.from({ length: 60 }, (_, at) =>
    said(at % 2 === 0 ? "user" : "assistant", text(`message ${at}`)),
  );
  const joined = exchanges.of(messages, (part) => (part.length < 6 ? undefined : part));
  expect(JSON.parse(`[${joined.json}]`)).toEqual(messages.slice(0, 54));
  const never = exchanges.of(messages.slice(10), (part) => {
    parts.push(part.length);
    return undefined;
  });
  expect(never).toEqual({ json: "", rest: messages.slice(10) });
  expect(Math.max(...parts)).toBe(16);
});
