import type { Block, Message } from "@elwood/core/message/message";
import { tokensOfMessage } from "@elwood/core/model/tokens";
import { expect, test } from "vitest";
import { ContextMeter } from "./meter.ts";

const message = (at: number, block: Block, more: Partial<Message> = {}): Message => ({
  id: `msg_${at}`,
  ts: at,
  role: at % 2 === 0 ? "user" : "assistant",
  origin: at % 2 === 0 ? "owner" : "model",
  blocks: [block],
  ...more,
});
const said = (at: number) => message(at, { type: "text", text: `words of message ${at}` });
const summary = (at: number) =>
  message(at, { type: "compaction", summary: "", outputs: [] } as unknown as Block, {
    role: "assistant",
    origin: "gateway",
  });
const cutResult = (at: number) =>
  message(
    at,
    { type: "tool_result", callId: `c${at}`, status: "ok", text: "long", shownChars: 2 },
    { role: "tool", origin: "tool" },
  );

test("a conversation is counted as the sum of its messages, as it grows, ends otherwise, or is another one", () => {
  const meter = new ContextMeter(() => "");
  const all = Array.from({ length: 120 }, (_, at) => said(at));
  const sum = (messages: readonly Message[]) =>
    messages.reduce((tokens, each) => tokens + tokensOfMessage(each), 0);
  for (let length = 0; length <= all.length; length += 1) {
    const messages = all.slice(0, length);
    expect(meter.total(messages)).toBe(sum(messages));
  }
  const changed = all.with(40, said(40_000_000)).slice(0, 100);
  expect(meter.total(changed)).toBe(sum(changed));
  expect(meter.total(all.slice(37, 90))).toBe(sum(all.slice(37, 90)));
  expect(meter.total(all)).toBe(sum(all));
});

test.each([
  ["a summary", summary],
  ["a result that is shown in part", cutResult],
])("a conversation is not shown whole with %s in it, wherever it stands", (_name, changing) => {
  const all = Array.from({ length: 60 }, (_, at) => said(at));
  for (const place of [0, 1, 30, 51, 52, 59]) {
    const meter = new ContextMeter(() => "");
    const changed = all.with(place, changing(place));
    for (let length = 0; length <= all.length; length += 1) {
      expect(meter.isShownWhole(all.slice(0, length))).toBe(true);
      expect(meter.isShownWhole(changed.slice(0, length))).toBe(length <= place);
    }
  }
});
