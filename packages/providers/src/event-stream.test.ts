import { expect, test } from "vitest";
import { EventStream, type ServerEvent } from "./event-stream.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function read(...pieces: Uint8Array[]): ServerEvent[] {
  const stream = new EventStream();
  return pieces.flatMap((piece) => [...stream.take(piece)]);
}

const TEXT =
  "\uFEFF: a comment\nevent: greeting\nid: 7\ndata: {“a”: 1}\n\ndata:no space\ndata: and a second line 🐾\n\n\n\nevent:bare\n\n";
const EVENTS = [
  { name: "greeting", data: "{“a”: 1}" },
  { name: "", data: "no space\nand a second line 🐾" },
  { name: "bare", data: "" },
];

test.each([
  ["\\n", "\n"],
  ["\\r\\n", "\r\n"],
])("events are read with %s as the end of a line, in one piece and wherever pieces end", (_name, end) => {
  const all = bytes(TEXT.replaceAll("\n", end));
  expect(read(all)).toEqual(EVENTS);
  for (let cut = 1; cut < all.length; cut++)
    expect(read(all.subarray(0, cut), all.subarray(cut))).toEqual(EVENTS);
  expect(read(...[...all].map((byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
});

test("a return alone ends a line, too, once something follows it", () => {
  expect(read(bytes("event: a\rdata: 1\r\rdata: 2\r"), bytes("\r:"))).toEqual([
    { name: "a", data: "1" },
    { name: "", data: "2" },
  ]);
});

test.each(["data: 1\n\ndata: 2", "data: 1\n\ndata: 2\n", "data: 1\n\ndata: 2\r"])(
  "an event without an end comes only with that of the stream: %j",
  (text) => {
    const stream = new EventStream();
    expect([...stream.take(bytes(text))]).toEqual([{ name: "", data: "1" }]);
    expect([...stream.end()]).toEqual([{ name: "", data: "2" }]);
    expect([...stream.end()]).toEqual([]);
  },
);
